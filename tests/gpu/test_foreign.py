"""Code of other compilers on a GPU: functions that kernels call."""

# pyright: basic
from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from foreign.programs import everything
from foreign.test_export import EVERY, ptx
from foreign.test_extern import ADDS, DIST, expected, program

import oxidepy as ox
from oxidepy import CompileError, DeviceBuffer
from oxidepy.ir.images import Image
from oxidepy.runtime.cuda import api, link

pytestmark = pytest.mark.gpu
FOREIGN = Path(__file__).parents[1] / "foreign"


@pytest.fixture
def stream():
    return ox.Context("cuda:0").default_stream()


def test_functions_give_what_their_bodies_say(stream):
    x = DeviceBuffer.from_host(stream, (np.arange(60) / 2 + 0.25).astype(np.float32))
    y, z = DeviceBuffer.zeros(stream, 60, ox.f64), DeviceBuffer.zeros(stream, 60, ox.f32)
    everything.prepare(stream.context, 60)(stream, x, y, z)
    wanted, filled = expected(60)
    np.testing.assert_array_equal(y.to_host(stream), wanted)
    np.testing.assert_array_equal(z.to_host(stream), filled)


def added(kernel, stream):
    x = DeviceBuffer.from_host(stream, np.arange(100, dtype=np.float32))
    y = DeviceBuffer.zeros(stream, 100, ox.f32)
    kernel.launch(stream, x, y)
    return y.to_host(stream)


def test_the_function_runs_and_not_its_body(stream, tmp_path):
    kernel = program(tmp_path, call=ADDS.format(3.0), ptx=DIST.replace("add.f32", "mul.f32"))
    np.testing.assert_array_equal(added(kernel, stream), np.arange(100, dtype=np.float32) * 3)


def test_files_that_do_not_fit(stream, tmp_path):
    for number, (text, words) in enumerate((
        (b"\x7fELF\x02\x01\x01" + bytes(11) + b"\xbe\x00" + bytes(200), "dist.ptx"),
        (DIST.replace("add.f32", "addd.f32"), "dist.ptx"),
        (DIST.replace("7.0", "99.0"), "dist.ptx"),
    )):  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(ox.OxideError, match=words):
            added(program(folder, ptx=text), stream)
    np.testing.assert_array_equal(added(program(tmp_path), stream), np.arange(100, dtype=np.float32) + 1)  # the context lives on


SOURCE = 'extern "C" __device__ float dist(float a, float b) { return a * b; }\n'


def made(stream, text, form, out):
    """What nvcc writes for this GPU."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    major, minor = stream.context.compute_capability
    source = out.with_suffix(".cu")
    source.write_text(text)
    line = [nvcc, "-rdc=true", f"-arch=sm_{major}{minor}", form, str(source), "-o", str(out)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", ["-cubin", "-fatbin", "-ptx", "-c", "-lib"])
def test_whatever_nvcc_writes(stream, tmp_path, form):
    out = tmp_path / ("dist.a" if form == "-lib" else "dist.out")
    made(stream, SOURCE, form, out)
    kernel = program(tmp_path, file=out.name, ptx=None, call=ADDS.format(3.0))
    np.testing.assert_array_equal(added(kernel, stream), np.arange(100, dtype=np.float32) * 3)


def test_a_binary_without_the_function(stream, tmp_path):
    made(stream, SOURCE.replace("dist", "other"), "-cubin", tmp_path / "dist.cubin")
    with pytest.raises(CompileError) as error:
        added(program(tmp_path, file="dist.cubin", ptx=None), stream)
    assert error.value.code == "OX0425"


def test_cuda_cpp_calls_what_python_exports(stream, tmp_path):
    """nvcc's code and ours, linked and launched by the driver."""
    made(stream, (FOREIGN / "exports.cu").read_text(), "-ptx", tmp_path / "calls.ptx")
    ours = [Image(one.__name__, "ptx", ptx(one, stream.context.driver.target().arch).encode()) for one in EVERY]
    out = DeviceBuffer.zeros(stream, 9, ox.f64)
    with stream.context.driver.current():
        linked = link.link((tmp_path / "calls.ptx").read_bytes(), False, None, ours)
        module = api.call(api.bindings().cuModuleLoadData, linked.cubin)
        function = api.call(api.bindings().cuModuleGetFunction, module, b"everything")
        api.call(api.bindings().cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, stream.handle, ((out.address,), (ctypes.c_void_p,)), 0)
    stream.synchronize()
    found = out.to_host(stream).tolist()
    assert found == [5.0, 1.75, 0.5 + 2 - 7 + 3.25, -1.5, 1.0, 10.0, 11.0, 8.0, 5.0]
