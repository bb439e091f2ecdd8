"""Kernels and launches of many kinds that pyright (strict) and mypy (--strict) take without a word. Read by checkers only, never run."""

from __future__ import annotations

import enum
import math as standard
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import oxidepy as ox
from oxidepy import (
    D2,
    D3,
    Const,
    ConstantSlice,
    DisjointSlice,
    Index2D,
    KernelFamily,
    LaunchConfig,
    LaunchConfig1D,
    LaunchConfig2D,
    Ptr,
    Run,
    Runs,
    Runtime2D,
    Selection,
    Slice,
    SliceMut,
    ThreadIndex,
    Variant,
    Width,
    async_copy,
    atomic,
    barrier,
    bf16,
    bf16x2,
    bits,
    block,
    clc,
    cluster,
    cluster_launch,
    cooperative_launch,
    debug,
    export,
    extern,
    f16,
    f16x2,
    f32,
    f64,
    fence,
    grid,
    i8,
    i32,
    i64,
    kernel,
    launch_bounds,
    launch_contract,
    local,
    math,
    mma,
    ptx,
    random,
    require,
    shared,
    static_assert,
    struct,
    swizzle,
    tcgen05,
    thread,
    tma,
    u8,
    u32,
    u64,
    unroll,
    unsafe,
    volatile,
    warp,
    wgmma,
)

T = TypeVar("T", f32, i32)
Image = Slice[f32, D2]


@struct
@dataclass(frozen=True)
class Inner:
    scale: f32
    on: bool


@struct
@dataclass(frozen=True)
class Params:
    inner: Inner
    n: u64


def clamp(x: f32, low: f32 = 0.0, high: f32 = 1.0) -> f32:
    return min(max(x, low), high)


def split(x: f32) -> tuple[f32, i32]:
    whole = math.floor(x)
    return x - whole, i32(whole)


def clamp_own(y: DisjointSlice[f32], idx: ThreadIndex) -> None:
    if idx in y:
        y[idx] = clamp(y[idx], high=2)


@kernel
def bare(y: DisjointSlice[f32]) -> None:
    for idx in thread.grid_stride(y):
        clamp_own(y, idx)


@kernel(unsafe="it is a test", max_registers=64, name="other")
@launch_bounds(128, min_blocks=2)
@launch_contract(domain=1, block=(128, 1, 1), coordinates=i64, min_compute_capability=(9, 0))
@cooperative_launch
def scalars(
    x: Slice[f64], k: ConstantSlice[u8], y: DisjointSlice[f64], h: SliceMut[f16], b: SliceMut[bf16], p: Params, size: Const[int]
) -> None:
    require(len(x) == len(y), len(k) >= 8)
    static_assert(size > 2, "too small")
    idx = thread.index_1d()
    if idx not in y:
        return
    v = x[idx] * 2 + 0.5
    v = -v if v < 0 else abs(v)
    big = u64(1) << 40 | p.n
    byte = k[i32(big % 8)]
    word = u32(byte) ^ bits.popcount(u32(7))
    small = i8(word & 3)
    if p.inner.on and standard.isfinite(p.inner.scale):
        v += f64(p.inner.scale)
    h[0] = f16(v) + 1.5
    b[0] = bf16(h[0])
    y[idx] = math.sqrt(v) + f64(small) + math.fma(v, v, v)
    fraction, whole = split(f32(v))
    y[idx] += f64(fraction) * f64(whole)
    with unsafe("this thread owns the element"):
        y[idx] = 0
    r0, _, _, _ = random.philox((1, 2), (u32(idx.get()), 0, 0, 0))
    h[1] = f16(math.fast.exp(f32(r0))) + math.fast.tanh(f16(r0))


def element(p: Ptr[f32], n: i64) -> f32:
    return p[n]


@kernel(unsafe="the launch sees to it")
def pointers(p: Ptr[f32], h: Ptr[f16], s: Ptr[Params], x: Slice[f32], y: SliceMut[f32], c: DisjointSlice[f32], n: i32) -> None:
    i = thread.index_1d()
    q: Ptr[f32] = p + i.get()
    q += u64(2)
    away: i64 = (1 + q) - p
    q[i] = p[-1] * 2 + element(q - 2, away)
    q[away] = 1
    h[0] = h[1] + 0.5
    s[n] = Params(s[0].inner, s[1].n)
    run = thread.index_run(2)
    p[run] = (x.ptr()[run][0], 1.0)
    if q < p or q == p or q >= p:
        atomic.add(p, n, 1.0)
        volatile.store(p, 0, volatile.load(x.ptr() + 1, 0))
    grid: Slice[f32, D2] = Slice.from_ptr(p, (n, 4))
    mine = DisjointSlice.from_ptr(c.ptr(), n)
    p.cast(u8)[3] = p.cast(u32).cast(u8)[i.get()] + 1
    s[0] = p.cast(Params)[1]
    if i in mine:
        mine[i] = grid[0, 1] + SliceMut.from_ptr(y.ptr() + 3, n)[2] + shared.array(f32, 4).ptr()[0]


class Edge(enum.IntEnum):
    CLAMP = 0
    WRAP = 1


@struct
@dataclass(frozen=True)
class Filter:
    edge: Edge
    weights: tuple[f32, f32, f32]


@kernel
def smooth(p: Filter, edge: Edge, x: SliceMut[Filter], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        k = 2 if p.edge == Edge.WRAP or edge != x[0].edge else 1
        y[idx] = p.weights[k] * x[0].weights[0]
        x[1] = Filter(Edge.CLAMP, (1.0, p.weights[0], y[idx]))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def numbers(x: Slice[f32], d: Slice[f64], n: Slice[i32], u: Slice[u32], y: SliceMut[f32], z: SliceMut[f64], w: SliceMut[u32]) -> None:
    i = thread.index_1d().get()
    a, b, k, m = x[i], d[i], n[i], u[i]
    mantissa, exponent = math.frexp(a)
    fraction, whole = math.modf(b)
    sine, cosine = math.sincospi(a)
    y[i] = math.add_rz(a, 1.0) + math.ldexp(mantissa, exponent) + math.fast.sin(a) + sine * cosine + math.norm3d(a, a, 1.0)
    z[i] = math.fma_rd(b, b, f64(2.0)) + math.nextafter(fraction, whole) + math.rcp_ru(b)
    first, _, _, _ = random.normal((m, 1), (u32(i), 0, 0, 0))
    second, _ = random.uniform_f64((m, 1), (u32(i), 0, 0, 0))
    y[i] += first
    z[i] += second
    low, carry = bits.add_carry(m, m, False)
    high, _ = bits.sub_borrow(m, low, carry)
    a8, b8, _, _ = bits.unpack(u8, k)
    m ^= bits.pack(a8, b8, b8, a8)
    k = bits.dp4a(k, m, bits.sad(k, 3, bits.add_sat(k, 1))) + bits.ffs(m)
    high = bits.dp2a_low(m, m, high) ^ bits.byte_permute(m, low, 1, mode="rc8")
    w[i] = high ^ warp.lanemask_lt ^ warp.reduce_or(m) ^ thread.smid() ^ u32(warp.scan_max(k, exclusive=True))
    if warp.match_all(k) and math.signbit(a):
        w[i] = u32(math.ilogb(a))


@kernel
def halves(x: Slice[f16x2], y: DisjointSlice[f16x2], z: SliceMut[bf16x2], s: f16, step: f16x2) -> None:
    idx = thread.index_1d()
    if idx not in y:
        return
    a = x[idx]
    b = a * step + a - 1.5
    b += s * abs(-a)
    y[idx] = max(min(a, b), math.fma(a, b, step)) + warp.shuffle_xor(b, 1)
    old = atomic.add(z, 0, bf16x2(1.0, bf16(a.x)))
    z[1] = bits.cast(bf16x2, bits.cast(u32, old) ^ u32(1))
    z[2] = bf16x2(y=old.x + old.y, x=0.5)


def put(out: DisjointSlice[f32, Runtime2D], at: ThreadIndex[Runtime2D], value: f32) -> None:
    if at in out:
        out[at] = value


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def tiles(image: Image, out: DisjointSlice[f32, Runtime2D], fixed: Annotated[DisjointSlice[f32, Index2D], Width(64)]) -> None:
    rows, columns = image.shape
    staged = shared.array(f32, (32, 33))
    mine = local.array(i32, 4)
    for k in unroll(range(4)):
        mine[k] = k
    at = thread.index_2d_runtime(out)
    x, y = thread.idx.x, thread.idx.y
    staged[y, x] = image[at.row, at.col] if at.row < rows and at.col < columns else f32(0)
    block.sync()
    put(out, at, staged[x, y] + mine[3])
    where = thread.index_2d(64)
    if (cell := fixed.get_mut(where)) is not None:
        cell.value += 1


@struct
@dataclass(frozen=True)
class Slot:
    count: u32
    best: f32


@kernel
def together(x: Slice[i32], bins: SliceMut[u32], sums: SliceMut[i32], slots: SliceMut[Slot]) -> None:
    i = thread.index_1d().get()
    v = x[i] if i < len(x) else 0
    total = block.reduce_sum(v)
    for step in unroll((1, 2, 4)):
        v += warp.shuffle_down(v, step)
    if warp.any(v > 0) and warp.ballot(v > 3) != 0:
        old = atomic.add(bins, v, u32(1), scope="block")
        old += atomic.add(slots[v].count, u32(1)) + atomic.load(slots[v].count, order="acquire")
        assert_type(atomic.compare_exchange(slots[v].best, 0.5, 1.5, scope="block"), f32)
        atomic.store(slots[v].best, 2.5)
        atomic.max(bins, i32(old), 3, order="acq_rel")
    fence("block")
    if thread.idx.x == 0:
        sums[block.idx.x] = total + warp.active.reduce_max(v)
    i += grid.size
    assert_type(
        (warp.ballot(v > 0), warp.tiled_partition(8).tiled_partition(4).shuffle(f64(1), 0), block.count(v > 1)), tuple[u32, f64, i32]
    )
    assert_type((warp.match_any(v), warp.lane, warp.id, grid.dim.x, thread.gridid()), tuple[u32, i32, i32, i32, u64])
    slot = Slot(u32(v), f32(v))
    assert_type(block.reduce(slot, lambda a, b: a if a.best >= b.best else b), Slot)
    assert_type((warp.scan(v, max, 0, exclusive=True), warp.active.reduce(v, lambda a, b: a ^ b)), tuple[i32, i32])
    assert_type((atomic.exchange(slots, 0, slot), atomic.load(slots, 1), block.scan_sum(v, True)), tuple[Slot, Slot, i32])
    warp.sync(mask=u32(3))


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(128, 1, 1))
def hardware(
    x: Slice[f32], y: SliceMut[f32], m: tma.TensorMap[f32, D2], z: tma.TensorMapMut[f32], images: tma.Im2colMap[f32, tma.D4]
) -> None:
    s = shared.array(f32, 512)
    bars = barrier.array(2)
    t = thread.idx.x
    with unsafe("the barriers order it"):
        if t == 0:
            barrier.init(bars, 0, 128)
            barrier.fence_init()
        cluster.sync()
        async_copy.copy(s, t * 4, x, t * 4, cache="cg", valid=min(4, len(x)))
        async_copy.copy(s, t * 4, x, t * 4, count=1)
        async_copy.commit()
        async_copy.wait(1)
        async_copy.arrive(bars, 0)
        token = barrier.arrive(bars, 0)
        barrier.wait(bars, 0, token)
        if not barrier.test_wait_parity(bars, 0, u32(1)) and t == cluster.idx.x + cluster.dim.x:
            barrier.arrive_expect_tx(cluster.map_shared(bars, (cluster.rank + 1) % cluster.size), 0, 16)
        y[t] = cluster.map_shared(s, 0)[t] + 1
        tma.load(s, 0, m, (t, 0), bars, 0, blocks=3)
        tma.load(s, 0, z, t, bars, 0)
        tma.load(s, 0, images, (0, 0, t, 0), bars, 0, offsets=(0, 1))
        tma.store(z, 0, s, 0)
        tma.reduce(z, 0, s, 0, operation="add")
        tma.copy(s, 0, x, 0, 128, bars, 0)
        tma.copy(y, 0, s, 0, 128)
        tma.commit()
        tma.wait(1)
    cluster.arrive()
    cluster.wait()


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def mapped(f: Callable[[T], T], x: Slice[T], y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])


def weighted(run: Run, x: Slice[f32], k: i32) -> f32:
    return x[run, k] * 0.5 + x[run][0]


@kernel
def neighbours(x: Slice[f32], m: SliceMut[f32], y: Annotated[DisjointSlice[f32, Runs], Width(4)]) -> None:
    run = thread.index_run(4)
    if run in y and run in x:
        y[run, 0] = weighted(run, x, 1) + f32(run.start) + len(run)
        y[run, 1] += 1
        a, b, c, d = y[run]
        y[run] = (a, b, c, d * 2)
        m[run] = (a, b, c, d)
    for idx in run.clip(y):
        y[idx] = x[idx]
    for own in thread.grid_stride(y):
        if own in y:
            y[own, 2] = 2


@kernel
def told(x: Slice[f32], y: DisjointSlice[f32], n: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        before: u64 = debug.clock()
        print("value", x[idx], f"{n=} {x[idx]:.3f}", sep=", ", end="\n")
        assert x[idx] >= 0, f"item {idx.get()} is {x[idx]}"
        with unsafe("registers only"):
            total: f32 = ptx("add.f32 {out}, {0}, {1};", x[idx], 2.0, result=f32)
            low, _ = ptx("mov.b64 {{{out0}, {out1}}}, {0};", before, result=(u32, u32), pure=True)
            ptx("membar.gl;", isa=(7, 4))
        y[idx] = total + f32(low)
        volatile.store(y, idx, volatile.load(x, idx))
        for k in unroll(range(n), 4):
            y[idx] += x[k]
        debug.breakpoint()
        debug.prof_trigger(2)
        if n < 0:
            debug.trap()


ORDER = swizzle.xor(5, base=0, shift=5)


@kernel
def swizzled(m: SliceMut[f32], n: i32, wide: i64) -> None:
    static_assert(ORDER.conflict_degree(32, size=4) == 1, "conflicts")
    table = shared.dynamic(f32, count=(n, 33))
    table[0, 1] = shared.dynamic(f32, count=n)[n - 1 :][0]
    m[ORDER.apply(n)] = m[ORDER.undo(wide)] + f32(swizzle.bank_of(n))


def total(values: Slice[f32]) -> f32:
    found = f32(0)
    for value in values:
        found += value
    return found


@kernel
def viewed(a: Slice[f32, D2], v: ConstantSlice[f32, D3], m: SliceMut[f32, D2], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    tile = a.tile(0, idx.get(), (16, 8))
    if idx in y:
        y[idx] = total(a.row(0)) + a.col(i64(1))[2] + total(tile.row(1)[2:5:2]) + v.plane(0).row(1)[0]
        for k, (p, q) in enumerate(zip(a.row(0), a.col(0), strict=True)):
            y[idx] += p * q * f32(k)
    m.row(1)[2:][0] = 2
    m.tile(0, 0, (2, 2))[0, 1] = 0.5


FAMILY: KernelFamily[int] = KernelFamily("bare", [Variant("only", bare, when=lambda n: n > 3)], revision=2)


class Holder:
    @kernel
    @staticmethod
    def inside(y: DisjointSlice[f32]) -> None: ...


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def tensor_cores(a: Slice[f16, D2], c: SliceMut[f32, D2], out: SliceMut[u32]) -> None:
    acc = mma.zeros("m16n8k16", f32)
    left, right = mma.load_a(a, (0, 0), "m16n8k16"), mma.load_b(a, (0, 0), "m16n8k16", trans=True)
    acc = mma.m16n8k16.f32.f16(left, right, acc)
    assert_type(mma.m16n8k16.f32.f16(left, right, acc), tuple[f32, f32, f32, f32])
    assert_type(mma.m16n8k16.i32.i8.u8.sat((u32(1), 2), 3, (0, 0, 0, 0)), tuple[i32, i32, i32, i32])
    mma.store(c, (mma.row(0), mma.col(1)), acc)
    s = shared.array(f16, 64 * 64, align=1024)
    s[wgmma.index(s, (0, 1), 64)] = a[0, 0]
    with unsafe("one thread writes, and this is only read by checkers"):
        wgmma.fence()
        sums = wgmma.m64n64k16.f32.f16(wgmma.tile(s, (0, 0), 64), wgmma.tile(s, (0, 16), 64, swizzle=128), wgmma.zeros(64))
        wgmma.commit_group()
        sums = wgmma.wait_group(0, sums)
        wgmma.store(c, (0, 0), sums)
        words = mma.ldmatrix_x4(s, (8, 0))
        assert_type(words, tuple[u32, u32, u32, u32])
        mma.stmatrix_x4_trans(s, 0, words)
        bars = barrier.array()
        clc.try_cancel_multicast(s, 0, bars, 0)
        assert_type((clc.is_canceled(s, 0), clc.first_block_x(s, 0)), tuple[bool, u32])
        assert_type(tcgen05.ld_32x32b_x2(shared.address(s, 0)), tuple[u32, u32])
        tcgen05.mma_f16(out[0], wgmma.tile(s, (0, 0), 64), 0, 1, accumulate=False, group=2)
        out[0] = tcgen05.how(a="f16", b="f16", sums="f32", m=128, n=64, trans_b=True)


class Border(enum.Enum):
    CLAMP = 1
    WRAP = 2


@kernel
def chosen_by(
    y: DisjointSlice[f32],
    borders: Slice[Border],
    edge: Border,
    inner: Inner,
    policy: Const[Border],
    word: Const[str],
    sizes: Const[tuple[int, ...]],
    named: Const[bool],
) -> None:
    idx = thread.index_1d()
    if idx in y:
        match inner, edge:
            case Inner(0.0 as scale, on=True), Border.CLAMP | Border.WRAP:
                y[idx] = scale
            case Inner(scale), _ if scale > 1.0:
                y[idx] = scale + sizes[0]
            case _:
                y[idx] = 2.0 if policy is Border.WRAP and named else 1.0
        own = shared.array(Border, 4)
        own[0] = borders[idx]
        if own[0] is Border.WRAP:
            y[idx] += 1.0
        print(edge, edge.name, edge.value, f"{edge!r} {word:>8}")


def host(array: NDArray[np.float32], bytes_: NDArray[np.uint8]) -> NDArray[Any]:
    ctx = ox.Context("cpu")
    stream = ctx.new_stream()
    x = ox.DeviceBuffer.from_host(stream, array)
    wide = ox.DeviceBuffer.zeros(stream, (4, 4), f64)
    same = ox.DeviceBuffer.zeros(stream, len(array), x.dtype)
    dtyped = ox.DeviceBuffer.empty(stream, 16, np.float32)
    constants = ox.DeviceBuffer.from_host(stream, bytes_)
    half = ox.DeviceBuffer.zeros(stream, 2, f16)
    brain = ox.DeviceBuffer.empty_like(stream, ox.DeviceBuffer.zeros(stream, 2, bf16))
    structs = ox.DeviceBuffer.zeros(stream, 4, Params)
    copied: ox.DeviceBuffer[Params] = ox.DeviceBuffer.from_host(stream, np.zeros(4, dtype=[("scale", "f4"), ("limit", "f4")]))
    structs.copy_from(stream, copied)
    pixels = tma.im2col_map(x, (16, 4), shape=(1, 4, 4, 4), upper=(-1, 0))
    hardware.prepare(ctx, 128)(stream, x, same, tma.tensor_map(x, (4, 4), shape=(4, 4)), tma.tensor_map(same, 64, fill="nan"), pixels)
    bare.launch(stream, x)
    bare.prepare(ctx, 1024)(stream, same[2:10])
    bare.launch(stream, dtyped)
    chosen: Selection[int] = FAMILY.select(7, context=ctx)
    chosen.launch(stream, dtyped)
    mapped.launch(stream, lambda v: v + 1, x, x[0:4])
    tiles.prepare(ctx, LaunchConfig2D.for_shape(4, 4, block=(32, 8)))(stream, x, x, x)
    params = Params(Inner(scale=2, on=True), u64(3))
    pointers.prepare(ctx, 16)(stream, same, half, structs, x, same[4:], x, 3)
    with unsafe("the grid is one block"):
        scalars.launch_unchecked(stream, LaunchConfig(grid=(1, 1, 1), block=(128, 1, 1)), wide, constants, wide, half, brain, params, 3)
    chosen_by.launch(stream, x, ox.DeviceBuffer.zeros(stream, 4, Border), Border.WRAP, params.inner, Border.CLAMP, "fast", (1, 2), True)
    Holder.inside.launch(stream, y=x)
    grid_x: int = LaunchConfig1D.for_num_elems(ox.cdiv(10, 3), block=ox.next_power_of_2(100)).grid
    stream.synchronize()
    try:
        return x.to_host(stream) + grid_x + len(structs)
    except ox.DevicePanic as panic:
        raise SystemExit(f"{panic.code} {panic.line} {panic.block}") from panic
    except ox.CompileError as error:
        raise SystemExit(len(error.diagnostics)) from error


def added(v: Slice[f32]) -> f32:
    total: f32 = 0.0
    for one in v:
        total += one
    return total


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def lends(x: Slice[f32], table: ConstantSlice[f32], y: SliceMut[f32]) -> None:
    s = shared.array(f32, 64)
    own = local.array(f32, (4, 8))
    i = thread.index_1d().get()
    s[thread.idx.x] = added(x) + added(table) + added(own.row(1)) + added(own.row(2)[1:])
    block.sync()
    if i < len(y):
        y[i] = added(s) + added(s[:8])


@extern("code.ptx", "more.o", symbol="length")
def foreign_length(a: f32, p: Ptr[f32]) -> f32:
    raise NotImplementedError


@export
def half_of(a: f32) -> f32:
    return a / 2.0


@export(symbol="store_at")
def stored(p: Ptr[f32], n: i32) -> None:
    with unsafe("n is inside"):
        p[n] = foreign_length(half_of(1.0), p)


def foreign_kernel(n: i32, p: Ptr[f32], q: Ptr[f64]) -> None: ...


def loaded(ctx: ox.Context, stream: ox.Stream, x: ox.DeviceBuffer[f32], y: ox.DeviceBuffer[f64]) -> ox.LoadedModule:
    module = ctx.load_module("code.cubin")
    one = module.kernel(foreign_kernel)

    @module.kernel(symbol="other")
    def other(n: i32) -> None: ...

    with unsafe("as declared"):
        one.launch_unchecked(stream, LaunchConfig(grid=(1, 1, 1), block=(32, 1, 1)), 3, x, q=y)
        other.launch_unchecked(stream, LaunchConfig(grid=(1, 1, 1), block=(32, 1, 1)), 3)
    return module
