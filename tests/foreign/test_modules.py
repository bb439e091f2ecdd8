"""`Context.load_module`: code of other compilers on a driver that is none; what a GPU does is in tests/gpu."""

# pyright: basic
from __future__ import annotations

import ctypes
import gc
import struct as struct_
from pathlib import Path

import pytest
from foreign.programs import Nest, Pair
from foreign.test_linking import CUBIN
from runtime.test_cuda_driver import ctx, fake, stream

import oxidepy as ox
from oxidepy import CompileError, DeviceBuffer, DeviceError, LaunchConfig, LaunchError, Ptr, Slice, f32, f64, i8, i16, i32, u8, u64, unsafe
from oxidepy.ir.images import entries

__all__ = ["ctx", "fake", "stream"]
FILE = Path(__file__).with_name("functions.ptx")
ONE = LaunchConfig(grid=(1, 1, 1), block=(64, 1, 1))


def saxpy(n: i32, a: f32, x: Ptr[f32], y: Ptr[f32]) -> None: ...


@pytest.fixture
def module(fake, ctx):
    fake.parameters = [4, 4, 8, 8]
    return ctx.load_module(FILE)


def test_a_kernel_gets_its_values(fake, ctx, stream, module):
    kernel = module.kernel(saxpy)
    ((data, count, options, _),) = fake.named("cuModuleLoadDataEx")
    assert data == FILE.read_bytes() + b"\0" and count == len(options) == 2
    assert fake.named("cuModuleGetFunction")[-1][1] == b"saxpy" and repr(kernel).startswith("<kernel saxpy of ")
    x, y = DeviceBuffer.zeros(stream, (2, 50), f32), DeviceBuffer.zeros(stream, 100, f32)
    seen = []

    def look(params):
        slots = (ctypes.c_void_p * 4).from_address(params)
        kinds = (ctypes.c_int32, ctypes.c_float, ctypes.c_uint64, ctypes.c_uint64)
        seen.append([kind.from_address(slot).value for kind, slot in zip(kinds, slots, strict=True)])

    fake.on_launch = look
    for a in (2.0, 3.5):
        with unsafe("100 elements each"):
            kernel.launch_unchecked(stream, LaunchConfig(grid=(2, 3, 1), block=(64, 2, 1), dynamic_shared=512), 100, a, x, y=y)
    assert seen == [[100, 2.0, x.address, y.address], [100, 3.5, x.address, y.address]]
    assert fake.named("cuLaunchKernel")[0][1:8] == (2, 3, 1, 64, 2, 1, 512)


def unpacked(c: i8, a: Nest, out: Ptr[f64]) -> None: ...


def test_structs_go_by_value(fake, ctx, stream):
    fake.parameters = [1, 24, 8]
    kernel = ctx.load_module(FILE).kernel(unpacked)
    out = DeviceBuffer.zeros(stream, 5, f64)
    seen = []

    def look(params):
        slots = (ctypes.c_void_p * 3).from_address(params)
        place = ctypes.c_uint64.from_address(slots[2]).value
        seen.append((ctypes.c_int8.from_address(slots[0]).value, ctypes.string_at(slots[1], 24), place))

    fake.on_launch = look
    for c in (-3, 5):
        with unsafe("5 elements"):
            kernel.launch_unchecked(stream, ONE, c, Nest(Pair(1.5, 7), i16(-2), f64(0.25)), out)
    assert seen == [(c, struct_.pack("<fihxxxxxxd", 1.5, 7, -2, 0.25), out.address) for c in (-3, 5)]


def test_it_stays_as_long_as_a_kernel_of_it(fake, ctx, stream):
    fake.parameters = [4, 4, 8, 8]
    kernel = ctx.load_module(FILE).kernel(symbol="saxpy")(saxpy)
    gc.collect()
    x = DeviceBuffer.zeros(stream, 8, f32)
    with unsafe("8 elements each"):
        kernel.launch_unchecked(stream, ONE, 8, 1.0, x, x)
    assert not fake.named("cuModuleUnload")
    before = len(ctx.driver.modules)
    fake.calls.clear()
    del kernel
    gc.collect()
    assert [name for name, _ in fake.calls if name.startswith(("cuCtxSync", "cuModule"))] == ["cuCtxSynchronize", "cuModuleUnload"]
    assert len(ctx.driver.modules) == before - 1


@pytest.mark.parametrize(("kind", "data"), [("cubin", CUBIN), ("fatbin", b"\x50\xed\x55\xba" + bytes(60))])
def test_binaries_are_loaded_as_they_are(fake, ctx, kind, data):
    assert ctx.load_module(data).image.kind == kind
    assert fake.named("cuModuleLoadDataEx")[0][0] == data


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [(200, "OX6004", "does not take `the bytes`"), (209, "OX6001", "has no code for this device"), (222, "OX6002", "too old for the PTX")],
)
def test_code_that_the_driver_refuses(fake, ctx, status, code, words):
    fake.fail["cuModuleLoadDataEx"] = [status]
    with pytest.raises(DeviceError) as error:
        ctx.load_module(CUBIN)
    assert error.value.code == code and words in str(error.value)
    ctx.load_module(CUBIN)  # the context is as it was


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"nothing", "is no device code"), (b"!<arch>\n", "is a library"), (CUBIN.replace(b"\xbe", b"\x3e"), "a relocatable object")],
)
def test_what_no_driver_loads(ctx, data, words):
    with pytest.raises(DeviceError) as error:
        ctx.load_module(data)
    assert error.value.code == "OX6001" and words in str(error.value)


def test_a_file_that_is_not_there(ctx):
    with pytest.raises(LaunchError) as error:
        ctx.load_module("nowhere.ptx")
    assert error.value.code == "OX8010" and "`nowhere.ptx`" in str(error.value) and error.value.diagnostic.span is not None


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_only_on_cuda_devices(device):
    with pytest.raises(DeviceError) as error:
        ox.Context(device).load_module(FILE)
    assert error.value.code == "OX6001" and "needs a CUDA device" in str(error.value)


def test_a_kernel_that_is_not_there(fake, module):
    fake.fail["cuModuleGetFunction"] = [500]
    with pytest.raises(LaunchError) as error:
        module.kernel(symbol="saxpi")(saxpy)
    assert error.value.code == "OX0425" and "did you mean `saxpy`?" in str(error.value)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([4, 8, 8, 8], "takes parameters of 4, 8, 8, 8 bytes, and is declared with 4, 4, 8, 8"),
        ([4, 4, 8], "takes parameters of 4, 4, 8 bytes"),
        ([], "takes parameters of none bytes"),
        ([4, 4, 8, 8, 8], "write `record: u64` there, and give 0"),
    ],
)
@pytest.mark.parametrize("counted", [True, False])
def test_other_parameters(fake, ctx, sizes, words, counted):
    fake.parameters = sizes
    if not counted:
        fake.fail["cuFuncGetParamCount"] = [801]
    with pytest.raises(LaunchError) as error:
        ctx.load_module(CUBIN).kernel(saxpy)
    assert error.value.code == "OX0308" and words in str(error.value)
    asked = [number for _, number in fake.named("cuFuncGetParamInfo")]
    assert asked == list(range(len(sizes) + (not counted)))  # compute-sanitizer reports a question behind the last one


@pytest.mark.parametrize("taken", [0, 1, 5])
def test_ptx_says_itself_how_many_parameters_there_are(fake, ctx, taken):
    listed = ", ".join(f".param .u64 .ptr .global .align 4 saxpy_{number}" for number in range(taken))
    ptx = f".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry saxpy({listed}) {{ ret; }}\n.visible .entry bare {{ ret; }}\n"
    fake.parameters = [8] * taken
    with pytest.raises(LaunchError, match=f"takes parameters of {', '.join(['8'] * taken) or 'none'} bytes"):
        ctx.load_module(ptx.encode()).kernel(saxpy)
    assert [number for _, number in fake.named("cuFuncGetParamInfo")] == list(range(taken)) and not fake.named("cuFuncGetParamCount")
    assert entries(ptx.encode()) == {"saxpy": taken, "bare": 0}


def test_a_driver_that_does_not_say_is_believed(fake, module):
    fake.fail["cuFuncGetParamInfo"] = [801]
    assert module.kernel(saxpy).symbol == "saxpy"


def slices(x: Slice[f32]) -> None: ...


def bodied(n: u64, flag: bool, b: u8) -> None:
    n += 1


def gives(n: i32) -> i32: ...


def bare(n) -> None: ...


@pytest.mark.parametrize(("stub", "code"), [(slices, "OX1002"), (bodied, "OX0658"), (gives, "OX1003"), (bare, "OX1001")])
def test_signatures_that_are_refused(module, stub, code):
    with pytest.raises(CompileError) as error:
        module.kernel(stub)
    assert [one.code for one in error.value.diagnostics] == [code]


@pytest.mark.parametrize("source", ["a\0.ptx", "\ud800.ptx", None, bytearray(b".version 7.0"), 3])
def test_what_is_no_place_of_a_file(ctx, source):
    with pytest.raises(LaunchError, match="takes a file or bytes, not") as error:
        ctx.load_module(source)
    assert error.value.code == "OX2007"


@pytest.mark.parametrize("symbol", ["", "a\0", "\ud800", 3, b"saxpy"])
def test_what_is_no_symbol(module, symbol):
    with pytest.raises(LaunchError, match="is no symbol of a kernel") as error:
        module.kernel(symbol=symbol)
    assert error.value.code == "OX1007"


def test_launches_that_are_refused(fake, ctx, stream, module):
    kernel = module.kernel(saxpy)
    x = DeviceBuffer.zeros(stream, 8, f32)
    with pytest.raises(LaunchError, match="needs an unsafe block") as error:
        kernel.launch_unchecked(stream, ONE, 8, 1.0, x, x)
    assert error.value.code == "OX0133"
    for wrong in (lambda: kernel(8, 1.0, x, x), lambda: kernel[1, 64]):
        with pytest.raises(LaunchError, match=r"saxpy\.launch_unchecked\(stream, LaunchConfig\(grid, block\), n, a, x, y\)") as error:
            wrong()
        assert error.value.code == "OX2009"
    wide = DeviceBuffer.zeros(stream, 8, ox.f64)
    with unsafe("they are refused"):
        for args, words in (
            ((8, 1.0, x), "lacks `y`"),
            ((8, 1.0, x, wide), "wants Ptr"),
            ((2**40, 1.0, x, x), "wants i32"),
            ((8, 1.0, 3, x), "`x`"),
        ):
            with pytest.raises(LaunchError, match=words) as error:
                kernel.launch_unchecked(stream, ONE, *args)
            assert error.value.code == "OX2007"
        with pytest.raises(LaunchError, match=r"`saxpy\.launch_unchecked\(stream, config, n, a, x, y\)`"):
            kernel.launch_unchecked(stream, ONE, 8, 1.0, x, x, x)
        for config in (None, 8, (1, 64), [1, 64]):
            with pytest.raises(LaunchError, match="takes a launch configuration behind the stream, got") as error:
                kernel.launch_unchecked(stream, config, 8, 1.0, x, x)
            assert error.value.code == "OX2007"
        with pytest.raises(LaunchError) as error:
            kernel.launch_unchecked(stream, LaunchConfig(grid=(1, 1, 1), block=(2048, 1, 1)), 8, 1.0, x, x)
        assert error.value.code == "OX2003"
        with pytest.raises(LaunchError) as error:
            kernel.launch_unchecked(ox.Context("cpu").default_stream(), ONE, 8, 1.0, x, x)
        assert error.value.code == "OX2006"
    assert not fake.named("cuLaunchKernel")
