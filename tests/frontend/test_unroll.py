"""`unroll(…, N)`: loops whose rounds are written out N in one, with the results of the plain loop."""

# pyright: basic
from __future__ import annotations

import linecache

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import every, refused, text

import oxidepy as ox
from oxidepy import DeviceBuffer, DisjointSlice, Slice, SliceMut, f32, i32, kernel, launch_contract, math, thread, unroll, warp
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module

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
    name = f"<unroll {items}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space = {"kernel": kernel, "SliceMut": SliceMut, "f32": f32, "i32": i32, "unroll": unroll}
    exec(compile(source, name, "exec", dont_inherit=True), space)
    found = refused(space["k"])
    assert found.code == "OX0308" and part in found.message, found
