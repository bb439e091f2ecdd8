"""Products of a warpgroup as whole kernels, with their inputs and what comes out: for the interpreter and for GPUs."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
from ir.test_mma import codes, packed, scattered, spread

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
    """`swizzle` in bytes; `trans`: which operands are contiguous along their rows; `registers`: A does not come from shared memory;
    `sparse`: the selector of a product with half of A; `sat`: sums are clamped, which small numbers do not show (see `overflowing`)."""

    accumulator: str
    a: str
    b: str
    n: int
    swizzle: int = 128
    trans_a: bool = False
    trans_b: bool = False
    registers: bool = False
    sparse: int | None = None
    sat: bool = False

    def __str__(self) -> str:
        turned = "".join(name for name, one in (("A", self.trans_a), ("B", self.trans_b), ("r", self.registers)) if one)
        turned += ("" if self.sparse is None else f"s{self.sparse}") + "c" * self.sat
        return f"{self.accumulator}-{self.a}-{self.b}-n{self.n}-s{self.swizzle}{turned and '-' + turned}"

    @property
    def k(self) -> int:
        """Along k of one product, in elements as memory has them (bytes for b1)."""
        return {"f16": 16, "bf16": 16, "tf32": 8}.get(self.a, 32) * (1 if self.sparse is None else 2)

    @property
    def own(self) -> int:
        """The same of A."""
        return self.k if self.sparse is None else self.k // 2

    @property
    def name(self) -> str:
        kinds = (self.a if self.a == self.b else f"{self.a}.{self.b}") + ".sat" * self.sat
        part = "wgmma" if self.sparse is None else "wgmma.sparse"
        return f"{part}.m64n{self.n}k{256 if self.a == 'b1' else self.k}.{self.accumulator}.{kinds}{'.registers' if self.registers else ''}"


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
    *(Case(*pair, n=16, sparse=0) for pair in _PAIRS if pair[1] != "b1"),
    *(Case(*pair, n=16, registers=True, sparse=0) for pair in _PAIRS if pair[1] != "b1"),
    *(Case("f32", one, one, n=8, swizzle=swizzle, sparse=1) for one in ("bf16", "tf32") for swizzle in (0, 64)),
    *(Case("f32", "f16", "f16", 64, swizzle, a, b, sparse=1) for swizzle in (0, 64, 128) for a, b in TURNED),
    Case("f32", "f16", "f16", 64, 32, True, True, sparse=0),
    Case("f32", "f16", "f16", n=256, sparse=1),
    *(
        Case(*pair, n=16, registers=registers, sparse=sparse, sat=True)
        for pair in _PAIRS
        if pair[0] == "i32" and pair[1] != "b1"
        for registers in (False, True)
        for sparse in (None, 0)
    ),
)


def numbers(case: Case) -> Any:
    """What the kernel of a case knows at compile time: members of an enum."""
    A, B = ELEMENTS[case.a], ELEMENTS[case.b]
    a_lines, a_length = (TWO * case.own, 64) if case.trans_a else (64, TWO * case.own)
    b_lines, b_length = (TWO * case.k, case.n) if case.trans_b else (case.n, TWO * case.k)
    line, count = case.swizzle or 16, case.n // 4 if case.accumulator == "f16" else case.n // 2
    return enum.Enum(
        "P",
        {
            "K": case.k,
            "OWN": case.own,
            "SPARSE": int(case.sparse is not None),
            "SELECTOR": case.sparse or 0,
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


def product_kernel(case: Case) -> Any:
    """A: 64 × k as its lines in memory, B: n × k likewise, C: one register a column."""
    multiply: Any = wgmma
    for part in case.name.split(".")[1:]:
        multiply = getattr(multiply, part)
    A, B, S, P = ELEMENTS[case.a], ELEMENTS[case.b], SUMS[case.accumulator], numbers(case)
    T: Any = {"f32": f32, "f16": f16, "i32": i32}[case.accumulator]

    @kernel
    @launch_contract(domain=1, block=(128, 1, 1))
    def product(a: Slice[A], b: Slice[B], words: Slice[u32], meta: Slice[u32], c: SliceMut[S]) -> None:  # type: ignore[valid-type]
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
                begin = step * P.OWN
                if P.TRANS_B != 0:
                    other = wgmma.tile(right, (at, 0), P.B_LINES, swizzle=P.SWIZZLE, trans=True)
                else:
                    other = wgmma.tile(right, (0, at), P.B_LINES, swizzle=P.SWIZZLE)
                if P.REGISTERS != 0:
                    w = (step * 128 + t) * 4
                    registers = (words[w], words[w + 1], words[w + 2], words[w + 3])
                    wgmma.fence()
                    if P.SPARSE != 0:
                        acc = multiply(registers, other, acc, meta[step * 128 + t], step > 0, selector=P.SELECTOR)
                    else:
                        acc = multiply(registers, other, acc, step > 0)
                else:
                    if P.TRANS_A != 0:
                        own = wgmma.tile(left, (begin, 0), P.A_LINES, swizzle=P.SWIZZLE, trans=True)
                    else:
                        own = wgmma.tile(left, (0, begin), P.A_LINES, swizzle=P.SWIZZLE)
                    if P.SPARSE != 0:
                        kept = meta[step * 128 + t]
                        if P.HALVES != 0:
                            acc = multiply(own, other, acc, kept, step > 0, selector=P.SELECTOR, trans_a=P.TRANS_A, trans_b=P.TRANS_B)
                        else:
                            acc = multiply(own, other, acc, kept, step > 0, selector=P.SELECTOR)
                    elif P.HALVES != 0:
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
    meta: np.ndarray
    wanted: np.ndarray


def data(case: Case) -> Data:
    rng = np.random.default_rng(5)
    k = TWO * (256 if case.a == "b1" else case.k)
    a, a_bits = codes(rng, case.a, (64, k * case.own // case.k))
    b, b_bits = codes(rng, case.b, (case.n, k))
    meta = np.zeros(TWO * 128, np.uint32)
    full = a
    if case.sparse is not None:
        full = np.zeros((64, k))
        for step in range(TWO):
            for warp in range(4):
                kept = a[16 * warp : 16 * warp + 16, step * case.own : (step + 1) * case.own]
                rows, lanes = scattered(rng, kept, case.a, case.sparse)
                full[16 * warp : 16 * warp + 16, step * case.k : (step + 1) * case.k] = rows
                meta[step * 128 + warp * 32 : step * 128 + warp * 32 + 32] = lanes
    wanted = (a[:, None] & b[None]).sum(axis=2) if case.a == "b1" else full @ b.T
    left = packed(a_bits, case.a, a_bits.shape[1] * BITS[case.a] // 32)
    words = np.stack(
        [
            np.concatenate([spread(left[16 * w : 16 * w + 16, 8 * step : 8 * step + 8], 4) for w in range(4)], axis=1).T
            for step in range(TWO)
        ]
    )
    lines = [_lines(bits, type_, turned) for bits, type_, turned in ((a_bits, case.a, case.trans_a), (b_bits, case.b, case.trans_b))]
    return Data(lines[0], lines[1], np.ascontiguousarray(words).ravel(), meta, wanted)


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
    words, meta = (ox.DeviceBuffer.from_host(stream, one) for one in (given.words, given.meta))
    c = ox.DeviceBuffer.zeros(stream, 128 * count, S)
    product.prepare(ctx, LaunchConfig1D(1, 128))(stream, a, b, words, meta, c)
    return matrix(case, c.to_host(stream)), given.wanted


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def overflowing(c: SliceMut[i32]) -> None:
    """Products of 32 × 100 × 100 each, added to sums near the ends of the type: clamped, and wrapped."""
    t = thread.idx.x
    left = shared.array(u8, 64 * 128, align=1024)
    right = shared.array(u8, 8 * 128, align=1024)
    with unsafe("each thread writes its own elements, and everything is there behind the barrier"):
        for i in range(t, 64 * 128, 128):
            left[i] = 100 if i // 128 % 2 == 0 else 156
        for i in range(t, 8 * 128, 128):
            right[i] = 100
        barrier.fence_proxy_async(space="shared")
        block.sync()
        wgmma.fence()
        a, b = wgmma.tile(left, (0, 0), 64), wgmma.tile(right, (0, 0), 8)
        one = (c[4 * t], c[4 * t + 1], c[4 * t + 2], c[4 * t + 3])
        clamped = wgmma.m64n8k32.i32.i8.sat(a, b, one)
        wrapped = wgmma.m64n8k32.i32.i8(a, b, one)
        wgmma.commit_group()
        clamped, wrapped = wgmma.wait_group(0, clamped, wrapped)
        for i in unroll(range(4)):
            c[4 * t + i] = clamped[i]
            c[512 + 4 * t + i] = wrapped[i]


def run_overflowing(device: str) -> tuple[np.ndarray, np.ndarray]:
    ctx = ox.Context(device)
    stream = ctx.default_stream()
    rng = np.random.default_rng(6)
    host = np.concatenate([rng.choice([2**31 - 1, -(2**31), 2**31 - 320_001, 5], 512), np.zeros(512)]).astype(np.int64)
    c = ox.DeviceBuffer.from_host(stream, host.astype(np.int32))
    overflowing.prepare(ctx, LaunchConfig1D(1, 128))(stream, c)
    row = np.arange(128)[:, None] % 32 // 4  # + 8 changes nothing
    exact = host[:512] + np.broadcast_to(np.where(row % 2 == 0, 320_000, -320_000), (128, 4)).ravel()
    return c.to_host(stream), np.concatenate([np.clip(exact, -(2**31), 2**31 - 1), exact.astype(np.int32)])
