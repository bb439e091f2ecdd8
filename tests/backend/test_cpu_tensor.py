"""Tensor-core operations of a warp on the CPU: every one has the interpreter's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from backend.kernels import CpuKernel
from backend.test_cpu_simt import assert_same
from ir.simt import module_of
from ir.test_mma import MOVES, PRODUCTS, execute, interpreted, moved, moves, multiply

import oxidepy as ox
from oxidepy import D2, DeviceBuffer, LaunchConfig2D, Slice, SliceMut, block, f16, f32, kernel, launch_contract, mma, unroll, warp
from oxidepy.backend.cpu_tensor import expanded
from oxidepy.compiler.driver import check_kernel
from oxidepy.ir.core import Module
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.verifier import verify
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


def on_cpu(module: Module, buffers: list[Any]) -> None:
    status, _ = CpuKernel(module).run(buffers, (1, 1, 1))
    assert not status


FLOATS = ("mma.m16n8k16.f32.f16", "mma.m16n8k8.f16.f16", "mma.m16n8k8.f32.bf16", "mma.m16n8k8.f32.tf32", "mma.m16n8k16.f16.e5m2.e4m3")


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_is_exact_for_small_numbers(name: str) -> None:
    found, wanted = multiply(name, on_cpu)
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", FLOATS)
def test_sums_of_any_bits_are_the_interpreters(name: str) -> None:
    rng = np.random.default_rng(len(name))
    code = ROWS[name].assembly
    assert code is not None
    inputs: list[np.ndarray] = []
    for one in code.arguments:
        raw = rng.integers(0, 2**32, (one.count, 32), np.uint32)  # type: ignore[union-attr]
        if one.type == "f64":  # type: ignore[union-attr]
            inputs.append(rng.standard_normal((one.count, 32)))  # type: ignore[union-attr]
        else:
            inputs.append(raw.view(np.float32) if one.type == "f32" else raw)  # type: ignore[union-attr]
    type_, count = code.gives[0].type, code.gives[0].count
    got, wanted = (execute(name, inputs, type_, count, run) for run in (on_cpu, interpreted))
    halves = name.split(".")[2] == "f16"
    got, wanted = (np.ascontiguousarray(one).view(np.float16) if halves else one for one in (got, wanted))
    assert np.array_equal(got, wanted, equal_nan=True)


@pytest.mark.parametrize(("count", "trans"), MOVES)
def test_matrices_are_moved(count: int, trans: str) -> None:
    moved(count, trans, on_cpu)


def test_tf32_and_a_transpose() -> None:
    body = """
%x = load %in, %tid [offset = 0] : f32
%t = intrinsic "mma.tf32" %x : u32
%m = intrinsic "mma.movmatrix_trans" %t : u32
%two = const 32 : i32
%j = add %tid, %two : i32
store %out, %tid, %t [offset = 0]
store %out, %j, %m [offset = 0]
"""
    module = module_of({"in": "f32[]", "out": "u32[]"}, body, "domain 1 block 32x1x1 coordinates i32")
    values = np.random.default_rng(1).integers(0, 2**32, 32, np.uint32)
    values[:4] = 0x7F800000, 0xFF800000, 0x7FC00001, 0x3F801000
    (_, out), _ = assert_same(module, [values.view(np.float32), np.zeros(64, np.uint32)])
    assert out[3] == 0x3F802000
    assert out[0] == 0x7F800000


def test_a_kernel_without_them_is_left_alone() -> None:
    plain = module_of({"out": "i32[]"}, "store %out, %tid, %tid [offset = 0]", "domain 1 block 32x1x1 coordinates i32")
    assert expanded(plain) is plain
    other = moves(4, "_trans")
    assert expanded(other) is not other
    verify(expanded(other))
    assert any(op.name == "intrinsic" and op.attrs["row"].startswith("mma.") for op in other.kernel.body.walk())


@kernel
@launch_contract(domain=2, block=(64, 1, 1))
def tile(a: Slice[f16, D2], b: Slice[f16, D2], c: SliceMut[f32, D2]) -> None:
    row, column = block.idx.y * 32 + warp.id * 16, block.idx.x * 32
    sums = (mma.zeros("m16n8k16"),) * 4
    for k in range(0, a.shape[1], 16):
        x = mma.load_a(a, (row, k), "m16n8k16")
        sums = (
            mma.m16n8k16.f32.f16(x, mma.load_b(b, (k, column), "m16n8k16"), sums[0]),
            mma.m16n8k16.f32.f16(x, mma.load_b(b, (k, column + 8), "m16n8k16"), sums[1]),
            mma.m16n8k16.f32.f16(x, mma.load_b(b, (k, column + 16), "m16n8k16"), sums[2]),
            mma.m16n8k16.f32.f16(x, mma.load_b(b, (k, column + 24), "m16n8k16"), sums[3]),
        )
    for number in unroll(range(4)):
        mma.store(c, (row, column + 8 * number), sums[number])


def test_products_one_after_the_other_and_in_rounds() -> None:
    """Of several warps, whose registers meet in the same memory."""
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((64, 48), (48, 64)))
    found: list[np.ndarray] = []
    for device in ("cpu", "interp"):
        ctx = ox.Context(device)
        stream = ctx.default_stream()
        c = DeviceBuffer.zeros(stream, (64, 64), f32)
        given = DeviceBuffer.from_host(stream, a), DeviceBuffer.from_host(stream, b)
        tile.prepare(ctx, LaunchConfig2D(grid=(2, 2), block=(64, 1)))(stream, *given, c)
        found.append(c.to_host(stream))
    assert np.array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0], a.astype(np.float64) @ b.astype(np.float64), rtol=1e-3, atol=1e-3)


def test_products_of_one_kind_share_their_code() -> None:
    """Written out they were some 2,000 lines each, at which LLVM took seconds."""
    module = check_kernel(tile.definition, Specialisation(), CodegenOptions()).module
    made = expanded(module)
    assert list(made.functions) == ["mma.m16n8k16.f32.f16"] and not module.functions
    ops = list(made.kernel.body.walk())
    assert [op.attrs["callee"] for op in ops if op.name == "call"] == ["mma.m16n8k16.f32.f16"] * 4
    verify(made)
