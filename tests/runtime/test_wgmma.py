"""Products of a warpgroup on the interpreter: every dtype, swizzle and order against a plain matrix product."""

from __future__ import annotations

import numpy as np
import pytest
from wgmma_cases import CASES, Case, run_case


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_product_of_a_warpgroup_is_the_product_of_the_matrices(case: Case) -> None:
    found, wanted = run_case(case, "interp")
    assert np.array_equal(found.astype(np.float64), wanted.astype(np.float64))
