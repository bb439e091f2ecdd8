"""Random kernels whose blocks run in clusters of two: of the barriers, many are the cluster's, whole or in halves, in turns or not."""

from __future__ import annotations

import random
from collections import Counter

from oxidepy.ir.core import Module

from .dynamic import Run, races
from .random_kernels import HEAD, Maker
from .soundness import verdict

BARRIER = 'intrinsic "block.sync"'
PLACES = """  %two = const 2 : i32
  %rank = mod %b, %two : i32
  %cluster = floordiv %b, %two : i32
  %eight = const 8 : i32
  %start = mul %cluster, %eight : i32
  %three = const 3 : i32
"""


class Clustered(Maker):
    """`pending`: an arrival stands before here, whose wait does not."""

    head, shapes = HEAD + PLACES, ("1 block 4x1x1 cluster 2x1x1",)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.pending = False

    def line(self, text: str) -> None:
        for part in text.splitlines():
            super().line(part.replace(BARRIER, self.barrier()) if BARRIER in part else part)

    def barrier(self) -> str:
        pick = self.random.random()
        if pick < 0.15:
            return BARRIER
        if pick < 0.3 and not self.pending:
            return 'intrinsic "cluster.sync"'
        turn = self.pending is (pick < 0.97)
        self.pending = not turn
        return f'intrinsic "cluster.{"wait" if turn else "arrive"}"'

    def staged(self, values: list[str], uniform: list[str]) -> None:
        """The halves the other way round: an arrival of one round has its wait in the next one."""
        if self.pending or self.random.random() < 0.3:
            super().staged(values, uniform)
            return
        self.count += 1
        name = f"%l{self.count}"
        zero, one = self.const(0), self.const(1)
        super().line('intrinsic "cluster.arrive"')
        self.line(f"for {zero}, {self.random.choice(('%n', '%m'))}, {one} [positive = true] ({name}: i32) {{")
        self.indent += "  "
        for half in ("wait", "arrive", ""):
            if self.random.random() < 0.6:
                self.touch([*values, name])
            if half:
                super().line(f'intrinsic "cluster.{half}"')
        self.line("yield")
        self.indent = self.indent[:-2]
        self.line("}")
        super().line('intrinsic "cluster.wait"')

    def touch(self, values: list[str]) -> None:
        """Mostly elements of the cluster's own part of `y`, which both of its blocks touch."""
        if self.random.random() < 0.3:
            super().touch(values)
            return
        within = self.random.choice(("%t", "%t", self.emit("sub %three, %t"), self.emit("xor %t, %rank")))
        part = self.random.choice(("%rank", "%rank", self.emit(f"sub {self.const(1)}, %rank")))
        place = self.emit(f"add {self.emit(f'mul {part}, {self.const(4)}')}, {within}") if self.random.random() < 0.7 else within
        index = self.emit(f"add %start, {place}")
        self.line(f'check "OX7001" {self.emit(f"inbounds {index}, %y.len", "bool")}, {index}, %y.len [message = "m"]')
        if self.random.random() < 0.5:
            self.emit(f"load %y, {index} [offset = 0]")
        else:
            self.line(f"store %y, {index}, %t [offset = 0]")


def launches(module: Module, seed: int, count: int) -> list[Run]:
    source = random.Random(seed)
    found: list[Run] = []
    for _ in range(count):
        arrays = {"w": [source.randint(-1, 12) for _ in range(40)], "y": [0] * source.choice((8, 16, 40))}
        scalars = {"n": source.choice((-1, 0, 1, 2, 3, 4)), "m": source.choice((0, 1, 2, 3))}
        found.append(Run(module, (source.choice((2, 2, 4)), 1, 1), arrays, scalars))
    return found


def search(first: int, count: int) -> tuple[Counter[str], list[str]]:
    """Verdicts over random kernels, and the texts of accepted ones that race."""
    tally: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(first, first + count):
        module, text = Clustered(seed).module()
        found = verdict(module)
        tally[found] += 1
        for run in launches(module, seed, 4) if found == "accepted" else ():
            run.go()
            clashes = races(run)
            tally["run"] += bool(run.touches)
            if clashes:
                wrong.append(f"seed {seed}, scalars {run.scalars}, grid {run.grid}\n{text}\n{clashes[0]}")
                break
    return tally, wrong
