"""What the host's code handles, as far as it can be known without running it: values, and the state of a path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

K = TypeVar("K")
V = TypeVar("V")
Mode = Literal["shared", "exclusive", "pointer", "scalar", "other"]


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel: how it takes memory, the name of its element or scalar type if there is one, whether it has a default."""

    name: str
    mode: Mode
    element: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class KernelShape:
    """A kernel as its callers see it. `tile`: a call of it makes an operation."""

    name: str
    params: tuple[Param, ...]
    tile: bool = False


@dataclass(frozen=True)
class Library:
    """Something that oxidepy hands out, by its public name: "DeviceBuffer", "zeros"; "" is the package itself."""

    name: str


# What a dotted name of the module, or ("import:package", "name", …), means; None where that is nothing to know of.
Lookup = Callable[[Sequence[str]], "KernelShape | Library | int | None"]


class Thing:
    """A value of which nothing but its identity is known: an allocation, a parameter of a function, a host array."""


@dataclass(frozen=True)
class Buffer:
    """Device memory: rows `start` up to `stop` of a region; `stop` None is its end, `known` False an unknown part of it.

    `owner` is the object that owns it: who gives that away may not use the memory any more. `whole`: it is all of the region. `rows`: what
    the rows are counted in, as a buffer of another shape counts others.
    """

    region: Thing
    owner: Thing
    start: int = 0
    stop: int | None = None
    known: bool = True
    element: str | None = None
    whole: bool = True
    rows: Thing | None = None
    kind: Literal["buffer", "tensor", "partition"] = "buffer"


@dataclass(frozen=True)
class Prepared:
    shape: KernelShape


@dataclass(frozen=True, eq=False)
class Operation:
    """A lazy operation that runs later. `gives`: what it gives when it has run; `holds`: the memory that it has until then."""

    what: str
    gives: Value
    holds: tuple[Thing, ...]


@dataclass(frozen=True)
class Method:
    """A name of a value that is about to be called."""

    receiver: Value
    name: str


@dataclass(frozen=True, eq=False)
class Function:
    """A function or lambda of the module, with the frame in which it was defined."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame


@dataclass(frozen=True)
class Items:
    """A tuple, or the contents of a list at one time."""

    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Mutable:
    """A list or dict; what it holds is part of the state."""


@dataclass(frozen=True)
class Global:
    """A dotted name of the module that means nothing by itself, such as a module that holds kernels."""

    path: tuple[str, ...]


@dataclass(frozen=True)
class Handle:
    """A stream or context."""

    kind: Literal["stream", "context"]


Value = (
    Thing | Buffer | KernelShape | Prepared | Operation | Method | Function | Items | Mutable | Global | Handle | Library | int | str | None
)
END: Value = Thing()
UNKNOWN: Value = None  # nothing is known, not even whether it is the same as another one


@dataclass(eq=False)
class Frame:
    """The names of one call of a function. `parent`: of the function around it, in the end of the module."""

    names: frozenset[str]
    parent: Frame | None = None
    module: bool = False


@dataclass
class State:
    """What holds on a path. `given`: owners whose memory went elsewhere, where and by what; `released`: regions that were freed, where;
    `held`: regions that an operation that has not run has, and where it was made."""

    env: dict[tuple[Frame, str], Value] = field(default_factory=dict["tuple[Frame, str]", "Value"])
    contents: dict[Mutable, dict[Value, Value] | tuple[Value, ...] | None] = field(
        default_factory=dict["Mutable", "dict[Value, Value] | tuple[Value, ...] | None"]
    )
    attributes: dict[tuple[Value, str], Value] = field(default_factory=dict["tuple[Value, str]", "Value"])
    given: dict[Thing, tuple[ast.expr, str]] = field(default_factory=dict["Thing", "tuple[ast.expr, str]"])
    released: dict[Thing, ast.expr] = field(default_factory=dict["Thing", "ast.expr"])
    held: dict[Thing, ast.expr] = field(default_factory=dict["Thing", "ast.expr"])

    def copy(self) -> State:
        return State(dict(self.env), dict(self.contents), dict(self.attributes), dict(self.given), dict(self.released), dict(self.held))

    def join(self, other: State | None) -> State:
        """What holds if control came by this path or the other. Given away on one path is given away; the rest must hold on both."""
        if other is None:
            return self
        return State(
            {key: self.env.get(key) if _same(self.env.get(key), other.env.get(key)) else UNKNOWN for key in {**other.env, **self.env}},
            _common(self.contents, other.contents),
            _common(self.attributes, other.attributes),
            {**other.given, **self.given},
            {thing: node for thing, node in self.released.items() if thing in other.released},
            {thing: node for thing, node in self.held.items() if thing in other.held},
        )


def _common(one: dict[K, V], two: dict[K, V]) -> dict[K, V]:
    return {key: value for key, value in one.items() if key in two and _same(value, two[key])}


def _same(one: object, two: object) -> bool:
    return one is two or (type(one) is type(two) and one == two)


def joined(one: State | None, two: State | None) -> State | None:
    """The join of two paths, of which either may not exist."""
    return two if one is None else one.join(two)


def overlap(one: Value, two: Value) -> bool:
    """Whether two arguments share memory for certain."""
    if isinstance(one, Thing) or isinstance(two, Thing):
        first = Buffer(one, one) if isinstance(one, Thing) else one
        second = Buffer(two, two) if isinstance(two, Thing) else two
        return isinstance(first, Buffer) and isinstance(second, Buffer) and overlap(first, second)
    if not isinstance(one, Buffer) or not isinstance(two, Buffer) or one.region is not two.region:
        return False
    if one.whole or two.whole:
        return all(each.known and (each.stop is None or each.start < each.stop) for each in (one, two))
    if not one.known or not two.known or one.rows is not two.rows:
        return False
    stops = [stop for stop in (one.stop, two.stop) if stop is not None]
    return not stops or max(one.start, two.start) < min(stops)


def part(buffer: Buffer, start: Value, stop: Value) -> Buffer:
    """`buffer[start:stop]`; bounds that are no numbers make an unknown part. `END` stands for a stop that is left out."""
    length = None if buffer.stop is None else buffer.stop - buffer.start
    begin, end = _bound(start, length), length if stop is END else _bound(stop, length)
    if not buffer.known or begin is None or (end is None and stop is not END):
        return replace(buffer, known=False, whole=False)
    last = None if end is None else buffer.start + (end if length is None else min(end, length))
    return replace(buffer, start=buffer.start + begin, stop=last, whole=buffer.whole and begin == 0 and stop is END)


def _bound(value: Value, length: int | None) -> int | None:
    if not isinstance(value, int):
        return None
    return value if value >= 0 else None if length is None else max(value + length, 0)
