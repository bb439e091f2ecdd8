"""Random kernels: statements, helpers, whole modules of the kernel language, as source text."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from fuzz.expressions import Expressions, Helper, Scope
from fuzz.types import FLOATS, INTS, NUMBERS, TYPES, Param, literal

HEADER = """\
from oxidepy import DisjointSlice, Slice, bf16, block, f16, f32, f64, grid, i8, i16, i32, i64, kernel, launch_contract, math, struct, thread
from oxidepy import SliceMut, u8, u16, u32, u64, unroll, unsafe

"""


@dataclass(frozen=True)
class Generated:
    """A module of source text and the kernels in it, by name with their parameters."""

    source: str
    kernels: tuple[tuple[str, tuple[Param, ...]], ...]


class Generator(Expressions):
    """Makes one module. The same random numbers give the same text."""

    def __init__(self, rng: random.Random, panics: bool = True) -> None:
        super().__init__(rng)
        self.names = 0
        self.panics = panics
        self.helpers: list[Helper] = []
        self.structs: dict[str, dict[str, str]] = {}
        self.gathers: dict[str, str] = {}  # element type → helper

    def fresh(self, prefix: str = "v") -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def module(self, kernels: int) -> Generated:
        parts = [self.struct() for _ in range(2)] + [self.gatherer(one) for one in self.rng.sample(TYPES, 5)]
        parts += [self.helper() for _ in range(max(3, kernels // 4))]
        made: list[tuple[str, tuple[Param, ...]]] = []
        for number in range(kernels):
            text, params = self.kernel(f"k{number}")
            parts.append(text)
            made.append((f"k{number}", params))
        source = "import dataclasses\n\n" + HEADER + "\n\n" + "\n\n".join(parts)
        return Generated(source, tuple(made))

    def struct(self) -> str:
        name = self.fresh("S")
        fields = {f"m{number}": self.rng.choice(TYPES) for number in range(self.rng.randrange(1, 4))}
        self.structs[name] = fields
        lines = ["@struct", "@dataclasses.dataclass(frozen=True)", f"class {name}:", *(f"    {key}: {of}" for key, of in fields.items())]
        return "\n".join(lines) + "\n"

    def gatherer(self, type_: str) -> str:
        name = self.gathers[type_] = self.fresh("g")
        other = self.rng.choice(("i % len(x)", "(i + 1) % len(x)", "len(x) - 1"))
        guard = self.rng.choice(("i >= 0 and i < len(x)", "0 <= i < len(x)"))
        return f"""\
def {name}(x: Slice[{type_}], i: i32) -> tuple[{type_}, bool]:
    inside = {guard}
    if inside:
        return x[i], inside
    return x[{other}], False
"""

    def helper(self) -> str:
        """A function of scalars; with an early return in half of them."""
        args = tuple(self.rng.choice(TYPES) for _ in range(self.rng.randrange(1, 4)))
        result = self.rng.choice(NUMBERS)
        names = [self.fresh("a") for _ in args]
        scope = Scope(variables=dict(zip(names, args, strict=True)), helpers=tuple(self.helpers), structs=self.structs, in_kernel=False)
        name = self.fresh("h")
        signature = ", ".join(f"{one}: {type_}" for one, type_ in zip(names, args, strict=True))
        default = self.chance(0.3)
        signature += f" = {literal(self.rng, args[-1])}" if default else ""
        lines = [f"def {name}({signature}) -> {result}:"]
        lines += self.assignments(scope, "    ")
        if self.chance(0.5):
            lines.append(f"    if {self.condition(scope, 2)}:")
            lines.append(f"        return {self.typed(scope, result, 1)}")
        if self.chance(0.3):
            lines += self.loop(scope, "    ", 1)
        lines.append(f"    return {self.typed(scope, result, 2)}")
        self.helpers.append(Helper(name, args, result, tuple(names), default))
        return "\n".join(lines) + "\n"

    def kernel(self, name: str) -> tuple[str, tuple[Param, ...]]:
        params = [Param(f"s{number}", "slice", self.rng.choice(TYPES)) for number in range(self.rng.randrange(1, 4))]
        params += [Param(f"c{number}", "scalar", self.rng.choice(TYPES)) for number in range(self.rng.randrange(0, 3))]
        if self.chance(0.3):
            params.append(Param("r0", self.rng.choice(("record", "records")), self.rng.choice(sorted(self.structs))))
        if self.chance(0.2):
            params.append(Param("m0", "mut", self.rng.choice(TYPES)))
        outs = [Param(f"o{number}", "out", self.rng.choice(TYPES)) for number in range(self.rng.choice((1, 1, 2)))]
        everything = (*params, *outs)
        scope = Scope(everything, {}, tuple(outs), tuple(self.helpers), self.structs, panics=self.panics and self.chance(0.3))
        scope.bind = lambda: self.fresh("w")
        lines = ["@kernel", "@launch_contract(domain=1, block=(32, 1, 1))"]
        lines.append(f"def {name}({', '.join(f'{one.name}: {one.annotation}' for one in everything)}) -> None:")
        lines.append("    idx = thread.index_1d()")
        test = " and ".join(f"idx in {one.name}" for one in outs)
        if self.chance(0.5) and len(outs) == 1:
            lines += [f"    if idx not in {outs[0].name}:", "        return"]
            lines += self.body(scope, "    ", 3)
        else:
            lines.append(f"    if {test}:")
            lines += self.body(scope, "        ", 3)
        return "\n".join(lines) + "\n", everything

    # ---- statements

    def body(self, scope: Scope, indent: str, depth: int) -> list[str]:
        """A block of the kernel that ends by writing every output."""
        lines = self.assignments(scope, indent)
        for _ in range(self.rng.randrange(1, 4)):
            lines += self.statement(scope, indent, depth, "")
        for out in scope.guarded:
            lines.append(f"{indent}{out.name}[idx] = {self.loose(scope, out.type, 2)}")
        return lines

    def assignments(self, scope: Scope, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randrange(1, 4)):
            lines += self.bind(scope, indent, 0, "")
        return lines

    def statement(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        """One statement; `loop` is "for" or "while" inside of a loop."""
        makers = [self.bind, self.rebind, self.rebind, self.augment, self.adopt]
        if depth > 0:
            makers += [self.branch, self.branch, lambda *rest: self.loop(*rest[:3]), self.match, self.unrolled]
        if scope.in_kernel:
            makers += [self.store, self.give_up, self.gather]
            makers += [self.change] * sum(one.kind == "mut" for one in scope.params)
        if loop:
            makers += [self.give_up] * 2
        return self.rng.choice(makers)(scope, indent, depth, loop)

    def bind(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        kind = self.rng.random()
        if kind < 0.1 and self.structs:
            struct, fields = self.rng.choice(sorted(self.structs.items()))
            name = self.fresh()
            line = f"{indent}{name} = {struct}({', '.join(self.typed(scope, one, 1) for one in fields.values())})"
            scope.variables[name] = struct
            return [line]
        if kind < 0.2:
            types = [self.rng.choice(TYPES) for _ in range(2)]
            names = [self.fresh() for _ in types]
            line = f"{indent}{', '.join(names)} = {', '.join(self.typed(scope, one, 1) for one in types)}"
            scope.variables.update(zip(names, types, strict=True))
            return [line]
        name, type_ = self.fresh(), self.rng.choice(TYPES)
        line = f"{indent}{name} = {self.typed(scope, type_, self.rng.choice((1, 2, 3)))}"
        scope.variables[name] = type_
        return [line]

    def rebind(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        names = [name for name, type_ in scope.variables.items() if type_ in TYPES and not name.startswith("n")]
        if not names:
            return self.bind(scope, indent, depth, loop)
        name = self.rng.choice(names)
        return [f"{indent}{name} = {self.typed(scope, scope.variables[name], self.rng.choice((1, 2, 3)))}"]

    def adopt(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        """A name bound to a bare literal that takes the type of what it meets at the end of a branch or of a loop's round."""
        name, type_ = self.fresh(), self.rng.choice(NUMBERS)
        start = literal(self.rng, type_)
        if (type_ in FLOATS and not start.strip("(-)").isdigit()) or self.chance(0.3):
            lines = [f"{indent}if {self.unknown(scope)}:", f"{indent}    {name} = {start}"]
            lines += [f"{indent}else:", f"{indent}    {name} = {self.typed(scope, type_, 1)}"]
        else:
            lines = [f"{indent}{name} = {start}", f"{indent}for {self.fresh('n')} in range({self.rng.randrange(1, 4)}):"]
            lines.append(f"{indent}    {name} = {name} + {self.typed(scope, type_, 1)}")
        scope.variables[name] = type_
        return lines

    def augment(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        names = [name for name, type_ in scope.variables.items() if type_ in NUMBERS and not name.startswith("n")]
        names += [f"{one.name}[idx]" for one in scope.guarded if one.type in NUMBERS and scope.in_kernel]
        if not names:
            return self.bind(scope, indent, depth, loop)
        name = self.rng.choice(names)
        type_ = scope.variables.get(name) or next(one.type for one in scope.guarded if name.startswith(f"{one.name}["))
        operator = self.rng.choice(("+=", "-=", "*=", "^=", "|=", "&=", "<<=", ">>=") if type_ in INTS else ("+=", "-=", "*=", "/="))
        value = self.loose(scope, type_, 2)
        if type_ not in INTS and operator in ("+=", "-=") and self.chance(0.5):
            value = f"{self.typed(scope, type_, 1)} * {self.loose(scope, type_, 1)}"
        return [f"{indent}{name} {operator} {value}"]

    def store(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        out = self.rng.choice(scope.guarded)
        value = self.loose(scope, out.type, 2)
        if self.chance(0.2):
            cell = self.fresh("cell")
            return [f"{indent}if ({cell} := {out.name}.get_mut(idx)) is not None:", f"{indent}    {cell}.value = {value}"]
        return [f"{indent}{out.name}[idx] = {value}"]

    def change(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        """Write the thread's own element of a SliceMut."""
        param = next(one for one in scope.params if one.kind == "mut")
        write = f"{param.name}[idx.get()] = {self.loose(scope, param.type, 2)}"
        return [f"{indent}with unsafe('every thread has its own element'):", f"{indent}    {write}"]

    def gather(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        """A helper that takes a slice and gives a tuple."""
        slices = [one for one in scope.params if one.kind == "slice" and one.type in self.gathers]
        if not slices:
            return self.bind(scope, indent, depth, loop)
        param, names = self.rng.choice(slices), [self.fresh(), self.fresh()]
        index = f"idx.get() {self.rng.choice('+-^')} {self.leaf(scope, 'i32')}"
        scope.variables.update(zip(names, (param.type, "bool"), strict=True))
        return [f"{indent}{', '.join(names)} = {self.gathers[param.type]}({param.name}, {index})"]

    def give_up(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        """Something that ends the thread's work early: return, a failed assert, break, continue."""
        choices = ["return"] if scope.in_kernel else []
        choices += [f"assert {self.condition(scope, 1)}, 'told so'"] if scope.panics else []
        if loop:
            choices += ["break", "continue"] * 3
        action = self.rng.choice(choices)
        if action.startswith("assert"):
            return [indent + action]
        return [f"{indent}if {self.condition(scope, 2)}:", f"{indent}    {action}"]

    def block(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        inner = scope.inner()
        lines: list[str] = []
        for _ in range(self.rng.randrange(1, 4)):
            lines += self.statement(inner, indent + "    ", depth - 1, loop)
        return lines

    def branch(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        lines = [f"{indent}if {self.condition(scope, 2)}:", *self.block(scope, indent, depth, loop)]
        if self.chance(0.3):
            lines += [f"{indent}elif {self.condition(scope, 1)}:", *self.block(scope, indent, depth, loop)]
        if self.chance(0.6):
            lines += [f"{indent}else:", *self.block(scope, indent, depth, loop)]
        return lines

    def match(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        type_ = self.rng.choice(INTS)
        lines = [f"{indent}match {self.typed(scope, type_, 1)} & 7:"]
        for pattern in self.rng.sample(("0", "1", "2 | 3", "4", "5 | 6 | 7"), self.rng.randrange(1, 4)):
            lines += [f"{indent}    case {pattern}:", *self.block(scope, indent + "    ", depth, loop)]
        if self.chance(0.5):
            lines += [f"{indent}    case _:", *self.block(scope, indent + "    ", depth, loop)]
        return lines

    def unrolled(self, scope: Scope, indent: str, depth: int, loop: str) -> list[str]:
        """Written out rounds, whose variable is a literal."""
        name, type_ = self.fresh("n"), self.rng.choice(NUMBERS)
        targets = [one for one, of in scope.variables.items() if of == type_ and not one.startswith("n")]
        if not targets:
            return self.bind(scope, indent, depth, loop)
        target = self.rng.choice(targets)
        return [
            f"{indent}for {name} in unroll({self.rng.choice(('range(3)', '(1, 5, 2)', 'range(4, 0, -2)'))}):",
            f"{indent}    {target} = {target} {self.rng.choice(('+', '-', '*'))} {name}",
            f"{indent}    {target} += {self.typed(scope, type_, 1)}",
        ]

    def loop(self, scope: Scope, indent: str, depth: int) -> list[str]:
        inner = scope.inner()
        count = self.fresh("n")
        if self.chance(0.6):
            type_, bounds = self.range(scope)
            inner.variables[count] = type_
            head = [f"{indent}for {count} in range({bounds}):"]
            return head + self.block(inner, indent, depth, "for")
        inner.variables[count] = "i32"
        limit = self.rng.randrange(1, 6)
        head = [f"{indent}{count} = i32(0)", f"{indent}while {count} < {limit} and {self.condition(inner, 1)}:"]
        head.append(f"{indent}    {count} += 1")
        scope.variables[count] = "i32"
        return head + self.block(inner, indent, depth, "while")

    def range(self, scope: Scope) -> tuple[str, str]:
        """Arguments of a range of few rounds, and the type of its variable."""
        type_ = self.rng.choice(INTS)
        few = f"({self.typed(scope, type_, 1)} & 3)"
        kind = self.rng.random()
        if kind < 0.4:
            return "i32", str(self.rng.randrange(1, 6))
        if kind < 0.7:
            return type_, few
        if kind < 0.85 and type_.startswith("i"):
            return type_, f"{few}, {self.rng.choice(('-3', '0', '-1'))}, -1"
        return type_, f"{type_}({self.rng.choice(('0', '1', '5'))}), {few} + 4, {self.rng.choice(('1', '2', '3', '127'))}"


def generate(rng: random.Random, kernels: int, panics: bool = True) -> Generated:
    """A module of random kernels."""
    made = Generator(rng, panics).module(kernels)
    return replace(made)
