"""e**x: x = n*ln2 + r, a polynomial for e**r, then a scaling by 2**n in two steps, the last of which rounds into the denormals.

The polynomials are minimax for the relative error of e**r on |r| <= ln2/2: 2**-28.3 (f32), 2**-57.9 (f64).
`tests/lang/test_exp.py` measures the result.
"""

# Literals take the type f64 here, which type checkers cannot know.
# pyright: reportArgumentType=false, reportAssignmentType=false
# mypy: disable-error-code="arg-type, assignment, type-var, operator, no-any-return"
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.scalars import f32, f64, i32, i64


def exp_f32(x: f32) -> f32:
    """e**x. Overflow gives inf, underflow goes through the denormals to 0, NaN stays NaN."""
    # beyond these the result is inf or 0 all the same; a NaN passes both
    x = 89.0 if x > 89.0 else x
    x = -104.0 if x < -104.0 else x
    n = math.rint(x * 1.4426950408889634)
    r = math.fma(n, -0.6931471824645996, x)  # exact
    r = math.fma(n, 1.9046542121259336e-09, r)
    q = math.fma(r, 0.0013814540176801306, 0.008368745108942591)
    q = math.fma(q, r, 0.041668390783547914)
    q = math.fma(q, r, 0.1666652039904253)
    q = math.fma(q, r, 0.4999999343212929)
    p = math.fma(r * r, q, r) + 1.0
    k = i32(n)
    half = k >> 1
    return p * bits.cast(f32, (half + 127) << 23) * bits.cast(f32, (k - half + 127) << 23)


def exp_f64(x: f64) -> f64:
    """e**x. Overflow gives inf, underflow goes through the denormals to 0, NaN stays NaN."""
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    n = math.rint(x * 1.4426950408889634)
    r = math.fma(n, -0.6931471805599453, x)  # exact
    r = math.fma(n, -2.3190468138462996e-17, r)
    q = math.fma(r, 2.500001885308334e-08, 2.7630306255647857e-07)
    q = math.fma(q, r, 2.755758680384707e-06)
    q = math.fma(q, r, 2.480149294961707e-05)
    q = math.fma(q, r, 0.00019841269505773806)
    q = math.fma(q, r, 0.0013888888943759984)
    q = math.fma(q, r, 0.008333333333494976)
    q = math.fma(q, r, 0.041666666666529725)
    q = math.fma(q, r, 0.1666666666666641)
    q = math.fma(q, r, 0.5000000000000011)
    p = math.fma(r * r, q, r) + 1.0
    k = i64(n)
    half = k >> 1
    return p * bits.cast(f64, (half + 1023) << 52) * bits.cast(f64, (k - half + 1023) << 52)
