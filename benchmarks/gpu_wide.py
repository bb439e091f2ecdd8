"""How wide accesses pay: doubling 2^28 floats by runs of four, at aligned and at other addresses; transposes with and without conflicts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import Figure, main

import oxidepy as ox
from oxidepy import (
    D2,
    DisjointSlice,
    LaunchConfig2D,
    Runs,
    Slice,
    SliceMut,
    block,
    f32,
    grid,
    kernel,
    launch_contract,
    require,
    shared,
    swizzle,
    thread,
    unroll,
)

N = 1 << 28
SIDE = 1 << 14
ORDER = swizzle.xor(5)


@kernel
def single(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 2.0 * x[idx]


@kernel
def runs(x: Slice[f32], y: DisjointSlice[f32, Runs[4]]) -> None:
    run = thread.index_run(4)
    if run in y:
        for k in unroll(range(4)):
            y[run, k] = 2.0 * x[run, k]
    else:
        for idx in run.clip(y):
            y[idx] = 2.0 * x[idx]


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def plain(x: Slice[f32, D2], y: SliceMut[f32, D2]) -> None:
    require(x.shape[0] == 32 * grid.dim.y, x.shape[1] == 32 * grid.dim.x, y.shape[0] == x.shape[1], y.shape[1] == x.shape[0])
    tile = shared.array(f32, (32, 32))
    tx, ty = thread.idx.x, thread.idx.y
    left, top = 32 * block.idx.x, 32 * block.idx.y
    for k in unroll(range(0, 32, 8)):
        tile[ty + k, tx] = x[top + ty + k, left + tx]
    block.sync()
    for k in unroll(range(0, 32, 8)):
        y[left + ty + k, top + tx] = tile[tx, ty + k]


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def swizzled(x: Slice[f32, D2], y: SliceMut[f32, D2]) -> None:
    require(x.shape[0] == 32 * grid.dim.y, x.shape[1] == 32 * grid.dim.x, y.shape[0] == x.shape[1], y.shape[1] == x.shape[0])
    tile = shared.array(f32, 1024)
    tx, ty = thread.idx.x, thread.idx.y
    left, top = 32 * block.idx.x, 32 * block.idx.y
    for k in unroll(range(0, 32, 8)):
        tile[ORDER.apply(32 * (ty + k) + tx)] = x[top + ty + k, left + tx]
    block.sync()
    for k in unroll(range(0, 32, 8)):
        y[left + ty + k, top + tx] = tile[ORDER.apply(32 * tx + ty + k)]


def rate(stream: ox.Stream, work: Callable[[], None], size: int) -> float:
    """Terabytes a second, the median of several."""
    work()
    stream.synchronize()
    times = []
    for _ in range(9):
        begin = stream.record()
        for _ in range(5):
            work()
        end = stream.record()
        stream.synchronize()
        times.append(end.elapsed_ms(begin) / 5)
    return size / sorted(times)[4] / 1e9


def measure() -> list[Figure]:
    ctx = ox.Context("cuda:0")
    stream = ctx.default_stream()
    x, y = (ox.DeviceBuffer.zeros(stream, N + 4, f32) for _ in range(2))
    figures = [
        Figure("one element a thread", rate(stream, lambda: single.launch(stream, x[:N], y[:N]), 8 * N), "TB/s"),
        Figure("runs of four, 16 bytes at once", rate(stream, lambda: runs.launch(stream, x[:N], y[:N]), 8 * N), "TB/s"),
        Figure("runs of four, at odd addresses", rate(stream, lambda: runs.launch(stream, x[1 : N + 1], y[1 : N + 1]), 8 * N), "TB/s"),
    ]
    a, b = x[:N].reshape(SIDE, SIDE), y[:N].reshape(SIDE, SIDE)
    corner = np.arange(64, dtype=np.float32)
    x[:64].copy_from_host(stream, corner)
    config = LaunchConfig2D(grid=(SIDE // 32, SIDE // 32), block=(32, 8))
    for name, one in (("transpose, conflicts of banks", plain), ("transpose, swizzled", swizzled)):
        prepared = one.prepare(ctx, config)
        figures.append(Figure(name, rate(stream, lambda prepared=prepared: prepared(stream, a, b), 8 * N), "TB/s"))  # type: ignore[misc]
        np.testing.assert_array_equal(b.to_host(stream)[:64, 0], corner)
    figures[1].peer, figures[1].ratio = "one element a thread", figures[1].value / figures[0].value
    figures[4].peer, figures[4].ratio = "with conflicts", figures[4].value / figures[3].value
    return figures


if __name__ == "__main__":
    main(measure, "Wide accesses and swizzles")
