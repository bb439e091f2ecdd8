"""Kernels with scratch memory, barriers, exchanges and atomics as text, for the tests of all devices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from oxidepy.ir.core import Module
from oxidepy.ir.ops import ORDERS, SCOPES
from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import verify

NUMBERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64")
INTEGERS = NUMBERS[:8]
WIDTHS = (1, 2, 4, 8, 16, 32)
SHUFFLES = ("shuffle", "shuffle_xor", "shuffle_down", "shuffle_up")
KINDS = {"load": 0, "store": 1, "add": 1, "sub": 1, "min": 1, "max": 1, "and": 1, "or": 1, "xor": 1, "exchange": 1, "compare_exchange": 2}
KIND_ORDERS = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst")}


def kernel(params: str, body: str, facts: str = "domain 1 block 64x1x1") -> Module:
    """A verified module. `params`: "name: type" by semicolons; memory is given as its type, the rest are scalars."""
    lines: list[str] = []
    for one in params.split(";"):
        name, type_ = (part.strip() for part in one.split(":"))
        lines.append(f'  %{name}: {type_} = {"memory" if type_.startswith("mem") else "scalar"} "{name}"')
    module = parse_module("kernel @k(\n" + ",\n".join(lines) + f"\n) {facts} {{\n{body}\n  return\n}}\n")
    verify(module)
    return module


def atomic_types(kind: str) -> tuple[str, ...]:
    return INTEGERS if kind in ("and", "or", "xor") else NUMBERS


def accesses(kind: str) -> Iterator[tuple[str, str]]:
    """Every order and scope of a kind."""
    return product(KIND_ORDERS.get(kind, ORDERS), SCOPES)


def atomics(kind: str, type_: str, space: str, scopes: tuple[str, ...] = SCOPES, facts: str = "domain 1 block 64x1x1") -> Module:
    """One access a line of the product of orders and scopes, each on an element of its own."""
    body = [f'  %s = alloc "s" [count = 64, align = 8] : mem<{type_}, shared, exclusive>'] if space != "global" else []
    if space == "cluster":
        body.append(f"  %rank = const 1 : i32\n  %far = map_shared %s, %rank : mem<{type_}, cluster, exclusive>")
    chosen = [one for one in accesses(kind) if one[1] in scopes]
    if space == "shared":  # what is there before, and what is there at the end
        for number in range(len(chosen)):
            body.append(f"  %f{number} = const {number} : i32\n  %b{number} = load %m, %f{number} [offset = 0] : {type_}")
            body.append(f"  store %s, %f{number}, %b{number} [offset = 0]")
    body.append(f"  %zero = const 0 : i32\n  %v = load %x, %zero [offset = 0] : {type_}")
    body.append(f"  %one = const 1 : i32\n  %w = load %x, %one [offset = 0] : {type_}")
    values = "".join((", %v", ", %w")[: KINDS[kind]])
    memory = {"global": "%m", "shared": "%s", "cluster": "%far"}[space]
    for number, (order, scope) in enumerate(chosen):
        head = "" if kind == "store" else f"%o{number} = "
        tail = "" if kind == "store" else f" : {type_}"
        body.append(f"  %i{number} = const {number} : i32")
        body.append(f'  {head}atomic "{kind}" {memory}, %i{number}{values} [offset = 0, order = "{order}", scope = "{scope}"]{tail}')
        if head:
            body.append(f"  store %out, %i{number}, %o{number} [offset = 0]")
    if space == "shared":
        for number in range(len(chosen)):
            body.append(f"  %e{number} = load %s, %f{number} [offset = 0] : {type_}\n  store %m, %f{number}, %e{number} [offset = 0]")
    params = f"x: mem<{type_}, global, shared>; m: mem<{type_}, global, exclusive>; out: mem<{type_}, global, exclusive>"
    return kernel(params, "\n".join(body), facts)


def exchanges(type_: str, mask: str, facts: str = "domain 1 block 64x1x1") -> Module:
    """Every shuffle over one type in tiles of every width, with steps that are constants and one that is not."""
    body = ['  %i = intrinsic "thread.idx.x" : i32', f"  %v = load %x, %i [offset = 0] : {type_}"]
    steps = {f"%c{n}": n for n in (-33, -1, 0, 1, 3, 16, 31, 32)}
    body += [f"  {name.replace('-', 'm')} = const {n} : i32" for name, n in steps.items()]
    names = [name.replace("-", "m") for name in steps] + ["%step"]
    number = 0
    for row, width, step in product(SHUFFLES, WIDTHS, names):
        body.append(f'  %r{number} = intrinsic "warp.{row}" %v, {step} [mask = "{mask}", width = {width}] : {type_}')
        body += _store(number, f"%r{number}")
        number += 1
    return kernel(f"x: mem<{type_}, global, shared>; step: i32; out: mem<{type_}, global, exclusive>", "\n".join(body), facts)


EXCHANGES = len(SHUFFLES) * len(WIDTHS) * 9


def votes(mask: str, facts: str = "domain 1 block 64x1x1") -> Module:
    """Ballot, all, any and match of 8 to 64 bits in tiles of every width; results as u32, 64 threads a row of `out`."""
    body = ['  %i = intrinsic "thread.idx.x" : i32', "  %v = load %x, %i [offset = 0] : i32", "  %zero = const 0 : i32"]
    body += ["  %p = gt %v, %zero : bool"]
    body += [f"  %m{type_} = cast %v : {type_}" for type_ in ("i8", "u16", "f32", "u64")]
    number = 0
    for width in WIDTHS:
        attrs = f'[mask = "{mask}", width = {width}]'
        for row in ("ballot", "all", "any"):
            result = "u32" if row == "ballot" else "bool"
            body.append(f'  %q{number} = intrinsic "warp.{row}" %p {attrs} : {result}')
            body.append(f"  %r{number} = cast %q{number} : u32")
            body += _store(number, f"%r{number}")
            number += 1
        for type_ in ("i8", "u16", "f32", "u64"):
            body.append(f'  %r{number} = intrinsic "warp.match_any" %m{type_} {attrs} : u32')
            body += _store(number, f"%r{number}")
            number += 1
    return kernel("x: mem<i32, global, shared>; out: mem<u32, global, exclusive>", "\n".join(body), facts)


VOTES = len(WIDTHS) * 7


def reductions(mask: str, facts: str = "domain 1 block 64x1x1") -> Module:
    """Reductions, and whether all have the same, in tiles of 4 lanes and in warps; results as u32, 64 threads a row of `out`."""
    body = [
        '  %i = intrinsic "thread.idx.x" : i32',
        "  %v = load %x, %i [offset = 0] : i32",
        "  %u = bitcast %v : u32",
        "  %d = cast %v : u64",
    ]
    number = 0
    for width in (4, 32):
        attrs = f'[mask = "{mask}", width = {width}]'
        for type_, row in product(("i32", "u32"), ("sum", "min", "max", "and", "or", "xor")):
            body.append(f'  %q{number} = intrinsic "warp.reduce_{row}" %{"v" if type_ == "i32" else "u"} {attrs} : {type_}')
            body.append(f"  %r{number} = bitcast %q{number} : u32")
            body += _store(number, f"%r{number}")
            number += 1
        body.append(f'  %q{number} = intrinsic "warp.match_all" %d {attrs} : bool')
        body.append(f"  %r{number} = cast %q{number} : u32")
        body += _store(number, f"%r{number}")
        number += 1
    return kernel("x: mem<i32, global, shared>; out: mem<u32, global, exclusive>", "\n".join(body), facts)


REDUCTIONS = 2 * 13


def _store(row: int, value: str) -> list[str]:
    """Row `row` of `out`, at the thread's number."""
    return [
        f"  %row{row} = const {64 * row} : i32",
        f"  %at{row} = add %row{row}, %i : i32",
        f"  store %out, %at{row}, {value} [offset = 0]",
    ]
