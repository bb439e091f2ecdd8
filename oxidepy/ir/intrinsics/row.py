"""What a row of the table of intrinsics says, and how rows that are one instruction of PTX are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, TypeVar

from oxidepy.ir.record import record
from oxidepy.ir.types import Space

Convergence = Literal["none", "warp", "warpgroup", "block", "cluster", "grid"]
Effect = Literal["pure", "read", "write", "sync"]
T = TypeVar("T")


@record
class Registers:
    """An argument or result of an instruction: `count` values of one scalar type. In a kernel a tuple where there are several.

    A result of the name of an argument is that argument's registers, changed in place. `default`: of an argument that may be left out;
    those stand behind the others.
    """

    name: str
    type: str
    count: int = 1
    default: bool | int | None = None


@record
class Address:
    """An argument that is a place in memory: in a kernel an array and an index, in kernel IR the memory object and an index in elements.

    `extent`: bytes from there on that the instruction touches for one thread, all of them inside (0: it is only named). `align`: of the
    place, in bytes; whoever writes the kernel answers for it. `elements`: the types that the array's elements may have, none: any.
    """

    name: str
    spaces: tuple[Space, ...]
    access: Literal["read", "write", "both"]
    extent: int
    align: int = 1
    elements: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        return self.access != "read"


Argument = Registers | Address


@record
class Immediate:
    """A number or word that is part of the instruction, known at compile time. `default` None: it has to be given."""

    name: str
    choices: Sequence[int | str]
    default: int | str | None = None


@record
class Assembly:
    """An instruction as PTX text.

    `text` names arguments and results as `<d>` (several registers as a list in braces; `<d,>` without them), an address as `[<p>]`,
    immediates as `<n>`; `<p.space>` is the state space of an address. Shared memory is addressed in 32 bits, other memory in 64. A bool is
    a 32-bit register, 0 or 1. `arches`: the only targets that have it, where the least architecture does not say all. `unsafe`: it stands
    inside `with unsafe(…)`.
    """

    text: str
    arguments: tuple[Argument, ...] = ()
    gives: tuple[Registers, ...] = ()
    immediates: tuple[Immediate, ...] = ()
    arches: tuple[str, ...] = ()
    unsafe: bool = True

    def argument(self, name: str) -> Argument:
        return next(one for one in self.arguments if one.name == name)

    def given(self, values: Iterable[T]) -> Iterator[tuple[Argument, list[T]]]:
        """Each argument with those of the operation's values that stand for it: memory and index of an address, else its registers."""
        rest = iter(values)
        for one in self.arguments:
            yield one, list(islice(rest, 2 if isinstance(one, Address) else one.count))


@record
class Intrinsic:
    """One row.

    `operands` and `result` may be "T" (the same scalar type throughout) or, as the result, "none". `attrs`: names and defaults of
    the operation's further attributes. `convergence`: the group whose threads must execute the operation together. effect "sync":
    orders the memory accesses of that group.

    `name` is the user's name (`thread.idx.x`), `operands` and `result` are types in IR names ("coord" stands for the contract's
    coordinate type), `property` says that it is read, not called. `nvptx` is an LLVM expression that gives an i32 (see backend/nvptx),
    `cpu` and `reference` name a coordinate of the running thread or a combination of these. `names`: of the operands, as a kernel sees
    them; one that may be left out stands as "mask = 0xFFFFFFFF".

    A row with `assembly` is that instruction on a GPU (made by `instruction`): `reference` is "module:function" of `ir.interpreter`, `cpu`
    a key of `backend.cpu_hardware`; where one is empty, the device refuses the kernel. Its operands are "memory", "index" and scalars.
    """

    name: str
    operands: tuple[str, ...]
    result: str
    property: bool
    nvptx: str
    cpu: str
    reference: str
    attrs: tuple[tuple[str, Any], ...] = ()
    minimum_arch: int = 75
    minimum_isa: tuple[int, int] = (6, 3)
    convergence: Convergence = "none"
    effect: Effect = "pure"
    nonnegative: bool = True
    doc: str = ""
    assembly: Assembly | None = None
    names: tuple[str, ...] = ()

    def written(self) -> str:
        """The name as a kernel writes it: rows that differ in the number of their registers alone have a `#` and that behind it."""
        return self.name.partition("#")[0]

    def results(self) -> tuple[str, ...]:
        """The types of all results."""
        if self.assembly is not None:
            return tuple(one.type for one in self.assembly.gives for _ in range(one.count))
        return () if self.result == "none" else (self.result,)


@record
class Form:
    """What a kernel writes: `parameters` and `result` as Python's text, `rows` of the table that it can become."""

    name: str
    parameters: str
    result: str
    doc: str
    rows: tuple[str, ...]
    property: bool = False


def instruction(
    name: str,
    text: str,
    arguments: tuple[Argument, ...] = (),
    gives: tuple[Registers, ...] = (),
    *,
    doc: str,
    immediates: tuple[Immediate, ...] = (),
    arch: int = 80,
    isa: tuple[int, int] = (7, 0),
    arches: tuple[str, ...] = (),
    convergence: Convergence = "none",
    effect: Effect = "pure",
    unsafe: bool = True,
    reference: str = "",
    cpu: str = "",
) -> Intrinsic:
    """A row that is one instruction of PTX (or a few). `effect`: what it does to memory, "pure" for nothing."""
    operands: list[str] = []
    for one in arguments:
        operands += ["memory", "index"] if isinstance(one, Address) else [one.type] * one.count
    count = sum(one.count for one in gives)
    result = "none" if count == 0 else gives[0].type if count == 1 else "several"
    return Intrinsic(
        name,
        tuple(operands),
        result,
        False,
        "assembly",
        cpu,
        reference,
        tuple((one.name, one.choices[0] if one.default is None else one.default) for one in immediates),
        arch,
        isa,
        convergence,
        effect,
        False,
        doc,
        Assembly(text, arguments, gives, immediates, arches, unsafe),
    )
