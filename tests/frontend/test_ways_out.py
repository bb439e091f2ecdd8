"""Natural mistakes: each is told with a way out, and the way out compiles."""

# pyright: basic
from __future__ import annotations

import enum
from dataclasses import dataclass, replace  # noqa: F401 - the kernels below name them
from typing import Any, NamedTuple

import numpy as np  # noqa: F401 - as above
import pytest
from frontend.running import lowered, refused
from loading import defined

from oxidepy import (  # noqa: F401 - the kernels below name them
    DisjointSlice,
    Slice,
    SliceMut,
    atomic,
    bits,
    block,
    f16,
    f32,
    f64,
    i16,
    i32,
    i64,
    kernel,
    launch_contract,
    local,
    math,
    struct,
    thread,
    u32,
    unroll,
    warp,
)

COUNT = 0


@struct
@dataclass(frozen=True)
class P:
    x: f32
    n: i32


class Pair(NamedTuple):
    a: int
    b: float


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def helper(a: f32, b: f32 = 1.0) -> f32:
    return a * b


HEAD = """
@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def k(x: Slice[f32], o: DisjointSlice[f32], m: SliceMut[i32], n: i32, p: P) -> None:
    idx = thread.index_1d()
    i = idx.get()
    if idx in o:
"""


def compiled(body: str) -> Any:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return defined(HEAD + lines, globals())["k"]


# what is written | its code | what the help says | what is written then
MISTAKES = [
    ("v = x[i] & 1", "OX0308", "`i32(x[i])`", "v = i32(x[i]) & 1"),
    ("v = x[i] & 1", "OX0308", "`bits.cast(u32, x[i])`", "v = bits.cast(u32, x[i]) & 1"),
    ("v = ~x[i]", "OX0308", "`i32(x[i])`", "v = ~i32(x[i])"),
    ("v = -(n > 1)", "OX0308", "`i32(n > 1)`", "v = -i32(n > 1)"),
    ("v = ~(n > 1)", "OX0308", "`not n > 1`", "v = not n > 1"),
    ("v = (n > 1) + 1", "OX0308", "`i32(n > 1)`", "v = i32(n > 1) + 1"),
    ("v = n == None", "OX0308", "a `bool` beside it", "v = n == -1"),
    ("v = 1 if n > 1 else None", "OX0308", "let a number stand for it", "v = 1 if n > 1 else -1"),
    ("v = n if n > 1 else 2.5\no[idx] = v", "OX0308", "`f32(…)`", "v = f32(n) if n > 1 else 2.5\no[idx] = v"),
    ("v = n + helper", "OX0308", "`helper(…)`", "v = f32(n) + helper(1.0)"),
    ("v = p == 3", "OX0308", "`p.x`", "v = p.x == 3"),
    ("p = P(1.0)", "OX0308", "`P(x, n)`", "p = P(1.0, n)"),
    ("p = P(1.0, 2, 3)", "OX0308", "`P(x, n)`", "p = P(1.0, n)"),
    ("p.x = 1.0", "OX0658", "`p = replace(p, x=…)`", "p = replace(p, x=1.0)"),
    ("v = Pair(1, 2.0)", "OX0658", "make it a `@struct` class", "v = P(1.0, 2)"),
    ("v = Colour.GREEN", "OX0425", "it has `RED`, `BLUE`", "v = Colour.BLUE"),
    ("v = thread.idx.w", "OX0425", "it has `x`, `y`, `z`", "v = thread.idx.z"),
    ("v = block.sum(n)", "OX0425", "`block.reduce_sum`", "o[idx] = 1.0"),
    ("helper()", "OX0308", "its parameters are `a`, `b`", "helper(1.0)"),
    ("helper(1.0, c=2.0)", "OX0425", "its parameters are `a`, `b`", "helper(1.0, b=2.0)"),
    ("v = warp.shuffle(x[i])", "OX0308", "`warp.shuffle(value, lane)`", "v = warp.active.shuffle(x[i], 0)"),
    ("v = local.array(f32)", "OX0308", "`local.array(dtype, shape, align)`", "v = local.array(f32, 4)"),
    ("v = local.array(float, 4)", "OX0308", "`f32` or `f64`", "v = local.array(f64, 4)"),
    ("atomic.add(m, 1)", "OX0308", "`atomic.add(slice, index, value, order, scope)`", "atomic.add(m, 0, 1)"),
    ("atomic.add(m[n], 1)", "OX0308", "`atomic.add(m, n, …)`", "atomic.add(m, n, 1)"),
    ("block.sync", "OX0658", "`block.sync()`", "helper(1.0)"),
    ("helper", "OX0658", "`helper()`", "helper(1.0)"),
    ("COUNT += 1", "OX0381", "`my_COUNT = COUNT`", "my_COUNT = COUNT + 1"),
    ('print("%d" % n)', "OX0658", "by an f-string", 'print(f"{n}")'),
    ('print("{}".format(n))', "OX0425", "by an f-string", 'print(f"{n}")'),
    ("print(hex(n))", "OX0658", '`f"{x:#x}"`', 'print(f"{n:#x}")'),
    ("print(n, sep=1)", "OX0308", '`sep=", "`', 'print(n, sep=", ")'),
    ('print(f"{n:{n}}")', "OX0658", "as constants", 'w = 4\nprint(f"{n:{w}} {x[i]:{w + 2}.{w - 2}f}")'),
    ("v = np.sum(x)", "OX0658", "`for v in x`", "s = f32(0)\nfor v in x:\n    s += v"),
    ("v = x.sum()", "OX0425", "in a `for` loop", "s = f32(0)\nfor v in x:\n    s += v"),
    ("v = x[i].astype(i32)", "OX0425", "a cast is a call of the type", "v = i32(x[i])"),
    ("v = n.to(f32)", "OX0425", "a cast is a call of the type", "v = f32(n)"),
    ("v = n.bit_length()", "OX0425", "stand in `math` and `bits`", "v = 32 - bits.clz(n)"),
    ("v = i32(3000000000)", "OX0308", "`u32` has the number", "v = u32(3000000000)"),
    ("v = u32(-1)", "OX0308", "`4294967295`", "v = u32(4294967295)"),
    ("v = i8(300)", "OX0425", "`from oxidepy import i8`", "v = i16(300)"),
    ("v = i16(70000)", "OX0308", "a type that has it is `i32`", "v = i32(70000)"),
    ("for j in range(0, 9, 0):\n    pass", "OX0308", "leave it out", "for j in range(0, 9):\n    pass"),
    ("for j in unroll(n):\n    pass", "OX0308", "`unroll(range(n))`", "for j in range(n):\n    pass"),
    ("for a, b in enumerate(n):\n    pass", "OX0308", "`enumerate(range(n))`", "for a, b in enumerate(range(n)):\n    pass"),
    ("a, b = 1, 2, 3", "OX0308", "as many names as there are values", "a, b, _ = 1, 2, 3"),
    ("v = (1, 2, 3)[n:]", "OX0308", "one by one", "v = (1, 2, 3)[1:]"),
    ("v = (1, 2, 3)[-1:]", "OX5003", "count from the front", "v = (1, 2, 3)[2:]"),
    ("v = (1, 2, 3)[::0]", "OX0308", "leave it out", "v = (1, 2, 3)[::2]"),
    ('assert (n > 1, "text")', "OX0308", "`assert n > 1, 'text'`", "assert n > 1, 'text'"),
    ("if x:\n    pass", "OX0308", "`len(x) != 0`", "if len(x) != 0:\n    pass"),
    ("if (n if n > 1 else 2):\n    pass", "OX0308", "`(n if n > 1 else 2) != 0`", "if (n if n > 1 else 2) != 0:\n    pass"),
    ("v = max(x)", "OX0308", "`for v in x`", "s = x[0]\nfor v in x:\n    s = max(s, v)"),
    ("v = f16(70000.0)", "OX0308", "a type that has it is `f32`", "v = f32(70000.0)"),
    ("v = f32(1e39)", "OX0308", "a type that has it is `f64`", "v = f64(1e39)"),
    ("v = x[i] + 1e39", "OX0308", "a type that has it is `f64`", "v = f64(x[i]) + 1e39"),
    ("v = bits.popcount(x[i])", "OX0308", "`bits.cast(u32, x[i])`", "v = bits.popcount(bits.cast(u32, x[i]))"),
    ("v = bits.cast(i64, x[i])", "OX0308", "`u32` or `i32`", "v = i64(bits.cast(u32, x[i]))"),
    ("v = bits.rotl(u32(n), u32(3))", "OX0425", "`bits.funnel_shift_left(x, x, n)`", "v = bits.funnel_shift_left(u32(n), u32(n), u32(3))"),
    ("v = math.log(x[i], 3.0)", "OX0308", "`math.log(x) / math.log(base)`", "v = math.log(x[i]) / math.log(3.0)"),
    ("v = math.clamp(x[i], 0.0, 1.0)", "OX0425", "`min(max(x, low), high)`", "v = min(max(x[i], 0.0), 1.0)"),
    ("v = np.sign(x[i])", "OX0658", "`math.copysign(1.0, x)`", "v = math.copysign(1.0, x[i])"),
    ("v = math.isqrt(n)", "OX0425", "`i32(math.sqrt(f64(n)))`", "v = i32(math.sqrt(f64(n)))"),
    ("v = math.dist((1.0, x[i]), (2.0, 3.0))", "OX0425", "`math.hypot(x1 - x2, y1 - y2)`", "v = math.hypot(1.0 - 2.0, x[i] - 3.0)"),
    ("v = (x[i], n, 2)[n % 3]", "OX0308", "one type where the tuple is made", "v = (x[i], f32(n), 2)[n % 3]"),
    ("if p:\n    pass", "OX0308", "`p.x != 0`", "if p.x != 0:\n    pass"),
    ("v = (1, 2) * n", "OX0308", "known at compile time", "v = (1, 2) * 3"),
    ("v = (1, 2) + n", "OX0308", "`(1, 2) + (3,)`", "v = (1, 2) + (n,)"),
    ("v = (1, 2) @ (3, 4)", "OX0308", "name an item, `t[0]`", "v = (1, 2)[0] * (3, 4)[0]"),
    ("v = type(n)", "OX0658", "types in kernels are known", "v = n"),
    ('with open("f"):\n    pass', "OX0658", "pass it as a slice", "v = x[i]"),
    ('v = "a" in "abc"', "OX0308", "compare with `==`", 'v = "a" == "abc"'),
]


@pytest.mark.parametrize(("wrong", "code", "help", "right"), MISTAKES)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_mistake(wrong: str, code: str, help: str, right: str) -> None:
    found = refused(compiled(wrong))
    assert found.code == code and help in (found.help or ""), (found.code, found.message, found.help)
    lowered(compiled(right))
