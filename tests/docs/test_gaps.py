"""What README and the language page say is missing is refused, with a code: where it has come, the pages must say so."""

# mypy: ignore-errors
from __future__ import annotations

from pathlib import Path

import pytest

import oxidepy as ox
from oxidepy import (
    SliceMut,
    i32,
    kernel,
)

ROOT = Path(__file__).parents[2]
PAGES = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/language.md")]


def factorial(n: i32) -> i32:
    return 1 if n < 2 else n * factorial(n - 1)


@kernel
def recursion(y: SliceMut[i32]) -> None:
    y[0] = factorial(5)


# kernel → the words of the pages that it stands for
LANGUAGE = {
    "recursion": recursion,
}


@pytest.mark.parametrize("words", LANGUAGE)
def test_language(words: str) -> None:
    assert words in PAGES[1]
    with pytest.raises(ox.CompileError) as refused:
        LANGUAGE[words].ptx("sm_80")
    assert refused.value.code == "OX0658" and refused.value.diagnostics[0].help, refused.value


@pytest.mark.parametrize("name", ["tile"])
def test_missing_names(name: str) -> None:
    assert f"the {name} track" in PAGES[0]
    assert not hasattr(ox, name)
