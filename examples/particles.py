"""Structs as elements and as a parameter: particles in a box, stepped with NumPy's structured arrays on the host."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, kernel, launch_contract, struct, thread


@struct
@dataclass(frozen=True)
class Particle:
    position: f32
    velocity: f32


@struct
@dataclass(frozen=True)
class Box:
    width: f32
    dt: f32


def bounce(p: f32, v: f32, width: f32) -> tuple[f32, f32]:
    if p < 0.0:
        return -p, -v
    if p > width:
        return 2.0 * width - p, -v
    return p, v


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def step(before: Slice[Particle], box: Box, after: DisjointSlice[Particle]) -> None:
    idx = thread.index_1d()
    if idx in after:
        one = before[idx]
        position, velocity = bounce(one.position + one.velocity * box.dt, one.velocity, box.width)
        after[idx] = Particle(position, velocity)


def main() -> int:
    stream = ox.Context().default_stream()
    host: NDArray[Any] = np.zeros(300, [("position", "f4"), ("velocity", "f4")])
    host["position"] = np.linspace(0, 1, 300)
    host["velocity"] = np.linspace(-3, 3, 300)
    here: ox.DeviceBuffer[Particle] = ox.DeviceBuffer.from_host(stream, host)
    there = ox.DeviceBuffer.zeros(stream, len(host), Particle)
    energy = float(np.sum(host["velocity"].astype(np.float64) ** 2))
    for _ in range(40):
        step.launch(stream, here, Box(width=1.0, dt=0.01), there)
        here, there = there, here
    moved = here.to_host(stream)
    assert moved["position"].min() >= 0 and moved["position"].max() <= 1
    np.testing.assert_allclose(np.sum(moved["velocity"].astype(np.float64) ** 2), energy, rtol=1e-6)
    print("PASSED: 300 particles stayed in the box and kept their energy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
