# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any, Literal, TypeAlias, TypeVar

from oxidepy.lang.barrier import Barriers
from oxidepy.lang.index import ThreadIndex
from oxidepy.lang.slices import AnyInt, ConstantSlice, Slice, SliceMut
from oxidepy.lang.tma import Im2colMap, TensorMap, TensorMapMut

__all__ = [
    "commit",
    "copy",
    "load",
    "prefetch",
    "prefetch_map",
    "prefetch_run",
    "reduce",
    "reduce_run",
    "store",
    "wait",
    "wait_read",
]
T = TypeVar("T")
Index: TypeAlias = AnyInt | ThreadIndex[Any] | tuple[AnyInt, ...]

def commit() -> None:
    """Make a group of the copies out of shared memory that this thread has begun."""
    ...
def copy(
    to: SliceMut[T, Any],
    index: Index,
    source: Slice[T, Any] | SliceMut[T, Any] | ConstantSlice[T, Any],
    source_index: Index,
    count: int,
    bars: Barriers = ...,
    bar: int = ...,
    /,
    *,
    blocks: int = ...,
) -> None:
    """Begin to copy `count` neighbouring elements, both places and all of them together multiples of 16 bytes. From global to shared
    memory, or from shared memory into another block's (`cluster.map_shared`), with a barrier of the block that receives; from shared
    to global memory without one, in a group of the thread. `blocks`: from global memory into all blocks of the cluster whose bit is
    set, as `load` does."""
    ...
def load(
    to: SliceMut[T, Any],
    index: Index,
    map: TensorMap[T, Any] | Im2colMap[T, Any],
    at: int | tuple[int, ...],
    bars: Barriers,
    bar: int,
    /,
    *,
    offsets: int | tuple[int, ...] = ...,
    blocks: int = ...,
) -> None:
    """Begin to copy the box that begins at `at` (a coordinate for each axis; negative ones are outside; along the last axis at a
    multiple of 16 bytes) to `to[index]` on. Barrier `bar` of `bars` is told of the bytes of the whole box; elements outside of the
    array are filled up. `blocks`: a bit for each block of the cluster; the box comes to all of them, at the same place, and the same
    barrier of each is told. Of an `Im2colMap` a column of pixels comes, of which `at` is the first one; `offsets` moves all of them
    along the axes of an image."""
    ...
def prefetch(map: TensorMap[Any, Any] | Im2colMap[Any, Any], at: int | tuple[int, ...], /, *, offsets: int | tuple[int, ...] = ...) -> None:
    """Have a box, or a column of pixels, brought into the L2 cache."""
    ...
def prefetch_map(map: TensorMap[Any, Any] | Im2colMap[Any, Any], /) -> None:
    """Have the map itself brought near, before its first use."""
    ...
def prefetch_run(source: Slice[Any, Any] | SliceMut[Any, Any], index: Index, count: int, /) -> None:
    """Have `count` neighbouring elements brought into the L2 cache."""
    ...
def reduce(
    map: TensorMapMut[T, Any],
    at: int | tuple[int, ...],
    source: SliceMut[T, Any],
    index: Index,
    /,
    operation: Literal["add", "min", "max", "inc", "dec", "and", "or", "xor"] = "add",
) -> None:
    """Begin to combine a box from `source[index]` on, which begins where `store` may write, with the elements of the array, each
    indivisibly: `add` of i32, u32, u64, f16, bf16 and f32; `min` and `max` of integers of 32 and 64 bits and of halves; `and`, `or`,
    `xor` of i32, u32 and u64; `inc` and `dec` of u32."""
    ...
def reduce_run(
    to: SliceMut[T, Any],
    index: Index,
    source: SliceMut[T, Any],
    source_index: Index,
    count: int,
    /,
    operation: Literal["add", "min", "max", "inc", "dec", "and", "or", "xor"] = "add",
) -> None:
    """Begin to combine `count` neighbouring elements of shared memory, placed as for `copy`, with those of global memory, each
    indivisibly, in a group of the thread: `add` of i32, u32, i64, u64 and floats; `min` and `max` of integers of 32 and 64 bits and
    of halves; `and`, `or`, `xor` of integers of 32 and 64 bits; `inc` and `dec` of u32."""
    ...
def store(map: TensorMapMut[T, Any], at: int | tuple[int, ...], source: SliceMut[T, Any], index: Index, /) -> None:
    """Begin to copy a box from `source[index]` on into the array. What lies outside of the array is left out. It begins at no negative
    coordinate, and along the last axis at a multiple of 16 bytes."""
    ...
def wait(left: int = 0) -> None:
    """Wait until no more than `left` (0 to 15, known at compile time) of this thread's latest groups are under way."""
    ...
def wait_read(left: int = 0) -> None:
    """The same, until their shared memory was read and may be written again; the data need not have arrived."""
    ...
