"""DeviceBuffer: contents, views, dtypes, life, and everything that is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import BorrowError, DeviceBuffer, LaunchError, bf16, f16, f32, f64, i32, struct, u8


@struct
@dataclass(frozen=True)
class Inner:
    a: u8
    b: f64


@struct
@dataclass(frozen=True)
class Particle:
    tag: u8
    at: Inner
    alive: bool


DTYPES = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float32, np.float64]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(7,), (0,), (2, 3), (2, 0), (2, 3, 4)])
def test_round_trip(stream, dtype, shape):
    host = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    buffer = DeviceBuffer.from_host(stream, host)
    assert (buffer.shape, buffer.size, buffer.nbytes, len(buffer), buffer.dtype) == (shape, host.size, host.nbytes, shape[0], host.dtype)
    got = buffer.to_host(stream)
    assert got.dtype == host.dtype and got.shape == shape
    np.testing.assert_array_equal(got, host)


def test_the_host_array_is_free_at_once_and_need_not_be_contiguous(stream):
    host = np.arange(12, dtype=np.int32).reshape(3, 4)
    buffer = DeviceBuffer.from_host(stream, host.T)
    wanted = host.T.copy()
    host[:] = -1
    np.testing.assert_array_equal(buffer.to_host(stream), wanted)


def test_zeros_empty_like_fill_and_copies(stream):
    a = DeviceBuffer.zeros(stream, (2, 3), f64)
    assert not a.to_host(stream).any() and a.dtype == np.float64
    a.fill(stream, 2.5)
    b = DeviceBuffer.empty_like(stream, a)
    b.copy_from(stream, a)
    assert (b.to_host(stream) == 2.5).all() and b.shape == (2, 3)
    b.copy_from_host(stream, np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(b.to_host(stream), np.arange(6.0).reshape(2, 3))
    assert (a.to_host(stream) == 2.5).all()


@pytest.mark.parametrize(
    ("dtype", "value", "bits"),
    [
        (i32, -2, np.int32(-2)),
        (u8, 255, np.uint8(255)),
        (f16, 1.5, np.float16(1.5)),
        (ox.i64, 1 << 40, np.int64(1 << 40)),
        (bool, True, np.bool_(True)),
    ],
)
def test_fill_of_each_width(stream, dtype, value, bits):
    buffer = DeviceBuffer.empty(stream, 9, dtype)
    buffer.fill(stream, value)
    np.testing.assert_array_equal(buffer.to_host(stream), np.full(9, bits))


def test_structs_from_and_to_structured_arrays(stream):
    buffer = DeviceBuffer.zeros(stream, 3, Particle)
    host = np.zeros(3, buffer.dtype)
    host["tag"], host["at"]["b"], host["alive"] = [1, 2, 3], [0.5, 1.5, 2.5], [True, False, True]
    buffer.copy_from_host(stream, host)
    np.testing.assert_array_equal(buffer.to_host(stream), host)
    again = DeviceBuffer.from_host(stream, host)
    np.testing.assert_array_equal(again.to_host(stream), host)
    again.fill(stream, Particle(9, Inner(8, 7.0), True))
    assert again.to_host(stream)[2].tolist() == (9, (8, 7.0), True)


def test_views_share_memory(stream):
    whole = DeviceBuffer.from_host(stream, np.arange(10, dtype=np.int32))
    part = whole[2:5]
    part.fill(stream, 7)
    np.testing.assert_array_equal(whole.to_host(stream), [0, 1, 7, 7, 7, 5, 6, 7, 8, 9])
    np.testing.assert_array_equal(whole[-2:].to_host(stream), [8, 9])
    assert len(whole[7:3]) == 0 and len(whole[5:99]) == 5
    rows = DeviceBuffer.from_host(stream, np.arange(12, dtype=np.int32).reshape(4, 3))
    np.testing.assert_array_equal(rows[1:3].to_host(stream), [[3, 4, 5], [6, 7, 8]])
    np.testing.assert_array_equal(rows.reshape(12)[10:].to_host(stream), [10, 11])


def test_a_view_keeps_the_memory_alive(stream):
    part = DeviceBuffer.from_host(stream, np.arange(1000, dtype=np.int32))[10:12]
    DeviceBuffer.from_host(stream, np.zeros(1000, np.int32))
    np.testing.assert_array_equal(part.to_host(stream), [10, 11])


def _raises(error: type[Exception], text: str):
    return pytest.raises(error, match=text)


def test_release(stream):
    buffer = DeviceBuffer.zeros(stream, 4, f32)
    part = buffer[1:2]
    buffer.free(stream)
    assert "released" in repr(buffer)
    for use in (buffer.to_host, part.to_host, lambda s: buffer.fill(s, 1.0), buffer.free, part.free):
        with _raises(LaunchError, "OX2007.*released"):
            use(stream)


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda b, s: b[0], r"buffer\[0\].*cannot be read on the host(.|\n)*to_host\(stream\)\[0\]"),
        (lambda b, s: b[1, 2], r"buffer\[1, 2\]"),
        (lambda b, s: b[::2], "not be contiguous"),
        (lambda b, s: list(b), "gone through"),
        (lambda b, s: np.asarray(b), "no NumPy array"),
        (lambda b, s: b.__setitem__(0, 1.0), "cannot be written by element"),
        (lambda b, s: b.fill(s, "x"), "`fill` wants f32, got str 'x'"),
        (lambda b, s: b.fill(s, True), "got bool True"),
        (lambda b, s: b.fill(s, 1e39), "outside of"),
        (lambda b, s: b.fill(s, np.float64(1)), r"got numpy.float64\(1.0\)(.|\n)*np.float32"),
        (lambda b, s: b.copy_from_host(s, np.zeros(3, np.float32)), r"wants f32\[4\], got f32\[3\]"),
        (lambda b, s: b.copy_from_host(s, np.zeros(4)), r"wants f32\[4\], got f64\[4\]"),
        (lambda b, s: b.copy_from_host(s, [0, 1, 2, 3]), "takes a NumPy array, got list"),
        (lambda b, s: b.copy_from(s, np.zeros(4, np.float32)), "takes a DeviceBuffer"),
        (lambda b, s: b.reshape(5), "no shape"),
        (lambda b, s: DeviceBuffer.zeros(s, -1, f32), "no shape of a buffer"),
        (lambda b, s: DeviceBuffer.zeros(s, (1, 2, 3, 4), f32), "no shape of a buffer"),
        (lambda b, s: DeviceBuffer.zeros(s, "3", f32), "no shape"),
        (lambda b, s: DeviceBuffer.zeros(s, 3, int), "has no width(.|\n)*i32 or i64"),
        (lambda b, s: DeviceBuffer.zeros(s, 3, object), "no element type"),
        (lambda b, s: DeviceBuffer.zeros(s, 3, np.dtype(">f4")), r"no element type(.|\n)*array.astype\(np.float32\)"),
        (lambda b, s: DeviceBuffer.from_host(s, np.float32(3)), "NumPy array, got float32"),
        (lambda b, s: DeviceBuffer.from_host(b, np.zeros(3)), "the stream comes first"),
        (lambda b, s: DeviceBuffer.from_host(s.context, np.zeros(3)), "a Context is none"),
    ],
)
def test_refusals(stream, use, text):
    with _raises(LaunchError, text) as caught:
        use(DeviceBuffer.zeros(stream, 4, f32), stream)
    assert caught.value.code == "OX2007" and caught.value.diagnostic.help


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("copy_to_host", r": `buffer.to_host\(stream\)`"),
        ("numpy", r": `buffer.to_host\(stream\)`"),
        ("astype", ": convert"),
        ("nosuch", "$"),
    ],
)
def test_names_of_other_libraries(stream, name, help):
    with pytest.raises(AttributeError, match=f"a DeviceBuffer has no `{name}`{help}"):
        getattr(ox.DeviceBuffer.zeros(stream, 4, ox.f32), name)
    assert not hasattr(ox.DeviceBuffer, name)


def test_overlapping_copy(stream):
    buffer = DeviceBuffer.zeros(stream, 8, f32)
    with _raises(BorrowError, "OX0502"):
        buffer[0:4].copy_from(stream, buffer[2:6])
    buffer[0:4].copy_from(stream, buffer[4:8])


def test_other_devices_are_refused():
    cpu, interp = ox.Context("cpu").default_stream(), ox.Context("interp").default_stream()
    a, b = DeviceBuffer.zeros(cpu, 4, f32), DeviceBuffer.zeros(interp, 4, f32)
    for use in (lambda: a.copy_from(cpu, b), lambda: a.to_host(interp), lambda: a.free(interp)):
        with _raises(LaunchError, "OX2006"):
            use()


def test_bf16_needs_a_numpy_that_knows_it(stream):
    buffer = DeviceBuffer.zeros(stream, 4, bf16)
    assert buffer.nbytes == 8
    buffer.fill(stream, 1.0)
    assert buffer.context.driver is stream.driver


def test_memory_is_given_back(ctx):
    import gc

    stream = ctx.new_stream()
    driver = ctx.driver
    gc.collect()
    before = len(driver._memory)
    kept = [DeviceBuffer.zeros(stream, 100, f32) for _ in range(10)]
    assert len(driver._memory) == before + 10
    kept[0].free(stream)
    assert len(driver._memory) == before + 9
    part = kept[1][2:3]
    del kept
    gc.collect()
    assert len(driver._memory) == before + 1
    del part
    gc.collect()
    assert len(driver._memory) == before


def test_as_buffer_uses_host_memory_where_it_is_the_devices(monkeypatch):
    monkeypatch.setenv("OXIDEPY_DEVICE", "cpu")
    array = np.arange(5, dtype=np.float32)
    buffer = ox.as_buffer(array, f32)
    stream = ox.Context().default_stream()
    buffer.fill(stream, 3.0)
    assert (array == 3).all() and ox.as_buffer(buffer, f32) is buffer
    array.setflags(write=False)
    with _raises(LaunchError, "read-only"):
        ox.as_buffer(array).fill(stream, 1.0)
    for wrong, text in ((array[::2], "not C-contiguous"), (np.zeros((1, 1, 1, 1), np.float32), "4 axes"), ("x", "no array")):
        with _raises(LaunchError, text):
            ox.as_buffer(wrong)
    with _raises(LaunchError, "wants f64, got an array of f32"):
        ox.as_buffer(array, f64)
    misaligned = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float32)
    with _raises(LaunchError, "not a multiple of 4"):
        ox.as_buffer(misaligned)


@pytest.mark.parametrize("shape", [1 << 62, 1 << 70, (1 << 32, 1 << 32), (1 << 62, 2)])
def test_more_than_any_memory(stream, shape):
    for make in (ox.DeviceBuffer.zeros, ox.DeviceBuffer.empty):
        with pytest.raises(ox.DeviceError) as caught:
            make(stream, shape, f32)
        assert caught.value.code == "OX6004"


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda stream: ox.DeviceBuffer.zeros(stream, b"ab", f32), "b'ab' is no shape"),
        (lambda stream: ox.DeviceBuffer.zeros(stream, True, f32), "True is no shape"),
        (lambda stream: ox.DeviceBuffer.from_host(stream, np.ma.masked_array(np.zeros(2, np.float32), [0, 1])), "takes no masked array"),
        (lambda stream: ox.DeviceBuffer.from_host(stream, np.zeros(2, np.dtype([]))), "has no fields"),
    ],
)
def test_odd_shapes_and_arrays(stream, use, text):
    with pytest.raises(ox.LaunchError) as caught:
        use(stream)
    assert caught.value.code == "OX2007" and text in caught.value.diagnostic.message


def test_reshape_takes_a_tuple_too(stream):
    whole = ox.DeviceBuffer.zeros(stream, 12, f32)
    assert whole.reshape((3, 4)).shape == whole.reshape(3, 4).shape == (3, 4)
    assert whole.reshape((12,)).shape == whole.reshape(12).shape == (12,)


def test_a_context_has_a_name():
    with pytest.raises(ox.LaunchError) as caught:
        ox.Context(0)
    assert caught.value.code == "OX6003" and "0 is not" in caught.value.diagnostic.message
