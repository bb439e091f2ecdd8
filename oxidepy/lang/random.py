"""`random`: counter-based random numbers, the same on every device."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import f64, u32

    Key = tuple[u32 | int, u32 | int]
    Counter = tuple[u32 | int, u32 | int, u32 | int, u32 | int]

__oxidepy__ = "random"


@device("random.philox")
def philox(key: Key, counter: Counter, /) -> tuple[u32, u32, u32, u32]:
    """Four random u32 of the generator Philox 4x32 in 10 rounds, for a key and a counter."""
    ...


@device("random.uniform")
def uniform(key: Key, counter: Counter, /) -> tuple[float, float, float, float]:
    """Four f32 in [0, 1), evenly: the upper 24 bits of each word of `philox` as a multiple of 2**-24."""
    ...


@device("random.uniform_f64")
def uniform_f64(key: Key, counter: Counter, /) -> tuple[f64, f64]:
    """Two f64 in [0, 1), evenly: the upper 53 bits of two words of `philox` each, the second above the first, as a multiple of 2**-53."""
    ...


@device("random.normal")
def normal(key: Key, counter: Counter, /) -> tuple[float, float, float, float]:
    """Four f32 of the standard normal distribution: two of two words of `philox` each, by Box and Muller; at most 6.8 in size."""
    ...


@device("random.normal_f64")
def normal_f64(key: Key, counter: Counter, /) -> tuple[f64, f64]:
    """Two f64 of the standard normal distribution, of the four words of `philox`; at most 9.5 in size."""
    ...
