"""What does not go together is refused, with the casts that mend it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import ModuleType

import pytest
from semantics.batch import load

from oxidepy.diagnostics import Diagnostic
from oxidepy.runtime.checking import check_definition
from oxidepy.settings.options import CodegenOptions


@dataclass(frozen=True)
class Refusal:
    """A statement with typed scalars `a`, `b`, `c` and what is said of it: every one of `words` is in the message, label or help."""

    body: str
    params: str
    code: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.body}  |  {self.params}"


def no(body: str, params: str, code: str = "OX0308", *words: str) -> Refusal:
    return Refusal(body, params, code, words)


REFUSALS = [
    # operands of one type, else the cast to write
    no("x = a + b", "a: u64, b: i64", "OX0308", "i64(a)", "u64(b)"),
    no("x = a + b", "a: i32, b: f32", "OX0308", "f32(a)"),
    no("x = a * b", "a: f32, b: f64", "OX0308", "f64(a)"),
    no("x = a & b", "a: i8, b: i32", "OX0308", "i32(a)"),
    no("x = a << b", "a: i32, b: u32", "OX0308"),
    no("x = a // b", "a: u8, b: i8", "OX0308"),
    no("x = a < b", "a: u64, b: i64", "OX0308", "u64"),
    no("x = a == b", "a: i32, b: f32", "OX0308"),
    no("x = a < b < c", "a: i32, b: i32, c: u32", "OX0308"),
    no("x = max(a, b)", "a: i32, b: u32", "OX0308"),
    no("x = a if c else b", "a: i32, b: f32, c: bool", "OX0308"),
    no("a += b", "a: i32, b: i64", "OX0308"),
    # what the types do not have
    no("x = a + b", "a: bool, b: bool", "OX0308", "i32("),
    no("x = a + 1", "a: bool", "OX0308"),
    no("x = a / b", "a: i32, b: i32", "OX0308", "//"),
    no("x = a & b", "a: f32, b: f32", "OX0308"),
    no("x = ~a", "a: f32", "OX0308"),
    no("x = not a", "a: i32", "OX0308", "!= 0"),
    no("x = 1 if a else 0", "a: i32", "OX0308", "!= 0"),
    no("while a:\n    a -= 1", "a: i32", "OX0308", "!= 0"),
    no("x = a and b", "a: i32, b: i32", "OX0308"),
    # literals fit or are refused
    no("x = a + 300", "a: u8", "OX0308", "300", "u8"),
    no("x = a + -1", "a: u32", "OX0308", "-1", "u32"),
    no("x = 3000000000\nx = x + a", "a: i32", "OX0308", "3000000000"),
    no("x = 319 * 7864320\nx = x + a", "a: i32", "OX0308", "2508718080"),
    no("x: u8 = -1", "a: i32", "OX0308", "-1"),
    no("x = a + 1.0", "a: i32", "OX0308"),
    no("x: i32 = 1.5", "a: i32", "OX0308"),
    # a name keeps its type where rounds and branches meet
    no("x = i32(0)\nfor i in range(a):\n    x = f32(1)\nx = x", "a: i32", "OX0308"),
    no("x = i32(0)\nwhile a > 0:\n    x = i64(1)\n    a -= 1\nx = x", "a: i32", "OX0308"),
    no("if a > 0:\n    x = i32(1)\nelse:\n    x = f32(1)\ny = x", "a: i32", "OX0308"),
    no("x: f32 = a", "a: i32", "OX0308", "f32(a)"),
    no("x: f32 = i32(1)", "a: i32", "OX0308"),
    # names
    no("x = nosuch", "a: i32", "OX0425", "nosuch"),
    no("x = thred.idx.x", "a: i32", "OX0425", "thread"),
    no("if a > 0:\n    x = a\ny = x", "a: i32", "OX0381", "x"),
    no("for i in range(a):\n    x = i\ny = x", "a: i32", "OX0381", "x"),
    # no such thing in a kernel
    no("x = [a, a]", "a: i32", "OX0658"),
    no("x = {a: 1}", "a: i32", "OX0658"),
    no("try:\n    a += 1\nexcept ValueError:\n    pass", "a: i32", "OX0658"),
    no("import math", "a: i32", "OX0658"),
    # indices
    no("x = data[-1]", "data: Slice[f32]", "OX5003"),
    no("x = data[a]", "data: Slice[f32], a: f32", "OX0308"),
    no("data[0] = 1.0", "data: Slice[f32]", "OX0308"),
    no("data[0] = a", "data: SliceMut[f32], a: f64", "OX0308", "f32(a)"),
    no("data[0] = a", "data: SliceMut[i64], a: i32", "OX0308", "i64(a)"),
    no("data[0] = len(data)", "data: SliceMut[i64]", "OX0308", "i64("),
    no("data[thread.index_1d()] = 1.0", "data: DisjointSlice[f32]", "OX5002"),
]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """All of them in one module: one bad kernel does not affect its neighbour."""
    text = ""
    for number, one in enumerate(REFUSALS):
        body = "".join(f"    {line}\n" for line in one.body.split("\n"))
        text += f"\n@kernel\ndef k{number}({one.params}) -> None:\n{body}"
    return load(text, tmp_path_factory.mktemp("refusals"))


def findings(kernel: object) -> list[Diagnostic]:
    (check,) = check_definition(kernel.definition, CodegenOptions())  # type: ignore[attr-defined]
    return [one for one in check.diagnostics if one.severity == "error"]


@pytest.mark.parametrize("number", range(len(REFUSALS)), ids=[re.sub(r"\s+", " ", str(one)) for one in REFUSALS])
def test_refused(number: int, kernels: ModuleType) -> None:
    wanted = REFUSALS[number]
    found = findings(getattr(kernels, f"k{number}"))
    assert [one.code for one in found] == [wanted.code], [str((one.code, one.message)) for one in found]
    said = "\n".join((found[0].message, found[0].label, found[0].help or "", *found[0].notes))
    assert all(word in said for word in wanted.words), said
    assert found[0].span is not None
