"""Where all threads of a group come together, and where some may be missing."""

from __future__ import annotations

import pytest

from oxidepy.analysis.uniformity import BLOCK, GRID, THREAD, WARP, Uniformity, analyse
from oxidepy.ir.core import Module, Value
from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import verify

HEAD = """kernel @k(
  %x: mem<i32, global, shared> = memory "x",
  %y: mem<i32, global, exclusive> = memory "y",
  %n: i32 = scalar "n",
  %f: bool = scalar "f"
) {0} {{
  %zero = const 0 : i32
  %one = const 1 : i32
  %two = const 2 : i32
  %sixteen = const 16 : i32
  %edge = const 64 : i32
  %lower = const 65535 : u32
  %upper = const 4294901760 : u32
  %no = const false : bool
  %yes = const true : bool
  %ones = const 4294967295 : u32
  %i = intrinsic "thread.global_id.x" : i32
  %t = intrinsic "thread.idx.x" : i32
  %r = intrinsic "thread.idx.y" : i32
  %b = intrinsic "block.idx.x" : i32
  %lane = intrinsic "warp.lane" : i32
  %warp = intrinsic "warp.id" : i32
"""
FACTS = "domain 2 block {0} coordinates i32"
LINE = "256x1x1"

SYNC = 'intrinsic "block.sync"\n'
GRID_SYNC = 'intrinsic "grid.sync"\n'
SHUFFLE = '%s = intrinsic "warp.shuffle_xor" %i, %one [mask = "full", width = 32] : i32\n'
NAMED = 'intrinsic "warp.sync" {0}\n'
TILE = '%s = intrinsic "warp.shuffle_xor" %i, %one [mask = "full", width = 16] : i32\n'
ACTIVE = '%s = intrinsic "warp.shuffle_xor" %i, %one [mask = "active", width = 32] : i32\n'


def module_of(body: str, block: str = LINE) -> Module:
    module = parse_module(HEAD.format(FACTS.format(block)) + body + "  return\n}\n")
    verify(module)
    return module


def codes(found: Uniformity) -> list[str]:
    return [one.code for one in found.diagnostics]


def when(condition: str, body: str, otherwise: str = "") -> str:
    """`if` over a comparison such as "lt %t, %two"."""
    return f"%c = {condition} : bool\n if %c {{ {body} yield }} else {{ {otherwise} yield }}\n"


def early(condition: str, after: str) -> str:
    return f'scope "return" {{ %c = {condition} : bool\n if %c {{ leave "return" }} else {{ yield }}\n {after} yield }}\n'


def counted(stop: str, body: str, start: str = "%zero") -> str:
    return f"for {start}, {stop}, %one [positive = true] (%k: i32) {{ {body} yield }}\n"


def repeated(first: str, condition: str, body: str, following: str) -> str:
    """`while` over one carried value: %w in the condition, %v in the body; `following` makes %next."""
    return (
        f"%last = while {first} : i32 (%w: i32) {{ {condition} condition %more, %w }} do (%v: i32) {{ {body} {following} yield %next }}\n"
    )


def broken(condition: str, before: str, after: str, behind: str = "") -> str:
    """A loop that `condition` breaks out of, with operations before and after that, and others behind the loop."""
    inside = f'{before} %c = {condition} : bool\n if %c {{ leave "break" }} else {{ yield }}\n {after}'
    return f'scope "break" {{ {counted("%n", inside)} yield }}\n {behind}'


TOGETHER = {
    "no condition": SYNC,
    "a condition on a parameter": when("lt %n, %two", SYNC),
    "a condition on the block's place": when("lt %b, %two", SYNC),
    "both arms": when("lt %b, %two", SYNC, SYNC),
    "a condition on what read-only memory holds at one place": "%v = load %x, %b [offset = 0] : i32\n" + when("lt %v, %two", SYNC),
    "behind a divergent condition": when("lt %t, %two", "store %y, %i, %one [offset = 0]\n") + SYNC,
    "a loop whose rounds are a parameter": counted("%n", SYNC),
    "a loop whose rounds are the block's place": counted("%b", SYNC),
    "behind a loop whose rounds differ": counted("%t", "") + SYNC,
    "a loop in a loop": counted("%n", counted("%k", SYNC).replace("%k", "%m").replace(", %m,", ", %k,")),
    "a carried value that stays the same in all threads": (
        "%sum = for %zero, %n, %one, %zero [positive = true] : i32 (%k: i32, %a: i32) { %d = lt %a, %two : bool\n"
        f" if %d {{ {SYNC} yield }} else {{ yield }}\n %q = add %a, %k : i32\n yield %q }}\n" + when("lt %sum, %two", SYNC)
    ),
    "while, halving what was a constant": repeated("%sixteen", "%more = gt %w, %zero : bool\n", SYNC, "%next = floordiv %v, %two : i32\n"),
    "what comes out of such a while": (
        repeated("%sixteen", "%more = gt %w, %n : bool\n", SYNC, "%next = floordiv %v, %two : i32\n") + when("lt %last, %two", SYNC)
    ),
    "the return of whole blocks": early("lt %b, %two", SYNC),
    "the return of whole blocks out of a loop": f'scope "return" {{ {counted("%n", when("lt %b, %k", "leave_here"))} {SYNC} yield }}\n'.replace(
        "leave_here yield", 'leave "return"'
    ),
    "behind a return of some threads out of a helper": early("lt %t, %two", "store %y, %i, %one [offset = 0]\n") + SYNC,
    "a vote of the block as a condition": (
        '%own = lt %t, %two : bool\n%some = intrinsic "block.any" %own : bool\n' + f"if %some {{ {SYNC} yield }} else {{ yield }}\n"
    ),
    "a count of the block as the rounds of a loop": (
        '%own = lt %t, %two : bool\n %many = intrinsic "block.count" %own : i32\n' + counted("%many", SYNC)
    ),
    "break by all threads": broken("lt %n, %k", SYNC, SYNC, SYNC),
    "behind a loop that some threads break": broken("lt %t, %k", "", "", SYNC),
    "a choice between two equal values": f"%v = if %f : i32 {{ yield %n }} else {{ yield %b }}\n {when('lt %v, %two', SYNC)}",
    "one value from both arms of a divergent condition": (
        "%d = lt %t, %two : bool\n %v = if %d : i32 { yield %n } else { yield %n }\n" + when("lt %v, %two", SYNC)
    ),
    "warp: no condition": SHUFFLE,
    "warp: in a branch of whole blocks": when("lt %b, %two", SHUFFLE),
    "warp: in a branch of whole warps": when("lt %warp, %two", SHUFFLE),
    "warp: a vote of the warp as a condition": (
        '%own = lt %t, %two : bool\n %some = intrinsic "warp.any" %own [mask = "full", width = 32] : bool\n'
        f"if %some {{ {SHUFFLE} yield }} else {{ yield }}\n"
    ),
    "warp: the return of whole warps": early("lt %warp, %two", SHUFFLE),
    "warp: the active lanes": when("lt %t, %two", ACTIVE),
    "warp: synchronising all lanes": NAMED.format("%ones"),
    "warp: synchronising the lanes of a condition": when("lt %lane, %sixteen", NAMED.format("%lower"), NAMED.format("%upper")),
    "warp: synchronising lanes for which a reason vouches": when("lt %t, %two", 'intrinsic "warp.sync" %ones [unsafe = "why"]\n'),
    "warp: a tile, all lanes": TILE,
    "grid: no condition": GRID_SYNC,
    "grid: a loop whose rounds are a parameter": counted("%n", GRID_SYNC),
}


@pytest.mark.parametrize("body", TOGETHER.values(), ids=TOGETHER)
def test_all_threads_come_together(body: str) -> None:
    found = analyse(module_of(body))
    assert codes(found) == []
    assert found.control, "the operation was looked at"


APART = {
    "a condition on the thread": (when("lt %t, %two", SYNC), "OX3001"),
    "the other arm": (when("lt %t, %two", "", SYNC), "OX3001"),
    "both arms": (when("lt %t, %two", SYNC, SYNC), "OX3001 OX3001"),
    "a condition on the thread's number": (when("lt %i, %n", SYNC), "OX3001"),
    "a condition on the warp": (when("lt %warp, %two", SYNC), "OX3001"),
    "a condition on what others write": (f"%v = load %y, %zero [offset = 0] : i32\n {when('lt %v, %two', SYNC)}", "OX3001"),
    "a condition on the thread's element": (f"%v = load %x, %i [offset = 0] : i32\n {when('lt %v, %two', SYNC)}", "OX3001"),
    "a condition on an old value": (
        f'%v = atomic "add" %y, %zero, %one [offset = 0, order = "relaxed", scope = "device"] : i32\n {when("lt %v, %two", SYNC)}',
        "OX3001",
    ),
    "inside of another condition": (when("lt %t, %two", f"if %f {{ {SYNC} yield }} else {{ yield }}\n"), "OX3001"),
    "rounds that differ": (counted("%t", SYNC), "OX3001"),
    "a start that differs": (counted("%n", SYNC, "%t"), "OX3001"),
    "a loop inside of a loop whose rounds differ": (counted("%t", counted("%n", SYNC).replace("%k", "%m")), "OX3001"),
    "a carried value that comes to differ": (
        "%sum = for %zero, %n, %one, %zero [positive = true] : i32 (%k: i32, %a: i32) { %d = lt %a, %two : bool\n"
        f" if %d {{ {SYNC} yield }} else {{ yield }}\n %q = add %a, %t : i32\n yield %q }}\n",
        "OX3001",
    ),
    "carried from one value to the next, in two rounds": (
        "%p, %q = for %zero, %n, %one, %zero, %zero [positive = true] : i32, i32 (%k: i32, %a: i32, %o: i32) { %d = lt %a, %two : bool\n"
        f" if %d {{ {SYNC} yield }} else {{ yield }}\n yield %o, %t }}\n",
        "OX3001",
    ),
    "while a value of the thread": (repeated("%t", "%more = gt %w, %zero : bool\n", SYNC, "%next = floordiv %v, %two : i32\n"), "OX3001"),
    "what comes out of a while of the thread": (
        repeated("%zero", "%more = lt %w, %t : bool\n", "", "%next = add %v, %one : i32\n") + when("lt %last, %two", SYNC),
        "OX3001",
    ),
    "in the condition of a while": (
        repeated("%zero", f"{SYNC} %more = lt %w, %t : bool\n", "", "%next = add %v, %one : i32\n"),
        "OX3001",
    ),
    "behind the return of some threads": (early("lt %t, %two", SYNC), "OX3001"),
    "behind a bounds return": (early("ge %i, %n", SYNC), "OX3001"),
    "behind the return of some threads, in a scope inside": (early("lt %t, %two", f'scope "in" {{ {SYNC} yield }}\n'), "OX3001"),
    "behind a return out of two scopes": (
        f'scope "out" {{ scope "in" {{ {when("lt %t, %two", "leave_here")} yield }}\n {SYNC} yield }}\n'.replace(
            "leave_here yield", 'leave "out"'
        ),
        "OX3001",
    ),
    "before the break of some threads, in the next round": (broken("lt %t, %k", SYNC, ""), "OX3001"),
    "behind the break of some threads": (broken("lt %t, %k", "", SYNC), "OX3001"),
    "behind the `continue` of some threads": (
        counted("%n", f'scope "continue" {{ {when("lt %t, %k", "leave_here")} {SYNC} yield }}\n').replace(
            "leave_here yield", 'leave "continue"'
        ),
        "OX3001",
    ),
    "a round that differs where the loop was left": (
        '%v = scope "break" : i32 { for %zero, %n, %one [positive = true] (%k: i32) { %d = lt %t, %k : bool\n'
        ' if %d { leave "break" %k } else { yield }\n yield }\n yield %zero }\n' + when("lt %v, %two", SYNC),
        "OX3001",
    ),
    "a choice by the thread": (
        "%d = lt %t, %two : bool\n %v = if %d : i32 { yield %n } else { yield %zero }\n" + when("lt %v, %two", SYNC),
        "OX3001",
    ),
    "a vote of the warp as a condition of the block": (
        '%own = lt %t, %two : bool\n %some = intrinsic "warp.any" %own [mask = "full", width = 32] : bool\n'
        f"if %some {{ {SYNC} yield }} else {{ yield }}\n",
        "OX3001",
    ),
    "a vote of the block under a condition": (when("lt %t, %two", '%some = intrinsic "block.any" %f : bool\n'), "OX3001"),
    "warp: some lanes": (when("lt %lane, %sixteen", SHUFFLE), "OX3002"),
    "warp: some threads": (when("lt %i, %n", SHUFFLE), "OX3002"),
    "warp: behind the return of some lanes": (early("ge %i, %n", SHUFFLE), "OX3002"),
    "warp: rounds that differ": (counted("%lane", SHUFFLE), "OX3002"),
    "warp: a vote of a tile as a condition": (
        '%own = lt %t, %two : bool\n %some = intrinsic "warp.any" %own [mask = "full", width = 16] : bool\n'
        f"if %some {{ {SHUFFLE} yield }} else {{ yield }}\n",
        "OX3002",
    ),
    "warp: synchronising all lanes where some come": (when("lt %t, %two", NAMED.format("%ones")), "OX3002"),
    "warp: synchronising half where all come": (NAMED.format("%lower"), "OX3002"),
    "warp: synchronising the other half": (when("ge %lane, %sixteen", NAMED.format("%lower")), "OX3002"),
    "warp: synchronising a half of which some left": (
        when("lt %lane, %sixteen", f"%d = lt %t, %two : bool\n if %d {{ {NAMED.format('%lower')} yield }} else {{ yield }}\n"),
        "OX3002",
    ),
    "warp: synchronising lanes that are not known": (
        "%own = cast %n : u32\n " + NAMED.format("%own"),
        "OX3002",
    ),
    "warp: a tile of which some lanes come": (when("eq %lane, %sixteen", TILE), "OX3002"),
    "grid: some blocks": (when("lt %b, %two", GRID_SYNC), "OX3001"),
    "grid: behind the return of whole blocks": (early("lt %b, %two", GRID_SYNC), "OX3001"),
    "grid: a vote of the block as a condition": (
        f'%some = intrinsic "block.any" %f : bool\n if %some {{ {GRID_SYNC} yield }} else {{ yield }}\n',
        "OX3001",
    ),
}


@pytest.mark.parametrize(("body", "wanted"), APART.values(), ids=APART)
def test_some_threads_may_be_missing(body: str, wanted: str) -> None:
    assert codes(analyse(module_of(body))) == wanted.split()


SHAPES = {
    "rows as long as a warp": ("32x8x1", "lt %r, %two", SHUFFLE, ""),
    "rows of two warps": ("64x4x1", "lt %r, %two", SHUFFLE, ""),
    "rows shorter than a warp": ("16x16x1", "lt %r, %two", SHUFFLE, "OX3002"),
    "rows that end inside of a warp": ("48x2x1", "lt %r, %one", SHUFFLE, "OX3002"),
    "columns": ("32x8x1", "lt %t, %two", SHUFFLE, "OX3002"),
    "rows decide nothing for the block": ("32x8x1", "lt %r, %two", SYNC, "OX3001"),
    "a single row is no condition": ("256x1x1", "lt %r, %two", SYNC, ""),
    "one warp is no condition": ("32x1x1", "lt %warp, %two", SYNC, ""),
    "one thread is no condition": ("1x1x1", "lt %lane, %two", SYNC, ""),
    "the threads of the first warps": ("256x1x1", "lt %t, %edge", SHUFFLE, ""),
    "up to the last thread of a warp": ("256x1x1", "gt %edge, %t", SHUFFLE, ""),
    "one thread more": ("256x1x1", "le %t, %edge", SHUFFLE, "OX3002"),
    "the threads of the grid by warps": ("256x1x1", "ge %i, %edge", SHUFFLE, ""),
    "the threads of the grid in blocks of half warps": ("48x1x1", "ge %i, %edge", SHUFFLE, "OX3002"),
    "the threads of rows shorter than a warp": ("16x16x1", "lt %t, %edge", SHUFFLE, "OX3002"),
    "the threads of the first warps, for the block": ("256x1x1", "lt %t, %edge", SYNC, "OX3001"),
    "a partial warp": ("48x1x1", "lt %b, %two", SHUFFLE, "OX3002"),
    "the active lanes of a partial warp": ("48x1x1", "lt %b, %two", ACTIVE, ""),
    "a barrier of a block with a partial warp": ("48x1x1", "lt %b, %two", SYNC, ""),
    "less than a warp": ("16x1x1", "lt %b, %two", SHUFFLE, "OX3002"),
    "a tile in less than a warp": ("16x1x1", "lt %b, %two", TILE, ""),
    "less than a tile": ("24x1x1", "lt %b, %two", TILE, "OX3002"),
    "rows as long as a tile": ("16x16x1", "lt %r, %two", TILE, ""),
    "rows shorter than a tile": ("8x16x1", "lt %r, %two", TILE, "OX3002"),
    "a partial warp in two dimensions": ("8x6x1", "lt %b, %two", SHUFFLE, "OX3002"),
    "whole warps in two dimensions": ("8x8x1", "lt %b, %two", SHUFFLE, ""),
}


@pytest.mark.parametrize(("block", "condition", "body", "wanted"), SHAPES.values(), ids=SHAPES)
def test_the_shape_of_the_block_decides(block: str, condition: str, body: str, wanted: str) -> None:
    assert codes(analyse(module_of(when(condition, body), block))) == wanted.split()


VOTE = f'%u = intrinsic "warp.any" %f [mask = "full", width = 32] : bool\n if %u {{ {SYNC} yield }} else {{ yield }}\n'
OVER_THE_WARP = {
    "a vote, for the block": (LINE, VOTE, "OX3001"),
    "a vote, for a block of one warp": ("32x1x1", VOTE, ""),
    "a vote of a tile that is a block": ("8x2x1", VOTE.replace("32", "16"), ""),
    "a vote of a tile that is half a block": ("32x1x1", VOTE.replace("32", "16"), "OX3001"),
    "a lane's value for all": (
        LINE,
        '%u = intrinsic "warp.shuffle" %i, %two [mask = "full", width = 32] : i32\n' + when("lt %u, %two", SHUFFLE),
        "",
    ),
    "of a lane that there is not": (
        LINE,
        '%u = intrinsic "warp.shuffle" %i, %edge [mask = "full", width = 32] : i32\n' + when("lt %u, %two", SHUFFLE),
        "OX3002",
    ),
    "what somebody else may change": (
        LINE,
        "%u = load %x, %zero [offset = 0, volatile = true] : i32\n" + when("lt %u, %two", SYNC),
        "OX3001",
    ),
}


@pytest.mark.parametrize(("block", "body", "wanted"), OVER_THE_WARP.values(), ids=OVER_THE_WARP)
def test_what_lanes_have_from_each_other(block: str, body: str, wanted: str) -> None:
    assert codes(analyse(module_of(body, block))) == wanted.split()


def test_the_levels_of_values() -> None:
    module = module_of(
        "%sum = add %n, %b : i32\n %v = load %x, %sum [offset = 0] : i32\n %w = load %y, %n [offset = 0] : i32\n %u = add %warp, %b : i32\n"
        ' %all = intrinsic "warp.all" %f [mask = "full", width = 32] : bool\n %size = intrinsic "grid.size" : i32\n'
    )
    found = analyse(module)
    values: dict[str | None, Value] = {one.name: one for op in module.kernel.body.walk() for one in op.results}
    levels = {name: found.level(value) for name, value in values.items()}
    wanted = {
        "one": GRID,
        "size": GRID,
        "b": BLOCK,
        "sum": BLOCK,
        "v": BLOCK,
        "u": WARP,
        "all": WARP,
        "t": THREAD,
        "i": THREAD,
        "w": THREAD,
    }
    assert {name: levels[name] for name in wanted} == wanted


def test_the_message_says_where_the_divergence_began_and_what_it_depends_on() -> None:
    inner, outer = ('loc("k.py":9:5-9:17)', 'loc("k.py":8:5-8:30)')
    body = f'%c = lt %t, %two : bool\n if %c {outer} {{ intrinsic "block.sync" {inner}\n yield }} else {{ yield }}\n'
    (found,) = analyse(module_of(body)).diagnostics
    assert found.span is not None and found.span.line == 9
    (label,) = found.labels
    assert label.span.line == 8 and "`thread.idx.x`" in label.text and "threads of the block" in label.text
    assert found.help is not None and found.help.endswith("guard the work instead of the barrier")


def test_a_condition_on_what_was_loaded_is_told_of_the_vote() -> None:
    (found,) = analyse(module_of(f"%v = load %y, %zero [offset = 0] : i32\n {when('lt %v, %two', SYNC)}")).diagnostics
    assert found.help is not None and found.help.endswith("let the block agree on the condition: `block.any(…)`")


def test_the_message_of_a_warp_operation_names_the_way_out() -> None:
    (found,) = analyse(module_of(when("lt %t, %two", SHUFFLE))).diagnostics
    assert found.help is not None and "`warp.active.shuffle_xor`" in found.help
