"""Functions that kernels of the tests import."""

from __future__ import annotations

from oxidepy import Slice, f32, i32, math

OFFSET = 3
FACTORS = (2.0, 4.0)


def inner(x: f32) -> f32:
    return x * FACTORS[0] + OFFSET


def outer(x: f32, scale: f32 = 1.5, *, minus: i32 = 0) -> f32:
    return inner(x) * scale - f32(minus)


def clamped(x: Slice[f32], i: i32) -> f32:
    if i < 0:
        return x[0]
    if i >= len(x):
        return x[len(x) - 1]
    return x[i]


def fails(x: Slice[f32], i: i32) -> f32:
    value = x[i]
    return math.sqrt(value)


def wrong(x: i32) -> f32:
    return x + 0.5


def even(n: i32) -> bool:
    return n == 0 or odd(n - 1)


def odd(n: i32) -> bool:
    return n != 0 and even(n - 1)
