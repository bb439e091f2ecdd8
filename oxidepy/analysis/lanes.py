"""Which lanes of a warp come to a `warp.sync`, and whether its mask names just these: the others would be waited for in vain."""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.ir.core import Kernel, Op, Value

FULL = (1 << 32) - 1


def named(op: Op) -> int | str | None:
    """What a mask says: a number of lanes as bits, "active" for those that run, "tile" for the tile of the lane; None if not known."""
    mask = op.operands[0]
    if isinstance(mask.constant, int):
        return mask.constant & FULL
    made = mask.owner
    if not isinstance(made, Op):
        return None
    if made.name == "intrinsic" and made.attrs["row"] == "warp.ballot" and made.attrs["mask"] == "active":
        return "active" if made.operands[0].constant is True else None
    return "tile" if tile(op) is not None else None


def tile(op: Op) -> int | None:
    """How many lanes the tile has that a mask names; None where it does not name the tile of the lane."""
    made = op.operands[0].owner
    if not isinstance(made, Op) or made.name != "shl" or not isinstance(made.operands[0].constant, int):
        return None
    return made.operands[0].constant.bit_length() if _first_of_tile(made.operands[1], made.operands[0].constant) else None


def _first_of_tile(first: Value, lanes: int) -> bool:
    """Whether it is the lane at which the tile of this lane begins, for tiles of as many lanes as the mask has."""
    made = first.owner
    if isinstance(made, Op) and made.name == "cast":
        made = made.operands[0].owner
    if not isinstance(made, Op) or made.name != "and" or not _is_lane(made.operands[0]):
        return False
    width = lanes.bit_length()
    return lanes == (1 << width) - 1 and made.operands[1].constant == -width


def _is_lane(value: Value, block: tuple[int, int, int] = (0, 0, 0)) -> bool:
    """Whether it is the number of the lane: in a block of one row of 32 threads the number of the thread too."""
    rows = ("warp.lane", "thread.idx.x") if block == (32, 1, 1) else ("warp.lane",)
    return isinstance(value.owner, Op) and value.owner.name == "intrinsic" and value.owner.attrs["row"] in rows


def part(op: Op) -> int | None:
    """The lanes, not all, that come together at a `warp.sync`: its mask is a number, and it is proven that these come, and no others."""
    mask = named(op) if op.attrs["row"] == "warp.sync" and "unsafe" not in op.attrs else None
    return mask if isinstance(mask, int) and mask != FULL else None


def come(kernel: Kernel, op: Op, cause: Op | None) -> int | None:
    """The lanes for which the only divergent condition around an operation holds, if it compares the lane with a number; else None."""
    if cause is None or cause.name != "if" or cause.operands[0].owner is None:
        return None
    side = next((number for number, region in enumerate(cause.regions) if any(one is op for one in region.walk())), None)
    test = cause.operands[0].owner
    if side is None or not isinstance(test, Op) or test.name not in _HOLDS or len(test.operands) != 2:
        return None
    lane, edge = test.operands
    if not _is_lane(lane, kernel.block) or not isinstance(edge.constant, int) or kernel.block[0] * kernel.block[1] * kernel.block[2] % 32:
        return None
    lanes = sum(1 << one for one in range(32) if _HOLDS[test.name](one, int(edge.constant)))
    return lanes if side == 0 else FULL & ~lanes


_HOLDS: dict[str, Callable[[int, int], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
