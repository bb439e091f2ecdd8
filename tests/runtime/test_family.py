"""Families of kernels: which variant is chosen, what it is launched with, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    Const,
    DeviceBuffer,
    DisjointSlice,
    KernelFamily,
    LaunchError,
    Slice,
    Variant,
    f32,
    kernel,
    launch_contract,
    thread,
    unroll,
)


@dataclass(frozen=True)
class Size:
    n: int


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def powers(x: Slice[f32], y: DisjointSlice[f32], degree: Const[int]) -> None:
    idx = thread.index_1d()
    if idx in y:
        result = f32(1)
        for _ in unroll(range(degree)):
            result *= x[idx]
        y[idx] = result


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def twice(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] * 2.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1), min_compute_capability=(99, 0))
def later(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] * 7.0


VARIANTS: list[Variant[Size]] = [
    Variant("cube", powers, {"degree": 3}, when=lambda size: size.n > 100),
    Variant("square", powers, {"degree": 2}, when=lambda size: size.n > 10),
    Variant("double", twice),
]


def _run(stream: Any, family: KernelFamily[Size], n: int, **options: Any) -> tuple[str, bool, float]:
    x, y = DeviceBuffer.from_host(stream, np.full(n, 3, np.float32)), DeviceBuffer.zeros(stream, n, f32)
    chosen = family.select(Size(n), context=stream.context, **options)
    chosen.launch(stream, x, y)
    first = y.to_host(stream)
    y.fill(stream, 0)
    chosen.prepare(stream.context, n)(stream, x, y)
    assert (y.to_host(stream) == first).all()
    return chosen.name, chosen.cached, float(first[0])


def test_the_first_that_holds_is_taken(stream: Any) -> None:
    family = KernelFamily("scale", VARIANTS)
    assert _run(stream, family, 200) == ("cube", False, 27.0)
    assert _run(stream, family, 50) == ("square", False, 9.0)
    assert _run(stream, family, 5) == ("double", False, 6.0)
    assert _run(stream, family, 200) == ("cube", True, 27.0)
    assert _run(stream, family, 200, force="double") == ("double", False, 6.0)
    assert repr(family) == "<family scale@1: cube, square, double>"


def test_choices_are_kept_by_revision(stream: Any) -> None:
    kept: dict[str, str] = {}
    first = KernelFamily("scale", VARIANTS, cache=kept)
    assert _run(stream, first, 50)[:2] == ("square", False)
    assert list(kept.values()) == ["square"] and next(iter(kept)).startswith("scale@1/") and "Size(n=50)" in next(iter(kept))
    assert _run(stream, KernelFamily("scale", VARIANTS, cache=kept), 50)[:2] == ("square", True)
    assert _run(stream, KernelFamily("scale", VARIANTS, revision=2, cache=kept), 50)[:2] == ("square", False)
    kept.update(dict.fromkeys(kept, "gone"))  # a variant that there is no more
    assert _run(stream, first, 50)[:2] == ("square", False)


def test_a_function_of_ones_own_chooses(stream: Any) -> None:
    asked: list[list[str]] = []

    def last(size: Size, able: Sequence[Variant[Size]]) -> Variant[Size]:
        asked.append([one.name for one in able])
        return able[-1]

    family = KernelFamily("scale", VARIANTS, choose=last)
    assert [_run(stream, family, n)[0] for n in (200, 50, 200)] == ["double"] * 3
    assert asked == [["cube", "square", "double"], ["square", "double"]]
    stray = KernelFamily("scale", VARIANTS, choose=lambda size, able: Variant("other", twice))
    with pytest.raises(LaunchError, match="gave none of the variants") as caught:
        stray.select(Size(3), context=stream.context)
    assert caught.value.code == "OX2008"


def test_a_kernel_for_other_devices_is_passed_over(stream: Any) -> None:
    """A contract's compute capability counts on CUDA devices alone."""
    family = KernelFamily("scale", [Variant("later", later), *VARIANTS])
    assert family.select(Size(5), context=stream.context).name == "later"

    class Card:
        name, description, compute_capability = "cuda:0", "a card", (8, 0)

    card: Any = Card()
    assert family.select(Size(5), context=card).name == "double"


def test_what_is_refused(ctx: ox.Context) -> None:
    for variants, code, part in (
        ([], "OX2001", "has no variants"),
        ([Variant("a", twice), Variant("a", twice)], "OX2001", "two variants of one name"),
        ([Variant("a", powers, {"degre": 2})], "OX0425", "gives a value for `degre`"),
    ):
        with pytest.raises(LaunchError, match=part) as caught:
            KernelFamily("scale", variants)
        assert caught.value.code == code
    family = KernelFamily("scale", VARIANTS[:1])
    with pytest.raises(LaunchError, match=r"no variant of `scale@1` takes Size\(n=5\)") as caught:
        family.select(Size(5), context=ctx)
    assert caught.value.code == "OX2008"
    with pytest.raises(LaunchError, match="has no variant `cubed`") as caught:
        family.select(Size(5), force="cubed", context=ctx)
    assert caught.value.code == "OX0425" and caught.value.diagnostic.help == "did you mean `cube`?"


def test_what_a_variant_has_is_not_given_again(stream: Any) -> None:
    x, y = DeviceBuffer.zeros(stream, 4, f32), DeviceBuffer.zeros(stream, 4, f32)
    chosen = KernelFamily("scale", VARIANTS).select(Size(50), context=stream.context)
    for launch in (chosen.launch, chosen.prepare(stream.context, 4)):
        with pytest.raises(LaunchError, match=r"`degree` of `powers` has its value from the variant `square`") as caught:
            launch(stream, x, y, degree=5)
        assert caught.value.code == "OX2007"


@pytest.mark.parametrize("one", [twice, Variant("double", cast("Any", twice.definition.function)), Variant("double", cast("Any", None))])
def test_what_is_no_variant_is_refused(one: Any) -> None:
    with pytest.raises(LaunchError, match=r"the family `scale@1` got a Kernel|the variant `double` of `scale@1` has a ") as caught:
        KernelFamily("scale", [one])
    assert caught.value.code == "OX2001"
