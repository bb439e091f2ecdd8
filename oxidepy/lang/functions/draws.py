"""Random bits as numbers of a distribution."""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.scalars import f32, f64, u32, u64


def uniform_f32(a: u32) -> f32:
    """The upper 24 bits as a multiple of 2**-24 in [0, 1)."""
    return f32(a >> 8) * 5.9604644775390625e-08


def uniform_f64(a: u32, b: u32) -> f64:
    """The upper 53 bits of `b:a` as a multiple of 2**-53 in [0, 1)."""
    return f64(((u64(b) << 32) | u64(a)) >> 11) * 1.1102230246251565e-16


def normal_f32(a: u32, b: u32) -> tuple[f32, f32]:
    """Box and Muller: a radius of the first word, an angle of the second."""
    radius = math.sqrt(-2.0 * math.log((f32(a) + 0.5) * 2.3283064365386963e-10))
    s, c = math.sincospi(f32(b) * 4.656612873077393e-10)
    return radius * c, radius * s


def normal_f64(a: u32, b: u32, c: u32, d: u32) -> tuple[f64, f64]:
    """The same, of two words each, the second of them above the first."""
    radius = math.sqrt(-2.0 * math.log((f64((u64(b) << 32) | u64(a)) + 0.5) * 5.421010862427522e-20))
    s, co = math.sincospi(f64((u64(d) << 32) | u64(c)) * 1.0842021724855044e-19)
    return radius * co, radius * s
