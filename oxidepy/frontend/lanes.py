"""Groups of lanes: what they are asked for, and the numbers that follow from them."""

from __future__ import annotations

from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import Lanes
from oxidepy.ir.core import Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import BOOL, I32, SCALARS, U32

EXCHANGES = ("shuffle", "shuffle_xor", "shuffle_down", "shuffle_up")
VOTES = ("ballot", "all", "any")
BITWISE = ("reduce_and", "reduce_or", "reduce_xor")
REDUCTIONS = ("reduce_sum", "reduce_min", "reduce_max", *BITWISE)
SCANS = ("scan_sum", "scan_min", "scan_max")
METHODS_OF_LANES = ("sync", *EXCHANGES, *VOTES, "match_any", "match_all", "elect", *REDUCTIONS, *SCANS)
MASKS = ("lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge")
COUNTS = ("size", "rank")
LANES = ("lane", *COUNTS, *MASKS, *METHODS_OF_LANES, "reduce", "scan", "tiled_partition")


def lane_of(frame: Frame, lanes: Lanes) -> Value:
    """The number of the thread in its group (of the active lanes: in the warp, as shuffles count)."""
    lane = frame.lowering.intrinsic("warp.lane")
    if lanes.width == 32:
        return lane
    return frame.builder.value("and", lane, frame.builder.const(I32, lanes.width - 1))


def exchange(frame: Frame, row: str, lanes: Lanes, *operands: Value) -> Value:
    """An operation of the warp over these lanes. Its result has the type of the first operand, or the row's own."""
    name = ROWS[row].result
    type_ = operands[0].scalar if name == "T" else SCALARS[name]
    return frame.builder.value("intrinsic", *operands, type=type_, row=row, mask=lanes.mask, width=lanes.width)


def mask_of(frame: Frame, lanes: Lanes) -> Value:
    """The lanes as bits of the warp, for `warp.sync`."""
    builder = frame.builder
    if lanes.mask == "active":
        return exchange(frame, "warp.ballot", lanes, builder.const(BOOL, True))
    if lanes.width == 32:
        return builder.const(U32, 0xFFFFFFFF)
    first = builder.value("and", frame.lowering.intrinsic("warp.lane"), builder.const(I32, -lanes.width))
    return builder.value("shl", builder.const(U32, (1 << lanes.width) - 1), builder.value("cast", first, type=U32))


def count_of(frame: Frame, lanes: Lanes, name: str) -> Value:
    """How many lanes the group has (`size`), or how many of them come before this one (`rank`), as an i32."""
    builder = frame.builder
    if lanes.mask != "active":
        return builder.const(I32, lanes.width) if name == "size" else lane_of(frame, lanes)
    running = mask_of(frame, lanes)
    if name == "rank":
        running = builder.value("and", running, mask_beside(frame, lanes, "lanemask_lt"))
    return builder.value("cast", builder.value("popcount", running), type=I32)


def mask_beside(frame: Frame, lanes: Lanes, name: str) -> Value:
    """The lanes of the group that are the thread's own, below, or above it, as bits: the group's first lane is bit 0."""
    builder = frame.builder
    one = builder.const(U32, 1)
    own = builder.value("shl", one, builder.value("cast", lane_of(frame, lanes), type=U32))
    if name == "lanemask_eq":
        return own
    below = builder.value("sub", own, one)
    if name in ("lanemask_le", "lanemask_gt"):
        below = builder.value("or", below, own)
    if name in ("lanemask_lt", "lanemask_le"):
        return below
    return builder.value("xor", below, builder.const(U32, (1 << lanes.width) - 1))
