"""`tma`: copies of whole boxes of an array, and of runs of bytes, by the tensor memory accelerator (sm_90 on, and `interp`).

One thread begins a copy for its block. A copy into shared memory tells a barrier of its bytes: the thread arrives there by
`barrier.arrive_expect_tx`, and who wants the data waits for the phase. Copies out of shared memory are gathered by `commit` and waited for
by `wait`. Boxes lie in shared memory without gaps, at multiples of 128 bytes (`shared.array(…, align=128)`; 1024 under a swizzle of 128).
All of it stands under `unsafe`: what the copies read and write is not proven. `tensor_map` makes the maps on the host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from oxidepy.ir.types import Scalar
from oxidepy.lang.tma import D4 as D4
from oxidepy.lang.tma import D5 as D5
from oxidepy.lang.tma import TensorMap as TensorMap
from oxidepy.lang.tma import TensorMapMut as TensorMapMut
from oxidepy.runtime import elements
from oxidepy.runtime.buffer import DeviceBuffer
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.diagnostics import LaunchError
    from oxidepy.lang.table.tma import *  # noqa: F403
    from oxidepy.runtime.driver import Driver

    _Base = TensorMapMut[Any, Any]  # to a type checker a map is what the kernel's parameter says
else:
    from oxidepy.lang.table import module as _module

    _Base = object
    __getattr__, __dir__ = _module("tma", globals())

__oxidepy__ = "tma"

T = TypeVar("T")
MOST_AXES, MOST_BOX = 5, 256
STEP = 16  # bytes, of which the address, the distances of rows and the rows of a box are multiples
MOST_BYTES = 227 * 1024  # of a box: no GPU has more shared memory a block


class HostMap(_Base):
    """What `tensor_map` gives: an array and its boxes, checked. `shape`, `strides` (in bytes) and `box` by axis, the last one without
    gaps. `buffer` is the memory, which lives as long as the map."""

    def __init__(
        self, buffer: DeviceBuffer[Any], element: Scalar, shape: tuple[int, ...], strides: tuple[int, ...], box: tuple[int, ...]
    ) -> None:
        self.buffer, self.element = buffer, element
        self.shape, self.strides, self.box = shape, strides, box
        self.swizzle = 0
        self.promotion = 0
        self.fill: Literal["zero", "nan"] = "zero"
        self.encoded: Any = None  # the driver's own form, once one was asked for

    def given(self, driver: Driver) -> Any:
        """What a launch on that device takes for it, made once."""
        if self.encoded is None:
            self.encoded = driver.tensor_map(self)
        return self.encoded[0]

    def __repr__(self) -> str:
        return f"<TensorMap of {self.element}, {' x '.join(map(str, self.shape))}, boxes of {' x '.join(map(str, self.box))}>"


def tensor_map(
    buffer: DeviceBuffer[T],
    box: int | Sequence[int],
    *,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    swizzle: Literal[0, 32, 64, 128] = 0,
    promotion: Literal[0, 64, 128, 256] = 0,
    fill: Literal["zero", "nan"] = "zero",
) -> TensorMapMut[T, Any]:
    """A tensor map of the array in a buffer, in boxes of `box` elements along each axis.

    The array has the buffer's shape, or `shape` (one to five axes), and `strides` in elements, C-contiguous where nothing is said; the
    last is 1. `swizzle`: how the rows of a box lie in shared memory: in plain order, or each 16 bytes moved within patterns of 32, 64
    or 128 bytes, as long as a row of the box, so that columns meet no bank twice. `promotion`: bytes that the L2 cache fetches at once.
    `fill`: what elements outside of the array read as. LaunchError OX2007 for what the hardware cannot do: the address, every stride
    but the last and a row of the box are multiples of 16 bytes; OX2003 for more than 256 elements along an axis of the box, or a box
    larger than shared memory.
    """
    if not isinstance(cast("object", buffer), DeviceBuffer):
        raise _refuse(f"got {type(buffer).__name__}", "hand over a DeviceBuffer")
    if buffer._memory.stream is None:
        raise _refuse("the buffer was released", "make a new buffer, and its map")
    element = buffer._element
    if not isinstance(element, Scalar):
        raise _refuse(
            f"elements of `{elements.element_name(element)}`", "a tensor map has scalar elements: see the struct's fields as an axis"
        )
    extents = _extents("shape", buffer.shape if shape is None else shape)
    boxes = _extents("box", (box,) if hasattr(box, "__index__") else box)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    if len(boxes) != len(extents):
        raise _refuse(f"a box of {_axes(boxes)} for an array of {_axes(extents)}", "give the box an extent for each axis")
    found = HostMap(buffer, element, extents, _strides(buffer, element, extents, strides), boxes)
    for name, value, choices in (
        ("swizzle", swizzle, (0, 32, 64, 128)),
        ("promotion", promotion, (0, 64, 128, 256)),
        ("fill", fill, ("zero", "nan")),
    ):
        if value not in choices:
            raise _refuse(f"{name}={value!r}", f"it is one of {', '.join(map(repr, choices))}")
    if fill == "nan" and not element.is_float:
        raise _refuse(f'fill="nan" of `{element}`', "integers are filled up with zeros")
    found.swizzle, found.promotion, found.fill = swizzle, promotion, fill
    _box(found)
    return found


def _refuse(what: str, help: str, code: str = "OX2007") -> LaunchError:
    return launch_error(code, f"no tensor map: {what}", help=help)


def _axes(extents: Sequence[int]) -> str:
    return "1 axis" if len(extents) == 1 else f"{len(extents)} axes"


def _extents(name: str, given: Sequence[int]) -> tuple[int, ...]:
    try:
        found = tuple(index(one) for one in given)
    except TypeError:
        raise _refuse(f"{name}={given!r}", f"`{name}` is a tuple of ints") from None
    if not 1 <= len(found) <= MOST_AXES or min(found) < 1:
        raise _refuse(f"{name}={found}", "there are one to five axes, each of one element or more")
    return found


def _strides(buffer: DeviceBuffer[Any], element: Scalar, shape: tuple[int, ...], given: Sequence[int] | None) -> tuple[int, ...]:
    """Distances in bytes."""
    own = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    if given is not None:
        own = list(_extents("strides", given))
        if len(own) != len(shape):
            raise _refuse(f"{len(own)} strides for {_axes(shape)}", "give a stride for each axis")
        if own[-1] != 1:
            raise _refuse(f"a stride of {own[-1]} along the last axis", "neighbours along the last axis are neighbours in memory")
    strides = [one * element.size for one in own]
    for axis, stride in enumerate(strides[:-1]):
        if stride % STEP or stride >= 1 << 40:
            help = f"make rows of a multiple of {STEP // math.gcd(STEP, element.size)} elements, for instance by padding"
            raise _refuse(f"a stride of {stride} bytes along axis {axis}, no multiple of {STEP}", help)
    if buffer.address % STEP:
        raise _refuse(f"the array begins at an address that is no multiple of {STEP}", "begin a view `b[i:j]` at such a place")
    if max(shape) > 1 << 32:
        raise _refuse(f"an axis of {max(shape)} elements", "an axis has up to 2**32", "OX2003")
    last = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)) + element.size
    if last > buffer.nbytes:
        raise _refuse(
            f"the array has {last} bytes, and the buffer {buffer.nbytes}", "give a shape and strides that lie inside of the buffer"
        )
    return tuple(strides)


def _box(map: HostMap) -> None:
    size, box = map.element.size, map.box
    if max(box) > MOST_BOX:
        raise _refuse(f"a box of {max(box)} elements along an axis", f"take boxes of up to {MOST_BOX}, several side by side", "OX2003")
    row = box[-1] * size
    if row % STEP:
        raise _refuse(
            f"rows of {row} bytes in a box, no multiple of {STEP}", f"make them a multiple of {STEP // math.gcd(STEP, size)} elements"
        )
    if map.swizzle and row != map.swizzle:  # of shorter rows the hardware leaves the rest of the pattern free
        raise _refuse(f"rows of {row} bytes under a swizzle of {map.swizzle}", "a row of the box is as long as the pattern")
    if math.prod(box) * size > MOST_BYTES:
        raise _refuse(f"a box of {math.prod(box) * size} bytes", f"a block has up to {MOST_BYTES} bytes of shared memory", "OX2003")
