"""Random kernels with barriers, warp operations, scratch memory and checks in nested control flow, as text; they have no races."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

BLOCK, WARP, LANE = 2, 1, 0
BINARY = ("add", "sub", "mul", "xor", "and", "or", "min", "max")
SHUFFLES = ("warp.shuffle", "warp.shuffle_xor", "warp.shuffle_down", "warp.shuffle_up")


@dataclass
class Program:
    """Grows the body of one kernel. Values are i32; `uniform` ones are equal in the block."""

    seed: int
    threads: int = 64
    checks: bool = True
    lines: list[str] = field(default_factory=list[str])
    values: list[str] = field(default_factory=list[str])
    uniform: list[str] = field(default_factory=list[str])
    count: int = 0
    scopes: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])  # label, level of its control, results

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    # ---- writing

    def name(self) -> str:
        self.count += 1
        return f"%n{self.count}"

    def put(self, text: str) -> None:
        self.lines.append(text)

    def new(self, text: str, uniform: bool = False) -> str:
        name = self.name()
        self.put(f"{name} = {text} : i32")
        (self.uniform if uniform else self.values).append(name)
        return name

    def some(self) -> str:
        return self.random.choice(self.values[-8:] if self.random.random() < 0.7 and self.values else self.values + self.uniform)

    def flag(self, uniform: bool = False, sides: tuple[str, str] | None = None) -> str:
        a, b = sides or ((self.random.choice(self.uniform), self.random.choice(self.uniform)) if uniform else (self.some(), self.some()))
        name = self.name()
        self.put(f"{name} = {self.random.choice(('lt', 'ge', 'ne', 'gt'))} {a}, {b} : bool")
        return name

    def constant(self, number: int) -> str:
        name = self.name()
        self.put(f"{name} = const {number} : i32")
        return name

    def inside(self, value: str, size: int) -> str:
        """The value brought into [0, size)."""
        name = self.name()
        limit = self.constant(size)
        self.put(f"{name} = mod {value}, {limit} : i32")
        return name

    # ---- statements

    def statements(self, level: int, depth: int, most: int = 6) -> None:
        for _ in range(self.random.randint(1, most)):
            plain = [self.arithmetic, self.arithmetic, self.load, self.local]
            if self.checks:
                plain.append(self.check)
            if level == BLOCK:
                plain += [self.shared, self.shared, self.block_vote, self.shared_atomic]
            nested = [self.branch, self.branch, self.loop, self.while_loop, self.scope, self.stride_loop] if depth < 3 else []
            number = self.random.randrange(len(plain) + 3 + len(nested))
            if number < len(plain):
                plain[number]()
            elif number < len(plain) + 3:
                (self.exchange, self.exchange, self.vote)[number - len(plain)](level)
            else:
                nested[number - len(plain) - 3](level, depth)

    def arithmetic(self) -> None:
        uniform = self.random.random() < 0.3
        a, b = (self.random.choice(self.uniform) if uniform else self.some() for _ in range(2))
        self.new(f"{self.random.choice(BINARY)} {a}, {b}", uniform)

    def load(self) -> None:
        at = self.inside(self.some(), 2 * self.threads)
        self.new(f"load %x, {at} [offset = 0]")

    def local(self) -> None:
        at = self.inside(self.some(), 4)
        if self.random.random() < 0.5:
            self.put(f"store %l, {at}, {self.some()} [offset = 0]")
        else:
            self.new(f"load %l, {at} [offset = 0]")

    def check(self) -> None:
        value, wanted = self.some(), self.constant(self.random.randint(-3, 40))
        name = self.name()
        self.put(f"{name} = ne {value}, {wanted} : bool")
        more = f", {value}, {self.some()}" if self.random.random() < 0.5 else ""
        self.put(f'check "OX7002" {name}{more} [message = "check {self.count}"]')

    def shared(self) -> None:
        """Own element in, barrier, another's element out, barrier."""
        self.put(f"store %s, %tid, {self.some()} [offset = 0]")
        self.put('intrinsic "block.sync"')
        at = self.inside(self.some(), self.threads)
        loaded = self.new(f"load %s, {at} [offset = 0]")
        self.put('intrinsic "block.sync"')
        self.values.append(loaded)

    def shared_atomic(self) -> None:
        at = self.inside(self.some(), 4)
        kind = self.random.choice(("add", "min", "max", "xor", "exchange"))
        self.new(f'atomic "{kind}" %t, {at}, {self.some()} [offset = 0, order = "relaxed", scope = "block"]')
        self.put('intrinsic "block.sync"')

    def block_vote(self) -> None:
        row = self.random.choice(("any", "all", "count"))
        flag = self.flag()
        name = self.name()
        if row == "count":
            self.put(f'{name} = intrinsic "block.count" {flag} : i32')
            self.uniform.append(name)
            return
        self.put(f'{name} = intrinsic "block.{row}" {flag} : bool')
        self.new(f"cast {name}", True)

    def attrs(self, level: int) -> str:
        mask = "full" if level >= WARP and self.threads % 32 == 0 and self.random.random() < 0.7 else "active"
        return f'[mask = "{mask}", width = {self.random.choice((1, 2, 4, 8, 16, 32, 32, 32))}]'

    def exchange(self, level: int) -> None:
        step = self.constant(self.random.randint(-2, 17)) if self.random.random() < 0.6 else self.inside(self.some(), 32)
        self.new(f'intrinsic "{self.random.choice(SHUFFLES)}" {self.some()}, {step} {self.attrs(level)}')

    def vote(self, level: int) -> None:
        if self.random.random() < 0.3:
            self.new(
                f'intrinsic "warp.reduce_{self.random.choice(("sum", "min", "max", "and", "or", "xor"))}" {self.some()} {self.attrs(level)}'
            )
            return
        row, name = self.random.choice(("ballot", "any", "all", "match_any", "match_all")), self.name()
        operand = self.some() if row.startswith("match") else self.flag()
        self.put(f'{name} = intrinsic "warp.{row}" {operand} {self.attrs(level)} : {"u32" if row in ("ballot", "match_any") else "bool"}')
        self.new(f"cast {name}")

    # ---- control flow

    def _region(self, level: int, depth: int, results: int, extra: Iterable[str] = ()) -> list[str]:
        """Statements in a region of their own; values for its terminator."""
        kept = len(self.values), len(self.uniform)
        self.values += extra
        self.statements(level, depth + 1, 4)
        out = [self.some() for _ in range(results)]
        del self.values[kept[0] :], self.uniform[kept[1] :]
        return out

    def _names(self, results: int) -> list[str]:
        return [self.name() for _ in range(results)]

    def _head(self, names: list[str], text: str) -> str:
        return f"{', '.join(names)} = {text} : {', '.join(['i32'] * len(names))}" if names else text

    def branch(self, level: int, depth: int) -> None:
        uniform = self.random.random() < 0.5
        flag = self.flag(uniform)
        inner = level if uniform else LANE
        names = self._names(self.random.randint(0, 2))
        self.put(self._head(names, f"if {flag}") + " {")
        for number in range(2):
            if number and not names and self.random.random() < 0.5:
                self.put("yield")
            else:
                self._end(inner, self._region(inner, depth, len(names)))
            self.put("} else {" if not number else "}")
        self.values += names

    def _end(self, level: int, passed: list[str]) -> None:
        """A yield, or now and then a leave to a scope whose control is of the same level."""
        able = [one for one in self.scopes if one[1] <= level or one[1] == LANE]
        if able and self.random.random() < 0.3:
            label, _, results = self.random.choice(able)
            self.put(f'leave "{label}" {", ".join(self.some() for _ in range(results))}')
        else:
            self.put(f"yield {', '.join(passed)}")

    def loop(self, level: int, depth: int) -> None:
        uniform = self.random.random() < 0.6
        start, step = self.constant(self.random.randint(-2, 2)), self.random.choice((1, 2, -1))
        by = self.constant(step)
        stop = self.constant(step * self.random.randint(0, 4))
        if not uniform:
            far = self.inside(self.some(), 4)
            stop, by = self.name(), self.constant(1)
            self.put(f"{stop} = add {far}, {start} : i32")
        names, carried = self._names(self.random.randint(0, 2)), []
        initial = [self.some() for _ in names]
        carried = self._names(len(names))
        variable = self.name()
        args = ", ".join(f"{one}: i32" for one in (variable, *carried))
        positive = f" [positive = {'true' if self.random.random() < 0.5 and (not uniform or step > 0) else 'false'}]"
        self.put(self._head(names, f"for {', '.join((start, stop, by, *initial))}{positive}") + f" ({args}) {{")
        passed = self._region(level if uniform else LANE, depth, len(names), [variable, *carried])
        self.put(f"yield {', '.join(passed)}")
        self.put("}")
        self.values += names

    def while_loop(self, level: int, depth: int) -> None:
        """Counts up to a limit, which may be the thread's own."""
        uniform = self.random.random() < 0.5
        limit = self.inside(self.random.choice(self.uniform) if uniform else self.some(), 4)
        zero, one = self.constant(0), self.constant(1)
        (n, v, a, b, c, d, more, up) = self._names(8)
        self.put(f"{n}, {v} = while {zero}, {self.some()} : i32, i32 ({a}: i32, {b}: i32) {{")
        self.put(f"{more} = lt {a}, {limit} : bool")
        self.put(f"condition {more}, {a}, {b}")
        self.put(f"}} do ({c}: i32, {d}: i32) {{")
        (passed,) = self._region(level if uniform else LANE, depth, 1, [d])
        self.put(f"{up} = add {c}, {one} : i32")
        self.put(f"yield {up}, {passed}")
        self.put("}")
        self.values += [n, v]

    def stride_loop(self, level: int, depth: int) -> None:
        """From a place of the thread's own in steps as wide as a block; a `while` or a `for`."""
        start, limit = self.some(), self.constant(self.random.choice((150, 40, 2**31 - 1)))
        begin = self.inside(start, self.random.choice((20, 140))) if self.random.random() < 0.8 else "%gid"
        step = self.constant(self.random.choice((32, 64, 100)))
        (v, a, b, c, d, n, more, up, w) = self._names(9)
        counted = self.random.random() < 0.5
        if counted:
            near = self.inside(start, 200)
            positive = self.random.choice(("true", "false"))
            self.put(f"{v} = for {begin}, {near}, {step}, {self.some()} [positive = {positive}] : i32 ({c}: i32, {d}: i32) {{")
        else:
            far = self.inside(self.random.choice(self.uniform), 300)
            self.put(f"{w}, {v} = while {begin}, {self.some()} : i32, i32 ({a}: i32, {b}: i32) {{")
            self.put(f"{n} = min {limit}, {far} : i32\n{more} = lt {a}, {n} : bool\ncondition {more}, {a}, {b}")
            self.put(f"}} do ({c}: i32, {d}: i32) {{")
        kept = len(self.values), len(self.uniform)
        self.values += [c, d]
        self.new(f"load %x, {self.inside(c, 2 * self.threads)} [offset = 0]")
        self.statements(LANE, 3, 3)
        passed = self.some()
        del self.values[kept[0] :], self.uniform[kept[1] :]
        if not counted:
            self.put(f"{up} = add {c}, {step} : i32\nyield {up}, {passed}\n}}")
        else:
            self.put(f"yield {passed}\n}}")
        self.values.append(v)

    def scope(self, level: int, depth: int) -> None:
        """Left by all its threads together, or by some: then without waits for all behind."""
        together = self.random.random() < 0.5
        inner = level if together else LANE
        names, label = self._names(self.random.randint(0, 2)), f"s{self.name()[1:]}"
        self.put(self._head(names, f'scope "{label}"') + " {")
        self.scopes.append((label, inner, len(names)))
        passed = self._region(inner, depth, len(names))
        self.scopes.pop()
        self.put(f"yield {', '.join(passed)}")
        self.put("}")
        self.values += names

    def body(self) -> str:
        self.put('%tid = intrinsic "thread.idx.x" : i32\n%gid = intrinsic "thread.global_id.x" : i32\n%bid = intrinsic "block.idx.x" : i32')
        self.put("%zero = const 0 : i32\n%seven = const 7 : i32")
        self.put('%s = alloc "s" [count = 256, align = 4] : mem<i32, shared, exclusive>')
        self.put('%t = alloc "t" [count = 4, align = 4] : mem<i32, shared, exclusive>')
        self.put('%l = alloc "l" [count = 4, align = 4] : mem<i32, local, exclusive>')
        for number in range(4):
            at = self.constant(number)
            self.put(f"store %l, {at}, {at} [offset = 0]\nstore %s, %tid, %tid [offset = 0]")
        first = self.name()
        self.put(f"{first} = lt %tid, {self.constant(4)} : bool")
        self.put(f"if {first} {{\nstore %t, %tid, %zero [offset = 0]\nyield\n}} else {{\nyield\n}}")
        self.put('intrinsic "block.sync"')
        self.values += ["%tid", "%gid"]
        self.uniform += ["%bid", "%zero", "%seven", "%k"]
        self.load()
        self.statements(BLOCK, 0, 10)
        out = self.some()
        for value in self.values[-6:]:
            name = self.name()
            self.put(f"{name} = xor {out}, {value} : i32")
            out = name
        self.put(f"store %out, %gid, {out} [offset = 0]")
        return "\n".join(self.lines)
