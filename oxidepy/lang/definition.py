"""What a decorated kernel is before anything is compiled: function, contract, options, parameters. Plain data."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from oxidepy.diagnostics import Span
from oxidepy.ir.types import Element, Members, Scalar, Struct


@dataclass(frozen=True)
class Contract:
    """`launch_contract`: what every checked launch of the kernel must satisfy. `block` is exact."""

    domain: int = 1
    block: tuple[int, int, int] = (256, 1, 1)
    coordinates: Literal["i32", "i64"] = "i32"
    dynamic_shared: int | tuple[int, int] = 0
    min_compute_capability: tuple[int, int] | None = None


@dataclass(frozen=True)
class KernelOptions:
    """The keywords of `kernel(...)`. `unsafe` is the reason, or None."""

    unsafe: str | None = None
    deny_checks: bool = False
    fmad: bool = True
    lineinfo: bool = True
    max_registers: int | None = None
    name: str | None = None


# ---- parameter types, as annotations give them. TypeVars stay until a specialisation binds them.


@dataclass(frozen=True)
class TypeVariable:
    """A constrained TypeVar. `choices` are its constraints."""

    name: str
    choices: tuple[Element, ...]


@dataclass(frozen=True)
class IndexSpace:
    """How a DisjointSlice is indexed. kind: "Index1D", "Index2D" (width fixed), "Runtime2D", "Runs" (width is N)."""

    kind: Literal["Index1D", "Index2D", "Runtime2D", "Runs"] = "Index1D"
    width: int | None = None

    def __str__(self) -> str:
        return f"{self.kind}[{self.width}]" if self.width is not None else self.kind


@dataclass(frozen=True)
class SliceParam:
    """`kind` is "Slice", "DisjointSlice", "SliceMut", "ConstantSlice" or "Ptr"; rank 1 to 3 (D1, D2, D3).

    A `Ptr` is an address alone: it takes a buffer of any shape, which may be that of other parameters too, and writes it.
    """

    kind: str
    element: Element | TypeVariable
    rank: int = 1
    space: IndexSpace | None = None  # DisjointSlice only
    enum: Members | None = field(default=None, compare=False)  # the class whose members the elements are

    @property
    def exclusive(self) -> bool:
        return self.kind in ("DisjointSlice", "SliceMut")

    @property
    def pointer(self) -> bool:
        return self.kind == "Ptr"

    @property
    def writes(self) -> bool:
        """Whether the kernel may write the memory."""
        return self.exclusive or self.pointer


@dataclass(frozen=True)
class ScalarParam:
    """A number. `enum`: the class whose members it is annotated with."""

    type: Scalar | TypeVariable
    enum: Members | None = field(default=None, compare=False)


@dataclass(frozen=True)
class StructParam:
    type: Struct


@dataclass(frozen=True)
class TupleParam:
    items: tuple[ScalarParam | StructParam | TupleParam, ...]


@dataclass(frozen=True)
class FunctionParam:
    """`Callable[[A, …], R]`. The argument is a plain function or lambda; what it captures becomes run-time parameters."""

    args: tuple[ParamType, ...]
    result: ParamType | None


@dataclass(frozen=True)
class ConstParam:
    """`Const[int]`: a compile-time value; `type` is "int", "float", "bool", "str", a scalar's or an enum's name, or that of a tuple.

    `enum`: the class of the enum. `items`: of a tuple, what its items are; `open`: as many of the one as there are.
    """

    type: str
    enum: Members | None = field(default=None, compare=False)
    items: tuple[ConstParam, ...] | None = None
    open: bool = False


@dataclass(frozen=True)
class TensorMapParam:
    """`tma.TensorMap[T, D2]`: an array of one to five axes in boxes, by value. `exclusive`: a `TensorMapMut`, whose array is written.
    `im2col`: a `tma.Im2colMap[T, D4]`, images in columns of pixels."""

    element: Scalar | TypeVariable
    rank: int
    exclusive: bool
    im2col: bool = False

    @property
    def kind(self) -> str:
        return map_kind(self.exclusive, self.im2col)


def map_kind(exclusive: bool, im2col: bool) -> str:
    """What a kernel calls such a tensor map."""
    return "Im2colMap" if im2col else f"TensorMap{'Mut' * exclusive}"


ParamType = TensorMapParam | SliceParam | ScalarParam | StructParam | TupleParam | FunctionParam | ConstParam


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel as written. `default` is `inspect.Parameter.empty` when there is none."""

    name: str
    type: ParamType
    default: Any
    span: Span | None = None


@dataclass
class KernelDef:
    """A decorated function. `parameters` are resolved by the frontend when first needed; `frame` keeps the locals of the decorating frame
    (for string annotations), as a mapping made at decoration."""

    function: types.FunctionType
    name: str
    contract: Contract = field(default_factory=Contract)
    contracted: bool = False
    launch_bounds: tuple[int, int] | None = None
    cluster: tuple[int, int, int] | None = None
    cooperative: bool = False
    exported: bool = False  # a function for other code, which is no kernel (`lang.foreign.exported`)
    options: KernelOptions = field(default_factory=KernelOptions)
    frame: Mapping[str, Any] = field(default_factory=dict[str, Any])


# ---- what a launch brings, reduced to what the compiled code depends on


@dataclass(frozen=True)
class FunctionArg:
    """A function or lambda handed to a kernel. `captures` are the types of its captured scalars by name, in order of name;
    a captured function or other compile-time value stays inside `function` and is read from its closure.

    Weakly typed Python numbers follow the literal rule: their type is "int" or "float" here and the frontend gives i32/f32 or the other
    operand's type.
    """

    function: types.FunctionType
    captures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Specialisation:
    """All that one compiled variant depends on beside the source: bindings of TypeVars, functions, compile-time values."""

    types: tuple[tuple[str, Element], ...] = ()  # TypeVar name → element
    functions: tuple[tuple[str, FunctionArg], ...] = ()  # parameter → function
    constants: tuple[tuple[str, Any], ...] = ()  # Const parameter → value
