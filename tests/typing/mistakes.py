"""What a type checker flags. A line with `# expect: A / B` breaks rule A of pyright (strict) and B of mypy (--strict); no other line any.

Read by checkers only, never run.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

import oxidepy as ox
from oxidepy import (
    D2,
    D3,
    Const,
    DisjointSlice,
    Index2D,
    LaunchConfig1D,
    Ptr,
    Runs,
    Slice,
    SliceMut,
    Width,
    barrier,
    debug,
    extern,
    f32,
    f64,
    i32,
    i64,
    kernel,
    launch_contract,
    mma,
    shared,
    tcgen05,
    thread,
    tma,
    u32,
    warp,
    wgmma,
)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def saxpy(a: f32, x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = a * x[idx] + y[idx]


@kernel
def count(x: Slice[f32], into: SliceMut[u32], most: i64) -> None:
    into[0] = u32(len(x))


# ---- launches


def launches(ctx: ox.Context, stream: ox.Stream, x: ox.DeviceBuffer[f32], d: ox.DeviceBuffer[f64], u: ox.DeviceBuffer[u32]) -> None:
    x + 1  # expect: reportOperatorIssue / operator
    x - x  # expect: reportOperatorIssue / operator
    3 + x  # expect: reportOperatorIssue / operator
    prepared = saxpy.prepare(ctx, LaunchConfig1D.for_num_elems(8, block=256))
    saxpy.launch(stream, 2.0, x, x)
    saxpy.launch(stream, a=2.0, x=x, y=x)
    prepared(stream, 2, x, x[0:4])
    count.launch(stream, x, u, i64(3))
    saxpy.launch(stream, 2.0, x)  # expect: reportCallIssue / call-arg
    saxpy.launch(stream, 2.0, x, y=x, z=x)  # expect: reportCallIssue / call-arg
    saxpy.launch(stream, 2.0, x, x, x)  # expect: reportCallIssue / call-arg
    saxpy.launch(stream, x, 2.0, x)  # expect: reportArgumentType / arg-type
    saxpy.launch(2.0, x, x)  # expect: reportCallIssue / call-arg
    prepared(stream, 2.0, x)  # expect: reportCallIssue / call-arg
    prepared(stream, 2.0, x, d)  # expect: reportArgumentType / arg-type
    saxpy.launch(stream, 2.0, d, x)  # expect: reportArgumentType / arg-type
    saxpy.launch(stream, "2", x, x)  # expect: reportArgumentType / arg-type
    count.launch(stream, x, x, i64(3))  # expect: reportArgumentType / arg-type
    count.launch(stream, x, u, 2.5)  # expect: reportArgumentType / arg-type
    saxpy.launch(stream, 2.0, np.ones(8, np.float32), x)  # expect: reportArgumentType / arg-type
    saxpy(2.0, x, x)  # expect: reportCallIssue / operator
    saxpy[1, 256](2.0, x, x)  # expect: reportIndexIssue / index
    x[0]  # expect: reportArgumentType / index
    ox.zero(8, f32)  # expect: reportAttributeAccessIssue / attr-defined


# ---- inside kernels


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def inside(
    x: Slice[f32],
    image: Slice[f32, D2],
    volume: SliceMut[f64, D3],
    y: DisjointSlice[f32],
    z: Annotated[DisjointSlice[f32, Index2D], Width(128)],
    big: DisjointSlice[i64],
    runs: Annotated[DisjointSlice[f32, Runs], Width(4)],
    n: i32,
    base: i64,
    size: Const[int],
) -> None:
    tile = shared.array(f32, (16, 16))
    idx = thread.index_1d()
    at = thread.index_2d(128)
    tile[thread.idx.y, thread.idx.x] = image[at.row, at.col] + x[at.get() + size]
    if at in z:
        z[at] = tile[0, 0] * 2
        z[at] += 1
    if idx in big:
        big[idx] = base + 3 * i64(n)
        big[idx] = 0
    x.row(0)  # expect: reportAttributeAccessIssue / misc
    image.row(0)[1] = 2.0  # expect: reportIndexIssue / index
    run = thread.index_run(4)
    runs[run] = (1.0, 2.0, 3.0, 4.0)
    runs[run] = 1.0  # expect: reportArgumentType / call-overload
    runs[idx] = 1.0  # expect: reportArgumentType / index
    y[run] = (1.0, 2.0, 3.0, 4.0)  # expect: reportArgumentType / index
    run + 1  # expect: reportOperatorIssue / operator
    volume[0, 1, 2] = 0.5
    if (cell := y.get_mut(idx)) is not None:
        cell.value = x[idx]
    idx + 1  # expect: reportOperatorIssue / operator
    x[idx + 1]  # expect: reportOperatorIssue / operator
    x[0, 1]  # expect: reportArgumentType / index
    image[0]  # expect: reportArgumentType / index
    image[0, 1, 2]  # expect: reportArgumentType / index
    volume[0, 1] = 1.0  # expect: reportArgumentType / index
    tile[0]  # expect: reportArgumentType / index
    y[at] = 1.0  # expect: reportArgumentType / index
    y[0] = 1.0  # expect: reportArgumentType / index
    z[idx] = 1.0  # expect: reportArgumentType / index
    y.get_mut(at)  # expect: reportArgumentType / arg-type
    x[0] = 1.0  # expect: reportIndexIssue / index
    big[idx] = 2.5  # expect: reportArgumentType / call-overload
    big[idx] = base + f64(1)  # expect: reportOperatorIssue / operator
    base + u32(1)  # expect: reportOperatorIssue / operator
    point = x.ptr()
    point[0] = x  # expect: reportArgumentType / call-overload
    point + 0.5  # expect: reportOperatorIssue / operator
    point + point  # expect: reportOperatorIssue / operator
    len(point)  # expect: reportArgumentType / arg-type
    Slice.from_ptr(x, 3)  # expect: reportArgumentType / call-overload
    thread.idx.w  # expect: reportAttributeAccessIssue / attr-defined


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def table(y: SliceMut[f32], x: Slice[f32]) -> None:
    bars = barrier.array(1)
    warp.shufle(1.0, 0)  # expect: reportAttributeAccessIssue / attr-defined
    warp.shuffle(1.0)  # expect: reportCallIssue / call-arg
    warp.active.id  # expect: reportAttributeAccessIssue / attr-defined
    barrier.wait(bars, 0)  # expect: reportCallIssue / call-arg
    barrier.init(y, 0, 1)  # expect: reportArgumentType / arg-type
    barrier.fence_proxy_async("local")  # expect: reportArgumentType / arg-type
    tma.wait_for(1)  # expect: reportAttributeAccessIssue / attr-defined
    mma.m16n8k17.f32.f16(1, 2, 3)  # expect: reportAttributeAccessIssue / attr-defined
    mma.m16n8k16.f32.f17  # expect: reportAttributeAccessIssue / attr-defined
    mma.m8n8k4.f64.f64(1.0, 2.0, (0.0, 0.0, 0.0))  # expect: reportArgumentType / arg-type
    wgmma.m64n64k16.f32.f16(1, 2)  # expect: reportCallIssue / call-arg
    tcgen05.ld_32x32b_x3(0)  # expect: reportAttributeAccessIssue / attr-defined
    mma.stmatrix_x1(x, 0, 1)  # expect: reportArgumentType / arg-type
    debug.clock() + 0.5  # expect: reportOperatorIssue / operator


@launch_contract(domain=1)  # expect: reportCallIssue / call-arg
def no_block() -> None: ...


@kernel  # expect: reportArgumentType / arg-type
def returns(x: Slice[f32]) -> f32:
    return x[0]


# ---- code of other compilers


@extern("code.ptx")
def foreign(a: f32, p: Ptr[f32]) -> f32:
    return a + p[0]


def loaded(module: ox.LoadedModule, stream: ox.Stream, d: ox.DeviceBuffer[f64]) -> None:
    def of_module(n: i32, p: Ptr[f32]) -> None: ...

    one = module.kernel(of_module)
    config = ox.LaunchConfig(grid=(1, 1, 1), block=(32, 1, 1))
    one.launch_unchecked(stream, config, 3)  # expect: reportCallIssue / call-arg
    one.launch_unchecked(stream, config, 3, d)  # expect: reportArgumentType / arg-type
    one.launch(stream, 3, d)  # expect: reportAttributeAccessIssue / attr-defined
    foreign("x", d)  # expect: reportArgumentType / arg-type
