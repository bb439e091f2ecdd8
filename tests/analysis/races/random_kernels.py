"""Random small kernels with shared and global memory, barriers, loops and early exits, as text; and random launches of them."""

from __future__ import annotations

import random

from oxidepy.ir.core import Module
from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import verify

from .dynamic import Run

HEAD = """kernel @k(
  %w: mem<i32, global, shared> = memory "w",
  %w.len: i32 = length "w",
  %y: mem<i32, global, exclusive> = memory "y",
  %y.len: i32 = length "y",
  %n: i32 = scalar "n",
  %m: i32 = scalar "m"
) domain FACTS coordinates i32 {
  %t = intrinsic "thread.idx.x" : i32
  %u = intrinsic "thread.idx.y" : i32
  %b = intrinsic "block.idx.x" : i32
  %g = intrinsic "thread.global_id.x" : i32
  %lane = intrinsic "warp.lane" : i32
  %s = alloc "s" [align = 16, count = LENGTH] : mem<i32, shared, exclusive>
  %r = alloc "r" [align = 16, count = LENGTH] : mem<i32, shared, exclusive>
  %c16 = const LENGTH : i32
  %full = const 4294967295 : u32
"""
SHAPES = ("1 block 4x1x1", "1 block 4x1x1", "1 block 8x1x1", "2 block 4x2x1", "1 block 2x1x1", "1 block 3x1x1", "1 block 34x1x1")


class Maker:
    head, shapes = HEAD, SHAPES

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.indent = "  "
        self.scopes = 0
        self.warps = False  # more than one warp a block
        self.divergent = 0  # how many conditions around differ between threads

    def module(self) -> tuple[Module, str]:
        shape = self.random.choice(self.shapes)
        self.warps = shape.startswith("1 block 34")
        self.statements(["%t", "%t", "%t", "%u", "%b", "%g", "%n", "%lane"], self.random.randint(2, 6), 2, ["%n", "%m"])
        text = self.head.replace("FACTS", shape).replace("LENGTH", "64" if self.warps else "16") + "\n".join(self.lines) + "\n  return\n}\n"
        module = parse_module(text)
        verify(module)
        return module, text

    def emit(self, text: str, type_: str = "i32") -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{self.indent}{name} = {text} : {type_}")
        return name

    def const(self, value: int) -> str:
        return self.emit(f"const {value}")

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    # ---- values

    def value(self, values: list[str], depth: int = 2) -> str:
        pick = self.random.random()
        if depth == 0 or pick < 0.3:
            return self.random.choice(values)
        one = self.value(values, depth - 1)
        if pick < 0.55:
            return self.emit(f"{self.random.choice(('add', 'sub', 'add'))} {one}, {self.const(self.random.choice((1, 1, 2, 3, 4, 8)))}")
        if pick < 0.7:
            return self.emit(f"mul {one}, {self.const(self.random.choice((2, 3, 4)))}")
        if pick < 0.8:
            return self.emit(f"{self.random.choice(('floordiv', 'mod', 'mod'))} {one}, {self.const(self.random.choice((2, 3, 4, 8, 16)))}")
        if pick < 0.9:
            return self.emit(
                f"{self.random.choice(('xor', 'and', 'or', 'shl', 'shr'))} {one}, {self.const(self.random.choice((1, 2, 3, 4)))}"
            )
        other = self.value(values, depth - 1)
        if pick < 0.95:
            return self.emit(f"{self.random.choice(('add', 'min', 'max', 'xor', 'sub'))} {one}, {other}")
        return self.emit(f"select {self.condition(values, 0)}, {one}, {other}")

    def parts(self) -> str:
        """What sorts and transforms do: segments of a size that the launch says, bits in reverse, a partner by xor."""
        base, pick = self.random.choice(("%t", "%t", "%g")), self.random.random()
        if pick < 0.5:
            size = self.random.choice(("%n", "%m"))
            good = self.emit(f"gt {size}, {self.const(0)}", "bool")
            self.line(f'check "OX7002" {good} [message = "m"]')
            wide = self.emit(f"mul {size}, {self.const(self.random.choice((1, 2, 2, 2, 3, 4)))}")
            first = self.emit(f"mul {self.emit(f'floordiv {base}, {size}')}, {wide}")
            found = self.emit(f"add {first}, {self.emit(f'mod {base}, {size}')}")
            return self.emit(f"add {found}, {size}") if self.random.random() < 0.4 else found
        if pick < 0.75:
            turned = self.emit(f"brev {self.emit(f'cast {base}', 'u32')}", "u32")
            count = self.emit(f"const {32 - self.random.choice((1, 2, 3, 4, 5))}", "u32")
            return self.emit(f"cast {self.emit(f'shr {turned}, {count}', 'u32')}")
        return self.emit(f"xor {base}, {self.random.choice(('%n', '%m', self.const(1)))}")

    def index(self, values: list[str]) -> str:
        if self.random.random() < 0.15:
            return self.parts()
        pick = self.random.random()
        if pick < 0.4:
            return self.random.choice(("%t", "%t", "%g"))
        if pick < 0.5:
            return self.emit(f"sub {self.const(self.random.choice((3, 7, 15)))}, %t")
        if pick < 0.6:
            return self.emit(f"add %t, {self.random.choice(values)}")
        if pick < 0.7:
            row = self.emit(f"mul %u, {self.const(4)}")
            return self.emit(f"add {row}, %t")
        return self.value(values)

    def condition(self, values: list[str], depth: int = 1) -> str:
        name = self.random.choice(("lt", "lt", "le", "eq", "ne", "gt", "ge"))
        one = self.random.choice(("%t", self.value(values, 1)))
        two = self.const(self.random.choice((0, 1, 2, 3, 4))) if self.random.random() < 0.7 else self.value(values, 0)
        found = self.emit(f"{name} {one}, {two}", "bool")
        if depth and self.random.random() < 0.2:
            return self.emit(f"{self.random.choice(('and', 'or'))} {found}, {self.condition(values, 0)}", "bool")
        return found

    # ---- statements

    def exchange(self) -> None:
        """Lanes read what others wrote, of their own warp or not."""
        memory = self.random.choice(("%s", "%r"))
        self.line(f"store {memory}, %t, %t [offset = 0]")
        self.line('intrinsic "warp.sync" %full')
        index = self.random.choice((self.emit(f"xor %t, {self.const(self.random.choice((1, 2)))}"), self.emit(f"sub {self.const(33)}, %t")))
        self.emit(f"load {memory}, {index} [offset = 0]")
        self.line(self.random.choice(('intrinsic "warp.sync" %full', 'intrinsic "block.sync"')))

    def statements(self, values: list[str], count: int, depth: int, uniform: list[str]) -> None:
        values = list(values)
        for _ in range(count):
            pick = self.random.random()
            if self.warps and not self.divergent and self.random.random() < 0.2:
                self.exchange()
            elif pick < 0.3 and not self.divergent:
                self.line(
                    self.random.choice(
                        ('intrinsic "block.sync"',) * (2 if self.warps else 6) + ('intrinsic "warp.sync" %full', 'intrinsic "grid.sync"')
                    )
                )
            elif pick < 0.7 or depth == 0:
                self.touch(values)
            elif pick < 0.8:
                self.branch(values, depth, uniform)
            elif pick < 0.94:
                self.loop(values, depth, uniform)
            else:
                self.early(values, depth, uniform)

    def swap(self) -> None:
        """The lower of two partners exchanges what both have, or the one that should not."""
        base, memory = self.random.choice(("%t", "%g")), self.random.choice(("%s", "%y"))
        other = self.emit(f"xor {base}, {self.random.choice(('%n', '%m', self.const(self.random.choice((1, 2, 3)))))}")
        name = self.random.choice(("gt", "gt", "ge", "ne"))
        self.line(f"if {self.emit(f'{name} {other}, {base}', 'bool')} {{")
        self.indent += "  "
        for at in (base, other):
            length = {"%y": "%y.len"}.get(memory, "%c16")
            self.line(f'check "OX7001" {self.emit(f"inbounds {at}, {length}", "bool")}, {at}, {length} [message = "m"]')
        one, two = (self.emit(f"load {memory}, {at} [offset = 0]") for at in (base, other))
        self.line(f"store {memory}, {base}, {two} [offset = 0]")
        if self.random.random() < 0.8:
            self.line(f"store {memory}, {other}, {one} [offset = 0]")
        self.line("yield")
        self.indent = self.indent[:-2]
        self.line("} else {\n    yield\n  }")

    def touch(self, values: list[str]) -> None:
        if self.random.random() < 0.06:
            self.swap()
            return
        index = self.index(values)
        memory = self.random.choice(("%s", "%s", "%s", "%r", "%y", "%w"))
        length = {"%y": "%y.len", "%w": "%w.len"}.get(memory, "%c16")
        inside = self.emit(f"inbounds {index}, {length}", "bool")
        self.line(f'check "OX7001" {inside}, {index}, {length} [message = "m"]')
        pick = self.random.random()
        if memory == "%w" or pick < 0.45:
            loaded = self.emit(f"load {memory}, {index} [offset = 0]")
            if self.random.random() < 0.3:
                values.append(loaded)
        elif pick < 0.9:
            self.line(f"store {memory}, {index}, {self.random.choice(values)} [offset = 0]")
        else:
            scope = self.random.choice(("block", "device"))
            self.emit(f'atomic "add" {memory}, {index}, {self.random.choice(values)} [offset = 0, order = "relaxed", scope = "{scope}"]')

    def inner(self, values: list[str], depth: int, uniform: list[str]) -> None:
        before, self.indent = self.indent, self.indent + "  "
        self.statements(values, self.random.randint(1, 3), depth - 1, uniform)
        self.indent = before

    def branch(self, values: list[str], depth: int, uniform: list[str]) -> None:
        even = self.random.random() < 0.4
        cond = self.condition(uniform, 0).replace("%t", "%n") if even else self.condition(values)
        if even:  # of launch values alone, so that barriers may stand inside
            cond = self.emit(f"lt {self.random.choice(uniform)}, {self.const(self.random.choice((0, 1, 2, 3)))}", "bool")
        self.divergent += not even
        self.line(f"if {cond} {{")
        self.inner(values, depth, uniform)
        self.line("  yield")
        self.line("} else {")
        if self.random.random() < 0.4:
            self.inner(values, depth, uniform)
        self.line("  yield")
        self.line("}")
        self.divergent -= not even

    def staged(self, values: list[str], uniform: list[str]) -> None:
        """What is written in a round is read behind a barrier, perhaps in time before the next round, perhaps in buffers that take turns."""
        self.count += 1
        name, cur = f"%l{self.count}", f"%k{self.count}"
        zero, one, two = self.const(0), self.const(1), self.const(2)
        self.line(
            f"%o{name[2:]} = for {zero}, {self.random.choice(('%n', '%m'))}, {one}, {zero} [positive = true] : i32 ({name}: i32, {cur}: i32) {{"
        )
        self.indent += "  "
        memory, start = self.random.choice(("%s", "%r")), zero
        if self.random.random() < 0.5:
            turn = self.random.choice((cur, cur, self.emit(f"mod {name}, {two}")))
            start = self.emit(f"mul {turn}, {self.const(self.random.choice((4, 8)))}")
        barriers = [self.random.random() < chance for chance in (0.2, 0.9, 0.5)]
        for number, kind in enumerate(("", "store", "load")):
            if kind:
                at = self.random.choice(("%t", "%t", self.emit(f"sub {self.const(3)}, %t"), self.emit(f"xor %t, {one}")))
                index = self.emit(f"add {start}, {at}")
                inside = self.emit(f"inbounds {index}, %c16", "bool")
                self.line(f'check "OX7001" {inside}, {index}, %c16 [message = "m"]')
                if kind == "load":
                    self.emit(f"load {memory}, {index} [offset = 0]")
                else:
                    self.line(f"store {memory}, {index}, %t [offset = 0]")
            if barriers[number] and self.random.random() < 0.2:
                self.line(f"if {self.emit(f'lt {self.random.choice((name, cur))}, {one}', 'bool')} {{")
                self.line('  intrinsic "block.sync"\n  yield\n} else {\n  yield\n}')
            elif barriers[number]:
                self.line('intrinsic "block.sync"')
        new = self.emit(self.random.choice((f"sub {one}, {cur}", f"xor {cur}, {one}", f"sub {one}, {cur}", f"add {cur}, {one}")))
        self.line(f"yield {new}")
        self.indent = self.indent[:-2]
        self.line("}")

    def loop(self, values: list[str], depth: int, uniform: list[str]) -> None:
        if not self.divergent and self.random.random() < 0.4:
            self.staged(values, uniform)
            return
        pick = self.random.random()
        zero, one = self.const(0), self.const(1)
        self.count += 1
        name = f"%l{self.count}"
        if pick < 0.35:  # a known number of rounds
            stop = self.const(self.random.choice((2, 3, 4)))
            self.line(f"for {zero}, {stop}, {one} [positive = true] ({name}: i32) {{")
            self.inner([*values, name, name], depth, [*uniform, name])
            self.line("  yield")
        elif pick < 0.6:  # as many as the launch says, with a value that goes from round to round
            start = self.const(self.random.choice((0, 1)))
            self.line(
                f"%o{name[1:]} = for {zero}, {self.random.choice(uniform)}, {one}, {start} [positive = true] : i32 ({name}: i32, %k{name[1:]}: i32) {{"
            )
            carried = f"%k{name[1:]}"
            self.inner([*values, name, carried, carried], depth, [*uniform, name, carried])
            self.indent += "  "
            kind = self.random.choice(("sub %c1, %k", "add %k, %c2", "xor %k, %c1", "mul %k, %c2"))
            pair = {"%c1": self.const(1), "%c2": self.const(2), "%k": carried}
            name_, first, second = kind.replace(",", "").split()
            new = self.emit(f"{name_} {pair[first]}, {pair[second]}")
            self.indent = self.indent[:-2]
            self.line(f"  yield {new}")
        elif pick < 0.8:  # halving steps
            start = self.const(self.random.choice((1, 2, 4)))
            body = f"%h{name[1:]}"
            self.line(f"%o{name[1:]} = while {start} : i32 ({name}: i32) {{")
            self.indent += "  "
            self.line(f"condition {self.emit(f'gt {name}, {zero}', 'bool')}, {name}")
            self.indent = self.indent[:-2]
            self.line(f"}} do ({body}: i32) {{")
            self.inner([*values, body, body], depth, [*uniform, body])
            self.indent += "  "
            new = self.emit(f"floordiv {body}, {self.const(2)}")
            self.indent = self.indent[:-2]
            self.line(f"  yield {new}")
        else:  # each thread its own number of rounds
            self.divergent += 1
            self.line(
                f"for {self.random.choice(('%t', zero))}, {self.random.choice(('%n', '%t'))}, {self.const(self.random.choice((1, 2, 4)))} [positive = true] ({name}: i32) {{"
            )
            self.inner([*values, name, name], depth, uniform)
            self.line("  yield")
            self.divergent -= 1
        self.line("}")

    def early(self, values: list[str], depth: int, uniform: list[str]) -> None:
        """A scope that threads leave early, all or some of them; with a loop in it, a `break`."""
        self.scopes += 1
        label, even, repeated = f"e{self.scopes}", self.random.random() < 0.5, self.random.random() < 0.5
        self.line(f'scope "{label}" {{')
        self.indent += "  "
        self.divergent += not even
        if repeated:
            self.count += 1
            name = f"%l{self.count}"
            zero, one, stop = self.const(0), self.const(1), self.random.choice((self.const(3), "%n"))
            self.line(f"for {zero}, {stop}, {one} [positive = true] ({name}: i32) {{")
            self.indent += "  "
            values, uniform = [*values, name], [*uniform, name]
        if even:
            cond = self.emit(f"eq {self.random.choice(uniform)}, {self.const(self.random.choice((0, 1, 2)))}", "bool")
        else:
            cond = self.condition(values)
        if self.random.random() < 0.5:
            self.inner(values, depth, uniform)
        self.line(f"if {cond} {{")
        self.inner(values, depth, uniform)
        self.line(f'  leave "{label}"')
        self.line("} else {")
        self.line("  yield")
        self.line("}")
        self.inner(values, depth, uniform)
        self.line("yield")
        if repeated:
            self.indent = self.indent[:-2]
            self.line("}")
            self.line("yield")
        self.divergent -= not even
        self.indent = self.indent[:-2]
        self.line("}")


def launches(module: Module, seed: int, count: int) -> list[Run]:
    """Random launches: small grids, lengths, scalars and contents."""
    source = random.Random(seed)
    found: list[Run] = []
    for _ in range(count):
        length = source.choice((5, 16, 40))
        arrays = {"w": [source.randint(-1, 12) for _ in range(source.choice((8, 40)))], "y": [0] * length}
        scalars = {"n": source.choice((-1, 0, 1, 2, 3, 4)), "m": source.choice((0, 1, 2, 3))}
        found.append(Run(module, (source.choice((1, 2, 3)), source.choice((1, 2)) if module.kernel.domain > 1 else 1, 1), arrays, scalars))
    return found
