"""Every operation on every type becomes PTX that ptxas takes, on every generation of GPUs."""

from __future__ import annotations

import re

import pytest
from backend.assembler import ARCHES, assemble
from backend.kernels import NO_LINES, TYPES, batch

from oxidepy.backend import nvptx
from oxidepy.backend.targets import nvptx_target
from oxidepy.ir.types import Scalar
from oxidepy.settings.options import CodegenOptions


def ptx_of(type_: Scalar, arch: str) -> str:
    module, _ = batch(type_)
    return nvptx.emit(module, nvptx_target(arch), NO_LINES).code.decode()


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_operations_assemble(type_: Scalar, arch: str) -> None:
    assert "Used" in assemble(ptx_of(type_, arch), arch)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_operations_assemble_without_optimisation(type_: Scalar) -> None:
    module, _ = batch(type_)
    ptx = nvptx.emit(module, nvptx_target("sm_90a"), CodegenOptions(device_debug=True)).code.decode()
    assert "Used" in assemble(ptx, "sm_90a")


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("type_", [one for one in TYPES if one.is_float], ids=str)
def test_float_operations_are_ieee(type_: Scalar, arch: str) -> None:
    ptx = ptx_of(type_, arch)
    assert ".ftz" not in ptx
    assert "approx" not in ptx
    assert re.search(r"\bdiv\.rn\.f(32|64)", ptx)
    assert re.search(r"\bsqrt\.rn\.f(32|64)", ptx)
    assert ".extern" not in ptx  # no call of a library that is not there
