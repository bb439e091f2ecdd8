"""`math` in kernels. Results have the argument's type; f32 and f64 functions are within 2 ULP unless said to be exact,
and give the same bits on every device.

The functions of the same name in the standard `math` and in NumPy mean these when a kernel calls them.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from oxidepy.lang.math import fast as fast
from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import bf16, f16, f64

    F = TypeVar("F", float, f64, f16, bf16)
else:
    F = TypeVar("F")

__oxidepy__ = "math"

pi = 3.141592653589793
e = 2.718281828459045
tau = 6.283185307179586
inf = float("inf")
nan = float("nan")


@device("math.acos")
def acos(x: F, /) -> F:
    """Arc cosine, in radians."""
    ...


@device("math.acosh")
def acosh(x: F, /) -> F:
    """Inverse hyperbolic cosine."""
    ...


@device("math.asin")
def asin(x: F, /) -> F:
    """Arc sine, in radians."""
    ...


@device("math.asinh")
def asinh(x: F, /) -> F:
    """Inverse hyperbolic sine."""
    ...


@device("math.atan")
def atan(x: F, /) -> F:
    """Arc tangent, in radians."""
    ...


@device("math.atan2")
def atan2(y: F, x: F, /) -> F:
    """Angle of the point (x, y), in radians."""
    ...


@device("math.atanh")
def atanh(x: F, /) -> F:
    """Inverse hyperbolic tangent."""
    ...


@device("math.cbrt")
def cbrt(x: F, /) -> F:
    """Cube root."""
    ...


@device("math.ceil")
def ceil(x: F, /) -> F:
    """The least whole number not below x, in x's type. Exact."""
    ...


@device("math.copysign")
def copysign(x: F, y: F, /) -> F:
    """x with the sign of y."""
    ...


@device("math.cos")
def cos(x: F, /) -> F:
    """Cosine of radians."""
    ...


@device("math.cosh")
def cosh(x: F, /) -> F:
    """Hyperbolic cosine."""
    ...


@device("math.cospi")
def cospi(x: F, /) -> F:
    """Cosine of x * pi."""
    ...


@device("math.degrees")
def degrees(x: F, /) -> F:
    """Radians to degrees."""
    ...


@device("math.erf")
def erf(x: F, /) -> F:
    """Error function."""
    ...


@device("math.erfc")
def erfc(x: F, /) -> F:
    """1 - erf(x), without cancellation."""
    ...


@device("math.exp")
def exp(x: F, /) -> F:
    """e to the power of x."""
    ...


@device("math.exp10")
def exp10(x: F, /) -> F:
    """10 to the power of x."""
    ...


@device("math.exp2")
def exp2(x: F, /) -> F:
    """2 to the power of x."""
    ...


@device("math.expm1")
def expm1(x: F, /) -> F:
    """exp(x) - 1, without cancellation."""
    ...


@device("math.fabs")
def fabs(x: F, /) -> F:
    """Absolute value. Exact."""
    ...


@device("math.floor")
def floor(x: F, /) -> F:
    """The greatest whole number not above x, in x's type. Exact."""
    ...


@device("math.fma")
def fma(x: F, y: F, z: F, /) -> F:
    """x * y + z, rounded once."""
    ...


@device("math.fmax")
def fmax(x: F, y: F, /) -> F:
    """The greater; NaN is ignored, -0 < +0."""
    ...


@device("math.fmin")
def fmin(x: F, y: F, /) -> F:
    """The lesser; NaN is ignored, -0 < +0."""
    ...


@device("math.fmod")
def fmod(x: F, y: F, /) -> F:
    """Remainder of x / y truncated: sign of x. Exact. (`%` has the sign of y.)"""
    ...


@device("math.gamma")
def gamma(x: F, /) -> F:
    """Gamma function."""
    ...


@device("math.hypot")
def hypot(x: F, y: F, /) -> F:
    """sqrt(x*x + y*y), without overflow between."""
    ...


@device("math.isfinite")
def isfinite(x: float | f64 | f16 | bf16, /) -> bool:
    """Whether x is neither infinite nor NaN."""
    ...


@device("math.isinf")
def isinf(x: float | f64 | f16 | bf16, /) -> bool:
    """Whether x is infinite."""
    ...


@device("math.isnan")
def isnan(x: float | f64 | f16 | bf16, /) -> bool:
    """Whether x is NaN."""
    ...


@device("math.lgamma")
def lgamma(x: F, /) -> F:
    """Logarithm of the absolute value of the gamma function."""
    ...


@device("math.log")
def log(x: F, /) -> F:
    """Natural logarithm."""
    ...


@device("math.log10")
def log10(x: F, /) -> F:
    """Logarithm to base 10."""
    ...


@device("math.log1p")
def log1p(x: F, /) -> F:
    """log(1 + x), without cancellation."""
    ...


@device("math.log2")
def log2(x: F, /) -> F:
    """Logarithm to base 2."""
    ...


@device("math.pow")
def pow(x: F, y: F, /) -> F:
    """x to the power of y."""
    ...


@device("math.radians")
def radians(x: F, /) -> F:
    """Degrees to radians."""
    ...


@device("math.remainder")
def remainder(x: F, y: F, /) -> F:
    """x - n*y with n the whole number nearest to x / y. Exact."""
    ...


@device("math.rint")
def rint(x: F, /) -> F:
    """The nearest whole number, ties to even. Exact."""
    ...


@device("math.round")
def round(x: F, /) -> F:
    """The nearest whole number, ties to even, in x's type. Exact."""
    ...


@device("math.rsqrt")
def rsqrt(x: F, /) -> F:
    """1 / sqrt(x)."""
    ...


@device("math.sin")
def sin(x: F, /) -> F:
    """Sine of radians."""
    ...


@device("math.sincos")
def sincos(x: F, /) -> tuple[F, F]:
    """Sine and cosine of radians."""
    ...


@device("math.sinh")
def sinh(x: F, /) -> F:
    """Hyperbolic sine."""
    ...


@device("math.sinpi")
def sinpi(x: F, /) -> F:
    """Sine of x * pi."""
    ...


@device("math.sqrt")
def sqrt(x: F, /) -> F:
    """Square root, correctly rounded."""
    ...


@device("math.tan")
def tan(x: F, /) -> F:
    """Tangent of radians."""
    ...


@device("math.tanh")
def tanh(x: F, /) -> F:
    """Hyperbolic tangent."""
    ...


@device("math.tgamma")
def tgamma(x: F, /) -> F:
    """Gamma function, by the name that C has for it."""
    ...


@device("math.trunc")
def trunc(x: F, /) -> F:
    """x without its fraction, in x's type. Exact."""
    ...
