"""Numbers of a type that are known at compile time, `block.size` and what is made of it: shapes, static conditions, loops written out."""

# pyright: basic
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from frontend.running import ops, refused, results
from loading import defined

from oxidepy import SliceMut, block, i32, kernel, launch_contract, local, shared, static_assert, thread, u8, u32, unroll, warp

USED = (thread, u8, u32)  # by the kernels that are texts


@kernel
@launch_contract(domain=2, block=(96, 2, 1))
def shapes(y: SliceMut[i32]) -> None:
    static_assert(block.size % warp.size == 0 and block.dim.y == 2 and not block.size < 192)
    sums = shared.array(i32, block.size // 32)
    tile = shared.array(i32, (block.dim.x // warp.size, block.dim.y + 1))
    mine = local.array(i32, block.dim.x - 90)
    if block.rank == 0:
        y[0] = len(sums)
        y[1] = tile.shape[0] * 10 + tile.shape[1]
        y[2] = len(mine)
        y[3] = block.size << 2 >> 1 | 1
        for k in unroll(range(block.dim.x // 32)):
            y[4 + k] = k * k


def test_shapes_and_conditions() -> None:
    assert results(shapes, np.int32, 7) == [6, 33, 6, 385, 0, 1, 4]
    assert "for" not in ops(shapes)


def compiled(body: str) -> Any:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"@kernel\n@launch_contract(domain=1, block=(64, 1, 1))\ndef k(y: SliceMut[i32]) -> None:\n{lines}"
    return defined(source, globals())["k"]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("y[0] = i32(2147483647) + block.dim.y", -(2**31)),
        ("y[0] = i32(-7) // i32(2)", -4),
        ("y[0] = i32(-7) % i32(2)", 1),
        ("y[0] = i32(-(2**31)) // i32(-1)", -(2**31)),
        ("y[0] = i32(u8(200) + u8(100))", 44),
        ("y[0] = i32(1) << i32(40)", 0),
        ("y[0] = i32(-8) >> i32(1)", -4),
        ("y[0] = i32(u32(1) - u32(2) > u32(5))", 1),
        ("y[0] = 1 if block.size == 64 else 2", 1),
        ("y[0] = 1 if block.size > 64 or block.dim.y > 1 else 2", 2),
        ("n = block.size\nfor k in range(3):\n    n //= 2\ny[0] = n", 8),
    ],
)
def test_they_are_computed_as_a_device_would(body: str, wanted: int) -> None:
    assert results(compiled(body), np.int32, 1) == [wanted]


def test_what_is_false_is_said() -> None:
    assert refused(compiled("static_assert(block.size == 128, 'large')")).message == "static assertion failed: large"
    assert refused(compiled("static_assert(block.size > 128 and block.dim.y == 1)")).code == "OX7002"
    assert refused(compiled("static_assert(thread.idx.x < 128)")).code == "OX0308"
