"""`random`: counter-based random numbers, the same on every device."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import u32

__oxidepy__ = "random"


@device("random.philox")
def philox(key: tuple[u32 | int, u32 | int], counter: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> tuple[u32, u32, u32, u32]:
    """Four random u32 of the generator Philox 4x32 in 10 rounds, for a key and a counter."""
    ...
