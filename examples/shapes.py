"""Methods of `@struct` classes: one generic kernel weighs circles and boxes, and the type of its buffer says whose method is meant."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, kernel, math, struct, thread


@struct
@dataclass(frozen=True)
class Circle:
    radius: f32

    @property
    def area(self) -> f32:
        return math.pi * self.radius**2

    def scaled(self, by: f32) -> Circle:
        return Circle(self.radius * by)


@struct
@dataclass(frozen=True)
class Box:
    width: f32
    height: f32

    @property
    def area(self) -> f32:
        return self.width * self.height

    def scaled(self, by: f32) -> Box:
        return Box(self.width * by, self.height * by)


Shape = TypeVar("Shape", Circle, Box)


@kernel
def weigh(shapes: Slice[Shape], density: f32, weights: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in weights:
        weights[idx] = density * shapes[idx].scaled(2.0).area


def main() -> int:
    stream = ox.Context().default_stream()
    weights = ox.DeviceBuffer.zeros(stream, 1000, f32)
    sizes = np.random.default_rng(7).random((1000, 2), dtype=np.float32)

    circles: ox.DeviceBuffer[Circle] = ox.DeviceBuffer.from_host(stream, sizes[:, 0].copy().view([("radius", "f4")]))
    weigh.launch(stream, circles, 0.5, weights)
    np.testing.assert_allclose(weights.to_host(stream), 2 * np.pi * sizes[:, 0] ** 2, rtol=1e-5)

    boxes: ox.DeviceBuffer[Box] = ox.DeviceBuffer.from_host(stream, sizes.view([("width", "f4"), ("height", "f4")])[:, 0])
    weigh.launch(stream, boxes, 0.5, weights)
    np.testing.assert_allclose(weights.to_host(stream), 2 * sizes[:, 0] * sizes[:, 1], rtol=1e-5)
    print("PASSED: 1000 circles and 1000 boxes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
