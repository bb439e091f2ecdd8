"""Run the doctor's kernel on a device, compare with NumPy, and time a launch."""

from __future__ import annotations

import time
from typing import Any


def launch(device: str, rounds: int) -> dict[str, Any]:
    """`first_ms`: from the source to the first result; `launch_us`: host time of one of `rounds` launches in a row;
    `wrong`: None, or the first element that differs from NumPy's, and `expected` and `found` there."""
    import numpy as np
    from numpy.typing import NDArray

    import oxidepy as ox
    from oxidepy.doctor import sample

    context = ox.Context(device)
    stream = context.default_stream()
    x: NDArray[np.float32] = np.arange(sample.COUNT, dtype=np.float32)
    y: NDArray[np.float32] = np.arange(sample.COUNT, 0, -1, dtype=np.float32)
    expected: NDArray[np.float32] = x * sample.FACTOR + y  # small integers: exact, however it is rounded
    began = time.perf_counter()
    a, b = ox.DeviceBuffer.from_host(stream, x), ox.DeviceBuffer.from_host(stream, y)
    out = ox.DeviceBuffer.zeros(stream, sample.COUNT, ox.f32)
    prepared = sample.saxpy.prepare(context, ox.LaunchConfig1D.for_num_elems(sample.COUNT, block=256))
    prepared(stream, sample.FACTOR, a, b, out)
    found: NDArray[np.float32] = out.to_host(stream)
    first = time.perf_counter() - began
    began = time.perf_counter()
    for _ in range(rounds):
        prepared(stream, sample.FACTOR, a, b, out)
    issued = time.perf_counter() - began
    stream.synchronize()
    differs = np.flatnonzero(found != expected)
    times = {"first_ms": round(first * 1e3, 1), "launch_us": round(issued / rounds * 1e6, 2)}
    facts: dict[str, Any] = {"device": device, **times, "wrong": None}
    if differs.size:
        where = int(differs[0])
        facts.update(wrong=where, expected=float(expected[where]), found=float(found[where]), count=int(differs.size))
    return facts
