"""Further functions of f32 and f64: what libdevice has beside the common ones."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.pairs import bf16x2, f16x2
    from oxidepy.lang.scalars import bf16, f16, f64

    F = TypeVar("F", float, f64, f16, bf16, f16x2, bf16x2)
    G = TypeVar("G", float, f64, f16, bf16)
else:
    F = TypeVar("F")
    G = TypeVar("G")


@device("math.erfcx")
def erfcx(x: F, /) -> F:
    """e**(x*x) * erfc(x): the scaled complementary error function."""
    ...


@device("math.erfcinv")
def erfcinv(y: F, /) -> F:
    """The x with erfc(x) = y, 0 <= y <= 2."""
    ...


@device("math.erfinv")
def erfinv(y: F, /) -> F:
    """The x with erf(x) = y, -1 <= y <= 1."""
    ...


@device("math.normcdf")
def normcdf(x: F, /) -> F:
    """Distribution function of the standard normal distribution."""
    ...


@device("math.normcdfinv")
def normcdfinv(p: F, /) -> F:
    """The x with normcdf(x) = p, 0 <= p <= 1."""
    ...


@device("math.cyl_bessel_i0")
def cyl_bessel_i0(x: F, /) -> F:
    """Modified Bessel function of the first kind, order 0."""
    ...


@device("math.cyl_bessel_i1")
def cyl_bessel_i1(x: F, /) -> F:
    """Modified Bessel function of the first kind, order 1."""
    ...


@device("math.j0")
def j0(x: F, /) -> F:
    """Bessel function of the first kind, order 0."""
    ...


@device("math.j1")
def j1(x: F, /) -> F:
    """Bessel function of the first kind, order 1."""
    ...


@device("math.jn")
def jn(n: int, x: G, /) -> G:
    """Bessel function of the first kind, order n (an i32)."""
    ...


@device("math.y0")
def y0(x: F, /) -> F:
    """Bessel function of the second kind, order 0."""
    ...


@device("math.y1")
def y1(x: F, /) -> F:
    """Bessel function of the second kind, order 1."""
    ...


@device("math.yn")
def yn(n: int, x: G, /) -> G:
    """Bessel function of the second kind, order n (an i32)."""
    ...


@device("math.fdim")
def fdim(x: F, y: F, /) -> F:
    """x - y where that is positive, else 0."""
    ...


@device("math.fmax_xorsign")
def fmax_xorsign(x: F, y: F, /) -> F:
    """The greater of abs(x) and abs(y), negative where one of x and y is; a NaN is ignored, and its sign too."""
    ...


@device("math.fmin_xorsign")
def fmin_xorsign(x: F, y: F, /) -> F:
    """The lesser of abs(x) and abs(y), negative where one of x and y is; a NaN is ignored, and its sign too."""
    ...


@device("math.maximum")
def maximum(x: F, y: F, /) -> F:
    """The greater; NaN where one of them is NaN, as in NumPy. -0 < +0."""
    ...


@device("math.minimum")
def minimum(x: F, y: F, /) -> F:
    """The lesser; NaN where one of them is NaN, as in NumPy. -0 < +0."""
    ...


@device("math.frexp")
def frexp(x: G, /) -> tuple[G, int]:
    """m and e (an i32) with x = m * 2**e, 0.5 <= abs(m) < 1. Exact."""
    ...


@device("math.ilogb")
def ilogb(x: G, /) -> int:
    """The exponent of x as an i32: floor(log2(abs(x))). Exact."""
    ...


@device("math.ldexp")
def ldexp(x: G, n: int, /) -> G:
    """x * 2**n, n an i32, rounded once."""
    ...


@device("math.logb")
def logb(x: F, /) -> F:
    """The exponent of x in x's type: floor(log2(abs(x))). Exact."""
    ...


@device("math.modf")
def modf(x: G, /) -> tuple[G, G]:
    """The fraction of x and x without it, both with its sign. Exact."""
    ...


@device("math.nearbyint")
def nearbyint(x: G, /) -> G:
    """The nearest whole number, ties to even, by another name that C has for it."""
    ...


@device("math.nextafter")
def nextafter(x: G, y: G, /) -> G:
    """The number beside x in the direction of y."""
    ...


@device("math.norm3d")
def norm3d(x: F, y: F, z: F, /) -> F:
    """sqrt(x*x + y*y + z*z), without overflow between."""
    ...


@device("math.norm4d")
def norm4d(x: F, y: F, z: F, w: F, /) -> F:
    """sqrt(x*x + y*y + z*z + w*w), without overflow between."""
    ...


@device("math.rcbrt")
def rcbrt(x: F, /) -> F:
    """1 / cbrt(x)."""
    ...


@device("math.remquo")
def remquo(x: G, y: G, /) -> tuple[G, int]:
    """remainder(x, y), and the lowest three bits of the whole number nearest to x / y, with its sign, as an i32. Exact."""
    ...


@device("math.rhypot")
def rhypot(x: F, y: F, /) -> F:
    """1 / hypot(x, y)."""
    ...


@device("math.rnorm3d")
def rnorm3d(x: F, y: F, z: F, /) -> F:
    """1 / norm3d(x, y, z)."""
    ...


@device("math.rnorm4d")
def rnorm4d(x: F, y: F, z: F, w: F, /) -> F:
    """1 / norm4d(x, y, z, w)."""
    ...


@device("math.round_away")
def round_away(x: F, /) -> F:
    """The nearest whole number, ties away from 0, in x's type. Exact."""
    ...


@device("math.saturate")
def saturate(x: F, /) -> F:
    """x between 0 and 1: 0 below and for NaN, 1 above."""
    ...


@device("math.scalbn")
def scalbn(x: G, n: int, /) -> G:
    """x * 2**n, by another name that C has for it."""
    ...


@device("math.signbit")
def signbit(x: G, /) -> bool:
    """Whether the sign of x is minus; -0 and NaN have one too."""
    ...


@device("math.sincospi")
def sincospi(x: G, /) -> tuple[G, G]:
    """Sine and cosine of x * pi."""
    ...
