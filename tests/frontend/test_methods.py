"""Methods, properties, operators and comparisons of `@struct` classes and tuples, with Python's own classes as the oracle."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import refused
from frontend.test_halves import DEVICES, launched, ptx
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import (
    DisjointSlice,
    Slice,
    SliceMut,
    block,
    f32,
    f64,
    grid,
    i32,
    kernel,
    launch_contract,
    math,
    require,
    shared,
    struct,
    thread,
)


@struct
@dataclass(frozen=True, order=True)
class V2:
    x: f32
    y: f32

    SCALE = 3.0
    LIST: ClassVar[Any] = [1, 2]

    def __add__(self, other: V2) -> V2:
        return V2(self.x + other.x, self.y + other.y)

    def __sub__(self, other: V2) -> V2:
        return V2(self.x - other.x, self.y - other.y)

    def __mul__(self, by: f32) -> V2:
        return V2(self.x * by, self.y * by)

    __rmul__ = __mul__

    def __rtruediv__(self, value: f32) -> V2:
        return V2(value / self.x, value / self.y)

    def __matmul__(self, other: V2) -> f32:
        return self.x * other.x + self.y * other.y

    def __pow__(self, n: f32) -> V2:
        return V2(self.x * n, self.y)

    def __neg__(self) -> V2:
        return replace(self, x=-self.x, y=-self.y)

    def __abs__(self) -> f32:
        return max(abs(self.x), abs(self.y))

    def __len__(self) -> i32:
        return 2

    def __getitem__(self, k: i32) -> f32:
        return self.x if k == 0 else self.y

    def __call__(self, t: f32, *, shift: f32 = 0.0) -> f32:
        return self.x + t * self.y + shift

    def __bool__(self) -> bool:
        return self.x != 0.0 or self.y != 0.0

    def __contains__(self, value: f32) -> bool:
        return value == self.x or value == self.y

    @property
    def norm(self) -> f32:
        return self @ self

    def dot(self, other: V2) -> f32:
        return self @ other

    @staticmethod
    def unit() -> V2:
        return V2(1.0, 0.0)

    @classmethod
    def zero(cls) -> V2:
        return cls(0.0, 0.0)


def applied(f: Callable[[V2], f32], v: V2) -> f32:
    return f(v)


def together(p: V2, q: V2) -> f32:
    """All of it: Python runs this function on the host, the compiler in a kernel."""
    a = p + q - V2.zero() * 5.0 + 2.0 * V2.unit() - p * 0.5
    a += q
    b = a @ q + (2.0 / V2(4.0, 8.0)).y + (p**3.0).x + abs(-a) + p[1] + f32(len(p)) + p(2.0) + q(0.5, shift=0.25) + V2.SCALE * p.SCALE
    f = p.dot if p.x > q.x else a.dot
    b += applied(f, q) + a.norm + V2.dot(p, q)
    for _ in range(3):
        a = a + V2.unit()
        f = a.dot
    return b + f(p)


def truths(p: V2, q: V2) -> i32:
    found = 0
    found += 1 if p == q else 0
    found += 2 if p != q else 0
    found += 4 if p < q else 0
    found += 8 if p <= q else 0
    found += 16 if p > q else 0
    found += 32 if p >= q else 0
    found += 64 if p else 0
    found += 128 if not q else 0
    found += 256 if q.x in p else 0
    found += 512 if (p.x, p.y, 1) < (q.x, q.y, 2) else 0
    found += 1024 if (p.x, (p.y, 2.0)) >= (q.x, (q.y, 2.0)) else 0
    found += 2048 if p in (q, V2(1.0, 2.0)) else 0
    found += 4096 if (p.x, p.y) == (q.x, q.y) and (p.x, 1) != (q.x, 1, 2) else 0
    return found


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def both(p: Slice[V2], q: Slice[V2], y: SliceMut[f32], t: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    if i < len(p) and i < len(q) and i < len(y) and i < len(t):
        y[i] = together(p[i], q[i])
        t[i] = truths(p[i], q[i])


@pytest.mark.parametrize("device", DEVICES)
def test_as_python_has_it(device: str) -> None:
    corners = [0.0, 1.0, 2.0, -3.5, float("nan")]
    points = [(a, b) for a in corners for b in corners]
    left = [one for one in points for _ in points]
    right = points * len(points)
    layout = [("x", "f4"), ("y", "f4")]
    given = [np.array(one, layout) for one in (left, right)]
    *_, y, t = launched(both, device, *given, np.zeros(len(left), np.float32), np.zeros(len(left), np.int32), grid_=10, block_=64)
    with np.errstate(all="ignore"):
        wanted = [(V2(*map(np.float32, p)), V2(*map(np.float32, q))) for p, q in zip(left, right, strict=True)]
        np.testing.assert_allclose(y, [together(p, q) for p, q in wanted], rtol=1e-5)  # a kernel fuses products and sums
    # Python takes one NaN object for equal to itself inside of a tuple; here there are none but equal numbers
    apart = [(V2(*p), V2(*(float(str(one)) for one in q))) for p, q in zip(left, right, strict=True)]
    assert t.tolist() == [truths(p, q) for p, q in apart]


@pytest.mark.parametrize("arch", ARCHES)
def test_it_assembles(arch: str) -> None:
    assemble(ptx(both, arch), arch)


def test_only_the_field_that_is_used_is_read() -> None:
    text = ptx(first, "sm_80")
    assert "ld.global" in text and "v2" not in text


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def first(p: Slice[V2], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = p[idx].x


# ---- one function for several classes


@struct
@dataclass(frozen=True)
class Circle:
    r: f32

    def area(self) -> f32:
        return 3.0 * self.r * self.r

    def grown(self, by: f32) -> Circle:
        return replace(self, r=self.r + by)


@struct
@dataclass(frozen=True)
class Box:
    w: f32
    h: f32

    def area(self) -> f32:
        return self.w * self.h


S = TypeVar("S", Circle, Box)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def areas(shapes: Slice[S], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(shapes) and i < len(y):
        y[i] = shapes[i].area() + Circle(0.0).grown(2.0).r


@pytest.mark.parametrize("device", DEVICES)
def test_generic_kernels_call_the_method_of_their_type(device: str) -> None:
    out = np.zeros(2, np.float32)
    assert launched(areas, device, np.array([(1,), (2,)], [("r", "f4")]), out, block_=32)[1].tolist() == [5.0, 14.0]
    assert launched(areas, device, np.array([(1, 2), (2, 3)], [("w", "f4"), ("h", "f4")]), out, block_=32)[1].tolist() == [4.0, 8.0]


@struct
@dataclass(frozen=True)
class Square:
    r: f32

    def area(self) -> f32:
        return self.r * self.r


E = TypeVar("E", Circle, Square)


@kernel
def even_areas(shapes: Slice[E], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = shapes[idx].area()


@pytest.mark.parametrize("device", DEVICES)
def test_classes_of_one_layout_are_told_apart_by_the_buffer(device: str) -> None:
    stream = ox.Context(device).default_stream()
    host = np.array([(2,)], [("r", "f4")])
    y = ox.DeviceBuffer.zeros(stream, 1, f32)
    prepared = even_areas.prepare(stream.context, 1)
    plain = ox.DeviceBuffer.from_host(stream, host)
    for _ in range(3):
        for cls, area in ((Circle, 12.0), (Square, 4.0)):
            shapes = ox.DeviceBuffer.zeros(stream, 1, cls)
            shapes.copy_from_host(stream, host)
            prepared(stream, shapes, y)
            assert y.to_host(stream).tolist() == [area]
            prepared(stream, plain.reinterpret(cls), y)
            assert y.to_host(stream).tolist() == [area]
    with pytest.raises(ox.LaunchError, match="which fits struct Circle, struct Square") as caught:
        prepared(stream, plain, y)
    assert caught.value.code == "OX2007"


# ---- what a class says of its comparison, its making and its text


@struct
@dataclass(frozen=True)
class Key:
    key: i32
    note: f32 = field(default=1.0, compare=False)

    def __post_init__(self) -> None:
        assert self.key >= 0, f"key {self.key}"


@struct
@dataclass(frozen=True)
class Exact:
    v: f64

    def __eq__(self, other: Exact) -> bool:
        return self.v == other.v

    def __ne__(self, other: object) -> bool:  # as type checkers want it; the argument says of what type it is
        return True

    def __repr__(self) -> str:
        return f"<{self.v}>"


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def judged(a: i32, y: SliceMut[i32]) -> None:
    require(grid.dim.x == 1)
    y[0] = i32(Key(a, 2.0) == Key(3)) * 100 + i32(Exact(1.0) == Exact(1.0)) * 10 + i32(Exact(1.0) != Exact(1.0))
    print(Exact(1.5), f"{Exact(2.5)}", (Exact(3.5), Key(1)), end="!\n")


@pytest.mark.parametrize("device", DEVICES)
def test_methods_of_the_class_decide(device: str, capfd: Any) -> None:
    assert launched(judged, device, 3, np.zeros(1, np.int32))[0].tolist() == [111]
    assert capfd.readouterr().out == "<1.5> <2.5> (<3.5>, Key(key=1, note=1.0))!\n"
    with pytest.raises(ox.DevicePanic, match="key -1") as info:
        launched(judged, device, -1, np.zeros(1, np.int32))
    assert info.value.code == "OX7002"


def test_generated_comparison_is_that_of_python() -> None:
    assert Key(3, 2.0) == Key(3) and astuple(Key(3)) == (3, 1.0)


# ---- refusals

WRONG = {
    "y[0] = V2(1.0, 2.0).dot(1.0)": ("OX0308", "parameter `other` of `V2.dot` is `V2`"),
    "y[0] = (V2(1.0, 2.0) // V2(1.0, 2.0)).x": ("OX0308", "`//` takes numbers, and this is `V2`"),
    "y[0] = (~V2(1.0, 2.0)).x": ("OX0308", "`~` takes numbers, and this is `V2`"),
    "y[0] = f32(Circle(1.0) < Circle(2.0))": ("OX0308", "`<` takes numbers, and this is `Circle`"),
    "y[0] = f32(Circle(1.0) == Box(2.0, 1.0))": ("OX0308", "`==` on `Circle` and `Box`"),
    "y[0] = V2(1.0, 2.0).nrm": ("OX0425", "`V2` has no field `nrm`"),
    "y[0] = V2.LIST[0]": ("OX0658", "`V2.LIST`"),
    "y[0] = Circle(1.0)()": ("OX0308", "`Circle` cannot be called"),
    "y[0] = replace(f, x=1.0)": ("OX0308", "`replace` takes a struct"),
    "y[0] = replace(V2(1.0, 2.0), z=1.0).x": ("OX0425", "`V2` has no field `z`"),
    "y[0] = Own(1.0).v": ("OX0658", "an `__init__` of its own"),
    "y[0] = f32(Endless(1.0).count(n))": ("OX0658", "`count` is called inside of more than 100 calls"),
    "y[0] = f32((1.0, f) < (1.0, n))": ("OX0308", "`f32` and `i32`"),
}


@struct
@dataclass(frozen=True, init=False)
class Own:
    v: f32

    def __init__(self, v: f32) -> None:
        object.__setattr__(self, "v", v + 1.0)


@struct
@dataclass(frozen=True)
class Endless:
    v: f32

    def count(self, n: i32) -> i32:
        return 0 if n == 0 else self.count(n - 1)


@pytest.mark.parametrize("body", WRONG)
def test_refused(body: str) -> None:
    code, message = WRONG[body]
    found = refused(compiled(body, V2=V2, Circle=Circle, Box=Box, Own=Own, Endless=Endless, replace=replace, math=math))
    assert found.code == code and message in found.message, found


def test_the_way_out_is_named() -> None:
    found = refused(compiled("y[0] = (V2(1.0, 2.0) // V2(1.0, 2.0)).x", V2=V2))
    assert found.help == "name a field: `V2(1.0, 2.0).x`; or write a method `__floordiv__` into `V2`"
    found = refused(compiled("y[0] = V2(1.0, 2.0).nrm", V2=V2))
    assert found.help == "did you mean `norm`?"


# ---- classes that build upon others


class Doubling:
    FACTOR = 2.0

    def doubled(self) -> f32:
        return self.value() * self.FACTOR


@struct
@dataclass(frozen=True)
class Plain(Doubling):
    x: f32

    def value(self) -> f32:
        return self.x

    def weighed(self, x: Slice[f32]) -> f32:
        total = f32(0)
        for one in x:
            total += one * self.x
        return total

    def __lt__(self, other: Plain) -> bool:
        return self.x < other.x


@struct
@dataclass(frozen=True)
class Shifted(Plain):
    by: f32 = 0.5

    def value(self) -> f32:
        return self.x + self.by

    def __add__(self, other: Shifted) -> Shifted:
        return Shifted(self.x + other.x, self.by + other.by)


@struct
@dataclass(frozen=True)
class Both:
    plain: Plain
    shifted: Shifted

    @property
    def most(self) -> f32:
        return max(self.plain.value(), self.shifted.value())


START = Shifted(1.0, 2.0)


def lesser(a: Plain, b: Plain) -> Plain:
    return a if a < b else b


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def composed(p: Both, x: Slice[f32], y: SliceMut[f32]) -> None:
    s = shared.array(Shifted, 32)
    s[thread.idx.x] = START + Shifted(f32(thread.idx.x))
    block.sync()
    total = Shifted(0.0, by=0.0)
    for k in range(4):
        total += s[k]
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = p.most + START.doubled() + p.plain.doubled() + total.value() + p.shifted.weighed(x) + lesser(p.plain, Plain(0.5)).x
        y[i] += 100.0 if Plain(5.0) > p.plain else 0.0


@pytest.mark.parametrize("device", DEVICES)
def test_inheritance_and_shared_memory(device: str) -> None:
    stream = ox.Context(device).default_stream()
    x, y = (ox.DeviceBuffer.from_host(stream, np.full(n, 1, np.float32)) for n in (3, 2))
    composed.prepare(stream.context, ox.LaunchConfig1D(1, 32))(stream, Both(Plain(3.0), Shifted(1.0, 1.5)), x, y)
    assert y.to_host(stream).tolist() == [3.0 + 6.0 + 6.0 + (10.0 + 10.0) + 3.0 + 0.5 + 100.0] * 2
