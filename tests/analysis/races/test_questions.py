"""What decides a pair: overflow, loaded values, either way of a choice, relations that the kernel requires, and how a refusal is told."""

from __future__ import annotations

import pytest

from oxidepy.analysis import races

from .proving import SYNC, codes, findings, guarded, kernel

ROW = "domain 1 block 256x1x1"
SQUARE = "domain 2 block 16x16x1"
TWO = "%r = mul %gy, %n : i32\n%i = add %r, %g : i32\n"
INSIDE = "%p0 = lt %g, %n : bool\n%p1 = lt %gy, %m : bool\n%p = and %p0, %p1 : bool\n"
STRIDES = """%gd = intrinsic "grid.dim.x" : i32
%size = mul %gd, #256 : i32
%o = while %g : i32 (%h: i32) {
%go = lt %h, %y.len : bool
condition %go, %h
} do (%i: i32) {
CHECK
y[%i] = %f
%next = add %i, %size : i32
yield %next
}"""


def where(cond: str, body: str) -> str:
    return f"if {cond} {{\n{body}\nyield\n}} else {{\nyield\n}}"


ACCEPTED = {
    "gathered": (ROW, guarded("%g", "w") + "\n%i = w[%g]\n" + guarded("%i", "x") + "\n%v = x[%i]\ny[%g] = %v"),
    "one thread, a loaded index": (ROW, "%i = w[#0]\n%p = eq %t, #0 : bool\n" + where("%p", "s[%i] = %f")),
    "from behind": (ROW, "%l = sub %y.len, #1 : i32\n%i = sub %l, %g : i32\n" + guarded("%i", "y") + "\ny[%i] = %f"),
    "a halo": (
        ROW,
        "%i = add %t, #1 : i32\ns[%i] = %f\n%p = eq %t, #0 : bool\n" + where("%p", "s[#0] = %f\ns[#257] = %f") + f"\n{SYNC}\n%a = s[%t]",
    ),
    "a step that may wrap, checked": (ROW, STRIDES.replace("CHECK", guarded("%i", "y"))),
    "xor with one unknown for all": (ROW, "%i = xor %t, %n : i32\ns[%i] = %f"),
    "a cube": (
        "domain 2 block 8x8x4",
        '%tz = intrinsic "thread.idx.z" : i32\n%r = mul %tz, #8 : i32\n%r2 = add %r, %ty : i32\n%r3 = mul %r2, #8 : i32\n'
        "%i = add %r3, %t : i32\ns[%i] = %f",
    ),
    "the smaller of two": (ROW, "%i = min %t, #255 : i32\ns[%i] = %f"),
    "one of two places": (ROW, "%p = lt %t, #128 : bool\n%o = add %t, #512 : i32\n%i = select %p, %t, %o : i32\ns[%i] = %f"),
    "64-bit rows": (SQUARE, "%r = cast %gy : i64\n%n64 = cast %n : i64\n%q1 = mul %r, %n64 : i64\n%c = cast %g : i64\n%i = add %q1, %c : i64\n"
                            "%p = lt %g, %n : bool\n" + where("%p", "y[%i] = %f")),
    "pairs by xor": (
        ROW,
        "%j = xor %g, %n : i32\n%p0 = gt %j, %g : bool\n%p1 = lt %j, %y.len : bool\n%p = and %p0, %p1 : bool\n"
        + where("%p", "%a = y[%g]\n%e = y[%j]\ny[%g] = %e\ny[%j] = %a"),
    ),
    "halves of segments": (
        ROW + ' require "r" (">=", ("scalar", "n"), ("int", 1))',
        "%q1 = floordiv %g, %n : i32\n%q2 = mul %n, #2 : i32\n%q3 = mul %q1, %q2 : i32\n%r = mod %g, %n : i32\n%i = add %q3, %r : i32\n"
        "%j = add %i, %n : i32\n%a = y[%i]\n%e = y[%j]\ny[%i] = %e\ny[%j] = %a",
    ),
    "reversed bits": (ROW, "%u = cast %t : u32\n%v = brev %u : u32\n%c24 = const 24 : u32\n%h = shr %v, %c24 : u32\n%i = cast %h : i32\ns[%i] = %f"),
    "the lower half of a square with the upper one": (
        SQUARE + ' require "r" ("==", ("len", "y", 0), ("*", ("scalar", "n"), ("scalar", "n")))',
        TWO + "%r1 = mul %g, %n : i32\n%j = add %r1, %gy : i32\n%p0 = lt %gy, %g : bool\n%p1 = lt %g, %n : bool\n%p = and %p0, %p1 : bool\n"
        + where("%p", "%a = y[%i]\n%e = y[%j]\ny[%i] = %e\ny[%j] = %a"),
    ),
    "unsafe": (ROW, "store %y, %t, %f [offset = 0, unsafe = \"one block\"]"),
    "reads": (ROW, "%a = y[%t]\n%b1 = s[%t]"),
    "local": (ROW, '%l = alloc "l" [align = 4, count = 4] : mem<f32, local, exclusive>\nstore %l, %c0, %f [offset = 0]\n%zero = add #0, #0 : i32'),
}  # fmt: skip

REFUSED = {
    "behind a way that nobody leaves out": (
        ROW,
        '%a = ge %n, #5 : bool\n%d = gt %m, #3 : bool\n%e = or %a, %d : bool\ncheck "OX7002" %a [message = "m"]\n'
        + where("%e", f"{SYNC}\ns[%t] = %f") + "\n%r = sub #255, %t : i32\n%v = s[%r]",
        "OX4001",
        "nothing orders them",
    ),
    "scattered": (ROW, guarded("%g", "w") + "\n%i = w[%g]\n" + guarded("%i", "y") + "\ny[%i] = %f", "OX4003", "loaded from memory"),
    "compacted": (
        ROW,
        '%o = atomic "add" %z, #0, #1 [offset = 0, order = "relaxed", scope = "device"] : i32\n' + guarded("%o", "y") + "\ny[%o] = %f",
        "OX4003",
        "loaded from memory",
    ),
    "halves that overlap": (
        ROW + ' require "r" (">=", ("scalar", "n"), ("int", 1))',
        "%q1 = floordiv %g, %n : i32\n%q3 = mul %q1, %n : i32\n%r = mod %g, %n : i32\n%i0 = add %q3, %r : i32\n"
        "%j = add %i0, %n : i32\n%i = sub %j, %n : i32\n%a = y[%j]\ny[%i] = %a",
        "OX4002",
        "one reads, one writes",
    ),
    "bits reversed, then cut": (
        ROW,
        "%u = cast %t : u32\n%v = brev %u : u32\n%c25 = const 25 : u32\n%h = shr %v, %c25 : u32\n%i = cast %h : i32\ns[%i] = %f",
        "OX4001",
        "both write",
    ),
    "atomics of a block at places out of memory": (
        ROW,
        guarded("%g", "w") + "\n%i = w[%g]\n" + guarded("%i", "z") + '\n%o = atomic "add" %z, %i, #1 [offset = 0, order = "relaxed", scope = "block"] : i32',
        "OX4002",
        'scope "block"',
    ),
    "a loaded condition": (ROW, "%i = w[%t]\n%p = gt %i, #0 : bool\n" + where("%p", "s[#0] = %f"), "OX4001", "both write"),
    "every second": (ROW, "%i = floordiv %t, #2 : i32\ns[%i] = %f", "OX4001", "both write"),
    "negative indices meet": (ROW, "%i = sub %t, #128 : i32\n%j = abs %i : i32\ns[%j] = %f", "OX4001", "both write"),
    "a mask": (ROW, "%i = and %t, #127 : i32\ns[%i] = %f", "OX4001", "both write"),
    "a step without a check may wrap": (ROW, STRIDES.replace("CHECK", "").replace("%size = mul %gd, #256", "%size = mul %gd, #128"), "OX4002", "both write"),
    "blocks write one element": (ROW, "z[%t] = %t", "OX4002", "both write"),
    "8-bit indices wrap": (ROW, "%i8 = cast %t : i8\n%i16 = cast %i8 : i32\n%i = and %i16, #127 : i32\ns[%i] = %f", "OX4001", "both write"),
    "a shift": (ROW, "%i = shr %t, #1 : i32\ns[%i] = %f", "OX4001", "both write"),
    "an unknown product": (ROW, "%i = mul %t, %n : i32\n%j = add %i, #0 : i32\nq[%j] = %t", "OX4001", "both write"),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    facts, body = ACCEPTED[name]
    assert [(one.code, one.message) for one in findings(body, facts)] == []


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    facts, body, code, why = REFUSED[name]
    found = findings(body, facts)
    assert [one.code for one in found] == [code]
    assert why in found[0].message


def test_a_condition_of_the_launch_is_staked() -> None:
    proof = races.prove(kernel(TWO + INSIDE + where("%p", "y[%i] = %f"), SQUARE))
    assert proof.diagnostics == () and proof.asked == 0
    (staked,) = proof.staked
    assert staked.text == "n * m <= 2147483648"
    assert staked.expr == ("or", ("<", ("scalar", "n"), ("int", 0)), ("<=", ("*", ("scalar", "n"), ("scalar", "m")), ("int", 2147483648)))


def test_nothing_is_staked_where_the_kernel_requires_enough() -> None:
    facts = SQUARE + ' require "r" ("==", ("len", "y", 0), ("*", ("scalar", "n"), ("scalar", "m")))'
    proof = races.prove(kernel(TWO + INSIDE + where("%p", "y[%i] = %f"), facts))
    assert proof.diagnostics == () and proof.staked == ()


def test_a_stake_does_not_hide_a_race() -> None:
    wrong = INSIDE.replace("%p0 = lt %g, %n", "%p0 = le %g, %n")
    proof = races.prove(kernel(TWO + wrong + where("%p", "y[%i] = %f"), SQUARE))
    assert [one.code for one in proof.diagnostics] == ["OX4002"] and proof.staked == ()


def test_what_is_staked_fits_together_with_what_is_required() -> None:
    """No launch of usual size keeps to both: what would be proven then is nothing."""
    body = TWO + INSIDE + where("%p", "y[%i] = %f")
    for limit, staked in ((1, 1), (2147483647, 0)):
        facts = f'{SQUARE} require "r" (">=", ("*", ("scalar", "n"), ("scalar", "m")), ("int", {limit}))'
        proof = races.prove(kernel(body, facts))
        assert len(proof.staked) == staked and bool(proof.diagnostics) is not bool(staked)


def test_equations_decide_without_z3() -> None:
    for facts, body in ACCEPTED.values():
        assert races.prove(kernel(body, facts)).asked == 0


def test_what_is_said() -> None:
    (found,) = findings("s[%t] = %f\n%i = xor %t, #1 : i32\n%a = s[%i]")
    assert found.span is not None and found.span.line == 3 and [one.span.line for one in found.labels] == [1]
    case = found.counterexample
    assert case is not None and case.lines == (1, 3)
    (first, second) = case.threads
    assert first[1][0] == second[1][0] ^ 1 == case.index and first[0] == second[0]
    assert found.help == "`block.sync()` between lines 1 and 3 orders them"
    assert f"`s[{case.index}]`" in found.message and "one writes, one reads" in found.message


def test_the_element_is_reckoned_where_only_some_threads_come() -> None:
    body = "s[%t] = %f\n%i = xor %t, #1 : i32\n%a = s[%i]\nyield"
    (found,) = findings(f"%n8 = floordiv %t, #8 : i32\nfor #0, %n8, #1 [positive = true] (%k: i32) {{\n{body}\n}}")
    case = found.counterexample
    assert case is not None and case.threads[0][1][0] == case.threads[1][1][0] ^ 1 == case.index


def test_without_z3_a_question_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "z3", None)
    (found,) = findings("%i = mul %g, %g : i32\ny[%i] = %f")
    assert found.code == "OX4003" and found.help is not None and "pip install z3-solver" in found.help


def test_unsafe_suspends_what_stands_inside_only() -> None:
    body = 'store %y, %t, %f [offset = 0, unsafe = "one block"]\nz[%t] = %t'
    assert [one.message.split("`")[1] for one in findings(body)] == ["z[0]"]


def test_asserts_hold_only_where_they_are_checked() -> None:
    body = '%p = lt %t, #1 : bool\ncheck "OX7002" %p [message = "m"]\ns[#0] = %f'
    assert races.prove(kernel(body)).diagnostics == ()
    assert [one.code for one in races.prove(kernel(body), asserts=False).diagnostics] == ["OX4001"]


def test_a_barrier_behind_what_shared_memory_says() -> None:
    uniform = f"q[%t] = %t\n{SYNC}\n%v = q[#0]\n%p = gt %v, #0 : bool\n" + where("%p", SYNC)
    assert codes(uniform) == []
    assert codes(uniform.replace(SYNC, "", 1)) == ["OX3001", "OX4001"]
    assert codes(uniform.replace("q[#0]", "q[%t]")) == ["OX3001"]
