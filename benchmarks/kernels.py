"""The kernels that the benchmarks run."""

from __future__ import annotations

from oxidepy import DisjointSlice, Slice, f32, i32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def vecadd(a: Slice[f32], b: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + b[idx]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def saxpy(alpha: f32, x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = alpha * x[idx] + y[idx]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def mandelbrot(re: Slice[f32], im: Slice[f32], count: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in count:
        cr = re[idx]
        ci = im[idx]
        zr = f32(0)
        zi = f32(0)
        n = i32(0)
        for _ in range(200):
            if zr * zr + zi * zi > 4.0:
                break
            t = zr * zr - zi * zi + cr
            zi = 2.0 * zr * zi + ci
            zr = t
            n += 1
        count[idx] = n
