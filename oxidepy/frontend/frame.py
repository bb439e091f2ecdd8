"""The state of a translation: one `Lowering` a kernel, one `Frame` a function that is being translated (inlined helpers have their own)."""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oxidepy.diagnostics import Diagnostic, Label, Span
from oxidepy.frontend.report import Findings, Refused
from oxidepy.frontend.values import POISON, Conflict, Front, Missing, SliceValue
from oxidepy.ir.core import Block, Builder, Function, ParamInfo, Value
from oxidepy.ir.images import Image
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.record import record
from oxidepy.ir.types import SCALARS, Element, Scalar
from oxidepy.lang.definition import KernelDef, ParamType, Specialisation
from oxidepy.lang.foreign import Extern
from oxidepy.settings.options import CodegenOptions

if TYPE_CHECKING:
    from oxidepy.frontend.source import Parsed

RETURN = "<return>"  # the name under which a helper's result travels to the end of its scope
RESULT = "<result>"  # the name under which an expression's value leaves a branch


@record
class Binding:
    """What a name stands for, and where it got that. `literal`: it is a literal itself (the variable of an unrolled loop, a compile-time
    parameter) and not a variable that was given one."""

    value: Front
    span: Span | None = None
    literal: bool = False


@dataclass(slots=True)
class State:
    """The names at one way out of a region: `block` ends in the operation that takes this way."""

    bindings: dict[str, Binding]
    block: Block


@dataclass(slots=True)
class Exits:
    """The ways that leave a scope before its end."""

    label: str
    states: list[State] = field(default_factory=list[State])


@dataclass(slots=True)
class Loop:
    """Where `break` and `continue` go; None where the loop has none of them."""

    breaks: Exits | None
    continues: Exits | None


@dataclass(slots=True)
class Capture:
    """A captured scalar: one IR parameter for each type in which it is used."""

    info: ParamInfo
    params: dict[str, Value] = field(default_factory=dict[str, Value])


@dataclass(slots=True)
class Checkpoint:
    """What must be undone when a translation is thrown away."""

    findings: int
    exits: list[tuple[Exits, int]]
    captures: list[tuple[Capture, dict[str, Value]]]
    reported: set[Any]
    given_up: Span | None


@dataclass(slots=True)
class Recursive:
    """A function that calls itself, as a function of the module. `shape` is a value of the form of its result; `ends` are the numbers
    of the failures that its own operations may come to, `calls` the functions of this kind that it calls."""

    symbol: str
    shape: Front
    results: list[Scalar]
    depth: Value  # how many calls may still stand in each other
    ends: list[int] = field(default_factory=list[int])
    calls: set[str] = field(default_factory=set[str])


@dataclass(slots=True)
class Recursion:
    """The functions of a kernel that call themselves. `ends` are the failures that they may give back, by number from 1 on:
    code, message, place."""

    made: dict[Any, Recursive] = field(default_factory=dict[Any, Recursive])
    inside: list[Recursive] = field(default_factory=list[Recursive])  # whose bodies are being translated
    cycles: dict[Any, bool] = field(default_factory=dict[Any, bool])
    ends: list[tuple[str, str, Span | None]] = field(default_factory=list["tuple[str, str, Span | None]"])


class Lowering:
    """Everything that the frames of one kernel share."""

    def __init__(self, definition: KernelDef, specialisation: Specialisation, options: CodegenOptions) -> None:
        self.definition = definition
        self.specialisation = specialisation
        self.options = options
        self.findings = Findings()
        self.body = Block()
        self.prologue = Block()
        self.builder = Builder(self.body)
        self.functions: dict[str, Function] = {}
        self.coordinate: Scalar = SCALARS[definition.contract.coordinates]
        self.open_exits: list[Exits] = []
        self.captures: dict[tuple[str, str], Capture] = {}
        reason = definition.options.unsafe
        self.unsafe: list[str] = [reason] if reason else []  # the reasons of the `with unsafe(...)` around what is translated
        self.blocks: dict[Span, str] = {}  # every `with unsafe(...)` that was translated, with its reason
        self.spoken: dict[Span, str] = {}  # what is done together by several operations, by place, as the kernel names it
        self.granted: set[str] = set()  # the reasons that allowed something that nothing but `unsafe` allows
        self.reported: set[Any] = set()  # pairs that were refused once already
        self.scratch: dict[Any, SliceValue] = {}  # scratch memory by where, from where and in which shape it is asked for
        self.recursion = Recursion()
        self.pointers: dict[Value, str] = {}  # the memory of each `Ptr` parameter, by every element type as which it is seen
        self.images: dict[str, Image] = {}  # files of functions from elsewhere, by digest
        self.symbols: dict[str, dict[str, Any]] = {}  # what the IR says of those functions, by symbol
        self.externs: dict[Extern, dict[str, Any]] = {}  # the same by their declarations
        self.given_up: Span | None = None  # a statement that was left out, for what was refused in it or before it
        self.in_library = False  # a function of the maths library is being translated
        self._rows: dict[str, Value] = {}
        self._labels = 0

    def intrinsic(self, row: str) -> Value:
        """A coordinate of the thread. Asked once a kernel, at its start, so that every use is the same value."""
        if row not in self._rows:
            result = ROWS[row].result
            with self.builder.at(self.prologue):
                self._rows[row] = self.builder.value("intrinsic", type=self.coordinate if result == "coord" else SCALARS[result], row=row)
        return self._rows[row]

    def label(self, what: str) -> str:
        self._labels += 1
        return f"{what}{self._labels}"

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(
            len(self.findings.found),
            [(one, len(one.states)) for one in self.open_exits],
            [(one, dict(one.params)) for one in self.captures.values()],
            set(self.reported),
            self.given_up,
        )

    def rollback(self, to: Checkpoint) -> None:
        del self.findings.found[to.findings :]
        for exits, count in to.exits:
            del exits.states[count:]
        known = {id(one) for one, _ in to.captures}
        for capture in self.captures.values():
            if id(capture) not in known:
                capture.params.clear()
        for capture, params in to.captures:
            capture.params = params
        self.reported = to.reported
        self.given_up = to.given_up


class Frame:
    """A function that is being translated."""

    def __init__(
        self,
        lowering: Lowering,
        parsed: Parsed,
        name: str,
        *,
        local: frozenset[str],
        captured: Mapping[str, Front] | None = None,
        parent: Frame | None = None,
        caller: tuple[Frame, ast.AST] | None = None,
        key: Any = None,
        path: str | None = None,
    ) -> None:
        self.lowering = lowering
        self.builder = lowering.builder
        self.parsed = parsed
        self.name = name
        self.local = local
        self.captured: Mapping[str, Front] = captured or {}
        self.parent = parent  # the frame in which a lambda was written
        self.caller = caller
        self.path = path  # how the host finds this function from the kernel, for what it captured; None where it cannot
        self.key = key  # the function or lambda itself, to find recursion
        self.bindings: dict[str, Binding] = {}
        self.live = True
        self.returns: Exits | None = None
        self.loops: list[Loop] = []
        self.is_kernel = False
        self.types: dict[str, Element] = {}  # what the TypeVars of its annotations stand for
        self.result: ParamType | None = None  # what the annotation of a helper's result promises
        self.site: Span | None = None  # in a function of the language's own library: where the kernel calls it

    @property
    def trusted(self) -> bool:
        """Whether this is a function of the language's own library, whose indices are inside by construction."""
        return self.site is not None or self.lowering.in_library

    # ---- places and messages

    def span(self, node: ast.AST) -> Span:
        return self.site or self.parsed.span(node)

    def refuse(
        self,
        node: ast.AST | Span,
        code: str,
        message: str,
        *,
        label: str = "",
        labels: tuple[Label, ...] = (),
        help: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> Refused:
        """The exception that says so, to be raised. In an inlined helper it names the call too."""
        span = node if isinstance(node, Span) else self.span(node)
        frame = self
        while frame.caller is not None and self.site is None:  # a function of the language's own library is none of the kernel's
            frame, site = frame.caller
            labels = (*labels, Label(frame.span(site), f"`{self.name}` is called here"))
            break  # one level says enough
        return Refused(Diagnostic(code, message, span, label, labels, notes, help))

    def report(self, diagnostic: Diagnostic) -> None:
        self.lowering.findings.add(diagnostic)

    # ---- names

    def bind(self, name: str, value: Front, span: Span | None, *, literal: bool = False) -> None:
        self.bindings[name] = Binding(value, span, literal)

    def poison(self, names: Iterator[str] | list[str] | frozenset[str]) -> None:
        for name in names:
            self.bind(name, POISON, None)

    # ---- regions

    @contextmanager
    def region(self, block: Block) -> Generator[Block]:
        """Translate into `block`, with names and liveness of its own; both are as before afterwards."""
        bindings, live = self.bindings, self.live
        self.bindings, self.live = dict(bindings), True
        try:
            with self.builder.at(block):
                yield block
        finally:
            self.bindings, self.live = bindings, live

    @contextmanager
    def exits(self, what: str) -> Generator[Exits]:
        """Open a scope that can be left early."""
        opened = Exits(self.lowering.label(what))
        self.lowering.open_exits.append(opened)
        try:
            yield opened
        finally:
            self.lowering.open_exits.remove(opened)

    def leave(self, exits: Exits, extra: Binding | None = None) -> None:
        """Go to the end of that scope; what follows is not reached."""
        self.builder.emit("leave", (), (), {"label": exits.label})
        bindings = dict(self.bindings)
        if extra is not None:
            bindings[RETURN] = extra
        exits.states.append(State(bindings, self.builder.block))
        self.live = False

    def end(self, name: str, block: Block) -> State | None:
        """End `block` with the terminator `name`. Gives the state there, or None where control does not arrive."""
        arrived = self.live and not block.terminated
        if not block.terminated:
            block.ops.append(_terminator(name, self.builder.span))
        return State(self.bindings, block) if arrived else None


def _terminator(name: str, span: Span | None) -> Any:
    from oxidepy.ir.core import Op

    return Op(name, span=span)


def usable(value: Front) -> bool:
    return not isinstance(value, (Missing, Conflict))
