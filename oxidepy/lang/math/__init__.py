"""`math` in kernels. Results have the argument's type; f32 and f64 functions are within 2 ULP unless said to be exact,
and give the same bits on every device.

The functions of the same name in the standard `math` and in NumPy mean these when a kernel calls them.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from oxidepy.lang.math import fast as fast
from oxidepy.lang.math.further import (
    cyl_bessel_i0 as cyl_bessel_i0,
)
from oxidepy.lang.math.further import (
    cyl_bessel_i1 as cyl_bessel_i1,
)
from oxidepy.lang.math.further import (
    erfcinv as erfcinv,
)
from oxidepy.lang.math.further import (
    erfcx as erfcx,
)
from oxidepy.lang.math.further import (
    erfinv as erfinv,
)
from oxidepy.lang.math.further import (
    fdim as fdim,
)
from oxidepy.lang.math.further import (
    fmax_xorsign as fmax_xorsign,
)
from oxidepy.lang.math.further import (
    fmin_xorsign as fmin_xorsign,
)
from oxidepy.lang.math.further import (
    frexp as frexp,
)
from oxidepy.lang.math.further import (
    ilogb as ilogb,
)
from oxidepy.lang.math.further import (
    j0 as j0,
)
from oxidepy.lang.math.further import (
    j1 as j1,
)
from oxidepy.lang.math.further import (
    jn as jn,
)
from oxidepy.lang.math.further import (
    ldexp as ldexp,
)
from oxidepy.lang.math.further import (
    logb as logb,
)
from oxidepy.lang.math.further import (
    maximum as maximum,
)
from oxidepy.lang.math.further import (
    minimum as minimum,
)
from oxidepy.lang.math.further import (
    modf as modf,
)
from oxidepy.lang.math.further import (
    nearbyint as nearbyint,
)
from oxidepy.lang.math.further import (
    nextafter as nextafter,
)
from oxidepy.lang.math.further import (
    norm3d as norm3d,
)
from oxidepy.lang.math.further import (
    norm4d as norm4d,
)
from oxidepy.lang.math.further import (
    normcdf as normcdf,
)
from oxidepy.lang.math.further import (
    normcdfinv as normcdfinv,
)
from oxidepy.lang.math.further import (
    rcbrt as rcbrt,
)
from oxidepy.lang.math.further import (
    remquo as remquo,
)
from oxidepy.lang.math.further import (
    rhypot as rhypot,
)
from oxidepy.lang.math.further import (
    rnorm3d as rnorm3d,
)
from oxidepy.lang.math.further import (
    rnorm4d as rnorm4d,
)
from oxidepy.lang.math.further import (
    round_away as round_away,
)
from oxidepy.lang.math.further import (
    saturate as saturate,
)
from oxidepy.lang.math.further import (
    scalbn as scalbn,
)
from oxidepy.lang.math.further import (
    signbit as signbit,
)
from oxidepy.lang.math.further import (
    sincospi as sincospi,
)
from oxidepy.lang.math.further import (
    y0 as y0,
)
from oxidepy.lang.math.further import (
    y1 as y1,
)
from oxidepy.lang.math.further import (
    yn as yn,
)
from oxidepy.lang.math.rounded import (
    add_rd as add_rd,
)
from oxidepy.lang.math.rounded import (
    add_rn as add_rn,
)
from oxidepy.lang.math.rounded import (
    add_ru as add_ru,
)
from oxidepy.lang.math.rounded import (
    add_rz as add_rz,
)
from oxidepy.lang.math.rounded import (
    cast_rd as cast_rd,
)
from oxidepy.lang.math.rounded import (
    cast_rn as cast_rn,
)
from oxidepy.lang.math.rounded import (
    cast_ru as cast_ru,
)
from oxidepy.lang.math.rounded import (
    cast_rz as cast_rz,
)
from oxidepy.lang.math.rounded import (
    div_rd as div_rd,
)
from oxidepy.lang.math.rounded import (
    div_rn as div_rn,
)
from oxidepy.lang.math.rounded import (
    div_ru as div_ru,
)
from oxidepy.lang.math.rounded import (
    div_rz as div_rz,
)
from oxidepy.lang.math.rounded import (
    fma_rd as fma_rd,
)
from oxidepy.lang.math.rounded import (
    fma_rn as fma_rn,
)
from oxidepy.lang.math.rounded import (
    fma_ru as fma_ru,
)
from oxidepy.lang.math.rounded import (
    fma_rz as fma_rz,
)
from oxidepy.lang.math.rounded import (
    mul_rd as mul_rd,
)
from oxidepy.lang.math.rounded import (
    mul_rn as mul_rn,
)
from oxidepy.lang.math.rounded import (
    mul_ru as mul_ru,
)
from oxidepy.lang.math.rounded import (
    mul_rz as mul_rz,
)
from oxidepy.lang.math.rounded import (
    rcp_rd as rcp_rd,
)
from oxidepy.lang.math.rounded import (
    rcp_rn as rcp_rn,
)
from oxidepy.lang.math.rounded import (
    rcp_ru as rcp_ru,
)
from oxidepy.lang.math.rounded import (
    rcp_rz as rcp_rz,
)
from oxidepy.lang.math.rounded import (
    sqrt_rd as sqrt_rd,
)
from oxidepy.lang.math.rounded import (
    sqrt_rn as sqrt_rn,
)
from oxidepy.lang.math.rounded import (
    sqrt_ru as sqrt_ru,
)
from oxidepy.lang.math.rounded import (
    sqrt_rz as sqrt_rz,
)
from oxidepy.lang.math.rounded import (
    sub_rd as sub_rd,
)
from oxidepy.lang.math.rounded import (
    sub_rn as sub_rn,
)
from oxidepy.lang.math.rounded import (
    sub_ru as sub_ru,
)
from oxidepy.lang.math.rounded import (
    sub_rz as sub_rz,
)
from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.pairs import bf16x2, f16x2
    from oxidepy.lang.scalars import bf16, f16, f64

    F = TypeVar("F", float, f64, f16, bf16, f16x2, bf16x2)
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
