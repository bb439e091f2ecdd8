# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Literal

from oxidepy.lang.barrier import Barriers
from oxidepy.lang.scalars import u32, u64

__all__ = [
    "arrive",
    "arrive_drop",
    "arrive_expect_tx",
    "arrive_no_complete",
    "complete_tx",
    "expect_tx",
    "fence_init",
    "fence_proxy_async",
    "init",
    "inval",
    "nanosleep",
    "pending_count",
    "test_wait",
    "test_wait_parity",
    "try_wait",
    "try_wait_parity",
    "wait",
    "wait_parity",
]

def arrive(bars: Barriers, index: int, count: u32 | int = 1, /) -> u64:
    """`count` arrivals; gives the token of the phase, for `wait`. At another block's barrier (`cluster.map_shared`) there is no token."""
    ...
def arrive_drop(bars: Barriers, index: int, count: u32 | int = 1, /) -> u64:
    """`arrive` for the last time: the phases behind this one lack `count` arrivals fewer. Some arrival stays."""
    ...
def arrive_expect_tx(bars: Barriers, index: int, size: u32 | int, /) -> u64:
    """`expect_tx`, then one arrival; gives the token. At another block's barrier there is no token."""
    ...
def arrive_no_complete(bars: Barriers, index: int, count: u32 | int, /) -> u64:
    """Arrivals that do not end the phase; gives its token."""
    ...
def complete_tx(bars: Barriers, index: int, size: u32 | int, /) -> None:
    """So many bytes have come, as an asynchronous copy says it: for data that threads bring themselves."""
    ...
def expect_tx(bars: Barriers, index: int, size: u32 | int, /) -> None:
    """The phase does not end before so many more bytes were copied."""
    ...
def fence_init() -> None:
    """The barriers that this thread has begun are seen by the other blocks behind the next `cluster.sync()`."""
    ...
def fence_proxy_async(space: Literal["all", "shared", "cluster", "global"] = "all") -> None:
    """What this thread wrote before is seen by the asynchronous copies that it begins behind this."""
    ...
def init(bars: Barriers, index: int, count: u32 | int, /) -> None:
    """Begin a barrier: `count` arrivals (1 to 1,048,575) end a phase. By one thread; others see it behind the next `block.sync()`."""
    ...
def inval(bars: Barriers, index: int, /) -> None:
    """End a barrier, so that `init` may begin it anew. By one thread, when no other waits."""
    ...
def nanosleep(nanoseconds: u32 | int, /) -> None:
    """Rest for about so long, up to a millisecond, between two looks at memory."""
    ...
def pending_count(token: u64 | int, /) -> u32:
    """How many arrivals the phase lacked when `arrive_no_complete` gave the token, which may be of no other call."""
    ...
def test_wait(bars: Barriers, index: int, token: u64 | int, /) -> bool:
    """Whether the phase of the token is over."""
    ...
def test_wait_parity(bars: Barriers, index: int, parity: u32 | int, /) -> bool:
    """Whether the phase of that number modulo 2 is over."""
    ...
def try_wait(bars: Barriers, index: int, token: u64 | int, /) -> bool:
    """Whether the phase of the token is over, after resting for a while where it is not."""
    ...
def try_wait_parity(bars: Barriers, index: int, parity: u32 | int, /) -> bool:
    """Whether the phase of that number modulo 2 is over, after resting for a while where it is not."""
    ...
def wait(bars: Barriers, index: int, token: u64 | int, /) -> None:
    """Wait until the phase of the token is over; what was done before the arrivals, and bytes that were counted, are visible then."""
    ...
def wait_parity(bars: Barriers, index: int, parity: u32 | int, /) -> None:
    """Wait until the phase of that number modulo 2 is over, be it this one or the last: 0 for the first phase, 1 for the second, …"""
    ...
