"""Reductions and scans of warps, tiles and blocks, of shuffles, shared memory and barriers.

The order of additions is fixed by the number of threads alone, so that every device gives the same bits. `lanes` are the lanes of a warp or
tile; `combine` is one of the functions below, or the kernel's own; `steps` are powers of two; `kind` is the type of the values. Every index
is inside by construction.
"""

# Literals take the type of what they meet, and `T` stands for a type, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits
from oxidepy.lang.control import unroll
from oxidepy.lang.memory import shared
from oxidepy.lang.scalars import i32
from oxidepy.lang.scopes import block, warp
from oxidepy.lang.slices import Const


def plus(a, b):
    return a + b


def least(a, b):
    return min(a, b)


def greatest(a, b):
    return max(a, b)


def both(a, b):
    return a & b


def either(a, b):
    return a | b


def differing(a, b):
    return a ^ b


# ---- lanes


def reduce_tile(lanes, value, steps, combine):
    """A butterfly: after it every lane holds the same."""
    for step in unroll(steps):
        value = combine(value, lanes.shuffle_xor(value, step))
    return value


def fold_tile(lanes, value, steps, combine):
    """In the order of the lanes: what the first one has in the end is the result."""
    for step in unroll(steps):
        value = combine(value, lanes.shuffle_down(value, step))
    return lanes.shuffle(value, 0)


def scan_tile(lanes, value, steps, exclusive: Const[bool], combine, first):
    for step in unroll(steps):
        before = lanes.shuffle_up(value, step)
        value = combine(before, value) if lanes.lane >= step else value
    if exclusive:
        before = lanes.shuffle_up(value, 1)
        value = before if lanes.lane > 0 else first
    return value


def reduce_active(lanes, value, combine):
    """One lane after the other, in order: which lanes run is known only here."""
    rest = lanes.ballot(True)
    total = lanes.shuffle(value, i32(bits.ctz(rest)))
    rest &= rest - 1
    while rest != 0:
        total = combine(total, lanes.shuffle(value, i32(bits.ctz(rest))))
        rest &= rest - 1
    return total


def scan_active(lanes, value, exclusive: Const[bool], combine, first):
    rest = lanes.ballot(True)
    total = first
    while rest != 0:
        lane = i32(bits.ctz(rest))
        other = lanes.shuffle(value, lane)
        if exclusive:
            total = combine(total, other) if lane < lanes.lane else total
        else:
            total = combine(total, other) if lane <= lanes.lane else total
        rest &= rest - 1
    return total


# ---- blocks of whole warps


def reduce_warps(kind, value, warps: Const[int], combine):
    """The results of the warps, in order."""
    sums = shared.array(kind, warps)
    if warp.lane == 0:
        sums[warp.id] = value
    block.sync()
    total = sums[0]
    for one in unroll(range(1, warps)):
        total = combine(total, sums[one])
    block.sync()  # the next call writes here again
    return total


def scan_block(kind, value, warps: Const[int], exclusive: Const[bool], combine, first):
    inclusive = scan_tile(warp, value, (1, 2, 4, 8, 16), False, combine, first)
    sums = shared.array(kind, warps)
    if warp.lane == 31:
        sums[warp.id] = inclusive
    block.sync()
    base = first
    for one in unroll(range(warps - 1)):
        base = combine(base, sums[one]) if one < warp.id else base
    block.sync()
    if exclusive:
        before = warp.shuffle_up(inclusive, 1)
        inclusive = before if warp.lane > 0 else first
    return combine(base, inclusive)


# ---- blocks of any other size. `t` is the linear index of the thread


def reduce_ragged_block(kind, value, t, threads: Const[int], steps, combine):
    """A tree in shared memory."""
    values = shared.array(kind, threads)
    values[t] = value
    block.sync()
    for step in unroll(steps):
        if t < step and t + step < threads:
            values[t] = combine(values[t], values[t + step])
        block.sync()
    total = values[0]
    block.sync()
    return total


def fold_ragged_block(kind, value, t, threads: Const[int], steps, combine):
    """A tree in shared memory that keeps the order of the threads."""
    values = shared.array(kind, threads)
    values[t] = value
    block.sync()
    for step in unroll(steps):
        if t % (2 * step) == 0 and t + step < threads:
            values[t] = combine(values[t], values[t + step])
        block.sync()
    total = values[0]
    block.sync()
    return total


def scan_ragged_block(kind, value, t, threads: Const[int], steps, exclusive: Const[bool], combine, first):
    values = shared.array(kind, threads)
    values[t] = value
    block.sync()
    for step in unroll(steps):
        before = values[t - step] if t >= step else first
        block.sync()
        if t >= step:
            values[t] = combine(before, values[t])
        block.sync()
    if exclusive:
        total = values[t - 1] if t > 0 else first
    else:
        total = values[t]
    block.sync()
    return total
