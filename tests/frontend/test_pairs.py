"""Pairs of halves: the same numbers as each half by itself, one packed instruction for both in PTX."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import refused
from frontend.test_halves import DEVICES, launched, ptx
from frontend.test_refused import compiled
from semantics.halves import DTYPES, differing, ml_dtypes, needs_bf16, sample

import oxidepy as ox
from oxidepy import (
    DisjointSlice,
    Slice,
    SliceMut,
    atomic,
    bf16,
    bf16x2,
    bits,
    block,
    f16,
    f16x2,
    f32,
    grid,
    kernel,
    launch_contract,
    local,
    math,
    require,
    shared,
    struct,
    thread,
    u32,
    volatile,
    warp,
)
from oxidepy.backend.cpu import llvm_text
from oxidepy.backend.targets import cpu_target
from oxidepy.compiler.driver import check_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

HALF = {f"{name}x2": dtype for name, dtype in DTYPES.items()}
PAIRS = ("f16x2", pytest.param("bf16x2", marks=needs_bf16))
OPERATIONS = (
    "a + b", "a - b", "a * b", "a / b", "-a", "+a", "abs(a)", "min(a, b)", "max(a, b)", "math.fma(a, b, c)", "a * b + c",
    "c - a * b", "a * 1.5", "2 - a", "a * s + b", "math.sqrt(abs(a))", "round(a)", "pow(a, 3)", "a // b", "a % b", "a ** 2",
)  # fmt: skip


def pairs(values: Any) -> Any:
    """Halves two by two, as the records that a buffer of pairs holds."""
    return values.view([("x", values.dtype), ("y", values.dtype)])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PAIRS)
def test_every_operation_is_that_on_each_half(name: str, device: str, tmp_path: Any) -> None:
    """The kernel of pairs against the same text over single halves in the interpreter."""
    dtype, total = HALF[name], 4000 * len(OPERATIONS)
    a, b, c = (sample(name[:-2], 5000, seed)[:4000] for seed in (11, 12, 13))
    kernels = _kernels(tmp_path, name)
    half = launched(kernels.half, "interp", a, b, c, np.zeros(total, dtype), 0.75, grid_=16, block_=256)[3]
    given = [pairs(one) for one in (a, b, c, np.zeros(total, dtype))]
    pair = launched(kernels.pair, device, *given, 0.75, grid_=8, block_=256)[3].view(dtype)
    for number, text in enumerate(OPERATIONS):
        one, other = (given[4000 * number :][:4000] for given in (pair, half))
        assert not len(differing(one, other)), text
        assert text == "+a" or len(differing(one, a)), text


def _kernels(folder: Any, name: str) -> Any:
    from semantics.batch import load

    texts = []
    for kernel_, type_, count in (("half", name[:-2], 4000), ("pair", name, 2000)):
        lines = [f"        out[{number * count} + i] = {text}" for number, text in enumerate(OPERATIONS)]
        texts.append(
            f"""
@kernel
def {kernel_}(x: Slice[{type_}], y: Slice[{type_}], z: Slice[{type_}], out: SliceMut[{type_}], s: {name[:-2]}) -> None:
    require(len(x) == {count}, len(y) == {count}, len(z) == {count}, len(out) == {count * len(OPERATIONS)})
    i = thread.index_1d().get()
    if i < {count}:
        a = x[i]
        b = y[i]
        c = z[i]
"""
            + "\n".join(lines).replace("math.", "m.")
            + "\n"
        )
    return load("from oxidepy import bf16x2, f16x2\n" + "".join(texts), folder)


# ---- memory, parameters, control


@struct
@dataclass(frozen=True)
class Body:
    tag: f16
    at: f16x2


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def moved(x: Slice[Body], y: DisjointSlice[Body], step: f16x2, t: tuple[f16x2, f32]) -> None:
    own = local.array(f16x2, 2)
    near = shared.array(f16x2, 4)
    i = thread.index_1d()
    near[thread.idx.x] = step * 2
    own[1] = f16x2(y=1.5, x=f16(t[1]))
    block.sync()
    total = t[0]
    for k in range(4):
        total += near[k]
    if total.x > 8:
        total -= own[1]
    best = total if total.y > 0 else step
    if i in y:
        y[i] = Body(x[i.get()].tag, x[i.get()].at + best)


@pytest.mark.parametrize("device", DEVICES)
def test_pairs_in_memory_structs_and_parameters(device: str) -> None:
    stream = ox.Context(device).default_stream()
    layout = ox.DeviceBuffer.zeros(stream, 1, Body).to_host(stream).dtype
    assert layout.itemsize == 8 and layout.fields["at"][1] == 4
    x = np.zeros(4, layout)
    x["tag"], x["at"]["x"] = 7, np.arange(4)
    _, got = launched(moved, device, x, np.zeros(4, layout), ox.f16x2(1.0, 0.5), (ox.f16x2(0.25, 0.125), 3.0), block_=4)
    assert got["tag"].tolist() == [7.0] * 4
    assert got["at"]["x"].tolist() == [5.25, 6.25, 7.25, 8.25] and got["at"]["y"].tolist() == [2.625] * 4


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def exchanged(x: Slice[bf16x2], y: SliceMut[bf16x2], w: SliceMut[u32]) -> None:
    require(grid.dim.x == 1, len(x) == 32, len(y) == 32, len(w) == 32)
    lane = warp.lane
    total = x[lane]
    distance = 16
    while distance > 0:
        total += warp.shuffle_xor(total, distance)
        distance //= 2
    y[lane] = total
    w[lane] = bits.cast(u32, bits.cast(bf16x2, bits.cast(u32, x[lane]) ^ u32(0x80000000)))


@needs_bf16
@pytest.mark.parametrize("device", DEVICES)
def test_pairs_travel_between_lanes_and_have_bits(device: str) -> None:
    x = np.arange(64).astype(ml_dtypes.bfloat16)
    _, y, w = launched(exchanged, device, pairs(x), pairs(np.zeros(64, x.dtype)), np.zeros(32, np.uint32), block_=32)
    sums = y.view(x.dtype).reshape(32, 2).astype(float)
    assert (sums[:, 0] == 992).all() and (sums[:, 1] == 1024).all()
    assert (w == (x.view(np.uint32) ^ 0x80000000)).all()


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def folded(x: Slice[f16x2], y: SliceMut[f16x2]) -> None:
    require(grid.dim.x == 1, len(x) == 64, len(y) == 7 * 64)
    i = thread.idx.x
    a = x[i]
    y[i] = warp.reduce_sum(a)
    y[64 + i] = warp.scan_sum(a, exclusive=True)
    y[128 + i] = block.reduce_max(a)
    y[192 + i] = block.scan_sum(a)
    y[256 + i] = warp.tiled_partition(8).reduce_min(a)
    y[320 + i] = block.reduce_sum(a)
    if i < 40:
        y[384 + i] = warp.active.reduce_sum(a)


@pytest.mark.parametrize("device", DEVICES)
def test_reductions_and_scans_of_pairs(device: str) -> None:
    x = (np.arange(128) % 7).astype(np.float16)
    _, got = launched(folded, device, pairs(x), pairs(np.zeros(7 * 128, np.float16)), block_=64)
    rows = got.view(np.float16).reshape(7, 64, 2).astype(int)
    numbers = x.reshape(64, 2).astype(int)
    warps = numbers.reshape(2, 32, 2)
    assert (rows[0] == np.repeat(warps.sum(axis=1), 32, axis=0)).all()
    assert (rows[1] == (np.cumsum(warps, axis=1) - warps).reshape(64, 2)).all()
    assert (rows[2] == 6).all() and (rows[3] == np.cumsum(numbers, axis=0)).all()
    assert (rows[4] == np.repeat(numbers.reshape(8, 8, 2).min(axis=1), 8, axis=0)).all()
    assert (rows[5] == numbers.sum(axis=0)).all()
    assert (rows[6, :32] == warps[0].sum(axis=0)).all() and (rows[6, 32:40] == numbers[32:40].sum(axis=0)).all()


P = TypeVar("P", f16x2, bf16x2)


@kernel
def scaled(x: Slice[P], y: DisjointSlice[P], s: P) -> None:
    i = thread.index_1d()
    if i in y:
        y[i] = x[i.get()] * s + P(1, 2)


@needs_bf16
@pytest.mark.parametrize("device", DEVICES)
def test_kernels_over_both_kinds_of_pairs(device: str) -> None:
    stream = ox.Context(device).default_stream()
    for made, of in ((ox.f16x2, "f16x2"), (ox.bf16x2, "bf16x2")):
        x = ox.DeviceBuffer.from_host(stream, pairs(np.arange(8).astype(HALF[of])))
        y = ox.DeviceBuffer.zeros(stream, 4, made)
        for step in (2.0, 3.0, 0.5):  # the second launch takes the quick way
            scaled.launch(stream, x, y, made(step, -step))
            wanted = [one * step + 1 if one % 2 == 0 else 2 - one * step for one in range(8)]
            assert y.to_host(stream).view(HALF[of]).astype(float).tolist() == wanted
        with pytest.raises(ox.LaunchError) as wrong:
            scaled.launch(stream, x, y, 1.5)
        assert wrong.value.code == "OX2007" and of in str(wrong.value)


def test_a_reduction_of_pairs_is_packed() -> None:
    text = ptx(folded, "sm_90a")
    assert "add.rn.f16x2" in text and not re.search(r"add\.rn\.f16 ", text)


# ---- atomics


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def summed_f16(z: SliceMut[f16x2], old: SliceMut[f16x2], seen: SliceMut[f16x2]) -> None:
    require(grid.dim.x == 1, len(z) == 2, len(old) == 64, len(seen) == 1)
    near = shared.array(f16x2, 1)
    i = thread.idx.x
    if i == 0:
        near[0] = f16x2(0.0, 0.0)
    block.sync()
    old[i] = atomic.add(z, 0, f16x2(1.0, -2.0))
    atomic.sub(z, 1, f16x2(1.0, 0.5))
    atomic.add(near, 0, f16x2(f16(i), 1.0), scope="block")
    block.sync()
    if i == 0:
        seen[0] = near[0]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def summed_bf16(z: SliceMut[bf16x2], old: SliceMut[bf16x2], seen: SliceMut[bf16x2]) -> None:
    require(grid.dim.x == 1, len(z) == 2, len(old) == 64, len(seen) == 1)
    i = thread.idx.x
    old[i] = atomic.add(z, 0, bf16x2(1.0, -2.0), order="acq_rel")
    atomic.sub(z, 1, bf16x2(1.0, 0.5))
    if i == 0:
        seen[0] = bf16x2(0.5, 64)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PAIRS)
def test_packed_atomics(name: str, device: str) -> None:
    kernel_ = summed_f16 if name == "f16x2" else summed_bf16
    zeros = [pairs(np.zeros(2 * count, HALF[name])) for count in (2, 64, 1)]
    z, old, seen = (one.view(HALF[name]).astype(float) for one in launched(kernel_, device, *zeros, block_=64))
    assert z.tolist() == [64, -128, -64, -32]
    assert sorted(old[::2].tolist()) == list(range(64)) and sorted(old[1::2].tolist()) == [float(-2 * one) for one in range(63, -1, -1)]
    assert seen.tolist() == ([2016, 64] if name == "f16x2" else [0.5, 64])


# ---- PTX


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def packed_f16(x: Slice[f16x2], y: Slice[f16x2], z: DisjointSlice[f16x2]) -> None:
    i = thread.index_1d()
    if i in z:
        a = x[i.get()]
        b = y[i.get()]
        z[i] = max((a + b) * b, -a * b + a) - abs(min(a, b))


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def packed_bf16(x: Slice[bf16x2], y: Slice[bf16x2], z: DisjointSlice[bf16x2]) -> None:
    i = thread.index_1d()
    if i in z:
        a = x[i.get()]
        b = y[i.get()]
        z[i] = max((a + b) * b, -a * b + a) - abs(min(a, b))


@pytest.mark.parametrize("arch", ARCHES)
def test_ptx_assembles(arch: str) -> None:
    for one in (packed_f16, packed_bf16, summed_f16, summed_bf16, moved, exchanged):
        assemble(ptx(one, arch), arch)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("name", PAIRS)
def test_ptx_has_packed_instructions(name: str, arch: str) -> None:
    text = ptx(packed_f16 if name == "f16x2" else packed_bf16, arch)
    found = set(re.findall(r"\b(add|sub|mul|fma|min|max|abs|neg)(?:\.rn)?\." + name, text))
    arithmetic = {"fma"} if name == "bf16x2" and arch == "sm_80" else {"add", "sub", "mul", "fma"}  # sm_80 adds by fma
    assert found >= arithmetic | {"min", "max"}
    assert "abs" in found or "2147450879" in text  # or the two signs taken off by one `and`
    single = re.findall(rf"\b(?:add|sub|mul|fma|min|max)\S*\.{name[:-2]}\b", text)
    assert not single, single
    loads = re.findall(r"ld\.global\S*", text)
    assert len(loads) == 2 and all("32" in one for one in loads), loads
    assert len(re.findall(r"st\.global\S*32", text)) == 1


@pytest.mark.parametrize(
    ("name", "arch", "native"), [("f16x2", "sm_75", 1), ("f16x2", "sm_90a", 1), ("bf16x2", "sm_80", 0), ("bf16x2", "sm_90a", 1)]
)
def test_ptx_of_packed_atomics(name: str, arch: str, native: int) -> None:
    text = ptx(summed_f16 if name == "f16x2" else summed_bf16, arch)
    assert len(re.findall(rf"atom\.\S+\.global\.add\.noftz\.{name}", text)) == native
    assert native or "cas.b16" in text
    if name == "f16x2":
        assert f"atom.relaxed.cta.shared.add.noftz.{name}" in text


def test_volatile_accesses_stay_two() -> None:
    @kernel
    @launch_contract(domain=1, block=(1, 1, 1))
    def one(x: SliceMut[f16x2]) -> None:
        require(grid.dim.x == 1)
        volatile.store(x, 0, volatile.load(x, 1) * 2)

    for arch in ARCHES:
        text = ptx(one, arch)
        assemble(text, arch)
        assert len(re.findall(r"ld\.volatile\S*16", text)) == len(re.findall(r"st\.volatile\S*16", text)) == 2
    (got,) = launched(one, "cpu", pairs(np.array([0, 0, 1.5, 2.5], np.float16)))
    assert got.view(np.float16).tolist() == [3.0, 5.0, 1.5, 2.5]


def test_one_word_is_read_and_written_on_the_cpu() -> None:
    """As neighbouring words, which LLVM reads several at a time."""
    module = check_kernel(packed_f16.definition, Specialisation(), CodegenOptions()).module
    text = llvm_text(module, cpu_target(), CodegenOptions(lineinfo=False))
    assert text.count("load i32, ptr %v") >= 2 and "load i16" not in text and "store i16" not in text


def test_one_word_is_shuffled() -> None:
    assert ptx(exchanged, "sm_90a").count("shfl.sync") in (1, 5)  # a round of the loop, or all of them; two words would be twice that


# ---- refusals


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = f16x2(1.0, 2.0) + bf16x2(1.0, 2.0)", "`f16x2` and `bf16x2`"),
        ("a = f16x2(1.0, 2.0) * f", "`f16x2` and `f32`"),
        ("a = f16x2(1.0, 2.0) + 1e6", "1000000.0 does not fit `f16`"),
        ("a = f16x2(1.0)", "lacks the field `y`"),
        ("a = f16x2(f, f)", "`f16` and `f32`"),
        ("a = f16x2(1.0, 2.0) & 1", "`&` is for integers"),
        ("a = ~f16x2(1.0, 2.0)", "`~` takes numbers"),
        ("if f16x2(1.0, 2.0) < f16x2(1.0, 2.0):\n    y[0] = 1.0", "`f16x2`"),
        ("s = shared.array(f16x2, 2)\natomic.max(s, 0, f16x2(1.0, 2.0))", "`atomic.max` is for numbers"),
        ("s = shared.array(f16x2, 2)\natomic.add(s, 0, f16(1.0))", "`f16x2` and `f16`"),
        ("a = warp.reduce_and(f16x2(1.0, 2.0))", "takes an integer"),
        ("a = bits.cast(f16x2, 1.0)", "does not become `u32`"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(
        compiled(body, f16=f16, bf16=bf16, f16x2=f16x2, bf16x2=bf16x2, bits=bits, shared=shared, atomic=atomic, math=math, warp=warp)
    )
    assert (found.code, part in found.message) == ("OX0308", True), (found.code, found.message)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def equal(x: Slice[f16x2], y: Slice[f16x2], out: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in out:
        out[idx] = (1.0 if x[idx] == y[idx] else 0.0) + (2.0 if x[idx] != y[idx] else 0.0) + (4.0 if x[idx] == f16x2(1.0, 2.0) else 0.0)


@pytest.mark.parametrize("device", DEVICES)
def test_pairs_are_equal_where_both_halves_are(device: str) -> None:
    stream = ox.Context(device).new_stream()
    x = np.array([(1, 2), (1, 2), (0, 1), (np.nan, 1)], [("x", "f2"), ("y", "f2")])
    y = np.array([(1, 2), (2, 1), (-0.0, 1), (np.nan, 1)], x.dtype)
    out = ox.DeviceBuffer.zeros(stream, 4, f32)
    equal.launch(stream, ox.DeviceBuffer.from_host(stream, x), ox.DeviceBuffer.from_host(stream, y), out)
    assert out.to_host(stream).tolist() == [5, 6, 1, 2]
