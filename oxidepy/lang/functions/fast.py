"""`math.fast` where the hardware has no approximation of its own: the exact enough function of the same name."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.scalars import f32


def sin_f32(x: f32) -> f32:
    return math.sin(x)


def cos_f32(x: f32) -> f32:
    return math.cos(x)


def tan_f32(x: f32) -> f32:
    return math.tan(x)


def tanh_f32(x: f32) -> f32:
    return math.tanh(x)


def exp_f32(x: f32) -> f32:
    return math.exp(x)


def exp2_f32(x: f32) -> f32:
    return math.exp2(x)


def exp10_f32(x: f32) -> f32:
    return math.exp10(x)


def log_f32(x: f32) -> f32:
    return math.log(x)


def log2_f32(x: f32) -> f32:
    return math.log2(x)


def log10_f32(x: f32) -> f32:
    return math.log10(x)


def pow_f32(x: f32, y: f32) -> f32:
    return math.pow(x, y)


def sqrt_f32(x: f32) -> f32:
    return math.sqrt(x)


def rsqrt_f32(x: f32) -> f32:
    return math.rsqrt(x)


def rcp_f32(x: f32) -> f32:
    return 1.0 / x


def div_f32(x: f32, y: f32) -> f32:
    return x / y
