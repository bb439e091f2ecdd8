"""Random well-typed expressions of the kernel language, as source text."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from fuzz.types import FLOATS, INTS, NUMBERS, TYPES, Param, literal, nonzero


@dataclass(frozen=True)
class Helper:
    """A function that kernels may call."""

    name: str
    args: tuple[str, ...]
    result: str
    names: tuple[str, ...] = ()
    default: bool = False  # whether the last argument has one


@dataclass
class Scope:
    """What an expression may name. `mutable` variables may be assigned; `panics` allows checks that can fail."""

    params: tuple[Param, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    guarded: tuple[Param, ...] = ()  # outputs at which `idx` is known to be inside
    helpers: tuple[Helper, ...] = ()
    structs: dict[str, dict[str, str]] = field(default_factory=dict)  # struct type → field → type
    in_kernel: bool = True
    bind: Callable[[], str] | None = None  # makes a name for a walrus, where one may stand
    panics: bool = False

    def inner(self) -> Scope:
        """For a block of its own: what it binds is not seen outside."""
        copy = Scope(**vars(self))
        copy.variables = dict(self.variables)
        return copy


class Expressions:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def typed(self, scope: Scope, type_: str, depth: int) -> str:
        """An expression that has the type by itself, not only by what it meets."""
        if type_ == "bool":
            return self.condition(scope, depth)
        if depth <= 0:
            return self.leaf(scope, type_)
        makers: list[Callable[[Scope, str, int], str]] = [self.binary] * 5
        makers += [self.unary, self.ternary, self.cast, self.extremum, self.special]
        if any(one.result == type_ for one in scope.helpers):
            makers.append(self.call)
        if scope.bind is not None:
            makers.append(self.walrus)
        return self.rng.choice(makers)(scope, type_, depth - 1)

    def loose(self, scope: Scope, type_: str, depth: int) -> str:
        """An expression that may be a bare literal: for places beside something typed."""
        return literal(self.rng, type_) if self.chance(0.2) else self.typed(scope, type_, depth)

    def leaf(self, scope: Scope, type_: str) -> str:
        names = [name for name, one in scope.variables.items() if one == type_]
        names += [one.name for one in scope.params if one.kind == "scalar" and one.type == type_]
        if scope.in_kernel:
            names += [f"{one.name}[idx]" for one in scope.guarded if one.type == type_]
            names += [self.access(scope, one.name) for one in scope.params if one.kind == "slice" and one.type == type_]
            names += [f"{one.name}[idx.get()]" for one in scope.params if one.kind == "mut" and one.type == type_]
            names += [f"{one}.{field}" for one, field in self.fields(scope, type_)]
        if type_ == "i32" and scope.in_kernel:
            names += ["idx.get()", "thread.idx.x", "block.idx.x", "block.dim.x", "grid.dim.x"]
            names += [f"len({one.name})" for one in scope.params if one.kind not in ("scalar", "record")]
        for variable, struct in scope.variables.items():
            names += [f"{variable}.{one}" for one, of in scope.structs.get(struct, {}).items() if of == type_]
        if self.chance(0.1) or (not names and self.chance(0.2)):
            return literal(self.rng, type_) if type_ == "bool" else f"{type_}({literal(self.rng, type_)})"
        if not names:
            return f"{type_}({self.other(scope)})"
        return self.rng.choice(names)

    def other(self, scope: Scope) -> str:
        """Anything known at run time, of whatever type."""
        names = [name for name, one in scope.variables.items() if one not in scope.structs]
        names += [f"{one.name}[idx]" for one in scope.params if one.kind == "slice"]
        return self.rng.choice(names) if names else "1"

    def fields(self, scope: Scope, type_: str) -> list[tuple[str, str]]:
        """Structs that are parameters or elements of slices, each with a field of the type."""
        found: list[tuple[str, str]] = []
        for one in scope.params:
            if one.kind in ("record", "records"):
                place = one.name if one.kind == "record" else self.access(scope, one.name)
                found += [(place, field) for field, of in scope.structs[one.type].items() if of == type_]
        return found

    def access(self, scope: Scope, name: str) -> str:
        """A read of a slice: by the index, wrapped into it, or (rarely, where panics are allowed) by anything."""
        kind = self.rng.random()
        if kind < 0.5:
            return f"{name}[idx]"
        integers = [variable for variable, one in scope.variables.items() if one in ("i32", "i64", "u8", "i16")]
        index = self.rng.choice(("idx.get()", *integers))
        if scope.panics and kind < 0.6:
            return f"{name}[{index} + {self.rng.choice(('1', '3', '0'))}]"
        length = f"len({name})"
        type_ = scope.variables.get(index, "i32")
        if type_ == "i32":
            return f"{name}[{index} % {length}]"
        return f"{name}[i64({index}) % i64({length})]"

    def condition(self, scope: Scope, depth: int) -> str:
        kind = self.rng.random()
        if depth <= 0 or kind < 0.1:
            return self.leaf(scope, "bool")
        if kind < 0.2:
            return f"(not {self.condition(scope, depth - 1)})"
        if kind < 0.35:
            joint = self.rng.choice(("and", "or"))
            return f"({self.condition(scope, depth - 1)} {joint} {self.condition(scope, depth - 1)})"
        if kind < 0.45:
            test = self.rng.choice(("isnan", "isinf", "isfinite"))
            return f"math.{test}({self.typed(scope, self.rng.choice(FLOATS), depth - 1)})"
        type_ = self.rng.choice(NUMBERS)
        a, b = self.typed(scope, type_, depth - 1), self.loose(scope, type_, depth - 1)
        compare = lambda: self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        if self.chance(0.15):
            return f"({a} {compare()} {b} {compare()} {self.typed(scope, type_, depth - 1)})"
        return f"({a} {compare()} {b})"

    # ---- makers

    def binary(self, scope: Scope, type_: str, depth: int) -> str:
        a, b = self.typed(scope, type_, depth), self.loose(scope, type_, depth)
        if type_ in FLOATS:
            operator = self.rng.choice(("+", "-", "*", "/", "+", "*", "//", "%"))
            if operator in "+-" and self.chance(0.5):
                product = f"{self.typed(scope, type_, depth)} * {self.loose(scope, type_, depth - 1)}"
                return self.rng.choice((f"({product} {operator} {b})", f"({a} {operator} {product})"))
        else:
            operator = self.rng.choice(("+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%"))
            if operator in ("//", "%"):
                b = self.divisor(scope, type_, depth)
        return f"({b} {operator} {a})" if operator in "+*&|^" and self.chance(0.3) else f"({a} {operator} {b})"

    def divisor(self, scope: Scope, type_: str, depth: int) -> str:
        if scope.panics and self.chance(0.2):
            return self.typed(scope, type_, depth)
        return nonzero(self.rng, type_) if self.chance(0.4) else f"({self.typed(scope, type_, depth)} | 1)"

    def unary(self, scope: Scope, type_: str, depth: int) -> str:
        a = self.typed(scope, type_, depth)
        if type_ in INTS:
            return self.rng.choice((f"(-{a})", f"(~{a})", f"abs({a})", f"(+{a})"))
        return self.rng.choice((f"(-{a})", f"abs({a})", f"math.fabs({a})"))

    def ternary(self, scope: Scope, type_: str, depth: int) -> str:
        if self.chance(0.7):
            return f"({self.typed(scope, type_, depth)} if {self.condition(scope, depth)} else {self.typed(scope, type_, depth)})"
        arms = [self.typed(scope, type_, depth), literal(self.rng, type_)]
        self.rng.shuffle(arms)
        return f"({arms[0]} if {self.unknown(scope)} else {arms[1]})"

    def unknown(self, scope: Scope) -> str:
        """A condition that is no compile-time constant: both arms count, and one may be a bare literal."""
        type_ = self.rng.choice(NUMBERS)
        return f"({self.leaf(scope, type_)} {self.rng.choice(('<', '>=', '!='))} {literal(self.rng, type_)})"

    def cast(self, scope: Scope, type_: str, depth: int) -> str:
        source = self.rng.choice([one for one in TYPES if one != type_])
        return f"{type_}({self.typed(scope, source, depth)})"

    def extremum(self, scope: Scope, type_: str, depth: int) -> str:
        arguments = [self.typed(scope, type_, depth), self.loose(scope, type_, depth)]
        if self.chance(0.2):
            arguments.append(self.typed(scope, type_, depth - 1))
        return f"{self.rng.choice(('min', 'max'))}({', '.join(arguments)})"

    def special(self, scope: Scope, type_: str, depth: int) -> str:
        a = self.typed(scope, type_, depth)
        if type_ in INTS:
            divided = f"divmod({a}, {nonzero(self.rng, type_)})[{self.rng.choice('01')}]"
            return self.rng.choice((f"({a} ** 2)", f"({a} ** 3)", f"pow({a}, 2)", divided))
        unary = ("sqrt", "floor", "ceil", "trunc", "exp", "rint")
        choices = [f"math.{name}({a})" for name in unary]
        choices += [f"math.copysign({a}, {type_}({self.leaf(scope, self.rng.choice(INTS))}))", f"({a} ** 2)"]  # never the sign of a NaN
        choices.append(f"math.fma({a}, {self.typed(scope, type_, depth)}, {self.typed(scope, type_, depth)})")
        return self.rng.choice(choices)

    def walrus(self, scope: Scope, type_: str, depth: int) -> str:
        """Bound and used at once; nobody else reads it, so it does not matter whether this is reached."""
        assert scope.bind is not None
        name = scope.bind()
        return f"({name} := {self.typed(scope, type_, depth)})"

    def call(self, scope: Scope, type_: str, depth: int) -> str:
        helper = self.rng.choice([one for one in scope.helpers if one.result == type_])
        arguments = [self.typed(scope, one, depth - 1) for one in helper.args]
        if helper.names and self.chance(0.3):  # by keyword, from the last on; the last may be left out, which has a default
            arguments[-1] = f"{helper.names[-1]}={arguments[-1]}"
        elif helper.default and self.chance(0.3):
            arguments.pop()
        return f"{helper.name}({', '.join(arguments)})"
