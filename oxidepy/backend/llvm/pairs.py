"""Operations on the two halves of a pair, which stand side by side in kernel IR, marked `pair`.

The mark is a hint: kernel IR computes with both halves by themselves, and so does every target where it has nothing better.
"""

from __future__ import annotations

from collections.abc import Sequence

from oxidepy.ir.core import Op

_PLACED = ("load", "store", "atomic")


def mate_of(ops: Sequence[Op], number: int) -> Op | None:
    """The operation that does to the upper half what the one at `number` does to the lower half; None where there is none."""
    one = ops[number]
    other = ops[number + 1] if number + 1 < len(ops) else one
    if one.attrs.get("pair") != "x" or other.attrs.get("pair") != "y" or one.name != other.name:
        return None
    if any(result in other.operands for result in one.results):
        return None
    if one.name not in _PLACED:
        return other
    if "volatile" in one.attrs or "volatile" in other.attrs:
        return None  # as many accesses as the kernel says
    places = one.operands[:2] == other.operands[:2] and one.attrs["offset"] + 2 == other.attrs["offset"]
    return other if places and all(one.attrs.get(key) == other.attrs.get(key) for key in ("kind", "order", "scope")) else None
