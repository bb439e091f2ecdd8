"""Small integer functions, the same on the host and in kernels."""

from __future__ import annotations

from oxidepy.lang.names import named


@named("cdiv")
def cdiv(a: int, b: int, /) -> int:
    """`a / b` rounded up: how many pieces of `b` cover `a`."""
    return -(-a // b)


@named("next_power_of_2")
def next_power_of_2(n: int, /) -> int:
    """The least power of two that is at least `n`; 1 for n <= 1."""
    return 1 if n <= 1 else 1 << (n - 1).bit_length()
