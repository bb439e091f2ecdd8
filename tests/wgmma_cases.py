"""Products of a warpgroup as whole kernels, with their inputs and what comes out: for the interpreter and for GPUs."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
from ir.test_mma import codes, packed, spread

import oxidepy as ox
from oxidepy import (
    LaunchConfig1D,
    Slice,
    SliceMut,
    barrier,
    bf16,
    block,
    f16,
    f32,
    i32,
    kernel,
    launch_contract,
    shared,
    thread,
    u8,
    u32,
    unroll,
    unsafe,
    wgmma,
)
from oxidepy.ir.intrinsics.mma import BITS

ELEMENTS: dict[str, Any] = {"f16": f16, "bf16": bf16, "tf32": f32, "e4m3": u8, "e5m2": u8, "i8": u8, "u8": u8, "b1": u8}
SUMS: dict[str, Any] = {"f32": f32, "f16": u32, "i32": i32}
TWO = 2  # products along k


@dataclass(frozen=True)
class Case:
    """`swizzle` in bytes; `trans`: which operands are contiguous along their rows; `registers`: A does not come from shared memory."""

    accumulator: str
    a: str
    b: str
    n: int
    swizzle: int = 128
    trans_a: bool = False
    trans_b: bool = False
    registers: bool = False

    def __str__(self) -> str:
        turned = "".join(name for name, one in (("A", self.trans_a), ("B", self.trans_b), ("r", self.registers)) if one)
        return f"{self.accumulator}-{self.a}-{self.b}-n{self.n}-s{self.swizzle}{turned and '-' + turned}"

    @property
    def k(self) -> int:
        """Along k of one product, in elements as memory has them (bytes for b1)."""
        return {"f16": 16, "bf16": 16, "tf32": 8}.get(self.a, 32)

    @property
    def name(self) -> str:
        kinds = self.a if self.a == self.b else f"{self.a}.{self.b}"
        return f"wgmma.m64n{self.n}k{256 if self.a == 'b1' else self.k}.{self.accumulator}.{kinds}{'.registers' if self.registers else ''}"


_PAIRS = [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"), ("i32", "b1", "b1")]
_PAIRS += [(accumulator, a, b) for accumulator in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
_PAIRS += [("i32", a, b) for a in ("i8", "u8") for b in ("i8", "u8")]
TURNED = ((True, False), (False, True), (True, True))
CASES: tuple[Case, ...] = (
    *(Case(*pair, n=16) for pair in _PAIRS),
    *(Case(*pair, n=16, registers=True) for pair in _PAIRS),
    *(Case("f32", "f16", "f16", n=n, swizzle=swizzle) for n in (8, 64) for swizzle in (0, 32, 64, 128)),
    *(
        Case("f32", "bf16", "bf16", 64, swizzle, a, b)
        for swizzle in (0, 32, 64, 128)
        for a, b in ((True, False), (False, True), (True, True))
    ),
    *(Case("f32", "tf32", "tf32", n=24, swizzle=swizzle) for swizzle in (0, 32, 64)),
    *(Case("i32", "u8", "i8", n=32, swizzle=swizzle) for swizzle in (0, 32, 64)),
    Case("f32", "f16", "f16", n=128),
    Case("f32", "f16", "f16", n=256),
    Case("f16", "f16", "f16", n=256, trans_b=True),
    Case("i32", "i8", "i8", n=256),
)


def product_kernel(case: Case) -> Any:
    """A: 64 × k as its lines in memory, B: n × k likewise, C: one register a column."""
    multiply: Any = wgmma
    for part in case.name.split(".")[1:]:
        multiply = getattr(multiply, part)
    A, B, S = ELEMENTS[case.a], ELEMENTS[case.b], SUMS[case.accumulator]
    a_lines, a_length = (TWO * case.k, 64) if case.trans_a else (64, TWO * case.k)
    b_lines, b_length = (TWO * case.k, case.n) if case.trans_b else (case.n, TWO * case.k)
    line, count = case.swizzle or 16, case.n // 4 if case.accumulator == "f16" else case.n // 2
    # members of an enum are known at compile time
    P: Any = enum.Enum(
        "P",
        {
            "K": case.k,
            "N": case.n,
            "SWIZZLE": case.swizzle,
            "A_LINES": a_lines,
            "A_LENGTH": a_length,
            "A_COUNT": -(-a_length * A.dtype.itemsize // line) * line // A.dtype.itemsize * a_lines,
            "B_LINES": b_lines,
            "B_LENGTH": b_length,
            "B_COUNT": -(-b_length * B.dtype.itemsize // line) * line // B.dtype.itemsize * b_lines,
            "TRANS_A": int(case.trans_a),
            "TRANS_B": int(case.trans_b),
            "HALVES": int(A.dtype.itemsize == 2),
            "REGISTERS": int(case.registers),
            "COUNT": count,
        },
    )
    T: Any = {"f32": f32, "f16": f16, "i32": i32}[case.accumulator]

    @kernel
    @launch_contract(domain=1, block=(128, 1, 1))
    def product(a: Slice[A], b: Slice[B], words: Slice[u32], c: SliceMut[S]) -> None:  # type: ignore[valid-type]
        t = thread.idx.x
        left = shared.array(A, P.A_COUNT, align=1024)
        right = shared.array(B, P.B_COUNT, align=1024)
        with unsafe("each thread writes its own elements, and everything is there behind the barrier"):
            for i in range(t, len(a), 128):
                left[wgmma.index(left, (i // P.A_LENGTH, i % P.A_LENGTH), P.A_LINES, swizzle=P.SWIZZLE)] = a[i]
            for i in range(t, len(b), 128):
                right[wgmma.index(right, (i // P.B_LENGTH, i % P.B_LENGTH), P.B_LINES, swizzle=P.SWIZZLE)] = b[i]
            barrier.fence_proxy_async(space="shared")
            block.sync()
            acc = wgmma.zeros(P.N, T)
            wgmma.fence()
            for step in unroll(range(TWO)):
                at = step * P.K
                if P.TRANS_B != 0:
                    other = wgmma.tile(right, (at, 0), P.B_LINES, swizzle=P.SWIZZLE, trans=True)
                else:
                    other = wgmma.tile(right, (0, at), P.B_LINES, swizzle=P.SWIZZLE)
                if P.REGISTERS != 0:
                    w = (step * 128 + t) * 4
                    registers = (words[w], words[w + 1], words[w + 2], words[w + 3])
                    wgmma.fence()
                    acc = multiply(registers, other, acc, step > 0)
                else:
                    if P.TRANS_A != 0:
                        own = wgmma.tile(left, (at, 0), P.A_LINES, swizzle=P.SWIZZLE, trans=True)
                    else:
                        own = wgmma.tile(left, (0, at), P.A_LINES, swizzle=P.SWIZZLE)
                    if P.HALVES != 0:
                        acc = multiply(own, other, acc, step > 0, trans_a=P.TRANS_A, trans_b=P.TRANS_B)
                    else:
                        acc = multiply(own, other, acc, step > 0)
            wgmma.commit_group()
            acc = wgmma.wait_group(0, acc)
            for i in unroll(range(P.COUNT)):
                c[t * P.COUNT + i] = acc[i]

    return product


@dataclass
class Data:
    """The arguments of a case's kernel but for the last, and the matrix that has to come out."""

    a: np.ndarray
    b: np.ndarray
    words: np.ndarray
    wanted: np.ndarray


def data(case: Case) -> Data:
    rng = np.random.default_rng(5)
    k = TWO * (256 if case.a == "b1" else case.k)
    a, a_bits = codes(rng, case.a, (64, k))
    b, b_bits = codes(rng, case.b, (case.n, k))
    wanted = (a[:, None] & b[None]).sum(axis=2) if case.a == "b1" else a @ b.T
    left = packed(a_bits, case.a, k * BITS[case.a] // 32)
    words = np.stack(
        [
            np.concatenate([spread(left[16 * w : 16 * w + 16, 8 * step : 8 * step + 8], 4) for w in range(4)], axis=1).T
            for step in range(TWO)
        ]
    )
    lines = [_lines(bits, type_, turned) for bits, type_, turned in ((a_bits, case.a, case.trans_a), (b_bits, case.b, case.trans_b))]
    return Data(lines[0], lines[1], np.ascontiguousarray(words).ravel(), wanted)


def _lines(bits: np.ndarray, type_: str, turned: bool) -> np.ndarray:
    """The matrix in memory, line after line."""
    dtype = ELEMENTS[type_].dtype
    if type_ == "b1":
        return packed(bits, type_, bits.shape[1] // 32).view(np.uint8).ravel()
    raw = bits.astype(f"u{BITS[type_] // 8}")
    return np.ascontiguousarray(raw.T if turned else raw).ravel().view(np.uint16 if dtype.itemsize == 2 else dtype)


def matrix(case: Case, found: np.ndarray) -> np.ndarray:
    """The accumulators of 128 threads as the matrix."""
    sums = found.reshape(128, -1)
    if case.accumulator == "f16":
        sums = np.ascontiguousarray(sums).view(np.float16)
    thread, number = np.arange(128)[:, None], np.arange(sums.shape[1])
    lane = thread % 32
    out = np.zeros((64, case.n), sums.dtype)
    out[thread // 32 * 16 + lane // 4 + 8 * (number // 2 % 2), number // 4 * 8 + lane % 4 * 2 + number % 2] = sums
    return out


def run_case(case: Case, device: str) -> tuple[np.ndarray, np.ndarray]:
    """What comes out on a device, and what has to."""
    ctx = ox.Context(device)
    stream, given = ctx.default_stream(), data(case)
    product = product_kernel(case)
    A, B, S = ELEMENTS[case.a], ELEMENTS[case.b], SUMS[case.accumulator]
    count = case.n // 4 if case.accumulator == "f16" else case.n // 2
    a = ox.DeviceBuffer.from_host(stream, given.a.view(A.dtype))
    b = ox.DeviceBuffer.from_host(stream, given.b.view(B.dtype))
    words, c = ox.DeviceBuffer.from_host(stream, given.words), ox.DeviceBuffer.zeros(stream, 128 * count, S)
    product.prepare(ctx, LaunchConfig1D(1, 128))(stream, a, b, words, c)
    return matrix(case, c.to_host(stream)), given.wanted
