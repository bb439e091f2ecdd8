"""Waiting for a device so that Ctrl-C and a time limit end the wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from oxidepy.runtime.settled import time_limit, timed_out

NOT_READY = 600  # CUDA_ERROR_NOT_READY
SPIN_SECONDS = 200e-6  # most waits are over by then, and a sleep takes at least some 60 µs
LONGEST_SLEEP = 1e-3


def until_done(query: Callable[[], Any], block: Callable[[], Any], kernel: str | None) -> Any:
    """The final status. `query` gives it at once (NOT_READY while work is under way), `block` waits for it without answering to anything.

    DeviceError OX6005 after OXIDEPY_TIMEOUT seconds.
    """
    status = query()
    if int(status) != NOT_READY:
        return status
    limit = time_limit()
    if limit is None and threading.current_thread() is not threading.main_thread():
        return block()  # signals come to the main thread only
    start = time.monotonic()
    pause = 20e-6
    while int(status := query()) == NOT_READY:
        passed = time.monotonic() - start
        if limit is not None and passed >= limit:
            raise timed_out(kernel, limit)
        if passed > SPIN_SECONDS:
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_SLEEP)
    return status
