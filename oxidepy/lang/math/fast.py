"""`math.fast`: the approximations of f32 functions that a CUDA GPU has in hardware.

Where there are none, on `cpu` and `interp`, the function of `math` of the same name: here, and only here, the bits differ between devices.
The page on the language says how far off each may be.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from oxidepy.lang.names import device

__oxidepy__ = "math.fast"


@device("math.fast.cos")
def cos(x: float, /) -> float:
    """Cosine of radians."""
    ...


@device("math.fast.div")
def div(x: float, y: float, /) -> float:
    """x / y, within 2 ULP for 2**-126 <= abs(y) <= 2**126."""
    ...


@device("math.fast.exp")
def exp(x: float, /) -> float:
    """e to the power of x."""
    ...


@device("math.fast.exp10")
def exp10(x: float, /) -> float:
    """10 to the power of x."""
    ...


@device("math.fast.exp2")
def exp2(x: float, /) -> float:
    """2 to the power of x."""
    ...


@device("math.fast.log")
def log(x: float, /) -> float:
    """Natural logarithm."""
    ...


@device("math.fast.log10")
def log10(x: float, /) -> float:
    """Logarithm to base 10."""
    ...


@device("math.fast.log2")
def log2(x: float, /) -> float:
    """Logarithm to base 2."""
    ...


@device("math.fast.pow")
def pow(x: float, y: float, /) -> float:
    """x to the power of y."""
    ...


@device("math.fast.rcp")
def rcp(x: float, /) -> float:
    """1 / x."""
    ...


@device("math.fast.rsqrt")
def rsqrt(x: float, /) -> float:
    """1 / sqrt(x)."""
    ...


@device("math.fast.sin")
def sin(x: float, /) -> float:
    """Sine of radians."""
    ...


@device("math.fast.sqrt")
def sqrt(x: float, /) -> float:
    """Square root."""
    ...


@device("math.fast.tan")
def tan(x: float, /) -> float:
    """Tangent of radians."""
    ...


@device("math.fast.tanh")
def tanh(x: float, /) -> float:
    """Hyperbolic tangent."""
    ...
