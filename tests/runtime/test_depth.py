"""Long chains and long sums come through the whole line: frontend, proofs, back ends, devices."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from loading import defined

import oxidepy as ox
from oxidepy import DisjointSlice, f32, kernel, thread


def made(body: str):
    """A kernel with this body, where `n` is the thread's index and `v` a float of it."""
    lines = ["@kernel\n", "def k(y: DisjointSlice[f32]):\n", "    i = thread.index_1d()\n", "    if i in y:\n"]
    lines += ["        n = i.get()\n", "        v = f32(n)\n", *(f"        {line}\n" for line in body.splitlines())]
    return defined("".join(lines), {"kernel": kernel, "DisjointSlice": DisjointSlice, "thread": thread, "f32": f32})["k"]


def values(stream, body: str) -> list[float]:
    y = ox.DeviceBuffer.zeros(stream, 3, f32)
    made(body).launch(stream, y)
    return y.to_host(stream).tolist()


def test_a_long_chain_of_branches(stream):
    body = "if n == 0: r = 0.5\n" + "".join(f"elif n == {n}: r = {n}.0\n" for n in range(1, 900)) + "else: r = -1.0\ny[i] = r"
    assert values(stream, body) == [0.5, 1, 2]


def test_a_long_condition(stream):
    assert values(stream, "if " + " and ".join(f"n != {n}" for n in range(2, 900)) + ": y[i] = 7.0") == [7, 7, 0]


def test_a_long_conditional_expression(stream):
    assert values(stream, "y[i] = " + "".join(f"{n + 5}.0 if n == {n} else " for n in range(400)) + "0.0") == [5, 6, 7]


def test_a_long_sum(stream):
    assert values(stream, "y[i] = " + " + ".join(["v"] * 700)) == [0, 700, 1400]


def test_an_expression_that_doubles(stream):
    """What is known of a value must not be as long as the tree that made it."""
    body = "".join(f"n = n + n * {3 + k}\n" for k in range(48)) + "if n > 5 or n < -5 or n == 0: y[i] = f32(n % 7)"
    wanted = np.arange(3, dtype=np.int32)
    for k in range(48):
        wanted = wanted + wanted * np.int32(3 + k)
    assert values(stream, body) == [float(n) for n in wanted % 7]


def test_the_limit_of_the_program_is_its_own_afterwards(stream):
    before = sys.getrecursionlimit()
    values(stream, "y[i] = v")
    with pytest.raises(ox.CompileError):
        values(stream, "y[i] = nope")
    assert sys.getrecursionlimit() == before


def test_ptx_of_deep_kernels():
    long = "if n == 0: r = 0.5\n" + "".join(f"elif n == {n}: r = {n}.0\n" for n in range(1, 900)) + "else: r = -1.0\ny[i] = r"
    for body in (long, "y[i] = " + " + ".join(["v"] * 700)):
        assert ".visible .entry k" in made(body).ptx(arch="sm_90a")
