"""`@struct`: frozen dataclasses that a kernel takes as parameters and as elements of slices, laid out as in C."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from typing import Any, ForwardRef, TypeVar

from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.ir.types import Scalar, Struct
from oxidepy.lang.names import caller_span
from oxidepy.lang.resolve import Scope
from oxidepy.lang.scalars import numpy_dtype, scalar_of

C = TypeVar("C", bound=type)


def struct(cls: C, /) -> C:
    """Let kernels take instances of a frozen dataclass whose fields are scalars or other such classes.

        @struct
        @dataclass(frozen=True)
        class Params:
            dt: f32
            wrap: bool

    Fields lie in memory in their order, each at its natural alignment. OX1002 where the class is not a frozen dataclass, at once, or a
    field's type is not understood, when the layout is first needed.
    """
    span = caller_span()
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

    def get(self) -> Struct:
        if self.made is None:
            if self.open:
                raise self.refuse(f"struct `{self.cls.__name__}` contains itself", "hold an index into a slice of such structs instead")
            self.open = True
            try:
                self.made = Struct.of(self.cls.__name__, tuple((one.name, self.member(one)) for one in dataclasses.fields(self.cls)))
            finally:
                self.open = False
            if not self.made.fields:
                self.made = None
                raise self.refuse(f"struct `{self.cls.__name__}` has no fields", "leave the parameter out, or add a field")
        return self.made

    def member(self, field: dataclasses.Field[Any]) -> Scalar | Struct:
        written: Any = field.type
        name = f"field `{field.name}` of struct `{self.cls.__name__}`"
        if isinstance(written, ForwardRef):  # what Python 3.14 makes of a name that is not there yet
            written = written.__forward_arg__
        try:
            value = self.scope.evaluate(written) if isinstance(written, str) else written
        except Exception as error:
            raise self.refuse(
                f"the type of {name}, `{written}`, does not evaluate: {error}", "write a scalar such as `f32` or a `@struct` class"
            ) from error
        found = scalar_of(value) or layout_of(value)
        if found is None:
            shown = written if isinstance(written, str) else getattr(written, "__name__", repr(written))
            width = {int: "write `i32` or `i64`", float: "write `f32` or `f64`"}.get(value) if isinstance(value, type) else None
            raise self.refuse(
                f"{name} has the type `{shown}`, which has no place in memory", width or "fields are scalars, bool or `@struct` classes"
            )
        return found

    def refuse(self, message: str, help: str) -> CompileError:
        return CompileError([Diagnostic("OX1002", message, span=self.span, help=help)])


def layout_of(cls: object) -> Struct | None:
    """The layout of a class under `@struct`; None for anything else, subclasses too, which say `@struct` themselves. OX1002."""
    layout = vars(cls).get("__oxidepy_struct__") if isinstance(cls, type) else None
    return layout.get() if isinstance(layout, _Layout) else None


def struct_dtype(layout: Struct) -> Any:
    """NumPy's structured dtype with the same fields, offsets and size."""
    import numpy

    formats = [struct_dtype(one.type) if isinstance(one.type, Struct) else numpy_dtype(one.type) for one in layout.fields]
    names, offsets = [one.name for one in layout.fields], [one.offset for one in layout.fields]
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": layout.size})
