"""The values of host expressions, and what evaluating them does to the state."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from oxidepy.analysis.host.library import Calls
from oxidepy.analysis.host.model import (
    END,
    UNKNOWN,
    Buffer,
    Frame,
    Function,
    Global,
    Items,
    Library,
    Lookup,
    Method,
    Mutable,
    Operation,
    Thing,
    Value,
    part,
)

if TYPE_CHECKING:
    from oxidepy.analysis.host.findings import Findings
    from oxidepy.analysis.host.walk import Walker

MOST_ITEMS = 64
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b if b else 0,
}


class Evaluator:
    def __init__(self, walker: Walker, findings: Findings, lookup: Lookup) -> None:
        self.walker = walker
        self.lookup = lookup
        self.calls = Calls(self, findings)

    # ---- names

    def name(self, name: str, value: Value) -> None:
        """Bind a name where the running function binds it."""
        frame: Frame = self.walker.frame
        while not frame.module and name not in frame.names and frame.parent is not None:
            frame = frame.parent
        if self.walker.state is not None:
            self.walker.state.env[frame, name] = value

    def bind(self, target: ast.expr, value: Value) -> None:
        state = self.walker.state
        if state is None:
            return
        if isinstance(target, ast.Name):
            self.name(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, UNKNOWN)
        elif isinstance(target, ast.Attribute):
            state.attributes[self.value(target.value), target.attr] = value
        elif isinstance(target, ast.Subscript):
            self._put(self.value(target.value), self.value(target.slice), value)

    def _unpack(self, targets: Sequence[ast.expr], value: Value) -> None:
        items = self.items(value)
        star = any(isinstance(one, ast.Starred) for one in targets)
        if items is None or star or len(items) != len(targets):
            items = [Thing() for _ in targets]
        for target, item in zip(targets, items, strict=True):
            self.bind(target, item)

    def _put(self, holder: Value, key: Value, value: Value) -> None:
        state = self.walker.state
        if state is None or not isinstance(holder, Mutable):
            return
        held = state.contents.get(holder)
        if isinstance(held, dict) and isinstance(key, int | str):
            state.contents[holder] = {**held, key: value}
        elif isinstance(held, tuple) and isinstance(key, int) and -len(held) <= key < len(held):
            at = key % len(held)
            state.contents[holder] = (*held[:at], value, *held[at + 1 :])
        else:
            state.contents[holder] = None

    def imported(self, module: str, path: tuple[str, ...]) -> Value:
        return self._global((f"import:{module}", *path))

    def _global(self, path: tuple[str, ...]) -> Value:
        found = self.lookup(path)
        return Global(path) if found is None else found

    # ---- expressions

    def value(self, node: ast.expr) -> Value:
        if self.walker.state is None:
            return UNKNOWN
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            return handler(self, node)
        self.inside(node)
        return UNKNOWN

    def inside(self, node: ast.AST) -> None:
        """Evaluate what stands in a node that means nothing by itself."""
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.expr):
                self.calls.lost(self.value(one))
            elif isinstance(one, ast.keyword | ast.FormattedValue):
                self.calls.lost(self.value(one.value))

    def constant(self, node: ast.Constant) -> Value:
        return node.value if type(node.value) in (int, str) else UNKNOWN  # type: ignore[return-value]

    def read(self, node: ast.Name) -> Value:
        state = self.walker.state
        frame: Frame | None = self.walker.frame
        while frame is not None and state is not None:
            if (frame, node.id) in state.env:
                return state.env[frame, node.id]
            if node.id in frame.names:
                return UNKNOWN
            frame = frame.parent
        return self._global((node.id,))

    def attribute(self, node: ast.Attribute) -> Value:
        receiver = self.value(node.value)
        if isinstance(receiver, Library):
            return Library(f"{receiver.name}.{node.attr}".lstrip("."))
        if isinstance(receiver, Global):
            return self._global((*receiver.path, node.attr))
        state = self.walker.state
        if isinstance(receiver, Thing) and state is not None:
            known = state.attributes.get((receiver, node.attr))
            return known if (receiver, node.attr) in state.attributes else Method(receiver, node.attr)
        return Method(receiver, node.attr)

    def settled(self, value: Value) -> Value:
        """A name of a value as a value: an attribute of a thing is one thing until something may have changed it."""
        state = self.walker.state
        if isinstance(value, Method) and isinstance(value.receiver, Thing) and state is not None and value.name not in self.walker.computed:
            return state.attributes.setdefault((value.receiver, value.name), Thing())
        return UNKNOWN if isinstance(value, Method) else value

    def argument(self, node: ast.expr) -> Value:
        """The value of what is handed to a call, or taken apart: a name of the module is one thing until others may have bound it anew."""
        value, state = self.settled(self.value(node)), self.walker.state
        if isinstance(value, Global) and len(value.path) == 1 and state is not None:
            return state.attributes.setdefault((value, ""), Thing())
        return value

    def subscript(self, node: ast.Subscript) -> Value:
        holder = self.argument(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(holder, node.slice)
        key = self.value(node.slice)
        items = self.items(holder)
        if items is not None and isinstance(key, int) and -len(items) <= key < len(items):
            return items[key]
        state = self.walker.state
        held = state.contents.get(holder) if isinstance(holder, Mutable) and state is not None else None
        return held.get(key, UNKNOWN) if isinstance(held, dict) and isinstance(key, int | str) else UNKNOWN

    def _slice(self, holder: Value, bounds: ast.Slice) -> Value:
        start = self.value(bounds.lower) if bounds.lower is not None else 0
        stop = self.value(bounds.upper) if bounds.upper is not None else END
        if bounds.step is not None:
            self.value(bounds.step)
            return UNKNOWN
        if isinstance(holder, Buffer):
            return part(holder, start, stop)
        if isinstance(holder, Thing):
            return part(Buffer(holder, holder), start, stop)
        items = self.items(holder)
        if items is not None and isinstance(start, int) and (stop is END or isinstance(stop, int)):
            return Items(tuple(items[start : stop if isinstance(stop, int) else None]))
        return UNKNOWN

    def items(self, value: Value) -> list[Value] | None:
        """What a tuple or list holds, if that is known."""
        if isinstance(value, Items):
            return list(value.items)
        state = self.walker.state
        held = state.contents.get(value) if isinstance(value, Mutable) and state is not None else None
        return list(held) if isinstance(held, tuple) else None

    def sequence(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        star = any(isinstance(one, ast.Starred) for one in node.elts)
        values = [self.settled(self.value(one)) for one in node.elts]
        for value in values:
            self.calls.kept(value)
        if isinstance(node, ast.Tuple):
            return UNKNOWN if star else Items(tuple(values))
        return self._mutable(None if star or isinstance(node, ast.Set) else tuple(values))

    def _mutable(self, contents: dict[Value, Value] | tuple[Value, ...] | None) -> Value:
        made = Mutable()
        if self.walker.state is not None:
            self.walker.state.contents[made] = contents
        return made

    def dictionary(self, node: ast.Dict) -> Value:
        keys = [self.value(one) if one is not None else UNKNOWN for one in node.keys]
        values = [self.settled(self.value(one)) for one in node.values]
        for value in values:
            self.calls.kept(value)
        known = all(isinstance(one, int | str) for one in keys)
        return self._mutable(dict(zip(keys, values, strict=True)) if known else None)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Value:
        first = node.generators[0]
        simple = isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1 and not first.ifs
        rounds = self.rounds(first.iter)
        frame = Frame(frozenset(_targets(node)), self.walker.frame)
        outer, self.walker.frame = self.walker.frame, frame
        try:
            if simple and rounds is not None and len(rounds) <= MOST_ITEMS:
                found: list[Value] = []
                for one in rounds:
                    self.bind(first.target, one)
                    found.append(self.settled(self.value(node.elt)))  # type: ignore[union-attr]
                return self._mutable(tuple(found))
            for generator in node.generators:
                if generator is not first:
                    self.value(generator.iter)
                self.bind(generator.target, Thing())
                for test in generator.ifs:
                    self.value(test)
            for part_ in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self.calls.lost(self.value(part_))
            return self._mutable(None)
        finally:
            self.walker.frame = outer

    def rounds(self, node: ast.expr) -> list[Value] | None:
        """What a loop over the expression goes through, if that is known."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            name = node.func.id
            if name in ("range", "enumerate", "zip", "reversed", "list", "tuple"):
                return self._builtin(name, [self.value(one) for one in node.args])
        return self.items(self.settled(self.value(node)))

    def _builtin(self, name: str, given: list[Value]) -> list[Value] | None:
        if name == "range":
            numbers = [one for one in given if isinstance(one, int)]
            if len(numbers) != len(given) or not 1 <= len(numbers) <= 3 or (len(numbers) == 3 and not numbers[2]):
                return None
            return list(range(*numbers)[: MOST_ITEMS + 1])
        lists = [self.items(one) for one in given]
        if not lists or any(one is None for one in lists):
            return None
        known = [one for one in lists if one is not None]
        if name == "zip":
            return [Items(one) for one in zip(*known, strict=False)]
        if len(known) != 1:
            return None
        if name == "enumerate":
            return [Items((number, one)) for number, one in enumerate(known[0])]
        return known[0][::-1] if name == "reversed" else known[0]

    def arithmetic(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        operator = _OPERATORS.get(type(node.op))
        if isinstance(left, int) and isinstance(right, int):
            return operator(left, right) if operator is not None else UNKNOWN
        one, two = self.items(left), self.items(right)
        if isinstance(node.op, ast.Add) and one is not None and two is not None:
            return Items((*one, *two)) if isinstance(left, Items) else self._mutable((*one, *two))
        if isinstance(node.op, ast.Mult) and one is not None and isinstance(right, int) and 0 <= len(one) * right <= MOST_ITEMS:
            return Items((*one,) * right) if isinstance(left, Items) else self._mutable((*one,) * right)
        return UNKNOWN

    def sign(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        return -value if isinstance(node.op, ast.USub) and isinstance(value, int) else UNKNOWN

    def choice(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        decided = self.decided(node.test)
        if decided is not None:
            return self.settled(self.value(node.body if decided else node.orelse))
        one, two = self.settled(self.value(node.body)), self.settled(self.value(node.orelse))
        return one if one is two or one == two else UNKNOWN

    # ---- conditions

    def decided(self, node: ast.expr) -> bool | None:
        """What a condition is on this path, where it compares variables whose values are known."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.decided(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            found = [self.decided(one) for one in node.values]
            settles = isinstance(node.op, ast.Or)
            return settles if settles in found else None if None in found else not settles
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        left, right = self._variable(node.left), self._variable(node.comparators[0])
        operator = node.ops[0]
        if isinstance(operator, ast.Is | ast.IsNot):
            same = _one_object(left, right, isinstance(node.comparators[0], ast.Constant))
            return None if same is None else same == isinstance(operator, ast.Is)
        test = _COMPARISONS.get(type(operator))
        return test(left, right) if test is not None and isinstance(left, int) and isinstance(right, int) else None

    def _variable(self, node: ast.expr) -> Value:
        """The value of a name that the code that is followed has bound, or of a constant."""
        if isinstance(node, ast.Constant):
            return self.constant(node)
        state, frame = self.walker.state, self.walker.frame
        while isinstance(node, ast.Name) and state is not None:
            if (frame, node.id) in state.env:
                return state.env[frame, node.id]
            if node.id in frame.names or frame.parent is None:
                break
            frame = frame.parent
        return UNKNOWN

    def walrus(self, node: ast.NamedExpr) -> Value:
        value = self.settled(self.value(node.value))
        self.bind(node.target, value)
        return value

    def awaited(self, node: ast.Await) -> Value:
        value = self.value(node.value)
        return self.calls.ran(value) if isinstance(value, Operation) else UNKNOWN

    def call(self, node: ast.Call) -> Value:
        return self.calls.call(node)

    def function(self, node: ast.Lambda) -> Value:
        return Function(node, self.walker.frame)


def _one_object(one: Value, two: Value, constant: bool) -> bool | None:
    """Whether two values are one object; `constant`: the other one is a constant, such as `None`."""
    if not isinstance(one, Buffer):
        return None
    if constant:
        return False
    if one is two:
        return True
    return False if isinstance(two, Buffer) and one.region is not two.region else None


_COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


def _targets(node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> list[str]:
    return [one.id for generator in node.generators for one in ast.walk(generator.target) if isinstance(one, ast.Name)]


_EXPRESSIONS: dict[type[ast.expr], Callable[[Evaluator, Any], Value]] = {
    ast.Constant: Evaluator.constant,
    ast.Name: Evaluator.read,
    ast.Attribute: Evaluator.attribute,
    ast.Subscript: Evaluator.subscript,
    **dict.fromkeys((ast.Tuple, ast.List, ast.Set), Evaluator.sequence),
    ast.Dict: Evaluator.dictionary,
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp), Evaluator.comprehension),
    ast.BinOp: Evaluator.arithmetic,
    ast.UnaryOp: Evaluator.sign,
    ast.IfExp: Evaluator.choice,
    ast.NamedExpr: Evaluator.walrus,
    ast.Await: Evaluator.awaited,
    ast.Call: Evaluator.call,
    ast.Lambda: Evaluator.function,
}
