"""Python objects that a kernel names, as frontend values: constants, functions, modules, names of the kernel language."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import functools
import types
from collections.abc import Callable
from typing import Any, TypeVar

from oxidepy.diagnostics import OxideError
from oxidepy.diagnostics.names import suggest
from oxidepy.frontend.constructs import not_yet, of_cuda
from oxidepy.frontend.convert import constant
from oxidepy.frontend.dispatch import CALLS, PROPERTIES, meaning
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import NONE, Front, FunctionValue, Literal, Method, Named, Static, Text, TupleValue, Typed, composed
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import BOOL, Struct
from oxidepy.lang.definition import KernelDef
from oxidepy.lang.names import name_of
from oxidepy.lang.scalars import scalar_of
from oxidepy.lang.structs import layout_of
from oxidepy.lang.swizzle import Swizzle

_HEAP: dict[type[Any], str] = {
    list: "make it a tuple, or pass it as a slice",
    dict: "pass keys and values as slices",
    set: "pass the members as a slice",
    frozenset: "pass the members as a slice",
    bytearray: "pass the bytes as a slice of `u8`",
    bytes: "pass the bytes as a slice of `u8`",
}


def front_of(frame: Frame, node: ast.AST, value: Any, name: str) -> Front:
    """What the object means in a kernel. OX0658 if nothing."""
    if value is None:
        return NONE
    kind: type[Any] = value.__class__
    if kind in _SIMPLE:
        return _SIMPLE[kind](value)
    if isinstance(value, enum.Enum):
        inner = front_of(frame, node, value.value, name)
        return Literal(inner.value, value) if isinstance(inner, Literal) else inner if isinstance(value, str) else Static(value)
    if isinstance(value, tuple):
        items: tuple[Any, ...] = value  # pyright: ignore[reportUnknownVariableType]
        return TupleValue(tuple(front_of(frame, node, item, name) for item in items))
    if kind in _HEAP:
        what = f"`{name}`, a {kind.__name__} of the module," if name else f"a {kind.__name__}"
        raise frame.refuse(node, "OX0658", f"{what} is not supported in kernels", help=_HEAP[kind])
    if (language := name_of(value)) is not None:
        return Named(language, value)
    return _object(frame, node, value, name)


def members(frame: Frame, node: ast.AST, value: Front) -> Front:
    """An enum that is gone through: the tuple of its members; anything else is itself."""
    if not isinstance(value, Static) or not isinstance(value.object, enum.EnumMeta):
        return value
    every: Any = value.object
    return TupleValue(tuple(front_of(frame, node, one, one.name) for one in every))


_SIMPLE: dict[type, Callable[[Any], Front]] = {bool: Literal, int: Literal, float: Literal, str: Text, types.ModuleType: Static}


_TYPES: tuple[Any, ...] = tuple(value for value in vars(builtins).values() if isinstance(value, type))


def _object(frame: Frame, node: ast.AST, value: Any, name: str) -> Front:
    kind: type[Any] = value.__class__
    if (scalar := scalar_of(value)) is not None:
        return Named("builtins.bool" if scalar == BOOL and value is bool else scalar.name, value)
    if isinstance(value, TypeVar):
        return _bound(frame, node, value)
    if value is dataclasses.replace:
        return Named("dataclasses.replace", value)
    if isinstance(value, types.FunctionType):
        return FunctionValue(value, label=name, path=_path(frame, value, name))
    if isinstance(value, types.MethodType) and layout_of(value.__self__) is not None:  # a class method
        cls: type = value.__self__  # type: ignore[assignment]
        return FunctionValue(value.__func__, label=name, owner=Static(cls), names={cls.__name__: cls})
    builtin = isinstance(value, types.BuiltinFunctionType)
    if (builtin or (isinstance(value, type) and value in _TYPES)) and value.__module__ in ("builtins", "io", "_io"):
        return Named(f"builtins.{value.__name__}", value)
    if builtin and value.__module__ == "math":
        return Named(f"math.{value.__name__}", value)
    home = getattr(value, "__module__", None)  # None for methods of objects in C, such as `random.random`
    if kind.__module__ == "numpy" or str(home).partition(".")[0] == "numpy" or scalar_of(kind) is not None:
        return _numpy(frame, node, value, name)
    if isinstance(value, (type, Swizzle)) or isinstance(getattr(value, "definition", None), KernelDef):
        return Static(value)
    if (layout := layout_of(value.__class__)) is not None:
        return struct_constant(frame, value, layout)
    raise frame.refuse(
        node,
        "OX0658",
        f"`{name}`, a Python object of type `{type(value).__name__}`, is not supported in kernels",
        help=of_cuda(name) or _foreign_help(value),
    )


def _bound(frame: Frame, node: ast.AST, variable: TypeVar) -> Front:
    """A TypeVar in the body: the type that it stands for in this specialisation."""
    element = frame.types.get(variable.__name__)
    if element is None:
        help = "name it in the annotation of a parameter, or write the type itself"
        raise frame.refuse(node, "OX0282", f"nothing says what `{variable.__name__}` stands for here", help=help)
    if isinstance(element, Struct):
        return Static(element.python or element)
    from oxidepy.lang import scalars

    return Named("builtins.bool", bool) if element == BOOL else Named(element.name, getattr(scalars, element.name))


def _foreign_help(value: Any) -> str:
    if isinstance(value, functools.cached_property):
        return "make it a `@property`, which is computed where it is asked for"
    if any(isinstance(getattr(value, name, None), types.FunctionType) for name in ("py_func", "__wrapped__")):  # what decorators leave
        return "take its decorator away: a plain function that a kernel calls is compiled with it"
    if callable(value):
        return "write it as a plain function beside the kernel, or call it on the host"
    return "pass numbers, slices or a `@struct` as parameters"


def _path(frame: Frame, value: Any, name: str) -> str | None:
    """The way from the kernel to a function that the frame's function names."""
    try:
        found = frame.path is not None and frame.parsed.lookup(name) is value
    except KeyError:
        found = False
    return f"{frame.path}{name}." if found else None


_NUMPY = {  # NumPy's name → that of `math`
    "absolute": "fabs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "deg2rad": "radians", "rad2deg": "degrees", "power": "pow", "float_power": "pow",
}  # fmt: skip


def _numpy(frame: Frame, node: ast.AST, value: Any, name: str) -> Front:
    if type(value).__name__ == "ufunc" or isinstance(value, types.FunctionType) or type(value).__name__ == "_ArrayFunctionDispatcher":
        own = f"math.{_NUMPY.get(value.__name__, value.__name__)}"
        return Named(own, value) if own in CALLS or own in _later_maths() else Static(value)
    kind: type[Any] = value.__class__
    scalar = scalar_of(kind)
    if scalar is not None:
        return Typed(constant(frame, scalar, value.item()))
    if type(value).__name__ == "ndarray":
        raise frame.refuse(node, "OX0658", f"`{name}`, an array of the module, is not supported in kernels", help="pass it as a slice")
    return Static(value)


def _later_maths() -> frozenset[str]:
    from oxidepy.lang import math

    return frozenset(f"math.{one}" for one in vars(math) if not one.startswith("_"))


def struct_constant(frame: Frame, value: Any, layout: Struct) -> Front:
    """An instance of a `@struct` class that the module holds."""
    fields: list[Front] = []
    for position, one in enumerate(layout.fields):
        part = value[position] if layout.is_array else getattr(value, one.name)
        part = part.value if isinstance(part, enum.Enum) else part
        number = part.item() if hasattr(part, "item") else part
        if isinstance(one.type, Struct):
            fields.append(struct_constant(frame, part, one.type))
        else:
            fields.append(Typed(constant(frame, one.type, number), one.enum))
    return composed(layout, fields)


# ---- attributes of such objects


def attribute(frame: Frame, node: ast.Attribute, owner: Named | Static) -> Front:
    """`module.name`, `Enum.MEMBER`, `thread.idx.x`. OX0425 with the name that was meant, where there is none."""
    value = owner.object
    if isinstance(value, Swizzle) and node.attr in ("apply", "undo", "bank_of", "conflict_degree"):
        return Method(owner, node.attr)
    dotted = f"{owner.name}.{node.attr}" if isinstance(owner, Named) else ""
    if dotted in PROPERTIES:
        return PROPERTIES[dotted](frame, node)
    if dotted in ROWS and ROWS[dotted].property:
        return Typed(frame.lowering.intrinsic(dotted))
    try:
        found = getattr(value, node.attr)
    except OxideError:  # exists in kernels only, and this version cannot translate it
        raise not_yet(frame, node, dotted) from None
    except AttributeError:
        if dotted and meaning(dotted) is not None:  # of the hardware layer, which says what was meant where it is called
            return Named(dotted, None)
        raise _unknown(frame, node, value) from None
    if dotted in CALLS:
        return Named(dotted, found)
    return front_of(frame, node, found, ast.unparse(node))


FEW = 16  # names that a message lists


def _unknown(frame: Frame, node: ast.Attribute, value: Any) -> Exception:
    close = suggest(node.attr, [one for one in dir(value) if not one.startswith("_")])
    text = ast.unparse(node.value)
    if node.attr in ("x", "y", "z") and hasattr(value, "idx"):
        close = f"idx.{node.attr}"
    close = close or next((one for one in dir(value) if node.attr in one.split("_")), None)
    help = of_cuda(node.attr) or (f"did you mean `{text}.{close}`?" if close else None)
    known = list(value.__members__) if isinstance(value, enum.EnumMeta) else [one for one in dir(value) if not one.startswith("_")]
    if help is None and len(known) <= FEW:
        help = "it has " + ", ".join(f"`{one}`" for one in known)
    return frame.refuse(node, "OX0425", f"`{text}` has no `{node.attr}`", help=help)
