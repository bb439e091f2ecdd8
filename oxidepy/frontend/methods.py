"""What a `@struct` class says beside its fields: methods, properties, constants, and the methods that Python's operators call."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

from oxidepy.frontend.convert import Operand
from oxidepy.frontend.dispatch import CALLERS
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.static import front_of
from oxidepy.frontend.values import Front, FunctionValue, StructValue, describe
from oxidepy.ir.types import Struct

_MISSING = object()

# operator → its method, and the one that the other side is asked for
BINARY: dict[type[ast.AST], tuple[str, str, str]] = {
    ast.Add: ("+", "__add__", "__radd__"),
    ast.Sub: ("-", "__sub__", "__rsub__"),
    ast.Mult: ("*", "__mul__", "__rmul__"),
    ast.MatMult: ("@", "__matmul__", "__rmatmul__"),
    ast.Div: ("/", "__truediv__", "__rtruediv__"),
    ast.FloorDiv: ("//", "__floordiv__", "__rfloordiv__"),
    ast.Mod: ("%", "__mod__", "__rmod__"),
    ast.Pow: ("**", "__pow__", "__rpow__"),
    ast.BitAnd: ("&", "__and__", "__rand__"),
    ast.BitOr: ("|", "__or__", "__ror__"),
    ast.BitXor: ("^", "__xor__", "__rxor__"),
    ast.LShift: ("<<", "__lshift__", "__rlshift__"),
    ast.RShift: (">>", "__rshift__", "__rrshift__"),
    ast.Eq: ("==", "__eq__", "__eq__"),
    ast.NotEq: ("!=", "__ne__", "__ne__"),
    ast.Lt: ("<", "__lt__", "__gt__"),
    ast.LtE: ("<=", "__le__", "__ge__"),
    ast.Gt: (">", "__gt__", "__lt__"),
    ast.GtE: (">=", "__ge__", "__le__"),
}
UNARY: dict[type[ast.AST], tuple[str, str]] = {
    ast.USub: ("-", "__neg__"),
    ast.UAdd: ("+", "__pos__"),
    ast.Invert: ("~", "__invert__"),
}


def class_of(value: Front) -> type | None:
    """The class of a struct; pairs of halves and arrays have none."""
    return value.layout.python if isinstance(value, StructValue) else None


def written(cls: type | None, name: str) -> Any:
    """What the class or a base says under that name, as it stands there; `_MISSING` where nobody does, or a dataclass wrote it."""
    for base in cls.__mro__[:-1] if cls is not None else ():
        if name in vars(base):
            found = vars(base)[name]
            code = getattr(getattr(found, "__wrapped__", found), "__code__", None)  # `__repr__` is wrapped
            return _MISSING if code is not None and code.co_filename == "<string>" else found
    return _MISSING


def function_of(cls: type, name: str, function: types.FunctionType, owner: Front | None) -> FunctionValue:
    """A function of the class, with the object or class that Python hands over first."""
    return FunctionValue(function, label=f"{cls.__name__}.{name}", owner=owner, names={cls.__name__: cls})


def member(frame: Frame, node: ast.Attribute, value: StructValue) -> Front | None:
    """`value.name` for what is no field: a method, the value of a property, a constant of the class. None where there is none."""
    cls, name = value.layout.python, node.attr
    found = written(cls, name)
    if found is _MISSING or cls is None:
        return None
    if isinstance(found, types.FunctionType):
        return function_of(cls, name, found, value)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        return call(frame, node, function_of(cls, name, found.fget, value))
    if isinstance(found, (staticmethod, classmethod)):
        found = getattr(cls, name)
    return front_of(frame, node, found, f"{cls.__name__}.{name}")


def names_member(layout: Struct, name: str) -> bool:
    """Whether a name is none of a field, and the struct's class says something of it."""
    return all(one.name != name for one in layout.fields) and written(layout.python, name) is not _MISSING


def call(frame: Frame, node: ast.AST, function: FunctionValue, args: Sequence[Operand] = ()) -> Front:
    (caller,) = CALLERS
    return caller(frame, node, function, args)


def bound(value: Front, name: str) -> FunctionValue | None:
    """The method of that name, as it stands in the struct's class, called on the value; None where the class has none."""
    cls = class_of(value)
    found = written(cls, name)
    return function_of(cls, name, found, value) if cls is not None and isinstance(found, types.FunctionType) else None


def special(frame: Frame, node: ast.AST, value: Front, name: str, args: Sequence[Operand] = ()) -> Front | None:
    """What a method that Python calls by itself gives, such as `__neg__`; None where the class has none."""
    method = bound(value, name)
    return None if method is None else call(frame, node, method, args)


def operated(frame: Frame, node: ast.AST, op: ast.AST, left: Operand, right: Operand) -> Front | None:
    """`left op right` by the methods of a struct: the left one's, else the right one's reflected; a subclass on the right goes first. None
    where neither has one."""
    _, own, reflected = BINARY[type(op)]
    sides = [(left, own, right), (right, reflected, left)]
    first, second = class_of(left[0]), class_of(right[0])
    if first is not None and second is not None and second is not first and issubclass(second, first):
        sides.reverse()
    for (value, _), name, other in sides:
        if (found := special(frame, node, value, name, (other,))) is not None:
            return found
    return None


def no_operator(frame: Frame, op: ast.AST, *given: Operand) -> Exception:
    """OX0308 for an operator on a struct whose class does not say what it means."""
    symbol, name = BINARY[type(op)][:2] if type(op) in BINARY else UNARY[type(op)]
    value, place = next(one for one in given if class_of(one[0]) is not None)
    assert isinstance(value, StructValue)
    text = ast.unparse(place)
    help = f"name a field: `{text}.{value.layout.fields[0].name}`; or write a method `{name}` into `{value.layout.name}`"
    return frame.refuse(place, "OX0308", f"`{symbol}` takes numbers, and this is {describe(value)}", help=help)
