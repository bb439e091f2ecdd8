"""Products of a warpgroup on the interpreter: every dtype, swizzle and order against a plain matrix product."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wgmma_cases import CASES, Case, run_case, run_overflowing

import oxidepy as ox
from oxidepy import LaunchConfig1D, SliceMut, f16, f32, kernel, launch_contract, mma, shared, thread, u32, unsafe, wgmma


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_product_of_a_warpgroup_is_the_product_of_the_matrices(case: Case) -> None:
    found, wanted = run_case(case, "interp")
    assert np.array_equal(found.astype(np.float64), wanted.astype(np.float64))


def test_sums_that_overflow_are_clamped_or_wrap() -> None:
    assert np.array_equal(*run_overflowing("interp"))


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def short_lines(c: SliceMut[f32]) -> None:
    s = shared.array(f16, 64 * 64, align=1024)
    with unsafe("a test"):
        a, b = wgmma.tile(s, (0, 0), 64, swizzle=32), wgmma.tile(s, (0, 0), 8, swizzle=32)
        wgmma.fence()
        acc = wgmma.sparse.m64n8k32.f32.f16(a, b, wgmma.zeros(8), u32(0x4444))
        wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)
        c[thread.idx.x] = acc[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def reaches_outside(c: SliceMut[f32]) -> None:
    s = shared.array(f16, 64 * 32, align=1024)
    with unsafe("a test"):
        tile = wgmma.tile(s, (0, 0), 64)  # lines of 128 bytes, and there are half as many
        wgmma.fence()
        acc = wgmma.m64n8k16.f32.f16(tile, tile, wgmma.zeros(8))
        wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)
        c[thread.idx.x] = acc[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def differs(c: SliceMut[f32]) -> None:
    s = shared.array(f16, 64 * 64, align=1024)
    with unsafe("a test"):
        tile = wgmma.tile(s, (0, 8 * (thread.idx.x // 32)), 64)
        wgmma.fence()
        acc = wgmma.m64n8k16.f32.f16(tile, tile, wgmma.zeros(8))
        wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)
        c[thread.idx.x] = acc[0]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def odd_rows(c: SliceMut[u32]) -> None:
    s = shared.array(f16, 512)
    with unsafe("a test"):
        c[thread.idx.x] = mma.ldmatrix_x1(s, 12 * (thread.idx.x % 8))


PRODUCT = "`wgmma.m64n8k16.f32.f16`"


@pytest.mark.parametrize(
    ("one", "code", "text"),
    [
        (
            reaches_outside,
            "OX7001",
            "a matrix of `wgmma.m64n8k16.f32.f16` reaches from byte 0 to 8192 of shared memory, which is no one array",
        ),
        (short_lines, "OX2007", "`b` of `wgmma.sparse.m64n8k32.f32.f16` has 64 bytes along k, and lies in lines of 32"),
        (differs, "OX3002", "`a` of `wgmma.m64n8k16.f32.f16` differs between the threads of a warpgroup"),
        (odd_rows, "OX2007", "`p` of `mma.ldmatrix_x1`: byte 24 of an array, where places are multiples of 16 bytes"),
    ],
)
def test_the_interpreter_says_what_the_hardware_would_not(one: Any, code: str, text: str) -> None:
    ctx = ox.Context("interp")
    stream = ctx.default_stream()
    c = ox.DeviceBuffer.zeros(stream, 128, u32 if one is odd_rows else f32)
    with pytest.raises(ox.DevicePanic) as caught:
        one.prepare(ctx, LaunchConfig1D(1, one.definition.contract.block[0]))(stream, c)
        stream.synchronize()
    assert (caught.value.code, caught.value.diagnostic.message) == (code, text)
