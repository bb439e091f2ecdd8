"""Tensor cores on a CUDA GPU: exact where sums are exact, and how far the last bits of others are from the interpreter's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from backend.test_gpu import Gpu
from ir.test_mma import (
    MOVES,
    PRODUCTS,
    QUARTERS,
    SPARSE,
    execute,
    interpreted,
    moved,
    multiply,
    multiply_quarters,
    multiply_sparse,
)
from wgmma_cases import CASES, Case, run_case, run_overflowing

from oxidepy.ir.core import Module
from oxidepy.ir.intrinsics import ROWS

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def gpu() -> Iterator[Gpu]:
    yield Gpu()


def on(gpu: Gpu):
    def run(module: Module, buffers: list[Any]) -> None:
        assert not gpu.run(module, buffers, (1, 1, 1)).any()

    return run


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_of_a_warp_is_exact_for_small_numbers(gpu: Gpu, name: str) -> None:
    found, wanted = multiply(name, on(gpu))
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("orders", [("row", "col"), ("row", "row"), ("col", "col"), ("col", "row")], ids="-".join)
@pytest.mark.parametrize("name", QUARTERS)
def test_four_products_at_once_are_exact_for_small_numbers(gpu: Gpu, name: str, orders: tuple[str, str]) -> None:
    found, wanted = multiply_quarters(name, orders, on(gpu))
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", SPARSE)
def test_a_sparse_product_is_exact_for_small_numbers(gpu: Gpu, name: str) -> None:
    code = ROWS[name].assembly
    assert code is not None
    for selector in code.immediates[0].choices:
        found, wanted = multiply_sparse(name, int(selector), on(gpu))
        assert np.array_equal(found, wanted), selector


@pytest.mark.parametrize(("count", "trans"), MOVES)
def test_matrices_of_halves_are_loaded_and_stored(gpu: Gpu, count: int, trans: str) -> None:
    if gpu.target.compute < 90:
        pytest.skip("stmatrix begins with sm_90")
    moved(count, trans, on(gpu))


@pytest.mark.parametrize("type_", ["f16", "bf16", "tf32"])
def test_the_last_bits_of_a_sum_are_near_the_interpreters(gpu: Gpu, type_: str) -> None:
    """Against the sum of the absolute products: the hardware keeps at least 22 bits behind the largest."""
    rng = np.random.default_rng(9)
    words, name = (4, f"mma.m16n8k{8 if type_ == 'tf32' else 16}.f32.{type_}")
    numbers = [rng.standard_normal((count, 32, 1 if type_ == "tf32" else 2)).astype(np.float32) for count in (words, words // 2)]
    if type_ == "f16":
        a, b = (one.astype(np.float16).view(np.uint32)[..., 0] for one in numbers)
    elif type_ == "bf16":
        a, b = ((one.view(np.uint32) >> 16).astype(np.uint16).view(np.uint32)[..., 0] for one in numbers)
    else:
        a, b = (one.view(np.uint32)[..., 0] for one in numbers)
    c = rng.standard_normal((4, 32)).astype(np.float32)
    got = execute(name, [np.ascontiguousarray(a), np.ascontiguousarray(b), c], "f32", 4, on(gpu))
    wanted = execute(name, [np.ascontiguousarray(a), np.ascontiguousarray(b), c], "f32", 4, interpreted)
    assert np.abs(got - wanted).max() <= 2.0**-18


def test_sums_in_f64_are_fused_in_order(gpu: Gpu) -> None:
    rng = np.random.default_rng(10)
    for name, counts in (("mma.m8n8k4.f64.f64", (1, 1, 2)), ("mma.m16n8k16.f64.f64", (8, 4, 4))):
        inputs = [rng.standard_normal((count, 32)) for count in counts]
        got = execute(name, inputs, "f64", counts[2], on(gpu))
        wanted = execute(name, inputs, "f64", counts[2], interpreted)
        assert np.array_equal(got, wanted), np.abs(got - wanted).max()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_product_of_a_warpgroup_is_the_product_of_the_matrices(case: Case) -> None:
    found, wanted = run_case(case, "cuda:0")
    assert np.array_equal(found.astype(np.float64), wanted.astype(np.float64))


def test_sums_that_overflow_are_clamped_or_wrap() -> None:
    assert np.array_equal(*run_overflowing("cuda:0"))
