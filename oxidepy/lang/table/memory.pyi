# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any, TypeAlias

from oxidepy.lang.index import ThreadIndex
from oxidepy.lang.scalars import u32
from oxidepy.lang.slices import AnyInt, SliceMut

Index: TypeAlias = AnyInt | ThreadIndex[Any] | tuple[AnyInt, ...]

class SharedRows:
    def address(self, p: SliceMut[Any, Any], index: Index, /) -> u32:
        """The address of an element of a shared array, in bytes of the block's shared memory."""
        ...
