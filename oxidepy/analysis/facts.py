"""What is known on a path: predicates over values, gathered from the conditions that control flow has passed.

Two values with the same key hold the same number wherever both are visible: a key is the pure expression that made the value.
Because values never change, a fact holds until the region that learned it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oxidepy.ir.core import Kernel, Op, Require, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import COMPARISONS, OPS
from oxidepy.ir.types import Scalar

Key = int  # the number of an expression: two that are written alike have one
Interval = tuple[int, int]

_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
_MIRRORED = {"gt": "lt", "ge": "le"}


class Keys:
    """Gives every value its key; values of a region argument may be declared the same as another value."""

    def __init__(self) -> None:
        self.learned = 0  # how often anything was learned of the values
        self._known: dict[Value, Key] = {}
        self._numbers: dict[tuple[Any, ...], Key] = {}

    def alias(self, value: Value, other: Value) -> None:
        self._known[value] = self.of(other)
        self.learned += 1

    def of(self, value: Value) -> Key:
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._numbers.setdefault(self._made(value), len(self._numbers))
        return known

    def _made(self, value: Value) -> tuple[Any, ...]:
        """How a value is made: an operation on the keys of its operands, or itself."""
        op = value.owner
        if isinstance(op, Op) and not op.regions and len(op.results) == 1:
            pure = OPS[op.name].effect == "pure" and op.name != "call"
            if op.name == "intrinsic":
                pure = ROWS[op.attrs["row"]].effect == "pure" and ROWS[op.attrs["row"]].convergence == "none"
            if pure:
                attrs = tuple(sorted((name, repr(item)) for name, item in op.attrs.items()))
                return (op.name, str(value.type), attrs, *(self.of(operand) for operand in op.operands))
        return ("value", id(value))


class Facts:
    """A set of facts, cheap to extend: `branch` gives a child that forgets what it learns when it is dropped."""

    def __init__(self, keys: Keys, kernel: Kernel, parent: Facts | None = None) -> None:
        self.keys = keys
        self.kernel = kernel
        self._parent = parent
        self._truth: dict[Key, bool] = {}
        self._relations: set[tuple[str, Key, Key | None]] = set()
        self._bounds: dict[Key, list[tuple[str, Value]]] = {}
        self._intervals: dict[tuple[Key, int], Interval] = {}  # that were asked for since something was learned last
        self._learned = -1

    def branch(self) -> Facts:
        return Facts(self.keys, self.kernel, self)

    # ---- learning

    def assume(self, value: Value, truth: bool) -> None:
        """Learn that the condition `value` is `truth`, and what follows from its making."""
        self._truth[self.keys.of(value)] = truth
        op = value.owner
        if not isinstance(op, Op):
            return
        name = op.name
        if name == "not":
            self.assume(op.operands[0], not truth)
        elif (name == "and" and truth) or (name == "or" and not truth):
            for operand in op.operands:
                self.assume(operand, truth)
        elif name == "inbounds" and truth:
            self.relate("lt", op.operands[0], op.operands[1])
            self.nonnegative(op.operands[0])
        elif name in COMPARISONS and op.operands[0].scalar.is_int:
            self.relate(name if truth else _NEGATED[name], op.operands[0], op.operands[1])
        elif name == "if":
            self._assume_merge(op, value, truth)

    def _assume_merge(self, op: Op, value: Value, truth: bool) -> None:
        """A short-circuit form: `a and b` yields False on the other side, `a or b` yields True there."""
        index = op.results.index(value)
        for side, region in enumerate(op.regions):
            other = op.regions[1 - side]
            fixed = (
                True
                if other.leaves
                else other.terminator.operands[index].constant == (not truth) and other.terminator.operands[index].constant is not None
            )
            if fixed and not region.leaves:
                self.assume(op.operands[0], side == 0)
                self.assume(region.terminator.operands[index], truth)

    def relate(self, name: str, left: Value, right: Value) -> None:
        """Learn `left name right`, for integers of one type."""
        if name in _MIRRORED:
            name, left, right = _MIRRORED[name], right, left
        op = right.owner
        if name in ("lt", "le") and isinstance(op, Op) and op.name == "min":  # below the lesser of two is below both
            for operand in op.operands:
                self.relate(name, left, operand)
        elif name in ("lt", "le") and (whole := self._lessened(right)) is not None:  # below `n - 1` is below `n`
            self.relate("lt", left, whole)
        a, b = self.keys.of(left), self.keys.of(right)
        self._relations.add((name, a, b))
        self.keys.learned += 1
        self._bounds.setdefault(a, []).append((name + "<", right))
        self._bounds.setdefault(b, []).append((name + ">", left))

    def _lessened(self, value: Value) -> Value | None:
        """`n` where the value is `n` less a positive constant, and does not wrap."""
        op = value.owner
        if not isinstance(op, Op) or op.name != "sub":
            return None
        whole, less = op.operands[0], op.operands[1].constant
        return whole if less is not None and less > 0 and self.interval(whole)[0] - less >= whole.scalar.min else None

    def nonnegative(self, value: Value) -> None:
        """Learn that the integer is not negative."""
        self._relations.add(("nonnegative", self.keys.of(value), None))
        self.keys.learned += 1

    # ---- asking

    def _chain(self) -> list[Facts]:
        out: list[Facts] = []
        here: Facts | None = self
        while here is not None:
            out.append(here)
            here = here._parent
        return out

    def _related(self, name: str, left: Key, right: Key) -> bool:
        return any((name, left, right) in one._relations for one in self._chain())

    def holds(self, value: Value) -> bool:
        """Whether the condition is true on every way that leads here. False means: not known."""
        constant = value.constant
        if constant is not None:
            return bool(constant)
        key = self.keys.of(value)
        for one in self._chain():
            known = one._truth.get(key)
            if known is not None:
                return known
        op = value.owner
        if not isinstance(op, Op):
            return False
        if op.name in COMPARISONS and op.operands[0].scalar.is_int:
            return self._compares(op.name, op.operands[0], op.operands[1])
        if op.name == "inbounds":
            return self.interval(op.operands[0])[0] >= 0 and self._compares("lt", op.operands[0], op.operands[1])
        if op.name == "and":
            return all(self.holds(operand) for operand in op.operands)
        if op.name == "or":
            return any(self.holds(operand) for operand in op.operands)
        if op.name == "if" and not any(region.leaves for region in op.regions):
            yielded = [region.terminator.operands[op.results.index(value)] for region in op.regions]
            if yielded[1].constant is False:
                return self.holds(op.operands[0]) and self.holds(yielded[0])
        return False

    def _compares(self, name: str, left: Value, right: Value) -> bool:
        if name in _MIRRORED:
            name, left, right = _MIRRORED[name], right, left
        a, b = self.keys.of(left), self.keys.of(right)
        (low_a, high_a), (low_b, high_b) = self.interval(left), self.interval(right)
        if name == "lt":
            return high_a < low_b or self._related("lt", a, b)
        if name == "le":
            return (
                high_a <= low_b
                or a == b
                or self._related("lt", a, b)
                or self._related("le", a, b)
                or self._related("eq", a, b)
                or self._related("eq", b, a)
            )
        if name == "eq":
            return a == b or low_a == high_a == low_b == high_b or self._related("eq", a, b) or self._related("eq", b, a)
        apart = high_a < low_b or high_b < low_a
        return apart or any(self._related(rel, x, y) for rel in ("ne", "lt") for x, y in ((a, b), (b, a)))

    def relation(self, check: Op) -> Require | None:
        """For a check of an index that is known to be less than a length or number of the launch: that this is not above its own length."""
        test = check.operands[0].owner
        if not isinstance(test, Op) or test.name != "inbounds" or self.interval(test.operands[0])[0] < 0:
            return None
        length = self._leaf(test.operands[1])
        for one in self._chain():
            for rel, other in one._bounds.get(self.keys.of(test.operands[0]), ()):
                limit = self._leaf(other) if rel == "lt<" else None
                if limit is not None and length is not None:
                    return Require(f"{_spelled(limit)} <= {_spelled(length)}", ("<=", limit, length), check.span)
        return None

    def _leaf(self, value: Value) -> tuple[Any, ...] | None:
        """How the host names an integer parameter."""
        for param, info in zip(self.kernel.params, self.kernel.infos, strict=True):
            if param is value and info.source and info.role in ("length", "scalar") and param.scalar.is_int:
                if info.role == "length":
                    return ("len", info.source, info.axis)
                return ("field", info.source, info.path) if info.path else ("scalar", info.source)
        return None

    # ---- intervals

    def interval(self, value: Value, depth: int = 8) -> Interval:
        """Bounds of an integer (inclusive), from its type, the expression that made it, and the facts."""
        key = self.keys.of(value)
        known = self._intervals.get((key, depth)) if self._learned == self.keys.learned else None
        if known is None:
            known = self._interval(value, key, depth)
            if self._learned != self.keys.learned:
                self._learned, self._intervals = self.keys.learned, {}
            self._intervals[key, depth] = known
        return known

    def _interval(self, value: Value, key: Key, depth: int) -> Interval:
        low, high = made = _structural(self, value, depth)
        if depth > 0:
            for one in self._chain():
                if ("nonnegative", key, None) in one._relations:
                    low = max(low, 0)
                for rel, other in one._bounds.get(key, ()):
                    other_low, other_high = self.interval(other, depth - 4)
                    if rel == "lt<":
                        high = min(high, other_high - 1)
                    elif rel == "lt>":
                        low = max(low, other_low + 1)
                    elif rel in ("le<", "eq<", "eq>"):
                        high = min(high, other_high)
                    if rel in ("le>", "eq<", "eq>"):
                        low = max(low, other_low)
        return (low, high) if low <= high else made  # facts that contradict each other: nothing comes here, and rules want an interval


def _spelled(leaf: tuple[Any, ...]) -> str:
    """A leaf as the kernel writes it."""
    kind, source = leaf[0], leaf[1]
    if kind == "len":
        return f"{source}.shape[{leaf[2]}]" if leaf[2] else f"len({source})"
    return f"{source}.{leaf[2]}" if kind == "field" else str(source)


_ANY_FLOAT = (-(1 << 1100), 1 << 1100)  # beyond every integer type, as floats are: no bound of a cast follows from it


def _structural(facts: Facts, value: Value, depth: int) -> Interval:
    """Bounds that follow from how the value was made."""
    scalar = value.scalar
    if scalar.is_float:
        return _ANY_FLOAT
    full = (scalar.min, scalar.max) if scalar.is_int else (0, 1)
    constant = value.constant
    if constant is not None:
        return int(constant), int(constant)
    op = value.owner
    if not isinstance(op, Op):
        return _parameter(facts.kernel, value, full)
    if depth <= 0 or not scalar.is_int:
        return full
    if op.name == "intrinsic":
        return _intrinsic(facts.kernel, op.attrs["row"], scalar)
    rule = _RULES.get(op.name)
    if rule is None or op.regions:
        return full
    parts = [facts.interval(operand, depth - 1) for operand in op.operands if not (op.name == "select" and operand is op.operands[0])]
    found = rule(parts)
    # outside of the type the operation wraps: then nothing is known
    return found if found is not None and full[0] <= found[0] and found[1] <= full[1] else full


def _parameter(kernel: Kernel, value: Value, full: Interval) -> Interval:
    for param, info in zip(kernel.params, kernel.infos, strict=True):
        if param is value:
            return (0, full[1]) if info.role == "length" else full
    return full


def _intrinsic(kernel: Kernel, row: str, scalar: Scalar) -> Interval:
    space, _, axis = row.rpartition(".")
    if space in ("thread.idx", "block.dim"):
        extent = kernel.block["xyz".index(axis)]
        return (0, extent - 1) if space == "thread.idx" else (extent, extent)
    if row == "grid.size":  # there is a thread to ask
        return (1, scalar.max)
    if space == "grid.dim":  # the threads of an axis have numbers of that type
        return (1, scalar.max // kernel.block["xyz".index(axis)])
    return (0 if ROWS[row].nonnegative else scalar.min, scalar.max)


def _multiply(parts: list[Interval]) -> Interval:
    corners = [a * b for a in parts[0] for b in parts[1]]
    return min(corners), max(corners)


def _floordiv(parts: list[Interval]) -> Interval | None:
    (low, high), (divisor_low, divisor_high) = parts
    if divisor_low <= 0:
        return None
    return min(low // divisor_low, low // divisor_high), max(high // divisor_low, high // divisor_high)


def _combined(parts: list[Interval]) -> Interval | None:
    """No bit above the highest one of both."""
    (low, high), (other_low, other_high) = parts
    return (0, (1 << max(high, other_high).bit_length()) - 1) if low >= 0 and other_low >= 0 else None


_RULES: dict[str, Callable[[list[Interval]], Interval | None]] = {
    "add": lambda parts: (parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]),
    "sub": lambda parts: (parts[0][0] - parts[1][1], parts[0][1] - parts[1][0]),
    "mul": _multiply,
    "neg": lambda parts: (-parts[0][1], -parts[0][0]),
    "min": lambda parts: (min(parts[0][0], parts[1][0]), min(parts[0][1], parts[1][1])),
    "max": lambda parts: (max(parts[0][0], parts[1][0]), max(parts[0][1], parts[1][1])),
    "floordiv": _floordiv,
    "mod": lambda parts: (0, parts[1][1] - 1) if parts[1][0] > 0 else None,
    "and": lambda parts: (0, min(part[1] for part in parts if part[0] >= 0)) if any(part[0] >= 0 for part in parts) else None,
    **dict.fromkeys(("or", "xor"), _combined),
    "shr": lambda parts: (0, parts[0][1]) if parts[0][0] >= 0 else None,
    "cast": lambda parts: parts[0],
    "select": lambda parts: (min(parts[0][0], parts[1][0]), max(parts[0][1], parts[1][1])),
}
