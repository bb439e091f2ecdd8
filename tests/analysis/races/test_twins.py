"""Kernels without races, each beside a twin, one edit away, that has one."""

from __future__ import annotations

import pytest

from .proving import SYNC, codes, findings

ROW = "domain 1 block 256x1x1"
SQUARE = "domain 2 block 16x16x1"

# name: facts, body, (what is edited, into what), the code of the twin
TWINS: dict[str, tuple[str, str, tuple[str, str], str]] = {
    "neighbour behind a barrier": (ROW, f"s[%t] = %f\n{SYNC}\n%i = xor %t, #1 : i32\n%a = s[%i]", (SYNC + "\n", ""), "OX4001"),
    "rotation": (ROW, f"s[%t] = %f\n{SYNC}\n%i = add %t, #1 : i32\n%j = mod %i, #256 : i32\n%a = s[%j]", (SYNC + "\n", ""), "OX4001"),
    "one element a thread of the grid": (ROW, "y[%g] = %f", ("%g", "%t"), "OX4002"),
    "rows and columns": (SQUARE, "%r = mul %ty, #16 : i32\n%i = add %r, %t : i32\ns[%i] = %f", ("#16", "#15"), "OX4001"),
    "padded rows": (SQUARE, "%r = mul %ty, #17 : i32\n%i = add %r, %t : i32\ns[%i] = %f", ("mul %ty, #17", "shr %ty, #1"), "OX4001"),
    "pairs": (ROW, "%i = mul %g, #2 : i32\n%j = add %i, #1 : i32\ny[%i] = %f\ny[%j] = %f", ("add %i, #1", "add %i, #2"), "OX4002"),
    "two halves": (ROW, "%i = add %t, #256 : i32\ns[%t] = %f\n%a = s[%i]", ("#256", "#255"), "OX4001"),
    "one writer": (
        ROW,
        "%p = eq %t, #0 : bool\nif %p {\ns[#0] = %f\nyield\n} else {\nyield\n}",
        ("eq %t, #0", "le %t, #1"),
        "OX4001",
    ),
    "one writer a warp": (
        ROW,
        "%p = eq %lane, #31 : bool\nif %p {\ns[%warp] = %f\nyield\n} else {\nyield\n}",
        ("eq %lane, #31", "ge %lane, #30"),
        "OX4001",
    ),
    "one writer a block": (
        ROW,
        "%p = eq %t, #0 : bool\nif %p {\ny[%b] = %f\nyield\n} else {\nyield\n}",
        ("y[%b]", "y[#0]"),
        "OX4002",
    ),
    "lower half adds the upper": (
        ROW,
        "%p = lt %t, #128 : bool\nif %p {\n%i = add %t, #128 : i32\n%a = s[%i]\ns[%t] = %a\nyield\n} else {\nyield\n}",
        ("add %t, #128", "add %t, #127"),
        "OX4001",
    ),
    "tree with a barrier a step": (
        ROW,
        f"""s[%t] = %f
        {SYNC}
        %o = while #128 : i32 (%h: i32) {{
        %go = gt %h, #0 : bool
        condition %go, %h
        }} do (%k: i32) {{
        %p = lt %t, %k : bool
        if %p {{
        %i = add %t, %k : i32
        %a = s[%i]
        s[%t] = %a
        yield
        }} else {{
        yield
        }}
        {SYNC}
        %next = floordiv %k, #2 : i32
        yield %next
        }}""",
        ("lt %t, %k", "le %t, %k"),
        "OX4001",
    ),
    "tree of any size": (
        ROW,
        f"""s[%t] = %f
        {SYNC}
        %o = while %n : i32 (%h: i32) {{
        %go = gt %h, #0 : bool
        condition %go, %h
        }} do (%k: i32) {{
        %p = lt %t, %k : bool
        if %p {{
        %i = add %t, %k : i32
        %a = s[%i]
        s[%t] = %a
        yield
        }} else {{
        yield
        }}
        {SYNC}
        %next = floordiv %k, #2 : i32
        yield %next
        }}""",
        (f"{SYNC}\n        %next", "%next"),
        "OX4001",  # the step is what a loop carries: no concrete case is claimed
    ),
    "tile filled anew in every round": (
        ROW,
        f"""for #0, %n, #1 [positive = true] (%k: i32) {{
        s[%t] = %f
        {SYNC}
        %i = sub #255, %t : i32
        %a = s[%i]
        {SYNC}
        yield
        }}""",
        (f"{SYNC}\n        yield", "yield"),
        "OX4001",
    ),
    "two buffers in turn": (
        ROW,
        f"""%o = for #0, %n, #1, #0 [positive = true] : i32 (%k: i32, %cur: i32) {{
        %base = mul %cur, #256 : i32
        %i = add %base, %t : i32
        s[%i] = %f
        {SYNC}
        %r = sub #255, %t : i32
        %j = add %base, %r : i32
        %a = s[%j]
        %next = xor %cur, #1 : i32
        yield %next
        }}""",
        ("%next = xor %cur, #1", "%next = and %cur, #1"),
        "OX4001",
    ),
    "two buffers by parity": (
        ROW,
        f"""for #0, %n, #1 [positive = true] (%k: i32) {{
        %par = mod %k, #2 : i32
        %base = mul %par, #256 : i32
        %i = add %base, %t : i32
        s[%i] = %f
        {SYNC}
        %r = sub #255, %t : i32
        %j = add %base, %r : i32
        %a = s[%j]
        yield
        }}""",
        ("mod %k, #2", "mod %k, #1"),
        "OX4001",
    ),
    "strides over the grid": (
        ROW,
        """%gd = intrinsic "grid.dim.x" : i32
        %size = mul %gd, #256 : i32
        for %g, %y.len, %size [positive = true] (%i: i32) {
        y[%i] = %f
        yield
        }""",
        ("mul %gd, #256", "mul %gd, #255"),
        "OX4002",
    ),
    "rows of a width that the launch says": (
        'domain 2 block 16x16x1 require "len(y) == n * m" ("==", ("len", "y", 0), ("*", ("scalar", "n"), ("scalar", "m")))',
        """%p = lt %g, %n : bool
        %o = lt %gy, %m : bool
        %both = and %p, %o : bool
        if %both {
        %r = mul %gy, %n : i32
        %i = add %r, %g : i32
        y[%i] = %f
        yield
        } else {
        yield
        }""",
        ("lt %g, %n", "le %g, %n"),
        "OX4002",
    ),
    "bitonic partners": (
        ROW,
        """%p0 = xor %t, #4 : i32
        %p = gt %p0, %t : bool
        if %p {
        %a = s[%t]
        %c = s[%p0]
        s[%t] = %c
        s[%p0] = %a
        yield
        } else {
        yield
        }""",
        ("gt %p0, %t", "ne %p0, %t"),
        "OX4001",
    ),
    "steps of a warp": (
        ROW,
        'q[%t] = %t\nintrinsic "warp.sync" %full\n%i = xor %t, #1 : i32\n%a = q[%i]',
        ("xor %t, #1", "xor %t, #32"),
        "OX4001",
    ),
    "steps of a warp in a loop": (
        ROW,
        """for #0, %n, #1 [positive = true] (%k: i32) {
        q[%t] = %t
        intrinsic "warp.sync" %full
        %i = xor %t, #1 : i32
        %a = q[%i]
        intrinsic "warp.sync" %full
        yield
        }""",
        ('%a = q[%i]\n        intrinsic "warp.sync" %full', "%a = q[%i]"),
        "OX4001",
    ),
    "atomic counters": (
        ROW,
        '%v = mod %t, #4 : i32\n%o = atomic "add" %z, %v, %t [offset = 0, order = "relaxed", scope = "device"] : i32',
        ('"device"', '"block"'),
        "OX4002",
    ),
    "atomics of a block": (
        ROW,
        f'%v = mod %t, #4 : i32\n%o = atomic "add" %q, %v, %t [offset = 0, order = "relaxed", scope = "block"] : i32\n{SYNC}\n%a = q[%v]',
        (f"\n{SYNC}", ""),
        "OX4001",
    ),
    "blocks between barriers of the grid": (
        ROW,
        'y[%g] = %f\nintrinsic "grid.sync"\n%l = sub %y.len, #1 : i32\n%i = sub %l, %g : i32\n%a = y[%i]',
        ('intrinsic "grid.sync"', SYNC),
        "OX4002",
    ),
    "either way of a condition of the launch": (
        ROW,
        """%p = gt %n, #0 : bool
        if %p {
        s[%t] = %f
        yield
        } else {
        %i = sub #255, %t : i32
        %a = s[%i]
        yield
        }""",
        ("gt %n, #0", "gt %t, #0"),
        "OX4001",
    ),
    "a barrier on every way": (
        ROW,
        f"""s[%t] = %f
        %p = gt %n, #0 : bool
        if %p {{
        {SYNC}
        yield
        }} else {{
        {SYNC}
        yield
        }}
        %i = sub #255, %t : i32
        %a = s[%i]""",
        (f"}} else {{\n        {SYNC}", "} else {"),
        "OX4001",
    ),
    "who left does not write": (
        ROW,
        """scope "r" {
        %p = gt %t, #0 : bool
        if %p {
        leave "r"
        } else {
        yield
        }
        s[#0] = %f
        yield
        }""",
        ("gt %t, #0", "gt %t, #1"),
        "OX4001",
    ),
    "known rounds with a barrier": (
        ROW,
        f"""s[%t] = %f
        {SYNC}
        for #0, #8, #1 [positive = true] (%k: i32) {{
        %d = shl #1, %k : i32
        %p = ge %t, %d : bool
        %a = if %p : f32 {{
        %i = sub %t, %d : i32
        %v = s[%i]
        yield %v
        }} else {{
        yield %f
        }}
        {SYNC}
        s[%t] = %a
        {SYNC}
        yield
        }}""",
        (f"{SYNC}\n        s[%t] = %a", "s[%t] = %a"),
        "OX4001",
    ),
    "the last round meets what follows": (
        ROW,
        f"""for #0, %n, #1 [positive = true] (%k: i32) {{
        s[%t] = %f
        yield
        }}
        {SYNC}
        %i = sub #255, %t : i32
        %a = s[%i]""",
        (f"{SYNC}\n        %i", "%i"),
        "OX4001",
    ),
    "a write once more, behind a loop that may have had no round": (
        ROW,
        f"""%o = while #2 : i32 (%h: i32) {{
        %go = gt %h, #0 : bool
        condition %go, %h
        }} do (%k: i32) {{
        s[%t] = %f
        for #0, %n, #1 [positive = true] (%l: i32) {{
        {SYNC}
        %i = xor %t, #1 : i32
        %a = s[%i]
        {SYNC}
        yield
        }}
        %next = floordiv %k, #2 : i32
        yield %next
        }}""",
        (f"%a = s[%i]\n        {SYNC}", "%a = s[%i]"),
        "OX4001",
    ),
    "different words of a struct": (ROW, "%i = mul %t, #1 : i32\ns[%i] = %f", ("#1 ", "#0 "), "OX4001"),
}


@pytest.mark.parametrize("name", TWINS)
def test_accepted(name: str) -> None:
    facts, body, _, _ = TWINS[name]
    assert [(one.code, one.message) for one in findings(body, facts)] == []


@pytest.mark.parametrize("name", TWINS)
def test_refused(name: str) -> None:
    facts, body, (old, new), code = TWINS[name]
    assert old in body, "the edit changes nothing"
    assert codes(body.replace(old, new, 1), facts) == [code]
