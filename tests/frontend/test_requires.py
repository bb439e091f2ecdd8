"""`require`: relations as trees of exact integers for the host, or OX2001."""

# pyright: basic
# ruff: noqa: F821 - kernels with mistakes, and loops as people write them
from __future__ import annotations

from dataclasses import dataclass

import pytest
from frontend.running import findings, lowered

import oxidepy as ox
from oxidepy import D2, LaunchError, Slice, SliceMut, block, cdiv, f32, grid, i32, kernel, launch_contract, require, struct

TILE = 32


@struct
@dataclass(frozen=True)
class Size:
    rows: i32
    scale: f32


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def good(a: Slice[f32], b: SliceMut[f32, D2], m: i32, k: i32, size: Size) -> None:
    """A docstring may stand first."""
    require(len(a) == m * k, b.shape[1] <= TILE)
    require(0 < m < size.rows or k % 2 != 0, grid.dim.x >= cdiv(m, TILE) - 1)
    require(min(m, -k, 3) < max(len(b), 1) // 2)
    b[0, 0] = a[0]


def test_relations() -> None:
    found = lowered(good).kernel.requires
    m, k = ("scalar", "m"), ("scalar", "k")
    assert [one.expr for one in found] == [
        ("==", ("len", "a", 0), ("*", m, k)),
        ("<=", ("len", "b", 1), ("int", 32)),
        ("or", ("and", ("<", ("int", 0), m), ("<", m, ("field", "size", "rows"))), ("!=", ("%", k, ("int", 2)), ("int", 0))),
        (">=", ("grid", 0), ("-", ("neg", ("//", ("neg", m), ("int", 32))), ("int", 1))),
        ("<", ("min", ("min", m, ("neg", k)), ("int", 3)), ("//", ("max", ("len", "b", 0), ("int", 1)), ("int", 2))),
    ]
    assert found[0].text == "len(a) == m * k"
    assert found[0].span is not None and found[0].span.line == good.definition.function.__code__.co_firstlineno + 4


@kernel
@launch_contract(domain=2, block=(32, 4, 1))
def sized(a: SliceMut[f32]) -> None:
    require(len(a) == grid.size, len(a) >= 2 * block.size + block.dim.y)
    a[block.rank + block.size * (block.idx.x + grid.dim.x * block.idx.y)] = 1.0


def test_threads_of_blocks_and_grids() -> None:
    threads = ("int", 128)
    for axis in range(3):
        threads = ("*", threads, ("grid", axis))
    first, second = (one.expr for one in lowered(sized).kernel.requires)
    assert first == ("==", ("len", "a", 0), threads)
    assert second == (">=", ("len", "a", 0), ("+", ("*", ("int", 2), ("int", 128)), ("int", 4)))
    assert str(sized.report().proofs[0].bounds).endswith("0 checked")
    for device in ("cpu", "interp"):
        stream = ox.Context(device).default_stream()
        prepared = sized.prepare(stream.context, ox.LaunchConfig2D(grid=(2, 3), block=(32, 4)))
        y = ox.DeviceBuffer.zeros(stream, 768, f32)
        prepared(stream, y)
        assert y.to_host(stream).all()
        with pytest.raises(LaunchError, match="OX2005"):
            prepared(stream, y[:767])


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def bad(a: Slice[f32], b: SliceMut[f32], m: i32, x: f32, size: Size) -> None:
    require(a[0] > 0.0)
    require(x > 1)
    require(m)
    require(a == m)
    require(size.scale > 0, size.row > 0)
    require(m << 2 > 0)
    require(m == unknown)
    b[0] = 1.0
    require(m > 0)


def test_what_the_host_cannot_compute() -> None:
    assert [one.code for one in findings(bad)] == ["OX2001", "OX2001", "OX2001", "OX2001", "OX2001", "OX0425", "OX2001", "OX0425", "OX2001"]
