"""Reductions and scans by functions of the kernel's own, in blocks, warps, tiles and active lanes: in order, on every device."""

# Literals take the types of what they meet, which checkers see only with a cast.
# pyright: basic, reportArgumentType=false, reportAssignmentType=false
from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import refused
from frontend.test_halves import DEVICES, launched, ptx
from frontend.test_refused import compiled

from oxidepy import Slice, SliceMut, block, f16, f32, f64, grid, i32, i64, kernel, launch_contract, require, struct, thread, warp

I64 = 2**64


@struct
@dataclass(frozen=True)
class Step:
    """x → scale * x + move. One behind the other they do not commute."""

    scale: i64
    move: i64


IDENTITY = (1, 0)


def then(f: Step, g: Step) -> Step:
    return Step(f.scale * g.scale, f.move * g.scale + g.move)


def composed(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return tuple((one + I64 // 2) % I64 - I64 // 2 for one in (a[0] * b[0], a[1] * b[0] + b[1]))  # type: ignore[return-value]


RECORD = np.dtype([("scale", np.int64), ("move", np.int64)])


def steps(count: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    out = np.zeros(count, RECORD)
    out["scale"], out["move"] = rng.integers(1, 4, count), rng.integers(-3, 4, count)
    return out


def scanned(values: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return list(accumulate(values, composed))


SHAPES: dict[tuple[int, int, int], Any] = {}


def blocks(x: int, y: int, z: int) -> Any:
    """A kernel over blocks of that shape, made once."""
    if (x, y, z) not in SHAPES:
        count = x * y * z

        @kernel
        @launch_contract(domain=3, block=(x, y, z))
        def folded(p: Slice[Step], total: SliceMut[Step], upto: SliceMut[Step], before: SliceMut[Step], far: SliceMut[f32]) -> None:
            require(grid.dim.x == 1, grid.dim.y == 1, grid.dim.z == 1, len(p) == block.size, len(total) == block.size)
            require(len(upto) == block.size, len(before) == block.size, len(far) == block.size)
            t = block.rank
            total[t] = block.reduce(p[t], then)
            upto[t] = block.scan(p[t], then, Step(1, 0))
            before[t] = block.scan(p[t], then, Step(1, 0), exclusive=True)
            far[t] = block.reduce(f32(t), max) + block.scan(f32(t), lambda a, b: a + b, 0.0, True)

        SHAPES[x, y, z] = (folded, count)
    return SHAPES[x, y, z]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(32, 1, 1), (128, 1, 1), (33, 1, 1), (1, 1, 1), (5, 3, 2)], ids=str)
def test_blocks(shape: tuple[int, int, int], device: str) -> None:
    import oxidepy as ox

    folded, count = blocks(*shape)
    p = steps(count)
    stream = ox.Context(device).default_stream()
    given = [
        ox.DeviceBuffer.from_host(stream, one) for one in (p, *(np.zeros(count, RECORD) for _ in range(3)), np.zeros(count, np.float32))
    ]
    folded.prepare(stream.context, ox.LaunchConfig3D((1, 1, 1), shape))(stream, *given)
    total, upto, before, far = (one.to_host(stream) for one in given[1:])
    wanted = scanned(p.tolist())
    assert upto.tolist() == wanted
    assert before.tolist() == [IDENTITY, *wanted[:-1]]
    assert total.tolist() == [wanted[-1]] * count
    assert far.tolist() == [count - 1 + t * (t - 1) / 2 for t in range(count)]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def lanes(p: Slice[Step], y: SliceMut[Step], z: SliceMut[i64]) -> None:
    require(grid.dim.x == 1, len(p) == 64, len(y) == 256, len(z) == 128)
    t = thread.idx.x
    tile = warp.tiled_partition(8)
    y[t] = warp.reduce(p[t], then)
    y[64 + t] = tile.reduce(p[t], then)
    y[128 + t] = tile.scan(p[t], then, Step(1, 0))
    y[192 + t] = p[t]
    z[t] = warp.scan(p[t].move, max, -9, exclusive=True)
    z[64 + t] = 0
    if t % 3 == 1:
        y[192 + t] = warp.active.reduce(p[t], then)
        z[64 + t] = warp.active.scan(p[t].move, lambda a, b: a + b, 0)


@pytest.mark.parametrize("device", DEVICES)
def test_warps_tiles_and_active_lanes(device: str) -> None:
    p = steps(64)
    _, y, z = launched(lanes, device, p, np.zeros(256, RECORD), np.zeros(128, np.int64), block_=64)
    of, move = p.tolist(), p["move"].tolist()
    assert y[:64].tolist() == [scanned(of[t // 32 * 32 : t // 32 * 32 + 32])[-1] for t in range(64)]
    assert y[64:128].tolist() == [scanned(of[t // 8 * 8 : t // 8 * 8 + 8])[-1] for t in range(64)]
    assert y[128:192].tolist() == [scanned(of[t // 8 * 8 : t + 1])[-1] for t in range(64)]
    assert z[:64].tolist() == [max(move[t // 32 * 32 : t], default=-9) for t in range(64)]
    for t in range(64):
        mine = [one for one in range(t // 32 * 32, t // 32 * 32 + 32) if one % 3 == 1]
        there = t % 3 == 1
        assert y[192 + t].tolist() == (scanned([of[one] for one in mine])[-1] if there else of[t])
        assert z[64 + t] == (sum(move[one] for one in mine if one <= t) if there else 0)


Three = tuple[i32, f64, tuple[bool, f16]]


def together(a: Three, b: Three) -> Three:
    return a[0] + b[0], max(a[1], b[1]), (a[2][0] and b[2][0], a[2][1] + b[2][1])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("threads", [64, 33])
def test_tuples(threads: int, device: str) -> None:
    @kernel
    @launch_contract(domain=1, block=(threads, 1, 1))
    def folded(x: Slice[f64], place: SliceMut[i32], y: SliceMut[f64]) -> None:
        require(grid.dim.x == 1, len(x) == block.size, len(place) == block.size, len(y) == block.size)
        t = thread.idx.x
        _, place[t] = block.reduce((x[t], t), lambda a, b: a if a[0] >= b[0] else b)
        count, most, (first, total) = block.scan((1, x[t], (t % 2 == 0, f16(t))), together, (0, -1.0, (True, 0.0)))
        y[t] = f64(count) * 1000.0 + most * 10.0 + (1.0 if first else 0.0) + f64(total) / 4096.0

    x, t = np.random.default_rng(threads).integers(0, 9, threads).astype(np.float64), np.arange(threads)
    _, place, y = launched(folded, device, x, np.zeros(threads, np.int32), np.zeros(threads), block_=threads)
    assert place.tolist() == [x.argmax()] * threads
    assert y.tolist() == ((t + 1) * 1000 + np.maximum.accumulate(x) * 10 + (t == 0) + np.cumsum(t) / 4096).tolist()


def test_the_result_of_a_warp_is_the_same_in_all_its_lanes() -> None:
    """So that a branch on it may hold operations of the warp."""

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def later(x: Slice[f64], y: SliceMut[f64]) -> None:
        require(grid.dim.x == 1, len(x) == 64, len(y) == 64)
        t = thread.idx.x
        greatest = warp.reduce(x[t], max)
        if greatest > 0.0:
            y[t] = warp.reduce_sum(x[t])

    x = np.concatenate([np.ones(32), -np.ones(32)])
    assert launched(later, "interp", x, np.zeros(64), block_=64)[1].tolist() == [32.0] * 32 + [0.0] * 32


@pytest.mark.parametrize("arch", ARCHES)
def test_they_assemble(arch: str) -> None:
    for one in (lanes, blocks(128, 1, 1)[0], blocks(5, 3, 2)[0]):
        assemble(ptx(one, arch), arch)


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("block.reduce(n)", "OX0308", "`block.reduce` takes 2 arguments"),
        ("block.reduce(n, 3)", "OX0308", "takes a function that combines two values, and this is the literal `3`"),
        ("block.reduce((), max)", "OX0308", "takes a number, a struct or a tuple of these, and this is a tuple of 0"),
        ("block.reduce((n, max), max)", "OX0308", "takes a number, a struct or a tuple of these"),
        ("block.scan((n, n), lambda a, b: a, 0)", "OX0308", "the values are a tuple of 2, and the first one is the literal `0`"),
        ("block.reduce(n, lambda a, b: f32(a) + f32(b))", "OX0308", "makes `f32` of two values that are `i32`"),
        ("block.reduce(n, lambda a, b: (a, b))", "OX0308", "makes a tuple of 2 of two values that are `i32`"),
        ("block.reduce(n, lambda a: a)", "OX0308", "`lambda` takes 1 argument, and is given 2"),
        ("warp.scan(n, max)", "OX0308", "takes 3 to 4 arguments"),
        ("warp.scan(n, max, 0.5)", "OX0308", "the float 0.5 does not become `i32`"),
        ("warp.scan(n, max, 0, exclusive=n > 1)", "OX0308", "`exclusive` is True or False"),
        ("warp.scan(n, max, 0, True, exclusive=True)", "OX0308", "is given `exclusive` twice"),
        ("block.scan_sum(n, True, exclusive=True)", "OX0308", "is given `exclusive` twice"),
        ("if n > thread.idx.x:\n    block.reduce(n, max)", "OX3001", "`block.reduce` is not reached by all threads"),
        ("if n > thread.idx.x:\n    warp.reduce(n, max)", "OX3002", "`warp.reduce` needs every lane"),
    ],
)
def test_what_is_refused(body: str, code: str, part: str) -> None:
    from oxidepy import CompileError
    from oxidepy.compiler.driver import check_kernel
    from oxidepy.lang.definition import Specialisation
    from oxidepy.settings.options import CodegenOptions

    one = compiled(body, block=block, warp=warp, thread=thread, f32=f32, i32=i32)
    if code == "OX0308":
        found = refused(one)
    else:
        with pytest.raises(CompileError) as caught:
            check_kernel(one.definition, Specialisation(), CodegenOptions())
        found = caught.value.diagnostics[0]
    assert (found.code, part in found.message) == (code, True), found.message
    assert all("fold_tile" not in label.text for label in found.labels)
