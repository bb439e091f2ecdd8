"""Rows of the table as small kernels: what each one is given, and what NumPy says that it has to give."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from oxidepy.ir.core import Module
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import verify

Triple = tuple[int, int, int]
Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """A module, its arguments, of which the last is written, and what has to be there then."""

    module: Module
    args: tuple[Array, ...]
    grid: Triple
    wanted: Array


def _module(params: dict[str, str], body: str, facts: str) -> Module:
    lines = ", ".join(f'%{name}: mem<{type_}, global, exclusive> = memory "{name}"' for name, type_ in params.items())
    module = parse_module(f"kernel @k({lines}) {facts} {{\n{body}\nreturn\n}}\n")
    verify(module)
    return module


# ---- where a thread stands

GRID, BLOCK = (2, 3, 2), (8, 3, 4)


def _linear() -> str:
    """%i: the number of the thread, over all axes."""
    text = ""
    for name in ("thread.idx", "block.idx"):
        text += "".join(f'%{name[0]}{axis} = intrinsic "{name}.{axis}" : i32\n' for axis in "xyz")
    for name, (x, y, _) in (("t", BLOCK), ("b", GRID)):
        text += f"%{name}dy = const {y} : i32\n%{name}dx = const {x} : i32\n%{name}1 = mul %{name}z, %{name}dy : i32\n"
        text += (
            f"%{name}2 = add %{name}1, %{name}y : i32\n%{name}3 = mul %{name}2, %{name}dx : i32\n%{name} = add %{name}3, %{name}x : i32\n"
        )
    return text + f"%n = const {np.prod(BLOCK)} : i32\n%b4 = mul %b, %n : i32\n%i = add %b4, %t : i32\n"


def _places() -> dict[str, Array]:
    """Every value that a kernel reads of a thread's place, for all threads in order of their numbers."""
    threads, blocks = int(np.prod(BLOCK)), int(np.prod(GRID))
    t, b = np.tile(np.arange(threads), blocks), np.repeat(np.arange(blocks), threads)
    found: dict[str, Array] = {}
    for number, axis in enumerate("xyz"):
        found[f"thread.idx.{axis}"] = t // int(np.prod(BLOCK[:number])) % BLOCK[number]
        found[f"block.idx.{axis}"] = b // int(np.prod(GRID[:number])) % GRID[number]
        found[f"block.dim.{axis}"] = np.full(len(t), BLOCK[number])
        found[f"grid.dim.{axis}"] = np.full(len(t), GRID[number])
        found[f"thread.global_id.{axis}"] = found[f"block.idx.{axis}"] * BLOCK[number] + found[f"thread.idx.{axis}"]
    found["grid.size"] = np.full(len(t), threads * blocks)
    found["warp.lane"], found["warp.id"] = t % 32, t // 32
    return found


def _place(name: str) -> Case:
    wanted = _places()[name].astype(np.int32)
    body = _linear() + f'%r = intrinsic "{name}" : i32\nstore %out, %i, %r [offset = 0]'
    shape = "x".join(map(str, BLOCK))
    return Case(
        _module({"out": "i32"}, body, f"domain 3 block {shape} coordinates i32"), (np.full(len(wanted), -1, np.int32),), GRID, wanted
    )


# ---- what threads do together

THREADS, BLOCKS, WIDTHS = 64, 2, (32, 8)
_rng = np.random.default_rng(20)
NUMBERS = _rng.integers(-(2**31), 2**31, THREADS * BLOCKS).astype(np.int32)
NUMBERS[::3] = 7
NUMBERS[64:72] = 5
FLAGS = _rng.random(THREADS * BLOCKS) < 0.6
FLAGS[32:64], FLAGS[96:104] = True, False
STEPS = _rng.integers(-3, 36, THREADS * BLOCKS).astype(np.int32)


def _shuffle(source: Callable[[Array, Array], Array]) -> Callable[[int], Array]:
    def oracle(width: int) -> Array:
        lane = np.arange(THREADS * BLOCKS) % width
        other = source(lane, STEPS)
        there = (other >= 0) & (other < width)
        return NUMBERS[np.arange(THREADS * BLOCKS) - lane + np.where(there, other, lane)]

    return oracle


def _over(values: Array, size: int, fold: Callable[[Array], Any]) -> Array:
    """What a group of so many threads gets of its values, for every thread."""
    return np.repeat([fold(one) for one in values.reshape(-1, size)], size)


def _bits(flags: Array) -> int:
    return int(sum(1 << lane for lane in np.flatnonzero(flags)))


def _reduce(fold: Callable[[Array], Any]) -> Callable[[int], Array]:
    return lambda width: _over(NUMBERS, width, lambda one: np.int64(fold(one.astype(np.int64))).astype(np.int32))


TOGETHER: dict[str, Callable[[int], Array]] = {
    "warp.shuffle": _shuffle(lambda lane, by: by),
    "warp.shuffle_xor": _shuffle(lambda lane, by: lane ^ by),
    "warp.shuffle_down": _shuffle(lambda lane, by: lane + by),
    "warp.shuffle_up": _shuffle(lambda lane, by: lane - by),
    "warp.ballot": lambda width: _over(FLAGS, width, _bits),
    "warp.all": lambda width: _over(FLAGS, width, np.all),
    "warp.any": lambda width: _over(FLAGS, width, np.any),
    "warp.match_any": lambda width: np.concatenate([[_bits(one == each) for each in one] for one in NUMBERS.reshape(-1, width)]),
    "warp.match_all": lambda width: _over(NUMBERS, width, lambda one: (one == one[0]).all()),
    "warp.reduce_sum": _reduce(np.sum),
    "warp.reduce_min": _reduce(np.min),
    "warp.reduce_max": _reduce(np.max),
    "warp.reduce_and": _reduce(np.bitwise_and.reduce),
    "warp.reduce_or": _reduce(np.bitwise_or.reduce),
    "warp.reduce_xor": _reduce(np.bitwise_xor.reduce),
    "block.any": lambda _: _over(FLAGS, THREADS, np.any),
    "block.all": lambda _: _over(FLAGS, THREADS, np.all),
    "block.count": lambda _: _over(FLAGS, THREADS, np.sum),
}
_SOURCES = {"T": ("%x", "i32"), "bool": ("%f", "bool"), "i32": ("%by", "i32")}


def _together(name: str) -> Case:
    """The row by its operands' types, for warps and for tiles; the second half of the results is that of tiles."""
    row = ROWS[name]
    body = '%i = intrinsic "thread.global_id.x" : i32\n'
    for number, type_ in enumerate(row.operands):
        source, element = _SOURCES[type_]
        body += f"%v{number} = load {source}, %i [offset = 0] : {element}\n"
    operands = ", ".join(f"%v{number}" for number in range(len(row.operands)))
    result = {"T": "i32"}.get(row.result, row.result)
    for number, width in enumerate(WIDTHS):
        attrs = f' [mask = "full", width = {width}]' if row.attrs else ""
        body += f'%r{number} = intrinsic "{name}" {operands}{attrs} : {result}\n%w{number} = cast %r{number} : i64\n'
        body += f"%c{number} = const {number * THREADS * BLOCKS} : i32\n%j{number} = add %i, %c{number} : i32\n"
        body += f"store %out, %j{number}, %w{number} [offset = 0]\n"
    module = _module({"x": "i32", "f": "bool", "by": "i32", "out": "i64"}, body, f"domain 1 block {THREADS}x1x1 coordinates i32")
    wanted = np.concatenate([np.asarray(TOGETHER[name](width)).astype(np.int64) for width in WIDTHS])
    return Case(module, (NUMBERS, FLAGS, STEPS, np.full(len(wanted), -1, np.int64)), (BLOCKS, 1, 1), wanted)


# ---- barriers: who writes before is read behind

# row → the text, the thread whose value is read (exclusive or with the own number), further facts
BARRIERS: dict[str, tuple[str, int, str]] = {
    "block.sync": ('intrinsic "block.sync"', 63, ""),
    "warp.sync": ('%all = const 4294967295 : u32\nintrinsic "warp.sync" %all', 31, ""),
    "grid.sync": ('intrinsic "grid.sync"', 127, ""),
    "cluster.sync": ('intrinsic "cluster.sync"', 127, " cluster 2x1x1"),
    "cluster.arrive": ('intrinsic "cluster.arrive"\nintrinsic "cluster.wait"', 127, " cluster 2x1x1"),
    "cluster.wait": ('intrinsic "cluster.arrive"\nintrinsic "cluster.wait"', 127, " cluster 2x1x1"),
}


def _barrier(name: str) -> Case:
    text, other, facts = BARRIERS[name]
    body = f"""
%i = intrinsic "thread.global_id.x" : i32
%v = load %x, %i [offset = 0] : i32
store %m, %i, %v [offset = 0]
{text}
%c = const {other} : i32
%j = xor %i, %c : i32
%r = load %m, %j [offset = 0] : i32
store %out, %i, %r [offset = 0]
"""
    module = _module({"x": "i32", "m": "i32", "out": "i32"}, body, f"domain 1 block {THREADS}x1x1 coordinates i32{facts}")
    empty = np.zeros(THREADS * BLOCKS, np.int32)
    return Case(module, (NUMBERS, empty, empty), (BLOCKS, 1, 1), NUMBERS[np.arange(THREADS * BLOCKS) ^ other])


# ---- instructions on registers and addresses

HALVES = np.arange(64, dtype=np.uint16).reshape(8, 8)
FLOATS = np.array(
    [0.0, -0.0, 1.0, 1 + 2**-11, 1 - 2**-24, -1 - 2**-11, 3e38, np.inf, -np.inf, 1e-40, 1 / 3, -1 / 3] + [0.1] * 20, np.float32
)
_WORD = """
%i = intrinsic "thread.idx.x" : i32
%v = load %x, %i [offset = 0] : {0}
%r = intrinsic "{1}" %v : u32
store %out, %i, %r [offset = 0]
"""
_ADDRESS = """
%i = intrinsic "thread.idx.x" : i32
%other = alloc [align = 16, count = 5, name = "other"] : mem<u8, shared, exclusive>
%s = alloc [align = 16, count = 64, name = "s"] : mem<f64, shared, exclusive>
%zero = const 0 : i32
%a = intrinsic "shared.address" %s, %i : u32
%b = intrinsic "shared.address" %s, %zero : u32
%r = sub %a, %b : u32
store %out, %i, %r [offset = 0]
"""


def _tf32(x: Array) -> Array:
    """To 10 bits of fraction, ties away from zero."""
    bits = x.view(np.uint32)
    rounded = (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return np.where(np.isinf(x), bits, rounded)


def _words(name: str, type_: str, given: Array, wanted: Array) -> Callable[[], Case]:
    def case() -> Case:
        module = _module({"x": type_, "out": "u32"}, _WORD.format(type_, name), "domain 1 block 32x1x1 coordinates i32")
        return Case(module, (given, np.zeros(32, np.uint32)), (1, 1, 1), wanted)

    return case


def _address() -> Case:
    module = _module({"out": "u32"}, _ADDRESS, "domain 1 block 64x1x1 coordinates i32")
    return Case(module, (np.ones(64, np.uint32),), (1, 1, 1), np.arange(64, dtype=np.uint32) * 8)


CASES: dict[str, Callable[[], Case]] = {
    **{name: functools.partial(_place, name) for name in _places()},
    **{name: functools.partial(_together, name) for name in TOGETHER},
    **{name: functools.partial(_barrier, name) for name in BARRIERS},
    "shared.address": _address,
    "mma.tf32": _words("mma.tf32", "f32", FLOATS, _tf32(FLOATS)),
    "mma.movmatrix_trans": _words(
        "mma.movmatrix_trans", "u32", HALVES.reshape(-1).view(np.uint32), HALVES.T.reshape(-1).copy().view(np.uint32)
    ),
}


def family(name: str) -> str:
    """Rows that differ in the number of columns or of registers alone are made by the same lines, for every purpose."""
    return re.sub(r"^(wgmma\.(?:sparse\.)?m64n)\d+", r"\1N", re.sub(r"^(wgmma\.wait_group#\w\d+x)\d+", r"\1N", name))
