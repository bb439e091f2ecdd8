"""Bits and random numbers."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest
from frontend.running import ops, refused, results
from frontend.test_refused import compiled

from oxidepy import Slice, SliceMut, bits, i32, kernel, launch_contract, random, thread, u32


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def shifted(y: SliceMut[u32], low: u32, high: u32, count: u32) -> None:
    y[0] = bits.funnel_shift_left(low, high, count)
    y[1] = bits.funnel_shift_right(low, high, count)
    y[2] = bits.funnel_shift_left(low, high, 8)
    y[3] = bits.byte_permute(low, high, count)
    y[4] = bits.byte_permute(low, high, 0x7531)


@pytest.mark.parametrize("count", [0, 1, 13, 31, 32, 33, 64, 0x0123, 0x7654, 0xFFFF8888])
def test_funnel_shifts_and_byte_permutations(count: int) -> None:
    low, high = 0x89ABCDEF, 0x01234567
    both, by = high << 32 | low, count % 32
    parts = both.to_bytes(8, "little")

    def permuted(selector: int) -> int:
        return int.from_bytes(bytes(parts[selector >> 4 * k & 7] for k in range(4)), "little")

    want = [both << by >> 32 & 0xFFFFFFFF, both >> by & 0xFFFFFFFF, 0x234567_89, permuted(count), permuted(0x7531)]
    assert results(shifted, np.uint32, 5, low, high, count) == want


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def drawn(y: SliceMut[u32], k: Slice[u32], c: Slice[u32]) -> None:
    a, b, d, e = random.philox((k[0], k[1]), (c[0], c[1], c[2], c[3]))
    y[0] = a
    y[1] = b
    y[2] = d
    y[3] = e


# the known answers of Random123
ANSWERS = [
    ((0, 0), (0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 4, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0xA4093822, 0x299F31D0), (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]


@pytest.mark.parametrize(("key", "counter", "want"), ANSWERS)
def test_philox(key: tuple[int, ...], counter: tuple[int, ...], want: tuple[int, ...]) -> None:
    assert tuple(results(drawn, np.uint32, 4, np.array(key, np.uint32), np.array(counter, np.uint32))) == want


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def streams(y: SliceMut[u32], seed: u32) -> None:
    counter = (u32(thread.idx.x), u32(0), u32(0), u32(0))
    y[thread.idx.x] = random.philox((seed, 7), counter)[0] ^ random.philox((seed, 7), (u32(thread.idx.x), 0, 0, 0))[0]


def test_literals_and_tuples_are_taken() -> None:
    assert results(streams, np.uint32, 32, 5) == [0] * 32
    assert set(ops(streams)) <= {"const", "intrinsic", "cast", "mul", "mulhi", "xor", "add", "inbounds", "check", "store", "return"}


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = random.philox((1, 2), (1, 2, 3))", "the counter is a tuple of 4 `u32`"),
        ("a = random.philox(1, (1, 2, 3, 4))", "the key is a tuple of 2 `u32`"),
        ("a = random.philox((n, 2), (1, 2, 3, 4))", "`u32` and `i32`"),
        ("a = bits.funnel_shift_left(n, 1, 2)", "`u32` and `i32`"),
        ("a = bits.byte_permute(1, 2)", "takes 3 arguments"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, random=random, bits=bits))
    assert (found.code, part in found.message) == ("OX0308", True), (found.code, found.message)


def test_the_integer_is_the_default_of_a_literal() -> None:
    assert results(default, np.int32, 1) == [5]


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def default(y: SliceMut[i32]) -> None:
    y[0] = bits.popcount(0x1F)
