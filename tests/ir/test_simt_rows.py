"""Each exchange between threads against a thread-by-thread oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir.simt import bits_of, run_text

TYPES = {
    "bool": np.bool_,
    "i8": np.int8,
    "u16": np.uint16,
    "i32": np.int32,
    "u64": np.uint64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
SOURCES = {
    "warp.shuffle": lambda lane, by: by,
    "warp.shuffle_xor": lambda lane, by: lane ^ by,
    "warp.shuffle_down": lambda lane, by: lane + by,
    "warp.shuffle_up": lambda lane, by: lane - by,
}
widths = st.sampled_from((1, 2, 4, 8, 16, 32))
blocks = st.sampled_from((1, 5, 32, 33, 64, 71))
settled = settings(max_examples=40, deadline=None)


def values_of(type_: str, count: int, seed: int, few: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if type_ == "bool":
        return rng.integers(0, 2, count).astype(np.bool_)
    dtype = np.dtype(TYPES[type_])
    if few:
        return rng.integers(0, 3, count).astype(dtype)
    return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)


def tile_of(thread: int, width: int, count: int) -> list[int]:
    """The threads of a thread's tile, by lane; None-free: those that the block has."""
    base = thread - thread % width
    return [one for one in range(base, base + width) if one < count]


def shuffled(name: str, values: np.ndarray, by: np.ndarray, width: int, active: np.ndarray) -> list[object]:
    out = []
    for thread in range(len(values)):
        lane = SOURCES[name](thread % width, int(by[thread]))
        source = thread - thread % width + lane
        fine = 0 <= lane < width and source < len(values) and active[source]
        out.append(values[source if fine else thread])
    return out


@pytest.mark.parametrize("name", SOURCES)
@settled
@given(st.sampled_from(sorted(TYPES)), widths, blocks, st.integers(0, 2**32 - 1))
def test_shuffles(name: str, type_: str, width: int, count: int, seed: int) -> None:
    values = values_of(type_, count, seed)
    by = np.random.default_rng(seed + 1).integers(-40, 40, count).astype(np.int32)
    by[: count // 2] %= 8
    body = f"""
      %v = load %x, %i [offset = 0] : {type_}
      %b = load %by, %i [offset = 0] : i32
      %r = intrinsic "{name}" %v, %b [mask = "full", width = {width}] : {type_}
      store %x, %i, %r [offset = 0]
    """
    out, panic = run_text({"x": f"{type_}[]", "by": "i32[]"}, body, {"x": values, "by": by}, block=count)
    assert panic is None
    everyone = np.ones(count, np.bool_)
    assert bits_of(out["x"]) == bits_of(np.array(shuffled(name, values, by, width, everyone), values.dtype))


ACTIVE = """
      %one = const 1 : i32
      %zero = const 0 : i32
      %m = load %on, %i [offset = 0] : bool
      if %m {{
        {0}
        yield
      }} else {{
        yield
      }}
"""


@pytest.mark.parametrize("name", SOURCES)
@settled
@given(widths, blocks, st.integers(0, 2**32 - 1))
def test_shuffles_of_active_lanes(name: str, width: int, count: int, seed: int) -> None:
    values, on = values_of("f32", count, seed), values_of("bool", count, seed + 2)
    by = np.random.default_rng(seed + 1).integers(-3, 8, count).astype(np.int32)
    body = ACTIVE.format(f"""
      %v = load %x, %i [offset = 0] : f32
      %b = load %by, %i [offset = 0] : i32
      %r = intrinsic "{name}" %v, %b [mask = "active", width = {width}] : f32
      store %x, %i, %r [offset = 0]
    """)
    out, _ = run_text({"x": "f32[]", "by": "i32[]", "on": "bool[]"}, body, {"x": values, "by": by, "on": on}, block=count)
    wanted = np.where(on, np.array(shuffled(name, values, by, width, on), np.float32).view(np.uint32), values.view(np.uint32))
    assert out["x"].view(np.uint32).tolist() == wanted.tolist()


@settled
@given(widths, blocks, st.integers(0, 2**32 - 1), st.booleans())
def test_votes(width: int, count: int, seed: int, active: bool) -> None:
    flags = np.random.default_rng(seed).random(count) < np.random.default_rng(seed + 1).random()
    on = values_of("bool", count, seed + 2) if active else np.ones(count, np.bool_)
    row = f'[mask = "{"active" if active else "full"}", width = {width}]'
    body = ACTIVE.format(f"""
      %f = load %flags, %i [offset = 0] : bool
      %b = intrinsic "warp.ballot" %f {row} : u32
      %a = intrinsic "warp.all" %f {row} : bool
      %o = intrinsic "warp.any" %f {row} : bool
      store %ballot, %i, %b [offset = 0]
      store %all, %i, %a [offset = 0]
      store %any, %i, %o [offset = 0]
    """)
    nothing = np.zeros(count, np.bool_)
    args = {"flags": flags, "on": on, "ballot": np.zeros(count, np.uint32), "all": nothing, "any": nothing}
    out, _ = run_text({"flags": "bool[]", "on": "bool[]", "ballot": "u32[]", "all": "bool[]", "any": "bool[]"}, body, args, block=count)
    for thread in np.flatnonzero(on):
        there = [one for one in tile_of(thread, width, count) if on[one]]
        assert out["ballot"][thread] == sum(1 << one % width for one in there if flags[one])
        assert out["all"][thread] == all(flags[one] for one in there)
        assert out["any"][thread] == any(flags[one] for one in there)


@settled
@given(st.sampled_from(sorted(TYPES)), widths, blocks, st.integers(0, 2**32 - 1))
def test_matches(type_: str, width: int, count: int, seed: int) -> None:
    values = values_of(type_, count, seed, few=True)
    if type_.startswith("f"):
        values[seed % count] = np.nan
        values[(seed + 1) % count] = -0.0  # other bits than 0.0
    body = f"""
      %v = load %x, %i [offset = 0] : {type_}
      %r = intrinsic "warp.match_any" %v [mask = "full", width = {width}] : u32
      store %out, %i, %r [offset = 0]
    """
    out, _ = run_text({"x": f"{type_}[]", "out": "u32[]"}, body, {"x": values, "out": np.zeros(count, np.uint32)}, block=count)
    bits = bits_of(values)
    for thread in range(count):
        assert out["out"][thread] == sum(1 << one % width for one in tile_of(thread, width, count) if bits[one] == bits[thread])


def test_bf16_goes_through_unchanged() -> None:
    values = np.arange(32, dtype=np.float32) + 256  # bf16 has 8 bits: some of these are not exact, the helper keeps the upper half
    body = """
      %one = const 1 : i32
      %v = load %x, %i [offset = 0] : bf16
      %r = intrinsic "warp.shuffle_up" %v, %one [mask = "full", width = 32] : bf16
      store %x, %i, %r [offset = 0]
    """
    out, _ = run_text({"x": "bf16[]"}, body, {"x": values})
    kept = (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    assert out["x"].tolist() == [kept[0], *kept[:-1]]


@settled
@given(blocks, st.integers(0, 2**32 - 1))
def test_block_votes(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    flags = rng.random(2 * count) < rng.choice((0, 0.1, 0.9, 1))
    body = """
      %f = load %flags, %i [offset = 0] : bool
      %a = intrinsic "block.all" %f : bool
      %o = intrinsic "block.any" %f : bool
      %n = intrinsic "block.count" %f : i32
      store %all, %i, %a [offset = 0]
      store %any, %i, %o [offset = 0]
      store %count, %i, %n [offset = 0]
    """
    nothing = np.zeros(2 * count, np.bool_)
    args = {"flags": flags, "all": nothing, "any": nothing, "count": np.zeros(2 * count, np.int32)}
    out, _ = run_text({"flags": "bool[]", "all": "bool[]", "any": "bool[]", "count": "i32[]"}, body, args, grid=2, block=count)
    for number in range(2):
        own = slice(number * count, (number + 1) * count)
        assert out["all"][own].tolist() == [bool(flags[own].all())] * count
        assert out["any"][own].tolist() == [bool(flags[own].any())] * count
        assert out["count"][own].tolist() == [int(flags[own].sum())] * count


def test_lane_and_warp_follow_the_linear_index() -> None:
    body = """
      %x = intrinsic "block.dim.x" : i32
      %y = intrinsic "thread.idx.y" : i32
      %row = mul %y, %x : i32
      %linear = add %row, %tid : i32
      %l = intrinsic "warp.lane" : i32
      %w = intrinsic "warp.id" : i32
      store %lane, %linear, %l [offset = 0]
      store %warp, %linear, %w [offset = 0]
    """
    nothing = np.zeros(80, np.int32)
    out, _ = run_text({"lane": "i32[]", "warp": "i32[]"}, body, {"lane": nothing, "warp": nothing}, block=(20, 4, 1))
    assert out["lane"].tolist() == [one % 32 for one in range(80)]
    assert out["warp"].tolist() == [one // 32 for one in range(80)]


def test_a_lane_that_a_check_ended_gives_zero() -> None:
    # lanes 3 and 5 end; the others shuffle and vote without them
    body = """
      %c3 = const 3 : i32
      %c5 = const 5 : i32
      %true = const true : bool
      %one = const 1 : i32
      %p = ne %tid, %c3 : bool
      check "OX7002" %p [message = "three"]
      %q = ne %tid, %c5 : bool
      check "OX7002" %q [message = "five"]
      %v = add %tid, %one : i32
      %r = intrinsic "warp.shuffle_xor" %v, %one [mask = "full", width = 32] : i32
      %b = intrinsic "warp.ballot" %true [mask = "full", width = 32] : u32
      %a = intrinsic "warp.shuffle_xor" %v, %one [mask = "active", width = 32] : i32
      store %x, %i, %r [offset = 0]
      store %y, %i, %b [offset = 0]
      store %z, %i, %a [offset = 0]
    """
    args = {"x": np.full(32, -1, np.int32), "y": np.zeros(32, np.uint32), "z": np.full(32, -1, np.int32)}
    out, panic = run_text({"x": "i32[]", "y": "u32[]", "z": "i32[]"}, body, args)
    assert panic is not None and panic.thread == (3, 0, 0)
    wanted = [(one ^ 1) + 1 for one in range(32)]
    wanted[2] = wanted[4] = 0
    wanted[3] = wanted[5] = -1
    assert out["x"].tolist() == wanted
    assert set(out["y"][[0, 1, 2, 4, 6]].tolist()) == {0xFFFFFFFF & ~(1 << 3 | 1 << 5)}
    # of the active lanes these are no longer any: the own value
    assert out["z"][[2, 4]].tolist() == [3, 5]
