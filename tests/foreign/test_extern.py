"""`extern`: functions of other compilers in kernels, called in PTX as C calls them, and the bodies that stand for them elsewhere."""

# pyright: basic
from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreign import programs
from frontend.running import lowered, refused, text
from loading import load

import oxidepy as ox
from oxidepy import CompileError, DeviceBuffer
from oxidepy.compiler.driver import check_kernel
from oxidepy.ir.foreign import slot
from oxidepy.ir.images import functions, kind_of
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import SCALARS
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

HERE = Path(__file__).parent
ARCHES = ("sm_80", "sm_90a", "sm_100a", "sm_120a")


def expected(count: int) -> tuple[np.ndarray, np.ndarray]:
    """What `everything` gives for x[i] = i / 2 + 0.25."""
    i = np.arange(count)
    x = i / 2 + 0.25
    z = np.where((i > 3) & ~(i > 7), 8.0, 0.0)
    v = (i.astype(np.int8) + np.int8(-56)).astype(np.int8) + (3 - i).astype(np.uint16).astype(np.float64) + (i - 4.0) + i + 0.25 * x
    return (x + 1) + i + (i + i) + 0.5 + x[0] + v + (x + 1) + z, z


@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_bodies_stand_for_them(device):
    context = ox.Context(device)
    stream = context.default_stream()
    x = DeviceBuffer.from_host(stream, (np.arange(150) / 2 + 0.25).astype(np.float32))
    y, z = DeviceBuffer.zeros(stream, 150, ox.f64), DeviceBuffer.zeros(stream, 150, ox.f32)
    programs.everything.prepare(context, 150)(stream, x, y, z)
    wanted, filled = expected(150)
    np.testing.assert_array_equal(y.to_host(stream), wanted)
    np.testing.assert_array_equal(z.to_host(stream), filled)


def memories(stream):
    """What `spaces` gives."""
    y = DeviceBuffer.zeros(stream, 5, ox.f32)
    x, c, z = (np.arange(5, dtype=np.float32), np.array([10, 20, 30], np.float32), np.ones((2, 2), np.float32))
    given = [DeviceBuffer.from_host(stream, one) for one in (x, c, z)]
    programs.spaces.prepare(stream.context, 5)(stream, given[0], given[1], y, given[2])
    return y.to_host(stream).tolist()


@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_memory_of_every_kind(device):
    assert memories(ox.Context(device).default_stream()) == [196.0, 197.0, 198.0, 199.0, 200.0]


@pytest.mark.parametrize("arch", ARCHES)
def test_ptx_is_linked_with_them(arch, tmp_path):
    ptx = programs.everything.ptx(arch)
    assert ".extern .func  (.param .align 8 .b8 func_retval0[24]) nest" in ptx
    link(tmp_path, arch, ptx, (HERE / "functions.ptx").read_text())
    link(tmp_path, arch, programs.spaces.ptx(arch), (HERE / "functions.ptx").read_text())


def link(folder: Path, arch: str, *texts: str) -> None:
    """Assemble each as relocatable code and let nvlink put them together."""
    ptxas, nvlink = shutil.which("ptxas"), shutil.which("nvlink")
    if ptxas is None or nvlink is None:
        pytest.skip("no ptxas and nvlink on this machine")
    made = []
    for number, ptx in enumerate(texts):
        source, made_of_it = folder / f"{number}.ptx", folder / f"{number}.cubin"
        source.write_text(ptx)
        done = subprocess.run([ptxas, "-c", f"-arch={arch}", str(source), "-o", str(made_of_it)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + ptx
        made.append(str(made_of_it))
    done = subprocess.run([nvlink, f"-arch={arch}", *made, "-o", str(folder / "all.cubin")], capture_output=True, text=True)
    warnings = [one for one in done.stderr.splitlines() if "Stack size" not in one]  # of recursion nobody knows how deep it goes
    assert done.returncode == 0 and not warnings, done.stderr


def test_the_ir_says_all_and_reads_back():
    module = lowered(programs.everything)
    assert len(module.kernel.images) == 1 and module.kernel.images[0].kind == "ptx"
    written = print_module(module)
    assert module.kernel.images[0].digest in written and 'extern "nest"' in written
    assert print_module(parse_module(written)) == written


def test_slots_are_those_of_the_c_compiler():
    there = functions((HERE / "functions.ptx").read_bytes())
    kinds = {"both": "bool", "small": "i8", "medium": "u16", "large": "i64", "narrow": "f16", "wide": "f64", "sum": "f32"}
    assert {name: there[name].result for name in kinds} == {name: slot(SCALARS[kind]) for name, kind in kinds.items()}
    assert there["nest"].params == ((24, 8), (8, 0)) and there["put"].result is None


# ---- what is refused


PROGRAM = """
from oxidepy import DisjointSlice, Ptr, Slice, block, extern, f16x2, f32, f64, i32, kernel, launch_contract, thread, unsafe

@extern("{file}"{more})
def dist{signature}
    {body}

@kernel{options}
def run(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        {call}
"""
DIST = """.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b32 result) dist(.param .b32 a, .param .b32 b) {
  .reg .f32 %f<3>;
  ld.param.f32 %f1, [a];
  ld.param.f32 %f2, [b];
  add.f32 %f1, %f1, %f2;
  st.param.f32 [result], %f1;
  ret;
}
"""


ADDS = 'with unsafe("it is as declared"):\n            y[idx] = dist(x[idx], {})'
ADDS_ONE = ADDS.format(1.0)
SIGNATURE = "(a: f32, b: f32) -> f32:"


def program(folder: Path, file="dist.ptx", signature=SIGNATURE, body="return a + b", more="", options="", call=ADDS_ONE, ptx: Any = DIST):
    """A kernel that calls `dist` of a file that is written beside it."""
    if ptx is not None:
        (folder / "dist.ptx").write_bytes(ptx if isinstance(ptx, bytes) else ptx.encode())
    where = folder / "program.py"
    where.write_text(PROGRAM.format(file=file, more=more, signature=signature, body=body, options=options, call=call))
    return load(where, f"program_{abs(hash(str(folder)))}").run


@pytest.mark.parametrize(
    ("code", "words", "given"),
    [
        ("OX0133", "`dist` needs `unsafe`: it is code of `dist.ptx`", {"call": "y[idx] = dist(x[idx], 1.0)"}),
        ("OX8010", "cannot read `other.ptx`, which has the code of `dist`: No such file", {"file": "other.ptx"}),
        ("OX6001", "`dist.ptx` is no device code", {"ptx": b"#include <x>"}),
        ("OX0425", "`dist.ptx` has no function `dits`", {"more": ', symbol="dits"'}),
        ("OX0425", "`dist.ptx` has no function `dist`", {"ptx": DIST.replace("dist(", "_Z4distff(")}),
        ("OX0425", "`dist.ptx` has no function `dist`", {"ptx": b"\x7fELF" + bytes(14) + b"\xbe\x00" + bytes(60)}),
        ("OX0308", "takes (32 bits, 32 bits) and gives (32 bits)", {"signature": "(a: f32, b: f64) -> f32:", "body": "return a"}),
        ("OX0308", "takes (32 bits, 32 bits) and gives (32 bits)", {"signature": "(a: f32, b: f32) -> None:", "body": "..."}),
        ("OX1001", "parameter `b` of `dist` has no type that C knows", {"signature": "(a: f32, b) -> f32:"}),
        ("OX1001", "nothing says what `dist` gives back", {"signature": "(a: f32, b: f32):"}),
        (
            "OX1002",
            "parameter `b` of `dist` is no value that C passes",
            {"signature": "(a: f32, b: Slice[f32]) -> f32:", "body": "return a"},
        ),
        ("OX1002", "parameter `b` of `dist` is no value that C passes", {"signature": "(a: f32, b: f16x2) -> f32:", "body": "return a"}),
        ("OX1002", "the result of `dist` is no value that C passes", {"signature": "(a: f32, b: f32) -> tuple[f32, f32]:"}),
        ("OX0308", "`dist` is the name of the kernel", {"options": '(name="dist")'}),
        ("OX0308", "the result of `dist` is `f32`, and this is `None`", {"body": "c = a + b"}),
        ("OX0308", "`f32` and `i32`", {"body": "return i32(a)"}),
        ("OX0658", "the body that stands for `dist` calls `dist` itself", {"body": "return dist(a, b) if a > b else b"}),
    ],
)
def test_refused(tmp_path, code, words, given):
    found = refused(program(tmp_path, **given))
    assert found.code == code and words in found.message and found.span is not None and found.help


def test_a_mangled_name(tmp_path):
    ptx = DIST.replace("dist(", "_Z4distff(")
    assert 'write `symbol="_Z4distff"`' in str(refused(program(tmp_path, ptx=ptx)).help)
    assert "_Z4distff, (param0, param1);" in program(tmp_path, ptx=ptx, more=', symbol="_Z4distff"').ptx("sm_80")


def test_another_function_of_one_name(tmp_path):
    (tmp_path / "other.ptx").write_text(DIST.replace("add.f32", "mul.f32"))
    more = "\n\n@extern('other.ptx', symbol='dist')\ndef other(a: f32, b: f32) -> f32:\n    return a * b"
    kernel = program(tmp_path, body="return a + b" + more, call='with unsafe("x"):\n            y[idx] = dist(1.0, other(x[idx], 2.0))')
    found = refused(kernel)
    assert found.code == "OX0308" and "another function elsewhere" in found.message


@pytest.mark.parametrize(("device", "body"), [("interp", "..."), ("cpu", "..."), ("cpu", "raise RuntimeError")])
def test_without_a_body_only_on_gpus(device, body, tmp_path):
    kernel = program(tmp_path, body=body)
    assert "call.uni (retval0), dist, (param0, param1);" in kernel.ptx("sm_80")
    context = ox.Context(device)
    stream = context.default_stream()
    x = DeviceBuffer.zeros(stream, 8, ox.f32)
    with pytest.raises(CompileError) as error:
        kernel.launch(stream, x, DeviceBuffer.zeros(stream, 8, ox.f32))
    assert error.value.code == "OX6001" and "no body stands for it" in str(error.value)


def test_decorators_say_where_they_stand(tmp_path):
    with pytest.raises(CompileError, match="names no file"):
        ox.extern()
    with pytest.raises(CompileError, match="stands on int, which is no plain function"):
        ox.extern("a.ptx")(3)  # type: ignore[type-var]
    with pytest.raises(CompileError, match="stands on a lambda"):
        ox.extern("a.ptx", symbol="dist")(lambda: None)
    with pytest.raises(CompileError, match="declared already"):
        ox.export(ox.extern("a.ptx")(lowered))
    for name in ("a b", "_", "$", "WARP_SZ", "a;", "a\n", "é"):
        with pytest.raises(CompileError, match="no symbol"):
            ox.extern("a.ptx", symbol=name)(refused)
    with pytest.raises(CompileError, match="3 is no symbol"):
        ox.extern("a.ptx", symbol=3)(refused)  # type: ignore[arg-type]
    for place in (None, b"a.ptx", "a\0.ptx", "\ud800.ptx"):
        with pytest.raises(CompileError, match="is no place of a file"):
            ox.extern(place)  # type: ignore[arg-type]
    where = tmp_path / "kernels.py"
    names = "from oxidepy import DisjointSlice, extern, f32, kernel\n"
    where.write_text(f"{names}@kernel\n@extern('a.ptx')\ndef run(y: DisjointSlice[f32]) -> None:\n    ...\n")
    found = refused(load(where, "extern_kernels").run)
    assert found.code == "OX1007" and "is for functions that kernels call" in found.message


# ---- analyses, cache


def test_what_the_body_says_proves_nothing(tmp_path):
    """The body gives 0, the function may give anything: the index is tested."""
    kernel = program(
        tmp_path, signature="(a: f32, b: f32) -> i32:", body="return 0", call='with unsafe("x"):\n            y[idx] = x[dist(0.0, 1.0)]'
    )
    checked = check_kernel(kernel.definition, Specialisation(), CodegenOptions())
    assert checked.checked == 1 and any(op.name == "check" for op in checked.module.kernel.body.walk())


def test_the_content_of_a_file_is_part_of_the_code(tmp_path):
    before = text(program(tmp_path))
    assert text(program(tmp_path)) == before
    assert text(program(tmp_path, ptx=DIST.replace("add", "mul"))) != before


def test_a_file_is_read_once_for_a_kernel(tmp_path, monkeypatch):
    """However often the function is called: files may be large."""
    seen = []
    monkeypatch.setattr("oxidepy.frontend.foreign.functions", lambda data: seen.append(len(data)) or functions(data))
    call = 'with unsafe("x"):\n            y[idx] = dist(x[idx], dist(1.0, 2.0)) + dist(x[idx], 3.0)'
    assert program(tmp_path, call=call).ptx("sm_80").count("dist, (param0, param1);") == 3
    assert seen == [len(DIST)]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x50\xed\x55\xba\x01\x00", "fatbin"),
        (b"!<arch>\n/", "library"),
        (b"\x7fELF\x02\x01" + bytes(12) + b"\xbe\x00" + bytes(60), "cubin"),
        (b"\x7fELF\x02\x01" + bytes(12) + b"\x3e\x00" + bytes(60), "object"),
        (b"\x7fELF", None),
        (b"// made by hand\n/* and\n commented */ .version 8.0\n", "ptx"),
        (b"", None),
        (b"MZ", None),
    ],
)
def test_kinds_of_files(data, kind):
    assert kind_of(data) == kind


def test_on_the_host_it_is_a_function():
    assert programs.both(True, False) is True


# ---- bodies in which threads work together


@ox.extern(str(programs.FILE), symbol="sum")
def block_total(p: ox.Ptr[ox.f32], n: ox.i32) -> ox.f32:
    """As a function for which all threads of a block come together may be written."""
    ox.block.sync()
    found = ox.block.reduce_sum(p[ox.thread.idx.x])
    return found + ox.f32(n - n)


@ox.kernel
@ox.launch_contract(domain=1, block=(64, 1, 1))
def totals(x: ox.Slice[ox.f32], y: ox.SliceMut[ox.f32]) -> None:
    s = ox.shared.array(ox.f32, 64)
    i, t = ox.thread.index_1d().get(), ox.thread.idx.x
    s[t] = x[i] if i < len(x) else ox.f32(0.0)
    with ox.unsafe("all threads of the block come"):
        found = block_total(s.ptr(), 64)
    if i < len(y):
        y[i] = found


@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_barriers_in_a_body(device):
    context = ox.Context(device)
    stream = context.default_stream()
    x = DeviceBuffer.from_host(stream, np.arange(128, dtype=np.float32))
    y = DeviceBuffer.zeros(stream, 128, ox.f32)
    totals.prepare(context, 128)(stream, x, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(128, dtype=np.float32).reshape(2, 64).sum(1).repeat(64))


def test_barriers_in_a_body_that_not_all_threads_reach(tmp_path):
    body = "block.sync()\n    return a"
    kernel = program(tmp_path, body=body)
    with pytest.raises(CompileError) as error:
        check_kernel(kernel.definition, Specialisation(), CodegenOptions())
    assert [one.code for one in error.value.diagnostics] == ["OX3001"]
