"""`unroll(…, N)`: loops whose rounds are written out N in one, with the results of the plain loop."""

# pyright: basic
from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import every, lowered, refused, text
from loading import defined

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DisjointSlice,
    LaunchConfig1D,
    Slice,
    SliceMut,
    block,
    f32,
    i32,
    kernel,
    launch_contract,
    math,
    shared,
    thread,
    unroll,
    warp,
)
from oxidepy.backend import cpu
from oxidepy.backend.targets import cpu_target
from oxidepy.frontend.lower import lower
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

FOUR = 4


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def squares(x: Slice[f32], y: DisjointSlice[f32], n: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        total = f32(0)
        for k in unroll(range(n), FOUR):
            if k == 50:
                break
            if x[k] < 0.0:
                continue
            total += x[k] * x[k]
        y[idx] = total


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def strided(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    for idx in unroll(thread.grid_stride(y), 2):
        total = f32(0)
        for v in unroll(x, 3):
            total += v
        for k in unroll(range(len(x) - 1, -1, -3), 5):
            total += x[k]
        for k, (a, b) in unroll(enumerate(zip(range(7), range(3, 60, 5), strict=False)), 2):
            total += f32(k * a + b)
        y[idx] = total


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def exchanged(y: DisjointSlice[f32]) -> None:
    total = f32(0)
    for k in unroll(range(64), 8):
        total += warp.shuffle_xor(f32(k), 1) * math.sqrt(f32(k))
    idx = thread.index_1d()
    if idx in y:
        y[idx] = total


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def together(y: DisjointSlice[f32], n: i32) -> None:
    s = shared.array(f32, 64)
    t, total = thread.idx.x, f32(0)
    for k in unroll(range(n), 4):
        if k == 9:
            break
        s[t] = warp.shuffle_xor(f32(k * t), 1)
        block.sync()
        total += s[63 - t]
        block.sync()
    idx = thread.index_1d()
    if idx in y:
        y[idx] = total


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def roots(x: Slice[f32], y: DisjointSlice[f32], n: i32, step: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        total = f32(0)
        for k in unroll(range(n, 0, step), 6):
            total += math.sqrt(x[k])
        y[idx] = total


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 31, 64])
def test_results(device: str, n: int) -> None:
    stream = ox.Context(device).default_stream()
    host = np.arange(64, dtype=np.float32) % 5 - 1
    x, y = DeviceBuffer.from_host(stream, host), DeviceBuffer.zeros(stream, 3, f32)
    squares.launch(stream, x, y, n)
    taken = host[: min(n, 50)]
    assert (y.to_host(stream) == (taken[taken >= 0] ** 2).sum()).all()
    strided.launch(stream, x, y)
    pairs = sum(k * a + b for k, (a, b) in enumerate(zip(range(7), range(3, 60, 5), strict=False)))
    assert (y.to_host(stream) == host.sum() + host[63::-3].sum() + pairs).all()


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("n", [0, 1, 4, 6, 8, 12])
def test_what_threads_do_together(device: str, n: int) -> None:
    stream = ox.Context(device).default_stream()
    y = DeviceBuffer.zeros(stream, 64, f32)
    together.launch(stream, y, n)
    t = 63 - np.arange(64)
    assert (y.to_host(stream) == sum(range(min(n, 9))) * (t ^ 1)).all()


@pytest.mark.parametrize("arch", ARCHES)
def test_what_threads_do_together_is_written_out(arch: str, capfd: pytest.CaptureFixture[str]) -> None:
    """LLVM would leave such a loop, and say so: rounds that are left over would be done by some of the threads alone."""
    made = together.ptx(arch)
    assert made.count("shfl.sync") == 4 and made.count("bar.sync") + made.count("barrier.sync") == 8
    assemble(made, arch)
    assert capfd.readouterr().err == ""


def test_on_the_cpu() -> None:
    """A loop of unknown length in six; a short one, by LLVM's own choice, as a whole."""
    made = cpu.optimised_llvm(lowered(roots), cpu_target(), CodegenOptions())
    assert made.count("call float @llvm.sqrt.f32(") + made.count("call noundef float @llvm.sqrt.f32(") in (6, 12)  # 12: up and down apart
    short = compiled("        for k in unroll(range(8), 4):\n            y[0] = y[0] * 3.0 + f32(k)\n")
    assert "llvm.loop.unroll" not in cpu.llvm_text(lowered(short), cpu_target(), CodegenOptions())


def test_too_much_code() -> None:
    """Rounds are not written out without bound, and the loop says so. What stands inside of each other counts as often as it is written."""
    inner = "            for j in unroll(range(k), 20):\n                y[0] = y[0] * f32(j)\n"
    one = compiled("        for k in unroll(range(n), 1000):\n" + inner)
    (warning,) = lower(one.definition, Specialisation(), CodegenOptions()).warnings
    assert warning.code == "OX9002" and "1000 rounds of it are" in warning.message
    assert warning.span is not None and warning.span.line == 3
    assert [op.attrs.get("unroll") for op in every(one) if op.name == "for"] == [None, 20]


@pytest.mark.parametrize(
    ("items", "way"),
    [
        ("unroll(range(n))", "`unroll(range(n), 4)`"),
        ("unroll(range(0, 10, n))", "`unroll(range(0, 10, n), 4)`"),
        ("unroll(y[:n])", "`unroll(y[:n], 4)`"),
        ("unroll(reversed(range(n)))", "`unroll(reversed(range(n)), 4)`"),
        ("loop", "`unroll(range(n), 4)`"),
    ],
)
def test_the_way_out(items: str, way: str) -> None:
    one = compiled(f"        loop = unroll(range(n))\n        for k in {items}:\n            y[0] = y[0] + f32(k)\n")
    (warning,) = lower(one.definition, Specialisation(), CodegenOptions()).warnings
    assert warning.code == "OX9002" and way in (warning.help or "")


def drawn(rng: random.Random, depth: int = 0, names: tuple[str, ...] = ()) -> str:
    """A loop of the kernel language that is one of Python too."""
    name, pad = "ijk"[depth], "    " * (depth + 1)
    bound = rng.choice(["n", "m", str(rng.randrange(12)), *names])
    step = rng.choice(["", "", f", {rng.choice([2, 3, 5])}", ", s"])
    items = f"range({rng.choice(['n', 'm', str(rng.randrange(5))])}, {bound}{step})" if step else f"range({bound})"
    if rng.random() < 0.3:
        items = f"range({bound}, {rng.randrange(-3, 3)}, {rng.choice(['-1', '-2', '-3'])})"
    out = f"{pad}for {name} in unroll({items}, {rng.randrange(2, 7)}):\n"
    if rng.random() < 0.4:
        out += f"{pad}    if {name} % {rng.randrange(2, 5)} == 1:\n{pad}        continue\n"
    if depth < 2 and rng.random() < 0.6:
        out += drawn(rng, depth + 1, (*names, name))
    out += f"{pad}    total = total * 31 + {name} * {rng.randrange(1, 9)}\n"
    if rng.random() < 0.3:
        out += f"{pad}    if {name} == {rng.randrange(9)}:\n{pad}        {rng.choice(['break', 'return total ^ 77'])}\n"
    if rng.random() < 0.3:
        out += f"{pad}else:\n{pad}    total += 1000\n"
    return out


@pytest.mark.parametrize("seed", range(12))
def test_drawn_loops(seed: int) -> None:
    """Against Python, whose `unroll` gives the items."""
    rng = random.Random(seed)
    body = "def of(n: i32, m: i32, s: i32) -> i32:\n    total = i32(1)\n" + drawn(rng) + drawn(rng) + "    return total\n"
    as_python: dict[str, Any] = {"unroll": lambda items, _: items, "i32": int}
    exec(body.replace("total = total * 31", "total = (total * 31)").replace(": i32", ""), as_python)
    one = compiled("        y[0] = of(n, m, s)\n", body, "y: SliceMut[i32], n: i32, m: i32, s: i32")
    for device in ("interp", "cpu"):
        stream = ox.Context(device).default_stream()
        y = DeviceBuffer.zeros(stream, 1, i32)
        launched = one.prepare(stream.context, LaunchConfig1D(grid=1, block=1))
        for n, m, s in ((0, 3, 1), (7, 2, 2), (13, 9, 1), (-2, 5, 3)):
            launched(stream, y, n, m, s)
            wanted = (as_python["of"](n, m, s) + (1 << 31)) % (1 << 32) - (1 << 31)
            assert y.to_host(stream)[0] == wanted, (device, n, m, s, body)


def compiled(body: str, before: str = "", params: str = "y: SliceMut[f32], n: i32") -> Any:
    """A kernel of one thread, from its body's text."""
    source = f"{before}def k({params}) -> None:\n    with unsafe('one thread'):\n{body}"
    names = {"SliceMut": SliceMut, "f32": f32, "i32": i32, "unroll": unroll, "unsafe": ox.unsafe}
    return kernel(launch_contract(domain=1, block=(1, 1, 1))(defined(source, names)["k"]))


@pytest.mark.parametrize("arch", ARCHES)
def test_rounds_are_written_out(arch: str) -> None:
    """As many shuffles as rounds in one; loads of rounds in one, and of those left over."""
    made = exchanged.ptx(arch)
    assert made.count("shfl.sync") == 8
    assemble(made, arch)
    made = strided.ptx(arch)
    assert made.count("ld.global") >= 3 + 5
    assemble(made, arch)


def test_it_is_one_loop() -> None:
    loops = [op.attrs.get("unroll") for op in every(squares) if op.name == "for"]
    assert loops == [4]
    assert print_module(parse_module(text(squares))) == text(squares)


@pytest.mark.parametrize(
    ("items", "part"),
    [
        ("range(n), 1", "is the literal `1`"),
        ("range(n), 1025", "is the literal `1025`"),
        ("range(n), n", "is `i32`"),
        ("range(n), 2.0", "is the literal `2.0`"),
        ("(1, 2, 3), 2", "the rounds over a tuple are all written out"),
    ],
)
def test_refused(items: str, part: str) -> None:
    source = f"@kernel\ndef k(y: SliceMut[f32], n: i32) -> None:\n    for k in unroll({items}):\n        y[0] = f32(k)\n"
    names = {"kernel": kernel, "SliceMut": SliceMut, "f32": f32, "i32": i32, "unroll": unroll}
    found = refused(defined(source, names)["k"])
    assert found.code == "OX0308" and part in found.message, found
