"""Which kernels run several blocks as one, by what factor, and that nobody sees it: the interpreter runs both forms."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.differential import COUNT as FUZZED
from fuzz.differential import load
from fuzz.kernels import generate
from fuzz.types import data, python_value

from oxidepy import DisjointSlice, Slice, block, f32, f64, i32, kernel, launch_contract, math, struct, thread, u8
from oxidepy.analysis.coarse_code import coarse
from oxidepy.analysis.coarsen import plan
from oxidepy.backend.abi import checks, panic_sites
from oxidepy.compiler.driver import check_kernel
from oxidepy.ir.core import Module
from oxidepy.ir.interpreter import run
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import Memory
from oxidepy.ir.verifier import verify
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

HEAD = """func @loop(%v: f32) -> (f32) {
  %f = const false : bool
  %r = while %v : f32 (%a: f32) { condition %f, %a } do (%b: f32) { yield %b }
  return %r
}
kernel @k(
  %x: mem<f32, global, shared> = memory "x",
  %x.len: i32 = length "x",
  %y: mem<f32, global, ACCESS> = memory "y",
  %y.len: i32 = length "y",
  %n: i32 = scalar "n"
) domain DOMAIN block BLOCK coordinates i32 {
  %i = intrinsic "thread.global_id.x" : i32
  %c = inbounds %i, %y.len : bool
"""
COPY = "if %c {\n %v = load %x, %i [offset = 0] : f32\n MORE\n store %y, %i, %v [offset = 0]\n yield } else { yield }\n"


def text(body: str, access: str = "disjoint", domain: int = 1, block: str = "256x1x1") -> Module:
    return parse_module(HEAD.replace("ACCESS", access).replace("DOMAIN", str(domain)).replace("BLOCK", block) + body + "  return\n}\n")


def copy(more: str = "") -> str:
    return COPY.replace("MORE", more)


REFUSED = {
    "two axes": (lambda: text(copy(), domain=2), "more than one axis"),
    "two axes of the block": (lambda: text(copy(), block="32x8x1"), "more than one axis"),
    "memory that any thread may write": (lambda: text(copy(), access="exclusive"), "several threads may write"),
    "a loop": (lambda: text(copy("for %i, %n, %i (%j: i32) { yield }")), "a loop"),
    "a loop that carries": (lambda: text(copy("%w = while %v : f32 (%a: f32) { condition %c, %a } do (%b: f32) { yield %b }")), "a loop"),
    "a call with a loop": (lambda: text(copy('%w = call "loop" %v : f32\n store %y, %i, %w [offset = 0]')), "calls `loop`"),
    "writes nothing": (lambda: text("if %c {\n %v = load %x, %i [offset = 0] : f32\n yield } else { yield }\n"), "writes no memory"),
    "a coordinate of another axis": (lambda: text('%j = intrinsic "block.idx.y" : i32\n' + copy()), "block.idx.y"),
    "a store under a condition on data": (
        lambda: text(copy("%d = lt %v, %v : bool\n if %d { store %y, %i, %v [offset = 0]\n yield } else { yield }")),
        "a condition on data",
    ),
    "a load under a condition on the thread's place": (
        lambda: text(copy("%e = eq %i, %n : bool\n if %e { %w = load %x, %n [offset = 0] : f32\n yield } else { yield }")),
        "a condition on data",
    ),
    "a check on data": (lambda: text(copy('%d = lt %v, %v : bool\n check "OX7002" %d [message = "m"]')), "a check depends"),
    "a check of another index": (
        lambda: text(copy('%j = add %i, %n : i32\n %d = inbounds %j, %x.len : bool\n check "OX7001" %d, %j, %x.len [message = "m"]')),
        "a check depends",
    ),
    "written, then read": (
        lambda: text(copy("store %y, %i, %v [offset = 0]\n %j = add %i, %n : i32\n %w = load %y, %j [offset = 0] : f32")),
        "reads memory again",
    ),
    "a large body": (
        lambda: text(copy("".join(f"%a{n} = add %{'v' if not n else f'a{n - 1}'}, %v : f32\n" for n in range(45)) + "store %y, %i, %a44 [offset = 0]")),
        "operations",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_coarsened_and_why(name: str) -> None:
    make, reason = REFUSED[name]
    found = plan(make())
    assert found.factor == 1 and reason in found.reason


def test_what_the_table_changes_is_coarsened_without_the_change() -> None:
    assert plan(text(copy())).factor == 4
    assert plan(text(copy("%e = eq %i, %n : bool\n %w = if %e : f32 { yield %v } else { %z = add %v, %v : f32\n yield %z }"))).factor == 4


@pytest.mark.parametrize(("element", "factor"), [("i8", 8), ("f16", 8), ("f32", 4), ("i32", 4), ("f64", 2), ("u64", 2), ("bool", 8)])
def test_the_factor_follows_the_width(element: str, factor: int) -> None:
    module = parse_module(print_module(text(copy())).replace("f32", element))
    assert plan(module).factor == factor


# ---- kernels of the language, run in both forms


@struct
@dataclass(frozen=True)
class Pair:
    x: f32
    y: f32
    n: i32


@kernel
@launch_contract(domain=1, block=32)
def add(a: Slice[f32], b: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + b[idx]


@kernel
@launch_contract(domain=1, block=32)
def in_place(k: f32, n: i32, x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    i = idx.get()
    if idx not in y or i >= n:
        return
    y[idx] = k * x[i] + y[idx]


@kernel
@launch_contract(domain=1, block=32)
def choose(x: Slice[f32], y: DisjointSlice[f32], z: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    i = idx.get()
    if idx in y and i < len(x) and idx in z:
        v = x[i]
        y[idx] = math.sqrt(-v) if v < 0.0 else v + 1.0
        z[idx] = i + thread.idx.x * 1000 + block.idx.x * 7


@kernel
@launch_contract(domain=1, block=32)
def pairs(k: f32, p: DisjointSlice[Pair], out: DisjointSlice[f64]) -> None:
    idx = thread.index_1d()
    if idx in p and idx in out:
        p[idx].x += k
        p[idx].y -= p[idx].x
        out[idx] = f64(k)


@kernel
@launch_contract(domain=1, block=32)
def exponential(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if (cell := y.get_mut(idx)) is not None:
        cell.value = math.exp(x[idx])


@kernel
@launch_contract(domain=1, block=32)
def twice(x: Slice[f64], y: DisjointSlice[f64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] if x[idx] > 0.0 else x[idx] * 0.5
        y[idx] = y[idx] + (x[idx] if y[idx] > 1.0 else 2.0)


@kernel
@launch_contract(domain=1, block=32)
def divide(n: i32, x: Slice[u8], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = i32(x[idx]) // n


SIZES = (1, 31, 32, 33, 127, 128, 129, 255, 256, 257, 300, 1000)


def checked(made: Any) -> Module:
    return check_kernel(made.definition, Specialisation(), CodegenOptions()).module


def both(module: Module, args: Sequence[Any], blocks: int, block: int) -> int:
    """Run a kernel as it is and in its coarse form: the same bits, the same panic. Gives the factor."""
    found = plan(module)
    if found.factor == 1:
        return 1
    made = coarse(module, found)
    verify(made)
    assert print_module(parse_module(print_module(made, spans=True)), spans=True) == print_module(made, spans=True)
    numbers = [[op for op in one.kernel.body.walk() if op.name == name] for one, name in ((module, "check"), (made, "panic"))]
    assert [op.span for op in numbers[0]] == [op.span for op in numbers[1]]
    plain, large = ([one.copy() if isinstance(one, np.ndarray) else one for one in args] for _ in range(2))
    wanted = run(module, plain, (blocks, 1, 1), (block, 1, 1))
    got = run(made, [*large, blocks], (-(-blocks // found.factor), 1, 1), (block, 1, 1))
    for one, other in zip(plain, large, strict=True):
        assert np.array_equal(one, other)
    assert (wanted is None) == (got is None)
    if wanted is not None and got is not None:
        assert (wanted.block, wanted.thread, wanted.index, wanted.length) == (got.block, got.thread, got.index, got.length)
        assert numbers[0].index(wanted.site) == numbers[1].index(got.site)
    return found.factor


def values(module: Module, lengths: dict[str, int], scalars: dict[str, Any], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    out: list[Any] = []
    for param, info in zip(module.kernel.params, module.kernel.infos, strict=True):
        if isinstance(param.type, Memory):
            out.append(rng.integers(0, 64, lengths[info.source] * param.memory.element.size).astype(np.uint8))
        else:
            out.append(lengths[info.source] if info.role == "length" else scalars[info.source])
    return out


@pytest.mark.parametrize("size", SIZES)
def test_the_same_bits_for_every_size(size: int) -> None:
    blocks = -(-size // 32)
    for made, scalars, factor in (
        (add, {}, 4),
        (in_place, {"k": 0.5, "n": size - 3}, 4),
        (choose, {}, 4),
        (pairs, {"k": 2.0}, 2),
        (exponential, {}, 4),
        (twice, {}, 2),
        (divide, {"n": -3}, 8),
    ):
        module = checked(made)
        lengths = {info.source: size for info in module.kernel.infos}
        assert both(module, values(module, lengths, scalars), blocks, 32) == factor, made.name
        for grid in {1, max(blocks - 1, 1), blocks + 1, blocks + 9}:  # fewer threads than elements, and more
            both(module, values(module, lengths, scalars, 1), grid, 32)


@pytest.mark.parametrize("short", [0, 1, 31, 32, 100, 127, 128, 255, 299])
def test_the_same_panics_where_an_input_is_short(short: int) -> None:
    module = checked(add)
    for name in "ab":
        given = values(module, {"a": 300, "b": 300, "c": 300, name: short}, {})
        assert both(module, given, 10, 32) == 4
    assert both(checked(divide), values(checked(divide), {"x": 300, "y": short + 1}, {"n": 0}), 10, 32) == 8


def test_what_panics_is_numbered_as_in_the_plain_kernel() -> None:
    module = checked(add)
    made = coarse(module, plan(module))
    ops = [op for op in made.kernel.body.walk() if op.name == "panic"]
    assert [(op.attrs["code"], op.attrs["message"], op.span) for op in ops] == [
        (one.code, one.message, one.span) for one in panic_sites(checks(module.kernel))
    ]
    assert not [op for op in made.kernel.body.walk() if op.name == "check"]


def test_random_kernels_are_the_same_in_both_forms(tmp_path: Path) -> None:
    """Those of the fuzzer that are small enough; the grid is as the fuzzer has it and larger."""
    coarsened = 0
    for seed in range(4):
        rng = random.Random(seed)
        generated = generate(rng, 25)
        module = load(generated, tmp_path, f"coarse_{seed}")
        for name, params in generated.kernels:
            if {one.kind for one in params} - {"slice", "out", "scalar"}:
                continue
            ir = checked(getattr(module, name))
            if plan(ir).factor == 1:
                continue
            named = {one.name: python_value(rng, one.type) if one.kind == "scalar" else data(rng, one.type, FUZZED) for one in params}
            args: list[Any] = []
            for param, info in zip(ir.kernel.params, ir.kernel.infos, strict=True):
                value = named[info.source]
                is_memory = isinstance(param.type, Memory)
                args.append(value.view(np.uint8).copy() if is_memory else len(value) if info.role == "length" else value)
            for blocks in (-(-FUZZED // 32), 8):
                coarsened += both(ir, args, blocks, 32) > 1
    assert coarsened >= 4
