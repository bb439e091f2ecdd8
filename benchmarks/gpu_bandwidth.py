"""f32 vector add of 2^28 elements: bytes read and written a second, against torch in the same run; saxpy in place; the cost of a launch."""

from __future__ import annotations

import time
from importlib.util import find_spec

import kernels
import numpy as np
from common import Figure, main

import oxidepy as ox

N = 1 << 28
BYTES = 3 * 4 * N


def saxpy(ctx: ox.Context, stream: ox.Stream, x: ox.DeviceBuffer, y: ox.DeviceBuffer) -> float:
    """Milliseconds of one launch, the median of several."""
    prepared = kernels.saxpy.prepare(ctx, N)
    times = []
    for _ in range(9):
        begin = stream.record()
        for _ in range(5):
            prepared(stream, 0.5, x, y)
        end = stream.record()
        stream.synchronize()
        times.append(end.elapsed_ms(begin) / 5)
    return sorted(times)[4]


def measure() -> list[Figure]:
    ctx = ox.Context("cuda:0")
    stream = ctx.default_stream()
    a, b, c = (ox.DeviceBuffer.empty(stream, N, ox.f32) for _ in range(3))
    part = np.random.default_rng(0).standard_normal(1 << 20, np.float32)
    for start in range(0, N, len(part)):
        a[start : start + len(part)].copy_from_host(stream, part)
        b[start : start + len(part)].copy_from_host(stream, part[::-1].copy())
    prepared = kernels.vecadd.prepare(ctx, N)

    def once() -> float:
        begin = stream.record()
        for _ in range(5):
            prepared(stream, a, b, c)
        end = stream.record()
        stream.synchronize()
        return end.elapsed_ms(begin) / 5

    once()
    ours = sorted(once() for _ in range(9))[4]
    tail = c[N - 1024 :].to_host(stream)
    np.testing.assert_array_equal(tail, part[-1024:] + part[::-1][-1024:])
    blocks = kernels.vecadd.loaded()[-1][2].facts.get("coarsen", 1)
    figures = [Figure(f"f32 add of 2^28 ({blocks} blocks as one)", BYTES / ours / 1e9, "TB/s", "4.37 (peers)")]
    if find_spec("torch") is not None:
        import torch

        x, y, z = (torch.empty(N, device="cuda") for _ in range(3))
        x.normal_()
        y.normal_()

        def theirs() -> float:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(5):
                torch.add(x, y, out=z)
            end.record()
            torch.cuda.synchronize()
            return begin.elapsed_time(end) / 5

        theirs()
        peer = sorted(theirs() for _ in range(9))[4]
        figures[0].peer, figures[0].ratio = "torch", peer / ours
        figures.append(Figure("torch.add of 2^28", BYTES / peer / 1e9, "TB/s"))
    figures.append(Figure("saxpy of 2^28, in place", BYTES / saxpy(ctx, stream, a, c) / 1e9, "TB/s"))
    small = [buffer[:1024] for buffer in (a, b, c)]
    quick = kernels.vecadd.prepare(ctx, 1024)
    quick(stream, *small)
    stream.synchronize()
    start = time.perf_counter()
    for _ in range(5000):
        quick(stream, *small)
    spent = (time.perf_counter() - start) / 5000 * 1e6
    stream.synchronize()
    figures.append(Figure("a prepared launch, 3 buffers", spent, "us", "(the native launcher comes later; floor 4.4)"))
    return figures


if __name__ == "__main__":
    main(measure, "Memory-bound kernel and launch")
