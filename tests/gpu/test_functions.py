"""The maths library on a CUDA GPU: the interpreter's bits, and the special values."""

from __future__ import annotations

import pytest
from lang.function_table import FUNCTIONS, TYPES, arguments, compute
from lang.test_functions import SPECIAL, check_special_values

pytestmark = pytest.mark.gpu
both_types = pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)


@both_types
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_bits_are_the_interpreters(name: str, dtype: type) -> None:
    values = arguments(name, dtype, 2000)
    assert compute("cuda:0", name, *values).tobytes() == compute("interp", name, *values).tobytes()


@both_types
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str, dtype: type) -> None:
    check_special_values("cuda:0", name, dtype)
