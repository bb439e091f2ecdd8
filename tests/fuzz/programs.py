"""Random functions of integers, tuples, structs, members of enums, closures and patterns, which mean the same in Python and in a kernel.

`Program(seed).text` is a function `f(a, b, p)` whose operations stay far inside of an i32; no helper's name clashes with a built-in.
"""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

HEAD = """
class C(enum.Enum):
    R = 1
    G = 2
    B = 5


@struct
@dataclass(frozen=True)
class P:
    x: i32
    y: i32
    c: C


@struct
@dataclass(frozen=True)
class Q:
    p: P
    t: tuple[i32, i32]
    f: bool


"""
Names = dict[str, list[str]]  # by what they hold: i(nteger), b(ool), t(uple), P, Q, fn


class Program:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.lines = ["def f(a: i32, b: i32, p: P) -> i32:", "    q = Q(p, (a, b), a < b)"]
        self.statements({"i": ["a", "b"], "b": [], "t": [], "P": ["p"], "Q": ["q"], "fn": []}, "    ", 3, count=7)
        self.lines.append("    return (a % 1009 * 31 + b % 1009 * 7 + p.x % 97 + p.y % 97 * 3 + q.t[0] % 97 + p.c.value) % 100003")

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def one_of(self, *items: str) -> str:
        return self.random.choice(items)

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def say(self, pad: str, line: str) -> None:
        self.lines.append(pad + line)

    # ---- expressions

    def integer(self, names: Names, depth: int = 3) -> str:
        def inner() -> str:
            return self.integer(names, depth - 1)

        ways: list[Callable[[], str]] = [lambda: str(self.random.randint(-9, 9)), *[lambda: self.one_of(*names["i"])] * 2]
        if depth > 0:
            ways += [
                lambda: f"({inner()} {self.one_of('+', '-', '*', '&', '|', '^')} {inner()}) % 1009",
                lambda: f"({inner()}) // {self.one_of('2', '3', '-3', '7')}",
                lambda: f"({inner()}) % {self.one_of('2', '5', '-4')}",
                lambda: f"({inner()} if {self.truth(names, depth - 1)} else {inner()})",
                lambda: f"min({inner()}, {inner()})",
                lambda: f"abs({inner()})",
                lambda: f"int({self.truth(names, depth - 1)})",
            ]
            parts = {
                "P": ("{}.x", "{}.y", "{}.c.value"),
                "Q": ("{}.p.x", "{}.p.y", "{}.t[1]", "{}.t[({i}) % 2]"),
                "t": ("{}[0]", "{}[({i}) % 2]"),
            }
            for kind, forms in parts.items():
                if names[kind]:
                    ways.append(lambda kind=kind, forms=forms: self.one_of(*forms).format(self.one_of(*names[kind]), i=inner()))
            if names["fn"]:
                ways += [lambda: f"{self.one_of(*names['fn'])}({inner()})"] * 2
        return self.random.choice(ways)()

    def truth(self, names: Names, depth: int = 2) -> str:
        def number() -> str:
            return self.integer(names, 0)

        ways: list[Callable[[], str]] = [lambda: f"{number()} {self.one_of('<', '<=', '==', '!=', '>')} {number()}"]
        ways += [lambda: self.one_of(*names["b"])] * bool(names["b"])
        if depth > 0:
            ways += [
                lambda: f"({self.truth(names, depth - 1)} {self.one_of('and', 'or')} {self.truth(names, depth - 1)})",
                lambda: f"(not {self.truth(names, depth - 1)})",
                lambda: f"({number()} < {self.integer(names, 1)} <= {number()})",
                lambda: f"({self.integer(names, 1)} in (1, {number()}, 4))",
                lambda: f"(({number()}, {number()}) < ({number()}, 3))",
                lambda: f"({self.one_of(*names['P'])}.c {self.one_of('is', 'is not', '==', '!=')} C.{self.one_of('R', 'G', 'B')})",
                lambda: f"({self.one_of(*names['P'])} == {self.pair(names, 0)})",
                lambda: f"{self.one_of(*names['Q'])}.f",
            ]
        return self.random.choice(ways)()

    def member(self, names: Names) -> str:
        return self.one_of("C.R", "C.G", "C.B", *(f"{one}.c" for one in names["P"]))

    def pair(self, names: Names, depth: int = 1) -> str:
        one, other = self.one_of(*names["P"]), self.one_of(*names["P"])
        if depth == 0 or self.chance(0.6):
            return f"P({self.integer(names, depth)}, {self.integer(names, depth)}, {self.member(names)})"
        changed = f"replace({one}, {self.one_of('x', 'y')}={self.integer(names, 1)})"
        return self.one_of(one, changed, f"({one} if {self.truth(names, 1)} else {other})")

    def value(self, names: Names, kind: str) -> str:
        if kind == "i":
            return self.integer(names)
        if kind == "b":
            return self.truth(names)
        if kind == "P":
            return self.pair(names)
        both = f"({self.integer(names, 1)}, {self.integer(names, 1)})"
        if kind == "t":
            return both
        return f"Q({self.pair(names)}, {both}, {self.truth(names, 1)})" if self.chance(0.7) else self.one_of(*names["Q"])

    # ---- statements

    def statements(self, names: Names, pad: str, depth: int, *, returns: bool = True, count: int = 0) -> None:
        names = {kind: list(own) for kind, own in names.items()}
        plain = [self._assign, self._assign, self._augmented, self._swapped, self._unpacked, self._function, self._walrus]
        nested = [self._if, self._if, self._for, self._for, self._while, self._match, self._match]
        for _ in range(count or self.random.randint(2, 5)):
            if returns and pad != "    " and self.chance(0.03):
                self.say(pad, f"return ({self.integer(names)}) % 100003")
                return
            self.random.choice(plain + nested * (depth > 0))(names, pad, depth, returns)

    def _assign(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        kind = self.one_of("i", "i", "P", "Q", "t", "b")
        own = names[kind]
        name = self.one_of(*own) if own and self.chance(0.6) else self.fresh()
        self.say(pad, f"{name} = {self.value(names, kind)}")
        if name not in own:
            own.append(name)

    def _augmented(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        name = self.one_of(*names["i"])
        self.say(pad, f"{name} {self.one_of('+=', '-=', '^=')} {self.integer(names, 2)}")
        self.say(pad, f"{name} %= 30011")

    def _swapped(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        if len(names["i"]) > 1:
            one, other = self.random.sample(names["i"], 2)
            self.say(pad, f"{one}, {other} = {other}, {one}")

    def _unpacked(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        one, other = self.fresh(), self.fresh()
        self.say(pad, f"{one}, {other} = {self.one_of(*names['t'], self.value(names, 't'))}")
        names["i"] += [one, other]

    def _walrus(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        name = self.fresh()
        changed = self.one_of(*names["i"])
        self.say(pad, f"{changed} += ({name} := {self.integer(names, 1)}) * 3")
        self.say(pad, f"{changed} %= 30011")
        names["i"].append(name)

    def _function(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        name, inside = self.fresh(), {**names, "fn": []}
        own = {**inside, "i": [*names["i"], f"z{name}", "w"]}
        if self.chance(0.5):
            self.say(pad, f"{name} = lambda z{name}, w=({self.integer(inside, 1)}): (z{name} + {self.integer(own, 1)} - w) % 997")
        else:
            self.say(pad, f"def {name}(z{name}, w={self.random.randint(-5, 5)}):")
            self.say(pad, f"    own = {self.pair(own)}")
            self.say(pad, f"    return ({self.integer({**own, 'P': [*own['P'], 'own']}, 2)} + w) % 991")
        if pad == "    ":
            names["fn"].append(name)

    def _if(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        self.say(pad, f"if {self.truth(names)}:")
        self.statements(names, pad + "    ", depth - 1, returns=returns)
        for head, part in ((f"elif {self.truth(names)}:", 0.3), ("else:", 0.6)):
            if self.chance(part):
                self.say(pad, head)
                self.statements(names, pad + "    ", depth - 1, returns=returns)

    def _for(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        name, number = self.fresh(), self.integer(names, 1)
        items = self.one_of(
            f"range({self.random.randint(0, 5)})",
            f"range(({number}) % 6)",
            f"range({self.random.randint(0, 4)}, {self.random.randint(-6, 9)}, {self.one_of('1', '2', '-1')})",
            f"unroll(range({self.random.randint(0, 4)}))",
            f"unroll(range(({number}) % 7), {self.one_of('2', '3', '4')})",
            f"reversed(range(({number}) % 5))",
            f"({number}, {self.integer(names, 1)}, 2)",
        )
        self.say(pad, f"for {name} in {items}:")
        self.statements({**names, "i": [*names["i"], name]}, pad + "    ", depth - 1, returns=returns)
        if self.chance(0.4):
            self.say(pad, f"    if {self.truth(names)}:")
            self.say(pad, f"        {self.one_of('break', 'continue')}")
        if self.chance(0.25):
            self.say(pad, "else:")
            self.statements(names, pad + "    ", depth - 1, returns=returns, count=1)

    def _while(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        name = self.fresh()
        self.say(pad, f"{name} = {self.random.randint(1, 6)}")
        self.say(pad, f"while {name} > 0 and {self.truth(names, 1)}:")
        self.say(pad, f"    {name} -= 1")
        self.statements(names, pad + "    ", depth - 1, returns=returns)

    def _match(self, names: Names, pad: str, depth: int, returns: bool) -> None:
        one, other = self.fresh(), self.fresh()
        subject, cases = self.random.choice(
            [
                (
                    f"({self.integer(names, 1)}) % 4, {self.truth(names, 1)}",
                    {
                        "(0, True)": {},
                        f"(1 | 2, {one})": {"b": one},
                        f"({other}, False)": {"i": other},
                        f"(0 | 1 as {other}, _)": {"i": other},
                    },
                ),
                (
                    self.pair(names),
                    {
                        "P(0, 0)": {},
                        f"P({one}, c=C.R | C.G)": {"i": one},
                        f"P(x={one}, y=1 | 2)": {"i": one},
                        f"P(_, {other}, C.B)": {"i": other},
                    },
                ),
                (self.member(names), {"C.R": {}, "C.G | C.B": {}}),
            ]
        )
        self.say(pad, f"match {subject}:")
        for pattern, captured in cases.items():
            inside: dict[str, Any] = {kind: [*own, *([captured[kind]] if kind in captured else [])] for kind, own in names.items()}
            guard = f" if {self.truth(inside, 1)}" if self.chance(0.3) else ""
            self.say(pad, f"    case {pattern}{guard}:")
            self.statements(inside, pad + "        ", depth - 1, returns=returns, count=2)
        self.say(pad, "    case _:")
        self.statements(names, pad + "        ", depth - 1, returns=returns, count=2)
