"""Long kernels are proven in a time that grows with their length, or its square at worst: counted are questions, not seconds."""

from __future__ import annotations

from typing import Any

import pytest
from loading import defined

from oxidepy import D2, Slice, SliceMut, block, f32, kernel, launch_contract, shared, thread, wgmma
from oxidepy.analysis import guards, races
from oxidepy.analysis.races.equations import Refuter
from oxidepy.analysis.races.known import Known
from oxidepy.compiler import bounds
from oxidepy.frontend.lower import lower
from oxidepy.ir.core import Module
from oxidepy.ir.depth import deep
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

NAMES = {
    "D2": D2, "Slice": Slice, "SliceMut": SliceMut, "block": block, "f32": f32, "kernel": kernel, "launch_contract": launch_contract,
    "shared": shared, "thread": thread, "wgmma": wgmma,
}  # fmt: skip
PRODUCT = """@kernel
@launch_contract(domain=2, block=(128, 1, 1))
def made(c: SliceMut[f32, D2]) -> None:
    wgmma.store(c, (64 * block.idx.y, COLUMNS * block.idx.x), wgmma.zeros(COLUMNS))
"""
READS = """@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def made(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    v = f32(0)
"""


TILE = """@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def made(c: SliceMut[f32, D2]) -> None:
    r, q = block.idx.y * 128 + thread.idx.y * 8, block.idx.x * 128 + thread.idx.x * 8
    m, n = c.shape
"""


def made(text: str) -> Module:
    return lower(defined(text, NAMES)["made"].definition, Specialisation(), CodegenOptions()).module


def reads(count: int) -> Module:
    body = [f"    v += x[(i * {2 * number + 1} + {number}) % len(x)]" for number in range(count)]
    return made(READS + "\n".join([*body, "    if i < len(y):", "        y[i] = v"]) + "\n")


def count(owner: type, name: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    calls, before = [0], getattr(owner, name)

    def counted(self: Any, *args: Any) -> Any:
        calls[0] += 1
        return before(self, *args)

    monkeypatch.setattr(owner, name, counted)
    return calls


@pytest.mark.parametrize("columns", [64, 136])
def test_sums_of_a_wide_product_need_few_questions(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 136 columns, the first column of a block may wrap."""
    calls = count(Refuter, "refutes", monkeypatch)
    proof = races.prove(made(PRODUCT.replace("COLUMNS", str(columns))))
    pairs = columns // 2 * (columns // 2 + 1) // 2
    assert proof.diagnostics == () and proof.staked == () and proof.pairs == pairs
    assert calls[0] < 4 * columns


def test_a_condition_that_is_paid_for_serves_all_elements_of_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first pair of elements it is found that indices do not wrap under it; the others are taken so at once."""
    calls = count(Refuter, "refutes", monkeypatch)
    stores = (f"    if r + {i} < m and q + {j} < n:\n        c[r + {i}, q + {j}] = 1.0\n" for i in range(3) for j in range(3))
    proof = races.prove(made(TILE + "".join(stores)))
    assert (proof.diagnostics, [one.text for one in proof.staked], proof.pairs) == ((), ["grid.dim.x <= 16777216"], 45)
    assert calls[0] < proof.pairs // 2


def test_remainders_of_a_length_are_inside_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = count(Known, "_follows", monkeypatch)
    found: list[int] = []
    for number in (20, 40):
        module, steps[0] = reads(number), 0
        settled = bounds.settle(module, guards.prove(module).relations, asserts=True, cache=None, hoist=False)
        assert (settled.proven, settled.hoisted) == (number, 1)  # the check of the divisor: 1 <= len(x)
        found.append(steps[0])
    assert found[1] < 4 * found[0]


def test_of_facts_that_differ_by_a_number_the_strongest_stays() -> None:
    from oxidepy.analysis.races.terms import Terms, at_least_zero, strongest

    terms = Terms()
    n = terms.of(terms.symbol("n", 4, (-100, 100), "launch"))
    m = terms.of(terms.symbol("m", 4, (-100, 100), "launch"))
    known = Known()
    for less in (3, 8, 5):
        known.assume(at_least_zero(n - m - less))
    assert list(known.facts) == [n - m - 8]
    assert known.nonnegative(n - m - 8) and not known.nonnegative(n - m - 9)
    assert strongest([at_least_zero(n - m - 3), at_least_zero(m), at_least_zero(n - m - 8)]) == [at_least_zero(m), at_least_zero(n - m - 8)]


@pytest.mark.parametrize(("condition", "codes"), [("", []), ("if thread.idx.x > 9:\n        ", ["OX4003"])])
def test_numbers_that_are_multiplied_round_by_round_stay_numbers(condition: str, codes: list[str]) -> None:
    """Of 3**700 the digits of the type count, and no float holds it. Times an odd number the indices still differ, modulo 2**32 too."""
    rounds = f"    {condition}u = u * 3 + 1\n" * 700
    with deep():
        proof = races.prove(made(f"{READS}    u = i\n{rounds}    if u >= 0 and u < len(y):\n        y[u] = v\n"), trial=False)
    assert [one.code for one in proof.diagnostics] == codes
