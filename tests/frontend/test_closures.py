"""Functions as kernels know them, against Python, which runs the same source: recursion, closures, functions as values, defaults."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble

import oxidepy as ox
from oxidepy import D2, Slice, SliceMut, f32, f64, i32, i64, kernel, launch_contract, struct, thread, unroll

T = TypeVar("T", f32, f64, i32)
U = TypeVar("U", i32, i64)
ROWS, COLUMNS = 20, 17


@struct
@dataclass(frozen=True)
class P:
    a: i32
    b: f32


def even(n: i32) -> bool:
    return True if n == 0 else odd(n - 1)


def odd(n: i32) -> bool:
    return False if n == 0 else even(n - 1)


def ack(m: i32, n: i32) -> i32:
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))


def fibp(p: P, n: i32) -> P:
    if n == 0:
        return p
    return fibp(P(p.a + n, p.b * 0.5), n - 1)


def gpow(x: T, n: i32) -> T:
    return T(1) if n == 0 else x * gpow(x, n - 1)


def pair(t: tuple[i32, i32], n: i32) -> tuple[i32, i32]:
    a, b = t
    return (a, b) if n == 0 else pair((b, a + b), n - 1)


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def compose(f, g):
    return lambda x: f(g(x))


def twice(f):
    return compose(f, f)


def adder(n):
    def inner(x):
        return x + n

    return inner


def apply_all(fs, x):
    for f in fs:
        x = f(x)
    return x


def counter(start):
    def make(step):
        def run(x):
            return x * step + start

        return run

    return make


def fact(n: i32, acc: i32 = 1) -> i32:
    return acc if n <= 1 else fact(n - 1, acc=acc * n)


def collatz(n: i64, steps: i32) -> i32:
    while n != 1:
        if steps > 100:
            return -1
        return collatz(n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1)
    return steps


OPS = (add, sub, lambda a, b: a * b, min, max)
TABLE = ((add, 2), (sub, 3))


def poly(x, *, c=(1.0, 2.0, 3.0)):
    t = 0.0 * x
    for k in c:
        t = t * x + k
    return t


def mix(x: T, y: U, f: Callable[[T], T]) -> tuple[T, U]:
    return f(x), y + 1


def clampf(x, lo=0, hi=10):
    return max(lo, min(x, hi))


def nested(x):
    def h(y):
        def g(z):
            return z + y + x

        return g(y * 2)

    return h(x + 1)


def early(n):
    for i in range(n):
        for j in range(n):
            if i * j > 6:
                return i * 10 + j
    return -1


def unpacked(t):
    (a, b), c = t
    return a - b * c


def ifelse(n):
    return (lambda: 1)() if n > 2 else (lambda: 2)()


def body(n, x, w):
    r0 = 1 if even(n) else 0
    r1 = ack(2, n % 3)
    q = fibp(P(1, 8.0), n)
    r2 = q.a
    r3 = gpow(3, n % 6)
    c, d = pair((0, 1), n)
    r4 = c * 1000 + d
    s = 0
    for op in OPS:
        s = s * 3 + op(n, 4)
    for op, k in TABLE:
        s += op(k, n)
    r6 = twice(twice(adder(n)))(1)
    r7 = apply_all((adder(3), lambda v: v * v, twice(adder(2))), n)
    r8 = counter(5)(n)(7)
    r9 = fact(n % 10)
    r10 = collatz(w, 0)
    r11 = clampf(n * 3, hi=7) + clampf(-n) * 2
    r12 = nested(n)
    r13 = early(n)
    r14 = unpacked(((n, 3), 5))
    r15 = ifelse(n)
    return r0, r1, r2, r3, r4, s, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, defaults(n)


def defaults(n: i32) -> i32:
    k = n
    f = lambda x, k=k, m=3: x * m + k
    k = 100

    def g(x, a=n + 1, *, b=2):
        return x * a + b + k

    total = f(1) + f(2, 5) + f(3, m=1) + g(4) + g(4, 2) + g(4, b=n)
    for i in range(3):
        h = lambda x, i=i: x * 10 + i
        total = total * 3 + h(n)
    pick = (lambda x, k=k: x + k) if len(OPS) > 2 else f
    return total + h(1) + pick(n)


@kernel(unsafe="each thread writes a row of its own")
@launch_contract(domain=1, block=(32, 1, 1))
def rows(y: SliceMut[i32, D2], z: SliceMut[f32], w: Slice[i64]) -> None:
    n = thread.index_1d().get()
    if n < len(z):
        values = body(n, 1.0, w[n])
        for j in unroll(range(COLUMNS)):
            y[n, j] = values[j]
        q = fibp(P(1, 8.0), n)
        u, v = mix(f32(n), i64(3), lambda a: a * 2.0)
        z[n] = q.b + poly(f32(n), c=(0.5, 1.0)) + u + f32(v) + gpow(f32(0.5), 3)


def by_python(name: str) -> Callable:
    """The same function with Python's numbers, for which the casts of the kernel language are none."""
    space = {**globals(), "T": lambda v: v, "i32": int, "f32": float}
    code = globals()[name].__code__
    plain = dict(space)
    for one, value in globals().items():
        if callable(value) and getattr(value, "__code__", None) is not None and value.__module__ == __name__:
            plain[one] = type(value)(value.__code__, plain, one, value.__defaults__, value.__closure__)
            plain[one].__kwdefaults__ = value.__kwdefaults__
    return type(by_python)(code, plain)


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_functions(device: str) -> None:
    stream = ox.Context(device).new_stream()
    y, z = ox.DeviceBuffer.zeros(stream, (ROWS, COLUMNS), i32), ox.DeviceBuffer.zeros(stream, ROWS, f32)
    w = ox.DeviceBuffer.from_host(stream, np.arange(1, ROWS + 1, dtype=np.int64))
    rows.prepare(stream.context, ROWS)(stream, y, z, w)
    whole, pairs = by_python("body"), by_python("fibp")
    for n, (got, number) in enumerate(zip(y.to_host(stream).tolist(), z.to_host(stream).tolist(), strict=True)):
        assert got == [int(one) for one in whole(n, 1.0, n + 1)], n
        assert number == np.float32(pairs(P(1, 8.0), n).b + (0.5 * n + 1.0) + 2 * n + 4 + 0.125)


@pytest.mark.parametrize("arch", ARCHES)
def test_it_assembles(arch: str) -> None:
    assemble(rows.ptx(arch), arch)
