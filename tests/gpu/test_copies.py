"""The hardware layer on a CUDA GPU: the same programs as in the interpreter, with the same results."""

from __future__ import annotations

import numpy as np
import pytest
from copies import barriers, clusters, every_row, images, tensor_maps, tensor_types

import oxidepy as ox

pytestmark = pytest.mark.gpu

PARTS = (clusters, barriers, tensor_maps, tensor_types, every_row, images)
PROGRAMS = {f"{part.__name__.rpartition('.')[2]}.{name}": program for part in PARTS for name, program in part.PROGRAMS.items()}


@pytest.fixture(scope="module")
def ctx() -> ox.Context:
    return ox.Context("cuda:0")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(ctx: ox.Context, name: str) -> None:
    np.testing.assert_array_equal(*PROGRAMS[name](ctx))
