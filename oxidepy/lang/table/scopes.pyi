# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any, TypeVar

from oxidepy.lang.scalars import u32, u64
from oxidepy.lang.scopes import Coordinates

T = TypeVar("T")

class ThreadRows:
    idx: Coordinates
    """Coordinate of the thread in its block along each axis."""
    def smid(self) -> u32:
        """The multiprocessor that runs the thread now; 0 on `cpu` and `interp`."""
        ...
    def nsmid(self) -> u32:
        """A bound of the numbers that `smid` gives; 1 on `cpu` and `interp`."""
        ...
    def gridid(self) -> u64:
        """A number of this launch, for tools that tell launches apart; 0 on `cpu` and `interp`."""
        ...

class BlockRows:
    idx: Coordinates
    """Coordinate of the block in the grid along each axis."""
    dim: Coordinates
    """Threads of a block along each axis."""
    def sync(self) -> None:
        """Wait for all threads of the block; what they wrote before is visible after. Reached by all or by none (else OX3001)."""
        ...
    def any(self, condition: bool, /) -> bool:
        """A barrier that says whether the condition holds in some thread of the block."""
        ...
    def all(self, condition: bool, /) -> bool:
        """A barrier that says whether the condition holds in every thread of the block."""
        ...
    def count(self, condition: bool, /) -> int:
        """A barrier that counts the threads of the block in which the condition holds."""
        ...

class GridRows:
    dim: Coordinates
    """Blocks of the grid along each axis."""
    size: int
    """Threads of the grid, over all axes."""
    def sync(self) -> None:
        """Wait for all threads of the grid, in a kernel under `cooperative_launch`; what they wrote before is visible after."""
        ...

class ClusterRows:
    def sync(self) -> None:
        """Wait for all threads of the cluster; what they wrote before is visible after."""
        ...
    def arrive(self) -> None:
        """The first half of `cluster.sync`: this thread has come, and goes on. Its `cluster.wait` follows."""
        ...
    def wait(self) -> None:
        """The second half of `cluster.sync`: wait until all threads of the cluster have arrived; what they wrote before is visible."""
        ...

class LanesRows:
    lane: int
    """Number of the thread in the warp (linear index % 32) or tile."""
    def sync(self, /, mask: u32 | int = 0xFFFFFFFF) -> None:
        """Wait for the lanes in `mask`; what they wrote before is visible after."""
        ...
    def shuffle(self, value: T, lane: int, /) -> T:
        """The value of `lane`; the own one where the warp or tile has no such lane."""
        ...
    def shuffle_xor(self, value: T, mask: int, /) -> T:
        """The value of lane `lane ^ mask`; the own one where the warp or tile has no such lane."""
        ...
    def shuffle_down(self, value: T, delta: int, /) -> T:
        """The value of lane `lane + delta`; the own one where the warp or tile has no such lane."""
        ...
    def shuffle_up(self, value: T, delta: int, /) -> T:
        """The value of lane `lane - delta`; the own one where the warp or tile has no such lane."""
        ...
    def ballot(self, condition: bool, /) -> u32:
        """A mask of the lanes (bit 0: the first of the warp or tile) in which the condition holds."""
        ...
    def all(self, condition: bool, /) -> bool:
        """Whether the condition holds in every lane."""
        ...
    def any(self, condition: bool, /) -> bool:
        """Whether the condition holds in some lane."""
        ...
    def match_any(self, value: Any, /) -> u32:
        """A mask of the lanes with the same value: the same bits."""
        ...
    def match_all(self, value: Any, /) -> bool:
        """Whether all lanes have the same value: the same bits."""
        ...
    def reduce_sum(self, value: T, /) -> T:
        """The sum over the lanes, in every lane."""
        ...
    def reduce_min(self, value: T, /) -> T:
        """The least over the lanes, in every lane."""
        ...
    def reduce_max(self, value: T, /) -> T:
        """The greatest over the lanes, in every lane."""
        ...
    def reduce_and(self, value: T, /) -> T:
        """The bits that are 1 in all of the lanes' values, in every lane. Of integers."""
        ...
    def reduce_or(self, value: T, /) -> T:
        """The bits that are 1 in some of the lanes' values, in every lane. Of integers."""
        ...
    def reduce_xor(self, value: T, /) -> T:
        """The bits that are 1 in an odd number of the lanes' values, in every lane. Of integers."""
        ...

class WarpRows:
    id: int
    """Number of the warp in its block: linear thread index // 32."""
