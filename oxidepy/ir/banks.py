"""How memory serves a warp: banks of shared memory, sectors of global memory. Places are bytes from an address that is aligned for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

LANES = 32
BANKS = 32  # of shared memory, each of one word
WORD = 4  # bytes
SECTOR = 32  # bytes of global memory that are moved at least


def passes(places: Sequence[int], size: int) -> int:
    """How often shared memory has to serve one access of a warp: the most words that one bank gives at a time.

    `places`: where the lanes' elements of `size` bytes begin, in order of lanes. Lanes that want one word share it. Elements wider than a
    word go in parts of a warp, one after the other.
    """
    together = max(BANKS * WORD // max(size, WORD), 1)
    worst = 0
    for first in range(0, len(places), together):
        words = {byte // WORD for place in places[first : first + together] for byte in range(place, place + size, min(size, WORD))}
        worst = max(worst, *Counter(word % BANKS for word in words).values())
    return worst


def sectors(places: Sequence[int], size: int) -> tuple[int, int]:
    """Sectors of global memory that one access of a warp touches, and how few could hold as many bytes."""
    touched = {byte // SECTOR for place in places for byte in (place, place + size - 1)}
    wanted = len({byte for place in places for byte in range(place, place + size)})
    return len(touched), -(-wanted // SECTOR)
