"""`tma`: copies of whole boxes of an array, and of runs of bytes, by the tensor memory accelerator (sm_90 on, and `interp`).

One thread begins a copy for its block. A copy into shared memory tells a barrier of its bytes: the thread arrives there by
`barrier.arrive_expect_tx`, and who wants the data waits for the phase. Copies out of shared memory are gathered by `commit` and waited for
by `wait`. Boxes lie in shared memory without gaps, at multiples of 128 bytes (`shared.array(…, align=128)`; 1024 under a swizzle of 128).
All of it stands under `unsafe`: what the copies read and write is not proven.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from oxidepy.lang.generic import Generic, TypeVar
from oxidepy.lang.index import D1
from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.barrier import Barriers
    from oxidepy.lang.slices import ConstantSlice, Slice, SliceMut

__oxidepy__ = "tma"

T = TypeVar("T")
D = TypeVar("D", default=D1)
At = int | tuple[int, ...]


class D4:
    """Four axes, of a tensor map."""

    __oxidepy__ = "D4"


class D5:
    """Five axes, of a tensor map."""

    __oxidepy__ = "D5"


class TensorMap(Generic[T, D]):
    """An array in global memory and the shape of its boxes, as a kernel reads them: `tma.TensorMap[f32, D2]`. Made on the host by
    `tma.tensor_map`; a launch that takes it shares the array."""

    __oxidepy__ = "TensorMap"


class TensorMapMut(TensorMap[T, D]):
    """The same, and the kernel writes boxes too: a launch has the array for itself."""

    __oxidepy__ = "TensorMapMut"


@device("tma.load")
def load(to: SliceMut[T, Any], index: Any, map: TensorMap[T, Any], at: At, bars: Barriers, bar: int, /, *, blocks: int = ...) -> None:  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
    """Begin to copy the box that begins at `at` (a coordinate for each axis; negative ones are outside) to `to[index]` on. Barrier `bar`
    of `bars` is told of the bytes of the whole box; elements outside of the array are filled up. `blocks`: a bit for each block of the
    cluster; the box comes to all of them, at the same place, and the same barrier of each is told."""


@device("tma.store")
def store(map: TensorMapMut[T, Any], at: At, source: SliceMut[T, Any], index: Any, /) -> None:
    """Begin to copy a box from `source[index]` on into the array. What lies outside of the array is left out."""


@device("tma.reduce")
def reduce(
    map: TensorMapMut[T, Any],
    at: At,
    source: SliceMut[T, Any],
    index: Any,
    /,
    operation: Literal["add", "min", "max", "and", "or", "xor", "inc", "dec"] = "add",
) -> None:
    """Begin to combine a box from `source[index]` on with the elements of the array, each indivisibly: `add` of i32, u32, u64, f16, bf16
    and f32; `min` and `max` of integers of 32 and 64 bits and of halves; `and`, `or`, `xor` of these integers; `inc` and `dec` of u32."""


@device("tma.prefetch")
def prefetch(map: TensorMap[Any, Any], at: At, /) -> None:
    """Have a box brought into the L2 cache."""


@device("tma.prefetch_map")
def prefetch_map(map: TensorMap[Any, Any], /) -> None:
    """Have the map itself brought near, before its first use."""


@device("tma.copy")
def copy(
    to: SliceMut[T, Any],
    index: Any,
    source: Slice[T, Any] | SliceMut[T, Any] | ConstantSlice[T, Any],
    source_index: Any,
    count: int,
    bars: Barriers = ...,  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
    bar: int = ...,  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
    /,
) -> None:
    """Begin to copy `count` neighbouring elements, both places and all of them together multiples of 16 bytes. From global to shared
    memory, or from shared memory into another block's (`cluster.map_shared`), with a barrier of the block that receives; from shared to
    global memory without one, in a group of the thread."""


@device("tma.prefetch_run")
def prefetch_run(source: Slice[T, Any] | SliceMut[T, Any], index: Any, count: int, /) -> None:
    """Have `count` neighbouring elements brought into the L2 cache."""


@device("tma.commit")
def commit() -> None:
    """Make a group of the copies out of shared memory that this thread has begun since the last one."""


@device("tma.wait")
def wait(left: int = 0, /) -> None:
    """Wait until no more than `left` (0 to 15, known at compile time) of this thread's latest groups are under way."""


@device("tma.wait_read")
def wait_read(left: int = 0, /) -> None:
    """The same, until their shared memory was read and may be written again; the data need not have arrived."""
