"""Atomic accesses against an oracle that does one thread after the other in scalars."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir.build import apply
from ir.simt import run_text

from oxidepy.ir.types import SCALARS

LONG = {"i": "int", "u": "uint", "f": "float"}
INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
settled = settings(max_examples=25, deadline=None)


def dtype_of(type_: str) -> np.dtype:
    return np.dtype(LONG[type_[0]] + type_[1:])


def wrapped(value: int, type_: str) -> int:
    bits = SCALARS[type_].bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_[0] == "i" and value >> (bits - 1) else value


INT_STEPS = {
    "add": lambda old, v: old + v,
    "sub": lambda old, v: old - v,
    "min": min,
    "max": max,
    "and": lambda old, v: old & v,
    "or": lambda old, v: old | v,
    "xor": lambda old, v: old ^ v,
    "exchange": lambda old, v: v,
}


def run_atomic(type_: str, kind: str, memory: np.ndarray, at: np.ndarray, *values: np.ndarray, space: str = "global", used: bool = True):
    """Thread i does `kind` at element at[i] with values[…][i]; the memory afterwards, and the old values."""
    count = len(at)
    loads = "\n".join(f"%v{number} = load %in{number}, %i [offset = 0] : {type_}" for number in range(len(values)))
    operands = "".join(f", %v{number}" for number in range(len(values)))
    copy = """
      %inside.{0} = lt %tid, %places : bool
      if %inside.{0} {{
        %copied.{0} = load {1}, %tid [offset = 0] : {type}
        store {2}, %tid, %copied.{0} [offset = 0]
        yield
      }} else {{
        yield
      }}
      intrinsic "block.sync"
    """
    before = f"%places = const {len(memory)} : i32"
    target = "%m" if space == "global" else "%s"
    if space == "shared":
        before += f'\n%s = alloc "s" [count = {len(memory)}, align = 8] : mem<{type_}, shared, exclusive>\n'
        before += copy.format(1, "%m", "%s", type=type_)
        after = 'intrinsic "block.sync"' + copy.format(2, "%s", "%m", type=type_)
    else:
        after = ""
    give = "store %old, %i, %o [offset = 0]" if used else ""
    body = f"""
      {before}
      %a = load %at, %i [offset = 0] : i32
      {loads}
      %o = atomic "{kind}" {target}, %a{operands} [offset = 0, order = "relaxed", scope = "device"] : {type_}
      {give}
      {after}
    """
    params = {"m": f"{type_}[]", "old": f"{type_}[]", "at": "i32[]", **{f"in{number}": f"{type_}[]" for number in range(len(values))}}
    args = {"m": memory, "old": np.zeros(count, memory.dtype), "at": at, **{f"in{number}": one for number, one in enumerate(values)}}
    out, panic = run_text(params, body, args, block=count)
    assert panic is None
    return out["m"], out["old"]


@pytest.mark.parametrize("kind", INT_STEPS)
@settled
@given(
    st.sampled_from(INTS),
    st.integers(1, 5),
    st.sampled_from((1, 8, 64, 70)),
    st.integers(0, 2**32 - 1),
    st.sampled_from(("global", "shared")),
)
def test_integers(kind: str, type_: str, places: int, count: int, seed: int, space: str) -> None:
    rng = np.random.default_rng(seed)
    places = min(places, count)
    memory, values = (rng.integers(0, 256, n * SCALARS[type_].size, np.uint8).view(dtype_of(type_)) for n in (places, count))
    at = rng.integers(0, places, count).astype(np.int32)
    cells, old = [int(one) for one in memory], []
    for place, value in zip(at.tolist(), values.tolist(), strict=True):
        old.append(cells[place])
        cells[place] = wrapped(INT_STEPS[kind](cells[place], value), type_)
    after, given_back = run_atomic(type_, kind, memory, at, values, space=space)
    assert after.tolist() == cells
    assert given_back.tolist() == old


@settled
@given(st.sampled_from(("f16", "f32", "f64")), st.sampled_from(("add", "sub")), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_float_sums_are_rounded_in_the_order_of_threads(type_: str, kind: str, places: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dtype = dtype_of(type_)
    memory, values = (rng.standard_normal(n).astype(dtype) * 3 for n in (places, 64))
    at = rng.integers(0, places, 64).astype(np.int32)
    cells, old = list(memory), []
    for place, value in zip(at, values, strict=True):
        old.append(cells[place])
        # of two f16 float64 holds the sum exactly or to more than twice the digits
        wide = np.float64 if type_ == "f16" else dtype.type
        cells[place] = dtype.type(wide(cells[place]) + wide(value if kind == "add" else -value))
    after, given_back = run_atomic(type_, kind, memory, at, values)
    assert after.tolist() == cells
    assert given_back.tolist() == old


SPECIAL = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan")]


def ordered(value: float) -> tuple[float, bool]:
    return value, not np.signbit(value)


@settled
@given(
    st.sampled_from(FLOATS),
    st.sampled_from(("min", "max")),
    st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=12),
    st.sampled_from(SPECIAL),
)
def test_float_minima_ignore_nan_and_order_zeros(type_: str, kind: str, values: list[float], start: float) -> None:
    dtype = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64}[type_]
    after, _ = run_atomic(type_, kind, np.array([start], dtype), np.zeros(len(values), np.int32), np.array(values, dtype))
    numbers = [one for one in (start, *values) if one == one]
    if not numbers:
        assert np.isnan(after[0])
        return
    wanted = (min if kind == "min" else max)(numbers, key=ordered)
    assert struct.pack("d", after[0]) == struct.pack("d", wanted)


@settled
@given(st.sampled_from((*INTS, "f32", "f64")), st.integers(0, 2**32 - 1))
def test_compare_exchange(type_: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dtype = dtype_of(type_)
    memory = rng.integers(0, 3, 3).astype(dtype)
    at = rng.integers(0, 3, 40).astype(np.int32)
    expected, new = (rng.integers(0, 3, 40).astype(dtype) for _ in range(2))
    cells, old = list(memory), []
    for place, one, other in zip(at, expected, new, strict=True):
        old.append(cells[place])
        if cells[place] == one:
            cells[place] = other
    after, given_back = run_atomic(type_, "compare_exchange", memory, at, expected, new)
    assert after.tolist() == cells and given_back.tolist() == old


def test_compare_exchange_compares_bits() -> None:
    zero, one = np.zeros(1, np.float32), np.ones(1, np.float32)
    assert run_atomic("f32", "compare_exchange", zero, np.zeros(1, np.int32), -zero, one)[0][0] == 0
    nan = np.full(1, np.nan, np.float32)
    assert run_atomic("f32", "compare_exchange", nan, np.zeros(1, np.int32), nan, one)[0][0] == 1


def test_bf16_sums_are_rounded_once() -> None:
    # 257 is no bf16: each step rounds back to even
    memory, values, bf16 = np.array([256.0], np.float32), np.ones(4, np.float32), SCALARS["bf16"]
    after, _ = run_atomic("bf16", "add", memory, np.zeros(4, np.int32), values)
    assert after[0] == apply("add", [bf16, bf16], bf16, memory, values[:1])[0] == 256


def test_loads_and_stores() -> None:
    body = """
      %c0 = const 0 : i32
      %c1 = const 1 : i32
      atomic "store" %m, %c1, %tid [offset = 0, order = "release", scope = "device"]
      fence "device"
      %v = atomic "load" %m, %c1 [offset = 0, order = "acquire", scope = "system"] : i32
      store %out, %i, %v [offset = 0]
    """
    out, _ = run_text({"m": "i32[]", "out": "i32[]"}, body, {"m": np.zeros(2, np.int32), "out": np.zeros(32, np.int32)})
    assert out["m"].tolist() == [0, 31] and set(out["out"].tolist()) == {31}


def test_fields_of_structs() -> None:
    from oxidepy.ir.interpreter import run
    from oxidepy.ir.parser import parse_module
    from oxidepy.ir.verifier import verify

    text = """struct !s0 = "P" ("x": f32 @ 0, "n": u32 @ 4) size 8 align 4
      kernel @k(%p: mem<!s0, global, exclusive> = memory "p") domain 1 block 32x1x1 coordinates i32 {
        %c2 = const 2 : i32
        %one = const 1 : u32
        %o = atomic "add" %p, %c2, %one [offset = 4, order = "relaxed", scope = "device"] : u32
        return
      }"""
    module = parse_module(text)
    verify(module)
    raw = np.zeros(32, np.uint8)
    assert run(module, [raw], (3, 1, 1), (32, 1, 1)) is None
    assert raw.view(np.uint32).tolist() == [0, 0, 0, 0, 0, 96, 0, 0]
