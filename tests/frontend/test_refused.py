"""What is refused: one code, one place and one way out for each mistake, and no avalanche after it."""

# pyright: basic
# ruff: noqa
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from frontend.running import findings, refused

from loading import defined
from oxidepy import DisjointSlice, Slice, SliceMut, f32, f64, i32, kernel, launch_contract, require, thread, u32, unsafe

ONE = (1, 1, 1)
NUMBERS = [1, 2, 3]
TABLE = {1: 2}
ARRAY = np.arange(3)
NAME = "text"


def compiled(body: str, **names: Any) -> Any:
    """A kernel with this body, over `y: SliceMut[f32]`, `x: Slice[f32]`, `n: i32`, `f: f32`."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = (
        f"@kernel\n@launch_contract(domain=1, block=(32, 1, 1))\ndef k(y: SliceMut[f32], x: Slice[f32], n: i32, f: f32) -> None:\n{lines}"
    )
    return defined(source, {**globals(), **names})["k"]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = [1, 2]", "a list"),
        ("a = {1: 2}", "a dict"),
        ("a = {1, 2}", "a set"),
        ("a = [i for i in range(3)]", "a list comprehension"),
        ("a = max(i for i in range(3))", "a generator expression"),
        ("try:\n    y[0] = 1.0\nexcept ValueError:\n    pass", "`try`"),
        ("raise ValueError", "`raise`"),
        ("with open('f') as g:\n    pass", "`open`"),
        ("del n", "`del`"),
        ("global NAME\nNAME = 1", "`global`"),
        ("import math", "an import"),
        ("class C:\n    pass", "a class"),
        ("print(f'{n:{n}}')", "a format that is computed in the kernel"),
        ("print(f'{(n, f):5}')", "a format of a tuple of 2"),
        ("print(*(n, f))", "`*` in a call"),
        ("a, *b = (1, 2, 3)", "`*` unpacking"),
        ("y[0] = f[0:1]", "slicing"),
        ("y[0] = f @ f", "`@`"),
        ("g = lambda *v: v", "a lambda with `*` parameters"),
        ("if n is f:\n    y[0] = 1.0", "`is`"),
        ("y[0] = f32(len(NUMBERS))", "`NUMBERS`, a list"),
        ("y[0] = f32(TABLE[1])", "`TABLE`, a dict"),
        ("y[0] = f32(ARRAY[1])", "`ARRAY`, an array"),
        ("a = b'1'", "a `bytes` constant"),
        ("a = isinstance(n, int)", "`isinstance`"),
        ("t = (1, 2)\nt[0] = 3", "assigning to an item of a tuple"),
        ("y[0] = pow(f, 2, 3)", "`pow` with a modulus"),
        ("y[0] = round(f, 2)", "`round` to a number of digits"),
        ("for v in zip((1, 2), range(n)):\n    pass", "`zip` of a tuple"),
        ("y[0] = f32(n ** n)", "`**` of integers with an exponent known only at run time"),
        ("print(" + "n, " * 65 + ")", "more than 64 numbers in one message"),
    ],
)
def test_a_construct_that_kernels_do_not_have(body: str, part: str) -> None:
    from oxidepy import unroll

    found = refused(compiled(body, unroll=unroll))
    assert found.code == "OX0658"
    assert part in found.message
    assert found.help
    assert found.span is not None


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("print(y)", "a `SliceMut` has no text"),
        ("print(thread.index_1d())", "`ThreadIndex[Index1D]` has no text"),
        ("print(f'{n:.2f}', f'{f:d}')", "`d` is no format of `f`, which is `f32`"),
        ("print(f'{n:1001d}')", "is no format in kernels: a width or precision is at most 1000"),
        ("print(f'{1.5:.99999999999f}')", "is no format in kernels: a width or precision is at most 1000"),
        ("print(f'{f:x}')", "`x` is no format of `f`, which is `f32`"),
        ("print(f'{n!r:d}')", "`d` is no format of `n`, which is `i32`"),
        ("print(f'{NAME:d}')", "`d` is no format of `NAME`"),
        ("print(n, sep=n)", "`sep` of `print` is a constant string"),
    ],
)
def test_what_has_no_text(body: str, part: str) -> None:
    found = refused(compiled(body))
    assert found.code == "OX0308" and part in found.message, found.message


def test_print_has_no_file() -> None:
    found = refused(compiled("print(n, file=None)"))
    assert found.code == "OX0425" and "`file`" in found.message


@pytest.mark.parametrize(
    ("body", "code", "help"),
    [
        ("y[0] = nn", "OX0425", "did you mean `n`?"),
        ("y[0] = xx[0]", "OX0425", "did you mean `x`?"),
        ("total = 1.0\ny[0] = totl", "OX0425", "did you mean `total`?"),
        ("y[0] = f32(rnage(3))", "OX0425", "did you mean `range`?"),
        ("i = thread.indx_1d()", "OX0425", "did you mean `thread.index_1d`?"),
        ("y[0] = f32(thread.idx.w)", "OX0425", None),
        ("y[0] = f32(x.shpe[0])", "OX0425", "did you mean `.shape`?"),
        ("y[0] = n", "OX0308", "convert it: `f32(n)`"),
        ("y[0] = x", "OX0308", None),
        ("y[0] = f32(x)", "OX0308", None),
        ("for i in n:\n    pass", "OX0308", "write `for i in range(...)`"),
        ("for i in range(f):\n    pass", "OX0308", "convert it: `i32(f)`"),
        ("for i in range(3, 0, 0):\n    pass", "OX0308", None),
        ("a, b = 1, 2, 3", "OX0308", None),
        ("a, b = f", "OX0308", None),
        ("with unsafe(''):\n    y[0] = 1.0", "OX0133", 'write `with unsafe("why this holds"):`'),
        ("y[0] = 1 // 0", "OX7003", None),
        ("y[0] = (1, 2)[5]", "OX5001", None),
        ("y[0] = f\nrequire(n > 0)", "OX2001", None),
        ("y[0] = min(f)", "OX0308", "give it two: `min(a, b)`"),
        ("a: nonsense = 1", "OX1002", None),
        ("y[0] = f32(n, n)", "OX0308", None),
    ],
)
def test_a_mistake_and_its_way_out(body: str, code: str, help: str | None) -> None:
    found = refused(compiled(body))
    assert found.code == code
    if help is not None:
        assert found.help == help


def test_a_refused_name_is_silent_afterwards() -> None:
    found = findings(compiled("a = [1]\nb = a[0] + 1\nfor v in a:\n    y[0] = v\nc = unknown\nd = unknown + c\ny[1] = d\ny[2] = n"))
    assert [(one.code, one.span and one.span.line) for one in found] == [("OX0658", 4), ("OX0425", 8), ("OX0308", 11)]


def test_the_body_of_a_refused_branch_or_loop_is_looked_through() -> None:
    found = findings(compiled("if nope:\n    y[0] = n\nfor i in nothing:\n    y[0] = n\nwhile bad:\n    pass"))
    assert [one.code for one in found] == ["OX0425", "OX0308", "OX0425", "OX0308", "OX0425"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("t = f32(0)\nfor i in range(3):\n    t += f64(x[i])\ny[0] = t", [("OX0308", 6)]),
        ("t = f32(0)\nfor i in range(3):\n    t += f64(x[i])", [("OX0308", 6)]),
        ("t = 0\nwhile t < n:\n    t += 1.0\n    t = t + u32(1)", [("OX0308", 7)]),
        ("t = i32(0)\nwhile t < n:\n    t += u32(1)\ny[0] = 1.0", [("OX0308", 6)]),
        ("t = thread.index_1d()\nwhile t in x:\n    t += 32", [("OX0308", 6)]),
        ("t = i32(0)\nfor i in range(3):\n    for j in range(3):\n        t += f\n    t += 1", [("OX0308", 7)]),
        ("t = i32(0)\nfor i in range(3):\n    while t < 3:\n        t += f\n    u = nope", [("OX0308", 7), ("OX0425", 8)]),
        ("t = i32(0)\nu = i32(0)\nfor i in range(3):\n    u = t\n    t = f + u\ny[0] = f32(u)", [("OX0308", 8)]),
    ],
)
def test_what_a_loop_carries_is_refused_in_the_loop(body: str, found: list[tuple[str, int]]) -> None:
    assert [(one.code, one.span and one.span.line) for one in findings(compiled(body))] == found


def test_unsafe_needs_only_its_reason() -> None:
    assert findings(compiled("with unsafe('no two threads meet'):\n    y[n] = f")) == []


@kernel
@launch_contract(domain=1, block=ONE)
def other(y: SliceMut[f32]) -> None:
    y[0] = 1.0


def test_a_kernel_is_not_called_from_a_kernel() -> None:
    assert refused(compiled("other(y)")).code == "OX1009"


def test_columns_are_of_the_expression() -> None:
    found = refused(compiled("y[0] = f + (n)"))
    assert found.span is not None
    assert (found.span.line, found.span.column, found.span.end_column) == (4, 12, 19)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def collect(a: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    seen = []
    if idx in c:
        seen.append(a[idx])
        c[idx] = f32(len(seen))


def test_a_list_is_one_error() -> None:
    assert refused(collect).message == "a list is not supported in kernels"


@pytest.mark.parametrize(
    ("body", "code", "help"),
    [
        ("a = threadIdx.x", "OX0425", "`thread.idx`"),
        ("syncthreads()", "OX0425", "block.sync()"),
        ("a = grid.size", "OX0425", "import it: `from oxidepy import grid`"),
        ("y[0] = random.random()", "OX0658", "`random.uniform(key, counter)`"),
        ("a = grid(1)", "OX0658", "`thread.index_1d()`"),
        ("y[0] = jitted(f)", "OX0658", "take its decorator away"),
        ("y[0] = f if n < y.size else 0.0", "OX0425", "`len(…)`"),
        ("y[0] = x[0].astype(f32)", "OX0425", "a cast is a call"),
    ],
)
def test_habits_of_other_compilers_get_the_name_that_they_have_here(body: str, code: str, help: str) -> None:
    import random

    class Foreign:
        def __call__(self, value: object) -> object:
            return value

    jitted = Foreign()
    jitted.py_func = lambda v: v
    found = findings(compiled(body, random=random, jitted=jitted, **({"grid": Foreign()} if "grid(" in body else {})))
    assert [one.code for one in found] == [code]
    assert help in found[0].help


def test_an_operator_is_refused_at_its_expression() -> None:
    span = refused(compiled("z = f\ny[0] = f @ f")).span
    assert span is not None and (span.line, span.column, span.end_column) == (5, 12, 17)
