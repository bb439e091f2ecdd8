"""`Ptr` at launches, in exports, under the sanitizer, in host code, and beside the other things of the language."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from cli.conftest import Command, command
from cli.test_run import write
from frontend.running import lowered, refused
from loading import defined

import oxidepy as ox
from oxidepy import (
    BorrowError,
    DisjointSlice,
    LaunchError,
    Ptr,
    Slice,
    SliceMut,
    async_copy,
    atomic,
    block,
    cluster,
    cluster_launch,
    f16x2,
    f32,
    i32,
    kernel,
    launch_contract,
    local,
    shared,
    struct,
    thread,
    u8,
    u32,
    unsafe,
)
from oxidepy.analysis.host import KernelShape, Library, Param, analyse

__all__ = ["command"]  # the fixture
B = 64


@kernel(unsafe="input and output may be one buffer")
@launch_contract(domain=1, block=(B, 1, 1))
def twice(x: Ptr[f32], y: Ptr[f32], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n:
        y[i] = x[i] * 2.0


@kernel(unsafe="the slices are apart, the pointer is anywhere")
@launch_contract(domain=1, block=(B, 1, 1))
def mixed(x: Slice[f32], y: DisjointSlice[f32], p: Ptr[f32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in x:
        y[idx] = x[idx] + p[idx]


# ---- launches


def test_the_quick_way_takes_what_the_slow_one_takes(ctx: ox.Context, stream: ox.Stream) -> None:
    x, y = (ox.DeviceBuffer.from_host(stream, np.full(100, one, np.float32)) for one in (1, 5))
    launch = mixed.prepare(ctx, 100)
    launch(stream, x, y, y)
    quick = launch._last.quick
    assert quick is not None
    for p in (x, y, x[3:], y[:0], ox.DeviceBuffer.zeros(stream, 100, f32)):
        assert quick(stream, (x, y, p)) is not None
    assert quick(stream, (x, x, y)) is None and quick(stream, (x, y, ox.DeviceBuffer.zeros(stream, 100, i32))) is None
    with pytest.raises(BorrowError, match="OX0502"):
        launch(stream, x, x[:], y)
    assert (y.to_host(stream) == 6).all()


def test_a_pointer_overlaps_nothing(ctx: ox.Context, stream: ox.Stream) -> None:
    x = ox.DeviceBuffer.from_host(stream, np.arange(200, dtype=np.float32))
    launch = twice.prepare(ctx, 200)
    launch(stream, x, x, 200)
    launch(stream, x[:150], x[:150], 150)
    wanted = np.arange(200) * 2.0
    wanted[:150] *= 2
    np.testing.assert_array_equal(x.to_host(stream), wanted)


def test_streams_and_free_wait_for_what_a_pointer_does(ctx: ox.Context) -> None:
    one, other = ctx.new_stream(), ctx.new_stream()
    x = ox.DeviceBuffer.from_host(one, np.ones(100, np.float32))
    y = ox.DeviceBuffer.zeros(one, 100, f32)
    launch = twice.prepare(ctx, 100)
    launch(one, x, y, 100)
    assert x._memory.stream is one
    launch(other, y, y, 100)
    assert y._memory.stream is other and x._memory.stream is one
    x.free(other)
    assert (y.to_host(one) == 4).all()
    with pytest.raises(LaunchError, match="OX2007"):
        launch(one, x, y, 100)


def test_memory_that_may_not_be_written_has_no_pointer(ctx: ox.Context, stream: ox.Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_DEVICE", ctx.kind)
    array = np.ones(4, np.float32)
    array.flags.writeable = False
    y = ox.DeviceBuffer.zeros(stream, 4, f32)
    with pytest.raises(LaunchError) as caught:
        twice.prepare(ctx, 4)(stream, ox.as_buffer(array), y, 4)
    assert caught.value.code == "OX2007" and "wants Ptr[f32], got read-only memory" in str(caught.value)


def test_foreign_memory(ctx: ox.Context, stream: ox.Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_DEVICE", ctx.kind)
    array = np.arange(8, dtype=np.float32)
    twice.prepare(ctx, 4)(stream, ox.as_buffer(array)[2:6], ox.as_buffer(array[3:7]), 2)
    stream.synchronize()
    np.testing.assert_array_equal(array, [0, 1, 2, 4, 8, 5, 6, 7] if ctx.kind == "cpu" else array)


# ---- random statements over memory that several parameters have

NAMES = ("x", "t", "m", "c", "p", "q")
HEAD = """@kernel(unsafe="each thread has its own elements")
@launch_contract(domain=1, block=(64, 1, 1))
def k(x: Slice[i32], t: ConstantSlice[i32], m: SliceMut[i32], c: DisjointSlice[i32], p: Ptr[i32], q: Ptr[i32], rounds: i32) -> None:
    idx = thread.index_1d()
    i = idx.get()
    a, b = i32(0), i32(1)
    for r in range(rounds):
"""


def statements(seed: int) -> list[tuple[str, str, int]]:
    """(what, memory, number): reads into a or b, writes of them, barriers."""
    rng = np.random.default_rng(seed)
    made: list[tuple[str, str, int]] = []
    for _ in range(int(rng.integers(6, 24))):
        what = ("read a", "read b", "write a", "write b", "sync")[rng.integers(0, 5)]
        names = NAMES if what.startswith("read") else NAMES[2:]
        made.append((what, str(rng.choice(names)), int(rng.integers(1, 100))))
    return made


def written(made: list[tuple[str, str, int]]) -> str:
    lines: list[str] = []
    for what, memory, number in made:
        at, name = "idx" if memory == "c" else "i", what[-1]
        if what.startswith("read"):
            lines.append(f"if idx in c:\n            {name} = {name} * 3 + {memory}[{at}] + r")
        elif what.startswith("write"):
            lines.append(f"if idx in c:\n            {memory}[{at}] = {name} ^ {number}")
        else:
            lines.append("block.sync()")
    return HEAD + "".join(f"        {line}\n" for line in lines)


def expected(made: list[tuple[str, str, int]], memory: dict[str, np.ndarray], rounds: int) -> None:
    n = len(memory["c"])
    values = {"a": np.zeros(n, np.int32), "b": np.ones(n, np.int32)}
    with np.errstate(over="ignore"):
        for r in range(rounds):
            for what, name, number in made:
                if what.startswith("read"):
                    values[what[-1]] = values[what[-1]] * 3 + memory[name] + np.int32(r)
                elif what.startswith("write"):
                    memory[name][:] = values[what[-1]] ^ number


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_random_statements(device: str, seed: int) -> None:
    made, rng = statements(seed), np.random.default_rng(seed + 1000)
    text = written(made)
    one = defined(text, {name: getattr(ox, name) for name in HEAD_NAMES})["k"]
    stream, n = ox.Context(device).default_stream(), 200
    launch = one.prepare(stream.context, n)
    for _ in range(3):
        host = {one: rng.integers(-1000, 1000, n).astype(np.int32) for one in NAMES[:4]}
        p, q = (str(one) for one in rng.choice(NAMES[:4], 2))
        buffers = {one: ox.DeviceBuffer.from_host(stream, array) for one, array in host.items()}
        launch(stream, *buffers.values(), buffers[p], buffers[q], 3)
        expected(made, {**host, "p": host[p], "q": host[q]}, 3)
        for one, array in host.items():
            np.testing.assert_array_equal(buffers[one].to_host(stream), array, err_msg=f"{one} with p = {p}, q = {q} of\n{text}")


HEAD_NAMES = "kernel launch_contract Slice ConstantSlice SliceMut DisjointSlice Ptr i32 thread block".split()


# ---- the same memory as elements of another type


@struct
@dataclass(frozen=True)
class Quad:
    x: f32
    y: f32
    z: f32
    w: f32


@kernel(unsafe="both hold n elements, a multiple of 4")
@launch_contract(domain=1, block=(B, 1, 1))
def seen_as_others(p: Ptr[f32], words: Ptr[u32], quads: Ptr[f32], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n:
        raw = (p + i).cast(u8)
        word = u32(raw[3]) << 24 | u32(raw[2]) << 16 | u32(raw[1]) << 8 | u32(raw[0])
        words[i] = word ^ raw.cast(u32)[0] ^ (raw + 4 - 4 * i).cast(u32)[i - 1]
        if i % 4 == 0:
            v = (p + i).cast(Quad)[0]
            quads.cast(Quad)[i // 4] = Quad(v.w, v.z, v.y, v.x)


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_casts(device: str) -> None:
    stream, n = ox.Context(device).default_stream(), 256
    x = np.random.default_rng(3).random(2 * n, np.float32)
    words, quads = ox.DeviceBuffer.zeros(stream, n, u32), ox.DeviceBuffer.zeros(stream, n, f32)
    launch = seen_as_others.prepare(stream.context, n)
    for first in (0, 4, n):
        launch(stream, ox.DeviceBuffer.from_host(stream, x)[first : first + n], words, quads, n)
        part = x[first : first + n]
        np.testing.assert_array_equal(words.to_host(stream), part.view(np.uint32))
        np.testing.assert_array_equal(quads.to_host(stream), part.reshape(-1, 4)[:, ::-1].reshape(-1))


def test_a_cast_is_the_same_address_once_more() -> None:
    kernel_ = lowered(seen_as_others).kernel
    seen = [(info.source, str(one.type)) for one, info in zip(kernel_.params, kernel_.infos, strict=True) if info.role == "memory"]
    assert seen == [
        ("p", "mem<f32, global, raw>"),
        ("p", "mem<u8, global, raw>"),
        ("p", "mem<u32, global, raw>"),
        ("p", "mem<struct Quad, global, raw>"),
        ("words", "mem<u32, global, raw>"),
        ("quads", "mem<f32, global, raw>"),
        ("quads", "mem<struct Quad, global, raw>"),
    ]
    assert "registers" in assemble(seen_as_others.ptx("sm_80"), "sm_80")


def test_what_lies_outside_of_a_cast_is_found() -> None:
    stream = ox.Context("interp").default_stream()
    x = ox.DeviceBuffer.zeros(stream, 8, f32)
    launch = seen_as_others.prepare(stream.context, B)
    with pytest.raises(ox.DevicePanic) as caught:
        launch(stream, x[4:], ox.DeviceBuffer.zeros(stream, 8, u32), ox.DeviceBuffer.zeros(stream, 8, f32), 5)
        stream.synchronize()
    assert (caught.value.index, caught.value.length) == (19, 16)


# ---- beside the rest of the language


def behind(p: Ptr[f32], n: i32) -> Ptr[f32]:
    return p + n


def ends(p: Ptr[f32], n: i32):
    if n > 10:
        return p, p + (n - 1)
    return p + 1, p + n * 2


@kernel(unsafe="a test")
@launch_contract(domain=1, block=(B, 1, 1))
def through_functions(f: Callable[[Ptr[f32], i32], f32], p: Ptr[f32], q: Ptr[f32], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n:
        first, last = ends(p, n)
        mine = behind(q, i * 2 - i) - 0
        for k in range(3):
            mine += k
        mine[-3] = f(p, i) + (last - 1)[0] + first[n * 0 + 1]
        where = p + i if i % 2 == 0 else p + 1
        mine[-3] += where[0]


def test_helpers_lambdas_tuples_and_branches(ctx: ox.Context, stream: ox.Stream) -> None:
    n = 100
    x = np.arange(n, dtype=np.float32)
    y = ox.DeviceBuffer.zeros(stream, n, f32)
    through_functions.prepare(ctx, n)(stream, lambda p, i: p[i] * 3.0, ox.DeviceBuffer.from_host(stream, x), y, n)
    i = np.arange(n)
    np.testing.assert_array_equal(y.to_host(stream), x * 3 + x[n - 2] + x[1] + np.where(i % 2 == 0, x, 1))


def down(p: Ptr[f32], n: i32) -> f32:
    return p[n] if n == 0 else down(p, n - 1)


def test_a_function_that_calls_itself_takes_none() -> None:
    @kernel(unsafe="a test")
    def k(p: Ptr[f32], y: DisjointSlice[f32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = down(p, 3)

    found = refused(k)
    assert found.code == "OX0658" and "takes a `Ptr[f32]` as `p`" in found.message


@kernel(unsafe="each thread adds to one of two pairs")
@launch_contract(domain=1, block=(B, 1, 1))
def in_scratch(pairs: Ptr[f16x2], y: SliceMut[i32]) -> None:
    t = thread.idx.x
    counts, own = shared.array(i32, 4), local.array(i32, 2)
    if t < 4:
        counts[t] = 0
    block.sync()
    atomic.add(counts.ptr() + 1, t % 3, 1)
    o = own.ptr() + 1
    o[-1] = t
    o[0] = own[0] * 2
    atomic.add(pairs, t % 2, f16x2(1.0, 0.5))
    block.sync()
    y[thread.index_1d().get()] = counts[1 + t % 3] * 1000 + own[1]


@pytest.mark.parametrize("arch", ARCHES)
def test_pointers_of_scratch_memory_assemble(arch: str) -> None:
    if arch != "sm_75":
        assert "atom.relaxed.gpu.shared.add" in in_scratch.ptx(arch)
        assert "registers" in assemble(in_scratch.ptx(arch), arch)


def test_pointers_of_scratch_memory(ctx: ox.Context, stream: ox.Stream) -> None:
    pairs = ox.DeviceBuffer.from_host(stream, np.zeros(2, [("x", np.float16), ("y", np.float16)]))
    y = ox.DeviceBuffer.zeros(stream, B, i32)
    in_scratch.prepare(ctx, B)(stream, pairs, y)
    t = np.arange(B)
    np.testing.assert_array_equal(y.to_host(stream), np.bincount(t % 3)[t % 3] * 1000 + 2 * t)
    got = pairs.to_host(stream)
    assert got["x"].tolist() == [32, 32] and got["y"].tolist() == [16, 16]


@kernel(unsafe="n is a multiple of the block, and every copy is waited for")
@launch_contract(domain=1, block=(B, 1, 1))
def copied(p: Ptr[f32], y: DisjointSlice[f32], n: i32) -> None:
    idx, t = thread.index_1d(), thread.idx.x
    s = shared.array(f32, 4 * B)
    x = Slice.from_ptr(p, n)
    if idx in y:
        async_copy.copy(s, 4 * t, x, idx.get() // 4 * 4, count=4)
        async_copy.commit()
        async_copy.wait()
        y[idx] = s[4 * t + idx.get() % 4]


def test_the_hardware_copies_from_slices_of_pointers() -> None:
    stream = ox.Context("interp").default_stream()
    x = np.arange(2 * B, dtype=np.float32)
    y = ox.DeviceBuffer.zeros(stream, 2 * B, f32)
    copied.prepare(stream.context, 2 * B)(stream, ox.DeviceBuffer.from_host(stream, x), y, 2 * B)
    np.testing.assert_array_equal(y.to_host(stream), x)
    assert "cp.async" in copied.ptx("sm_80") and "registers" in assemble(copied.ptx("sm_80"), "sm_80")


@kernel
@cluster_launch(2, 1, 1)
@launch_contract(domain=1, block=(32, 1, 1))
def across(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 32)
    t = thread.idx.x
    s[t] = thread.index_1d().get()
    cluster.sync()
    with unsafe("nobody writes between the two barriers"):
        p = cluster.map_shared(s, 1 - cluster.rank).ptr()
        got = p[31 - t]
    cluster.sync()
    y[thread.index_1d().get()] = got


def test_pointers_to_memory_of_other_blocks() -> None:
    stream = ox.Context("interp").default_stream()
    y = ox.DeviceBuffer.zeros(stream, 64, i32)
    across.prepare(stream.context, 64)(stream, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(64)[::-1])
    assert "ld.shared::cluster" in across.ptx("sm_90a") and "registers" in assemble(across.ptx("sm_90a"), "sm_90a")


# ---- tools

PROGRAM = """import numpy as np
import oxidepy as ox
from oxidepy import DeviceBuffer, DisjointSlice, Ptr, f32, i32, kernel, launch_contract, thread


@kernel(unsafe="n elements lie there")
@launch_contract(domain=1, block=(64, 1, 1))
def moved(p: Ptr[f32], q: Ptr[f32], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n:
        q[i] = p[i] + 1.0


def main():
    ctx = ox.Context()
    s = ctx.default_stream()
    a = DeviceBuffer.zeros(s, 100, f32)
    b = DeviceBuffer.empty(s, 100, f32)
    launch = moved.prepare(ctx, 100)
    launch(s, a, a, 100)
    LINE
    s.synchronize()
    print(a.to_host(s)[0])


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("line", "code", "at"),
    [
        ("launch(s, a[50:], b, 50)", None, 0),
        ("launch(s, a, b[50:], 51)", "OX7001", 11),
        ("launch(s, b, a, 1)", "OX7005", 11),
    ],
)
def test_the_sanitizer_watches_pointers(command: Command, tmp_path: Path, line: str, code: str | None, at: int) -> None:
    done = command("sanitize", write(tmp_path, PROGRAM.replace("LINE", line)), "--message-format", "json")
    found = [json.loads(one) for one in done.out.splitlines() if one.startswith("{")]
    assert [(one["code"], one["line"]) for one in found] == ([(code, at)] if code else []), done
    assert done.code == (86 if code else 0)


def test_a_race_by_way_of_pointers_is_found_when_it_happens(command: Command, tmp_path: Path) -> None:
    text = PROGRAM.replace("LINE", "launch(s, a[1:], a, 99)")
    done = command("sanitize", write(tmp_path, text), "--message-format", "json")
    found = [json.loads(one) for one in done.out.splitlines() if one.startswith("{")]
    assert {one["code"] for one in found} == {"OX4002"} and done.code == 86


def test_build_writes_an_address(command: Command, tmp_path: Path) -> None:
    path = write(tmp_path, PROGRAM.replace("LINE", "pass"))
    done = command("build", path, "--arch", "sm_80", "--arch", "sm_120a", "--out", tmp_path / "out")
    assert done.code == 0, done
    kernels = json.loads((tmp_path / "out" / "manifest.json").read_text())["kernels"]
    wanted = [["memory", "u64", "p", 0, ""], ["memory", "u64", "q", 0, ""], ["scalar", "i32", "n", 0, ""]]
    assert [one["params"] for one in kernels] == [wanted] * 2


def test_the_check_of_host_code_lets_pointers_alias_and_follows_them() -> None:
    known: dict[tuple[str, ...], KernelShape | Library] = {
        ("ox",): Library(""),
        ("f32",): Library("f32"),
        ("k",): KernelShape("k", (Param("x", "shared", "f32"), Param("y", "exclusive", "f32"), Param("p", "pointer", "f32"))),
    }
    source = """
stream = ox.Context().default_stream()
a, b, c = (ox.DeviceBuffer.zeros(stream, 8, f32) for _ in range(3))
k.launch(stream, a, b, a)
k.launch(stream, a, b, b)
k.launch(stream, a, a, c)
k.launch(stream, a, b, 3)
c.free(stream)
k.launch(stream, a, b, c)
"""
    found = analyse(ast.parse(source), source, "main.py", lambda path: known.get(tuple(path)))
    assert sorted((one.code, one.span.line) for one in found if one.span) == [("OX0502", 6), ("OX2007", 7), ("OX2007", 9)]
