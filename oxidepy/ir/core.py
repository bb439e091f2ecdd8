"""Kernel IR: SSA values, operations, blocks inside structured regions, functions, modules.

The tree is structured: no branches between blocks, only regions of `if`, `for`, `while`, `scope`. One block a region.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from oxidepy.diagnostics import Span
from oxidepy.ir.foreign import Shape, leaves
from oxidepy.ir.images import Image
from oxidepy.ir.ops import OPS, TERMINATORS
from oxidepy.ir.record import record
from oxidepy.ir.types import BOOL, Memory, Scalar, Type


class Value:
    """A result of an operation, an argument of a block, or a parameter. `name` is a hint for printing only."""

    __slots__ = ("name", "owner", "type")

    def __init__(self, type: Type, name: str = "", owner: Op | Block | None = None) -> None:
        self.type = type
        self.name = name
        self.owner = owner

    @property
    def scalar(self) -> Scalar:
        assert isinstance(self.type, Scalar)
        return self.type

    @property
    def memory(self) -> Memory:
        assert isinstance(self.type, Memory)
        return self.type

    @property
    def constant(self) -> bool | int | float | None:
        """The value if it is a `const`, else None."""
        if isinstance(self.owner, Op) and self.owner.name == "const":
            value: bool | int | float = self.owner.attrs["value"]
            return value
        return None

    def __repr__(self) -> str:
        return f"<Value {self.name or hex(id(self))}: {self.type}>"


class Op:
    """One operation. `attrs` are plain data (str, int, float, bool, tuples of these)."""

    __slots__ = ("attrs", "name", "operands", "regions", "results", "span")

    def __init__(
        self,
        name: str,
        operands: Sequence[Value] = (),
        result_types: Sequence[Type] = (),
        attrs: dict[str, Any] | None = None,
        regions: Sequence[Block] = (),
        span: Span | None = None,
    ) -> None:
        self.name = name
        self.operands = list(operands)
        self.results = [Value(type_, owner=self) for type_ in result_types]
        self.attrs = attrs or {}
        self.regions = list(regions)
        self.span = span

    @property
    def result(self) -> Value:
        (value,) = self.results
        return value

    @property
    def is_terminator(self) -> bool:
        return self.name in TERMINATORS

    def walk(self) -> Iterator[Op]:
        """This operation and all inside its regions, in order."""
        yield from _walk([self])


def _walk(ahead: list[Op]) -> Iterator[Op]:
    """Operations in order, the next one last in `ahead`; as deep as they may be nested."""
    while ahead:
        op = ahead.pop()
        yield op
        for region in reversed(op.regions):
            ahead += region.ops[::-1]


class Block:
    """The one block of a region: arguments, then operations, the last a terminator."""

    __slots__ = ("args", "ops")

    def __init__(self, arg_types: Sequence[Type] = ()) -> None:
        self.args = [Value(type_, owner=self) for type_ in arg_types]
        self.ops: list[Op] = []

    @property
    def terminator(self) -> Op:
        return self.ops[-1]

    @property
    def terminated(self) -> bool:
        return bool(self.ops) and self.ops[-1].is_terminator

    @property
    def leaves(self) -> bool:
        """Whether control never reaches the end of this block: it ends in `leave`."""
        return bool(self.ops) and self.ops[-1].name == "leave"

    def walk(self) -> Iterator[Op]:
        yield from _walk(self.ops[::-1])


@dataclass
class Function:
    """A pure helper: scalars in, scalars out. Its body ends in `return`. `apart`: it is long and called often, and never inlined."""

    name: str
    params: list[Value]
    results: tuple[Scalar, ...]
    body: Block
    apart: bool = False


@dataclass(frozen=True)
class Require:
    """A relation that the host evaluates in exact integers at every launch.

    `expr` is a tree of tuples: ("int", n) ("scalar", parameter) ("len", parameter, axis) ("size", parameter)
    ("field", parameter, dotted path) ("grid", axis), ("+" "-" "*" "//" "%" "min" "max", a, b), ("neg", a), and on top
    ("==" "!=" "<" "<=" ">" ">=", a, b) or ("and" "or", a, b).
    """

    text: str
    expr: tuple[Any, ...]
    span: Span | None = None


@dataclass(frozen=True)
class ParamInfo:
    """What one IR parameter is: the source parameter it came from, and its role.

    role "memory": base address; "tensor_map": a tensor map by value; "length": extent of `axis` of that slice, in the coordinate type;
    "scalar": a scalar, or the leaf `path` of a struct or tuple, or a captured variable of a function argument (path is its name).
    """

    source: str
    role: str
    axis: int = 0
    path: str = ""


@record
class Exported:
    """A function that other code calls, instead of a kernel: how C declares it, and the shapes (ir/foreign.py) that it takes and gives
    ("" for nothing). Its body returns the scalars of what it gives."""

    declaration: str
    params: tuple[Shape, ...]
    result: Shape

    def results(self) -> tuple[Scalar, ...]:
        return () if self.result == "" else tuple(scalar for _, scalar in leaves(self.result))


Message = tuple[str, tuple[Any, ...]]


@dataclass
class Kernel:
    """The entry: parameters in the order of the ABI, launch facts, body. The body ends in `return` without operands."""

    name: str
    params: list[Value]
    infos: list[ParamInfo]
    body: Block
    domain: int = 1
    block: tuple[int, int, int] = (256, 1, 1)
    coordinates: Scalar | None = None
    launch_bounds: tuple[int, int] | None = None  # max threads, min blocks (0: not given)
    min_compute_capability: tuple[int, int] | None = None
    requires: tuple[Require, ...] = ()
    cluster: tuple[int, int, int] | None = None  # blocks of a cluster, along x, y, z
    raceless: bool = False  # proven: of two threads that touch an element with no barrier in between, none writes
    exported: Exported | None = None
    messages: tuple[Message, ...] = ()  # what its records say, by number: (template, parts) of the `print`s that were written out

    # what the kernel itself says where operations stand for a reduction, a scan or an operation of a tile: not part of its meaning
    spoken: dict[Span, str] = field(default_factory=dict[Span, str])
    images: tuple[Image, ...] = ()  # the files of its `extern`s, which the text has by their digests

    def pointed(self) -> bool:
        """Whether it takes a bare pointer, which may point into the memory of any other parameter."""
        return any(isinstance(one.type, Memory) and one.type.access == "raw" for one in self.params)

    def overwrites(self) -> bool:
        """Whether it may write through a bare pointer: then no memory that it was given stays as it is."""
        pointers = [one for one in self.params if isinstance(one.type, Memory) and one.type.access == "raw"]
        return any(op.name != "load" and one in op.operands for op in (self.body.walk() if pointers else ()) for one in pointers)


@dataclass
class Module:
    """One kernel, specialised, with every function that it calls."""

    kernel: Kernel
    functions: dict[str, Function] = field(default_factory=dict[str, Function])


class Builder:
    """Appends operations to a block, each with the current span."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.span: Span | None = None

    @contextmanager
    def at(self, block: Block) -> Generator[Block, None, None]:
        """Append to `block` inside the `with`."""
        before, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = before

    def emit(
        self,
        name: str,
        operands: Sequence[Value] = (),
        result_types: Sequence[Type] | None = None,
        attrs: dict[str, Any] | None = None,
        regions: Sequence[Block] = (),
    ) -> Op:
        """Append an operation. Without `result_types` they follow from the table ("same": the first operand's, "bool", "none")."""
        if result_types is None:
            rule = OPS[name].result
            result_types = (operands[0].type,) if rule == "same" else (BOOL,) if rule == "bool" else ()
        op = Op(name, operands, result_types, attrs, regions, self.span)
        self.block.ops.append(op)
        return op

    def value(self, name: str, *operands: Value, type: Type | None = None, **attrs: Any) -> Value:
        """Append an operation of one result and give that."""
        return self.emit(name, operands, None if type is None else (type,), attrs).result

    def const(self, type: Scalar, value: bool | int | float) -> Value:
        return self.emit("const", (), (type,), {"value": value}).result

    def check(self, condition: Value, code: str, message: str, index: Value | None = None, length: Value | None = None) -> Op:
        """End the thread with a panic `code` unless `condition`."""
        operands = [condition] if index is None or length is None else [condition, index, length]
        return self.emit("check", operands, (), {"code": code, "message": message})
