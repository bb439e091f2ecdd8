"""Functions that call themselves: the results and the failures of Python's own, with a bound on the depth."""

# pyright: basic
from __future__ import annotations

import math as host
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import findings, lowered, refused
from loading import defined

import oxidepy as ox
from oxidepy import (
    Const,
    DeviceBuffer,
    DevicePanic,
    DisjointSlice,
    Slice,
    SliceMut,
    f32,
    i32,
    i64,
    kernel,
    launch_contract,
    local,
    struct,
    thread,
    u32,
)
from oxidepy.ir.calls import RECURSION_LIMIT, recursive_functions
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.verifier import verify

N = TypeVar("N", i32, i64)
STEP = 1


@struct
@dataclass(frozen=True)
class Range:
    low: i32
    high: i32


def factorial(n: i32) -> i64:
    return i64(1) if n < 2 else i64(n) * factorial(n - 1)


def fib(n: N) -> N:
    if n < 2:
        return n
    return fib(n - STEP) + fib(n - 2)


def even(n: i32) -> bool:
    return n == 0 or odd(n - 1)


def odd(n: i32) -> bool:
    return n != 0 and even(n - 1)


def gcd(a: i32, b: i32) -> i32:
    return a if b == 0 else gcd(b, a % b)


def ackermann(m: i32, n: i32) -> i32:
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def halved(r: Range, wanted: i32, steps: tuple[i32, i32] = (0, 1)) -> tuple[i32, i32]:
    """Find the square root by halving; counts the steps in two ways."""
    if r.high - r.low < 2:
        return r.low, steps[0] + steps[1]
    middle = (r.low + r.high) // 2
    inner = Range(middle, r.high) if middle * middle <= wanted else Range(r.low, middle)
    return halved(inner, wanted, (steps[0] + 1, steps[1] * 2))


def hanoi(n: i32, count: i32) -> i32:
    for k in range(3):
        if n == k:
            return count + (1 << k) - 1
    return hanoi(n - 1, hanoi(n - 1, count) + 1)


def power(x: f32, n: Const[int]) -> f32:
    return 1.0 if n == 0 else x * power(x, n - 1)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def everything(y: DisjointSlice[i64], z: DisjointSlice[i64]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in z:
        i = idx.get()
        a, b = halved(Range(0, 100), i)
        y[idx] = factorial(i % 20) + i64(fib(i % 12)) + fib(i64(i % 11)) + i64(gcd(i, 36)) + (i64(5) if even(i) else i64(0))
        z[idx] = i64(ackermann(i % 3, i % 4) + a * 100 + b * 10000 + hanoi(i % 8, 0)) + i64(power(f32(i), 3))


def wanted(i: int) -> tuple[int, int]:
    def pyfib(n: int) -> int:
        return n if n < 2 else pyfib(n - 1) + pyfib(n - 2)

    def pyack(m: int, n: int) -> int:
        return n + 1 if m == 0 else pyack(m - 1, 1) if n == 0 else pyack(m - 1, pyack(m, n - 1))

    low, high, one, two = 0, 100, 0, 1
    while high - low >= 2:
        middle = (low + high) // 2
        low, high = (middle, high) if middle * middle <= i else (low, middle)
        one, two = one + 1, two * 2
    first = host.factorial(i % 20) + pyfib(i % 12) + pyfib(i % 11) + host.gcd(i, 36) + 5 * (i % 2 == 0)
    return first, pyack(i % 3, i % 4) + low * 100 + (one + two) * 10000 + 2 ** (i % 8) - 1 + i**3


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_results_are_those_of_python(device: str) -> None:
    stream = ox.Context(device).default_stream()
    y, z = (DeviceBuffer.zeros(stream, 100, i64) for _ in range(2))
    everything.launch(stream, y, z)
    assert list(zip(y.to_host(stream).tolist(), z.to_host(stream).tolist(), strict=True)) == [wanted(i) for i in range(100)]


@pytest.mark.parametrize("arch", ARCHES)
def test_it_assembles(arch: str) -> None:
    ptx = everything.ptx(arch)
    assert ".func" in ptx and "call.uni" in ptx
    assemble(ptx, arch)


def test_the_module_prints_and_parses() -> None:
    module = lowered(everything)
    assert len(recursive_functions(module)) == len(module.functions) == 9  # `fib` twice, `even` and `odd`; not `power`
    text = print_module(module)
    again = parse_module(text)
    verify(again)
    assert print_module(again) == text


# ---- failures


def picky(n: i32, by: i32) -> i32:
    assert n != 7, "no sevens"
    if n == 0:
        return 100 // by
    return picky(n - 1, by - 1) + 1


def outer(n: i32, by: i32) -> i32:
    """Calls a function that calls itself, and is called inside of another one."""
    return wrapped(n, by) + 1


def wrapped(n: i32, by: i32) -> i32:
    return picky(n, by) if n < 200 else wrapped(n - 200, by)


def endless(n: i32) -> i32:
    return endless(n + 1)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def failing(y: DisjointSlice[i32], base: i32, by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = outer(base + idx.get(), by)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def diving(y: DisjointSlice[i32], deep: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        n = idx.get()
        y[idx] = endless(n) if n == deep else n


def _line(text: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.strip().startswith(text))


CASES = [
    (0, 4, 7, "OX7003", "return 100 // by"),  # n == by in thread 4, before 7 fails
    (5, 50, 5, "OX7002", "assert n != 7"),
    (205, 50, 5, "OX7002", "assert n != 7"),
]


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
@pytest.mark.parametrize(("base", "by", "count", "code", "line"), CASES)
def test_a_failure_has_its_place(device: str, base: int, by: int, count: int, code: str, line: str) -> None:
    stream = ox.Context(device).new_stream()
    y = DeviceBuffer.zeros(stream, count, i32)
    failing.launch(stream, y, base, by)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    panic = caught.value
    assert (panic.code, panic.line, panic.file) == (code, _line(line), __file__)
    assert panic.thread == ((4, 0, 0) if code == "OX7003" else (2, 0, 0))
    failing.launch(stream, DeviceBuffer.zeros(stream, 2, i32), base, by)
    stream.synchronize()


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_the_depth_has_a_bound(device: str) -> None:
    stream = ox.Context(device).new_stream()
    y = DeviceBuffer.zeros(stream, 40, i32)
    diving.launch(stream, y, 35)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    panic = caught.value
    assert (panic.code, panic.block, panic.thread) == ("OX7002", (1, 0, 0), (3, 0, 0))
    assert panic.diagnostic.message == f"more than {RECURSION_LIMIT} calls of `endless` in each other" and panic.line == _line(
        "def endless"
    )
    diving.launch(stream, y, 100)
    assert y.to_host(stream).tolist() == list(range(40))


def bounded(n: i32) -> i32:
    assert n < 40, f"{n} is too much"
    return 0 if n == 0 else bounded(n - 1) + 1


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def bounding(y: DisjointSlice[i32], n: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = bounded(n)


def test_an_assertion_with_values_keeps_its_text() -> None:
    stream = ox.Context("cpu").new_stream()
    y = DeviceBuffer.zeros(stream, 1, i32)
    bounding.launch(stream, y, 39)
    assert y.to_host(stream).tolist() == [39]
    bounding.launch(stream, y, 41)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert caught.value.diagnostic.message == "{n} is too much"


def countdown(n: i32) -> i32:
    return 0 if n == 1 else 1 + countdown(n - 1)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def counted(y: DisjointSlice[i32], n: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = countdown(n)


def test_as_many_calls_as_the_bound(device: str = "interp") -> None:
    for device in ("cpu", "interp"):
        stream = ox.Context(device).new_stream()
        y = DeviceBuffer.zeros(stream, 1, i32)
        counted.launch(stream, y, RECURSION_LIMIT)
        assert y.to_host(stream).tolist() == [RECURSION_LIMIT - 1]
        counted.launch(stream, y, RECURSION_LIMIT + 1)
        with pytest.raises(DevicePanic):
            stream.synchronize()


# ---- what is refused


def unsaid(n: i32):
    return 0 if n == 0 else unsaid(n - 1)


def reading(x: Slice[f32], n: i32) -> f32:
    return x[0] if n == 0 else reading(x, n - 1)


def placed(n: i32) -> i32:
    return thread.idx.x if n == 0 else placed(n - 1)


def remembering(n: i32) -> i32:
    a = local.array(i32, 4)
    a[n % 4] = n
    return a[0] if n == 0 else remembering(n - 1)


def talking(n: i32) -> i32:
    print(n)
    return 0 if n == 0 else talking(n - 1)


def mapped(f: Callable[[i32], i32], n: i32) -> i32:
    return f(n) if n == 0 else mapped(f, n - 1)


def wrongly(n: i32) -> i32:
    return f32(n) if n == 0 else wrongly(n - 1)


def never(x: f32, n: Const[int]) -> f32:
    return x * never(x, n + 1)


REFUSED: list[tuple[str, str, str]] = [
    ("unsaid(i)", "OX0282", "`unsaid` calls itself, and nothing says what it gives back"),
    ("i32(reading(x, i))", "OX0658", "`reading` calls itself and takes a `Slice` as `x`"),
    ("placed(i)", "OX0658", "`placed` calls itself and uses `thread.idx.x`"),
    ("remembering(i)", "OX0658", "`remembering` calls itself and has an array"),
    ("talking(i)", "OX0658", "`talking` calls itself and prints"),
    ("mapped(lambda v: v, i)", "OX0658", "`mapped` calls itself and takes a function as `f`"),
    ("wrongly(i)", "OX0308", "mismatched types"),
    ("i32(never(x[0], 1))", "OX0658", "called inside of more than 100 calls"),
]


@pytest.mark.parametrize(("call", "code", "part"), REFUSED)
def test_refused(call: str, code: str, part: str) -> None:
    source = (
        "@kernel\ndef k(x: Slice[f32], y: DisjointSlice[i32]) -> None:\n    idx = thread.index_1d()\n    if idx in y:\n"
        f"        i = idx.get()\n        y[idx] = {call}\n"
    )
    found = refused(defined(source, globals())["k"])
    assert found.code == code and part in found.message, found


def test_in_a_loop_whose_types_are_learned() -> None:
    @kernel
    @launch_contract(domain=1, block=(32, 1, 1))
    def looped(y: DisjointSlice[u32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            total = 0
            for k in range(4):
                total = total + countdown(k + 1)
            y[idx] = u32(total)

    out = np.zeros(3, np.uint32)
    from frontend.running import run

    assert run(looped, out, grid=(1, 1, 1)) is None
    assert out.tolist() == [6, 6, 6]


def test_a_wait_for_endless_calls_is_broken_off() -> None:
    """fib(90): the thread that waits is another one than those that run them."""
    program = textwrap.dedent(
        """
        import oxidepy as ox
        from frontend.test_recursion import grown
        stream = ox.Context("cpu").default_stream()
        try:
            grown.launch(stream, ox.DeviceBuffer.zeros(stream, 1, ox.i32), 90)
            stream.synchronize()
        except ox.DeviceError as error:
            print(error.code)
        """
    )
    root = Path(__file__).parents[1]
    environment = {**os.environ, "OXIDEPY_TIMEOUT": "0.3", "PYTHONPATH": os.pathsep.join((str(root), str(root.parent)))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60)
    assert done.stdout == "OX6005\n", done.stderr


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def grown(y: DisjointSlice[i32], n: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = fib(n)


@struct
@dataclass(frozen=True)
class Sized:
    size: i32


def size(one: Sized, y: SliceMut[i32]) -> i32:
    return one.size + len(y)  # a field of the function's own name


def wrong(n: i32) -> i32:
    return missing_one(n) if n == 0 else wrong(n - 1)  # noqa: F821


def test_a_field_of_that_name_is_no_recursion() -> None:
    @kernel
    @launch_contract(domain=1, block=(1, 1, 1))
    def told(y: SliceMut[i32], one: Sized) -> None:
        with ox.unsafe("one thread"):
            y[0] = size(one, y)

    stream = ox.Context("interp").new_stream()
    y = ox.DeviceBuffer.zeros(stream, 3, i32)
    told.prepare(stream.context, 1)(stream, y, Sized(4))
    assert y.to_host(stream)[0] == 7


def test_a_mistake_inside_is_said_once() -> None:
    @kernel
    def mistaken(y: SliceMut[i32], n: i32) -> None:
        y[0] = wrong(n)

    assert [one.code for one in findings(mistaken)] == ["OX0425"]
