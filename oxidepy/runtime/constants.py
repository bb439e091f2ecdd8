"""What a launch hands over for `Const` parameters, and when two such values are one."""

from __future__ import annotations

from typing import Any

from oxidepy.ir.types import SCALARS
from oxidepy.lang.definition import ConstParam
from oxidepy.runtime import scalars
from oxidepy.runtime.untyped import tuple_of, type_of

_PLAIN: dict[str, type[Any]] = {"int": int, "float": float, "bool": bool, "str": str}


def compile_time(wanted: ConstParam, value: Any) -> Any:
    """The value as the kernel sees it: a number, string, member of an enum, or tuple. Unfit otherwise."""
    if wanted.items is not None:
        given = tuple_of(value)
        if given is None or (len(given) < 1 if wanted.open else len(given) != len(wanted.items)):
            raise scalars.Unfit(scalars.described(value), f"hand over a Python tuple, `{wanted.type}`")
        items = wanted.items * len(given) if wanted.open else wanted.items
        return tuple(compile_time(one, item) for one, item in zip(items, given, strict=True))
    if wanted.enum is not None:
        if not isinstance(value, wanted.enum):
            raise scalars.Unfit(scalars.described(value), f"hand over a member: `{wanted.type}.{next(iter(wanted.enum)).name}`")
        return value
    plain = _PLAIN.get(wanted.type)
    if plain is None:
        return scalars.fit(SCALARS[wanted.type], value)
    if type(value) is not plain and not (plain is float and type(value) is int):
        raise scalars.Unfit(scalars.described(value), _out(wanted.type, value))
    return plain(value)


def _out(wanted: str, value: Any) -> str:
    return f"hand over a Python {wanted}" + (f": `{wanted}(x)`" if hasattr(value, "item") else "")


def exactly(value: Any) -> Any:
    """A key that tells apart what Python holds for equal: 1, 1.0 and True, and the two zeros."""
    kind = type_of(value)
    items = tuple_of(value)
    return kind, tuple(map(exactly, items)) if items is not None else value.hex() if kind is float else value
