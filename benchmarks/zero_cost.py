"""Times a matrix product and a stencil on the device of `oxidepy run`: a line a kernel, its name and milliseconds a launch."""

from __future__ import annotations

import simt_kernels as simt

import oxidepy as ox
from oxidepy import LaunchConfig2D, f32

SIZE, HEIGHT, LAUNCHES = 2048, 1 << 14, 20


def main() -> None:
    context = ox.Context()
    stream = context.default_stream()

    def timed(name: str, launch: object) -> None:
        assert callable(launch)
        best = float("inf")
        for _ in range(7):
            before = stream.record()
            for _ in range(LAUNCHES):
                launch()
            after = stream.record()
            stream.synchronize()
            best = min(best, after.elapsed_ms(before) / LAUNCHES)
        print(name, best)

    a, b, c = (ox.DeviceBuffer.zeros(stream, SIZE * SIZE, f32) for _ in range(3))
    product = simt.matmul.prepare(context, LaunchConfig2D.for_shape(SIZE, SIZE, block=(simt.T, simt.T)))
    timed("matmul", lambda: product(stream, a, b, c, SIZE, SIZE, SIZE))
    x, y = (ox.DeviceBuffer.zeros(stream, simt.WIDTH * HEIGHT, f32) for _ in range(2))
    blur = simt.stencil.prepare(context, LaunchConfig2D.for_shape(HEIGHT, simt.WIDTH, block=(64, 4)))
    timed("stencil", lambda: blur(stream, x, y, HEIGHT))


if __name__ == "__main__":
    main()
