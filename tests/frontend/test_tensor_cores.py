"""Fragments read from arrays and written to them, places of accumulators, tiles and descriptors: what comes out, what is refused."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
from frontend.running import refused, run

import oxidepy as ox
from oxidepy import (
    D2,
    DisjointSlice,
    Runtime2D,
    Slice,
    SliceMut,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    kernel,
    launch_contract,
    mma,
    shared,
    thread,
    u8,
    u32,
    u64,
    unroll,
    unsafe,
    wgmma,
)


def matmul(name: str, a_type: Any, sums: Any, m: int, k: int, out_type: Any = None) -> Any:
    """One warp multiplies an m × 2k matrix by a 2k × 8 one, B turned in memory."""
    multiply: Any = mma
    for part in name.split("."):
        multiply = getattr(multiply, part)
    OUT = out_type or sums
    P: Any = enum.Enum("P", {"K": k, "TWO": 2})
    SHAPE = f"m{m}n8k{k}"

    @kernel
    @launch_contract(domain=1, block=(32, 1, 1))
    def one(a: Slice[a_type, D2], b: Slice[a_type, D2], turned: Slice[a_type, D2], c: SliceMut[OUT, D2]) -> None:  # type: ignore[valid-type]
        acc = mma.zeros(SHAPE, sums)
        left = mma.load_a(a, (0, 0), SHAPE)
        acc = multiply(left, mma.load_b(b, (0, 0), SHAPE), acc)
        left = mma.load_a(a, (0, P.K), SHAPE)
        acc = multiply(left, mma.load_b(turned, (0, P.K), SHAPE, trans=True), acc)
        mma.store(c, (0, 0), acc)

    return one


@kernel
@launch_contract(domain=2, block=(32, 1, 1))
def exclusive(c: DisjointSlice[f32, Runtime2D]) -> None:
    mma.store(c, (0, 0), mma.zeros("m16n8k16"))


def test_a_tile_of_sums_is_no_element_of_one_thread() -> None:
    found = refused(exclusive)
    assert (found.code, "annotate `c` as `SliceMut`" in (found.help or "")) == ("OX0308", True)


CASES = [
    ("m16n8k16.f32.f16", f16, f32, 16, 16, None, np.float16),
    ("m16n8k16.f16.f16", f16, f16, 16, 16, f16, np.float16),
    ("m16n8k8.f32.f16", f16, f32, 16, 8, None, np.float16),
    ("m16n8k8.f32.tf32", f32, f32, 16, 8, None, np.float32),
    ("m16n8k32.i32.i8", i8, i32, 16, 32, None, np.int8),
    ("m16n8k16.i32.u8", u8, i32, 16, 16, None, np.uint8),
    ("m8n8k4.f64.f64", f64, f64, 8, 4, None, np.float64),
    ("m16n8k16.f64.f64", f64, f64, 16, 16, None, np.float64),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_fragments_come_from_arrays_and_go_there(case: Any) -> None:
    name, a_type, sums, m, k, out_type, dtype = case
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, (m, 2 * k)).astype(dtype), rng.integers(0, 4, (2 * k, 8)).astype(dtype)
    out = np.zeros((m, 8), (out_type or sums).dtype)
    assert run(matmul(name, a_type, sums, m, k, out_type), a, b, np.ascontiguousarray(b.T), out) is None
    assert np.array_equal(out.astype(np.float64), a.astype(np.float64) @ b.astype(np.float64))


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def packed_words(a: Slice[u32, D2], b: Slice[u32, D2], c: SliceMut[i32, D2]) -> None:
    left = mma.load_a(a, (0, 0), "m16n8k64", bits=4)
    right = mma.load_b(b, (0, 0), "m16n8k64", bits=4, trans=True)
    mma.store(c, (0, 0), mma.m16n8k64.i32.u4(left, right, mma.zeros("m16n8k64", i32)))


def test_words_hold_the_smaller_elements() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 16, (16, 64)), rng.integers(0, 16, (8, 64))
    words = [np.bitwise_or.reduce((one.reshape(len(one), 8, 8) << np.arange(0, 32, 4)).astype(np.uint32), axis=2) for one in (a, b)]
    out = np.zeros((16, 8), np.int32)
    assert run(packed_words, words[0], words[1], out) is None
    assert np.array_equal(out, a @ b.T)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def places(y: SliceMut[i32, D2], z: SliceMut[i32, D2]) -> None:
    t = thread.idx.x
    for i in unroll(range(4)):
        y[t, 2 * i] = mma.row(i)
        y[t, 2 * i + 1] = mma.col(i)
        z[t, 2 * i] = wgmma.row(i + 8)
        z[t, 2 * i + 1] = wgmma.col(i + 8)


def test_an_accumulator_says_where_it_lies() -> None:
    y, z = np.zeros((256, 8), np.int32), np.zeros((256, 8), np.int32)
    assert run(places, y, z) is None
    assert y[37].tolist() == [1, 2, 1, 3, 9, 2, 9, 3]  # lane 5
    assert z[37].tolist() == [17, 18, 17, 19, 25, 18, 25, 19]  # of warp 1
    assert z[128 + 37].tolist() == z[37].tolist()


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def descriptors(y: SliceMut[u64]) -> None:
    s = shared.array(bf16, 64 * 64, align=1024)
    tile = shared.array(u8, 4096, align=1024)
    y[0] = wgmma.tile(s, (0, 16), 64)
    y[1] = wgmma.tile(s, (16, 0), 64, swizzle=64, trans=True)
    y[2] = wgmma.tile(tile, (8, 16), 32, swizzle=0, start=1024)
    y[3] = wgmma.descriptor(u32(4096), leading=256, stride=512, swizzle=32)


def test_descriptors_hold_address_distances_and_swizzle() -> None:
    out = np.zeros(4, np.uint64)
    assert run(descriptors, out) is None
    found = [(one & 0x3FFF, one >> 16 & 0x3FFF, one >> 32 & 0x3FFF, one >> 62) for one in out.tolist()]
    first, second = found[0][0] * 16 - 32, found[2][0] * 16 - 1024 - 512 - 128
    assert first % 1024 == second % 1024 == 0 and first != second
    assert found[0] == ((first + 32) // 16, 1, 64, 1)
    assert found[1] == ((first + 16 * 64) // 16, 64 * 64 // 16, 32, 2)
    assert found[2] == ((second + 1024 + 512 + 128) // 16, 32, 8, 0)
    assert found[3] == (256, 16, 32, 3)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def tiles(y: SliceMut[i32]) -> None:
    s = shared.array(f16, 64 * 128, align=1024)
    y[0] = wgmma.index(s, (3, 17), 64)
    y[1] = wgmma.index(s, (3, 64), 64, start=8)
    y[2] = wgmma.index(s, (3, 17), 64, swizzle=32)
    y[3] = wgmma.index(s, (3, 17), 64, swizzle=0)


def test_an_element_of_a_tile_has_its_place() -> None:
    out = np.zeros(4, np.int32)
    assert run(tiles, out) is None
    # line 3 of 128 bytes, piece 2 exclusive-or 3; the second column of lines; 32-byte lines: the second column, piece 0 ^ 0; plain
    assert out.tolist() == [3 * 64 + (2 ^ 3) * 8 + 1, 64 * 64 + 3 * 64 + 3 * 8 + 8, 64 * 16 + 3 * 16 + 1, 2 * 64 * 8 + 3 * 8 + 1]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def unaligned(y: SliceMut[u64]) -> None:
    s = shared.array(f16, 4096)
    y[0] = wgmma.tile(s, (0, 0), 64)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_shape(x: Slice[f16, D2]) -> None:
    mma.load_a(x, (0, 0), "16x8x16")


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def other_shape(x: Slice[f64, D2]) -> None:
    mma.load_a(x, (0, 0), "m16n8k6")


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_bits(x: Slice[u32, D2]) -> None:
    mma.load_a(x, (0, 0), "m16n8k64")


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_corner(x: Slice[f16, D2]) -> None:
    mma.load_a(x, 0, "m16n8k16")


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def one_axis(x: Slice[f16]) -> None:
    mma.load_a(x, (0, 0), "m16n8k16")


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def fifth(y: SliceMut[i32]) -> None:
    y[0] = mma.row(4)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_columns(y: SliceMut[i32]) -> None:
    wgmma.zeros(12)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_sums(y: SliceMut[i32]) -> None:
    with unsafe("a test"):
        wgmma.wait_group(0, y)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def wrong_scale(a: u64) -> None:
    with unsafe("a test"):
        wgmma.m64n8k16.f32.f16(a, a, wgmma.zeros(8), scale_a=2)


@pytest.mark.parametrize(
    ("place", "rows", "message"),
    [
        ((0, 3), 64, "a matrix of `wgmma.tile` begins at element 3 of its lines"),
        ((4, 0), 64, "a matrix of `wgmma.tile` begins at line 4"),
        ((0, 0), 60, "a tile of `wgmma.tile` has 60 lines"),
    ],
)
def test_a_matrix_begins_at_whole_pieces(place: tuple[int, int], rows: int, message: str) -> None:
    P: Any = enum.Enum("P", {"ROW": place[0], "COLUMN": place[1], "ROWS": rows})

    @kernel
    @launch_contract(domain=1, block=(128, 1, 1))
    def one(y: SliceMut[u64]) -> None:
        s = shared.array(f16, 64 * 64, align=1024)
        y[0] = wgmma.tile(s, (P.ROW, P.COLUMN), P.ROWS)

    found = refused(one)
    assert (found.code, found.message) == ("OX0308", message) and "multiple of 8" in (found.help or "")


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def changed_about(x: Slice[f16, D2]) -> None:
    a, b = mma.load_a(x, (0, 0), "m16n8k16"), mma.load_b(x, (0, 0), "m16n8k16")
    mma.m16n8k16.f32.f16(b, a, mma.zeros("m16n8k16"))  # pyright: ignore


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def too_wide(x: Slice[f32, D2], y: Slice[f16, D2]) -> None:
    a, b = mma.load_a(y, (0, 0), "m16n8k16"), mma.load_b(x, (0, 0), "m16n8k16")
    mma.m16n8k16.f32.f16(a, b, mma.zeros("m16n8k16"))  # pyright: ignore


def test_where_a_fragment_comes_from_is_told() -> None:
    wanted = '`mma.load_{}(array, (row, column), "m16n8k16")` gives one, of an array of `f16`'
    assert refused(changed_about).help == wanted.format("a")
    assert refused(too_wide).help == wanted.format("b")


def test_wrong_arguments_are_named() -> None:
    wanted = [
        (unaligned, "OX0308", "`s` is aligned to 16 bytes, and a swizzle of 128 rests on 1024"),
        (no_shape, "OX0308", 'a shape is a text such as "m16n8k16", and this is "16x8x16"'),
        (other_shape, "OX0308", "no fragment of `f64` has the shape m16n8k6"),
        (no_bits, "OX0308", "`mma.load_a` of packed words lacks `bits`"),
        (no_corner, "OX0308", "mismatched types: `mma.load_a` takes a row and a column, and this is the literal `0`"),
        (one_axis, "OX0308", "mismatched types: `mma.load_a` takes an array of two axes, and this is a `Slice`"),
        (fifth, "OX0308", "the number of an accumulator is from 0 to 3, known at compile time"),
        (no_columns, "OX0308", "a product has from 8 to 256 columns in steps of 8, not 12"),
        (no_sums, "OX0308", "mismatched types: `wgmma.wait_group` hands accumulators on, and this is a `SliceMut`"),
        (wrong_scale, "OX0308", "`scale_a` of `wgmma.m64n8k16.f32.f16` is 2"),
    ]
    for one, code, message in wanted:
        found = refused(one)
        assert (found.code, found.message) == (code, message)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def outside(a: Slice[f16, D2], c: SliceMut[f32, D2]) -> None:
    left = mma.load_a(a, (0, 0), "m16n8k16")
    mma.store(c, (0, 0), mma.m16n8k16.f32.f16(left, (left[0], left[1]), mma.zeros("m16n8k16")))


def test_a_fragment_that_reaches_outside_panics() -> None:
    panic = run(outside, np.zeros((15, 16), np.float16), np.zeros((16, 8), np.float32))
    assert panic is not None
    assert (panic.site.attrs["code"], panic.index, panic.length) == ("OX7001", 15, 15)


@kernel
@launch_contract(domain=2, block=(32, 4, 1))
def blocks_of_a_matrix(a: Slice[f16, D2], b: Slice[f16, D2], c: SliceMut[f32, D2]) -> None:
    row = ox.block.idx.y * 32 + ox.warp.id // 2 * 16
    col = ox.block.idx.x * 16 + ox.warp.id % 2 * 8
    acc = mma.zeros("m16n8k16")
    for k in range(0, a.shape[1], 16):
        acc = mma.m16n8k16.f32.f16(mma.load_a(a, (row, k), "m16n8k16"), mma.load_b(b, (k, col), "m16n8k16"), acc)
    mma.store(c, (row, col), acc)


def test_a_product_of_fragments_is_proven_free_of_races() -> None:
    from oxidepy.analysis.races import prove
    from oxidepy.frontend.lower import lower
    from oxidepy.lang.definition import Specialisation
    from oxidepy.settings.options import CodegenOptions

    proof = prove(lower(blocks_of_a_matrix.definition, Specialisation(), CodegenOptions()).module)
    assert proof.diagnostics == ()
    assert proof.pairs > 0


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def under_way(c: SliceMut[f32, D2], n: i32) -> None:
    left = shared.array(f16, 64 * 64, align=1024)
    right = shared.array(f16, 128 * 64, align=1024)
    with unsafe("a test of the code alone"):
        acc = wgmma.zeros(128)
        for _ in range(n):
            wgmma.fence()
            for k in unroll(range(0, 64, 16)):
                acc = wgmma.m64n128k16.f32.f16(wgmma.tile(left, (0, k), 64), wgmma.tile(right, (0, k), 128), acc)
            wgmma.commit_group()
            wgmma.wait_group(1)
        acc = wgmma.wait_group(0, acc)
        c[wgmma.row(0), wgmma.col(0)] = acc[0] + acc[63]


def test_products_in_a_loop_stay_under_way() -> None:
    """Sums that a loop carries keep their registers: ptxas neither waits for each product nor spills."""
    from backend.assembler import assemble
    from frontend.running import lowered

    from oxidepy.backend import nvptx
    from oxidepy.backend.targets import nvptx_target
    from oxidepy.settings.options import CodegenOptions

    said = assemble(nvptx.emit(lowered(under_way), nvptx_target("sm_90a"), CodegenOptions()).code.decode(), "sm_90a")
    assert "serialized" not in said
    assert "0 bytes spill stores" in said


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def four_at_once(c: SliceMut[f32]) -> None:
    """The product of the unit matrices of 4 × 4 above nothing: ones on the diagonal of each upper left quarter."""
    t = thread.idx.x
    i, high = t % 4, t // 16
    ones = (u32(0x3C00), u32(0)) if i == 0 else (u32(0x3C000000), u32(0)) if i == 1 else (u32(0), u32(0x3C00))
    own = (u32(0), u32(0)) if high == 1 else ones if i < 3 else (u32(0), u32(0x3C000000))
    acc = mma.m8n8k4.f32.f16(own, own, mma.zeros("m8n8k4"), a_order="row")
    for number in unroll(range(8)):
        if thread.index_1d().get() < 32:
            c[t * 8 + number] = acc[number]


def test_the_oldest_shape_is_four_products() -> None:
    out = np.zeros(256, np.float32)
    assert run(four_at_once, out) is None
    found = {(lane, number) for lane, number in zip(*np.nonzero(out.reshape(32, 8)), strict=True)}
    # row (lane & 1) + (number & 2) is column (lane & 2) + (number & 1) + (number & 4)
    assert found == {(4 * q + lane, number) for q in range(4) for lane, number in ((0, 0), (1, 1), (2, 2), (3, 3))}
    assert out.sum() == 16
    assert "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32" in four_at_once.ptx("sm_75")
    with pytest.raises(ox.CompileError, match=r"`mma.m8n8k4.f32.f16` needs a CUDA device or `interp`"):
        four_at_once.prepare(ox.Context("cpu"), 32)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def odd_row(y: SliceMut[u32]) -> None:
    s = shared.array(f16, (16, 16))
    with unsafe("to be refused"):
        y[0] = mma.ldmatrix_x1(s, (1, 1))


def test_a_row_of_a_matrix_begins_at_multiples_of_16_bytes() -> None:
    found = refused(odd_row)
    assert (found.code, found.message) == ("OX0308", "byte 34 of `s`, where `mma.ldmatrix_x1` takes multiples of 16")
