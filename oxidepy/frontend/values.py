"""What an expression of a kernel is while it is translated: run-time values, literals, and things that exist only at compile time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from oxidepy.diagnostics import Diagnostic, Span
from oxidepy.ir.core import Value
from oxidepy.ir.record import record
from oxidepy.ir.types import Element, Members, Scalar, Struct
from oxidepy.lang.definition import IndexSpace, map_kind

if TYPE_CHECKING:
    from oxidepy.frontend.frame import Frame

Number = bool | int | float


class Front:
    """Base of all frontend values."""

    __slots__ = ()


@record
class Typed(Front):
    """A run-time scalar. `enum`: the class of which it is a member, by its number."""

    value: Value
    enum: Members | None = None

    @property
    def type(self) -> Scalar:
        return self.value.scalar


@record
class Literal(Front):
    """A number known at compile time that takes the type of what it meets. `member` is the member of an enum that it is the value of."""

    value: Number
    member: Enum | None = None


@record
class Weak(Front):
    """A run-time number without a type of its own yet, such as a captured Python int. `make` gives it in the type that is asked for.

    `adopts`: a name bound to it goes on adopting types (a loop variable while the loop's types are being learned). `enum`: as of `Typed`.
    """

    kind: OneOf["int", "float"]
    make: Callable[[Scalar], Value]
    adopts: bool = False
    enum: Members | None = None


@record
class TupleValue(Front):
    items: tuple[Front, ...]


@record
class StructValue(Front):
    """A struct taken apart: one value a field, in order."""

    layout: Struct
    fields: tuple[Front, ...]


def composed(layout: Struct, parts: Iterable[Front]) -> StructValue | TupleValue:
    """A value of that layout from its fields; an array inside of a struct is a tuple."""
    return TupleValue(tuple(parts)) if layout.is_array else StructValue(layout, tuple(parts))


@record
class SliceValue(Front):
    """A slice: its memory and the extent of each axis in the coordinate type. `space` only for a DisjointSlice.

    A view has an `origin`, the place of its first element in the memory, and `strides`, the distance of neighbours along each axis.
    `raw`: it was made of a pointer, so that somebody answers for its extents.
    """

    name: str
    kind: str
    element: Element
    memory: Value
    lengths: tuple[Value, ...]
    space: IndexSpace | None = None
    origin: Value | None = None
    strides: tuple[Value, ...] | None = None
    raw: bool = False
    enum: Members | None = None  # of whose members the elements are

    @property
    def rank(self) -> int:
        return len(self.lengths)

    @property
    def shape(self) -> tuple[Typed | Literal, ...]:
        """The extents: literals where they are known at compile time."""
        return tuple(Typed(one) if (known := one.constant) is None else Literal(known) for one in self.lengths)


@record
class PointerValue(Front):
    """A bare pointer: the memory object that it points into, and how many elements in (i64). `writes`: the memory may be written by it."""

    name: str
    element: Element
    memory: Value
    offset: Value
    writes: bool
    enum: Members | None = None  # of whose members the elements are

    @property
    def kind(self) -> str:
        return "Ptr"


@record
class MapValue(Front):
    """A tensor map: what the elements of its array are, how many axes it has, whether it is written."""

    name: str
    element: Element
    rank: int
    exclusive: bool
    memory: Value
    im2col: bool = False


@record
class Witness(Front):
    """An index that no other thread has. `linear` is `.get()`, `wide` the same without wrapping; row and col are None in one dimension.

    `width` is the row width as a value (two dimensions).
    """

    space: IndexSpace
    linear: Value
    wide: Value
    row: Value | None = None
    col: Value | None = None
    width: Value | None = None


@record
class Run(Front):
    """`thread.index_run(n)`: n neighbouring elements that no other thread has. `first` is the number of the first one, exact (i64)."""

    space: IndexSpace
    first: Value

    @property
    def width(self) -> int:
        assert self.space.width is not None
        return self.space.width


@record
class Cell(Front):
    """What `c.get_mut(idx)` gives: an element, or None where `inside` is false."""

    slice: SliceValue
    witness: Witness
    inside: Value
    text: str


@record
class RangeValue(Front):
    """`range(...)`: three scalars of one type, or three literals."""

    start: Typed | Literal
    stop: Typed | Literal
    step: Typed | Literal

    @property
    def literal(self) -> range | None:
        """The Python range, where it is known at compile time."""
        parts = [part.value for part in (self.start, self.stop, self.step) if isinstance(part, Literal)]
        return range(*(int(part) for part in parts)) if len(parts) == 3 else None

    @property
    def known(self) -> range | None:
        """The same of numbers that have a type too, such as `block.size`."""
        start, stop, step = (known_integer(part) for part in (self.start, self.stop, self.step))
        return None if start is None or stop is None or not step else range(start, stop, step)


@record
class Items(Front):
    """`enumerate`, `zip` or `reversed` of ranges and tuples."""

    kind: OneOf["enumerate", "zip", "reversed"]
    inner: tuple[Front, ...]
    start: Front = Literal(0)


@record
class Unrolled(Front):
    """`unroll(…)`: the loop's rounds are written out, all of them or `factor` in one."""

    inner: Front
    factor: int | None = None


@record
class GridStride(Front):
    """`thread.grid_stride(c)` and `run.clip(c)`: `item` makes the witness or run of one round."""

    start: Value
    stop: Value
    step: Value
    item: Callable[[Frame, Value], Witness | Run]


@record
class Lanes(Front):
    """Lanes that exchange values: those of the warp that run the statement ("active"), or all of a tile of `width` lanes ("full")."""

    mask: OneOf["full", "active"] = "full"
    width: int = 32


@record
class FunctionValue(Front):
    """A Python function, or a lambda or function inside of the kernel itself (`node` and the frame it was written in).

    `captured` are run-time values that stand for its captured scalars. `path` is how the host finds the function from the kernel
    (names in closure or module, each with a dot behind it), None where it need not or cannot. `site`: where its operations stand, for a
    function of the language's own library. `owner`: what a method is called on, its first argument; `names`: what its annotations may name.
    """

    function: Any
    node: ast.Lambda | ast.FunctionDef | None = None
    home: Frame | None = None
    captured: dict[str, Front] = field(default_factory=dict[str, Front])
    label: str = ""
    path: str | None = None
    site: Span | None = None
    owner: Front | None = None
    names: Mapping[str, Any] = field(default_factory=dict[str, Any])
    defaults: Mapping[str, Front] = field(default_factory=dict[str, Front])  # of `node`, as they were where it was written


@record
class Named(Front):
    """A name of the kernel language, or of Python's builtins, by its dotted name."""

    name: str
    object: Any = None


@record
class Static(Front):
    """A Python object that is only looked into at compile time: a module, a class, an enum."""

    object: Any


@record
class Text(Front):
    value: str


@record
class Piece:
    """A number in a text: its format, and "s", "r" or "a" where it is turned into text before. "choice": a truth value that chooses
    between two texts, `spec`, of which the first stands for False. "member": a number that names one of the texts in `spec`, each behind
    its number."""

    value: Value
    spec: str | tuple[str, ...]
    conversion: str


@record
class Formatted(Front):
    """An f-string with numbers that only the launch tells."""

    parts: tuple[str | Piece, ...]


@record
class NoneValue(Front):
    pass


@record
class Method(Front):
    """`owner.name`, to be called."""

    owner: Front
    name: str


@record
class Guard(Front):
    """`unsafe("reason")` as the object of a `with`."""

    reason: str


# ---- what a name is bound to where it cannot be used


@record
class Poison(Front):
    """The result of something that was refused already: every use is silent."""


@record
class Missing(Front):
    """Not bound on some way that leads here. `bound` are the places that bind it on others."""

    bound: tuple[Span, ...] = ()


@record
class Conflict(Front):
    """Two types meet under one name. Said when the name is used."""

    diagnostic: Diagnostic


def enum_of(value: Front) -> Members | None:
    """The enum of which a scalar is a member, or None."""
    if isinstance(value, Literal):
        return None if value.member is None else value.member.__class__
    return value.enum if isinstance(value, (Typed, Weak)) else None


def common_enum(values: Iterable[Front]) -> Members | None:
    """The enum of which all are members, or None."""
    first, *others = map(enum_of, values)
    return first if all(one is first for one in others) else None


POISON = Poison()
NONE = NoneValue()


def known_number(value: Front | None) -> Number | None:
    """The number that a scalar is, if it is known at compile time."""
    if isinstance(value, Literal):
        return value.value
    return value.value.constant if isinstance(value, Typed) else None


def known_integer(value: Front | None) -> int | None:
    """The same of an integer; a truth value is none."""
    number = known_number(value)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def describe(value: Front) -> str:
    """The value's kind as it is named in messages."""
    if isinstance(value, Typed):
        return f"`{value.type}`"
    if isinstance(value, Literal):
        return "a truth value" if isinstance(value.value, bool) else f"the literal `{value.value}`"
    if isinstance(value, Weak):
        return f"a Python `{value.kind}`"
    if isinstance(value, StructValue):
        return f"`{value.layout.name}`"
    if isinstance(value, SliceValue):
        space = value.memory.memory.space
        if value.kind == "Barriers":
            return "an array of barriers"
        return f"a {space} array" if space in ("shared", "local") else f"a `{value.kind}`"
    if isinstance(value, PointerValue):
        return f"a `Ptr[{value.element if isinstance(value.element, Scalar) else value.element.name}]`"
    if isinstance(value, MapValue):
        return f"a `{map_kind(value.exclusive, value.im2col)}[{value.element}]` of {value.rank} axes"
    if isinstance(value, Witness):
        return f"`ThreadIndex[{value.space}]`"
    if isinstance(value, Run):
        return f"a run of {value.width} elements"
    if isinstance(value, TupleValue):
        return f"a tuple of {len(value.items)}"
    return _NAMES.get(type(value), "a compile-time value")


_NAMES: dict[type[Front], str] = {
    Cell: "a cell of `get_mut`",
    RangeValue: "a range",
    Items: "an iterator",
    Unrolled: "an unrolled range",
    Lanes: "a group of lanes",
    FunctionValue: "a function",
    Named: "a name of the kernel language",
    Static: "a Python object",
    Text: "a string",
    Formatted: "an f-string",
    NoneValue: "`None`",
    Method: "a method",
}
