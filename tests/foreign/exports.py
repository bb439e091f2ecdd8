"""Functions for other code, of every kind of parameter, and a kernel that calls two of them."""

from __future__ import annotations

from dataclasses import dataclass

from oxidepy import (
    DisjointSlice,
    Ptr,
    SliceMut,
    atomic,
    export,
    f16,
    f32,
    f64,
    i16,
    i32,
    kernel,
    local,
    math,
    struct,
    thread,
    u8,
    u32,
    unsafe,
)


@struct
@dataclass(frozen=True)
class Pair:
    x: f32
    n: i32


@struct
@dataclass(frozen=True)
class Nest:
    pair: Pair
    s: i16
    d: f64


SQUARES = (0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225)


def helper(x: f32) -> f32:
    return math.exp(x) + 1.0


def fibonacci(n: i32) -> i32:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@export
def dist(a: f32, b: f32) -> f32:
    """The length of (a, b) for a positive a."""
    if a > 0.0:
        return math.sqrt(a * a + b * b)
    return helper(b)


@export(symbol="mixed")
def several(nest: Nest, n: u8, h: f16, flag: bool) -> Nest:
    if n == 3:
        return nest
    return Nest(Pair(f32(h), i32(n) if flag else 10 // nest.pair.n), nest.s, nest.d + 1.0)


@export
def narrow(a: f16, n: i16, flag: bool) -> f16:
    return a + f16(n) if flag else a


@export
def odd(n: u8) -> bool:
    return n % 2 == 1


@export
def total(p: Ptr[f32], n: i32) -> f32:
    found, last = f32(0.0), local.array(f32, 4)
    assert n > 0
    with unsafe("n elements lie at p"):
        for i in range(n):
            last[i % 4] = p[i]
            found += last[i % 4]
        atomic.add(SliceMut.from_ptr(p, n), 0, found)
    return found


@export
def clear(p: Ptr[u8], n: i32) -> None:
    with unsafe("n bytes lie at p"):
        for i in range(n):
            p[i] = 0


@export
def flip(p: Ptr[f32], i: i32, q: Ptr[u8]) -> u32:
    words = p.cast(u32)
    with unsafe("i is inside, and there is a byte"):
        words[i] = words[0] ^ 1
        q[0] = p.cast(u8)[3]
        return words[i]


@export
def square(i: i32) -> i32:
    return SQUARES[i]


@export
def root(n: i32) -> i32:
    for i in range(len(SQUARES)):
        if SQUARES[i] == n:
            return i
    return SQUARES[n % 16] - SQUARES[n % 16]


@export
def fib(n: i32) -> i32:
    return fibonacci(n)


@kernel
def caller(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = dist(y[idx], 2.0) + f32(fib(3))
