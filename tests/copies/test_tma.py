"""Tensor maps, boxes and runs of bytes."""

# mypy: ignore-errors
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from copies import tensor_maps, tensor_types
from loading import defined

import oxidepy as ox
from oxidepy import (
    D1,
    D2,
    Const,
    DeviceBuffer,
    Slice,
    SliceMut,
    barrier,
    block,
    cluster,
    cluster_launch,
    f16,
    f32,
    f64,
    i32,
    kernel,
    launch_contract,
    shared,
    struct,
    thread,
    tma,
    u8,
    unsafe,
)

T = TypeVar("T", f16, f32, f64)


@struct
@dataclass(frozen=True)
class P:
    x: f32


assert u8, "named by the kernels below"


@pytest.mark.parametrize("name", tensor_maps.PROGRAMS)
def test_programs(name: str) -> None:
    np.testing.assert_array_equal(*tensor_maps.PROGRAMS[name](ox.Context("interp")))


@pytest.mark.parametrize("arch", [arch for arch in ARCHES if arch not in ("sm_75", "sm_80")])
@pytest.mark.parametrize("one", tensor_maps.KERNELS, ids=lambda one: one.name)
def test_assembled(one, arch: str) -> None:
    assert "registers" in assemble(one.ptx(arch), arch)


@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a", "sm_120a"])
def test_combined_runs_assemble(arch: str) -> None:
    for (operation, _), one in tensor_types.COMBINED_RUNS.items():
        text = one.ptx(arch)
        assert f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}." in text
        assert "registers" in assemble(text, arch)


@pytest.mark.parametrize("name", tensor_types.PROGRAMS)
def test_types(name: str) -> None:
    np.testing.assert_array_equal(*tensor_types.PROGRAMS[name](ox.Context("interp")))


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def for_blocks(x: tma.TensorMap[f32, D1], blocks: i32, y: SliceMut[f32]) -> None:
    s = shared.array(f32, 32, align=128)
    bars = barrier.array(1)
    with unsafe("all blocks live until the boxes have come"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
            barrier.arrive_expect_tx(bars, 0, 128)
        cluster.sync()
        if thread.idx.x == 0 and cluster.rank == 0:
            tma.load(s, 0, x, 0, bars, 0, blocks=blocks)
        if blocks == 3:
            barrier.wait_parity(bars, 0, 0)
        cluster.sync()


@pytest.mark.parametrize("blocks", [0, 4, 7])
def test_a_box_is_for_blocks_of_the_cluster(blocks: int) -> None:
    ctx = ox.Context("interp")
    stream = ctx.new_stream()
    x, y = DeviceBuffer.zeros(stream, 32, f32), DeviceBuffer.zeros(stream, 32, f32)
    prepared = for_blocks.prepare(ctx, 64)
    prepared(stream, tma.tensor_map(x, 32), 3, y)
    stream.synchronize()
    prepared(stream, tma.tensor_map(x, 32), blocks, y)
    with pytest.raises(ox.DevicePanic, match=f"`blocks` is {blocks:#b} in a cluster of 2") as caught:
        stream.synchronize()
    assert caught.value.code == "OX2003"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def written(y: tma.TensorMapMut[f32, D2], row: i32, column: i32, adds: Const[bool]) -> None:
    s = shared.array(f32, 32, align=128)
    with unsafe("one thread"):
        if thread.idx.x == 0:
            if adds:
                tma.reduce(y, (row, column), s, 0)
            else:
                tma.store(y, (row, column), s, 0)
            tma.commit()
            tma.wait()


@pytest.mark.parametrize("adds", [False, True])
def test_a_box_is_written_at_multiples_of_16_bytes(adds: bool) -> None:
    ctx = ox.Context("interp")
    stream = ctx.new_stream()
    map = tma.tensor_map(DeviceBuffer.zeros(stream, (8, 64), f32), (4, 8))
    for row, column in ((3, 4), (0, 0), (7, 64)):
        written.prepare(ctx, 32)(stream, map, row, column, adds)
        stream.synchronize()
    for column, rest in ((2, 8), (-3, 4)):
        written.prepare(ctx, 32)(stream, map, 0, column, adds)
        with pytest.raises(
            ox.DevicePanic, match=f"begins at element {column} of the last axis, {rest} bytes behind a multiple of 16"
        ) as caught:
            stream.synchronize()
        assert caught.value.code == "OX2007" and "multiple of 4 elements" in caught.value.diagnostic.help
    for at in ((-1, 4), (1, -4)):
        written.prepare(ctx, 32)(stream, map, *at, adds)
        with pytest.raises(ox.DevicePanic, match=re.escape(f"the box begins at {at}")):
            stream.synchronize()


def test_blocks_that_the_cluster_does_not_have_are_refused() -> None:
    with pytest.raises(ox.CompileError, match=r"`blocks` is 0b1111 in a cluster of 2"):
        tensor_maps_of_two(15)


def tensor_maps_of_two(mask: int) -> str:
    source = f"""
@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def k(x: tma.TensorMap[f32], y: SliceMut[f32]) -> None:
    s = shared.array(f32, 32, align=128)
    bars = barrier.array(1)
    with unsafe("why"):
        barrier.init(bars, 0, 1)
        tma.load(s, 0, x, 0, bars, 0, blocks={mask})
"""
    return defined(source, globals())["k"].ptx("sm_90a")


# ---- what the host refuses


def test_what_no_tensor_map_is_made_of() -> None:
    stream = ox.Context("interp").default_stream()
    b = DeviceBuffer.zeros(stream, (16, 100), f32)
    gone = DeviceBuffer.zeros(stream, (16, 100), f32)
    gone.free(stream)
    assert tma.tensor_map(b.reshape(1600), np.int64(8)).box == (8,)
    refusals = {
        "OX2007": [
            (lambda: tma.tensor_map(np.zeros(4), 4), "got ndarray"),
            (lambda: tma.tensor_map(b, 16), "a box of 1 axis for an array of 2 axes"),
            (lambda: tma.tensor_map(b, (1, 1, 4)), "a box of 3 axes"),
            (lambda: tma.tensor_map(b, (0, 4)), r"box=\(0, 4\)"),
            (lambda: tma.tensor_map(b, "ab"), "box='ab'"),
            (lambda: tma.tensor_map(b, (4, 3)), "rows of 12 bytes in a box"),
            (lambda: tma.tensor_map(b, (4, 16), swizzle=32), "rows of 64 bytes under a swizzle of 32"),
            (lambda: tma.tensor_map(b, (4, 4), swizzle=32), "rows of 16 bytes under a swizzle of 32"),
            (lambda: tma.tensor_map(b, (4, 16), swizzle=16), "swizzle=16"),
            (lambda: tma.tensor_map(b, (4, 16), promotion=32), "promotion=32"),
            (lambda: tma.tensor_map(b, (4, 16), fill="one"), "fill='one'"),
            (lambda: tma.tensor_map(b, (4, 4), shape=(16, 101)), "a stride of 404 bytes along axis 0"),
            (lambda: tma.tensor_map(b, (4, 4), shape=(17, 100)), "the array has 6800 bytes, and the buffer 6400"),
            (lambda: tma.tensor_map(b, (4, 4), shape=(8, 50), strides=(200, 2)), "a stride of 2 along the last axis"),
            (lambda: tma.tensor_map(b, (4, 4), strides=(100,)), "1 strides for 2 axes"),
            (lambda: tma.tensor_map(b, (1,) * 6, shape=(1,) * 6), "one to five axes"),
            (lambda: tma.tensor_map(b.reshape(1600)[1:], 4), "no multiple of 16"),
            (lambda: tma.tensor_map(DeviceBuffer.zeros(stream, 16, i32), 4, fill="nan"), 'fill="nan" of `i32`'),
            (lambda: tma.tensor_map(gone, (4, 4)), "the buffer was released"),
        ],
        "OX2003": [
            (lambda: tma.tensor_map(b.reshape(1600), 260), "a box of 260 elements along an axis"),
            (lambda: tma.tensor_map(DeviceBuffer.zeros(stream, (256, 256), f32), (256, 256)), "a box of 262144 bytes"),
        ],
    }
    for code, cases in refusals.items():
        for make, part in cases:
            with pytest.raises(ox.LaunchError, match=part) as caught:
                make()
            assert caught.value.code == code and caught.value.diagnostic.help


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def reads(x: tma.TensorMap[f32, D2], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = 1


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def writes(x: tma.TensorMapMut[f32, D2], y: Slice[f32]) -> None:
    with unsafe("only near"):
        tma.prefetch(x, (0, 0))


@pytest.fixture
def stream() -> ox.Stream:
    return ox.Context("interp").new_stream()


def test_arguments(stream: ox.Stream) -> None:
    ctx = stream.context
    b, y = DeviceBuffer.zeros(stream, (16, 32), f32), DeviceBuffer.zeros(stream, 512, f32)
    map = tma.tensor_map(b, (4, 4))
    other = DeviceBuffer.zeros(ox.Context("cpu").new_stream(), (16, 32), f32)
    refusals = [
        (b, "TensorMap\\[f32, D2\\], got a value of type DeviceBuffer"),
        (tma.tensor_map(DeviceBuffer.zeros(stream, (4, 4), i32), (4, 4)), "got a map of elements of i32"),
        (tma.tensor_map(y, 4), "got a map of 1 axis"),
        (tma.tensor_map(other, (4, 4)), "a map of a buffer on cpu; the launch is on interp"),
    ]
    for argument, part in refusals:
        with pytest.raises(ox.LaunchError, match=part) as caught:
            reads.prepare(ctx, 32)(stream, argument, y)
        assert caught.value.code == "OX2007"
    reads.prepare(ctx, 32)(stream, map, y)
    assert y.to_host(stream)[0] == 1
    b.free(stream)
    with pytest.raises(ox.LaunchError, match="a map of a buffer that was released"):
        reads.prepare(ctx, 32)(stream, map, y)


def test_a_map_borrows_its_array(stream: ox.Stream) -> None:
    ctx = stream.context
    b = DeviceBuffer.zeros(stream, (16, 32), f32)
    map, flat = tma.tensor_map(b, (4, 4)), b.reshape(512)
    for _ in range(3):  # the slow way, and the quick one
        writes.prepare(ctx, 32)(stream, map, DeviceBuffer.zeros(stream, 4, f32))
        reads.prepare(ctx, 32)(stream, map, DeviceBuffer.zeros(stream, 4, f32))
        for one in (reads, writes):
            with pytest.raises(ox.BorrowError, match="exclusive") as caught:
                one.prepare(ctx, 32)(stream, map, flat)
            assert caught.value.code == "OX0502"


def test_quick_launches_of_one_map_and_of_another(stream: ox.Stream) -> None:
    x, z = (DeviceBuffer.from_host(stream, np.arange(k, k + 100, dtype=np.int32)) for k in (0, 1000))
    maps = [tma.tensor_map(one, 64) for one in (x, z)]
    prepared = tensor_maps.line.prepare(stream.context, 64)
    y = DeviceBuffer.zeros(stream, 64, i32)
    for round_ in range(6):
        prepared(stream, maps[round_ % 2], 4 * round_, y)
        assert y.to_host(stream)[0] == 1000 * (round_ % 2) + 4 * round_


def test_the_grid_is_not_inferred_from_a_map(stream: ox.Stream) -> None:
    b = DeviceBuffer.zeros(stream, (16, 32), f32)
    with pytest.raises(ox.LaunchError, match="OX2008"):
        writes.launch(stream, tma.tensor_map(b, (4, 4)), DeviceBuffer.zeros(stream, 4, f32))


def test_where_it_is_not() -> None:
    ctx = ox.Context("cpu")
    with pytest.raises(ox.CompileError, match=r"`tma.prefetch` needs a CUDA device or `interp`"):
        writes.prepare(ctx, 32)
    with pytest.raises(ox.CompileError, match=r"the tensor map `x` needs a CUDA device or `interp`"):
        reads.prepare(ctx, 32)
    with pytest.raises(ox.CompileError, match=r"needs sm_90"):
        tensor_maps.line.ptx("sm_80")


# ---- what the compiler refuses

HEAD = """\
@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def k(x: tma.TensorMap[f32, D2], z: tma.TensorMapMut[f32, D2], m: tma.TensorMapMut[u8], v: Slice[f32], w: SliceMut[f32], n: i32,
      j: tma.TensorMapMut[ox.i64]) -> None:
    s = shared.array(f32, (4, 32), align=128)
    near = shared.array(f32, 32)
    h = shared.array(i32, 32, align=128)
    b = shared.array(u8, 32, align=128)
    wide = shared.array(ox.i64, 16, align=128)
    bars = barrier.array(1)
    with unsafe("why"):
        barrier.init(bars, 0, 1)
"""


def compiled(body: str):
    source = HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    return defined(source, globals())["k"]


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("tma.load(s, (0, 0), v, (0, 0), bars, 0)", "OX0308", "takes a tensor map, and this is a `Slice`"),
        ("tma.load(s, (0, 0), x, 0, bars, 0)", "OX0308", "`x` has 2 axes, and this names 1 coordinate"),
        ("tma.load(s, (0, 0), x, (0, 1.5), bars, 0)", "OX0308", "1.5"),
        ("tma.load(h, 0, x, (0, 0), bars, 0)", "OX0308", "elements of `i32`, and `x` of `f32`"),
        ("tma.load(near, 0, x, (0, 0), bars, 0)", "OX0308", "a box lies at a multiple of 128 bytes, and `near` is aligned to 16"),
        ("tma.load(v, 0, x, (0, 0), bars, 0)", "OX0308", "lies in shared memory"),
        ("tma.load(s, (0, 4), x, (0, 0), bars, 0)", "OX0308", "byte 16 of `s`, where `tma.load` takes multiples of 128"),
        ("tma.load(s.row(0), 0, x, (0, 0), bars, 0)", "OX0308", "is a view"),
        ("tma.load(s, (0, 0), x, (0, 0), s, 0)", "OX0308", "takes an array of barriers"),
        ("tma.load(s, (0, 0), x, (0, 0), bars, 0, blocks=3)", "OX2001", "without clusters"),
        ("tma.load(s, (0, 0), x, (0, 0), bars)", "OX0308", "takes 6 arguments"),
        ("tma.store(x, (0, 0), s, (0, 0))", "OX0308", "whose array is read only"),
        ("tma.reduce(z, (0, 0), s, (0, 0), 'min')", "OX0308", "`tma.reduce` of `f32` has no operation"),
        ("tma.reduce(z, (0, 0), s, (0, 0), operation='mul')", "OX0308", "has no operation"),
        ("tma.reduce(m, 0, b, 0)", "OX0308", "`tma.reduce` of `u8` has no operation"),
        ("tma.reduce(j, 0, wide, 0, 'xor')", "OX0308", '`tma.reduce` of `i64` has no operation "xor"'),
        ("tma.store(z, (1, 2), s, (0, 0))", "OX0308", "a box of `z` begins at element 2 of the last axis"),
        ("tma.load(s, (0, 0), x, (1, -6), bars, 0)", "OX0308", "a box of `x` begins at element -6 of the last axis"),
        ("tma.reduce(z, (-1, 4), s, (0, 0))", "OX0308", "a box that is written to `z` begins at -1"),
        ("tma.copy(near, 0, v, 0, 32)", "OX0308", "tells a barrier of the block that receives"),
        ("tma.copy(w, 0, near, 0, 32, bars, 0)", "OX0308", "tells no barrier"),
        ("tma.copy(w, 0, v, 0, 32)", "OX0308", "copies from a shared array"),
        ("tma.copy(near, 0, v, 0, 36, bars, 0)", "OX5001", "out of bounds of `near`"),
        ("tma.copy(v, 0, near, 0, 32)", "OX0308", "read-only"),
        ("tma.copy(near, 0, v, 0, 32, bars, 0, blocks=3)", "OX2001", "without clusters"),
        ("tma.copy(w, 0, near, 0, 32, blocks=3)", "OX0308", "to several blocks a run comes from global memory"),
        ("tma.reduce_run(w, 0, near, 0, 32, 'min')", "OX0308", '`tma.reduce_run` of `f32` has no operation "min"'),
        ("tma.reduce_run(w, 0, near, 0, 32, operation='mul')", "OX0308", 'of `f32` has no operation "mul"'),
        ("tma.reduce_run(w, 0, h, 0, 32)", "OX0308", "i32"),
        ("tma.reduce_run(near, 0, near, 0, 32)", "OX0308", "lies in global memory"),
        ("tma.reduce_run(v, 0, near, 0, 32)", "OX0308", "read-only"),
        ("tma.reduce_run(w, 2, near, 0, 32)", "OX0308", "byte 8 of `w`"),
        ("tma.reduce_run(w, 0, near, 0, 36)", "OX5001", "out of bounds of `near`"),
        ("tma.copy(near, 2, v, 0, 4, bars, 0)", "OX0308", "byte 8 of `near`, where `tma.copy` takes multiples of 16"),
        ("tma.copy(near, 0, v, 0, 6, bars, 0)", "OX0308", "a copy of 24 bytes"),
        ("a = x[0, 0]", "OX0308", "cannot be indexed"),
        ("a = x.shape", "OX0425", "has no `.shape`"),
        ("tma.load_2d(s, 0, x, 0, (0, 0), bars, 0)", "OX0425", "`load_2d`"),
        ("tma.wait(16)", "OX0308", "`left`"),
        ("if n > 0:\n    c = x\nelse:\n    c = z\ntma.prefetch(c, (0, 0))", "OX0308", "`c` becomes a `TensorMap[f32]`"),
    ],
)
def test_what_is_refused(body: str, code: str, part: str) -> None:
    with pytest.raises(ox.CompileError) as caught:
        compiled(body).ptx("sm_90a")
    found = [one for one in caught.value.diagnostics if one.code == code]
    assert found and part in found[0].message, caught.value


def helper(x: tma.TensorMap[f32, D2], row: i32, s: SliceMut[f32, D2], bars: barrier.Barriers) -> None:
    with unsafe("the caller waits"):
        tma.load(s, (0, 0), x, (row, 0), bars, 0)


def other_helper(x: tma.TensorMapMut[f32, D2]) -> None:
    with unsafe("only near"):
        tma.prefetch_map(x)


def test_maps_as_arguments_of_functions() -> None:
    assert "cp.async.bulk.tensor.2d" in compiled("helper(x, n, s, bars)\nhelper(z, n, s, bars)\nother_helper(z)").ptx("sm_90a")
    with pytest.raises(ox.CompileError, match=r"is `TensorMapMut\[f32\]` of 2 axes, and this is a `TensorMap\[f32\]`"):
        compiled("other_helper(x)").ptx("sm_90a")


@pytest.mark.parametrize(
    ("annotation", "part"),
    [
        ("tma.TensorMap", "does not say what it holds"),
        ("tma.TensorMap[f32, Index1D]", "no number of axes"),
        ("tma.TensorMap[P, D2]", "the elements of a `TensorMap` are scalars"),
        ("Slice[f32, tma.D4]", "no rank of a `Slice`"),
    ],
)
def test_annotations(annotation: str, part: str) -> None:
    from frontend.test_signature import compiled as with_annotation

    from oxidepy.frontend.signature import parameters

    definition = with_annotation("f32")
    definition.function.__annotations__["p"] = annotation
    definition.function.__globals__.update(tma=tma, P=P, Index1D=ox.Index1D)
    with pytest.raises(ox.CompileError, match="OX1002") as caught:
        parameters(definition)
    assert part in str(caught.value)


# ---- what only a run shows


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def too_early(x: tma.TensorMap[i32, D1], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 32, align=128)
    bars = barrier.array(1)
    with unsafe("is not"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 1)
            tma.load(s, 0, x, 0, bars, 0)
            barrier.arrive_expect_tx(bars, 0, 128)
        block.sync()
        y[thread.idx.x] = s[thread.idx.x]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def written_again(x: tma.TensorMapMut[i32, D1], waits: Const[bool]) -> None:
    s = shared.array(i32, 32, align=128)
    with unsafe("is not, without the wait"):
        s[thread.idx.x] = 1
        barrier.fence_proxy_async()
        block.sync()
        if thread.idx.x == 0:
            tma.store(x, 0, s, 0)
            tma.commit()
            if waits:
                tma.wait_read()
        block.sync()
        s[thread.idx.x] = 2
        tma.wait()


def test_copies_are_as_late_as_they_may_be(stream: ox.Stream) -> None:
    x, y = DeviceBuffer.from_host(stream, np.arange(32, dtype=np.int32)), DeviceBuffer.zeros(stream, 32, i32)
    too_early.prepare(stream.context, 32)(stream, tma.tensor_map(x, 32), y)
    assert y.to_host(stream).tolist() == [-0x32323233] * 32
    for waits, value in ((False, 2), (True, 1)):
        written_again.prepare(stream.context, 32)(stream, tma.tensor_map(x, 32), waits)
        assert x.to_host(stream).tolist() == [value] * 32


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def misplaced(x: tma.TensorMap[f32, D2], at: i32, v: Slice[f32], count: i32) -> None:
    s = shared.array(f32, 2048, align=128)
    bars = barrier.array(1)
    with unsafe("is not"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 2)
            tma.load(s, at, x, (0, 0), bars, 0)
            tma.copy(s, 0, v, 0, count, bars, 0)


def test_places_and_sizes_that_the_hardware_does_not_take(stream: ox.Stream) -> None:
    b, v = DeviceBuffer.zeros(stream, (32, 32), f32), DeviceBuffer.zeros(stream, 64, f32)
    cases = [
        ((4, 32), 0, 1, 64, "begins at byte 4 of its array"),
        ((4, 32), 0, 0, 3, "a run of 12 bytes"),
        ((4, 32), 128, 0, 4, "`s` is aligned to 128 bytes"),
        ((32, 32), 0, 1056, 4, "4096 bytes at byte 4224 of an array of 8192"),
    ]
    for box, swizzle, at, count, part in cases:
        misplaced.prepare(stream.context, 32)(stream, tma.tensor_map(b, box, swizzle=swizzle), at, v, count)
        with pytest.raises(ox.DevicePanic, match=part) as caught:
            stream.synchronize()
        assert caught.value.code == ("OX7001" if at > 1000 else "OX2007")


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def filled(x: tma.TensorMap[T, D1], size: i32, y: SliceMut[T]) -> None:
    s = shared.array(T, 64, align=128)
    bars = barrier.array(1)
    with unsafe("the phase is over when the box has come"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 1)
            tma.load(s, 0, x, -32, bars, 0)
            barrier.arrive_expect_tx(bars, 0, size)
            barrier.wait_parity(bars, 0, 0)
        block.sync()
        y[thread.idx.x] = s[thread.idx.x]
        y[thread.idx.x + 32] = s[thread.idx.x + 32]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def generic(x: tma.TensorMap[T, D1]) -> None:
    with unsafe("only near"):
        tma.prefetch(x, 0)


def test_a_kernel_over_the_type_of_a_map(stream: ox.Stream) -> None:
    from oxidepy.compiler.ahead import specialisations

    assert len(specialisations(generic.definition)) == 3
    generic.prepare(stream.context, 32)(stream, tma.tensor_map(DeviceBuffer.zeros(stream, 64, f64), 64))
    stream.synchronize()
    assert "TensorMap[T, D1]" in str(generic.report())


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_filled_up_with_nan(stream: ox.Stream, dtype) -> None:
    host = np.arange(64, dtype=dtype)
    x, y = DeviceBuffer.from_host(stream, host), DeviceBuffer.from_host(stream, host)
    filled.prepare(stream.context, 32)(stream, tma.tensor_map(x, 64, fill="nan"), x.nbytes, y)
    np.testing.assert_array_equal(y.to_host(stream), np.concatenate((np.full(32, np.nan, dtype), host[:32])))
