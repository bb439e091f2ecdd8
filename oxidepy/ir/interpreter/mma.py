"""Tensor-core operations of a warp. How matrices lie in registers is said in `ir.intrinsics.mma`."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oxidepy.ir.interpreter.exchange import WARP
from oxidepy.ir.interpreter.hardware import Execution
from oxidepy.ir.interpreter.matrix import elements
from oxidepy.ir.interpreter.matrix import product as multiplied
from oxidepy.ir.interpreter.values import Array
from oxidepy.ir.intrinsics.mma import BITS

_LANES = np.arange(WARP)


def gather(registers: Array, rows: int) -> Array:
    """Rows × words of what a warp holds as A (16 or 8 rows) or as B (8 columns, given as rows)."""
    count = len(registers)
    number = np.arange(count)[:, None]
    bands = rows // 8
    out = np.empty((rows, 4 * count // bands), registers.dtype)
    out[_LANES // 4 + 8 * (number % bands), _LANES % 4 + 4 * (number // bands)] = registers
    return out


def _places(count: int) -> tuple[Array, Array]:
    """Row and column of the accumulators: registers × lanes."""
    number = np.arange(count)[:, None]
    return _LANES // 4 + 8 * (number // 2), _LANES % 4 * 2 + number % 2


def unpacked(registers: Array, accumulator: str) -> Array:
    """Accumulators one by one: those of 16 bits lie two in a register."""
    if accumulator != "f16":
        return registers
    halves = np.ascontiguousarray(registers).view(np.float16).reshape(len(registers), -1, 2)
    return halves.transpose(0, 2, 1).reshape(2 * len(registers), -1)


def packed(values: Array, accumulator: str) -> Array:
    """The inverse of `unpacked`."""
    if accumulator != "f16":
        return values
    count, lanes = len(values) // 2, values.shape[1]
    return np.ascontiguousarray(values.reshape(count, 2, lanes).transpose(0, 2, 1)).view(np.uint32).reshape(count, lanes)


def product(run: Execution) -> Sequence[Array]:
    """d = a · b + c of every warp."""
    _, shape, accumulator, first, *rest = run.row.name.split(".")
    second = rest.pop(0) if rest and rest[0] in ("i8", "u8", "i4", "u4", "e4m3", "e5m2") else first
    how = rest[0] if rest else ""
    rows = int(shape[1 : shape.index("n")])
    a, b, c = run.registers("a"), run.registers("b"), run.registers("c")
    out = np.zeros_like(c)
    for warp in run.groups(WARP):
        left = elements(gather(a[:, warp], rows), first)
        right = elements(gather(b[:, warp], 8), second)
        sums = unpacked(c[:, warp], accumulator)
        row, column = _places(len(sums))
        total = np.empty((rows, 8), sums.dtype)
        total[row, column] = sums
        out[:, warp] = packed(multiplied(left, right.T, total, accumulator, how)[row, column], accumulator)
    return list(out)


def quarters(run: Execution) -> Sequence[Array]:
    """d = a · b + c of every eight lanes: two times four, one 16 lanes behind the other."""
    accumulator = run.row.name.split(".")[2]
    a, b, c = (np.ascontiguousarray(run.registers(name)) for name in "abc")
    out = np.zeros_like(c)
    i, side = np.arange(8) % 4, np.arange(8) // 4
    number = np.arange(8)[:, None]
    row, column = i + 4 * side, number
    if accumulator == "f32":
        row, column = 4 * side + i % 2 + number % 4 // 2 * 2, number // 4 * 4 + i // 2 * 2 + number % 2
    for warp in run.groups(WARP):
        for quarter in range(4):
            lanes = warp.start + 4 * quarter + np.concatenate([np.arange(4), np.arange(16, 20)])
            left = _fours(a[:, lanes], run.attrs["a_order"] == "row")
            right = _fours(b[:, lanes], run.attrs["b_order"] == "col")
            sums = unpacked(c[:, lanes], accumulator)
            total = np.empty((8, 8), sums.dtype)
            total[row, column] = sums
            out[:, lanes] = packed(multiplied(left, right.T, total, accumulator)[row, column], accumulator)
    return list(out)


def _fours(registers: Array, along: bool) -> Array:
    """8 rows (of B columns) × 4 along k of what eight lanes hold: each its row, or four rows at its place along k."""
    held = elements(np.ascontiguousarray(registers.T), "f16")  # lanes × 4
    return held if along else np.concatenate([held[:4].T, held[4:].T])


def _metadata(words: Array, selector: int, bits: int, narrow: bool) -> Array:
    """The metadata of 16 rows as numbers of `bits` bits; `words` is what the lanes of a warp hold."""
    quads = words.reshape(8, 4).astype(np.uint64)
    if narrow:
        count = bits // 16
        own = quads[:, selector * count : (selector + 1) * count]
        shifts = np.arange(count, dtype=np.uint64) * np.uint64(16)
        rows = [((own >> np.uint64(16 * half) & np.uint64(0xFFFF)) << shifts).sum(axis=1) for half in range(2)]
    else:
        count = bits // 32
        own = quads[:, selector * 2 * count : (selector + 1) * 2 * count]
        shifts = np.arange(count, dtype=np.uint64) * np.uint64(32)
        rows = [(own[:, half::2] << shifts).sum(axis=1) for half in range(2)]
    return np.concatenate(rows).astype(np.uint64)


def spread(kept: Array, words: Array, selector: int, type_: str) -> Array:
    """16 rows of a sparse A with zeros where nothing was kept; `words` is the metadata that the lanes of a warp hold."""
    together = 2 if BITS[type_] == 4 else 1  # elements that are kept as one
    size, keep = (4, 1) if type_ == "tf32" else (2, 2)
    groups = kept.shape[1] // (keep * together)
    bits = _metadata(words, selector, groups * keep * size, BITS[type_] >= 16)
    shifts = np.arange(0, groups * keep * size, size, dtype=np.uint64).reshape(groups, keep)
    code = (bits[:, None, None] >> shifts & np.uint64(2**size - 1)).astype(np.int64)
    place = (code == 14).astype(np.int64) if type_ == "tf32" else code
    out = np.zeros((16, groups, 2 * keep, together), kept.dtype)
    row, group = np.arange(16)[:, None, None], np.arange(groups)[None, :, None]
    out[row, group, place] = kept.reshape(16, groups, keep, together)
    return out.reshape(16, -1)


def sparse(run: Execution) -> Sequence[Array]:
    """d = a · b + c of every warp, a having only its kept elements."""
    _, _, _, accumulator, first, *rest = run.row.name.split(".")
    second = rest.pop(0) if rest and rest[0] in BITS else first
    how = rest[0] if rest else ""
    b, c = run.registers("b"), run.registers("c")
    out = np.zeros_like(c)
    for warp in run.groups(WARP):
        kept = elements(gather(run.registers("a")[:, warp], 16), first)
        left = spread(kept, run.register("metadata")[warp], int(run.attrs["selector"]), first)
        right = elements(gather(b[:, warp], 8), second)
        sums = unpacked(c[:, warp], accumulator)
        at, column = _places(len(sums))
        total = np.empty((16, 8), sums.dtype)
        total[at, column] = sums
        out[:, warp] = packed(multiplied(left, right.T, total, accumulator, how)[at, column], accumulator)
    return list(out)


def _transposed(words: Array) -> Array:
    """Matrices of 8 × 8 halves as words (…, 8, 4), each transposed."""
    halves = np.ascontiguousarray(words).view(np.uint16)
    return np.ascontiguousarray(np.swapaxes(halves, -1, -2)).view(np.uint32)


def ldmatrix(run: Execution) -> Sequence[Array]:
    """Lane 8 * j + i names row i of matrix j."""
    count, threads = len(run.op.results), len(run.mask)
    out = np.zeros((count, threads), np.uint32)
    for warp in run.groups(WARP):
        named = np.zeros(threads, np.bool_)
        named[warp.start : warp.start + 8 * count] = True
        named &= run.mask
        lines = run.place("p").read(16, named)[warp.start : warp.start + 8 * count]
        matrices = lines.view(np.uint32).reshape(count, 8, 4)
        if run.row.name.endswith("_trans"):
            matrices = _transposed(matrices)
        out[:, warp] = matrices.reshape(count, WARP)
    return list(out)


def stmatrix(run: Execution) -> Sequence[Array]:
    registers, threads = run.registers("a"), len(run.mask)
    for warp in run.groups(WARP):
        matrices = registers[:, warp].reshape(-1, 8, 4)
        if run.row.name.endswith("_trans"):
            matrices = _transposed(matrices)
        named = np.zeros(threads, np.bool_)
        named[warp.start : warp.start + 8 * len(registers)] = True
        lines = np.zeros((threads, 16), np.uint8)
        lines[named] = np.ascontiguousarray(matrices.reshape(-1, 4)).view(np.uint8)
        run.place("p").write(lines, named & run.mask)
    return ()


def movmatrix(run: Execution) -> Sequence[Array]:
    values = run.register("a")
    out = np.zeros_like(values)
    for warp in run.groups(WARP):
        out[warp] = _transposed(values[warp].reshape(8, 4)).ravel()
    return [out]


def tf32(run: Execution) -> Sequence[Array]:
    """Rounded half away from zero: half of the last place added, the rest cut off. A NaN stays one."""
    values = run.register("x")
    bits = values.view(np.uint32)
    rounded = (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return [np.where(np.isnan(values), np.uint32(0x7FFFFFFF), np.where(np.isinf(values), bits, rounded))]
