"""A kernel is found by its name, as a function is: copies, other processes, tools that look at parameters and source."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

from oxidepy import DisjointSlice, i32, kernel, thread


@kernel
def numbered(y: DisjointSlice[i32], first: i32 = 1) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = idx.get() + first


def test_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(numbered)) is numbered
    assert copy.copy(numbered) is numbered and copy.deepcopy([numbered])[0] is numbered


def test_parameters_and_source() -> None:
    asked: Any = numbered
    assert list(inspect.signature(asked).parameters) == ["y", "first"]
    assert "idx.get() + first" in inspect.getsource(asked)
