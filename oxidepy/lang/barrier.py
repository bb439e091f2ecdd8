"""`barrier`: barriers in shared memory (mbarrier), which count the arrivals of threads and the bytes of asynchronous copies, phase by
phase.

An array of them is made by `array`, each begun by `init` (by one thread, with a `block.sync()` behind it) and ended by `inval`. A use
before `init` is OX0381, one after `inval` OX0382. All of it stands under `unsafe`: what the barriers order is not proven. From sm_80 on;
counts of bytes, `try_wait` and other blocks' barriers from sm_90 on. On the device `cpu` there are none (OX6001).
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import u32, u64

    Number = u32 | int
    Token = u64

__oxidepy__ = "barrier"


class Barriers:
    """An array of barriers in shared memory. Its elements are named by their number, and are no values."""

    __oxidepy__ = "Barriers"


@device("barrier.array")
def array(count: int = 1, /) -> Barriers:
    """So many barriers, from 1 to 4096, known at compile time. They are not begun."""
    ...


@device("barrier.init")
def init(bars: Barriers, index: int, count: Number, /) -> None:
    """Begin a barrier: `count` arrivals (1 to 1,048,575) end a phase. By one thread; the others see it behind the next `block.sync()`."""


@device("barrier.inval")
def inval(bars: Barriers, index: int, /) -> None:
    """End a barrier, so that `init` may begin it anew. By one thread, when no other waits."""


@device("barrier.arrive")
def arrive(bars: Barriers, index: int, count: Number = 1, /) -> Token:
    """`count` arrivals; gives the token of the phase, for `wait`. At another block's barrier (`cluster.map_shared`) there is no token."""
    ...


@device("barrier.arrive_no_complete")
def arrive_no_complete(bars: Barriers, index: int, count: Number, /) -> Token:
    """Arrivals that do not end the phase; gives its token."""
    ...


@device("barrier.expect_tx")
def expect_tx(bars: Barriers, index: int, size: Number, /) -> None:
    """The phase does not end before so many more bytes were copied."""


@device("barrier.arrive_expect_tx")
def arrive_expect_tx(bars: Barriers, index: int, size: Number, /) -> Token:
    """`expect_tx`, then one arrival; gives the token. At another block's barrier there is no token."""
    ...


@device("barrier.wait")
def wait(bars: Barriers, index: int, token: Token, /) -> None:
    """Wait until the phase of the token is over; what was done before the arrivals, and the bytes that were counted, are visible then."""


@device("barrier.wait_parity")
def wait_parity(bars: Barriers, index: int, parity: Number, /) -> None:
    """Wait until the phase of that number modulo 2 is over, be it this one or the last: 0 for the first phase, 1 for the second, …"""


@device("barrier.test_wait")
def test_wait(bars: Barriers, index: int, token: Token, /) -> bool:
    """Whether the phase of the token is over."""
    ...


@device("barrier.test_wait_parity")
def test_wait_parity(bars: Barriers, index: int, parity: Number, /) -> bool:
    """Whether the phase of that number modulo 2 is over."""
    ...


@device("barrier.try_wait")
def try_wait(bars: Barriers, index: int, token: Token, /) -> bool:
    """Whether the phase of the token is over, after resting for a while where it is not."""
    ...


@device("barrier.try_wait_parity")
def try_wait_parity(bars: Barriers, index: int, parity: Number, /) -> bool:
    """Whether the phase of that number modulo 2 is over, after resting for a while where it is not."""
    ...


@device("barrier.fence_proxy_async")
def fence_proxy_async(space: Literal["all", "shared", "cluster", "global"] = "all") -> None:
    """What this thread wrote before is seen by the asynchronous copies that it begins behind this."""


@device("barrier.fence_init")
def fence_init() -> None:
    """The barriers that this thread has begun are seen by the other blocks behind the next `cluster.sync()`."""


@device("barrier.nanosleep")
def nanosleep(nanoseconds: Number, /) -> None:
    """Rest for about so long, up to a millisecond, between two looks at memory."""
