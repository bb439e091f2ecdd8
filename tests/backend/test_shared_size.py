"""The host computes the size of dynamic shared memory as the kernel does."""

# pyright: basic
from __future__ import annotations

import pytest
from frontend.running import lowered

from oxidepy import SliceMut, block, cdiv, f32, grid, i32, kernel, launch_contract, shared, thread
from oxidepy.backend.shared_size import dynamic_bytes, expression


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def sized(y: SliceMut[f32], n: i32) -> None:
    a = shared.dynamic(f32, count=cdiv(n, 3) + block.dim.x)
    b = shared.dynamic(f32, count=max(len(y) - 5, grid.dim.x) << 1)
    a[thread.idx.x] = 1.0
    b[thread.idx.x] = 1.0


@pytest.mark.parametrize(("n", "length", "blocks"), [(0, 0, 1), (7, 100, 3), (-7, 5, 9), (2**31 - 1, 50, 2)])
def test_counts_are_what_the_kernel_computes(n: int, length: int, blocks: int) -> None:
    kernel_ = lowered(sized).kernel
    allocations = [op for op in kernel_.body.ops if op.name == "alloc"]
    pieces = [[expression(kernel_, op.operands[0]), 4, op.attrs["align"]] for op in allocations]
    first, second = -(-n // 3) + 64, max(length - 5, blocks) * 2
    want = -(-first * 4 // 16) * 16 + second * 4
    assert dynamic_bytes(pieces, (0, length, n), (blocks, 1, 1)) == want
