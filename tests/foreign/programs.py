"""A kernel that calls every function of functions.ptx, and what stands for each elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from oxidepy import (
    D2,
    ConstantSlice,
    DisjointSlice,
    Ptr,
    Slice,
    SliceMut,
    bf16,
    block,
    extern,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    kernel,
    launch_contract,
    local,
    require,
    shared,
    struct,
    thread,
    u8,
    u16,
    u32,
    unsafe,
)

FILE = "functions.ptx"


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


@extern(FILE)
def both(a: bool, b: bool) -> bool:
    return a and not b


@extern(FILE)
def small(a: i8, b: u8) -> i8:
    return i8(i32(a) + i32(b))


@extern(FILE)
def medium(a: i16, b: u16) -> u16:
    return u16(i32(a) + i32(b))


@extern(FILE)
def large(a: i64, b: u32) -> i64:
    return a - i64(b)


@extern(FILE)
def narrow(a: f16, b: bf16) -> f16:
    return a


@extern(FILE)
def wide(a: f64, b: f32) -> f64:
    return a * f64(b)


@extern(FILE)
def pair(a: Pair) -> Pair:
    return Pair(a.x + 1.0, a.n)


@extern(FILE)
def nest(a: Nest, p: Ptr[f32]) -> Nest:
    return Nest(a.pair, i16(i32(a.s) + a.pair.n), a.d + f64(p[0]))


@extern(FILE)
def put(p: Ptr[f32], n: i32, v: f32) -> None:
    p[n] = v


@extern(FILE, symbol="sum")
def total(p: Ptr[f32], n: i32) -> f32:
    found = f32(0.0)
    for i in range(n):
        found += p[i]
    return found


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def everything(x: Slice[f32], y: DisjointSlice[f64], z: SliceMut[f32]) -> None:
    require(0 < len(x), len(y) <= len(z))  # what `unsafe` rests on
    own = shared.array(f32, 64)
    idx = thread.index_1d()
    if idx in y:
        i, t = idx.get(), thread.idx.x
        with unsafe("the functions are as declared, and i is inside of z as it is of y"):
            q = nest(Nest(pair(Pair(x[idx], i)), i16(i), f64(0.5)), x.ptr())
            v = f64(small(i8(i), u8(200))) + f64(medium(i16(-i), u16(3))) + f64(large(i64(i), u32(4)))
            v += f64(narrow(f16(i), bf16(1.0))) + wide(f64(0.25), x[idx])
            if both(i > 3, i > 7):
                put(z.ptr(), i, 8.0)
            put(own.ptr(), t, x[idx] + 1.0)
            v += f64(total(own.ptr() + t, 1)) + f64(total(z.ptr() + i, 1))
        y[idx] = f64(q.pair.x) + f64(q.pair.n) + f64(q.s) + q.d + v


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def spaces(x: Slice[f32], c: ConstantSlice[f32], y: DisjointSlice[f32], z: Slice[f32, D2]) -> None:
    """The addresses of memory of every kind."""
    dynamic, own = shared.dynamic(f32, 64), local.array(f32, 4)
    for j in range(4):
        own[j] = f32(j)
    dynamic[thread.idx.x] = 2.0
    block.sync()
    idx = thread.index_1d()
    if idx in y:
        with unsafe("all of it is inside"):
            found = total(own.ptr(), 4) + total(c.ptr(), 3) + total(dynamic.ptr(), 64)
            y[idx] = found + total(x.ptr() + idx.get(), 1) + total(z.row(1).ptr(), 2)
