"""Room for deep trees: a long sum or a long `elif` chain nests as deep as it is long, and everything that walks a kernel goes down it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

DEEPEST = 10_000  # Python calls inside each other while a kernel is compiled
_lock = threading.Lock()
_inside = 0  # the limit is one for all threads: the first one in raises it, the last one out puts it back
_before = 0


@contextmanager
def deep() -> Generator[None]:
    """Raise Python's recursion limit for a while. RecursionError still comes beyond `DEEPEST`."""
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = sys.getrecursionlimit()
        _inside += 1
        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                sys.setrecursionlimit(_before)
