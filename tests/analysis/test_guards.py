"""Which checks the conditions on the way make needless, and which must stay."""

from __future__ import annotations

import pytest

from oxidepy.analysis.guards import Guards, prove
from oxidepy.ir.core import Module
from oxidepy.ir.parser import parse_module

HEAD = """kernel @k(
  %x: mem<f32, global, shared> = memory "x",
  %x.len: i32 = length "x",
  %y: mem<f32, global, disjoint> = memory "y",
  %y.len: i32 = length "y",
  %n: i32 = scalar "n",
  %f: bool = scalar "f"
) domain 1 block 256x1x1 coordinates i32 {
  %zero = const 0 : i32
  %one = const 1 : i32
  %i = intrinsic "thread.global_id.x" : i32
  %t = intrinsic "thread.idx.x" : i32
"""


def guards(body: str, **options: bool) -> tuple[Guards, Module]:
    module = parse_module(HEAD + body + "  return\n}\n")
    return prove(module, **options), module


def remaining(module: Module) -> int:
    return sum(op.name == "check" for op in module.kernel.body.walk())


CHECK = '%p{0} = inbounds {1}, {2} : bool\n check "{3}" %p{0} [message = "m"]\n'
IN_Y = CHECK.format(9, "%i", "%y.len", "OX5002")

PROVEN = {
    "if": f"%c = inbounds %i, %y.len : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "less than, index not negative by its making": f"%c = lt %i, %y.len : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "mirrored": f"%c = gt %y.len, %i : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "else of not": f"%c = inbounds %i, %y.len : bool\n %d = not %c : bool\n if %d {{ yield }} else {{ {IN_Y} yield }}",
    "early return": f'scope "r" {{ %c = inbounds %i, %y.len : bool\n %d = not %c : bool\n if %d {{ leave "r" }} else {{ yield }} {IN_Y} yield }}',
    "and, short circuit": f"%c = inbounds %i, %y.len : bool\n %a = if %c : bool {{ yield %f }} else {{ %no = const false : bool\n yield %no }}\n if %a {{ {IN_Y} yield }} else {{ yield }}",
    "second operand of and": f"%a = if %f : bool {{ %c = inbounds %i, %y.len : bool\n yield %c }} else {{ %no = const false : bool\n yield %no }}\n if %a {{ {IN_Y} yield }} else {{ yield }}",
    "negated or": (
        f"%c = inbounds %i, %y.len : bool\n %d = not %c : bool\n %a = if %f : bool {{ %yes = const true : bool\n yield %yes }} else {{ yield %d }}\n"
        f" if %a {{ yield }} else {{ {IN_Y} yield }}"
    ),
    "the same test made again": f"%c = inbounds %i, %y.len : bool\n if %c {{ if %f {{ {IN_Y} yield }} else {{ yield }} yield }} else {{ yield }}",
    "for variable": f"for %i, %y.len, %one [positive = true] (%v: i32) {{ {CHECK.format(9, '%v', '%y.len', 'OX5002')} yield }}",
    "while condition": (
        f"%w = while %i : i32 (%v: i32) {{ %c = lt %v, %y.len : bool\n condition %c, %v }} do (%u: i32) {{ %z = le %zero, %u : bool\n"
        f" if %z {{ {CHECK.format(9, '%u', '%y.len', 'OX5002')} yield }} else {{ yield }}\n %q = add %u, %one : i32\n yield %q }}"
    ),
    "thread index below the block": f"%b = const 256 : i32\n {CHECK.format(9, '%t', '%b', 'OX7001')}",
    "neighbour inside a known bound": (
        f"%c = inbounds %i, %x.len : bool\n if %c {{ %j = add %i, %one : i32\n %d = lt %j, %y.len : bool\n if %d {{ {CHECK.format(9, '%j', '%y.len', 'OX5002')} yield }} else {{ yield }}\n yield }} else {{ yield }}"
    ),
    "less than a length less a constant": f"%m = sub %y.len, %one : i32\n %c = lt %i, %m : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "at most a length less a constant": f"%m = sub %y.len, %one : i32\n %c = le %i, %m : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "modulo of a positive constant": f"%m = const 7 : i32\n %r = mod %n, %m : i32\n {CHECK.format(9, '%r', '%m', 'OX7001')}",
}

STAYS = {
    "nothing": IN_Y,
    "another slice": f"%c = inbounds %i, %x.len : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "other side": f"%c = inbounds %i, %y.len : bool\n if %c {{ yield }} else {{ {IN_Y} yield }}",
    "or": f"%c = inbounds %i, %y.len : bool\n %a = if %c : bool {{ %yes = const true : bool\n yield %yes }} else {{ yield %f }}\n if %a {{ {IN_Y} yield }} else {{ yield }}",
    "after the if": f"%c = inbounds %i, %y.len : bool\n if %c {{ yield }} else {{ yield }}\n {IN_Y}",
    "after an early return on one side only": f'scope "r" {{ %c = inbounds %i, %y.len : bool\n if %c {{ leave "r" }} else {{ yield }} {IN_Y} yield }}',
    "below, but perhaps negative": f"%c = lt %n, %y.len : bool\n if %c {{ {CHECK.format(9, '%n', '%y.len', 'OX5002')} yield }} else {{ yield }}",
    "a neighbour that may wrap": f"%j = add %i, %one : i32\n %d = lt %j, %y.len : bool\n if %d {{ {CHECK.format(9, '%j', '%y.len', 'OX5002')} yield }} else {{ yield }}",
    "less than a difference that may wrap": f"%l = min %n, %y.len : i32\n %m = sub %l, %one : i32\n %c = lt %i, %m : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "less than a length less a negative constant": f"%d = const -1 : i32\n %m = sub %y.len, %d : i32\n %c = lt %i, %m : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "at most a length": f"%c = le %i, %y.len : bool\n if %c {{ {IN_Y} yield }} else {{ yield }}",
    "after the loop": f'for %i, %y.len, %one [positive = true] (%v: i32) {{ yield }}\n {IN_Y}',
    "step of unknown sign": f'for %i, %y.len, %n (%v: i32) {{ {CHECK.format(9, "%v", "%y.len", "OX5002")} yield }}',
    "value of another round": (
        f'%w = while %i : i32 (%v: i32) {{ %c = inbounds %v, %y.len : bool\n condition %c, %v }} do (%u: i32) {{ %q = add %u, %one : i32\n'
        f' {CHECK.format(9, "%q", "%y.len", "OX5002")} yield %q }}'
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVEN)
def test_proven(name: str) -> None:
    found, module = guards(PROVEN[name])
    assert found.diagnostics == [] and found.proven == 1 and remaining(module) == 0


@pytest.mark.parametrize("name", STAYS)
def test_refused(name: str) -> None:
    found, _ = guards(STAYS[name])
    assert [one.code for one in found.diagnostics] == ["OX5002"] and found.proven == 0


def test_a_check_is_a_fact_for_what_follows() -> None:
    found, module = guards(CHECK.format(1, "%i", "%x.len", "OX7001") + CHECK.format(2, "%i", "%x.len", "OX7001"))
    assert (found.proven, found.checked, remaining(module)) == (1, 1, 1)


def test_options_drop_checks_but_not_guards() -> None:
    body = CHECK.format(1, "%i", "%x.len", "OX7001") + 'check "OX7002" %f [message = "a"]\n' + IN_Y
    found, module = guards(body, unchecked_indexing=True, no_assert=True)
    assert [one.code for one in found.diagnostics] == ["OX5002"] and remaining(module) == 0


def test_a_division_needs_no_check_where_the_divisor_is_known() -> None:
    body = '%c = gt %n, %zero : bool\n if %c {{ %p = ne %n, %zero : bool\n check "OX7003" %p [message = "m"]\n yield }} else {{ yield }}'.replace(
        "{{", "{"
    ).replace("}}", "}")
    found, module = guards(body)
    assert found.proven == 1 and remaining(module) == 0


def test_a_step_of_the_grid_is_no_zero_and_goes_up() -> None:
    loop = "for %i, %x.len, %s [positive = false] (%v: i32) { yield }\n"
    body = '%s = intrinsic "grid.size" : i32\n %p = ne %s, %zero : bool\n check "OX7002" %p [message = "m"]\n' + loop
    found, module = guards(body)
    assert found.proven == 1 and remaining(module) == 0
    assert [op.attrs["positive"] for op in module.kernel.body.walk() if op.name == "for"] == [True]


def test_conditions_that_cannot_all_hold() -> None:
    """Nothing comes there, whatever stands there: a divisor between 1 and 0."""
    body = (
        "%low = ge %n, %one : bool\n if %low {\n %high = le %n, %zero : bool\n if %high {\n"
        ' %q = floordiv %n, %n : i32\n %p = inbounds %q, %x.len : bool\n check "OX7001" %p, %q, %x.len [message = "m"]\n'
        " yield\n } else {\n yield\n }\n yield\n } else {\n yield\n }\n"
    )
    found, _ = guards(body)
    assert found.proven + found.checked == 1
