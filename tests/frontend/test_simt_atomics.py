"""Atomic accesses and fences: operations, orders and scopes, elements, checks."""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import every, refused, run
from frontend.test_refused import compiled
from loading import defined

from oxidepy import (
    D2,
    CompileError,
    DisjointSlice,
    SliceMut,
    atomic,
    block,
    f16x2,
    f32,
    f64,
    fence,
    grid,
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
    u64,
    unroll,
)
from oxidepy.runtime.elements import dtype_of, element_of


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def operations(y: SliceMut[i32], old: SliceMut[i32]) -> None:
    t = thread.idx.x
    old[t] = atomic.add(y, 0, t)
    atomic.sub(y, 1, t)
    atomic.min(y, 2, -t)
    atomic.max(y, 3, t)
    atomic.and_(y, 4, ~(1 << (t % 32)))
    atomic.or_(y, 5, 1 << (t % 16))
    atomic.xor(y, 6, t)
    atomic.exchange(y, 7, 5)
    if t == 0:
        atomic.store(y, 8, 77)
        old[64] = atomic.load(y, 8)
        old[65] = atomic.compare_exchange(y, 9, 1, 2)
        old[66] = atomic.compare_exchange(y, 9, 0, 3)


def test_operations() -> None:
    y, old = np.zeros(10, np.int32), np.zeros(67, np.int32)
    y[4] = -1
    assert run(operations, y, old) is None
    xors = 0
    for t in range(64):
        xors ^= t
    assert y.tolist() == [2016, -2016, -63, 63, 0, 0xFFFF, xors, 5, 77, 3]
    assert old.tolist() == [0, *np.cumsum(np.arange(64)).tolist()[:-1], 77, 0, 0]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def words(y: SliceMut[u32]) -> None:
    s = shared.array(u64, 4)
    atomic.add(y, 0, 1)
    atomic.add(y, 0, 1, "acquire")
    atomic.add(y, 0, 1, "seq_cst", "system")
    atomic.add(y, 0, 1, scope="block")
    atomic.add(y, 0, 1, "acq_rel", scope="cluster")
    atomic.load(s, 1, order="acquire", scope="block")
    atomic.store(s, 2, 5, "release")
    fence()
    fence("system")
    fence(scope="block")


def test_orders_and_scopes() -> None:
    ops = [op for op in every(words) if op.name == "atomic"]
    assert [(op.attrs["kind"], op.attrs["order"], op.attrs["scope"]) for op in ops] == [
        ("add", "relaxed", "device"),
        ("add", "acquire", "device"),
        ("add", "seq_cst", "system"),
        ("add", "relaxed", "block"),
        ("add", "acq_rel", "cluster"),
        ("load", "acquire", "block"),
        ("store", "release", "device"),
    ]
    assert [op.attrs["scope"] for op in every(words) if op.name == "fence"] == ["device", "system", "block"]


@struct
@dataclass(frozen=True)
class Pair:
    a: i32
    t: tuple[i32, i32] = (0, 0)


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("atomic.add(y, 0)", "OX0308", "takes 3 to 5 arguments"),
        ("atomic.add(y[0], 1.0)", "OX0308", "takes a slice and an index, and this is an element"),
        ("atomic.load(y[n])", "OX0308", "takes a slice and an index, and this is an element"),
        ("s = shared.array(Pair, 2)\natomic.add(s[0].a)", "OX0308", "takes 2 to 4 arguments, and is given 1"),
        ("s = shared.array(Pair, 2)\natomic.add(s[0].b, 1)", "OX0425", "`Pair` has no field `b`"),
        ("s = shared.array(Pair, 2)\natomic.add(s[0].a, f)", "OX0308", "`i32` and `f32`"),
        ("s = shared.array(Pair, 2)\natomic.add(s[0].t, 1)", "OX0308", "is for numbers"),
        ("s = local.array(Pair, 2)\natomic.add(s[0].a, 1)", "OX0308", "no other thread sees"),
        ("atomic.add(f, 0, 1.0)", "OX0308", "takes a slice and an index"),
        ("atomic.add(x, 0, 1.0)", "OX0308", "`x` is a `Slice`, which is read-only"),
        ("atomic.add(d, 0, 1.0)", "OX0308", "one thread's own"),
        ("atomic.add(local.array(f32, 2), 0, 1.0)", "OX0308", "no other thread sees"),
        ("atomic.add(y, 0, n)", "OX0308", "`f32` and `i32`"),
        ("atomic.add(y, f, 1.0)", "OX0308", "an index is an integer"),
        ("atomic.add(y, (0, 1), 1.0)", "OX0308", "`y` has 1 axis, and this names 2 indices"),
        ("atomic.add(y, -1, 1.0)", "OX5003", "negative index"),
        ("atomic.or_(y, 0, 1.0)", "OX0308", "is for integers"),
        ("s = shared.array(Pair, 2)\natomic.add(s, 0, 1)", "OX0308", "is for numbers"),
        ("s = shared.array(bool, 2)\natomic.exchange(s, 0, True)", "OX0308", "is for numbers"),
        ("atomic.add(y, 0, 1.0, order='strong')", "OX0308", '`order` of `atomic.add` is "strong"'),
        ("atomic.add(y, 0, 1.0, order=n)", "OX0308", "`order` of `atomic.add` is `i32`"),
        ("atomic.add(y, 0, 1.0, 'relaxed', 'warp')", "OX0308", '`scope` of `atomic.add` is "warp"'),
        ("atomic.add(y, 0, 1.0, 'relaxed', order='relaxed')", "OX0308", "given `order` twice"),
        ("a = atomic.load(y, 0, 'release')", "OX0308", 'cannot have the order "release"'),
        ("atomic.store(y, 0, 1.0, 'acquire')", "OX0308", 'cannot have the order "acquire"'),
        ("fence('grid')", "OX0308", '`scope` of `fence` is "grid"'),
        ("fence(order='relaxed')", "OX0425", "no parameter `order`"),
        ("atomic.nand(y, 0, 1.0)", "OX0425", "has no `nand`"),
    ],
)
def test_what_is_refused(body: str, code: str, part: str) -> None:
    found = refused(with_own(body))
    assert (found.code, part in found.message) == (code, True), (found.code, found.message)


def test_the_way_out_of_a_read_only_slice_is_one_that_atomics_take() -> None:
    assert refused(with_own("atomic.add(x, 0, 1.0)")).help == "annotate it as `SliceMut[f32]`"


def with_own(body: str) -> Any:
    """A kernel that has a DisjointSlice `d` too."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    head = "def k(y: SliceMut[f32], x: Slice[f32], n: i32, f: f32, d: DisjointSlice[f32]) -> None:\n"
    source = f"@kernel\n@launch_contract(domain=1, block=(32, 1, 1))\n{head}{lines}"
    from oxidepy import Slice, local

    return defined(source, {**globals(), "Slice": Slice, "local": local})["k"]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def many_types(y: SliceMut[f64, D2], counts: SliceMut[u32], i: i64) -> None:
    s = shared.array(f32, (2, 2))
    t = thread.idx.x
    if t < 4:
        s[t // 2, t % 2] = 0.0
    block.sync()
    at = (t % 2, 1)
    atomic.add(s, at, 0.5, scope="block")
    atomic.max(y, (1, i), f64(t))
    atomic.add(counts, thread.index_1d(), 1)
    block.sync()
    if t < 2:
        y[0, t] = f64(s[t, 1])


def test_indices_and_elements_of_many_types() -> None:
    y, counts = np.zeros((2, 3)), np.zeros(32, np.uint32)
    assert run(many_types, y, counts, 2) is None
    assert y.tolist() == [[8, 8, 0], [0, 0, 31]]
    assert counts.tolist() == [1] * 32
    panic = run(many_types, y, counts, 3)
    assert panic is not None and panic.site.attrs["message"] == "index out of bounds of `y`"
    panic = run(many_types, y, counts[:5], 2)
    assert panic is not None and (panic.index, panic.length, panic.thread) == (5, 5, (5, 0, 0))


def test_helpers_use_atomics_on_what_they_are_given() -> None:
    def count(bins: SliceMut[i32], i: i32) -> i32:
        return atomic.add(bins, i, 1)

    kernel_ = compiled("s = shared.array(i32, 4)\ns[0] = count(s, 2)", shared=shared, count=count)
    assert [op.attrs["kind"] for op in every(kernel_) if op.name == "atomic"] == ["add"]


@struct
@dataclass(frozen=True)
class Best:
    score: f32
    votes: tuple[u32, u32]


@struct
@dataclass(frozen=True)
class Slot:
    taken: u8
    count: i64
    best: Best
    pair: f16x2


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def fields(slots: SliceMut[Slot], old: SliceMut[i64]) -> None:
    require(grid.dim.x == 1)
    t = thread.idx.x
    s = shared.array(Slot, 2)
    if t < 2:
        s[t] = slots[t]
    block.sync()
    old[t] = atomic.add(slots[t % 2].count, 1, "acq_rel", scope="device")
    atomic.max(s[t % 2].best.score, f32(t), scope="block")
    for k in unroll(range(2)):
        atomic.sub(slots[1].best.votes[k], u32(k + 1))
    atomic.add(slots[0].pair, f16x2(1.0, 0.5))
    block.sync()
    if t == 0:
        atomic.compare_exchange(slots[0].best.votes[0], 7, 9)
        atomic.store(slots[1].best.score, atomic.load(s[1].best.score, order="acquire"))


def test_fields_of_elements() -> None:
    slots, old = np.zeros(2, dtype_of(element_of(Slot))), np.zeros(64, np.int64)
    slots[0]["best"]["votes"][0] = 7
    assert run(fields, slots, old) is None
    assert sorted(old.tolist()) == sorted([*range(32)] * 2)
    assert slots["count"].tolist() == [32, 32] and slots["taken"].tolist() == [0, 0]
    assert slots["best"]["votes"].tolist() == [[9, 0], [2**32 - 64, 2**32 - 128]]
    assert slots["best"]["score"].tolist() == [0.0, 63.0]
    assert (slots["pair"]["x"].tolist(), slots["pair"]["y"].tolist()) == ([64, 0], [32, 0])


@pytest.mark.parametrize("arch", ARCHES[1:])
def test_fields_of_elements_assemble(arch: str) -> None:
    assemble(fields.ptx(arch), arch)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def beside(slots: SliceMut[Slot], out: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in out:
        i = idx.get() // 2
        atomic.add(slots[i].count, 1)  # another field than the one that is read
        atomic.add(slots[i].best.votes[1], 1)
        out[idx] = slots[i].best.score + f32(slots[i].best.votes[1])


def test_a_plain_access_beside_an_atomic_one_of_a_field() -> None:
    with pytest.raises(CompileError) as caught:
        beside.ptx("sm_80")
    (found,) = caught.value.diagnostics
    assert found.code == "OX4002" and "`atomic.load(slots[i].best.votes[1])`" in str(found.help)
