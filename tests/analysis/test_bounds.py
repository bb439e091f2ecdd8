"""Bounds checks that contracts, `require`, loops and relations of launch values make needless, and those that must stay."""

from __future__ import annotations

from typing import Any

import pytest

from oxidepy import D2, DisjointSlice, Slice, block, f32, i32, kernel, launch_contract, thread
from oxidepy.analysis import bounds, guards, verdicts
from oxidepy.analysis.races.terms import Poly
from oxidepy.ir.core import Module, Require
from oxidepy.ir.parser import parse_module
from oxidepy.runtime.relations import evaluate

from .races.dynamic import Run
from .races.random_kernels import Maker, launches

HEAD = """kernel @k(
  %x: mem<f32, global, shared> = memory "x",
  %x.len: i32 = length "x",
  %w: mem<i32, global, shared> = memory "w",
  %w.len: i32 = length "w",
  %n: i32 = scalar "n",
  %m: i32 = scalar "m"
) domain 1 block 256x1x1 coordinates i32{requires} {{
  %zero = const 0 : i32
  %one = const 1 : i32
  %i = intrinsic "thread.global_id.x" : i32
  %t = intrinsic "thread.idx.x" : i32
"""
CHECK = '%p{1} = inbounds {0}, %x.len : bool\n check "OX7001" %p{1} [message = "m"]\n'
PRODUCT = '\n  require "len(x) == n * m" ("==", ("len", "x", 0), ("*", ("scalar", "n"), ("scalar", "m")))'


def module(body: str, requires: str = "") -> Module:
    return parse_module(HEAD.format(requires=requires) + body + "  return\n}\n")


def where(cond: str, body: str) -> str:
    return f"%c = {cond} : bool\n if %c {{\n {body} yield\n }} else {{\n yield\n }}\n"


def loop(stop: str, body: str) -> str:
    return f"for %zero, {stop}, %one [positive = true] (%q: i32) {{\n {body} yield\n }}\n"


ROWS = where("lt %i, %n", loop("%m", "%r = mul %i, %m : i32\n %s = add %r, %q : i32\n" + CHECK.format("%s", 1)))
PROVEN = {
    "a row of a matrix whose size is required": (ROWS, PRODUCT),
    "what an earlier check says": (
        CHECK.format("%i", 1) + "%h = floordiv %i, %two : i32\n".replace("%two", "%c2") + CHECK.format("%h", 2),
        "",
    ),
    "a neighbour inside": (where("gt %i, %zero", CHECK.format("%i", 1) + "%h = sub %i, %one : i32\n" + CHECK.format("%h", 2)), ""),
}
STRIDE = """%size = intrinsic "grid.size" : i32
%last = while %i : i32 (%j: i32) {
  %go = lt %j, %n : bool
  condition %go, %j
} do (%k: i32) {
CHECK  %next = add %k, %size : i32
  yield %next
}
""".replace("CHECK", CHECK.format("%k", 1))
HOISTED = {
    "a loop in steps of the grid, to a number": (STRIDE, ["n + 256 * grid.dim.x <= 2147483648", "n <= len(x)"]),
    "a row of a matrix of any size": (ROWS, ["n * m <= len(x)"]),
    "as many threads as elements": (CHECK.format("%i", 1), ["256 * grid.dim.x <= len(x)"]),
    "up to a number that is handed over": (where("lt %i, %n", CHECK.format("%i", 1)), ["n <= len(x)"]),
}
STAYS = {
    "an index out of memory": where("lt %i, %w.len", "%v = load %w, %i [offset = 0] : i32\n" + CHECK.format("%v", 1)),
    "below zero for some thread": "%h = sub %t, %one : i32\n" + CHECK.format("%h", 1),
    "what no ordinary launch keeps to": where(
        "lt %i, %n", "%c9 = const 2147483000 : i32\n%h = add %i, %c9 : i32\n" + CHECK.format("%h", 1)
    ),
    "a product of coordinates": "%h = mul %i, %i : i32\n%u = sub %h, %i : i32\n%v = mul %u, %h : i32\n" + CHECK.format("%v", 1),
}


def judged(body: str, requires: str = "") -> verdicts.Verdicts:
    found = module("%c2 = const 2 : i32\n" + body, requires)
    guards.prove(found)
    return bounds.judge(found)


@pytest.mark.parametrize("name", PROVEN)
def test_proven(name: str) -> None:
    found = judged(*PROVEN[name])
    assert not found.reasons and found.proven and not {max(found.proven)} & found.hoisted.keys(), found


@pytest.mark.parametrize("name", HOISTED)
def test_hoisted(name: str) -> None:
    body, relations = HOISTED[name]
    found = judged(body)
    assert set(found.hoisted) == {0} and not found.proven
    assert [one.text for one in found.relations] == relations


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def border_of_a_tile(m: Slice[f32, D2], at: i32, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    t, beyond = thread.idx.x, (block.idx.x + 1) * 16
    total = f32(0)
    if t < 16:
        for i in range(16):
            total += m[at + i, at + t]
            total += m[at + i, at + beyond + t]
            total += m[at + beyond + i, at + t]
    if idx in y:
        y[idx] = total


def test_relations_do_not_exclude_each_other_and_square_arrays_pass() -> None:
    hoisted = border_of_a_tile.report().proofs[0].hoisted
    assert "at + 16 + 16 * grid.dim.x <= len(m)" in hoisted
    assert not [one for one in hoisted if one.startswith("m.shape[1]")]  # `at + 16 <= m.shape[1]` is there: no launch would pass both


def test_rows_are_as_many_as_the_grid_has_not_as_a_grid_may_have() -> None:
    body = '%b = intrinsic "block.idx.y" : i32\n%c8 = const 8 : i32\n%h = mul %b, %c8 : i32\n' + CHECK.format("%h", 1)
    found = parse_module(HEAD.format(requires="").replace("domain 1", "domain 2") + body + "  return\n}\n")
    guards.prove(found)
    assert [one.text for one in bounds.judge(found).relations] == ["8 * grid.dim.y <= len(x) + 7"]


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    found = judged(STAYS[name])
    assert set(found.reasons) == {0} and not found.proven and not found.hoisted


def test_of_relations_that_differ_in_a_number_the_strictest_is_kept() -> None:
    n, m, x = ("scalar", "n"), ("scalar", "m"), ("len", "x", 0)
    loose = Require("n <= len(x) + 7", ("<=", n, ("+", x, ("int", 7))), None)
    plain = Require("n <= len(x)", ("<=", n, x), None)
    strict = Require("n + 2 <= len(x) + 1", ("<=", ("+", n, ("int", 2)), ("+", x, ("int", 1))), None)
    other = Require("m <= len(x)", ("<=", m, x), None)
    either = Require("n < 0 or n <= len(x)", ("or", ("<", n, ("int", 0)), ("<=", n, x)), None)
    found = bounds.Verdicts(hoisted={0: (loose, other), 1: (plain, either), 2: (strict, loose)})
    assert found.relations == (strict, other, either)


def test_checks_are_dropped_by_their_number() -> None:
    made = module(CHECK.format("%i", 1) + where("lt %i, %n", CHECK.format("%t", 2)) + CHECK.format("%n", 3))
    left = verdicts.numbered(made)
    verdicts.apply(made, verdicts.Verdicts({0}, {1: ()}), hoist=True)
    assert verdicts.numbered(made) == left[2:]
    verdicts.apply(made, verdicts.Verdicts(set(), {0: ()}), hoist=False)
    assert verdicts.numbered(made) == left[2:]


def _fails(said: verdicts.Verdicts, run: Run) -> list[int]:
    """The checks that were said to hold in this launch, and that a thread does not pass; operations said to be exact that are not."""

    values: dict[str, int] = {name: len(one) for name, one in run.arrays.items()}
    values.update(run.scalars)

    def look(leaf: tuple[Any, ...]) -> int:
        return run.grid[int(leaf[1])] if leaf[0] == "grid" else values[str(leaf[1])]

    numbers = {op: number for number, op in enumerate(verdicts.numbered(run.module))}
    run.go()
    failed = {numbers[op] for op in run.failed if op in numbers}
    held = {number for number, relations in said.hoisted.items() if all(evaluate(one.expr, look) for one in relations)}
    wrapped = [number for number, op in enumerate(run.module.kernel.body.walk()) if op in run.wrapped]
    return [*sorted(failed & (said.proven | held)), *sorted(set(wrapped) & set(said.exact))]


def search(first: int, count: int) -> tuple[list[str], int, int]:
    """Random kernels with a check that was wrongly found needless, and how many were found proven and hoisted in all."""
    wrong: list[str] = []
    proven = hoisted = 0
    for seed in range(first, first + count):
        made, text = Maker(seed).module()
        said = bounds.judge(made)
        proven, hoisted = proven + len(said.proven), hoisted + len(said.hoisted)
        wrong += [f"seed {seed}, checks {failed}\n{text}" for run in launches(made, seed, 3) if (failed := _fails(said, run))]
    return wrong, proven, hoisted


def test_no_thread_fails_a_check_that_is_said_to_hold() -> None:
    wrong, proven, hoisted = search(0, 300)
    assert wrong == []
    assert proven > 100 and hoisted > 20, (proven, hoisted)


def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lengths that are taken for one more than they are would be found."""

    def goals(index: Poly, length: Poly) -> tuple[Poly, Poly]:
        return index, length - index

    monkeypatch.setattr(bounds, "_goals", goals)
    assert search(0, 100)[0]
