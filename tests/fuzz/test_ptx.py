"""Random kernels compile to PTX that assembles."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from backend.assembler import assemble
from fuzz.differential import load
from fuzz.kernels import generate


@pytest.mark.parametrize(("seed", "arch"), [(50, "sm_80"), (51, "sm_90a"), (52, "sm_100a"), (53, "sm_120a")])
def test_ptx_of_random_kernels_assembles(seed: int, arch: str, tmp_path: Path) -> None:
    generated = generate(random.Random(seed), 6)
    module = load(generated, tmp_path, f"fuzz_ptx_{seed}")
    for name, _ in generated.kernels:
        assert "spill" in assemble(getattr(module, name).ptx(arch=arch), arch)
