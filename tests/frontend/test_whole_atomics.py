"""Atomic accesses of whole structs, of 4, 8 and 16 bytes, on every device."""

# Literals take the types of fields, which checkers see only with a cast.
# pyright: basic, reportArgumentType=false
from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import product
from typing import Any

import numpy as np
import pytest
from backend.assembler import assemble
from frontend.running import lowered, refused
from frontend.test_halves import DEVICES, launched, ptx
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import (
    LaunchError,
    Slice,
    SliceMut,
    atomic,
    bf16,
    bits,
    block,
    cluster,
    cluster_launch,
    f16,
    f16x2,
    f32,
    f64,
    grid,
    i16,
    i32,
    i64,
    kernel,
    launch_contract,
    require,
    shared,
    struct,
    thread,
    u8,
    u32,
    unsafe,
)
from oxidepy.backend import nvptx
from oxidepy.backend.targets import nvptx_target
from oxidepy.ir.ops import ORDERS, SCOPES, WHOLE
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.verifier import InvalidIR, verify
from oxidepy.settings.options import CodegenOptions

WIDE = ("sm_90a", "sm_100a", "sm_120a")


class Kind(IntEnum):
    NONE = 0
    FULL = 7


@struct
@dataclass(frozen=True)
class Tag:
    number: i16
    seen: bool
    age: u8


@struct
@dataclass(frozen=True)
class Cell:
    value: f32
    kind: Kind


@struct
@dataclass(frozen=True)
class Row:
    a: u8
    b: u8
    c: tuple[bf16]
    d: f32
    tag: Tag
    kind: Kind


@struct
@dataclass(frozen=True)
class Best:
    value: f64
    at: i64


@struct
@dataclass(frozen=True)
class Gap:
    a: u8
    b: f32


@struct
@dataclass(frozen=True)
class Long:
    a: f64
    b: f64
    c: f64


def record(cls: Any) -> np.dtype:
    return ox.DeviceBuffer.zeros(ox.Context("interp").default_stream(), 1, cls).dtype


def drawn(cls: Any, count: int, seed: int = 1) -> np.ndarray:
    """Elements of random numbers; truth values and members of enums are such."""
    rng, out = np.random.default_rng(seed), np.zeros(count, record(cls))

    def fill(part: np.ndarray) -> None:
        for name in part.dtype.names or ():
            of = part.dtype[name]
            if of.names:
                fill(part[name])
            else:
                numbers = rng.integers(0, 2, part[name].shape) * 7 if name == "kind" else rng.integers(1, 60, part[name].shape)
                part[name] = numbers.astype(of.base)

    fill(out)
    return out


# ---- what they do


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def best_of(x: Slice[f64], best: SliceMut[Best]) -> None:
    """The greatest number and where it is: the first of equal ones."""
    for idx in thread.grid_stride(x):
        mine = Best(x[idx], i64(idx.get()))
        old = atomic.load(best, 0)
        while mine.value > old.value or (mine.value == old.value and mine.at < old.at):
            seen = atomic.compare_exchange(best, 0, old, mine)
            if seen == old:
                break
            old = seen


@pytest.mark.parametrize("device", DEVICES)
def test_sixteen_bytes_under_contention(device: str) -> None:
    x = np.random.default_rng(0).integers(0, 500, 4096).astype(np.float64)
    best = np.zeros(1, record(Best))
    best["value"] = -1
    _, got = launched(best_of, device, x, best, grid_=16, block_=64)
    assert (got["value"][0], got["at"][0]) == (x.max(), x.argmax())


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def all_forms(rows: SliceMut[Row], cells: SliceMut[Cell], tags: SliceMut[Tag], was: SliceMut[Row], kinds: SliceMut[Cell]) -> None:
    require(grid.dim.x == 1, len(rows) >= 64, len(cells) >= 64, len(tags) >= 64, len(was) >= 64, len(kinds) >= 64)
    s = shared.array(Row, 64)
    t = thread.idx.x
    old = atomic.exchange(rows, t, Row(u8(t), 200, (bf16(-1.5),), -0.0, Tag(-3, t % 2 == 0, 9), Kind.FULL), order="acq_rel")
    atomic.store(s, t, old, order="release", scope="block")
    again = atomic.load(s, t, order="acquire", scope="block")
    was[t] = atomic.compare_exchange(s, t, again, Row(1, 2, (bf16(3.0),), 4.0, Tag(5, False, 6), Kind.NONE), order="seq_cst")
    kinds[t] = atomic.exchange(cells, t, Cell(f32(s[t].tag.age), Kind.FULL))
    atomic.compare_exchange(tags, t, Tag(1, True, 2), Tag(10, False, 20), scope="system")


@pytest.mark.parametrize("device", DEVICES)
def test_every_form(device: str) -> None:
    rows, cells, tags = drawn(Row, 64), drawn(Cell, 64, 2), drawn(Tag, 64, 3)
    tags[::3] = (1, True, 2)
    given = (rows, cells, tags, np.zeros_like(rows), np.zeros_like(cells))
    got = launched(all_forms, device, *[one.copy() for one in given], block_=64)
    assert got[3].tobytes() == rows.tobytes() and got[4].tobytes() == cells.tobytes()
    t = 5
    assert got[0][t].tolist() == (t, 200, [-1.5], -0.0, (-3, False, 9), 7)
    assert np.signbit(got[0]["d"]).all() and got[0]["tag"]["seen"].tolist() == [True, False] * 32
    assert got[1].tolist() == [(6.0, 7)] * 64
    tags[::3] = (10, False, 20)
    assert got[2].tobytes() == tags.tobytes(), "where the bits are not those that were expected, nothing is written"


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def both_halves(y: SliceMut[f16x2]) -> None:
    old = atomic.load(y, 0)
    while True:
        seen = atomic.compare_exchange(y, 0, old, f16x2(old.x + 1, old.y + 2))
        if bits.cast(u32, seen) == bits.cast(u32, old):
            break
        old = seen


@pytest.mark.parametrize("device", DEVICES)
def test_a_pair_of_halves_in_one_piece(device: str) -> None:
    (got,) = launched(both_halves, device, np.zeros(1, [("x", "f2"), ("y", "f2")]), grid_=2, block_=64)
    assert got.tolist() == [(128.0, 256.0)]


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(64, 1, 1))
def swapped(out: SliceMut[Best]) -> None:
    s = shared.array(Best, 64)
    t = thread.idx.x
    cluster.sync()
    with unsafe("each element has one thread of the other block"):
        atomic.store(cluster.map_shared(s, 1 - cluster.rank), t, Best(f64(t), i64(cluster.rank)), scope="cluster")
    cluster.sync()
    out[thread.index_1d().get()] = s[t]


@pytest.mark.parametrize("device", [one for one in DEVICES if one != "cpu"])
def test_another_blocks_memory(device: str) -> None:
    (got,) = launched(swapped, device, np.zeros(128, record(Best)), grid_=2, block_=64)
    assert got.tolist() == [(float(t), 1 - b) for b in range(2) for t in range(64)]


def test_in_the_interpreter_threads_come_one_after_the_other() -> None:
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def last(y: SliceMut[Best], was: SliceMut[Best]) -> None:
        require(grid.dim.x == 1)
        t = thread.idx.x
        was[t] = atomic.exchange(y, 0, Best(f64(t), i64(t)))

    y, was = launched(last, "interp", np.zeros(1, record(Best)), np.zeros(64, record(Best)), block_=64)
    assert y.tolist() == [(63.0, 63)] and was["at"].tolist() == [0, *range(63)]


# ---- the instructions


@pytest.mark.parametrize("kind", WHOLE)
def test_each_has_its_order_scope_and_space(kind: str) -> None:
    values = {"load": "", "store": ", Best(1.0, 1)", "exchange": ", Best(1.0, 1)", "compare_exchange": ", Best(1.0, 1), Best(2.0, 2)"}[kind]
    code = compiled(f"s = shared.array(Best, 2)\natomic.{kind}(s, 0{values})", shared=shared, atomic=atomic, Best=Best)
    module = lowered(code)
    verify(parse_module(print_module(module)))
    (op,) = [each for each in module.kernel.body.walk() if each.name == "atomic"]
    letters = {"load": "ld.{}.{}.shared.b128", "store": "st.{}.{}.shared.b128", "exchange": "atom.{}.{}.shared.exch.b128"}
    letters["compare_exchange"] = "atom.{}.{}.shared.cas.b128"
    spelt = {"block": "cta", "cluster": "cluster", "device": "gpu", "system": "sys"}
    strong = {"load": "acquire", "store": "release"}.get(kind, "acq_rel")
    orders = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst")}.get(kind, ORDERS)
    for order, scope in product(orders, SCOPES):
        op.attrs.update(order=order, scope=scope)
        text = nvptx.llvm_text(module, nvptx_target("sm_90a"), CodegenOptions(lineinfo=False))
        wanted = [f"fence.sc.{spelt[scope]}"] if order == "seq_cst" else []
        wanted.append(letters[kind].format(strong if order == "seq_cst" else order, spelt[scope]))
        assert re.findall(r"((?:atom|ld|st|fence)\.(?:relaxed|acquire|release|acq_rel|sc)[\w.:]*)", text) == wanted


@pytest.mark.parametrize("arch", ["sm_80", *WIDE])
def test_they_assemble(arch: str) -> None:
    assemble(ptx(both_halves, arch), arch)
    if arch in WIDE:
        for each in (best_of, all_forms, swapped):
            assemble(ptx(each, arch), arch)


def test_sixteen_bytes_begin_with_sm_90() -> None:
    with pytest.raises(ox.CompileError) as caught:
        ptx(best_of, "sm_80")
    assert (caught.value.code, "an atomic access of 16 bytes needs sm_90" in str(caught.value)) == ("OX6001", True)


# ---- what is refused


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("atomic.exchange(s, 0, Gap(1, 2.0))", "`Gap` has 8, of which some belong to no field"),
        ("atomic.load(t, 0)", "moves elements of 4, 8 or 16 bytes in one piece, and `Long` has 24"),
        ("atomic.load(r[0].tag)", "`Tag` is a part of an element"),
        ("atomic.store(r, 0, Best(1.0, 1))", "`Row` and `Best`"),
        ("atomic.add(r, 0, r[0])", "`atomic.add` is for numbers"),
        ("atomic.load(r, 0, order='release')", 'cannot have the order "release"'),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    names = {"Gap": Gap, "Long": Long, "Row": Row, "Best": Best, "shared": shared, "atomic": atomic, "block": block}
    found = refused(compiled(f"s, t, r = shared.array(Gap, 2), shared.array(Long, 2), shared.array(Row, 2)\n{body}", **names))
    assert (found.code, part in found.message) == ("OX0308", True), found.message


def test_memory_that_begins_elsewhere_is_refused() -> None:
    @kernel
    @launch_contract(domain=1, block=(1, 1, 1))
    def one(cells: SliceMut[Cell], y: SliceMut[i32]) -> None:
        require(grid.dim.x == 1)
        y[0] = i32(atomic.exchange(cells, 0, Cell(1.0, Kind.FULL)).value)

    stream = ox.Context("cpu").default_stream()
    whole = ox.DeviceBuffer.zeros(stream, 9, f32)
    y = ox.DeviceBuffer.zeros(stream, 1, i32)
    prepared = one.prepare(stream.context, ox.LaunchConfig1D(1, 1))
    prepared(stream, whole[:8].reinterpret(Cell), y)
    with pytest.raises(LaunchError, match="at a multiple of 8 bytes, which the kernel moves as one"):
        prepared(stream, whole[1:].reinterpret(Cell), y)


@pytest.mark.parametrize("change", ['kind = "add"', "offset = 8"], ids=["kind", "offset"])
def test_the_verifier_holds_them_to_their_form(change: str) -> None:
    text = print_module(lowered(compiled("s = shared.array(Best, 2)\natomic.load(s, 0)", shared=shared, atomic=atomic, Best=Best)))
    broken = text.replace('atomic "load"', 'atomic "add"') if "kind" in change else text.replace("[offset = 0", "[offset = 8")
    assert broken != text
    with pytest.raises(InvalidIR):
        verify(parse_module(broken))


def test_halves_are_numbers_of_two_bytes() -> None:
    @struct
    @dataclass(frozen=True)
    class Three:
        a: f16
        b: f16
        c: f32

    kernel_ = compiled("s = shared.array(Three, 2)\natomic.load(s, 0)", shared=shared, atomic=atomic, Three=Three)
    (op,) = [each for each in lowered(kernel_).kernel.body.walk() if each.name == "atomic"]
    assert [str(one.type) for one in op.results] == ["u64"] and op.attrs["whole"]
