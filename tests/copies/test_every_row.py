"""The rows of barriers and copies that the other programs leave out."""

from __future__ import annotations

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from copies import every_row

import oxidepy as ox

CPU = ("filled_up",)


@pytest.mark.parametrize("name", every_row.PROGRAMS)
def test_programs(name: str) -> None:
    np.testing.assert_array_equal(*every_row.PROGRAMS[name](ox.Context("interp")))


@pytest.mark.parametrize("name", CPU)
def test_programs_of_the_cpu(name: str) -> None:
    np.testing.assert_array_equal(*every_row.PROGRAMS[name](ox.Context("cpu")))


@pytest.mark.parametrize("arch", ARCHES[1:])
def test_assembled(arch: str) -> None:
    for least, kernels in every_row.KERNELS.items():
        for one in kernels if int(arch.strip("sma_")) >= least else ():
            assert "registers" in assemble(one.ptx(arch), arch)


def test_registers_change_hands() -> None:
    text = every_row.handed.ptx("sm_90a")
    assert all(one in text for one in ("setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.inc.sync.aligned.u32 216;", ".maxnreg 128"))
    assemble(text, "sm_90a")
