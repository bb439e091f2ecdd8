"""Philox 4x32 in 10 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"), as Random123 and CUDA have it."""

# Literals take the type u32 here, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits
from oxidepy.lang.control import unroll
from oxidepy.lang.scalars import u32


def philox_4x32_10(k0: u32, k1: u32, c0: u32, c1: u32, c2: u32, c3: u32) -> tuple[u32, u32, u32, u32]:
    for _ in unroll(range(10)):
        high0, low0 = bits.mul_hi(c0, 0xD2511F53), c0 * 0xD2511F53
        high1, low1 = bits.mul_hi(c2, 0xCD9E8D57), c2 * 0xCD9E8D57
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0 += 0x9E3779B9
        k1 += 0xBB67AE85
    return c0, c1, c2, c3
