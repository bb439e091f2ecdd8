"""f16 and bf16 as types of the language: literals, casts, memory, structs, captured values, lanes, atomics."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import refused
from frontend.test_refused import compiled
from semantics.halves import DTYPES, NAMES, ml_dtypes, needs_bf16

import oxidepy as ox
from oxidepy import (
    ConstantSlice,
    DisjointSlice,
    Slice,
    SliceMut,
    atomic,
    bf16,
    bits,
    block,
    f16,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    local,
    math,
    require,
    shared,
    struct,
    thread,
    u16,
    unroll,
    warp,
)
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

HOSTED = ["interp", "cpu"]
DEVICES = [*HOSTED, pytest.param("cuda:0", marks=pytest.mark.gpu)]
H = TypeVar("H", f16, bf16)


def launched(kernel_: Any, device: str, *args: Any, grid_: int = 1, block_: int = 1) -> list[Any]:
    """Run on arrays and scalars; what the arrays hold afterwards."""
    stream = ox.Context(device).default_stream()
    given = [ox.DeviceBuffer.from_host(stream, one) if isinstance(one, np.ndarray) else one for one in args]
    kernel_.prepare(stream.context, ox.LaunchConfig1D(grid=grid_, block=block_))(stream, *given)
    return [one.to_host(stream) for one in given if isinstance(one, ox.DeviceBuffer)]


def ptx(kernel_: Any, arch: str, **types: Any) -> str:
    specialisation = Specialisation(types=tuple((name, one.scalar) for name, one in types.items()))
    artefact = compile_kernel(kernel_.definition, specialisation, nvptx_target(arch), CodegenOptions(lineinfo=False)).artefact
    return artefact.code.decode()


# ---- literals, casts, control


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def numbers(y: SliceMut[H], s: H, n: i32) -> None:
    require(grid.dim.x == 1)
    a: H = 1
    y[0] = a + 0.1
    y[1] = s * 3 - 1
    total = s
    for _ in range(3):
        total += s * 0.5
    y[2] = total
    y[3] = s if n > 2 else -1.0
    y[4] = max(s, 2, 0.25)
    b = s
    if n > 0:
        b = 2
    y[5] = b
    for k in unroll(range(6, 8)):
        y[k] = k / s
    while b < 100.0:
        b *= 2
    y[8] = b
    y[9] = divmod(b, s)[1]
    y[10] = (1.0, 2.5, 4)[n]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_literals_take_the_type(name: str, device: str) -> None:
    of = DTYPES[name].type
    (got,) = launched(numbers, device, np.zeros(11, DTYPES[name]), 1.5, 1)
    tenth = float(of(1 + float(of(0.1))))
    assert got.astype(float).tolist() == [tenth, 3.5, 3.75, -1.0, 2.0, 2.0, 4.0, float(of(7 / 1.5)), 128.0, 0.5, 2.5]


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def cast_about(y: SliceMut[f32], h: f16, b: bf16, n: i32) -> None:
    require(grid.dim.x == 1)
    y[0] = f32(h) + f32(b)
    y[1] = f32(f16(b) + h)
    y[2] = f32(bf16(h) * b)
    y[3] = f32(f16(n))
    y[4] = f32(i32(h))
    y[5] = f32(f16(1e-8))
    y[6] = f32(bits.cast(f16, u16(0x3C01)))
    y[7] = f32(bits.cast(u16, bf16(1)))
    y[8] = f32(bool(h))
    y[9] = f32(f16(True))


@pytest.mark.parametrize("device", DEVICES)
def test_casts(device: str) -> None:
    (got,) = launched(cast_about, device, np.zeros(10, np.float32), 1.5, 2.25, 2049)
    assert got.tolist() == [3.75, 3.75, 3.375, 2048.0, 1.0, 0.0, float(np.float16(1.001)), 0x3F80, 1.0, 1.0]


# ---- memory and parameters


@struct
@dataclass(frozen=True)
class Mixed:
    a: f16
    b: bf16
    c: f32
    d: f16


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def memory(x: Slice[Mixed], y: DisjointSlice[Mixed], k: ConstantSlice[bf16], p: Mixed, t: tuple[f16, bf16]) -> None:
    own = local.array(bf16, 2)
    near = shared.array(f16, (2, 4))
    i = thread.index_1d()
    own[1] = k[0] * 2
    near[1, thread.idx.x] = p.d + t[0]
    block.sync()
    if i in y:
        at = x[i.get()]
        y[i] = Mixed(at.a + near[1, 3 - thread.idx.x], at.b + own[1] + t[1], at.c + p.c, d=f16(at.b))


@needs_bf16
@pytest.mark.parametrize("device", DEVICES)
def test_halves_in_memory_and_structs(device: str) -> None:
    stream = ox.Context(device).default_stream()
    given = ox.DeviceBuffer.zeros(stream, 4, Mixed)
    layout = given.to_host(stream).dtype
    assert [str(layout.fields[one][0]) for one in layout.names] == ["float16", "bfloat16", "float32", "float16"]
    values = np.zeros(4, layout)
    values["a"], values["b"] = np.arange(4), 8
    k = np.full(3, 4.5, ml_dtypes.bfloat16)
    out = np.zeros(4, layout)
    _, got, _ = launched(memory, device, values, out, k, Mixed(1, 2, 0.5, 0.25), (1.5, 0.5), block_=4)
    assert got["a"].tolist() == [1.75, 2.75, 3.75, 4.75]
    assert got["b"].astype(float).tolist() == [17.5] * 4
    assert got["c"].tolist() == [0.5] * 4 and got["d"].tolist() == [8.0] * 4


@needs_bf16
@pytest.mark.parametrize("device", HOSTED)
def test_scalars_of_repeated_launches(device: str) -> None:
    """The quick way of a launch like the one before rounds as the first one does."""
    stream = ox.Context(device).default_stream()
    out = ox.DeviceBuffer.zeros(stream, 11, bf16)
    prepared = numbers.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))
    for value in (1.5, 2.5, 1.001, 3, 2.5):
        prepared(stream, out, value, 2)
        assert out.to_host(stream)[5] == 2 and float(out.to_host(stream)[4]) == max(float(ml_dtypes.bfloat16(value)), 2.0)


@needs_bf16
def test_the_host_names_the_value_and_the_type() -> None:
    assert f16(0.1) == float(np.float16(0.1)) and bf16(0.1) == float(ml_dtypes.bfloat16(0.1))
    with pytest.raises(ox.LaunchError) as wrong:
        launched(numbers, "interp", np.zeros(11, np.float16), 70000.0, 2)
    assert wrong.value.code == "OX2007"


def test_bf16_on_the_host_names_the_package_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)  # as if it were not installed
    with pytest.raises(ox.LaunchError) as missing:
        _ = bf16.dtype
    assert missing.value.code == "OX2007" and 'pip install "oxidepy[bf16]"' in str(missing.value)
    assert f16.dtype == np.float16


# ---- lanes, blocks, atomics


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def together(x: Slice[H], y: SliceMut[H]) -> None:
    require(grid.dim.x == 1, len(y) == 10 * 64)
    i = thread.idx.x
    a = x[i]
    y[i] = warp.shuffle_xor(a, 1)
    y[64 + i] = warp.reduce_sum(a)
    y[2 * 64 + i] = warp.reduce_max(a)
    y[3 * 64 + i] = warp.scan_sum(a)
    y[4 * 64 + i] = block.reduce_min(a)
    y[5 * 64 + i] = block.scan_sum(a, exclusive=True)
    y[6 * 64 + i] = H(warp.match_any(a) & 1)
    y[7 * 64 + i] = warp.active.reduce_sum(a)
    pair = warp.shuffle_down((a, f32(a)), 2)
    y[8 * 64 + i] = pair[0] + H(pair[1])
    y[9 * 64 + i] = warp.tiled_partition(8).reduce_sum(a)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_lanes_and_blocks(name: str, device: str) -> None:
    x = (np.arange(64) % 8).astype(DTYPES[name])  # every sum is exact
    _, got = launched(together, device, x, np.zeros(640, DTYPES[name]), block_=64)
    rows = got.astype(int).reshape(10, 64)
    numbers = x.astype(int)
    place = np.arange(64)
    assert (rows[0] == numbers[place ^ 1]).all()
    assert (rows[1] == 112).all() and (rows[2] == 7).all() and (rows[4] == 0).all() and (rows[7] == 112).all() and (rows[9] == 28).all()
    assert (rows[3] == np.concatenate([np.cumsum(numbers[:32])] * 2)).all()
    assert (rows[5] == np.cumsum(numbers) - numbers).all()
    assert (rows[6] == (numbers == 0)).all()
    assert (rows[8] == 2 * numbers[np.where(place % 32 < 30, place + 2, place)]).all()


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def counted(x: Slice[H], z: SliceMut[H], old: SliceMut[H]) -> None:
    require(grid.dim.x == 1, len(z) == 8, len(x) == 64, len(old) == 64)
    i = thread.idx.x
    near = shared.array(f16, 2)
    a = x[i]
    atomic.add(z, 0, 1.0)
    atomic.min(z, 1, a)
    atomic.max(z, 2, a)
    old[i] = atomic.exchange(z, 3, a)
    if i == 5:
        atomic.compare_exchange(z, 4, 0.0, a)
        atomic.compare_exchange(z, 5, 2.0, a)
    atomic.sub(z, 6, 0.5)
    atomic.store(near, 0, 0.0)
    block.sync()
    atomic.add(near, 0, 2)
    block.sync()
    if i == 0:
        atomic.store(z, 7, H(atomic.load(near, 0)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_atomics(name: str, device: str) -> None:
    x = (np.arange(64) - 20).astype(DTYPES[name])
    _, z, old = launched(counted, device, x, np.zeros(8, DTYPES[name]), np.zeros(64, DTYPES[name]), block_=64)
    assert z.astype(float)[[0, 1, 2, 4, 5, 6, 7]].tolist() == [64, -20, 43, -15, 0, -32, 128]
    assert sorted([*old.astype(int).tolist(), int(z[3])]) == sorted([0, *x.astype(int).tolist()])


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("name", NAMES)
def test_ptx_of_groups_and_atomics_assembles(name: str, arch: str) -> None:
    for one in (numbers, together, counted):
        assemble(ptx(one, arch, H=getattr(ox, name)), arch)


@pytest.mark.parametrize(("name", "arch", "native"), [("f16", "sm_75", True), ("bf16", "sm_80", False), ("bf16", "sm_90a", True)])
def test_atomic_add_is_one_instruction_where_the_hardware_has_it(name: str, arch: str, native: bool) -> None:
    text = ptx(counted, arch, H=getattr(ox, name))
    assert (f"atom.relaxed.gpu.global.add.noftz.{name}" in text) == native


# ---- functions as values


@kernel
@launch_contract(domain=1, block=(8, 1, 1))
def mapped(x: Slice[f16], y: DisjointSlice[f16]) -> None:
    i = thread.index_1d()
    if i in y:
        y[i] = math.exp(x[i]) + math.sincos(x[i])[0]


@pytest.mark.parametrize("device", DEVICES)
def test_functions_give_the_argument_type(device: str) -> None:
    x = np.linspace(0, 2, 8).astype(np.float16)
    _, got = launched(mapped, device, x, np.zeros(8, np.float16), block_=8)
    wide = x.astype(float)
    assert np.allclose(got.astype(float), np.exp(wide) + np.sin(wide), rtol=2e-3)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = f16(1.0) + f", "`f16` and `f32`"),
        ("a = f16(1.0) + bf16(1.0)", "`f16` and `bf16`"),
        ("a = f16(1.0) + 70000.0", "70000.0 does not fit `f16`"),
        ("a = f16(1e6)", "1000000.0 does not fit `f16`"),
        ("a = f16(1.0) & 1", "`&` is for integers"),
        ("a = bits.popcount(f16(1.0))", "takes an integer"),
        ("a = bits.cast(u32, f16(1.0))", "`u32` has 32 bits"),
        ("y[0] = f16(f)", "`f32` and `f16`"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, f16=f16, bf16=bf16, bits=bits, u32=ox.u32))
    assert (found.code, part in found.message) == ("OX0308", True), (found.code, found.message)
