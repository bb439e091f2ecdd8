"""`math.fast`: the hardware's instruction on a GPU; on the others the function of `math` of the same name, to the bit."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import ulp
from backend.assembler import assemble
from frontend.running import refused
from frontend.test_refused import compiled
from lang.function_table import applied

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, bf16x2, f16, f32, kernel, thread

ARCHES = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
E = ulp.EXACT
# instructions; the exact function of one or two arguments; the range of the arguments; the error there, and whether that is absolute
ROWS: dict[str, tuple[tuple[str, ...], Any, tuple[float, float], float, bool]] = {
    "sin": (("sin.approx.f32",), E.sin, (-6.2, 6.2), 2**-20.5, True),
    "cos": (("cos.approx.f32",), E.cos, (-6.2, 6.2), 2**-20.5, True),
    "tan": (("sin.approx.f32", "cos.approx.f32", "div.approx.f32"), E.tan, (-1.4, 1.4), 2**-15, True),
    "tanh": (("tanh.approx.f32",), E.tanh, (-8, 8), 2**-10.9, False),
    "exp": (("ex2.approx.f32",), E.exp, (-80, 80), 2**-16, False),
    "exp2": (("ex2.approx.f32",), lambda x: E.power(2, x), (-120, 120), 2**-22, False),
    "exp10": (("ex2.approx.f32",), lambda x: E.power(10, x), (-35, 35), 2**-16, False),
    "log": (("lg2.approx.f32",), E.log, (0.5, 2), 2**-21, True),
    "log2": (("lg2.approx.f32",), lambda x: E.log(x) / E.ln2, (0.5, 2), 2**-21, True),
    "log10": (("lg2.approx.f32",), E.log10, (0.5, 2), 2**-22, True),
    "sqrt": (("sqrt.approx.f32",), E.sqrt, (1e-30, 1e30), 2**-22, False),
    "rsqrt": (("rsqrt.approx.f32",), lambda x: 1 / E.sqrt(x), (1e-30, 1e30), 2**-22, False),
    "rcp": (("rcp.approx.f32",), lambda x: 1 / x, (1e-30, 1e30), 2**-22, False),
    "div": (("div.approx.f32",), lambda x, y: x / y, (1e-15, 1e15), 2**-21, False),
    "pow": (("lg2.approx.f32", "ex2.approx.f32"), lambda x, y: E.power(x, y), (0.6, 4), 2**-18, False),
}
PAIRS = ("div", "pow")


@functools.cache
def kernel_of(name: str, fast: bool = True) -> Any:
    return applied(getattr(ox.math.fast if fast else ox.math, name, None), f32, 2 if name in PAIRS else 1)


def compute(device: str, name: str, x: np.ndarray, y: np.ndarray, fast: bool = True) -> np.ndarray:
    stream = ox.Context(device).default_stream()
    out = ox.DeviceBuffer.zeros(stream, len(x), f32)
    given = (ox.DeviceBuffer.from_host(stream, one) for one in ((x, y) if name in PAIRS else (x,)))
    kernel_of(name, fast).launch(stream, *given, out)
    return out.to_host(stream)


def arguments(name: str, count: int = 500) -> tuple[np.ndarray, np.ndarray]:
    low, high = ROWS[name][2]
    rng = np.random.default_rng(2)
    if low > 0:
        x, y = np.exp2(rng.uniform(np.log2(low), np.log2(high), (2, count)))
    else:
        x, y = rng.uniform(low, high, (2, count))
    return x.astype(np.float32), y.astype(np.float32)


def test_all_functions_are_here() -> None:
    public = {name for name, value in vars(ox.math.fast).items() if getattr(value, "__oxidepy__", "").startswith("math.fast.")}
    assert public == set(ROWS)


@pytest.mark.parametrize("device", ["interp", "cpu"])
@pytest.mark.parametrize("name", [one for one in ROWS if hasattr(ox.math, one)])
def test_without_a_gpu_it_is_the_function_of_math(name: str, device: str) -> None:
    x, y = arguments(name)
    assert compute(device, name, x, y).tobytes() == compute(device, name, x, y, fast=False).tobytes()


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("name", ROWS)
def test_as_near_as_the_page_says(name: str, device: str) -> None:
    _, exact, _, bound, absolute = ROWS[name]
    x, y = arguments(name)
    got = compute(device, name, x, y)
    for a, b, one in zip(x.tolist(), y.tolist(), got.tolist(), strict=True):
        due = exact(E.mpf(a), E.mpf(b)) if name in PAIRS else exact(E.mpf(a))
        assert abs(due - one) <= bound * (1 if absolute else abs(due)), f"{name}({a}, {b}) is {one}, not {float(due)}"


@pytest.mark.parametrize("arch", ARCHES)
def test_a_gpu_takes_its_instruction(arch: str) -> None:
    for name, (instructions, *_) in ROWS.items():
        text = kernel_of(name).ptx(arch)
        assert all(one in text for one in instructions), name
        assemble(text, arch)


@kernel
def of_halves(x: Slice[f16], y: Slice[bf16x2], single: DisjointSlice[f16], out: DisjointSlice[f16], pairs: DisjointSlice[bf16x2]) -> None:
    idx = thread.index_1d()
    if idx in out and idx in single and idx in pairs:
        single[idx] = f16(ox.math.fast.tanh(f32(x[idx])))
        out[idx] = ox.math.fast.tanh(x[idx])
        pairs[idx] = ox.math.fast.div(ox.math.fast.exp2(y[idx]), 2.0)


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_of_halves_the_approximation_is_rounded(device: str) -> None:
    stream = ox.Context(device).default_stream()
    x, y = np.linspace(-3, 3, 64).astype(np.float16), np.arange(-64, 64).astype(np.float32)
    words = (y.view(np.uint32) >> 16).astype(np.uint16)
    given = ox.DeviceBuffer.from_host(stream, x), ox.DeviceBuffer.from_host(stream, words).reinterpret(bf16x2)
    single, out = (ox.DeviceBuffer.zeros(stream, 64, f16) for _ in range(2))
    pairs = ox.DeviceBuffer.zeros(stream, 64, bf16x2)
    of_halves.launch(stream, *given, single, out, pairs)
    np.testing.assert_array_equal(out.to_host(stream), single.to_host(stream))
    np.testing.assert_allclose(out.to_host(stream), np.tanh(x.astype(np.float64)), rtol=2**-10)
    wide = pairs.reinterpret(ox.u16).to_host(stream).astype(np.uint32) << 16
    np.testing.assert_array_equal(wide.view(np.float32), np.exp2(y) / 2)


@pytest.mark.parametrize(
    ("body", "part", "help"),
    [
        ("a = math.fast.sin(f64(n))", "`math.fast.sin` is for `f32` and `f16` and `bf16`, and this is `f64`", "use `math.sin`"),
        ("a = math.fast.pow(f32(n), n)", "`f32` and `i32`", "convert"),
        ("a = math.fast.exp(n)", "is for `f32` and `f16` and `bf16`, and this is `i32`", "`f32(n)`"),
    ],
)
def test_what_is_refused(body: str, part: str, help: str) -> None:
    found = refused(compiled(body, math=ox.math, f32=f32, f64=ox.f64))
    assert (found.code, part in found.message, help in (found.help or "")) == ("OX0308", True, True), found
