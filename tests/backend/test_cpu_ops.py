"""Every operation on every type gives the interpreter's bits on the CPU, vectors of threads and all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from backend.kernels import TYPES, CpuKernel, batch, inputs, same

from oxidepy.backend.targets import Target, cpu_target
from oxidepy.ir.interpreter import run
from oxidepy.ir.types import Scalar
from oxidepy.settings.options import CodegenOptions

COUNT = 4096


def plainest() -> Target:
    """The oldest CPU of this machine's kind: no conversions of halves, no fused multiply-add, library calls for rounding."""
    host = cpu_target()
    return replace(host, arch="x86-64" if host.layout.startswith("x86_64") else "generic", features="")


@pytest.mark.parametrize("variant", ["optimised", "debug", "plainest"])
@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_operations_have_the_interpreters_bits(type_: Scalar, variant: str) -> None:
    options = CodegenOptions(device_debug=variant == "debug")
    target = plainest() if variant == "plainest" else cpu_target()
    module, found = batch(type_)
    arguments = inputs(type_, COUNT)
    wanted = [np.zeros(COUNT * case.result.size, np.uint8) for case in found]
    got = [np.full(COUNT * case.result.size, 0xA5, np.uint8) for case in found]
    assert run(module, [*arguments, *wanted], (COUNT // 256, 1, 1), (256, 1, 1)) is None
    status, _ = CpuKernel(module, options, target).run([*arguments, *got], (COUNT // 256, 1, 1))
    assert status == 0
    wrong: list[str] = []
    for case, left, right in zip(found, got, wanted, strict=True):
        differ = np.flatnonzero(~same(case.result, left, right))
        if len(differ):
            where = differ[0]
            operands = [one.reshape(COUNT, -1)[where].tobytes()[::-1].hex() for one in arguments[:4]]
            sizes = left.reshape(COUNT, -1)[where].tobytes()[::-1].hex(), right.reshape(COUNT, -1)[where].tobytes()[::-1].hex()
            wrong.append(f"{case}: {len(differ)} differ, first at {operands}: got {sizes[0]}, want {sizes[1]}")
    assert not wrong, "\n".join(wrong)
