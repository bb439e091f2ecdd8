"""Which Python values a scalar parameter takes, and what they become. Nothing is converted that could surprise."""

from __future__ import annotations

import enum
import functools
import struct
from collections.abc import Sequence
from typing import Any

from oxidepy.ir.types import BF16, F64, Element, Members, Scalar, Struct
from oxidepy.lang.scalars import cast, scalar_of
from oxidepy.lang.structs import layout_of as struct_of
from oxidepy.runtime import elements
from oxidepy.runtime.refusal import launch_error
from oxidepy.runtime.untyped import tuple_of, type_of

LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}


class Unfit(Exception):
    """The value does not fit; `got` says what it is, `help` what to write instead."""

    def __init__(self, got: str, help: str) -> None:
        super().__init__(got)
        self.got = got
        self.help = help


def fit(scalar: Scalar, value: Any, members: Members | None = None) -> bool | int | float:
    """The Python number for a value handed to a scalar parameter. Unfit otherwise.

    A bool takes bools; integers take Python ints in range; floats take Python floats and ints in range; each takes NumPy scalars of
    exactly its type. `members`: the enum of which it is one, itself or its number.
    """
    if members is None:
        return _number(scalar, value)
    if not isinstance(value, enum.Enum) or isinstance(value, members):
        number = _number(scalar, value)
        if number in numbers_of(members):
            return number
    raise Unfit(described(value), f"hand over a member: `{members.__name__}.{next(iter(members)).name}`")


@functools.lru_cache
def numbers_of(members: Members) -> frozenset[int]:
    """The numbers of the members of an enum."""
    return frozenset(one.value for one in members)


def _number(scalar: Scalar, value: Any) -> bool | int | float:
    kind = type_of(value)
    if kind is bool or kind is int or kind is float:
        return _plain(scalar, value)
    of_numpy = scalar_of(kind)  # a NumPy scalar
    if of_numpy is not None:
        if of_numpy == scalar:
            number: bool | int | float = value.item()
            return number
        raise Unfit(
            described(value),
            f"convert it: `{_numpy_name(scalar)}({value})`",
        )
    if isinstance(value, int) and scalar.is_int:  # an IntEnum
        return _plain(scalar, int(value))
    if isinstance(value, enum.Enum) and scalar.is_int and type(value.value) is int:
        return _plain(scalar, value.value)
    raise Unfit(described(value), _way_out(scalar, value))


def _numpy_name(scalar: Scalar) -> str:
    return "np.bool_" if scalar.kind == "bool" else "ml_dtypes.bfloat16" if scalar == BF16 else f"np.{elements.dtype_of(scalar)}"


def _plain(scalar: Scalar, value: bool | int | float) -> bool | int | float:
    if isinstance(value, bool) or scalar.kind == "bool":
        if isinstance(value, bool) and scalar.kind == "bool":
            return value
        raise Unfit(
            f"{type(value).__name__} {value}",
            "write `x != 0`" if scalar.kind == "bool" else f"write `{'int' if scalar.is_int else 'float'}({value})`",
        )
    if scalar.is_int:
        if isinstance(value, float):
            raise Unfit(f"float {value}", "write `int(x)`, which cuts the fraction off")
        if not scalar.min <= value <= scalar.max:
            raise Unfit(
                f"int {value}, outside of {scalar.min} … {scalar.max}", f"take a wider parameter, or wrap it: `ox.{scalar.name}({value})`"
            )
        return value
    largest = LARGEST[scalar.name]
    if isinstance(value, int) and not -largest <= value <= largest:
        raise Unfit(f"int {value}, outside of ±{largest}", "take a wider parameter")
    number = value if isinstance(value, int) and scalar != F64 else float(value)  # an int is rounded once
    if abs(number) > largest and abs(number) != float("inf"):
        raise Unfit(f"float {value}, outside of ±{largest}", f"take a wider parameter, or `ox.{scalar.name}(x)`, which gives infinity")
    return number if scalar == F64 else cast(scalar, number)


def described(value: Any) -> str:
    """A value as a message names it."""
    shape = tuple_of(getattr(value, "shape", None))
    if shape == ():
        return f"{type(value).__module__}.{type(value).__name__}({value})"
    return f"{type(value).__name__} of shape {shape}" if shape is not None else f"{type(value).__name__} {value!r}"[:80]


def _way_out(scalar: Scalar, value: Any) -> str:
    if hasattr(value, "item"):
        return "take the number out: `x.item()`"
    return f"hand over a Python {'bool' if scalar.kind == 'bool' else 'int' if scalar.is_int else 'float'}"


def fields(element: Element, value: Any) -> dict[str, bool | int | float]:
    """The leaves of a struct value by dotted path. Unfit if it is no instance of a struct of that layout, or a field does not fit."""
    assert not isinstance(element, Scalar)
    if element.is_array:
        if type_of(value) is not tuple or len(value) != len(element.fields):
            raise Unfit(described(value), f"hand over a tuple of {len(element.fields)}")
        return _parts(element, value)
    of_class = struct_of(type_of(value))
    if of_class is None or not elements.same_layout(of_class, element):
        dtype = getattr(value, "dtype", None)
        hint = f"make one: `{element.name}(…)`" if element.name.isidentifier() else "make an instance of the `@struct` class"
        raise Unfit(f"a NumPy record {dtype}" if dtype is not None else described(value), hint)
    return _parts(element, [getattr(value, field.name) for field in element.fields])


def _parts(element: Struct, values: Sequence[Any]) -> dict[str, bool | int | float]:
    out: dict[str, bool | int | float] = {}
    for field, inner in zip(element.fields, values, strict=True):
        try:
            if isinstance(field.type, Scalar):
                out[field.name] = fit(field.type, inner, field.enum)
            else:
                out.update((f"{field.name}.{path}", number) for path, number in fields(field.type, inner).items())
        except Unfit as error:
            place = f"[{field.name}]" if element.is_array else f".{field.name}"
            kind = elements.element_name(field.type) if field.enum is None else field.enum.__name__
            raise Unfit(f"`{place}` ({kind}) = {error.got}", error.help) from None
    return out


_CODES = {
    "bool": "?",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
    "f16": "e",
    "f32": "f",
    "f64": "d",
}


def to_bytes(scalar: Scalar, number: bool | int | float) -> bytes:
    """The bytes of a number in memory."""
    if scalar.name == "bf16":
        return bf16_bits(number).to_bytes(2, "little")
    return struct.pack("<" + _CODES[scalar.name], number)


def bf16_bits(number: float) -> int:
    """The bits of a number as bf16."""
    return int.from_bytes(struct.pack("<f", cast(BF16, number)), "little") >> 16


def of_bf16_bits(bits: int) -> float:
    """The number that these bits are in bf16."""
    number: float = struct.unpack("<f", (bits << 16).to_bytes(4, "little"))[0]
    return number


def converted(element: Element, value: Any, what: str) -> bytes:
    """The bytes of one element. LaunchError OX2007 if the value does not fit."""
    try:
        if isinstance(element, Scalar):
            return to_bytes(element, fit(element, value))
        out = bytearray(element.size)
        leaves = fields(element, value)
        for path, scalar, offset in element.leaves():
            out[offset : offset + scalar.size] = to_bytes(scalar, leaves[path])
        return bytes(out)
    except Unfit as error:
        raise launch_error("OX2007", f"`{what}` wants {elements.element_name(element)}, got {error.got}", help=error.help) from None


def own_type(value: Any) -> Scalar | None:
    """The type that a value carries with it: a NumPy scalar's. Python's numbers carry none."""
    return None if type(value) in (bool, int, float) else scalar_of(type_of(value))
