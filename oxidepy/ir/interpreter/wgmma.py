"""Tensor-core operations of a warpgroup. How matrices lie in shared memory and registers is said in `ir.intrinsics.wgmma`.

A product is done when it is begun: what depends on waiting is checked where the kernel is compiled.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oxidepy.ir.interpreter.addresses import read
from oxidepy.ir.interpreter.exchange import WARP
from oxidepy.ir.interpreter.hardware import Execution
from oxidepy.ir.interpreter.matrix import elements
from oxidepy.ir.interpreter.matrix import product as multiplied
from oxidepy.ir.interpreter.misuse import Misuse
from oxidepy.ir.interpreter.mma import gather, packed, spread, unpacked
from oxidepy.ir.interpreter.values import Array
from oxidepy.ir.intrinsics.mma import BITS

GROUP = 4 * WARP
_SWIZZLED = {0: 0, 1: 3, 2: 2, 3: 1}  # the descriptor's mode → how many bits of the address change


def nothing(run: Execution) -> Sequence[Array]:
    """Orders what is in order here."""
    return ()


def handed_on(run: Execution) -> Sequence[Array]:
    """A wait gives the accumulators as they are."""
    assert run.row.assembly is not None
    return list(run.registers("d")) if run.row.assembly.gives else ()


def product(run: Execution) -> Sequence[Array]:
    """d = a · b + d of every warpgroup."""
    shape, accumulator, first, *rest = run.row.name.removeprefix("wgmma.").removeprefix("sparse.").split(".")
    second = rest.pop(0) if rest and rest[0] in BITS else first
    columns, k = map(int, shape[4:].split("k"))
    d, attrs = run.registers("d"), run.attrs
    sparse = "selector" in attrs
    how = "and_" if first == "b1" else "sat" if "sat" in rest else ""
    out = np.zeros_like(d)
    for group in run.groups(GROUP):
        if "registers" in rest:
            a = elements(_rows_of(run.registers("a")[:, group]), first)
        else:
            a = _matrix(run, group, "a", first, 64, k // (1 + sparse), bool(attrs.get("trans_a", 0)))
        if sparse:
            a = _spread(run, group, a, first)
        b = _matrix(run, group, "b", second, columns, k, bool(attrs.get("trans_b", 0)))
        sums = unpacked(d[:, group], accumulator)
        row, column = _places(len(sums))
        total = np.zeros((64, columns), sums.dtype)
        if _one(run, group, "accumulate"):
            total[row, column] = sums
        signs = attrs.get("scale_a", 1) * attrs.get("scale_b", 1)
        found = multiplied(a * signs, b.T, total, accumulator, how)
        out[:, group] = packed(found[row, column], accumulator)
    return list(out)


def _spread(run: Execution, group: slice, kept: Array, type_: str) -> Array:
    """A with zeros where nothing was kept, 16 rows of each warp by the metadata of its lanes."""
    words, selector = run.register("metadata")[group], int(run.attrs["selector"])
    return np.concatenate(
        [
            spread(kept[16 * warp : 16 * warp + 16], words[WARP * warp : WARP * warp + WARP], selector, type_)
            for warp in range(GROUP // WARP)
        ]
    )


def _places(count: int) -> tuple[Array, Array]:
    """Row and column of the accumulators: registers × threads of the group."""
    number, thread = np.arange(count)[:, None], np.arange(GROUP)
    lane = thread % WARP
    return thread // WARP * 16 + lane // 4 + 8 * (number // 2 % 2), number // 4 * 8 + lane % 4 * 2 + number % 2


def _rows_of(registers: Array) -> Array:
    """A of 64 rows, 16 of each warp, as words."""
    return np.concatenate([gather(registers[:, begin : begin + WARP], 16) for begin in range(0, GROUP, WARP)])


def _one(run: Execution, group: slice, name: str) -> int:
    """A value that is the same in all threads of the group that still run."""
    values = np.unique(run.register(name)[group][run.mask[group]])
    if len(values) > 1:
        message = f"`{name}` of `{run.row.name}` differs between the threads of a warpgroup"
        first = group.start + int(np.argmax(run.mask[group]))
        raise Misuse(run.op, run.state, first, "OX3002", message, "compute it from what all threads of the warpgroup have")
    return int(values[0])


def _matrix(run: Execution, group: slice, name: str, type_: str, rows: int, columns: int, turned: bool) -> Array:
    """The rows (of B the columns) × `columns` along k of a matrix that a descriptor names; `turned`: contiguous along the rows."""
    descriptor = _one(run, group, name)
    start, leading, stride = ((descriptor >> shift & 0x3FFF) * 16 for shift in (0, 16, 32))
    bits = _SWIZZLED[descriptor >> 62 & 3]
    line = 16 << bits
    if turned:
        k, piece = np.arange(columns)[:, None], np.arange(rows // 8)
        at = k % 8 * line + k // 8 * (stride if bits else leading)
        at = at + (piece % (line // 16) * 16 + piece // (line // 16) * leading if bits else piece * stride)
    else:
        row, piece = np.arange(rows)[:, None], np.arange(columns * BITS[type_] // 128)
        if bits and line < 16 * piece.size:
            message = f"`{name}` of `{run.row.name}` has {16 * piece.size} bytes along k, and lies in lines of {line}"
            raise Misuse(run.op, run.state, group.start, "OX2007", message, "take a swizzle of 64 or 128")
        at = row % 8 * line + row // 8 * stride + piece * (16 if bits else leading)
    at = start + at
    at = at ^ (at >> 7 & (1 << bits) - 1) << 4
    words = np.ascontiguousarray(read(run, at, 16).reshape(len(at), -1)).view(np.uint32)
    found = elements(words, type_)
    return found.T if turned else found
