"""Boxes that skip elements, and columns of pixels."""

# mypy: ignore-errors
from __future__ import annotations

import re

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from copies import images
from loading import defined

import oxidepy as ox
from oxidepy import D2, D3, DeviceBuffer, SliceMut, barrier, f32, i32, kernel, launch_contract, shared, thread, tma, unsafe

assert D2 and SliceMut and shared and barrier and unsafe, "named by the kernels below"


@pytest.mark.parametrize("name", images.PROGRAMS)
def test_programs(name: str) -> None:
    np.testing.assert_array_equal(*images.PROGRAMS[name](ox.Context("interp")))


@pytest.mark.parametrize("arch", [arch for arch in ARCHES if arch not in ("sm_75", "sm_80")])
@pytest.mark.parametrize("rank", [0, *images.BOXED])
def test_assembled(rank: int, arch: str) -> None:
    text = (images.BOXED[rank] if rank else images.skipping).ptx(arch)
    assert "registers" in assemble(text, arch)
    assert not rank or f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.im2col.mbarrier" in text


def test_older_gpus_have_none() -> None:
    with pytest.raises(ox.CompileError, match="needs sm_90"):
        images.BOXED[4].ptx("sm_80")
    with pytest.raises(ox.CompileError, match="needs a CUDA device or `interp`"):
        images.BOXED[4].prepare(ox.Context("cpu"), 64)


@pytest.fixture
def stream() -> ox.Stream:
    return ox.Context("interp").new_stream()


def test_what_no_map_is_made_of(stream: ox.Stream) -> None:
    b, four = DeviceBuffer.zeros(stream, (16, 20, 16), f32), (2, 8, 20, 16)
    wide = DeviceBuffer.zeros(stream, (1, 2048, 300), f32)
    refusals = {
        "OX2007": [
            (lambda: tma.tensor_map(b, (1, 1, 4), steps=(1, 9, 1)), r"steps=\(1, 9, 1\)"),
            (lambda: tma.tensor_map(b, (1, 1, 4), steps=(1, 0, 1)), r"steps=\(1, 0, 1\)"),
            (lambda: tma.tensor_map(b, (1, 1, 4), steps=(1, 1, 2)), r"steps=\(1, 1, 2\)"),
            (lambda: tma.tensor_map(b, (1, 1, 4), steps=(2, 1)), r"steps=\(2, 1\)"),
            (lambda: tma.im2col_map(b.reshape((320, 16)), (8, 8)), "images of 2 axes"),
            (lambda: tma.im2col_map(b, (8, 8, 8)), r"box=\(8, 8, 8\)"),
            (lambda: tma.im2col_map(b, 8), "box=8"),
            (lambda: tma.im2col_map(b, (8, 2)), "rows of 8 bytes in a box"),
            (lambda: tma.im2col_map(b, (8, 8), swizzle=64), "rows of 32 bytes under a swizzle of 64"),
            (lambda: tma.im2col_map(b, (8, 8), lower=(0, 0)), r"lower=\(0, 0\)"),
            (lambda: tma.im2col_map(b, (8, 8), lower=(-32769,)), "lower="),
            (lambda: tma.im2col_map(b, (8, 8), upper="ab"), "upper='ab'"),
            (lambda: tma.im2col_map(b, (8, 8), shape=four, upper=(0, 128)), r"upper=\(0, 128\)"),
            (lambda: tma.im2col_map(b, (8, 8), shape=four, lower=(4, 0), upper=(-4, 0)), "no pixel lies between 4 and 3"),
            (lambda: tma.im2col_map(b, (8, 8), steps=(2, 1, 1)), r"steps=\(2, 1, 1\)"),
        ],
        "OX2003": [
            (lambda: tma.tensor_map(b, (1, 33, 4), steps=(1, 8, 1)), "a box of 264 elements along an axis, of which it takes some"),
            (lambda: tma.im2col_map(wide, (1025, 8)), "a column of 1025 pixels of 8 channels"),
            (lambda: tma.im2col_map(wide, (8, 260)), "a column of 8 pixels of 260 channels"),
            (lambda: tma.im2col_map(wide, (1024, 64)), "a box of 262144 bytes"),
        ],
    }
    for code, cases in refusals.items():
        for make, part in cases:
            with pytest.raises(ox.LaunchError, match=part) as caught:
                make()
            assert caught.value.code == code and caught.value.diagnostic.help


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def fetched(x: tma.Im2colMap[f32, tma.D4], at: i32, by: i32) -> None:
    s = shared.array(f32, 64, align=128)
    bars = barrier.array(1)
    with unsafe("one thread"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 1)
            tma.load(s, 0, x, (0, at, 1, 8), bars, 0, offsets=(by, 0))
            barrier.arrive_expect_tx(bars, 0, 256)
            barrier.wait_parity(bars, 0, 0)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def boxes(x: tma.TensorMap[f32, D3]) -> None:
    with unsafe("only near"):
        tma.prefetch_map(x)


def test_arguments(stream: ox.Stream) -> None:
    ctx = stream.context
    b = DeviceBuffer.zeros(stream, (4, 20, 16), f32)
    images_, box = tma.im2col_map(b, (8, 8)), tma.tensor_map(b, (1, 8, 8), steps=(1, 2, 1))
    assert "Im2colMap" in repr(images_) and "TensorMap" in repr(box)
    for one, map, part in (
        (boxes, images_, r"TensorMap\[f32, D3\], got a map of columns of pixels"),
        (fetched, box, r"Im2colMap\[f32, D4\], got a map of boxes"),
        (fetched, images_, "got a map of 3 axes"),
        (fetched, b, "got a value of type DeviceBuffer"),
    ):
        with pytest.raises(ox.LaunchError, match=part) as caught:
            one.prepare(ctx, 32)(stream, map, *(() if one is boxes else (0, 0)))
        assert caught.value.code == "OX2007"
    b.free(stream)


def test_what_only_a_run_shows(stream: ox.Stream) -> None:
    map = tma.im2col_map(DeviceBuffer.zeros(stream, 2 * 6 * 5 * 16, f32), (8, 8), shape=(2, 6, 5, 16), lower=(-1, 0), upper=(1, 0))
    prepared = fetched.prepare(stream.context, 32)
    for at, by, part in (
        (7, 0, "the first pixel is (0, 7, 1, 8)"),
        (-2, 0, "the first pixel is (0, -2, 1, 8)"),
        (0, 256, "offsets (256, 0)"),
    ):
        prepared(stream, map, at, by)
        with pytest.raises(ox.DevicePanic, match=re.escape(part)) as caught:
            stream.synchronize()
        assert caught.value.code == "OX2007"


HEAD = """\
@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def k(x: tma.Im2colMap[f32, tma.D4], z: tma.TensorMapMut[f32, D3], w: tma.Im2colMap[f32, D3], n: i32) -> None:
    s = shared.array(f32, 256, align=128)
    bars = barrier.array(1)
    with unsafe("why"):
        barrier.init(bars, 0, 1)
"""


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("tma.load(s, 0, x, (0, 0, 0), bars, 0)", "`x` has 4 axes, and this names 3 coordinates"),
        ("tma.load(s, 0, x, (0, 0, 0, 0), bars, 0, offsets=1)", "the images of `x` have 2 axes, and this names 1 offsets"),
        ("tma.load(s, 0, x, (0, 0, 0, 0), bars, 0, offsets=(1, 256))", "an offset of 256"),
        ("tma.load(s, 0, w, (0, 0, 0), bars, 0, offsets=-1)", "an offset of -1"),
        ("tma.load(s, 0, z, (0, 0, 0), bars, 0, offsets=(0,))", "`offsets` are those of an `Im2colMap`, and `z` has boxes"),
        ("tma.load(s, 0, x, (0, 0, 0, 2), bars, 0)", "begins at element 2 of the last axis"),
        ("tma.store(x, (0, 0, 0, 0), s, 0)", "`x` is an `Im2colMap`, whose array is read only"),
        ("tma.prefetch(z, (0, 0, 0), offsets=(0,))", "`offsets` are those of an `Im2colMap`"),
        ("y = w if n > 0 else z", "Im2colMap[f32]"),
    ],
)
def test_what_is_refused(line: str, part: str) -> None:
    source = f"{HEAD}        {line}\n"
    with pytest.raises(ox.CompileError) as caught:
        defined(source, globals())["k"].ptx("sm_90a")
    assert any(one.code == "OX0308" and part in one.message for one in caught.value.diagnostics), caught.value


def test_an_im2col_map_has_three_axes_or_more() -> None:
    for rank in ("", ", D2", ", ox.D1"):
        with pytest.raises(ox.CompileError, match="is no number of axes of a `Im2colMap`") as caught:
            defined(HEAD.replace("f32, tma.D4", f"f32{rank}") + "        pass\n", globals())["k"].ptx("sm_90a")
        assert caught.value.code == "OX1002"
