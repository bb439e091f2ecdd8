"""A proven kernel costs nothing: its PTX has the loads, stores and branches of the one without any bounds checks."""

# pyright: basic
from __future__ import annotations

import re
from collections import Counter
from typing import Annotated

import pytest

from oxidepy import DisjointSlice, Index2D, Slice, SliceMut, Width, block, f32, i32, kernel, launch_contract, require, shared, thread
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import Compiled, compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.runtime.kernel import Kernel
from oxidepy.settings.options import CodegenOptions

T, WIDTH = 16, 1024


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def sgemm(a: Slice[f32], b: Slice[f32], c: SliceMut[f32], m: i32, n: i32, k: i32) -> None:
    require(len(a) == m * k, len(b) == k * n, len(c) == m * n)
    sa, sb = shared.array(f32, (T, T)), shared.array(f32, (T, T))
    tx, ty = thread.idx.x, thread.idx.y
    row, col = block.idx.y * T + ty, block.idx.x * T + tx
    acc = f32(0)
    for step in range(0, k, T):
        sa[ty, tx] = a[row * k + step + tx] if row < m and step + tx < k else f32(0)
        sb[ty, tx] = b[(step + ty) * n + col] if step + ty < k and col < n else f32(0)
        block.sync()
        for q in range(T):
            acc += sa[ty, q] * sb[q, tx]
        block.sync()
    if row < m and col < n:
        c[row * n + col] = acc


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def stencil(x: Slice[f32], y: Annotated[DisjointSlice[f32, Index2D], Width(WIDTH)], height: i32) -> None:
    require(len(x) == WIDTH * height, len(y) == WIDTH * height)
    idx = thread.index_2d(WIDTH)
    if idx in y and 0 < idx.col < WIDTH - 1 and 0 < idx.row < height - 1:
        i = idx.row * WIDTH + idx.col
        y[idx] = 0.2 * (x[i] + x[i - 1] + x[i + 1] + x[i - WIDTH] + x[i + WIDTH])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def row_sums(x: Slice[f32], k: i32, y: DisjointSlice[f32]) -> None:
    row = thread.index_1d()
    if row in y:
        total = f32(0)
        for i in range(k):
            total += x[row.get() * k + i]
        y[row] = total


def compiled(one: Kernel[...], *, unchecked: bool) -> Compiled:
    options = CodegenOptions(unchecked_indexing=unchecked)
    return compile_kernel(one.definition, Specialisation(), nvptx_target("sm_90a"), options, usual=True)


def work(made: Compiled) -> Counter[str]:
    """How many loads, stores, branches and comparisons there are, each kind apart."""
    return Counter(re.findall(r"^\s*(?:@!?%\w+\s+)?((?:ld|st|bra|setp)[\w.:]*)", made.artefact.code.decode(), re.MULTILINE))


@pytest.mark.parametrize("one", (sgemm, stencil, row_sums), ids=lambda one: one.name)
def test_a_proven_kernel_is_the_one_without_checks(one: Kernel[...]) -> None:
    proven, unchecked = compiled(one, unchecked=False), compiled(one, unchecked=True)
    assert not proven.artefact.panic and proven.checked.checked == 0 and proven.checked.proven + proven.checked.hoisted > 0
    assert work(proven) == work(unchecked) and work(proven)["bra"] + work(proven)["bra.uni"] > 0
