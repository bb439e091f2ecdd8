"""`bits.cast` between all types of one width, pairs of halves too: the bytes stay."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from backend.assembler import assemble
from loading import load

import oxidepy as ox

WIDTHS = {
    8: ["i8", "u8"],
    16: ["i16", "u16", "f16", "bf16"],
    32: ["i32", "u32", "f32", "f16x2", "bf16x2"],
    64: ["i64", "u64", "f64"],
}
HEAD = "from oxidepy import *\nfrom oxidepy import bits\n"
ONE = """
@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def from_{0}_{1}(x: Slice[{0}], y: DisjointSlice[{1}]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = bits.cast({1}, x[idx])
"""


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_pair(width: int, device: str, tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    pairs = list(itertools.product(WIDTHS[width], repeat=2))
    path = tmp_path / f"casts_{width}.py"
    path.write_text(HEAD + "".join(ONE.format(*one) for one in pairs), encoding="utf-8")
    module, stream = load(path), ox.Context(device).new_stream()
    raw = np.random.default_rng(width).integers(0, 256, 64 * width // 8, dtype=np.uint8)
    for source, target in pairs:
        x = ox.DeviceBuffer.zeros(stream, 64, getattr(ox, source))
        x.copy_from_host(stream, raw.view(x.dtype))
        y = ox.DeviceBuffer.zeros(stream, 64, getattr(ox, target))
        cast = getattr(module, f"from_{source}_{target}")
        cast.launch(stream, x, y)
        assert y.to_host(stream).tobytes() == raw.tobytes(), (source, target)
        if device == "interp":
            assemble(cast.ptx("sm_90a"), "sm_90a")
