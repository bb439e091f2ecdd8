"""f32 into formats of fewer bits, and fp8 back: rounded once, by integer arithmetic on the bits.

A format is its mantissa's bits and the exponent of its smallest normal number; `mode` is 0 to nearest (ties to even), 1 towards zero, 2 to
nearest (ties away from zero). `relu` turns what is negative into 0. NaN becomes the NaN without a sign.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits
from oxidepy.lang.scalars import f16, f32, i32, u16, u32

INFINITE = 0x7F800000


def _code(word, mantissa, least, mode):
    """The bits of a magnitude in the format, as if its exponents had no end."""
    exponent = i32(word >> 23)
    whole = (word & 0x7FFFFF) | (0x800000 if exponent > 0 else 0)
    exponent = max(exponent, 1) - 127
    drop = u32(min(23 - mantissa + max(least - exponent, 0), 25))
    kept = whole >> drop
    rest = whole - (kept << drop)
    half = u32(1) << (drop - 1)
    up = False
    if mode == 0:
        up = rest > half or (rest == half and kept & 1 != 0)
    if mode == 2:
        up = rest >= half
    return (u32(max(exponent - least, 0)) << mantissa) + kept + u32(up)


def _format(x, mantissa, least, infinity, largest, nan, sign, mode, relu, finite):
    """`infinity`, `largest` (finite), `nan`, `sign`: bits of the format; `finite`: what is too large becomes the largest number."""
    word = bits.cast(u32, x)
    size = word & 0x7FFFFFFF
    code = _code(size, mantissa, least, mode)
    if finite != 0:
        code = min(code, largest)
    else:
        beyond = u32(infinity) if mode != 1 or size == INFINITE else u32(largest)
        code = beyond if code > largest else code
    if word >> 31 != 0:
        code = u32(0) if relu != 0 else code | sign
    return u32(nan) if size > INFINITE else code


def _e4m3(x, relu):
    return _format(x, 3, -6, 0x7F, 0x7E, 0x7F, 0x80, 0, relu, 1)


def _e5m2(x, relu):
    return _format(x, 2, -14, 0x7C, 0x7B, 0x7F, 0x80, 0, relu, 1)


def _f16(x, mode, relu, finite):
    return _format(x, 10, -14, 0x7C00, 0x7BFF, 0x7FFF, 0x8000, mode, relu, finite)


def _bf16(x, mode, relu, finite):
    return _format(x, 7, -126, 0x7F80, 0x7F7F, 0x7FFF, 0x8000, mode, relu, finite)


# ---- pairs of f32: `x` becomes the lower part


def e4m3x2_f32(x, y, relu):
    return u16(_e4m3(x, relu) | _e4m3(y, relu) << 8)


def e5m2x2_f32(x, y, relu):
    return u16(_e5m2(x, relu) | _e5m2(y, relu) << 8)


def f16x2_f32(x, y, mode, relu, finite):
    return _f16(x, mode, relu, finite) | _f16(y, mode, relu, finite) << 16


def bf16x2_f32(x, y, mode, relu, finite):
    return _bf16(x, mode, relu, finite) | _bf16(y, mode, relu, finite) << 16


def tf32_f32(x, mode, relu, finite):
    """Still an f32, of which the last 13 bits are 0."""
    word = _format(x, 10, -126, 0x3FC00, 0x3FBFF, 0x3FFFF, 0x40000, mode, relu, finite)
    return bits.cast(f32, word << 13)


# ---- words of two


def _halves(word):
    return f32(bits.cast(f16, u16(word))), f32(bits.cast(f16, u16(word >> 16)))


def e4m3x2_f16x2(word, relu):
    x, y = _halves(word)
    return e4m3x2_f32(x, y, relu)


def e5m2x2_f16x2(word, relu):
    x, y = _halves(word)
    return e5m2x2_f32(x, y, relu)


def _from_e4m3(code, relu):
    """The bits of the f16, which is exact."""
    size = code & 0x7F
    small = u32(bits.cast(u16, f16(size & 7) * 0.001953125))  # 2**-9, the smallest number
    number = small if size < 8 else (size << 7) + 0x2000
    number = 0x7FFF if size == 0x7F else number
    return _signed(number, code, size == 0x7F, relu)


def _from_e5m2(code, relu):
    size = code & 0x7F
    return _signed(0x7FFF if size > 0x7C else size << 8, code, size > 0x7C, relu)


def _signed(number, code, is_nan, relu):
    if is_nan or code & 0x80 == 0:
        return number
    return u32(0) if relu != 0 else number | 0x8000


def f16x2_e4m3x2(word, relu):
    both = u32(word)
    return _from_e4m3(both & 0xFF, relu) | _from_e4m3(both >> 8, relu) << 16


def f16x2_e5m2x2(word, relu):
    both = u32(word)
    return _from_e5m2(both & 0xFF, relu) | _from_e5m2(both >> 8, relu) << 16
