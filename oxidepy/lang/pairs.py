"""Two halves in 32 bits: `f16x2` and `bf16x2`, which the hardware adds, multiplies and loads at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxidepy.ir.types import BF16X2, F16X2
from oxidepy.lang.structs import packed

if TYPE_CHECKING:
    from typing import Generic, TypeVar

    from typing_extensions import Self

    from oxidepy.lang.scalars import bf16, f16

    F = TypeVar("F", f16, bf16)

    class _Pair(Generic[F]):
        """The operations that both pairs have: on each half, with a pair, a half or a literal."""

        @property
        def x(self) -> F: ...
        @property
        def y(self) -> F: ...
        def __init__(self, x: F | float, y: F | float) -> None: ...
        def __add__(self, other: Self | F | float, /) -> Self: ...
        def __radd__(self, other: F | float, /) -> Self: ...
        def __sub__(self, other: Self | F | float, /) -> Self: ...
        def __rsub__(self, other: F | float, /) -> Self: ...
        def __mul__(self, other: Self | F | float, /) -> Self: ...
        def __rmul__(self, other: F | float, /) -> Self: ...
        def __truediv__(self, other: Self | F | float, /) -> Self: ...
        def __rtruediv__(self, other: F | float, /) -> Self: ...
        def __neg__(self) -> Self: ...
        def __pos__(self) -> Self: ...
        def __abs__(self) -> Self: ...
        def __lt__(self, other: Self, /) -> bool: ...  # what checkers want of arguments of `min` and `max`; kernels compare halves

    class f16x2(_Pair[f16]):
        """Two f16 in 4 bytes: `.x` and `.y`. Operations work on each half."""

    class bf16x2(_Pair[bf16]):
        """Two bf16 in 4 bytes: `.x` and `.y`. Operations work on each half."""

else:

    @packed(F16X2)
    @dataclass(frozen=True)
    class f16x2:
        """Two f16 in 4 bytes: `.x` and `.y`. Operations work on each half."""

        x: float
        y: float

    @packed(BF16X2)
    @dataclass(frozen=True)
    class bf16x2:
        """Two bf16 in 4 bytes: `.x` and `.y`. Operations work on each half."""

        x: float
        y: float
