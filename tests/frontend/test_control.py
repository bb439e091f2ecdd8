"""Statements: branches, loops and their ways out, early return, match, names that may be unbound."""

# pyright: basic
# ruff: noqa: B007, B905, F821, F841 - kernels with mistakes, and loops as people write them
from __future__ import annotations

from enum import Enum, IntEnum

import numpy as np
import pytest
from frontend.running import findings, lowered, ops, refused, results, run

from oxidepy import DisjointSlice, Slice, SliceMut, f32, f64, i32, i64, kernel, launch_contract, static_assert, thread, u8, unroll

ONE = (1, 1, 1)
DEBUG = False
STEPS = (1, 10, 100)


class Colour(IntEnum):
    RED = 1
    GREEN = 2


class Mode(Enum):
    ADD = 0
    MUL = 1


@kernel
@launch_contract(domain=1, block=ONE)
def loops(y: SliceMut[i32], n: i32) -> None:
    total = 0
    for i in range(n):
        if i == 3:
            continue
        if i == 6:
            break
        total += i
    y[0] = total
    k, count = n, 0
    while k != 1 and count < 100:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        count += 1
    y[1] = count
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    y[2] = a
    last = -1
    for last in range(0, n, 2):
        pass
    y[3] = last
    product = 1
    for i in range(n, 0, -1):
        product *= i
    y[4] = product


@pytest.mark.parametrize("n", [1, 2, 5, 7, 9])
def test_loops(n: int) -> None:
    total = sum(i for i in range(n) if i != 3 and i < 6)
    k, count = n, 0
    while k != 1 and count < 100:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        count += 1
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    assert results(loops, np.int32, 5, n) == [total, count, a, range(0, n, 2)[-1], int(np.prod(range(1, n + 1)))]


@kernel
@launch_contract(domain=1, block=ONE)
def nested(y: SliceMut[i32], n: i32) -> None:
    found = -1
    for i in range(n):
        for j in range(n):
            if i * j == 12:
                found = i * 100 + j
                break
        else:
            continue
        break
    y[0] = found
    pairs = 0
    i = 0
    while i < n:
        j = i
        while True:
            j += 1
            if j >= n:
                break
            if (i + j) % 2 == 0:
                continue
            pairs += 1
        i += 1
    y[1] = pairs


@pytest.mark.parametrize("n", [2, 5, 8])
def test_nested_loops_and_else(n: int) -> None:
    found = next((i * 100 + j for i in range(n) for j in range(n) if i * j == 12), -1)
    pairs = sum((i + j) % 2 for i in range(n) for j in range(i + 1, n))
    assert results(nested, np.int32, 2, n) == [found, pairs]


@kernel
@launch_contract(domain=1, block=ONE)
def while_else(y: SliceMut[i32], n: i32) -> None:
    i = 0
    while i < n:
        if i == 4:
            y[0] = 40
            break
        i += 1
    else:
        y[0] = -1
    y[1] = i


@pytest.mark.parametrize(("n", "wanted"), [(3, [-1, 3]), (4, [-1, 4]), (5, [40, 4])])
def test_while_else(n: int, wanted: list[int]) -> None:
    assert results(while_else, np.int32, 2, n) == wanted


@kernel
@launch_contract(domain=1, block=ONE)
def endless(y: SliceMut[i32], n: i32) -> None:
    i = 0
    while True:
        half = i // 2
        i += 1
        if i > n:
            break
    y[0] = half
    y[1] = i


def test_a_name_bound_before_every_break_is_bound_behind_an_endless_loop() -> None:
    assert results(endless, np.int32, 2, 6) == [3, 7]


@kernel
@launch_contract(domain=1, block=ONE)
def certain(y: SliceMut[i64], x: i64) -> None:
    for i in range(4):
        value = x * 2
    y[0] = value
    y[1] = i64(i)


def test_a_loop_that_surely_runs_binds_its_names() -> None:
    assert results(certain, np.int64, 2, 21) == [42, 3]


@kernel
@launch_contract(domain=1, block=ONE)
def unbound(y: SliceMut[i32], n: i32, flag: bool) -> None:
    if flag:
        a = 1
    y[0] = a
    for i in range(n):
        b = i
    y[1] = i
    y[2] = b
    y[3] = c
    c = 1


def test_a_name_that_may_be_unbound() -> None:
    found = findings(unbound)
    first = unbound.definition.function.__code__.co_firstlineno
    assert [(one.code, one.span.line - first) for one in found if one.span] == [("OX0381", 5), ("OX0381", 8), ("OX0381", 9), ("OX0381", 10)]
    assert found[0].message == "`a` may be unbound here"
    assert found[0].labels[0].span.line == first + 4
    assert found[3].message == "`c` is used before it is bound"


@kernel
@launch_contract(domain=1, block=ONE)
def previous_round(y: SliceMut[i32], n: i32) -> None:
    for i in range(n):
        if i > 0:
            y[0] = before
        before = i


def test_a_name_of_the_round_before_may_be_unbound() -> None:
    assert refused(previous_round).code == "OX0381"


@kernel
@launch_contract(domain=1, block=ONE)
def temporary(y: SliceMut[i32], flag: bool, a: i32, b: i64) -> None:
    if flag:
        t = a
        y[0] = t
    else:
        t = b
        y[0] = i32(t)
    t = f32(2)
    y[1] = i32(t)


def test_one_name_may_have_two_types_where_they_do_not_meet_in_a_use() -> None:
    assert results(temporary, np.int32, 2, False, 3, 1 << 40) == [0, 2]


@kernel
@launch_contract(domain=1, block=ONE)
def two_types(y: SliceMut[i32], flag: bool, a: i32, b: i64) -> None:
    if flag:
        t = a
    else:
        t = b
    y[0] = i32(t)


def test_two_types_that_meet_name_both_assignments() -> None:
    found = refused(two_types)
    first = two_types.definition.function.__code__.co_firstlineno
    assert (found.code, found.message) == ("OX0308", "mismatched types: `t` becomes `i32` and `i64`")
    assert found.span is not None
    assert [found.span.line - first, *(label.span.line - first for label in found.labels)] == [6, 4]
    assert [label.text for label in found.labels] == ["here it is `i32`"]


@kernel
@launch_contract(domain=1, block=ONE)
def changing_rounds(y: SliceMut[f32], x: Slice[f64], s: f32) -> None:
    total = s
    for i in range(len(x)):
        total = f64(total) + x[i]
    y[0] = f32(total)


def test_a_type_that_changes_from_round_to_round() -> None:
    found = findings(changing_rounds)
    assert {one.code for one in found} == {"OX0308"}
    assert "becomes `f32` and `f64`" in found[0].message


@kernel
@launch_contract(domain=1, block=(8, 1, 1))
def early(y: DisjointSlice[i32], x: Slice[i32], limit: i32) -> None:
    idx = thread.index_1d()
    if idx not in y:
        return
    i = idx.get()
    if i >= len(x):
        y[idx] = -1
        return
    for k in range(limit):
        if x[i] == k:
            y[idx] = k * 10
            return
    y[idx] = x[i]


def test_early_return() -> None:
    y, x = np.zeros(6, np.int32), np.array([3, 1, 9, 0], np.int32)
    assert run(early, y, x, 4) is None
    assert y.tolist() == [30, 10, 9, 0, -1, -1]
    assert not [one for one in findings(early) if one.code == "OX5002"]


@kernel
@launch_contract(domain=1, block=ONE)
def returns_value(y: SliceMut[i32], n: i32) -> None:
    if n == 0:
        return 3
    y[0] = n
    return None


def test_a_kernel_returns_no_value() -> None:
    assert refused(returns_value).code == "OX1003"


@kernel
@launch_contract(domain=1, block=ONE)
def matching(y: SliceMut[i32], n: i32, mode: i32) -> None:
    match n:
        case 0:
            y[0] = 100
        case 1 | 2:
            y[0] = 200
        case Colour.GREEN:
            y[0] = 201
        case m if m > 10:
            y[0] = m
        case -1:
            y[0] = -100
        case _:
            y[0] = 300
    match mode:
        case Mode.ADD.value:
            value = 1
        case Mode.MUL.value:
            value = 2
        case _:
            value = 3
    y[1] = value
    y[2] = Colour.GREEN + n


@pytest.mark.parametrize(("n", "wanted"), [(0, 100), (1, 200), (2, 200), (11, 11), (-1, -100), (3, 300)])
def test_match(n: int, wanted: int) -> None:
    for mode in range(3):
        assert results(matching, np.int32, 3, n, mode) == [wanted, mode + 1, n + 2]


@kernel
@launch_contract(domain=1, block=ONE)
def match_enum(y: SliceMut[i32], n: i32) -> None:
    match n:
        case Mode.ADD:
            y[0] = 1
        case Mode.MUL:
            y[0] = 2


def test_match_takes_members_of_enums() -> None:
    assert results(match_enum, np.int32, 1, 1) == [2]
    assert results(match_enum, np.int32, 1, 5) == [0]


@kernel
@launch_contract(domain=1, block=ONE)
def match_tuple(y: SliceMut[i32], n: i32) -> None:
    match n:
        case (a, b):
            y[0] = a + b


def test_match_takes_nothing_else() -> None:
    found = refused(match_tuple)
    assert found.code == "OX0308" and "the pattern is of a tuple, and this is `i32`" in found.message


@kernel
@launch_contract(domain=1, block=ONE)
def written_out(y: SliceMut[i32], n: i32) -> None:
    total = 0
    for k in unroll(range(0, 8, 2)):
        if k == 6 and n > 3:
            break
        total += k * n
    y[0] = total
    for position, step in enumerate(STEPS):
        if position == n:
            continue
        y[1] += step
    for a, b in zip((1, 2, 3), range(5, 9)):
        y[2] += a * b
    for s in reversed(STEPS):
        y[3] = y[3] * 2 + s
    for k in unroll((u8(3), 4)):
        y[4] += i32(k)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_loops_that_are_written_out(n: int) -> None:
    total = n * sum(range(0, 8, 2)[: 3 if n > 3 else 4])
    steps = sum(step for position, step in enumerate(STEPS) if position != n)
    assert results(written_out, np.int32, 5, n) == [total, steps, 5 + 12 + 21, 421, 7]
    assert "for" not in ops(written_out)


@kernel
@launch_contract(domain=1, block=ONE)
def unroll_variable_is_a_literal(y: SliceMut[i64], x: i64) -> None:
    for k in unroll(range(3)):
        y[k] = x + k


def test_the_variable_of_an_unrolled_loop_is_a_literal() -> None:
    assert results(unroll_variable_is_a_literal, np.int64, 3, 1 << 40) == [(1 << 40) + k for k in range(3)]


@kernel
@launch_contract(domain=1, block=ONE)
def iterators(y: SliceMut[i64], n: i32, start: i64, step: i64) -> None:
    for k, i in enumerate(range(start, start + 5 * step, step), 7):
        y[0] += i * i64(k)
    for i, j in zip(range(n), range(100, 0, -3)):
        y[1] += i64(i * j)
    for i in reversed(range(start, start + 7 * step, step)):
        y[2] = y[2] * 3 + i
    for i in range(start, start + 10 * step, step):
        y[3] += i


@pytest.mark.parametrize("n", [0, 3, 50])
@pytest.mark.parametrize(("start", "step"), [(5, 2), (5, -2), (-(1 << 62), 1), (0, 3)])
def test_iterators_over_ranges(n: int, start: int, step: int) -> None:
    def wrap(value: int) -> int:
        return (value + (1 << 63)) % (1 << 64) - (1 << 63)

    folded = 0
    for i in reversed(range(start, start + 7 * step, step)):
        folded = wrap(folded * 3 + i)
    wanted = [
        wrap(sum(k * i for k, i in enumerate(range(start, start + 5 * step, step), 7))),
        sum(i * j for i, j in zip(range(n), range(100, 0, -3), strict=False)),
        folded,
        wrap(sum(range(start, start + 10 * step, step))),
    ]
    assert results(iterators, np.int64, 4, n, start, step) == wanted


@kernel
@launch_contract(domain=1, block=ONE)
def to_the_end(y: SliceMut[i32], first: i32) -> None:
    for i in range(first, 2147483647, 2):
        y[0] += 1
        y[1] = i


def test_a_range_never_wraps() -> None:
    assert results(to_the_end, np.int32, 2, 2147483640) == [4, 2147483646]


@kernel
@launch_contract(domain=1, block=ONE)
def zero_step(y: SliceMut[i32], step: i32) -> None:
    for _ in range(0, 10, step):
        y[0] += 1


def test_a_step_of_zero_is_a_panic() -> None:
    panic = run(zero_step, np.zeros(1, np.int32), 0)
    assert panic is not None and panic.site.attrs["code"] == "OX7002"


@kernel
@launch_contract(domain=1, block=ONE)
def asserting(y: SliceMut[i32], n: i32) -> None:
    assert n > 0, "n must be positive"
    assert n < 10
    y[0] = n


def test_assert_is_a_check() -> None:
    assert results(asserting, np.int32, 1, 5) == [5]
    panic = run(asserting, np.zeros(1, np.int32), 0)
    assert panic is not None
    assert (panic.site.attrs["code"], panic.site.attrs["message"]) == ("OX7002", "n must be positive")
    other = run(asserting, np.zeros(1, np.int32), 10)
    assert other is not None and other.site.attrs["message"] == "assertion failed: n < 10"
    assert results(asserting, np.int32, 1, 0, no_assert=True) == [0]


@kernel
@launch_contract(domain=1, block=ONE)
def compile_time_branch(y: SliceMut[i32], n: i32) -> None:
    static_assert(len(STEPS) == 3, "three steps")
    if DEBUG:
        y[0] = [n]
    elif len(STEPS) > 2:
        y[0] = 1
    y[1] = 5 if DEBUG else 6


def test_a_branch_on_constants_of_the_module_is_taken_when_compiling() -> None:
    assert results(compile_time_branch, np.int32, 2, 1) == [1, 6]
    assert "if" not in ops(compile_time_branch)


@kernel
@launch_contract(domain=1, block=ONE)
def static_failure(y: SliceMut[i32], n: i32) -> None:
    static_assert(len(STEPS) == 4, "four steps")
    static_assert(n == 4)


def test_static_assert() -> None:
    found = findings(static_failure)
    assert "four steps" in found[0].message
    assert found[1].code == "OX0308" and "not known at compile time" in found[1].message


@kernel
@launch_contract(domain=1, block=ONE)
def tuples(y: SliceMut[i32], n: i32) -> None:
    a, (b, c) = n, (n + 1, n + 2)
    y[0], y[1] = c, b
    y[0], y[1] = y[1], y[0]
    t = (a, b, c)
    y[2] = t[1] + len(t)
    y[3] = t[n % 3]
    y[4] = STEPS[n % 3] + 1
    d = e = n * 2
    y[5] = d + e
    pair = (1, 2) if n > 0 else (n, 3)
    y[6] = pair[0] * 10 + pair[1]
    if (m := n * 3) > 6:
        y[7] = m
    y[8] = m


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tuples_and_walrus(n: int) -> None:
    t = (n, n + 1, n + 2)
    wanted = [n + 1, n + 2, n + 4, t[n % 3], STEPS[n % 3] + 1, 4 * n, 12, 3 * n if n > 2 else 0, 3 * n]
    assert results(tuples, np.int32, 9, n) == wanted


@kernel
@launch_contract(domain=1, block=ONE)
def tuple_loop(y: SliceMut[f64], n: i32, x: f64) -> None:
    state = (0, x, 0.0)
    for i in range(n):
        count, value, total = state
        state = (count + 1, value * 0.5, total + value)
    y[0] = f64(state[0])
    y[1] = state[1]
    y[2] = state[2]


def test_tuples_are_carried_through_loops() -> None:
    assert results(tuple_loop, np.float64, 3, 3, 8.0) == [3.0, 1.0, 14.0]


@kernel
@launch_contract(domain=1, block=ONE)
def numbers_table(y: SliceMut[f64], n: i32) -> None:
    y[0] = STEPS[n] * 0.5


def test_a_tuple_of_numbers_is_indexed_at_run_time_and_checked() -> None:
    assert results(numbers_table, np.float64, 1, 2) == [50.0]
    panic = run(numbers_table, np.zeros(1), 3)
    assert panic is not None and panic.site.attrs["code"] == "OX7001" and (panic.index, panic.length) == (3, 3)


@kernel
@launch_contract(domain=1, block=ONE)
def choose_slices(y: SliceMut[f32], a: Slice[f32], b: Slice[f32], flag: bool) -> None:
    x = a if flag else b
    y[0] = x[0]


@kernel
@launch_contract(domain=1, block=ONE)
def choose_slices_by_branch(y: SliceMut[f32], a: Slice[f32], b: Slice[f32], flag: bool) -> None:
    x = a
    if flag:
        x = b
    y[0] = x[0]


@kernel
@launch_contract(domain=1, block=ONE)
def take_turns(y: SliceMut[f32], a: Slice[f32], b: Slice[f32], n: i32) -> None:
    x = a
    for _ in range(n):
        x = b
    y[0] = x[0]


@pytest.mark.parametrize(
    ("which", "help"), [(choose_slices, "branch"), (choose_slices_by_branch, "branch"), (take_turns, "one memory of two axes")]
)
def test_choosing_between_two_memory_objects(which: object, help: str) -> None:
    found = refused(which)
    assert found.code == "OX0658" and "choosing between two slices" in found.message and help in (found.help or "")


def test_every_operation_has_a_place() -> None:
    for which in (loops, nested, early, matching, tuples, written_out):
        module = lowered(which)
        missing = [op.name for op in module.kernel.body.walk() if op.span is None]
        assert missing == [], (which, missing)
