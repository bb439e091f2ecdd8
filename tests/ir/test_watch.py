"""When the watch says that an integer overflowed: exactly where the exact result does not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backend.simt import kernel

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter import Program
from oxidepy.ir.interpreter.state import BlockState

EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a, b: -a,
    "abs": lambda a, b: abs(a),
    "floordiv": lambda a, b: a // b,
}


class Told:
    """A watcher of overflows: the threads in which they were."""

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def access(self, op: Op, state: BlockState, mask: Any, buffer: Any, leaf: Any, index: Any) -> None:
        """Not looked at."""

    def failed(self, op: Op, state: BlockState, failed: Any, index: Any, length: Any) -> None:
        """Not looked at."""

    def met(self, op: Op, state: BlockState, mask: Any) -> None:
        """Not looked at."""

    def wrapped(self, op: Op, state: BlockState, mask: Any) -> None:
        self.threads |= set(map(int, mask.nonzero()[0]))


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_overflow(name: str, bits: int) -> None:
    least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    edges = [least, least + 1, least // 2, -3, -2, -1, 0, 1, 2, 3, most // 3, most // 2 + 1, most - 1, most]
    pairs = [(a, b) for a in edges for b in edges if b or name != "floordiv"]
    type_, count = f"i{bits}", len(pairs)
    body = f"""
  %t = intrinsic "thread.idx.x" : i32
  %p = load %a, %t [offset = 0] : {type_}
  %q = load %b, %t [offset = 0] : {type_}
  %r = {name} %p{"" if name in ("neg", "abs") else ", %q"} : {type_}
  store %c, %t, %r [offset = 0]"""
    memory = f"mem<{type_}, global"
    module = kernel(f"a: {memory}, shared>; b: {memory}, shared>; c: {memory}, exclusive>", body, f"domain 1 block {count}x1x1")
    told = Told()
    args = [np.frombuffer(bytearray(np.array(one, f"i{bits // 8}").tobytes()), np.uint8) for one in zip(*pairs, strict=True)]
    args.append(np.zeros(count * bits // 8, np.uint8))
    Program(module, told).run(args, (1, 1, 1), (count, 1, 1))
    assert told.threads == {number for number, (a, b) in enumerate(pairs) if not least <= EXACT[name](a, b) <= most}
    assert told.threads
