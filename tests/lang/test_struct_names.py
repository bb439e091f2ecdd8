"""Fields of structs whose types are quoted, once or twice: names that come later in the file."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TypeVar

import pytest
from frontend.running import refused

from oxidepy import CompileError, SliceMut, f32, i32, kernel, launch_contract, struct
from oxidepy.ir.types import F32, I32
from oxidepy.lang.structs import layout_of

T = TypeVar("T")


@struct
@dataclass(frozen=True)
class Outer:
    first: "Inner"  # noqa: UP037 - what this file is about
    more: tuple["Inner", "Inner"]  # noqa: UP037
    n: "i32"  # noqa: UP037


@struct
@dataclass(frozen=True)
class Inner:
    x: f32

    @functools.cached_property
    def kept(self) -> f32:
        return self.x * 2.0

    @functools.lru_cache  # noqa: B019 - refused
    def known(self) -> f32:
        return self.x * 2.0


@struct
@dataclass(frozen=True)
class Itself:
    n: i32
    again: "Itself"  # noqa: UP037


@struct
@dataclass(frozen=True)
class Open:
    x: T


def test_names_that_come_later() -> None:
    layout = layout_of(Outer)
    assert layout is not None and [one[1] for one in layout.leaves()] == [F32, F32, F32, I32]


@pytest.mark.parametrize(("cls", "message", "help"), [(Itself, "contains itself", "hold an index"), (Open, "`T`", "a class for each type")])
def test_what_is_refused(cls: type, message: str, help: str) -> None:
    with pytest.raises(CompileError) as caught:
        layout_of(cls)
    (found,) = caught.value.diagnostics
    assert found.code == "OX1002" and message in found.message and help in found.help


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def kept(y: SliceMut[f32], one: Inner) -> None:
    y[0] = one.kept


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def known(y: SliceMut[f32], one: Inner) -> None:
    y[0] = one.known()


def test_decorated_methods() -> None:
    assert "make it a `@property`" in (refused(kept).help or "") and "take its decorator away" in (refused(known).help or "")
