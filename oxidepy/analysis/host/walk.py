"""Follows the statements of host functions: every path, loops until nothing changes, helpers of the module where they are called."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from oxidepy.analysis.host.expressions import Evaluator
from oxidepy.analysis.host.findings import Findings
from oxidepy.analysis.host.model import (
    UNKNOWN,
    Frame,
    Function,
    Global,
    KernelShape,
    Library,
    Lookup,
    Operation,
    State,
    Thing,
    Value,
    joined,
)
from oxidepy.analysis.host.names import assigned, computed, never_read

ROUNDS = 4  # of a loop, until what is known stays the same
FOLLOWED = 32  # rounds of a loop over things that are known, one by one
DEPTH = 6  # of helpers that call helpers
STEPS = 20_000  # statements in all: what is not reached then is not looked at
CAUGHT = frozenset(("BorrowError", "MovedError", "LaunchError", "OxideError", "Exception", "BaseException"))
EXPECTING = ("raises", "suppress", "refus", "expect", "error", "fails")  # in the names of what a `with` stands around to catch exceptions
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Ends:
    """Where a call or loop ends before its end."""

    returns: list[tuple[State, Value]] = field(default_factory=list["tuple[State, Value]"])
    breaks: list[State] = field(default_factory=list["State"])
    continues: list[State] = field(default_factory=list["State"])


class Walker:
    """`state` is None where control does not come."""

    def __init__(self, findings: Findings, lookup: Lookup) -> None:
        self.findings = findings
        self.state: State | None = State()
        self.module = Frame(frozenset(), module=True)
        self.frame = self.module
        self.ends = Ends()
        self.calls: list[ast.AST] = []
        self.steps = 0
        self.computed: frozenset[str] = frozenset()  # attributes that are computed each time: properties of the file's classes
        self.eval = Evaluator(self, findings, lookup)

    # ---- functions

    def whole(self, tree: ast.Module) -> None:
        """The module from its first line on, then every function as anyone might call it."""
        self.computed = computed(tree)
        self.block(tree.body)
        for node in ast.walk(tree):
            if isinstance(node, FunctionNode) and not self.is_kernel(node):
                self.state, self.frame, self.ends, self.calls = State(), self.module, Ends(), []
                self.call(Function(node, self.module), {}, node)

    def is_kernel(self, node: FunctionNode) -> bool:
        return isinstance(self.eval.lookup((node.name,)), KernelShape) or any("kernel" in ast.unparse(one) for one in node.decorator_list)

    def call(self, function: Function, given: dict[str, Value], site: ast.AST) -> Value:
        """Run a function or lambda with arguments by name; the others are things of which nothing is known."""
        node = function.node
        if node in self.calls or len(self.calls) >= DEPTH or self.state is None:
            return UNKNOWN
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        names = [one.arg for one in arguments if one is not None]
        frame = Frame(frozenset((*names, *assigned(node))), function.frame)
        for name in names:
            self.state.env[frame, name] = given.get(name, Thing())
        outer, ends = self.frame, self.ends
        self.frame, self.ends = frame, Ends()
        self.calls.append(node)
        self.findings.enter(site)
        if isinstance(node, ast.Lambda):
            found = self.eval.value(node.body)
        else:
            self.block(node.body)
            found = self._returned()
        self.findings.leave()
        self.calls.pop()
        self.frame, self.ends = outer, ends
        if not any(isinstance(one, FunctionNode | ast.Lambda) for one in ast.walk(node) if one is not node):
            self._forget(frame)
        return found

    def _forget(self, frame: Frame) -> None:
        """Nothing refers to the names of a call that is over."""
        if self.state is not None:
            self.state.env = {key: value for key, value in self.state.env.items() if key[0] is not frame}

    def _returned(self) -> Value:
        """The value of a call whose body has run, and the state behind it."""
        every = [*self.ends.returns, *([(self.state, UNKNOWN)] if self.state is not None else [])]
        self.state = None
        for state, _ in every:
            self.state = joined(self.state, state)
        values = [value for _, value in every]
        return values[0] if values and all(value is values[0] or value == values[0] for value in values) else UNKNOWN

    # ---- statements

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.steps += 1
            if self.state is None or self.steps > STEPS:
                return
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)
            else:
                self.eval.inside(statement)

    def expression(self, node: ast.Expr) -> None:
        found = self.eval.value(node.value)
        if isinstance(found, Operation):
            self.findings.never_run(node.value, found.what)

    def assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        if node.value is None:
            return
        value = self.eval.settled(self.eval.value(node.value))
        if isinstance(node, ast.AugAssign):
            value = UNKNOWN
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self.eval.bind(target, value)
            if isinstance(value, Operation) and isinstance(target, ast.Name) and self.calls and never_read(self.calls[-1], target.id):
                self.findings.never_run(node.value, value.what)

    def define(self, node: FunctionNode) -> None:
        plain = not node.decorator_list and not isinstance(node, ast.AsyncFunctionDef)
        if not self.is_kernel(node):
            self.eval.name(node.name, Function(node, self.frame) if plain or isinstance(node, ast.AsyncFunctionDef) else UNKNOWN)

    def leave(self, node: ast.Return) -> None:
        value = self.eval.settled(self.eval.value(node.value)) if node.value is not None else UNKNOWN
        if self.state is not None:
            self.ends.returns.append((self.state, value))
        self.state = None

    def stop(self, node: ast.Raise | ast.Break | ast.Continue) -> None:
        if isinstance(node, ast.Raise):
            self.eval.inside(node)
        elif self.state is not None:
            (self.ends.breaks if isinstance(node, ast.Break) else self.ends.continues).append(self.state)
        self.state = None

    def branch(self, node: ast.If) -> None:
        self.eval.value(node.test)
        decided = self.eval.decided(node.test)
        if decided is not None:
            self.block(node.body if decided else node.orelse)
        else:
            self._either([lambda: self.block(node.body), lambda: self.block(node.orelse)])

    def match(self, node: ast.Match) -> None:
        self.eval.value(node.subject)

        def case(one: ast.match_case) -> Callable[[], None]:
            def run() -> None:
                for name in assigned(one.pattern):
                    self.eval.name(name, UNKNOWN)
                self.block(one.body)

            return run

        self._either([*map(case, node.cases), lambda: None])

    def _either(self, ways: Sequence[Callable[[], None]]) -> None:
        before, after = self.state, None
        for way in ways:
            self.state = before.copy() if before is not None else None
            way()
            after = joined(after, self.state)
        self.state = after

    # ---- loops

    def loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        outer = self.ends
        self.ends = Ends(returns=outer.returns)
        known = self.eval.rounds(node.iter) if not isinstance(node, ast.While) else None
        if known is not None and len(known) <= FOLLOWED:
            for value in known:
                self._round(node, value)
        else:
            self._any_rounds(node)
        self.block(node.orelse)
        for state in self.ends.breaks:
            self.state = joined(self.state, state)
        self.ends = outer

    def _any_rounds(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        for _ in range(ROUNDS):
            before = self.state
            if before is None:
                return
            self.state = before.copy()
            self._round(node, Thing())
            after = before.join(self.state)
            self.state = after
            if after == before:
                return

    def _round(self, node: ast.For | ast.AsyncFor | ast.While, value: Value) -> None:
        if isinstance(node, ast.While):
            self.eval.value(node.test)
        elif self.state is not None:
            self.eval.bind(node.target, value)
        self.block(node.body)
        for state in self.ends.continues:
            self.state = joined(self.state, state)
        self.ends.continues.clear()

    # ---- what may raise

    def attempt(self, node: ast.Try) -> None:
        before = self.state.copy() if self.state is not None else None
        expected = any(one.type is None or CAUGHT & set(_names(one.type)) or self._unknown_class(one.type) for one in node.handlers)
        with self.findings.expecting(expected):
            self.block(node.body)
        raised = joined(before, self.state.copy() if self.state is not None else None)
        after: State | None = None
        if self.state is not None:
            self.block(node.orelse)
            after = self.state
        for handler in node.handlers:
            self.state = raised.copy() if raised is not None else None
            if handler.name and self.state is not None:
                self.eval.name(handler.name, UNKNOWN)
            self.block(handler.body)
            after = joined(after, self.state)
        self.state = after if after is not None or not node.finalbody else None
        self.block(node.finalbody)

    def _unknown_class(self, node: ast.expr) -> bool:
        """Whether a handler names its exceptions by a variable."""
        frame: Frame | None = self.frame
        if not isinstance(node, ast.Name):
            return False
        while frame is not None and not frame.module:
            if node.id in frame.names:
                return True
            frame = frame.parent
        bound = self.state.env.get((self.module, node.id), self) if self.state is not None else self
        return bound is not self and not isinstance(bound, Global | Library)

    def within(self, node: ast.With | ast.AsyncWith) -> None:
        expected = False
        for item in node.items:
            value = self.eval.value(item.context_expr)
            if item.optional_vars is not None:
                self.eval.bind(item.optional_vars, value)
            call = item.context_expr
            expected |= isinstance(call, ast.Call) and any(one in name.lower() for one in EXPECTING for name in _names(call.func))
        before = self.state.copy() if self.state is not None else None
        with self.findings.expecting(expected):
            self.block(node.body)
        if expected:
            self.state = joined(self.state, before)

    def forget(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.eval.name(target.id, UNKNOWN)

    def imports(self, node: ast.Import | ast.ImportFrom) -> None:
        if self.frame.module:
            return  # what the module's own names mean is known from the module itself
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if isinstance(node, ast.Import):
                self.eval.name(name, self.eval.imported(alias.name if alias.asname else name, ()))
            else:
                self.eval.name(name, self.eval.imported(node.module or "", (alias.name,)))


def _names(node: ast.expr) -> list[str]:
    return [one.attr if isinstance(one, ast.Attribute) else one.id for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Name)]


_STATEMENTS: dict[type[ast.stmt], Callable[[Walker, Any], None]] = {
    ast.Expr: Walker.expression,
    **dict.fromkeys((ast.Assign, ast.AnnAssign, ast.AugAssign), Walker.assign),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), Walker.define),
    ast.Return: Walker.leave,
    **dict.fromkeys((ast.Raise, ast.Break, ast.Continue), Walker.stop),
    ast.If: Walker.branch,
    ast.Match: Walker.match,
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While), Walker.loop),
    ast.Try: Walker.attempt,
    **dict.fromkeys((ast.With, ast.AsyncWith), Walker.within),
    ast.Delete: Walker.forget,
    **dict.fromkeys((ast.Import, ast.ImportFrom), Walker.imports),
    **dict.fromkeys((ast.Pass, ast.Global, ast.Nonlocal, ast.ClassDef), lambda walker, node: None),
}
