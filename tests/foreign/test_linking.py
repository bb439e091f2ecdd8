"""What the CUDA driver is asked to link with a kernel, and what becomes of its refusals, on a driver that is none."""

# pyright: basic
from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from fake_cuda import Enum
from foreign.programs import everything
from foreign.test_extern import DIST, program
from runtime.test_cuda_driver import ctx, fake, stream

from oxidepy import CompileError, DeviceBuffer, DeviceError, OxideError, f32, f64
from oxidepy.ir.images import Image
from oxidepy.runtime.cuda import lto

__all__ = ["ctx", "fake", "stream"]
CUBIN = b"\x7fELF\x02\x01" + bytes(12) + b"\xbe\x00" + bytes(60) + b"dist\0"


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(tmp_path / "cache"))


def launch(kernel, stream):
    x = DeviceBuffer.zeros(stream, 8, f32)
    kernel.launch(stream, x, DeviceBuffer.zeros(stream, 8, f32))


def test_the_file_is_linked_with_the_kernel(fake, ctx, stream):
    x, y, z = DeviceBuffer.zeros(stream, 100, f32), DeviceBuffer.zeros(stream, 90, f64), DeviceBuffer.zeros(stream, 90, f32)
    everything.prepare(ctx, 90)(stream, x, y, z)
    kernel, functions = fake.named("cuLinkAddData")
    assert (kernel[1], kernel[4]) == ("CU_JIT_INPUT_PTX", b"kernel.ptx") and b".extern .func" in kernel[2]
    assert (functions[1], functions[4]) == ("CU_JIT_INPUT_PTX", b"1: functions.ptx") and functions[2].endswith(b"\0")
    assert functions[3] == len(functions[2])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (CUBIN, "CUBIN"),
        (b"\x50\xed\x55\xba" + bytes(60), "FATBINARY"),
        (b"!<arch>\n", "LIBRARY"),
        (CUBIN.replace(b"\xbe", b"\x3e"), "OBJECT"),
    ],
)
def test_binaries_go_as_they_are(fake, stream, tmp_path, data, kind):
    launch(program(tmp_path, ptx=data), stream)
    assert fake.named("cuLinkAddData")[1][1:4] == (f"CU_JIT_INPUT_{kind}", data, len(data))


def test_a_changed_file_is_linked_anew(fake, stream, tmp_path):
    launch(program(tmp_path), stream)
    launch(program(tmp_path), stream)
    assert len(fake.named("cuLinkCreate")) == 1
    launch(program(tmp_path, ptx=DIST.replace("add", "mul")), stream)
    assert len(fake.named("cuLinkCreate")) == 2


@pytest.mark.parametrize(
    ("status", "log", "code", "words"),
    [
        (200, b"", "OX6004", "the driver does not take `dist.ptx`: CUDA_ERROR_INVALID_IMAGE"),
        (209, b"", "OX6001", "`dist.ptx` has no code for this device"),
        (222, b"", "OX6002", "the driver is too old for the PTX of `dist.ptx`"),
        (200, b"SM version specified by .target is higher than assumed", "OX6001", "`dist.ptx` has no code for this device"),
    ],
)
def test_a_file_that_the_driver_refuses(fake, stream, tmp_path, status, log, code, words):
    fake.errors, fake.fail["cuLinkAddData"] = log, [0, status]
    with pytest.raises(DeviceError) as error:
        launch(program(tmp_path, ptx=CUBIN), stream)
    assert error.value.code == code and words in str(error.value)
    assert len(fake.named("cuLinkDestroy")) == 1
    launch(program(tmp_path, ptx=CUBIN), stream)  # the context lives on


@pytest.mark.parametrize(
    ("log", "code", "words"),
    [
        (b"error   : Undefined reference to 'dist' in 'kernel.ptx'", "OX0425", "`dist.ptx` has no function `dist`"),
        (b"error   : Prototype doesn't match for 'dist' in '1: dist.ptx'", "OX0308", "`dist` of `dist.ptx` takes or gives others"),
    ],
)
def test_a_function_that_is_not_there_is_said_at_its_call(fake, stream, tmp_path, log, code, words):
    fake.errors, fake.fail["cuLinkComplete"] = log, [200]
    with pytest.raises(CompileError) as error:
        launch(program(tmp_path, ptx=CUBIN), stream)
    (found,) = error.value.diagnostics
    assert found.code == code and words in found.message and found.span is not None and found.span.line == 13


def test_a_kernel_that_the_linker_drops(fake, stream, tmp_path):
    """For want of a function it leaves the kernel out, and says nothing."""
    fake.fail["cuModuleGetFunction"] = [500]
    with pytest.raises(CompileError) as error:
        launch(program(tmp_path, ptx=CUBIN), stream)
    (found,) = error.value.diagnostics
    assert found.code == "OX0425" and "does not find all of `dist` in `dist.ptx`" in found.message


def test_a_linker_that_only_warns(fake, stream, tmp_path):
    fake.errors = b"warning : Undefined reference to 'dist' in 'kernel.ptx'"
    with pytest.raises(CompileError, match="has no function `dist`"):
        launch(program(tmp_path, ptx=CUBIN), stream)


def test_any_other_failure_shows_the_log(fake, stream, tmp_path):
    fake.errors, fake.fail["cuLinkComplete"] = b"error   : Multiple definition of 'dist' in '1: dist.ptx'", [200]
    with pytest.raises(DeviceError) as error:
        launch(program(tmp_path, ptx=CUBIN), stream)
    assert error.value.code == "OX6004" and "cannot link the kernel with `dist.ptx`" in str(error.value) and "Multiple" in str(error.value)


# ---- link-time optimisation


class FakeJit:
    """Stands for `cuda.bindings.nvjitlink`."""

    class nvJitLinkError(RuntimeError): ...

    InputType = Enum()

    def __init__(self, refuses=()):
        self.refuses, self.calls = refuses, []

    def create(self, count, options):
        assert count == len(options)
        self.calls.append(options)
        if "create" in self.refuses:
            raise self.nvJitLinkError("ERROR_UNRECOGNIZED_OPTION (1)")
        return 1

    def add_data(self, handle, kind, data, size, name):
        assert size == len(data)
        self.calls.append((kind, name))
        if name in self.refuses:
            raise self.nvJitLinkError("ERROR_ARCH_MISMATCH (13)")

    def complete(self, handle):
        if "" in self.refuses:
            raise self.nvJitLinkError("ERROR_INTERNAL (6)")

    log = b"error   : Undefined reference to 'dist' in 'the kernel'\0"

    def get_error_log_size(self, handle):
        return len(self.log)

    def get_error_log(self, handle, into):
        into[:] = self.log

    def get_linked_cubin_size(self, handle):
        return 6

    def get_linked_cubin(self, handle, into):
        into[:] = b"cubin!"

    def destroy(self, handle):
        self.calls.append("destroyed")


LTOIR = b"\xedCN\x7f" + bytes(60)


def test_ltoir_is_linked_by_nvjitlink(fake, stream, tmp_path, monkeypatch):
    jit = FakeJit()
    monkeypatch.setattr(lto, "bindings", lambda: jit)
    launch(program(tmp_path, ptx=LTOIR), stream)
    assert jit.calls == [["-arch=sm_90a", "-lto", "-lineinfo"], ("PTX", "the kernel"), ("LTOIR", "dist.ptx"), "destroyed"]
    assert not fake.named("cuLinkCreate")


@pytest.mark.parametrize(
    ("refuses", "log", "code", "words"),
    [
        ("dist.ptx", b"\0", "OX6004", "nvJitLink does not take `dist.ptx`: ERROR_ARCH_MISMATCH"),
        ("", b"\0", "OX6004", "nvJitLink does not link the kernel with `dist.ptx`"),
        ("", FakeJit.log, "OX0425", "`dist.ptx` has no function `dist`"),
    ],
)
def test_ltoir_that_is_refused(fake, stream, tmp_path, monkeypatch, refuses, log, code, words):
    jit = FakeJit((refuses,))
    jit.log = log
    monkeypatch.setattr(lto, "bindings", lambda: jit)
    with pytest.raises(OxideError) as error:
        launch(program(tmp_path, ptx=LTOIR), stream)
    assert error.value.code == code and words in str(error.value) and jit.calls[-1] == "destroyed"


def test_a_library_that_is_older_than_the_device(fake, stream, tmp_path, monkeypatch):
    monkeypatch.setattr(lto, "bindings", lambda: FakeJit(("create",)))
    with pytest.raises(DeviceError, match="nvJitLink does not link for sm_90a: ERROR_UNRECOGNIZED_OPTION") as error:
        launch(program(tmp_path, ptx=LTOIR), stream)
    assert error.value.code == "OX6004" and "newer" in str(error.value.diagnostic.help)


def test_without_the_library(fake, stream, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvjitlink", None)
    with pytest.raises(DeviceError) as error:
        launch(program(tmp_path, ptx=LTOIR), stream)
    assert error.value.code == "OX8013" and "pip install nvidia-nvjitlink" in str(error.value)


def test_with_the_library(tmp_path):
    """Real LTOIR and the real linker, where both are there: neither needs a GPU."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    try:
        lto.bindings()
    except DeviceError as error:
        pytest.skip(error.diagnostic.message)
    source, out = tmp_path / "dist.cu", tmp_path / "dist.ltoir"
    source.write_text('extern "C" __device__ float dist(float a, float b) { return a * b; }\n')
    subprocess.run([nvcc, "-rdc=true", "-arch=sm_90", "-dlto", "-ltoir", str(source), "-o", str(out)], check=True)
    image = Image("dist.ltoir", "ltoir", out.read_bytes())
    ptx = program(tmp_path, file="dist.ltoir", ptx=None).ptx("sm_90").encode()
    cubin = lto.link(ptx, True, lambda log: pytest.fail(log), [image])
    assert cubin.startswith(b"\x7fELF") and b".text.run\0" in cubin and b".text.dist\0" in cubin
