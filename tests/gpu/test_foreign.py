"""Code of other compilers on a GPU: functions that kernels call."""

# pyright: basic
from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from foreign import exports
from foreign.programs import Nest, Pair, everything
from foreign.test_export import EVERY, ptx
from foreign.test_extern import ADDS, DIST, expected, memories, program

import oxidepy as ox
from oxidepy import (
    CompileError,
    DeviceBuffer,
    DeviceError,
    DisjointSlice,
    LaunchConfig,
    LaunchError,
    Ptr,
    Slice,
    f32,
    f64,
    i8,
    i16,
    i32,
    kernel,
    thread,
    u64,
    unsafe,
)
from oxidepy.ir.images import Image
from oxidepy.runtime.cuda import api, link, lto

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


def test_memory_of_every_kind(stream):
    assert memories(stream) == [196.0, 197.0, 198.0, 199.0, 200.0]


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


def architecture(stream):
    major, minor = stream.context.compute_capability
    return f"sm_{major}{minor}"


def made(stream, text, form, out, source=None):
    """What nvcc writes for this GPU."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    if source is None:
        source = out.with_suffix(".cu")
        source.write_text(text)
    forms = ["-dlto", form] if form == "-ltoir" else [form]
    done = subprocess.run(
        [nvcc, "-rdc=true", f"-arch={architecture(stream)}", *forms, str(source), "-o", str(out)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", ["-cubin", "-fatbin", "-ptx", "-c", "-lib", "-ltoir"])
def test_whatever_nvcc_writes(stream, tmp_path, form):
    out = tmp_path / ("dist.a" if form == "-lib" else "dist.out")
    if form == "-ltoir":
        try:
            lto.bindings()
        except DeviceError as error:
            pytest.skip(error.diagnostic.message)
    made(stream, SOURCE, form, out)
    kernel = program(tmp_path, file=out.name, ptx=None, call=ADDS.format(3.0))
    np.testing.assert_array_equal(added(kernel, stream), np.arange(100, dtype=np.float32) * 3)


def test_a_binary_without_the_function(stream, tmp_path):
    for number, form in enumerate(("-cubin", "-fatbin", "-c")):
        folder = tmp_path / str(number)
        folder.mkdir()
        made(stream, SOURCE.replace("dist", "other"), form, folder / "dist.out")
        with pytest.raises(CompileError) as error:
            added(program(folder, file="dist.out", ptx=None), stream)
        assert error.value.code == "OX0425"


def test_cuda_cpp_calls_what_python_exports(stream, tmp_path):
    """nvcc's code and ours, linked and launched by the driver."""
    made(stream, (FOREIGN / "exports.cu").read_text(), "-ptx", tmp_path / "calls.ptx")
    ours = [Image(one.__name__, "ptx", ptx(one, stream.context.driver.target().arch).encode()) for one in EVERY]
    out = DeviceBuffer.zeros(stream, 12, ox.f64)
    with stream.context.driver.current():
        linked = link.link((tmp_path / "calls.ptx").read_bytes(), False, None, ours)
        module = api.call(api.bindings().cuModuleLoadData, linked.cubin)
        function = api.call(api.bindings().cuModuleGetFunction, module, b"everything")
        api.call(api.bindings().cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, stream.handle, ((out.address,), (ctypes.c_void_p,)), 0)
    stream.synchronize()
    found = out.to_host(stream).tolist()
    assert found == [5.0, 1.75, 0.5 + 2 - 7 + 3.25, -1.5, 1.0, 10.0, 11.0, 8.0, 5.0, 59.0, 1.0, 1063.0]


def saxpy(n: i32, a: f32, x: Ptr[f32], y: Ptr[f32]) -> None: ...


def reversed_(x: Ptr[f32], y: Ptr[f32], flag: bool) -> None: ...


@pytest.fixture
def arrays(stream):
    return [DeviceBuffer.from_host(stream, np.arange(1000, dtype=np.float32)) for _ in range(2)]


def test_kernels_of_a_loaded_module(stream, arrays):
    x, y = arrays
    module = stream.context.load_module(FOREIGN / "functions.ptx")
    first, second = module.kernel(saxpy), module.kernel(symbol="reversed")(reversed_)
    with unsafe("1000 elements each"):
        first.launch_unchecked(stream, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), 1000, 2.0, x, y)
        np.testing.assert_array_equal(y.to_host(stream), 3 * np.arange(1000, dtype=np.float32))
        for count, flag in ((256, True), (64, False), (1000, True)):
            second.launch_unchecked(stream, LaunchConfig((1, 1, 1), (count, 1, 1), dynamic_shared=60 << 10), x, y, flag)
            wanted = np.arange(count, dtype=np.float32)
            np.testing.assert_array_equal(y.to_host(stream)[:count], wanted[::-1] if flag else wanted)


def unpacked(c: i8, a: Nest, out: Ptr[f64]) -> None: ...


def test_structs_by_value(stream):
    kernel = stream.context.load_module(FOREIGN / "functions.ptx").kernel(unpacked)
    out = DeviceBuffer.zeros(stream, 5, f64)
    with unsafe("5 elements"):
        kernel.launch_unchecked(stream, LaunchConfig((1, 1, 1), (1, 1, 1)), -3, Nest(Pair(1.5, 7), i16(-2), f64(0.25)), out)
    assert out.to_host(stream).tolist() == [1.5, 7.0, -2.0, 0.25, -3.0]


def test_a_module_that_goes_while_its_kernel_runs(stream, arrays):
    x, y = arrays
    kernel = stream.context.load_module(FOREIGN / "functions.ptx").kernel(saxpy)
    with unsafe("1000 elements each"):
        for _ in range(20):
            kernel.launch_unchecked(stream, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), 1000, 1.0, x, y)
    del kernel
    np.testing.assert_array_equal(y.to_host(stream), 21 * np.arange(1000, dtype=np.float32))


@pytest.mark.parametrize("form", ["-cubin", "-fatbin", "-ptx"])
def test_modules_that_nvcc_writes(stream, arrays, tmp_path, form):
    x, y = arrays
    made(stream, (FOREIGN / "functions.cu").read_text(), form, tmp_path / "code")
    kernel = stream.context.load_module((tmp_path / "code").read_bytes()).kernel(saxpy)
    with unsafe("1000 elements each"):
        kernel.launch_unchecked(stream, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), 1000, 2.0, x, y)
    np.testing.assert_array_equal(y.to_host(stream), 3 * np.arange(1000, dtype=np.float32))


def test_modules_that_do_not_fit(stream, arrays, tmp_path):
    text = (FOREIGN / "functions.ptx").read_text()
    wrong = [(text.replace("mul", "mull"), "OX6004"), (text.replace(".version 7.0", ".version 99.0"), "OX6002")]
    wrong.append((text.replace("sm_75", "sm_120").replace(".version 7.0", ".version 9.0"), "OX6001"))
    for data, code in [(one.encode(), code) for one, code in wrong] + [
        (b"\x7fELF\x02\x01\x01" + bytes(11) + b"\xbe\x00" + bytes(200), "OX600")
    ]:
        with pytest.raises(DeviceError) as error:
            stream.context.load_module(data)
        assert error.value.code.startswith(code), error.value
    module = stream.context.load_module(text.encode())
    with pytest.raises(LaunchError) as unknown:
        module.kernel(symbol="saxpi")(saxpy)
    assert unknown.value.code == "OX0425"
    with pytest.raises(LaunchError) as other:
        module.kernel(symbol="saxpy")(reversed_)
    assert other.value.code == "OX0308", "the driver tells the parameters"
    test_kernels_of_a_loaded_module(stream, arrays)


@kernel
def scaled(x: Slice[f32], y: DisjointSlice[f32], by: f32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] * by


def scaled_there(x: Ptr[f32], x_len: i32, y: Ptr[f32], y_len: i32, by: f32, record: u64) -> None: ...


def test_a_kernel_of_ours_as_a_module(stream, arrays):
    """What `oxidepy build` writes is PTX like any other."""
    x, y = arrays
    text = scaled.ptx(stream.context.driver.target().arch)
    kernel = stream.context.load_module(text.encode()).kernel(symbol="scaled")(scaled_there)
    with unsafe("1000 elements each"):
        kernel.launch_unchecked(stream, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), x, 1000, y, 1000, 3.0, 0)
    np.testing.assert_array_equal(y.to_host(stream), 3 * np.arange(1000, dtype=np.float32))


MAIN = """#include <cstdio>
extern "C" __device__ float dist(float a, float b);
__global__ void k(float* o) { *o = dist(3, 4); }
int main() {
  float *d, h;
  cudaMalloc(&d, 4);
  k<<<1, 1>>>(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("%g\\n", h);
}
"""


def test_a_program_of_cuda_cpp(stream, tmp_path):
    """As the page says it: our PTX as an object, linked by nvcc."""
    (tmp_path / "dist.ptx").write_text(ptx(exports.dist, stream.context.driver.target().arch.removesuffix("a")))
    (tmp_path / "main.cu").write_text(MAIN)
    made(stream, None, "-dc", tmp_path / "dist.o", tmp_path / "dist.ptx")
    line = [str(shutil.which("nvcc")), f"-arch={architecture(stream)}", "-rdc=true", "main.cu", "dist.o", "-o", "main"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout == "5\n"
