"""Rows of a table become the statements of one kernel: each row stores one expression of one result type.

The inputs of a row come out of memory, so that nothing is folded; a result that is not of the row's type is refused by the compiler, so
a batch that compiles has all its types right.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from loading import load as import_file

import oxidepy as ox

DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]
TYPES = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64")
_NUMPY = {"bool": "bool", "i": "int", "u": "uint", "f": "float"}

HEAD = """import math
from enum import IntEnum
import oxidepy as ox
from oxidepy import DisjointSlice, Slice, SliceMut, bits, grid, kernel, launch_contract, math as m, require, thread, unroll
from oxidepy import bf16, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
"""


def dtype(name: str) -> np.dtype[Any]:
    return np.dtype(bool if name == "bool" else f"{_NUMPY[name[0]]}{name[1:]}")


@dataclass(frozen=True)
class Row:
    """`text`: an expression, or statements and an expression on the last line; `{a}` is the input of that name."""

    text: str
    type: str
    wanted: Any
    inputs: tuple[tuple[str, str, Any], ...] = ()  # name, type, value

    def __str__(self) -> str:
        given = ", ".join(f"{name} = {type_}({value})" for name, type_, value in self.inputs)
        return f"{self.text} -> {self.type}" + (f" where {given}" if given else "")


def row(text: str, result: str, wanted: Any, **inputs: Any) -> Row:
    """`a_i32=5` is the input `a`."""
    split = [(*name.rsplit("_", 1), value) for name, value in inputs.items()]
    return Row(text, result, wanted, tuple(split))


def source(rows: Sequence[Row], name: str = "rows") -> str:
    """A kernel with one input and one output array a type."""
    counts = dict.fromkeys(TYPES, 0)
    body: list[str] = []
    for number, one in enumerate(rows):
        names: dict[str, str] = {}
        for letter, type_, _ in one.inputs:
            names[letter] = f"{letter}{number}"
            body.append(f"{names[letter]} = in_{type_}[{counts[type_]}]")
            counts[type_] += 1
        *statements, expression = one.text.format(**names).split("\n")
        body += [*statements, f"out_{one.type}[{number}] = {expression}"]
    params = [f"in_{type_}: Slice[{type_}], out_{type_}: SliceMut[{type_}]" for type_ in TYPES]
    lines = "\n".join(f"    {line}" for line in body)
    head = f"@kernel\n@launch_contract(domain=1, block=(1, 1, 1))\ndef {name}({', '.join(params)}) -> None:"
    return f"\n{head}\n    require(grid.dim.x == 1)\n{lines}\n"


_numbers = itertools.count()


def load(text: str, folder: Path) -> ModuleType:
    """Import the text as a module of its own."""
    name = f"semantics_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return import_file(path, name)


def run_rows(rows: Sequence[Row], device: str, folder: Path) -> list[Any]:
    """What each row gave, as a NumPy scalar of its type."""
    kernel = load(source(rows), folder).rows
    stream = ox.Context(device).default_stream()
    arguments: list[Any] = []
    outputs: dict[str, Any] = {}
    for type_ in TYPES:
        values = [value for one in rows for _, given, value in one.inputs if given == type_] or [0]
        arguments.append(ox.DeviceBuffer.from_host(stream, np.array(values, dtype(type_))))
        outputs[type_] = ox.DeviceBuffer.zeros(stream, len(rows), dtype(type_))
        arguments.append(outputs[type_])
    kernel.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))(stream, *arguments)
    host = {type_: outputs[type_].to_host(stream) for type_ in {one.type for one in rows}}
    return [host[one.type][number] for number, one in enumerate(rows)]


def same(got: Any, wanted: Any) -> bool:
    """The value to the bit; every NaN is as good as another."""
    if isinstance(wanted, float) and math.isnan(wanted):
        return bool(np.isnan(got))
    exact = np.asarray(wanted, got.dtype)
    return bool(got == exact) and bool(np.signbit(got) == np.signbit(exact) if got.dtype.kind == "f" else True)


def check(rows: Sequence[Row], device: str, folder: Path) -> None:
    """Fails with every row that gave something else."""
    got = run_rows(rows, device, folder)
    wrong = [f"{one}: {value!r}, wanted {one.wanted!r}" for one, value in zip(rows, got, strict=True) if not same(value, one.wanted)]
    assert not wrong, "\n".join(wrong)
