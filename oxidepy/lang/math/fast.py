"""`math.fast`: the approximations of f32 functions that a CUDA GPU has in hardware; of halves and their pairs the same, rounded.

Where there are none, on `cpu` and `interp`, the function of `math` of the same name: here, and only here, the bits differ between devices.
The page on the language says how far off each may be.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.pairs import bf16x2, f16x2
    from oxidepy.lang.scalars import bf16, f16

    F = TypeVar("F", float, f16, bf16, f16x2, bf16x2)
else:
    F = TypeVar("F")

__oxidepy__ = "math.fast"


@device("math.fast.cos")
def cos(x: F, /) -> F:
    """Cosine of radians."""
    ...


@device("math.fast.div")
def div(x: F, y: F, /) -> F:
    """x / y, within 2 ULP for 2**-126 <= abs(y) <= 2**126."""
    ...


@device("math.fast.exp")
def exp(x: F, /) -> F:
    """e to the power of x."""
    ...


@device("math.fast.exp10")
def exp10(x: F, /) -> F:
    """10 to the power of x."""
    ...


@device("math.fast.exp2")
def exp2(x: F, /) -> F:
    """2 to the power of x."""
    ...


@device("math.fast.log")
def log(x: F, /) -> F:
    """Natural logarithm."""
    ...


@device("math.fast.log10")
def log10(x: F, /) -> F:
    """Logarithm to base 10."""
    ...


@device("math.fast.log2")
def log2(x: F, /) -> F:
    """Logarithm to base 2."""
    ...


@device("math.fast.pow")
def pow(x: F, y: F, /) -> F:
    """x to the power of y."""
    ...


@device("math.fast.rcp")
def rcp(x: F, /) -> F:
    """1 / x."""
    ...


@device("math.fast.rsqrt")
def rsqrt(x: F, /) -> F:
    """1 / sqrt(x)."""
    ...


@device("math.fast.sin")
def sin(x: F, /) -> F:
    """Sine of radians."""
    ...


@device("math.fast.sqrt")
def sqrt(x: F, /) -> F:
    """Square root."""
    ...


@device("math.fast.tan")
def tan(x: F, /) -> F:
    """Tangent of radians."""
    ...


@device("math.fast.tanh")
def tanh(x: F, /) -> F:
    """Hyperbolic tangent."""
    ...
