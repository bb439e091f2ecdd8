"""`@struct`: frozen dataclasses that a kernel takes as parameters and as elements of slices, laid out as in C."""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Callable, Mapping
from typing import Any, ForwardRef, TypeGuard, TypeVar, get_args, get_origin

from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.ir.types import I32, I64, Members, Scalar, Struct
from oxidepy.lang.names import caller_span
from oxidepy.lang.resolve import Scope
from oxidepy.lang.scalars import numpy_dtype, scalar_of

C = TypeVar("C", bound=type)


def struct(cls: C, /) -> C:
    """Let kernels take instances of a frozen dataclass whose fields are scalars, other such classes, or tuples of one of these.

        @struct
        @dataclass(frozen=True)
        class Params:
            dt: f32
            wrap: bool
            weights: tuple[f32, f32, f32]

    Fields lie in memory in their order, each at its natural alignment. OX1002 where the class is not a frozen dataclass, at once, or a
    field's type is not understood, when the layout is first needed.
    """
    span = caller_span()
    if not isinstance(cls, type):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"`@struct` stands on {type(cls).__name__}, which is no class"
        raise CompileError([Diagnostic("OX1002", message, span=span, help="write it above `@dataclass(frozen=True)` and `class`")])
    own: dict[str, Any] = dict(vars(cls))  # an inherited dataclass does not make this class one
    if "__dataclass_fields__" not in own or not own["__dataclass_params__"].frozen:
        what = "a dataclass that is not frozen" if "__dataclass_fields__" in own else "no dataclass"
        help = f"write `@struct` above `@dataclass(frozen=True)`, both above `class {cls.__name__}`"
        raise CompileError([Diagnostic("OX1002", f"`@struct` stands on `{cls.__name__}`, which is {what}", span=span, help=help)])
    frame = sys._getframe(1)
    names: Mapping[str, Any] = {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)
    setattr(cls, "__oxidepy_struct__", _Layout(cls, names, frame.f_globals, span))  # noqa: B010 - a checker knows no such attribute
    return cls


def packed(layout: Struct) -> Callable[[C], C]:
    """Let a frozen dataclass of the language itself stand for a layout that is fixed."""

    def mark(cls: C) -> C:
        made = _Layout(cls, {}, {}, None)
        made.made = layout
        setattr(cls, "__oxidepy_struct__", made)  # noqa: B010 - as above
        return cls

    return mark


class _Layout:
    """The layout of a struct class, made when it is first asked for: fields may name classes that come later in the file."""

    def __init__(self, cls: type, frame: Mapping[str, Any], module: Mapping[str, Any], span: Span | None) -> None:
        self.cls = cls
        self.scope = Scope({cls.__name__: cls}, frame, module=module)
        self.span = span
        self.made: Struct | None = None
        self.open = False
        self.enums: dict[str, Members] = {}  # of fields that hold members of one

    def get(self) -> Struct:
        if self.made is None:
            if self.open:
                raise self.refuse(f"struct `{self.cls.__name__}` contains itself", "hold an index into a slice of such structs instead")
            self.open = True
            try:
                members = tuple((one.name, self.member(one)) for one in dataclasses.fields(self.cls))
                self.made = Struct.of(self.cls.__name__, members, self.cls, self.enums)
            finally:
                self.open = False
            if not self.made.fields:
                self.made = None
                raise self.refuse(f"struct `{self.cls.__name__}` has no fields", "leave the parameter out, or add a field")
        return self.made

    def member(self, field: dataclasses.Field[Any]) -> Scalar | Struct:
        written: Any = field.type
        name = f"field `{field.name}` of struct `{self.cls.__name__}`"
        value = self.evaluated(written, name)
        found = self.type_of(value, name)
        if found is None:
            shown = written if isinstance(written, str) else getattr(written, "__name__", repr(written))
            width = {int: "write `i32` or `i64`", float: "write `f32` or `f64`"}.get(value) if isinstance(value, type) else None
            if isinstance(value, TypeVar):
                width = "write a class for each type; methods of one name serve a kernel over a `TypeVar` of these classes"
            known = width or "fields are scalars, bool, enums of integers, `@struct` classes, or tuples of one of these"
            raise self.refuse(f"{name} has the type `{shown}`, which has no place in memory", known)
        if (cls := members_of(value)) is not None:
            self.enums[field.name] = cls
        return found

    def evaluated(self, written: Any, name: str) -> Any:
        """What a type stands for; quotes inside of quotes are those of a name that comes later."""
        value = written
        while isinstance(value, (str, ForwardRef)):
            text = (
                value.__forward_arg__ if isinstance(value, ForwardRef) else value
            )  # what Python 3.14 makes of a name that is not there yet
            try:
                value = self.scope.evaluate(text)
            except Exception as error:
                raise self.refuse(
                    f"the type of {name}, `{text}`, does not evaluate: {error}", "write a scalar such as `f32` or a `@struct` class"
                ) from error
        return value

    def type_of(self, value: Any, name: str) -> Scalar | Struct | None:
        """What a field of that type holds; a tuple is an array. None for what has no place in memory."""
        if get_origin(value) is not tuple:
            return scalar_of(value) or layout_of(value) or enum_type(value)
        items = [self.evaluated(one, name) for one in get_args(value)]
        if not items or any(one != items[0] for one in items):
            message = f"the items of {name} are not of one type"
            raise self.refuse(message, "write one type as often as there are items, `tuple[f32, f32]`; for several write a `@struct` class")
        found = self.type_of(items[0], name)
        return None if found is None else Struct.array(found, len(items), members_of(items[0]))

    def refuse(self, message: str, help: str) -> CompileError:
        return CompileError([Diagnostic("OX1002", message, span=self.span, help=help)])


def layout_of(cls: object) -> Struct | None:
    """The layout of a class under `@struct`; None for anything else, subclasses too, which say `@struct` themselves. OX1002."""
    layout = vars(cls).get("__oxidepy_struct__") if isinstance(cls, type) else None
    return layout.get() if isinstance(layout, _Layout) else None


def is_enum(value: object) -> TypeGuard[Members]:
    return isinstance(value, enum.EnumMeta)


def members_of(cls: object) -> Members | None:
    """The enum whose members are all that its values may be; None for what is no enum, and for flags, which combine."""
    return cls if is_enum(cls) and not issubclass(cls, enum.Flag) else None


def enum_type(cls: object) -> Scalar | None:
    """The scalar that members of an enum of integers are: i32, or i64 where one does not fit; None for anything else."""
    if not isinstance(cls, enum.EnumMeta) or (issubclass(cls, enum.Flag) and not issubclass(cls, int)):
        return None
    members: Any = cls
    values: list[Any] = [one.value for one in members]
    if not values or any(type(one) is not int for one in values):
        return None
    return next((one for one in (I32, I64) if all(one.min <= value <= one.max for value in values)), None)


def struct_dtype(layout: Struct) -> Any:
    """NumPy's structured dtype with the same fields, offsets and size."""
    import numpy

    if layout.is_array:
        first = layout.fields[0].type
        return numpy.dtype((struct_dtype(first) if isinstance(first, Struct) else numpy_dtype(first), (len(layout.fields),)))
    formats = [struct_dtype(one.type) if isinstance(one.type, Struct) else numpy_dtype(one.type) for one in layout.fields]
    names, offsets = [one.name for one in layout.fields], [one.offset for one in layout.fields]
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": layout.size})
