"""Views cost nothing: a matrix product by views is the code of one by unchecked indices."""

# pyright: basic
from __future__ import annotations

import re

from oxidepy import D2, DisjointSlice, Runtime2D, Slice, f32, kernel, launch_contract, require, thread
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def by_views(a: Slice[f32, D2], b: Slice[f32, D2], c: DisjointSlice[f32, Runtime2D]) -> None:
    require(a.shape[0] == c.shape[0], b.shape[1] == c.shape[1], a.shape[1] == b.shape[0])
    idx = thread.index_2d_runtime(c)
    if idx in c:
        total = f32(0)
        for x, y in zip(a.row(idx.row), b.col(idx.col), strict=False):
            total += x * y
        c[idx] = total


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def by_indices(a: Slice[f32, D2], b: Slice[f32, D2], c: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(c)
    if idx in c:
        total = f32(0)
        for k in range(a.shape[1]):
            total += a[idx.row, k] * b[k, idx.col]
        c[idx] = total


def counted(one, *, unchecked: bool) -> tuple[int, int, int, int]:
    """Checks, loads, stores, instructions."""
    options = CodegenOptions(lineinfo=False, unchecked_indexing=unchecked)
    made = compile_kernel(one.definition, Specialisation(), nvptx_target("sm_80"), options)
    text = made.artefact.code.decode()
    patterns = (r"ld\.global", r"st\.global", r"\n\t[a-z@]")
    loads, stores, instructions = (len(re.findall(pattern, text)) for pattern in patterns)
    return made.checked.checked, loads, stores, instructions


def test_a_product_by_views_is_that_by_unchecked_indices() -> None:
    checks, loads, stores, instructions = counted(by_views, unchecked=False)
    _, raw_loads, raw_stores, raw_instructions = counted(by_indices, unchecked=True)
    assert checks == 0 and (loads, stores) == (raw_loads, raw_stores)
    assert instructions <= raw_instructions * 1.05
