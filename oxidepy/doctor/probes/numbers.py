"""NumPy: whether it loads, and whether its compiled part and ours agree on the bytes of an array."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from importlib import import_module
from typing import Any


def stages() -> Iterator[tuple[str, dict[str, Any]]]:
    np: Any = import_module("numpy")

    values = np.arange(4, dtype=np.float32)
    address = values.ctypes.data
    seen = list((ctypes.c_float * 4).from_address(address))
    yield "numpy", {"version": np.__version__, "path": np.__file__, "bytes_agree": seen == [0.0, 1.0, 2.0, 3.0]}
