"""Calls of the public names with arguments that lack, are too many, or are of the wrong kind: each is a coded error with the way out."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, i32, kernel, launch_contract, struct, thread, tma  # noqa: F401 - the calls name them


@kernel
def k(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]


# call → what the message says | what its help says
WRONG = {
    "ox.DeviceBuffer.zeros(100, f32)": "lacks the argument `dtype` | the stream comes first: `DeviceBuffer.zeros(stream, shape, dtype)`",
    "ox.DeviceBuffer.zeros(s, 100)": "lacks the argument `dtype` | write `DeviceBuffer.zeros(stream, shape, dtype)`",
    "ox.DeviceBuffer.zeros()": "lacks the argument `stream`",
    "ox.DeviceBuffer.zeros(s, 100, f32, 1)": "takes 3 arguments, and is given 4",
    "ox.DeviceBuffer.zeros(s, 100, dtyp=f32)": "has no parameter `dtyp` | did you mean `dtype`?",
    "ox.DeviceBuffer.zeros(s, 100, f32, shape=1)": "is given `shape` twice",
    "ox.DeviceBuffer.from_host(a)": "the stream comes first: `DeviceBuffer.from_host(stream, array)`",
    "ox.DeviceBuffer.empty_like(b)": "the stream comes first: `DeviceBuffer.empty_like(stream, other)`",
    "ox.DeviceBuffer.empty_like(s, a)": "takes a DeviceBuffer, not ndarray | `DeviceBuffer.empty(stream, array.shape, array.dtype)`",
    "ox.DeviceBuffer(8, f32)": "make one with `DeviceBuffer.zeros(stream, shape, dtype)`",
    "b.fill(0)": "the stream comes first: `buffer.fill(stream, value)`",
    "b.copy_from_host(a)": "the stream comes first: `buffer.copy_from_host(stream, array)`",
    "b.copy_from(b)": "the stream comes first: `buffer.copy_from(stream, other)`",
    "b.to_host()": "lacks the argument `stream` | write `buffer.to_host(stream)`",
    "b.free()": "write `buffer.free(stream)`",
    "b.reinterpret()": "write `buffer.reinterpret(dtype)`",
    "ox.Context(device='cpu')": "has no parameter `device`",
    "ox.Context('cpu', 1)": "`Context` takes 0 to 1 arguments, and is given 2",
    "ox.Stream()": "`Context().default_stream()` is one",
    "s.wait()": "write `stream.wait(event)`",
    "s.wait(s)": "`wait` takes an Event, not Stream | `stream.wait(other.record())`",
    "s.record(1)": "`stream.record` takes 0 arguments, and is given 1",
    "s.record().elapsed_ms(3)": "`elapsed_ms` takes an Event, not int | `stream.record()` makes one",
    "ox.LaunchConfig1D(1)": "`LaunchConfig1D` lacks the argument `block`",
    "ox.LaunchConfig1D(1, 32, 0, True)": "takes 2 to 3 arguments, and is given 4",
    "ox.LaunchConfig1D(1.5, 32)": "`grid` is made of ints, and this is 1.5 | `grid=int(1.5)`",
    "ox.LaunchConfig1D(grid=1, blok=32)": "did you mean `block`?",
    "ox.LaunchConfig1D.for_num_elems('a')": "`n` is made of ints, and this is 'a'",
    "ox.LaunchConfig2D(1, 32)": "`grid` must be 2 ints, not 1 | `LaunchConfig2D((x, y), (x, y))`",
    "ox.LaunchConfig2D.for_shape((3, 4))": "write `LaunchConfig2D.for_shape(rows, cols)`",
    "ox.LaunchConfig(1, 32)": "`grid` must be 3 ints, not 1",
    "k.launch()": "the stream comes first, and there is none",
    "k.launch(b, b)": "the stream comes first, and DeviceBuffer is none",
    "k.prepare(8)": "write `kernel.prepare(context, config)`",
    "k.prepare(ctx, config=8)": "is given `config` by its name, and takes it by its place",
    "k.prepare(ctx, 8)()": "the stream comes first, and there is none",
    "k.ptx(90)": "did you mean `sm_90`?",
    "ox.is_available()": "write `is_available(kind)`",
    "ox.Context('gpu')": "'gpu' is not a device",
    "ox.as_buffer()": "write `as_buffer(array)`",
    "ox.cdiv(1)": "write `cdiv(a, b)`",
    "ox.cdiv(1.5, 2)": "`cdiv` takes ints, not 1.5",
    "ox.next_power_of_2('a')": "takes ints, not 'a'",
    "tma.tensor_map(b)": "write `tma.tensor_map(buffer, box)`",
    "tma.im2col_map(b)": "write `tma.im2col_map(buffer, box)`",
    "ctx.load_module()": "write `ctx.load_module(source)`",
    "ctx.load_module(3)": "takes a file or bytes, not int | `ctx.load_module(path)`",
    "ox.LoadedModule(ctx)": "load it: `ctx.load_module(file)`",
    "ox.LoadedKernel.launch_unchecked(k, s, n=3)": "lacks the argument `config` | write `kernel.launch_unchecked(stream, config)`",
    "ox.Context.synchronize()": "`ctx.synchronize` lacks the argument `self`",
    "ox.extern('f.ptx', symbl='f')": "has no parameter `symbl` | did you mean `symbol`?",
    "ox.export(symbl='f')": "did you mean `symbol`?",
    "ox.KernelFamily('x')": "write `KernelFamily(name, variants)`",
    "launch_contract(domain=1, blok=(1, 1, 1))": "did you mean `block`?",
    "ox.launch_bounds()": "write `launch_bounds(max_threads)`",
    "kernel(name=3)": "`name` of `kernel` is 3, which is no str",
    "kernel(fmad='no')": "`fmad` of `kernel` is 'no', which is no bool | write `kernel(fmad=True)`",
    "struct(3)": "`@struct` stands on int, which is no class",
    "ox.unsafe()": "`unsafe` needs the reason",
    "f32('x')": "`f32` takes a number, not 'x'",
    "i32(None)": "`i32` takes a number, not NoneType",
    "f64([1])": "`DeviceBuffer.zeros(stream, shape, f64)`",
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call(call: str) -> None:
    ctx = ox.Context("interp")
    s, a = ctx.default_stream(), np.zeros(8, np.float32)
    b = ox.DeviceBuffer.from_host(s, a)
    with pytest.raises(ox.OxideError) as raised:
        eval(call, globals(), {"ctx": ctx, "s": s, "a": a, "b": b})
    (found,) = raised.value.found
    said = f"{found.message} | {found.help}"
    assert found.code in ("OX2007", "OX2001", "OX1007", "OX6003", "OX6001", "OX1002", "OX0133", "OX0308")
    assert all(part in said for part in WRONG[call].split(" | ")), said


def test_an_error_of_the_function_itself_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise TypeError("inside")

    monkeypatch.setattr("oxidepy.runtime.buffer.shape_of", broken)
    with pytest.raises(TypeError, match="inside"):
        ox.DeviceBuffer.zeros(ox.Context("interp").default_stream(), 8, f32)
