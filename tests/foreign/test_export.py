"""`export`: device functions for other code, with the signature and the passing of values of C."""

# pyright: basic
from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli.conftest import Command, command
from cli.test_run import write
from foreign import exports
from foreign.test_extern import ARCHES, link
from loading import load

import oxidepy as ox
from oxidepy import CompileError, DeviceBuffer
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import compile_kernel
from oxidepy.ir.images import functions
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.verifier import verify
from oxidepy.lang.definition import Specialisation
from oxidepy.lang.foreign import export_of, exported
from oxidepy.settings.options import CodegenOptions

__all__ = ["Command", "command"]
HERE = Path(__file__).parent
EVERY = [one for one in vars(exports).values() if export_of(one) is not None]
HEAD = "from oxidepy import *\n"


def compiled(function, arch="sm_80"):
    export = export_of(function)
    assert export is not None
    return compile_kernel(exported(function, export), Specialisation(), nvptx_target(arch), CodegenOptions())


def ptx(function, arch="sm_80"):
    return compiled(function, arch).artefact.code.decode()


def test_they_have_the_signatures_that_nvcc_gives_the_same():
    declared = [compiled(one).module.kernel.exported.declaration for one in EVERY]  # pyright: ignore[reportOptionalMemberAccess]
    source = (HERE / "exports.cu").read_text()
    assert declared[1] == 'extern "C" __device__ struct Nest mixed(struct Nest nest, unsigned char n, __half h, bool flag);'
    for one in declared:
        assert re.sub(r'extern "C" |struct ', "", one) in source
    found = {name: one for function in EVERY for name, one in functions(ptx(function).encode()).items()}
    assert {name: (len(one.params), one.result) for name, one in found.items()} == {
        "dist": (2, (4, 0)),
        "mixed": (4, (24, 8)),
        "narrow": (3, (2, 2)),
        "odd": (1, (4, 0)),
        "total": (2, (4, 0)),
        "clear": (2, None),
        "fib": (1, (4, 0)),
        "square": (1, (4, 0)),
        "flip": (3, (4, 0)),
        "root": (1, (4, 0)),
    }
    assert found["mixed"].params == ((24, 8), (4, 0), (2, 2), (4, 0))


@pytest.mark.parametrize("arch", ARCHES)
def test_cuda_cpp_links_with_them(arch, tmp_path):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    out = tmp_path / "calls.ptx"
    line = [nvcc, "-rdc=true", "-ptx", f"-arch={arch}", str(HERE / "exports.cu"), "-o", str(out)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    link(tmp_path, arch, out.read_text(), *(ptx(one, arch) for one in EVERY))


def test_the_ir_says_so_and_reads_back():
    for one in EVERY:
        module = compiled(one).module
        verify(module)
        text = print_module(module)
        assert "exported (" in text and print_module(parse_module(text)) == text


def test_a_failed_check_is_a_trap():
    """Other code has no record for it."""
    text = ptx(exports.several)
    assert "st.param.b64 \t[param3], 0;" in text and "trap;" in text


def test_pointers_may_be_of_any_space():
    text = ptx(exports.total)
    assert "ld.global" not in text.partition("oxidepy_panic")[0] and "atom.relaxed.gpu.add.f32" in text


@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_in_kernels_they_are_functions_like_others(device):
    context = ox.Context(device)
    stream = context.default_stream()
    y = DeviceBuffer.from_host(stream, np.array([1.5, 0.0, -1.0], np.float32))
    exports.caller.launch(stream, y)
    np.testing.assert_allclose(y.to_host(stream), [4.5, np.exp(2) + 3, np.exp(2) + 3], rtol=1e-6)


@pytest.mark.parametrize(
    ("code", "words", "text"),
    [
        (
            "OX0658",
            "the index of the thread is not supported in an exported function",
            "def f(a: i32) -> i32:\n    return a + thread.index_1d().get()",
        ),
        ("OX0658", "`block.sync` is not supported in an exported function", "def f(a: f32) -> f32:\n    block.sync()\n    return a"),
        ("OX0658", "shared memory is not supported", "def f(a: f32) -> f32:\n    s = shared.array(f32, 4)\n    s[0] = a\n    return s[0]"),
        ("OX0658", "`print` is not supported", "def f(a: f32) -> f32:\n    print(a)\n    return a"),
        ("OX1001", "parameter `a` of `f` has no type", "def f(a) -> f32:\n    return 1.0"),
        ("OX1002", "parameter `a` of `f` is no value that C passes", "def f(a: Slice[f32]) -> f32:\n    return a[0]"),
        ("OX1001", "nothing says what `f` gives back", "def f(a: f32):\n    return a"),
        ("OX0133", "an access through `a` needs `unsafe`", "def f(a: Ptr[f32]) -> f32:\n    return a[0]"),
        ("OX0308", "mismatched types", "def f(a: f64) -> f32:\n    return a"),
    ],
)
def test_refused(tmp_path, code, words, text):
    where = tmp_path / "program.py"
    where.write_text(f"{HEAD}\n@export\n{text}\n")
    function = load(where, f"export_{abs(hash(text))}").f
    with pytest.raises(CompileError) as error:
        compiled(function)
    (found,) = error.value.diagnostics
    assert found.code == code and words in found.message and found.span is not None


def test_a_captured_number_is_refused():
    def made(scale):
        @ox.export
        def scaled(x: ox.f32) -> ox.f32:
            return x * scale

        return scaled

    with pytest.raises(CompileError) as error:
        compiled(made(2.5))
    assert error.value.code == "OX0658" and "nobody gives it `scale`" in str(error.value)


def test_build_writes_them_beside_kernels(command: Command, tmp_path: Path) -> None:
    text = "@export(symbol='twice')\ndef double(a: f32) -> f32:\n    return 2.0 * a\n\n@kernel\ndef k(y: DisjointSlice[f32]) -> None:\n"
    write(tmp_path, f"{HEAD}{text}    i = thread.index_1d()\n    if i in y:\n        y[i] = double(y[i])\n")
    done = command("build", "main.py", "--arch", "sm_80", "--emit", "ptx", "--out", "made")
    assert (done.code, done.err) == (0, "")
    manifest = json.loads((tmp_path / "made" / "manifest.json").read_text())["kernels"]
    assert [(one["kernel"], one["entry"], one["function"]) for one in manifest] == [
        ("double", "twice", 'extern "C" __device__ float twice(float a);'),
        ("k", "k", None),
    ]
    assert ".visible .func  (.param .b32 func_retval0) twice(" in (tmp_path / "made" / "double.sm_80.ptx").read_text()
    checked = command("check", "main.py")
    assert checked.code == 0 and "double" in checked.out


def test_check_finds_what_is_wrong_with_them(command: Command, tmp_path: Path) -> None:
    write(tmp_path, f"{HEAD}@export\ndef f(a: f32) -> f32:\n    return a + 1.5 + i32(1)\n")
    done = command("check", "main.py")
    assert done.code == 1 and "OX0308" in done.out + done.err
