"""An annotation → what kind of parameter it declares. Everything not understood is OX1002 with a way out."""

from __future__ import annotations

import enum
import sys
import types
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from oxidepy.frontend.constructs import COMPLEX, of_cuda
from oxidepy.ir.types import Element, Members, Scalar, Struct
from oxidepy.lang.definition import (
    ConstParam,
    FunctionParam,
    IndexSpace,
    ParamType,
    ScalarParam,
    SliceParam,
    StructParam,
    TensorMapParam,
    TupleParam,
    TypeVariable,
)
from oxidepy.lang.names import name_of
from oxidepy.lang.resolve import Scope
from oxidepy.lang.scalars import scalar_of
from oxidepy.lang.structs import enum_type, is_enum, layout_of, members_of

RANKS = {"D1": 1, "D2": 2, "D3": 3}
MAP_RANKS = {**RANKS, "D4": 4, "D5": 5}
SPACES = ("Index1D", "Index2D", "Runtime2D", "Runs")
_SLICES = "`Slice[f32]`, `DisjointSlice[f32]`, `SliceMut[f32]`"


class Refused(Exception):
    """Why an annotation is not understood: code, message, help."""

    def __init__(self, message: str, help: str, code: str = "OX1002") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


_UNIONS = (typing.Union, types.UnionType)

# What people write instead of a type of the kernel language → what they mean, by the object's qualified name.
_INSTEAD = {
    "builtins.int": "say the width: `i32` or `i64`; for a compile-time number write `Const[int]`",
    "builtins.float": "say the width: `f32` or `f64`",
    "builtins.complex": COMPLEX,
    "numpy.complex64": COMPLEX,
    "numpy.complex128": COMPLEX,
    "builtins.str": "a kernel has no strings",
    "builtins.list": f"memory is handed over as a slice: {_SLICES}",
    "builtins.dict": "a kernel has no dictionaries; pass a `@struct` dataclass",
    "builtins.tuple": "name the items: `tuple[f32, i32]`",
    "builtins.object": "name the type: a scalar, a slice, a struct",
    "typing.Any": "name the type, or write a kernel over a `TypeVar` with constraints",
    "numpy.ndarray": f"a kernel takes memory as a slice: {_SLICES}; the host hands over a `DeviceBuffer`",
    "torch.Tensor": f"a kernel takes memory as a slice: {_SLICES}; the host may hand over the tensor itself",
    "cupy.ndarray": f"a kernel takes memory as a slice: {_SLICES}; the host may hand over the array itself",
    "oxidepy.runtime.buffer.DeviceBuffer": f"this is what the host hands over; the kernel's parameter is a slice of it: {_SLICES}",
}


def convert(annotation: Any, scope: Scope, unsafe: bool = False) -> ParamType:
    """The parameter type that an annotation means. `scope` resolves text inside of it; `unsafe` allows `Ptr`. Raises Refused."""
    found = _convert(annotation, scope, unsafe)
    if isinstance(found, SliceParam) and found.space is not None and found.space.kind in ("Index2D", "Runs") and found.space.width is None:
        what = "row width" if found.space.kind == "Index2D" else "length of a run"
        help = f"write `{found.space.kind}[128]`, or for type checkers `Annotated[DisjointSlice[f32, {found.space.kind}], Width(128)]`"
        raise Refused(f"the index space `{found.space.kind}` does not say its {what}", help)
    return found


def _convert(annotation: Any, scope: Scope, unsafe: bool) -> ParamType:
    value = evaluated(annotation, scope)
    if (scalar := scalar_of(value)) is not None:
        return ScalarParam(scalar)
    if is_enum(value):
        return ScalarParam(_members(value), members_of(value))
    if isinstance(value, typing.TypeVar):
        return ScalarParam(_variable(value, scope))
    if (layout := layout_of(value)) is not None:
        return StructParam(layout)
    origin: Any = typing.get_origin(value)
    if origin is typing.Annotated:
        return _annotated(value, scope, unsafe)
    name = name_of(origin if origin is not None else value)
    args = _args(value)
    if name in _MAKERS:
        return _MAKERS[name](args, scope, unsafe)
    if name is not None and name.startswith("tile."):
        raise Refused(
            f"`{name.partition('.')[2]}` is a parameter of tile kernels", f"decorate with `@tile.kernel`, or write a slice: {_SLICES}"
        )
    if origin is tuple:
        return _tuple(args, scope, unsafe)
    if origin is not None and origin is typing.get_origin(Callable[..., Any]):
        return _function(args, scope, unsafe)
    help = _way_out(value, origin)
    if help == COMPLEX:
        raise Refused("kernels have no complex numbers", help, "OX0425")
    raise Refused(f"the annotation `{shown(value)}` is not understood", help)


def says_nothing(value: Any) -> bool:
    """Whether an annotation of a helper function or of a variable leaves the type to what it is given: `int` and `float` say no width, an
    index brings its own space."""
    if any(value is one for one in (None, type(None), int, float, str, object, Any)) or getattr(value, "_name", None) == "Self":
        return True
    return name_of(typing.get_origin(value) or value) in ("ThreadIndex", "Run", "Barriers")


def evaluated(annotation: Any, scope: Scope) -> Any:
    """The object behind an annotation that may be text."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        value = scope.evaluate(annotation)
    except NameError as error:
        raise Refused(
            f"the annotation `{annotation}` names `{error.name}`, which is not defined", _did_you_mean(str(error.name), scope)
        ) from error
    except AttributeError as error:
        raise Refused(f"the annotation `{annotation}` is not understood: {error}", _did_you_mean(str(error.name), error.obj)) from error
    except Exception as error:  # whatever the evaluation of a user's text raises
        raise Refused(
            f"the annotation `{annotation}` does not evaluate: {error}",
            "write a type of the kernel language, such as `f32` or `Slice[f32]`",
        ) from error
    return evaluated(value, scope)


def _members(cls: Members) -> Scalar:
    """What members of an enum are in a kernel."""
    found = enum_type(cls)
    if found is None and issubclass(cls, enum.Flag):
        raise Refused(f"the enum `{shown(cls)}` is of flags, which are no integers", f"make it one: `class {cls.__name__}(enum.IntFlag):`")
    if found is None:
        raise Refused(
            f"the enum `{shown(cls)}` has members that are no integers",
            f"give each member an integer that fits `i64`, or take it as `Const[{cls.__name__}]`",
        )
    return found


def _args(value: Any) -> tuple[Any, ...]:
    return typing.get_args(value)


def shown(value: Any) -> str:
    """An annotation as its author would write it."""
    own = name_of(value)
    args = typing.get_args(value)
    if own is not None and args:
        return f"{own}[{', '.join(shown(one) for one in args)}]"
    if own is not None:
        return own
    if typing.get_origin(value) in _UNIONS:
        return " | ".join("None" if one is type(None) else shown(one) for one in args)
    if isinstance(value, type) and not args:
        return value.__qualname__ if value.__module__ == "builtins" else f"{value.__module__}.{value.__qualname__}"
    return repr(value).replace("typing.", "")


def _way_out(value: Any, origin: Any) -> str:
    named = origin if isinstance(origin, type) else value
    known = _INSTEAD.get(f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', getattr(named, '__name__', ''))}")
    if known is not None:
        return known
    if origin in _UNIONS:
        if type(None) in _args(value):
            return "a launch gives every parameter: write one kernel with it and one without, or a function of both that they call"
        return "a parameter has one type; for several write a kernel over a constrained `TypeVar`"
    if isinstance(value, type) and hasattr(value, "__dataclass_fields__"):
        return f"write `@struct` above `@dataclass(frozen=True)` on `{value.__name__}`"
    return f"parameters are scalars (`f32`, …), slices ({_SLICES}), `@struct` classes, tuples, `Callable[[f32], f32]` or `Const[int]`"


def _did_you_mean(name: str, among: Any) -> str:
    import difflib

    import oxidepy  # its face: the names that could be imported

    names = [*among, *dir(oxidepy)] if isinstance(among, Scope) else [one for one in dir(among) if not one.startswith("_")]
    if (known := of_cuda(name)) is not None:
        return known
    close = difflib.get_close_matches(name, [one for one in names if not one.startswith("__")], n=1)
    if close and close[0] == name:
        return f"write `from oxidepy import {name}`"
    return f"did you mean `{close[0]}`?" if close else "import it, or write the type itself"


# ---- the parts of an annotation


def _variable(variable: typing.TypeVar, scope: Scope) -> TypeVariable:
    name = variable.__name__
    help = f'give it constraints: `{name} = TypeVar("{name}", f32, f64)`'
    given = variable.__constraints__ or _united(variable.__bound__, scope)
    if not given:
        why = (
            f"is bound to `{shown(variable.__bound__)}` instead of constrained" if variable.__bound__ is not None else "has no constraints"
        )
        raise Refused(f"the type variable `{name}` {why}", help)
    choices = tuple(_element(one, scope) for one in given)
    elements = [one for one in choices if not isinstance(one, TypeVariable)]
    if len(elements) != len(choices):
        raise Refused(f"a constraint of the type variable `{name}` is a type variable", help)
    return TypeVariable(name, tuple(elements))


def _united(bound: Any, scope: Scope) -> tuple[Any, ...]:
    """The types of a bound that names some, such as `f32 | f64`; none for any other."""
    value = None if bound is None else evaluated(bound, scope)
    if typing.get_origin(value) in _UNIONS:
        return typing.get_args(value)
    return (value,) if scalar_of(value) is not None or layout_of(value) is not None else ()


def _element(annotation: Any, scope: Scope) -> Element | TypeVariable:
    """What lies in memory: a scalar, a struct, a type variable over these."""
    value = evaluated(annotation, scope)
    if isinstance(value, typing.TypeVar):
        return _variable(value, scope)
    found = _members(value) if is_enum(value) else scalar_of(value) or layout_of(value)
    if found is None:
        known = _INSTEAD.get(f"{value.__module__}.{value.__qualname__}") if isinstance(value, type) else None
        if known == COMPLEX:
            raise Refused("kernels have no complex numbers", known, "OX0425")
        every = "elements are scalars (`f32`, `i32`, …), enums of integers or `@struct` classes"
        if hasattr(value, "__dataclass_fields__"):
            every = f"write `@struct` above `@dataclass(frozen=True)` on `{value.__name__}`"
        raise Refused(f"`{shown(value)}` is no element type", known or every)
    return found


def _members_of(annotation: Any, scope: Scope) -> Members | None:
    """The enum that elements are members of, or None."""
    value = evaluated(annotation, scope)
    return members_of(value)


def _slice(kind: str) -> Callable[[tuple[Any, ...], Scope, bool], ParamType]:
    def make(args: tuple[Any, ...], scope: Scope, unsafe: bool) -> ParamType:
        if not args:
            raise Refused(f"`{kind}` does not say what it holds", f"write `{kind}[f32]`")
        element, members = _element(args[0], scope), _members_of(args[0], scope)
        second = evaluated(args[1], scope) if args[1:] else None
        if len(args) > 2:
            raise Refused(
                f"`{kind}` takes an element type and {'an index space' if kind == 'DisjointSlice' else 'a rank'}, {len(args)} are given",
                f"write `{kind}[f32]`",
            )
        if kind == "DisjointSlice":
            return SliceParam(kind, element, *_space(second, scope), enum=members)
        name = "D1" if second is None else name_of(typing.get_origin(second) or second)
        if name not in RANKS:
            hint = "index spaces belong to `DisjointSlice`" if name in SPACES else "write `D1`, `D2` or `D3`"
            raise Refused(f"`{shown(second)}` is no rank of a `{kind}`", hint)
        return SliceParam(kind, element, RANKS[name], enum=members)

    return make


def _tensor_map(kind: str) -> Callable[[tuple[Any, ...], Scope, bool], ParamType]:
    def make(args: tuple[Any, ...], scope: Scope, unsafe: bool) -> ParamType:
        if len(args) not in (1, 2):
            raise Refused(f"`{kind}` does not say what it holds", f"write `tma.{kind}[f32, D2]`: the type of an element, and how many axes")
        named = list(args)
        element = _element(named[0], scope)
        if isinstance(element, Struct):
            raise Refused(f"the elements of a `{kind}` are scalars, and `{element.name}` is none", "name a scalar such as `f32`")
        rank = evaluated(named[1], scope) if len(named) > 1 else None
        name = "D1" if rank is None else str(name_of(rank))
        im2col = kind == "Im2colMap"
        if MAP_RANKS.get(name, 0) < (3 if im2col else 1):
            ranks = "" if im2col else "`D1`, `D2`, "
            given = "D1" if rank is None else shown(rank)
            raise Refused(f"`{given}` is no number of axes of a `{kind}`", f"write {ranks}`D3`, `tma.D4` or `tma.D5`")
        return TensorMapParam(element, MAP_RANKS[name], kind == "TensorMapMut", im2col)

    return make


def _space(value: Any, scope: Scope) -> tuple[int, IndexSpace]:
    """Rank of the buffer and index space."""
    name = "Index1D" if value is None else name_of(typing.get_origin(value) or value)
    if name not in SPACES:
        rows = "rows of any width are `Runtime2D`; " if name == "D2" else ""
        other = "write `Index1D`, `Index2D[128]`, `Runtime2D` or `Runs[4]`"
        hint = f"{rows}a slice under any index is a `SliceMut`" if name in RANKS else other
        raise Refused(f"`{shown(value)}` is no index space", hint)
    args = _args(value)
    takes = name in ("Index2D", "Runs")
    if args and (not takes or len(args) > 1):
        raise Refused(
            f"the index space `{name}` takes {'one number' if takes else 'no number'}",
            f"write `{name}[128]`" if takes else f"write `{name}`",
        )
    width = width_of(evaluated(args[0], scope), name) if args else None
    return 2 if name == "Runtime2D" else 1, IndexSpace(name, width)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def width_of(value: Any, name: str) -> int:
    number = value.__index__() if hasattr(value, "__index__") and not isinstance(value, bool) else None
    if number is None or not 0 < number < 2**31:
        raise Refused(
            f"`{name}[{shown(value) if number is None else number}]`: the number is a positive integer below 2**31", f"write `{name}[128]`"
        )
    return int(number)


def _annotated(value: Any, scope: Scope, unsafe: bool) -> ParamType:
    from oxidepy.lang.index import Width

    inner, *extra = typing.get_args(value)
    found = _convert(inner, scope, unsafe)
    widths = [one for one in extra if isinstance(one, Width)]
    if not widths:
        return found  # what other tools read
    if not isinstance(found, SliceParam) or found.space is None or found.space.kind not in ("Index2D", "Runs"):
        raise Refused(
            "`Width` says the number of an `Index2D` or `Runs`, and this annotation has none",
            "write `Annotated[DisjointSlice[f32, Index2D], Width(128)]`",
        )
    kind = found.space.kind
    numbers = {width_of(one.value, kind) for one in widths} | ({found.space.width} - {None})
    if len(numbers) != 1:
        raise Refused(f"the annotation gives `{kind}` two numbers", "leave one of them out")
    return replace(found, space=IndexSpace(kind, numbers.pop()))


def _tuple(args: tuple[Any, ...], scope: Scope, unsafe: bool) -> TupleParam:
    if not args or Ellipsis in args:
        raise Refused(
            "a tuple parameter has a fixed number of items", "name each: `tuple[f32, f32]`; for many of one type hand over a `Slice`"
        )
    items = tuple(convert(one, scope, unsafe) for one in args)
    fit = tuple(one for one in items if isinstance(one, (ScalarParam, StructParam, TupleParam)))
    if len(fit) != len(items):
        raise Refused("the items of a tuple are scalars, structs or tuples", "make the slice, pointer or function a parameter of its own")
    return TupleParam(fit)


def _function(args: tuple[Any, ...], scope: Scope, unsafe: bool) -> FunctionParam:
    taken: Any = args[0] if args else ...
    if not isinstance(taken, (list, tuple)):
        raise Refused("the function's parameters are not named", "write `Callable[[f32], f32]`")
    result = evaluated(args[1], scope)
    given = tuple(convert(one, scope, unsafe) for one in typing.cast("list[Any]", taken))
    return FunctionParam(given, None if result in (None, type(None)) else convert(result, scope))


def _constant(args: tuple[Any, ...], scope: Scope, unsafe: bool) -> ConstParam:
    found = _compile_time(evaluated(args[0], scope), scope) if len(args) == 1 else None
    if found is None:
        raise Refused(
            "a compile-time value is a number, a bool, a string, a member of an enum, or a tuple of these",
            "write `Const[int]`, `Const[float]`, `Const[bool]`, `Const[str]`, `Const[tuple[int, int]]`, or a scalar such as `Const[u32]`",
        )
    return found


def _compile_time(value: Any, scope: Scope) -> ConstParam | None:
    if isinstance(value, type) and value in (int, float, bool, str):
        return ConstParam(value.__name__)
    if (scalar := scalar_of(value)) is not None:
        return ConstParam(str(scalar))
    if is_enum(value):
        return ConstParam(value.__name__, enum=value)
    if typing.get_origin(value) is not tuple:
        return None
    given = _args(value)
    ends = len(given) == 2 and given[1] is Ellipsis
    items = [_compile_time(evaluated(one, scope), scope) for one in given[: 1 if ends else None]]
    known = tuple(one for one in items if one is not None)
    shown = ", ".join([*(one.type for one in known), *(["..."] if ends else [])])
    return ConstParam(f"tuple[{shown}]", items=known, open=ends) if len(known) == len(items) and known else None


def _pointer(args: tuple[Any, ...], scope: Scope, unsafe: bool) -> ParamType:
    if not unsafe:
        raise Refused(
            "`Ptr` needs `unsafe`: nothing is known of what it points at",
            f'write `@kernel(unsafe="why it holds")`, or a slice: {_SLICES}',
            "OX0133",
        )
    if len(args) != 1:
        raise Refused("`Ptr` does not say what it points at", "write `Ptr[f32]`")
    return SliceParam("Ptr", _element(args[0], scope), enum=_members_of(args[0], scope))


_MAKERS: dict[str | None, Callable[[tuple[Any, ...], Scope, bool], ParamType]] = {
    **{kind: _slice(kind) for kind in ("Slice", "DisjointSlice", "SliceMut", "ConstantSlice")},
    **{kind: _tensor_map(kind) for kind in ("TensorMap", "TensorMapMut", "Im2colMap")},
    "Const": _constant,
    "Ptr": _pointer,
}


def raw(function: types.FunctionType) -> dict[str, Any]:
    """A function's annotations: objects where Python has or can evaluate them, else text. Names that are missing raise nothing here."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(function, format=annotationlib.Format.FORWARDREF)
    return dict(function.__annotations__)
