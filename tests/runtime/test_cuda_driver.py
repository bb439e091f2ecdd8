"""The logic of the CUDA driver on a driver made of Python: order of calls, errors, records, the cubin's cache, the end.

What a GPU really does is tested in tests/gpu.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from fake_cuda import FakeCuda

import oxidepy as ox
from oxidepy import (
    D1,
    D2,
    DeviceBuffer,
    DeviceError,
    DevicePanic,
    DisjointSlice,
    LaunchError,
    Runs,
    Slice,
    block,
    cluster_launch,
    cooperative_launch,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    shared,
    struct,
    thread,
    tma,
    unsafe,
)
from oxidepy.backend import panic as layout
from oxidepy.cache import Cache
from oxidepy.runtime import context as contexts
from oxidepy.runtime import interop
from oxidepy.runtime.cuda import ahead, api, link, waiting
from oxidepy.runtime.cuda.driver import CudaDriver
from oxidepy.runtime.memory import Memory


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def shifted(x: Slice[f32], y: DisjointSlice[f32], by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[i32(x[idx]) + by]  # a check that stays: its index is loaded


def _real():
    return pytest.importorskip("cuda.bindings.driver", reason="the package cuda-python is not installed")


@pytest.fixture
def fake(monkeypatch):
    cu = FakeCuda(_real())
    monkeypatch.setattr(api, "bindings", lambda: cu)
    monkeypatch.setattr(api, "started", lambda: cu)
    monkeypatch.setattr(link, "bindings", lambda: cu)
    monkeypatch.setattr(ahead, "begin", lambda name, work: None)  # its calls would come at any time
    return cu


@pytest.fixture
def ctx(fake):
    """A context of its own beside those of the process."""
    context = object.__new__(ox.Context)
    context.name, context.driver, context.kind, context._default = "cuda:0", CudaDriver(0), "cuda", None
    yield context
    context.driver.close()


@pytest.fixture
def stream(ctx):
    return ctx.new_stream()


def test_what_the_device_says(ctx):
    assert ctx.compute_capability == (9, 0) and ctx.description == "Fake GPU" and ctx.limits.max_block == (1024, 1024, 64)
    assert ctx.driver.target().arch == "sm_90a"


def test_buffers(fake, stream):
    host = np.arange(10, dtype=np.float32)
    buffer = DeviceBuffer.from_host(stream, host)
    np.testing.assert_array_equal(buffer.to_host(stream), host)
    buffer.fill(stream, 2.5)
    np.testing.assert_array_equal(buffer.to_host(stream), np.full(10, 2.5))
    wide = DeviceBuffer.zeros(stream, 3, ox.f64)
    wide.fill(stream, 1.1)
    np.testing.assert_array_equal(wide.to_host(stream), np.full(3, 1.1))
    half = DeviceBuffer.zeros(stream, 3, ox.f16)
    half.fill(stream, 1.5)
    np.testing.assert_array_equal(half.to_host(stream), np.full(3, 1.5))
    interface = buffer[2:4].__cuda_array_interface__
    assert interface["data"] == (buffer.address + 8, False) and interface["typestr"] == "<f4" and interface["stream"] == int(stream.handle)
    assert stream.__cuda_stream__() == (0, int(stream.handle))


def test_odd_structs_are_filled_by_bytes(stream):
    from dataclasses import dataclass

    @struct
    @dataclass(frozen=True)
    class Three:
        a: ox.u8
        b: ox.u8
        c: ox.u8

    buffer = DeviceBuffer.zeros(stream, 5, Three)
    buffer.fill(stream, Three(1, 2, 3))
    assert buffer.to_host(stream).tolist() == [(1, 2, 3)] * 5


def test_a_launch_hands_over_the_values(fake, ctx, stream):
    x, y = DeviceBuffer.zeros(stream, 100, f32), DeviceBuffer.zeros(stream, 90, f32)
    seen = []

    def look(params):
        slots = (ctypes.c_void_p * 6).from_address(params)
        types = (ctypes.c_uint64, ctypes.c_int32, ctypes.c_uint64, ctypes.c_int32, ctypes.c_int32, ctypes.c_uint64)
        seen.append([kind.from_address(slot).value for kind, slot in zip(types, slots, strict=True)])

    fake.on_launch = look
    for by in (-3, 4):
        shifted.launch(stream, x, y, by)
    (record,) = stream.records.values()
    assert seen == [[x.address, 100, y.address, 90, by, record.device] for by in (-3, 4)]
    call = fake.named("cuLaunchKernel")[-1]
    assert call[1:9] == (2, 1, 1, 64, 1, 1, 0, stream.handle)
    attributes = shifted.prepare(ctx, 90).attributes
    assert (attributes.registers, attributes.spills, attributes.occupancy) == (18, 24, 0.5)


def _fail(params, count=6):
    slots = (ctypes.c_void_p * count).from_address(params)
    record = ctypes.c_uint64.from_address(slots[count - 1]).value
    for offset, value in ((layout.CLAIM, 1), (layout.SITE, 0), (layout.THREAD, 5), (layout.BLOCK, 1), (layout.READY, 1)):
        ctypes.c_uint32.from_address(record + offset).value = value
    ctypes.c_int64.from_address(record + layout.INDEX).value = 100
    ctypes.c_int64.from_address(record + layout.LENGTH).value = 100


def test_panics(fake, stream):
    x, y = DeviceBuffer.zeros(stream, 100, f32), DeviceBuffer.zeros(stream, 100, f32)
    shifted.launch(stream, x, y, 0)
    stream.synchronize()
    fake.on_launch = _fail
    shifted.launch(stream, x, y, 1)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert (caught.value.block, caught.value.thread, caught.value.index) == ((1, 0, 0), (5, 0, 0), 100)
    assert caught.value.line == shifted.definition.function.__code__.co_firstlineno + 5
    stream.synchronize()
    shifted.launch(stream, x, y, 1)
    launches = len(fake.named("cuLaunchKernel"))
    with pytest.raises(DevicePanic):
        shifted.launch(stream, x, y, 0)
    assert len(fake.named("cuLaunchKernel")) == launches
    fake.on_launch = None
    shifted.launch(stream, x, y, 0)
    y.to_host(stream)


def test_records_of_a_collected_stream_are_used_again(fake, ctx, capsys):
    for turn in range(100):
        stream = ctx.new_stream()
        x, y = DeviceBuffer.zeros(stream, 100, f32), DeviceBuffer.zeros(stream, 100, f32)
        fake.on_launch = _fail if turn == 50 else None
        shifted.launch(stream, x, y, 0)
        del stream, x, y
        ctx.new_stream().synchronize()
    assert len(ctx.driver._pages) == 1
    assert capsys.readouterr().err.count("OX7001") == 1


def test_use_on_another_stream_waits_by_event(fake, ctx):
    first, second = ctx.new_stream(), ctx.new_stream()
    x, y = DeviceBuffer.zeros(first, 100, f32), DeviceBuffer.zeros(first, 100, f32)
    shifted.launch(first, x, y, 0)
    fake.calls.clear()
    shifted.launch(second, x, y, 0)
    order = [name for name, _ in fake.calls if name in ("cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel")]
    assert order == ["cuEventRecord", "cuStreamWaitEvent"] * 2 + ["cuLaunchKernel"]
    assert {args[1] for args in fake.named("cuEventRecord")} == {first.handle} and {
        args[0] for args in fake.named("cuStreamWaitEvent")
    } == {second.handle}
    fake.calls.clear()
    shifted.launch(second, x, y, 0)
    assert not fake.named("cuStreamWaitEvent")
    x.free(first)
    assert fake.named("cuMemFreeAsync") == [(x.address, first.handle)] and len(fake.named("cuStreamWaitEvent")) == 1
    fake.calls.clear()
    address = y.address
    del y
    assert fake.named("cuMemFreeAsync") == [(address, second.handle)]  # in the order of the stream that used it last


def test_memory_shortage_gives_the_reserve_back_first(fake, ctx, stream):
    fake.fail["cuMemAllocFromPoolAsync"] = [2]
    DeviceBuffer.zeros(stream, 10, f32)
    assert fake.named("cuMemPoolTrimTo") == [("pool", 0)]
    fake.fail["cuMemAllocFromPoolAsync"] = [2, 2]
    with pytest.raises(DeviceError, match="40 bytes of memory: CUDA_ERROR_OUT_OF_MEMORY") as caught:
        DeviceBuffer.zeros(stream, 10, f32)
    assert caught.value.code == "OX6004" and ctx.driver.lost is None
    DeviceBuffer.zeros(stream, 10, f32)


def test_a_sticky_error_loses_the_device(fake, ctx, stream):
    buffer = DeviceBuffer.zeros(stream, 10, f32)
    fake.fail["cuStreamQuery"] = [700]
    with pytest.raises(DeviceError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
        stream.synchronize()
    for use in (stream.synchronize, lambda: buffer.to_host(stream), ctx.new_stream, lambda: shifted.launch(stream, buffer, buffer, 0)):
        with pytest.raises(DeviceError, match="was lost by CUDA_ERROR_ILLEGAL_ADDRESS"):
            use()
    calls = len(fake.calls)
    DeviceBuffer.__init__(buffer, ctx_memory(stream), 0, buffer._element, (0,))
    assert len(fake.calls) == calls  # the memory is gone from here, and nothing more is asked of the driver


def ctx_memory(stream):
    """Memory of no bytes, in place of a buffer's own."""
    return Memory(stream.context, 0, 0, stream)


def test_waits(fake, ctx, stream, monkeypatch):
    fake.fail["cuStreamQuery"] = [600] * 5
    stream.synchronize()
    monkeypatch.setenv("OXIDEPY_TIMEOUT", "0.05")
    stream.last_kernel = "slow"
    fake.fail["cuStreamQuery"] = [600] * 10_000
    with pytest.raises(DeviceError, match=r"the kernel `slow` did not end within 0.05 s") as caught:
        stream.synchronize()
    assert caught.value.code == "OX6005" and stream.abandoned
    fake.fail["cuStreamQuery"] = []
    stream.synchronize()
    assert not stream.abandoned
    event = stream.record()
    assert event.elapsed_ms(event) == 1.5


def test_other_threads_wait_in_the_driver(monkeypatch):
    import threading

    got = []
    one = threading.Thread(target=lambda: got.append(waiting.until_done(lambda: 600, lambda: 0, None)))
    one.start()
    one.join(10)
    assert got == [0]


def test_the_cubin_is_kept_by_device_and_driver(fake, tmp_path):
    cache = Cache(tmp_path, 1 << 20)
    keys = {
        link.cubin_key(b"ptx", *rest)
        for rest in ((d, c, v, i) for d in ("a", "b") for c in ((9, 0), (8, 0)) for v in (12080, 13000) for i in (True, False))
    }
    assert len(keys) == 16 and link.cubin_key(b"other", "a", (9, 0), 13000, True) not in keys
    key = keys.pop()
    first = link.link_cached(b"ptx", key, True, cache)
    assert (first.cubin, first.facts, first.cached) == (b"cubin!", {"registers": 18, "spills": 24, "stack": 0, "frame": 0}, False)
    again = link.link_cached(b"ptx", key, True, Cache(tmp_path, 1 << 20))
    assert (again.cubin, again.facts, again.cached) == (b"cubin!", first.facts, True)
    assert len(fake.named("cuLinkComplete")) == 1 and len(fake.named("cuLinkDestroy")) == 1


def test_the_driver_compiles_each_time_anew(fake):
    for _ in range(2):
        link.link(b"ptx", False)
    texts = {call[2] for call in fake.named("cuLinkAddData")}
    assert len(texts) == 2 and all(text.startswith(b"ptx\n// ") and text.endswith(b"\0") for text in texts)


def test_a_driver_that_is_too_old(fake):
    fake.fail["cuLinkAddData"] = [222]
    with pytest.raises(DeviceError) as caught:
        link.link(b"ptx", True)
    assert caught.value.code == "OX6002" and len(fake.named("cuLinkDestroy")) == 1


def test_the_end_gives_everything_back_in_order(fake, ctx):
    stream, other = ctx.new_stream(), ctx.new_stream()
    x, y = DeviceBuffer.zeros(stream, 10, f32), DeviceBuffer.zeros(stream, 10, f32)
    shifted.launch(stream, x, y, 0)
    event = stream.record()
    fake.calls.clear()
    ctx.driver.close()
    ended = [name for name, _ in fake.calls]
    order = ["cuCtxSynchronize", "cuEventDestroy", "cuModuleUnload", "cuMemFreeHost", "cuMemPoolDestroy", "cuDevicePrimaryCtxRelease"]
    places = [ended.index(name) for name in order]
    assert places == sorted(places) and ended.count("cuStreamDestroy") == 2
    calls = len(fake.calls)
    del x, y, event, stream, other
    assert len(fake.calls) == calls
    with pytest.raises(DeviceError, match="has been closed"):
        ctx.new_stream()


def test_a_given_up_launch_is_not_waited_for_at_the_end(fake, ctx):
    stream = ctx.new_stream()
    stream.abandoned = True
    fake.calls.clear()
    ctx.driver.close()
    assert not fake.calls


def test_two_devices_keep_the_current_context(fake, monkeypatch):
    fake.devices = 2
    driver = CudaDriver(1)
    fake.calls.clear()
    with driver.current():
        assert fake.named("cuCtxPushCurrent") == [(0xC001,)] and not fake.named("cuCtxPopCurrent")
    assert len(fake.named("cuCtxPopCurrent")) == 1
    driver.close()


def test_a_fork_ends_the_use_of_cuda(fake, ctx):
    ctx.driver.after_fork()
    with pytest.raises(DeviceError, match=r"CUDA does not survive a fork.*spawn") as caught:
        ctx.new_stream()
    assert caught.value.code == "OX6004" and caught.value.diagnostic.message == contexts.FORKED


def test_memory_of_other_libraries(fake, ctx, stream):
    class Array:
        def __init__(self, address, **more):
            self.__cuda_array_interface__ = {"shape": (100,), "typestr": "<f4", "data": (address, False), "version": 3, **more}

    x, y = DeviceBuffer.zeros(stream, 100, f32), DeviceBuffer.zeros(stream, 100, f32)
    seen = []
    fake.on_launch = lambda params: seen.append(ctypes.c_uint64.from_address(ctypes.c_void_p.from_address(params).value).value)
    shifted.launch(stream, Array(x.address), y, 0)
    assert seen == [x.address]
    for wrong, text in (
        (Array(x.address, strides=(8,)), "not C-contiguous"),
        (Array(x.address + 2), "not a multiple of 4"),
        (Array(x.address, typestr="<f8"), "got a buffer of f64"),
        (Array(x.address, shape=(10, 10)), "2 axes"),
    ):
        with pytest.raises(LaunchError, match=text) as caught:
            shifted.launch(stream, wrong, y, 0)
        assert caught.value.code == "OX2007"
    with pytest.raises(LaunchError, match="read-only memory"):
        shifted.prepare(ctx, 100)(stream, x, Array(y.address, data=(y.address, True)), 0)
    fake.calls.clear()
    shifted.launch(stream, x, y, 0)
    assert not fake.named("cuMemFreeAsync")


def test_kept_code_that_the_driver_does_not_take_is_linked_anew(fake, ctx, stream):
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def ones(y: DisjointSlice[f32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = 1.0

    y = DeviceBuffer.zeros(stream, 100, f32)
    ones.launch(stream, y)
    ones._loaded.clear(), ones._prepared.clear()
    fake.calls.clear()
    fake.fail["cuModuleLoadData"] = [200]
    ones.launch(stream, y)
    assert len(fake.named("cuLinkComplete")) == 1 and len(fake.named("cuModuleLoadData")) == 2 and len(fake.named("cuLaunchKernel")) == 1
    ones._loaded.clear(), ones._prepared.clear()
    fake.fail["cuModuleLoadData"] = [200, 200]
    with pytest.raises(DeviceError, match="the code of `ones`: CUDA_ERROR_INVALID_IMAGE"):
        ones.launch(stream, y)


class Tensor:
    """What a library with DLPack alone gives. `device` is a pair of DLPack's kind and a number."""

    def __init__(self, array, device):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **_):
        return self.array.__dlpack__()


def test_dlpack(fake, ctx, stream):
    import sys

    array = np.arange(12, dtype=np.float32)
    references = sys.getrefcount(array)
    x, y = interop.device_memory(Tensor(array, (2, 0)), stream), DeviceBuffer.zeros(stream, 12, f32)
    assert (x.address, x.shape, x.dtype) == (array.ctypes.data, (12,), np.float32) and sys.getrefcount(array) > references
    shifted.launch(stream, x, y, 0)
    np.testing.assert_array_equal(x.to_host(stream), array)
    del x
    stream.synchronize()
    assert sys.getrefcount(array) == references  # given back once the launch is done
    for wrong, text in (
        (Tensor(array.reshape(3, 4).T, (2, 0)), "not C-contiguous"),
        (Tensor(array, (2, 1)), "on cuda:1; the launch is on cuda:0"),
        (Tensor(array, (1, 0)), "a CPU tensor of f32"),
        (Tensor(array, (7, 0)), "DLPack's kind 7"),
        (Tensor(array.astype(np.complex64), (2, 0)), r"DLPack type \(5, 64 bits"),
    ):
        with pytest.raises(LaunchError, match=text) as caught:
            shifted.launch(stream, wrong, y, 0)
        assert caught.value.code == "OX2007"


# ---- shared memory, clusters, cooperative launches


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def scratch(y: DisjointSlice[f32], n: i32) -> None:
    s = shared.dynamic(f32, count=n)
    if thread.idx.x < n:
        s[thread.idx.x] = f32(1)
    block.sync()
    idx = thread.index_1d()
    if idx in y:
        y[idx] = s[0]


def test_dynamic_shared_memory_is_asked_for(fake, ctx, stream):
    y = DeviceBuffer.zeros(stream, 64, f32)
    for n, size in ((64, 256), (1, 4), (20_000, 80_000)):
        scratch.launch(stream, y, n)
        assert fake.named("cuLaunchKernel")[-1][7] == size
    assert fake.attributes == {"MAX_DYNAMIC_SHARED_SIZE_BYTES": 227 << 10}
    assert len(fake.named("cuFuncSetAttribute")) == 1, "once a function"
    with pytest.raises(LaunchError, match="bytes of shared memory; cuda:0 allows 232448"):
        scratch.launch(stream, y, 60_000)
    scratch.prepare(ctx, ox.LaunchConfig1D(1, 64, dynamic_shared=1024))(stream, y, 3)
    assert fake.named("cuLaunchKernel")[-1][7] == 1024


def test_the_static_part_is_as_large_as_the_driver_says(fake, ctx, stream):
    """It is filled up to where the dynamic part begins: all of both together is what the device has."""

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def mixed(y: DisjointSlice[f32], n: i32) -> None:
        s, own = shared.dynamic(f32, count=n, align=64), shared.array(f32, 33)
        if thread.idx.x < min(n, 33):
            s[thread.idx.x] = f32(1)
            own[thread.idx.x] = f32(2)
        block.sync()
        idx = thread.index_1d()
        if idx in y:
            y[idx] = s[0] + own[0]

    fake.attributes["SHARED_SIZE_BYTES"] = 192  # of 132
    y = DeviceBuffer.zeros(stream, 64, f32)
    mixed.launch(stream, y, 64)
    assert fake.attributes["MAX_DYNAMIC_SHARED_SIZE_BYTES"] == (227 << 10) - 192
    mixed.launch(stream, y, ((227 << 10) - 192) // 4)
    with pytest.raises(LaunchError, match="take 232452 bytes of shared memory"):
        mixed.launch(stream, y, ((227 << 10) - 192) // 4 + 1)


def test_large_static_arrays_are_asked_for_as_dynamic_ones(fake, ctx, stream):
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def large(y: DisjointSlice[f32]) -> None:
        s = shared.array(f32, 16_000)
        s[thread.idx.x] = f32(1)
        block.sync()
        idx = thread.index_1d()
        if idx in y:
            y[idx] = s[thread.idx.x]

    y = DeviceBuffer.zeros(stream, 64, f32)
    large.launch(stream, y)
    assert fake.named("cuLaunchKernel")[-1][7] == 64_000 and fake.attributes == {"MAX_DYNAMIC_SHARED_SIZE_BYTES": 64_000}
    assert large.prepare(ctx, 64).attributes.shared == 64_000


def extended(fake):
    config = fake.named("cuLaunchKernelEx")[-1][0]
    return config, {one.id.removeprefix("CU_LAUNCH_ATTRIBUTE_"): one.value for one in config.attrs}


def test_clusters(fake, ctx, stream):
    @kernel
    @cluster_launch(2)
    @launch_contract(domain=1, block=(64, 1, 1))
    def clustered(y: DisjointSlice[f32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = f32(1)

    clustered.launch(stream, DeviceBuffer.zeros(stream, 130, f32))
    config, attributes = extended(fake)
    assert (config.gridDimX, config.blockDimX, config.sharedMemBytes, config.hStream) == (4, 64, 0, stream.handle)
    shape = attributes["CLUSTER_DIMENSION"].clusterDim
    assert list(attributes) == ["CLUSTER_DIMENSION"] and (shape.x, shape.y, shape.z) == (2, 1, 1)
    fake.clusters = 0
    with pytest.raises(LaunchError, match="cannot hold a cluster of 2 x 1 x 1 blocks") as caught:
        clustered.prepare(ctx, 1280)
    assert caught.value.code == "OX2003"


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def boxed(x: tma.TensorMap[f32, D2], n: i32, y: tma.TensorMapMut[f32, D1]) -> None:
    with unsafe("only near"):
        if n > 0:
            tma.prefetch_map(x)


def test_tensor_maps_go_by_value_and_are_encoded_once(fake, ctx, stream):
    x, y = DeviceBuffer.zeros(stream, (16, 40), f32), DeviceBuffer.zeros(stream, 64, f32)
    maps = tma.tensor_map(x, (8, 32), swizzle=128, promotion=256, fill="nan"), tma.tensor_map(y, 64)
    seen = []

    def look(params):
        slots = (ctypes.c_void_p * 3).from_address(params)
        texts = [ctypes.string_at(slots[number]).decode() for number in (0, 2)]
        seen.append((*texts, ctypes.c_int32.from_address(slots[1]).value))

    fake.on_launch = look
    prepared = boxed.prepare(ctx, 64)
    for number in range(3):
        prepared(stream, maps[0], number, maps[1])
    assert seen == [(str(x.address), str(y.address), number) for number in range(3)]
    first, second = (args for args in fake.named("cuTensorMapEncodeTiled"))
    names = [str(one).removeprefix("CU_TENSOR_MAP_") for one in (first[0], *first[7:])]
    assert names == ["DATA_TYPE_FLOAT32", "INTERLEAVE_NONE", "SWIZZLE_128B", "L2_PROMOTION_L2_256B", "FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA"]
    assert first[1:7] == (2, x.address, [40, 16], [160], [32, 8], [1, 1])
    assert second[1:7] == (1, y.address, [64], [16], [64], [1])


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def pixels(x: tma.Im2colMap[f32, tma.D4]) -> None:
    with unsafe("only near"):
        tma.prefetch_map(x)


def test_columns_of_pixels_and_steps_are_encoded_from_the_last_axis_on(fake, ctx, stream):
    x = DeviceBuffer.zeros(stream, 2 * 5 * 7 * 16, f32)
    shape = (2, 5, 7, 16)
    images = tma.im2col_map(x, (64, 8), shape=shape, lower=(-1, -2), upper=(3, 4), steps=(1, 2, 3, 1), swizzle=32)
    prepared = pixels.prepare(ctx, 64)
    prepared(stream, images)
    tma.tensor_map(x, (1, 2, 3, 8), shape=shape, steps=(1, 2, 3, 1)).given(ctx.driver)
    (columns,), (boxes,) = fake.named("cuTensorMapEncodeIm2col"), fake.named("cuTensorMapEncodeTiled")
    extents = (4, x.address, [16, 7, 5, 2], [64, 448, 2240])
    assert columns[1:10] == (*extents, [-2, -1], [4, 3], 8, 64, [1, 3, 2, 1])
    assert boxes[1:7] == (*extents, [8, 9, 4, 1], [1, 3, 2, 1])


@kernel
@cooperative_launch
@launch_contract(domain=1, block=(64, 1, 1))
def meeting(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[0]
    grid.sync()


def test_cooperative_launches_have_a_zeroed_barrier_each(fake, ctx, stream):
    x, y = DeviceBuffer.zeros(stream, 1, f32), DeviceBuffer.zeros(stream, 100, f32)
    seen = []

    def look(params):
        slots = (ctypes.c_void_p * 5).from_address(params)
        barrier = ctypes.c_uint64.from_address(slots[4]).value
        seen.append((ctypes.c_uint64.from_address(barrier).value, barrier % 8))
        ctypes.c_uint64.from_address(barrier).value = 7

    fake.on_launch = look
    held = len(fake.memory)
    for _ in range(2):
        meeting.launch(stream, x, y)
    assert seen == [(0, 0), (0, 0)]
    _, attributes = extended(fake)
    assert list(attributes) == ["COOPERATIVE"] and attributes["COOPERATIVE"].cooperative == 1
    assert len(fake.memory) - held <= 1, "only the page of panic records stays"


def test_a_cooperative_grid_must_be_resident(fake, ctx, stream):
    meeting.prepare(ctx, ox.LaunchConfig1D(32, 64))  # 2 multiprocessors with 16 blocks of 64 threads each
    with pytest.raises(LaunchError, match="the 33 blocks of `meeting` must all run at once; cuda:0 holds 32 of them") as caught:
        meeting.prepare(ctx, ox.LaunchConfig1D(33, 64))
    assert caught.value.code == "OX2003"


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def copied_runs(x: Slice[f32], y: DisjointSlice[f32, Runs[4]]) -> None:
    run = thread.index_run(4)
    if run in y:
        y[run] = x[run]


def test_memory_at_odd_addresses_gets_code_of_its_own(fake, ctx, stream):
    """Wide accesses need addresses that are multiples of 16: a part of a buffer may begin anywhere."""
    x, y = DeviceBuffer.zeros(stream, 64, f32), DeviceBuffer.zeros(stream, 64, f32)
    handles = []
    fake.on_launch = lambda params: None

    def launched(*args):
        copied_runs.launch(stream, *args)
        handles.append(fake.named("cuLaunchKernel")[-1][0])

    for args in ((x, y), (x, y), (x[1:], y), (x[1:], y), (x, y[2:]), (x[4:], y[4:]), (x, y)):
        launched(*args)
    even, odd = handles[0], handles[2]
    assert even != odd and handles == [even, even, odd, odd, odd, even, even]
    loaded = {loaded.handle: loaded for _, _, loaded in copied_runs.loaded()}
    assert loaded[even].facts["aligned"] == 16 and "aligned" not in loaded[odd].facts
    assert "memory at multiples of 16 bytes" in str(copied_runs.report())
