"""What threads of a warp or block tell each other: shuffles, votes, matches.

Each function takes its operands and the mask of the threads that take part, arrays over the threads of the block, and gives the
result likewise (of no meaning where the mask is not set). A tile is `width` lanes; tiles lie inside of warps.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.values import Array, Mask, to_bits
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import Scalar

Exchange = Callable[[Sequence[Array], Mask], Array]
WARP = 32


def in_groups(values: Array, size: int, rest: bool | int = 0) -> Array:
    """Rows of `size` threads; where the block ends inside a row it is filled up."""
    out = np.full(-(-len(values) // size) * size, rest, values.dtype)
    out[: len(values)] = values
    return out.reshape(-1, size)


def for_each(groups: Array, size: int, threads: int) -> Array:
    """One value a group, to each of its threads."""
    return np.repeat(groups, size)[:threads]


def lane_mask(flags: Array) -> Array:
    """The last axis as the bits of a u32, bit 0 first."""
    weights = np.left_shift(np.uint64(1), np.arange(flags.shape[-1], dtype=np.uint64))
    return (flags * weights).sum(axis=-1, dtype=np.uint64).astype(np.uint32)


_SOURCES: dict[str, Callable[[Array, Array], Array]] = {
    "shuffle.idx": lambda lane, operand: operand,
    "shuffle.xor": np.bitwise_xor,
    "shuffle.down": np.add,
    "shuffle.up": np.subtract,
}


def _shuffle(reference: str, width: int, active: bool) -> Exchange:
    """The value of another lane of the tile, or the own one where there is no such lane.

    With `active` a lane that does not run the statement counts as not there; else it is one that a check ended, and gives 0.
    """
    source_of = _SOURCES[reference]

    def shuffle(operands: Sequence[Array], mask: Mask) -> Array:
        values, operand = operands
        threads = np.arange(len(values))
        lane = threads % width
        wanted = source_of(lane, operand.astype(np.int64))
        source = threads - lane + wanted
        there = (wanted >= 0) & (wanted < width) & (source < len(values))
        source = np.where(there, source, threads)
        if active:
            return values[np.where(mask[source], source, threads)]
        return np.where(mask[source], values[source], np.zeros(1, values.dtype))

    return shuffle


def _ballot(width: int) -> Exchange:
    return lambda operands, mask: for_each(lane_mask(in_groups(mask & operands[0], width)), width, len(mask))


def _any(width: int) -> Exchange:
    return lambda operands, mask: for_each(np.any(in_groups(mask & operands[0], width), axis=1), width, len(mask))


def _all(width: int) -> Exchange:
    return lambda operands, mask: for_each(np.all(in_groups(~mask | operands[0], width, True), axis=1), width, len(mask))


def _match(type_: Scalar, width: int) -> Exchange:
    def match(operands: Sequence[Array], mask: Mask) -> Array:
        (values,) = operands
        bits = in_groups(values.view(np.uint8) if type_.kind == "bool" else to_bits(type_, values), width)
        same = (bits[:, :, None] == bits[:, None, :]) & in_groups(mask, width)[:, None, :]
        return lane_mask(same).reshape(-1)[: len(mask)]

    return match


def _match_all(type_: Scalar, width: int) -> Exchange:
    match, here = _match(type_, width), _ballot(width)
    return lambda operands, mask: match(operands, mask) == here([np.ones_like(mask)], mask)


# the operation, and what threads that are not there give to it: nothing, by the type's least and greatest number
_FOLDS: dict[str, tuple[np.ufunc, Callable[[Scalar], int]]] = {
    "reduce.sum": (np.add, lambda type_: 0),
    "reduce.min": (np.minimum, lambda type_: type_.max),
    "reduce.max": (np.maximum, lambda type_: type_.min),
    "reduce.and": (np.bitwise_and, lambda type_: type_.max if type_.min == 0 else -1),
    "reduce.or": (np.bitwise_or, lambda type_: 0),
    "reduce.xor": (np.bitwise_xor, lambda type_: 0),
}


def _reduce(reference: str, type_: Scalar, width: int) -> Exchange:
    operation, nothing = _FOLDS[reference]

    def reduce(operands: Sequence[Array], mask: Mask) -> Array:
        (values,) = operands
        rest = values.dtype.type(nothing(type_))
        groups = in_groups(np.where(mask, values, rest), width, rest)
        return for_each(operation.reduce(groups, axis=1, dtype=values.dtype), width, len(mask))

    return reduce


_BLOCK: dict[str, Exchange] = {
    "barrier.or": lambda operands, mask: np.full(len(mask), (mask & operands[0]).any()),
    "barrier.and": lambda operands, mask: np.full(len(mask), (~mask | operands[0]).all()),
    "barrier.popc": lambda operands, mask: np.full(len(mask), np.count_nonzero(mask & operands[0]), np.int32),
}
_TILE: dict[str, Callable[[int], Exchange]] = {"ballot": _ballot, "vote.any": _any, "vote.all": _all}


def exchange(op: Op) -> Exchange | None:
    """The function of an intrinsic that gives a value from several threads; None for one that only waits."""
    reference = ROWS[op.attrs["row"]].reference
    if reference in _BLOCK:
        return _BLOCK[reference]
    if reference in _TILE:
        return _TILE[reference](op.attrs["width"])
    if reference in _SOURCES:
        return _shuffle(reference, op.attrs["width"], op.attrs["mask"] == "active")
    if reference in _FOLDS:
        return _reduce(reference, op.operands[0].scalar, op.attrs["width"])
    made = {"match": _match, "match.all": _match_all}.get(reference)
    return made(op.operands[0].scalar, op.attrs["width"]) if made is not None else None
