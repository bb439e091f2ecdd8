"""`tcgen05` and `clc` in kernels: a whole product and a loop of taken-over blocks assemble for sm_100a, other devices refuse them."""

from __future__ import annotations

from typing import Any

import pytest
from backend.assembler import assemble
from frontend.running import lowered, refused

from oxidepy import (
    CompileError,
    SliceMut,
    barrier,
    block,
    clc,
    f16,
    f32,
    kernel,
    launch_contract,
    shared,
    tcgen05,
    thread,
    u32,
    u64,
    unsafe,
    warp,
)
from oxidepy.backend import nvptx
from oxidepy.backend.targets import nvptx_target
from oxidepy.ir.interpreter import Program
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def product(y: SliceMut[u32]) -> None:
    t = thread.idx.x
    a = shared.array(f16, 128 * 64, align=1024)
    b = shared.array(f16, 128 * 64, align=1024)
    where = shared.array(u32, 1)
    done = barrier.array()
    for i in range(t, 128 * 64, 128):
        with unsafe("each thread its own elements"):
            a[i] = f16(1)
            b[i] = f16(2)
    with unsafe("one warp allocates, one thread multiplies, the others wait at the barriers between"):
        if warp.id == 0:
            tcgen05.alloc(where, 0, 128)
            tcgen05.relinquish_alloc_permit()
        if t == 0:
            barrier.init(done, 0, 1)
        barrier.fence_proxy_async()
        block.sync()
        tcgen05.fence_after()
        at = where[0]
        if t == 0:
            how = tcgen05.how(a="f16", b="f16", sums="f32", m=128, n=128)
            for k in range(0, 64, 16):
                left, right = tcgen05.tile(a, (0, k), 128), tcgen05.tile(b, (0, k), 128)
                tcgen05.mma_f16(at, left, right, how, k > 0, collector="lastuse")
            tcgen05.commit(done, 0)
        barrier.wait_parity(done, 0, 0)
        tcgen05.fence_after()
        sums = tcgen05.ld_32x32b_x8(at + (u32(warp.id) << 21))
        tcgen05.wait_ld()
        y[t] = sums[0]
        tcgen05.fence_before()
        block.sync()
        if warp.id == 0:
            tcgen05.dealloc(at, 128)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def taken_over(y: SliceMut[u32]) -> None:
    answer = shared.array(u32, 4, align=16)
    done = barrier.array()
    t = thread.idx.x
    with unsafe("one thread asks, all wait for the answer"):
        if t == 0:
            barrier.init(done, 0, 1)
            barrier.fence_proxy_async()
        block.sync()
        if t == 0:
            clc.try_cancel(answer, 0, done, 0)
        block.sync()
        if clc.is_canceled(answer, 0):
            y[t] = clc.first_block_x(answer, 0)


@pytest.mark.parametrize("one", [product, taken_over], ids=lambda one: one.definition.name)
def test_they_assemble_for_their_architecture(one: Any) -> None:
    code = nvptx.emit(lowered(one), nvptx_target("sm_100a"), CodegenOptions()).code.decode()
    assert "Used" in assemble(code, "sm_100a")


def test_other_targets_are_refused() -> None:
    with pytest.raises(CompileError) as caught:
        nvptx.emit(lowered(product), nvptx_target("sm_120a"), CodegenOptions())
    assert {one.code for one in caught.value.diagnostics} == {"OX6001"}
    assert caught.value.diagnostics[0].message == "`tcgen05.alloc` needs sm_100a or sm_110f; this is compiled for sm_120a"
    with pytest.raises(CompileError) as caught:
        Program(lowered(taken_over))
    assert [one.code for one in caught.value.diagnostics] == ["OX6001"] * 3
    message = "`clc.try_cancel` needs a CUDA device of sm_100 or later: the interpreter does not have it"
    assert caught.value.diagnostics[0].message == message


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def words(y: SliceMut[u32], z: SliceMut[u64]) -> None:
    y[0] = tcgen05.how(a="f16", b="f16", sums="f32", m=128, n=256)
    y[1] = tcgen05.how(a="bf16", b="f16", sums="f32", m=64, n=8, trans_b=True, negate_a=True)
    y[2] = tcgen05.how(a="e2m1", b="e5m2", sums="f16", m=256, n=128, sparse=True)
    y[3] = tcgen05.how(a="i8", b="u8", sums="i32", m=128, n=64, saturate=True)
    y[4] = tcgen05.how(a="e4m3", b="e2m1", sums="f32", m=128, n=128, scales="ue8m0", scale_a=3, scale_b=1)
    y[5] = tcgen05.how(a="e2m1", b="e2m1", sums="f32", m=256, n=64, scales="ue4m3", kind="mxf4nvf4", sparse=True)
    y[6] = tcgen05.how(a="e2m1", b="e2m1", sums="f32", m=128, n=256, scales="ue8m0", kind="mxf4", negate_b=True)
    y[7] = tcgen05.how(a="i8", b="i8", sums="i32", m=32, n=64, sparse=True, selector=2, max_shift=16)
    z[0] = tcgen05.descriptor(u32(4096), leading=16, stride=1024, swizzle=128)
    other = tcgen05  # by whatever name
    z[1] = other.descriptor(u32(4096), leading=16, stride=1024)


def test_the_words_of_products_and_descriptors() -> None:
    import numpy as np
    from frontend.running import run

    y, z = np.zeros(8, np.uint32), np.zeros(2, np.uint64)
    assert run(words, y, z) is None
    assert y.tolist() == [
        1 << 4 | 32 << 17 | 8 << 24,
        1 << 4 | 1 << 7 | 1 << 17 | 4 << 24 | 1 << 13 | 1 << 16,
        5 << 7 | 1 << 10 | 16 << 17 | 16 << 24 | 1 << 2,
        2 << 4 | 1 << 7 | 8 << 17 | 8 << 24 | 1 << 3,
        1 << 4 | 5 << 10 | 16 << 17 | 1 << 23 | 8 << 24 | 3 << 29,
        1 << 2 | 1 << 7 | 1 << 10 | 8 << 17 | 16 << 24,
        1 << 7 | 1 << 10 | 1 << 14 | 32 << 17 | 1 << 23 | 8 << 24,
        2 | 1 << 2 | 2 << 4 | 1 << 7 | 1 << 10 | 8 << 17 | 2 << 24 | 2 << 30,
    ]
    assert z.tolist() == [256 | 1 << 16 | 64 << 32 | 1 << 46 | 2 << 61, 256 | 1 << 16 | 64 << 32 | 1 << 46]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def mixed(y: SliceMut[u32]) -> None:
    y[0] = tcgen05.how(a="f16", b="tf32", sums="f32", m=128, n=256)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def odd_shape(y: SliceMut[u32]) -> None:
    y[0] = tcgen05.how(a="f16", b="f16", sums="f32", m=96, n=256)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def no_type(y: SliceMut[u32]) -> None:
    y[0] = tcgen05.how(a=f32, b="f16", sums="f32", m=96, n=256)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def other_scales(y: SliceMut[u32]) -> None:
    y[0] = tcgen05.how(a="e2m1", b="e2m1", sums="f32", m=128, n=256, scales="ue4m3", kind="mxf4")


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def no_scales(y: SliceMut[u32]) -> None:
    y[0] = tcgen05.how(a="e2m1", b="e2m1", sums="f32", m=128, n=256, scale_a=1)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def odd_selector(y: SliceMut[u32]) -> None:
    y[0] = tcgen05.how(a="f16", b="f16", sums="f32", m=128, n=256, sparse=True, selector=4)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def odd_shift(y: SliceMut[u32]) -> None:
    y[0] = tcgen05.how(a="f16", b="f16", sums="f32", m=64, n=256, max_shift=9)


def test_wrong_words_are_named() -> None:
    for one, message in (
        (other_scales, "no product of the kind `mxf4` sums `e2m1` by `e2m1`, with scales of `ue4m3`, in `f32`"),
        (no_scales, "`scale_a` is of products with scales"),
        (odd_selector, "`selector` is 0, 1, 2 or 3, not 4"),
        (odd_shift, "`max_shift` is 0, 8, 16 or 32, not 9"),
        (mixed, "no product sums `f16` by `tf32` in `f32`"),
        (odd_shape, "no product has 96 rows and 256 columns"),
        (no_type, "`a` of `tcgen05.how` is a name of the kernel language"),
    ):
        found = refused(one)
        assert (found.code, found.message) == ("OX0308", message)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def no_barriers(y: SliceMut[u32]) -> None:
    words = shared.array(u64, 1)
    with unsafe("to be refused"):
        tcgen05.commit(words, 0)


def test_only_barriers_are_committed_to() -> None:
    with pytest.raises(CompileError, match=r"takes an array of barriers, and this is a shared array"):
        lowered(no_barriers)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def one_and_a_pair(y: SliceMut[u32]) -> None:
    where = shared.array(u32, 1)
    with unsafe("to be refused"):
        tcgen05.alloc(where, 0, 96)
        tcgen05.dealloc(where[0], 64, group=2)


def test_one_block_or_pairs_and_powers_of_two() -> None:
    with pytest.raises(CompileError) as caught:
        one_and_a_pair.ptx("sm_100a")
    assert [(one.code, one.message) for one in caught.value.diagnostics] == [
        ("OX2003", "`tcgen05.alloc` of 96 columns"),
        ("OX0308", "`tcgen05.dealloc` works with a pair of blocks, and `tcgen05.alloc` with one"),
    ]
