"""The scalar types: annotations, dtypes, and casts when called.

To a type checker `i32` is `int` and `f32` is `float`; the others are classes of their own.
"""

from __future__ import annotations

import struct
import sys
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

from oxidepy.diagnostics import Diagnostic, OxideError
from oxidepy.ir.types import BF16, BOOL, F16, F32, F64, I8, I16, I32, I64, SCALARS, U8, U16, U32, U64, Scalar

if TYPE_CHECKING:
    from typing_extensions import Self

_DOUBLE_BITS = 53


class ScalarType:
    """What `f32` is at run time. Called, it casts as a kernel would: integers wrap, floats round to nearest even, and into integers they
    truncate and saturate (NaN gives 0)."""

    __slots__ = ("__oxidepy__", "scalar")

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar
        self.__oxidepy__ = scalar.name

    def __call__(self, value: SupportsFloat | SupportsIndex = 0, /) -> int | float:
        try:
            return cast(self.scalar, value)
        except (TypeError, ValueError):
            help = (
                f"memory of it is `DeviceBuffer.zeros(stream, shape, {self.scalar.name})`"
                if hasattr(value, "__len__") and not isinstance(value, str)
                else None
            )
            from oxidepy.lang.names import caller_span

            shown = f"{value!r}" if isinstance(value, str) else f"{type(value).__name__}"
            raise OxideError(Diagnostic("OX0308", f"`{self.scalar.name}` takes a number, not {shown}", caller_span(), help=help)) from None

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of the same name. bf16 needs the package ml_dtypes, since NumPy has none."""
        return numpy_dtype(self.scalar)

    @property
    def __name__(self) -> str:
        return self.scalar.name

    def __repr__(self) -> str:
        return f"oxidepy.{self.scalar.name}"

    def __reduce__(self) -> str:
        return self.scalar.name  # pickled by name: one object a type and process

    def __or__(self, other: object) -> Any:
        """`f32 | None` in an annotation: a Union like that of classes, which the frontend then refuses with a code."""
        from typing import Union

        return Union[self, other]  # noqa: UP007

    def __getitem__(self, key: object) -> Any:
        """`f32[:]`, as other compilers spell an array."""
        name = self.scalar.name
        raise TypeError(f"`{name}` is one number; memory of it is `Slice[{name}]` (read) or `DisjointSlice[{name}]` (written)")

    def __hash__(self) -> int:
        return hash(self.scalar)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScalarType) and other.scalar == self.scalar


def cast(scalar: Scalar, value: SupportsFloat | SupportsIndex) -> int | float:
    """`value` as a Python number that the type `scalar` can hold."""
    if scalar.kind == "bool":
        return bool(value)
    number: int | float
    if type(value) is int or type(value) is float:  # the usual case: asking for a protocol costs 20 microseconds
        number = value
    else:
        number = value.__index__() if isinstance(value, SupportsIndex) else float(value)
    if scalar.is_float:
        return _round(scalar, number)
    if isinstance(number, float):
        if number != number:
            return 0
        if number in (float("inf"), float("-inf")):
            return scalar.max if number > 0 else scalar.min
        return max(scalar.min, min(scalar.max, int(number)))
    wrapped = number & ((1 << scalar.bits) - 1)
    return wrapped - (1 << scalar.bits) if wrapped > scalar.max else wrapped


def _round(scalar: Scalar, number: int | float) -> float:
    if isinstance(number, int):
        if scalar.bits < 64 and number.bit_length() > _DOUBLE_BITS:
            # Through a double a big integer would be rounded twice: keep the leading bits and let the last one say that others were there.
            shift = number.bit_length() - (_DOUBLE_BITS - 3)
            number = ((number >> shift) | int(number & ((1 << shift) - 1) != 0)) << shift
        try:
            number = float(number)
        except OverflowError:
            return float("inf") if number > 0 else float("-inf")
    if scalar == F64:
        return number
    if scalar == BF16:
        return _round_bf16(number)
    code = "<f" if scalar == F32 else "<e"
    try:
        return float(struct.unpack(code, struct.pack(code, number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _round_bf16(number: float) -> float:
    import math

    if not math.isfinite(number) or number == 0:
        return number
    exponent = max(math.frexp(number)[1] - 8, -133)  # 8 significant bits; the smallest denormal is 2**-133
    rounded = math.ldexp(round(math.ldexp(number, -exponent)), exponent)
    return math.copysign(math.inf, number) if abs(rounded) >= 2.0**128 else rounded


def numpy_dtype(scalar: Scalar) -> Any:
    """NumPy's dtype for a scalar of the IR."""
    import numpy

    if scalar != BF16:
        return numpy.dtype(_NUMPY_NAMES[scalar.name])
    try:
        import ml_dtypes  # type: ignore[import-not-found, import-untyped, unused-ignore]  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError:
        from oxidepy.diagnostics import Diagnostic, LaunchError

        raise LaunchError(Diagnostic("OX2007", "NumPy has no bf16", help='pip install "oxidepy[bf16]"')) from None
    return numpy.dtype(ml_dtypes.bfloat16)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


_NUMPY_NAMES = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16",
}  # fmt: skip
_OF_NUMPY = {numpy: name for name, numpy in _NUMPY_NAMES.items()}


def scalar_of(value: object) -> Scalar | None:
    """The scalar that a dtype-like object means: `f32`, `np.float32`, `np.dtype("f4")`, `bool`; None for anything else (also `int` and
    `float`, which say no width, and NumPy dtypes of foreign byte order)."""
    if isinstance(value, ScalarType):
        return value.scalar
    if value is bool:
        return BOOL
    numpy: Any = sys.modules.get("numpy")  # an object of NumPy's exists only if it has been imported
    if numpy is None:
        return None
    dtype: Any = value
    if isinstance(value, type) and issubclass(value, numpy.generic):
        own = issubclass(value, (numpy.number, numpy.bool_)) or value.__name__ == "bfloat16"  # that of ml_dtypes
        if not own or value.__name__ in ("number", "integer", "floating", "inexact"):
            return None  # not a dtype, or a class of many
        dtype = numpy.dtype(value)
    if isinstance(dtype, numpy.dtype) and dtype.isnative:
        return SCALARS.get(_OF_NUMPY.get(dtype.name, ""))
    return None


if TYPE_CHECKING:

    class _Number:
        """The operations that all scalars have. A plain `int` may be a literal, which takes the other operand's type."""

        def __init__(self, value: SupportsFloat | SupportsIndex = 0, /) -> None: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __neg__(self) -> Self: ...
        def __pos__(self) -> Self: ...
        def __abs__(self) -> Self: ...
        def __eq__(self, other: object, /) -> bool: ...
        def __ne__(self, other: object, /) -> bool: ...
        def __hash__(self) -> int: ...

    class _Integer(_Number):
        def __index__(self) -> int: ...
        def __invert__(self) -> Self: ...
        def __add__(self, other: Self | int, /) -> Self: ...
        def __radd__(self, other: int, /) -> Self: ...
        def __sub__(self, other: Self | int, /) -> Self: ...
        def __rsub__(self, other: int, /) -> Self: ...
        def __mul__(self, other: Self | int, /) -> Self: ...
        def __rmul__(self, other: int, /) -> Self: ...
        def __floordiv__(self, other: Self | int, /) -> Self: ...
        def __rfloordiv__(self, other: int, /) -> Self: ...
        def __mod__(self, other: Self | int, /) -> Self: ...
        def __rmod__(self, other: int, /) -> Self: ...
        def __divmod__(self, other: Self | int, /) -> tuple[Self, Self]: ...
        def __pow__(self, other: int, /) -> Self: ...
        def __lshift__(self, other: Self | int, /) -> Self: ...
        def __rlshift__(self, other: int, /) -> Self: ...
        def __rshift__(self, other: Self | int, /) -> Self: ...
        def __rrshift__(self, other: int, /) -> Self: ...
        def __and__(self, other: Self | int, /) -> Self: ...
        def __rand__(self, other: int, /) -> Self: ...
        def __or__(self, other: Self | int, /) -> Self: ...
        def __ror__(self, other: int, /) -> Self: ...
        def __xor__(self, other: Self | int, /) -> Self: ...
        def __rxor__(self, other: int, /) -> Self: ...
        def __lt__(self, other: Self | int, /) -> bool: ...
        def __le__(self, other: Self | int, /) -> bool: ...
        def __gt__(self, other: Self | int, /) -> bool: ...
        def __ge__(self, other: Self | int, /) -> bool: ...

    class _Float(_Number):
        def __add__(self, other: Self | float, /) -> Self: ...
        def __radd__(self, other: float, /) -> Self: ...
        def __sub__(self, other: Self | float, /) -> Self: ...
        def __rsub__(self, other: float, /) -> Self: ...
        def __mul__(self, other: Self | float, /) -> Self: ...
        def __rmul__(self, other: float, /) -> Self: ...
        def __truediv__(self, other: Self | float, /) -> Self: ...
        def __rtruediv__(self, other: float, /) -> Self: ...
        def __floordiv__(self, other: Self | float, /) -> Self: ...
        def __rfloordiv__(self, other: float, /) -> Self: ...
        def __mod__(self, other: Self | float, /) -> Self: ...
        def __rmod__(self, other: float, /) -> Self: ...
        def __divmod__(self, other: Self | float, /) -> tuple[Self, Self]: ...
        def __pow__(self, other: float, /) -> Self: ...
        def __round__(self) -> Self: ...
        def __lt__(self, other: Self | float, /) -> bool: ...
        def __le__(self, other: Self | float, /) -> bool: ...
        def __gt__(self, other: Self | float, /) -> bool: ...
        def __ge__(self, other: Self | float, /) -> bool: ...

    i32 = int
    f32 = float

    class i8(_Integer): ...

    class i16(_Integer): ...

    class i64(_Integer): ...

    class u8(_Integer): ...

    class u16(_Integer): ...

    class u32(_Integer): ...

    class u64(_Integer): ...

    class f16(_Float): ...

    class bf16(_Float): ...

    class f64(_Float): ...

else:
    i8, i16, i32, i64 = (ScalarType(one) for one in (I8, I16, I32, I64))
    u8, u16, u32, u64 = (ScalarType(one) for one in (U8, U16, U32, U64))
    f16, bf16, f32, f64 = (ScalarType(one) for one in (F16, BF16, F32, F64))
