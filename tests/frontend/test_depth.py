"""Long sums and long chains of branches are deep trees; accesses under `unsafe` carry their reason."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest
from frontend.running import every, refused, results
from frontend.test_refused import compiled

from oxidepy import SliceMut, f32, kernel, launch_contract, unsafe


def test_a_sum_of_many_terms() -> None:
    assert results(compiled("y[0] = f" + " + f" * 600), np.float32, 1, np.zeros(1, np.float32), 0, 1.0) == [601]


def test_a_long_chain_of_branches() -> None:
    body = "if n == 0:\n    y[0] = 1.0\n" + "".join(f"elif n == {i}:\n    y[0] = {i}.0\n" for i in range(1, 60))
    assert results(compiled(body), np.float32, 1, np.zeros(1, np.float32), 57, 1.0) == [57]


def test_what_is_too_deep_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxidepy.ir.depth.DEEPEST", 0)
    found = refused(compiled("y[0] = f" + " + f" * 700))
    assert found.code == "OX0658" and "nested too deeply" in found.message


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def vouched(y: SliceMut[f32], x: f32) -> None:
    y[0] = x
    with unsafe("one thread"):
        y[1] = x
        put(y, x)
    y[3] = x


def put(y: SliceMut[f32], x: f32) -> None:
    y[2] = x


def test_an_access_under_unsafe_carries_the_reason() -> None:
    reasons = [op.attrs.get("unsafe") for op in every(vouched) if op.name == "store"]
    assert reasons == [None, "one thread", "one thread", None]


@kernel(unsafe="checked by the caller")
@launch_contract(domain=1, block=(1, 1, 1))
def vouched_whole(y: SliceMut[f32]) -> None:
    y[0] += 1.0


def test_an_unsafe_kernel_vouches_for_all() -> None:
    assert [op.attrs.get("unsafe") for op in every(vouched_whole) if op.name in ("load", "store")] == ["checked by the caller"] * 2


@pytest.mark.parametrize("body", ["with unsafe('x'):\n    y[0] = nope\ny[1] = f"])
def test_a_mistake_under_unsafe_ends_it(body: str) -> None:
    assert refused(compiled(body, unsafe=unsafe)).code == "OX0425"
