"""`tma`: copies of whole boxes of an array, and of runs of bytes, by the tensor memory accelerator (sm_90 on, and `interp`).

One thread begins a copy for its block. A copy into shared memory tells a barrier of its bytes: the thread arrives there by
`barrier.arrive_expect_tx`, and who wants the data waits for the phase. Copies out of shared memory are gathered by `commit` and waited for
by `wait`. Boxes lie in shared memory without gaps, at multiples of 128 bytes (`shared.array(…, align=128)`; 1024 under a swizzle of 128).
All of it stands under `unsafe`: what the copies read and write is not proven. `tensor_map` and `im2col_map` make the maps on the
host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from oxidepy.ir.types import Scalar
from oxidepy.lang.calls import coded
from oxidepy.lang.tma import D4 as D4
from oxidepy.lang.tma import D5 as D5
from oxidepy.lang.tma import Im2colMap as Im2colMap
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
MOST_AXES, MOST_BOX, MOST_PIXELS, MOST_STEP = 5, 256, 1024, 8
STEP = 16  # bytes, of which the address, the distances of rows and the rows of a box are multiples
MOST_BYTES = 227 * 1024  # of a box: no GPU has more shared memory a block


class HostMap(_Base):
    """What `tensor_map` gives: an array and its boxes, checked. `shape`, `strides` (in bytes) and `box` by axis, the last one without
    gaps; `steps` from one element of a box to the next. `buffer` is the memory, which lives as long as the map. Of `im2col_map` `box` is
    pixels and channels, and `corners` are the lower and the upper one of what the pixels are taken of, by axis of the images."""

    def __init__(
        self,
        buffer: DeviceBuffer[Any],
        element: Scalar,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        box: tuple[int, ...],
        steps: tuple[int, ...],
        corners: tuple[tuple[int, ...], tuple[int, ...]] | None = None,
    ) -> None:
        self.buffer, self.element = buffer, element
        self.shape, self.strides, self.box, self.steps, self.corners = shape, strides, box, steps, corners
        self.swizzle = 0
        self.promotion = 0
        self.fill: Literal["zero", "nan"] = "zero"
        self.encoded: Any = None  # the driver's own form, once one was asked for

    @property
    def im2col(self) -> bool:
        return self.corners is not None

    def given(self, driver: Driver) -> Any:
        """What a launch on that device takes for it, made once."""
        if self.encoded is None:
            self.encoded = driver.tensor_map(self)
        return self.encoded[0]

    def __repr__(self) -> str:
        kind, shape, box = ("Im2colMap" if self.im2col else "TensorMap"), *(" x ".join(map(str, one)) for one in (self.shape, self.box))
        return f"<{kind} of {self.element}, {shape}, boxes of {box}>"


@coded(name="tma.tensor_map")
def tensor_map(
    buffer: DeviceBuffer[T],
    box: int | Sequence[int],
    *,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    steps: Sequence[int] | None = None,
    swizzle: Literal[0, 32, 64, 128] = 0,
    promotion: Literal[0, 64, 128, 256] = 0,
    fill: Literal["zero", "nan"] = "zero",
) -> TensorMapMut[T, Any]:
    """A tensor map of the array in a buffer, in boxes of `box` elements along each axis.

    The array has the buffer's shape, or `shape` (one to five axes), and `strides` in elements, C-contiguous where nothing is said;
    the last is 1. `steps`: a box has every so many-th element along an axis, 1 to 8, and along the last axis 1. `swizzle`: how the
    rows of a box lie in shared memory: in plain order, or each 16 bytes moved within patterns of 32, 64 or 128 bytes, as long as a
    row of the box, so that columns meet no bank twice. `promotion`: bytes that the L2 cache fetches at once. `fill`: what elements
    outside of the array read as. LaunchError OX2007 for what the hardware cannot do: the address, every stride but the last and a
    row of the box are multiples of 16 bytes; OX2003 for a box that reaches over more than 256 elements along an axis, or is larger
    than shared memory.
    """
    element, extents, strides_ = _array(buffer, shape, strides)
    boxes = _extents("box", (box,) if hasattr(box, "__index__") else box)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    if len(boxes) != len(extents):
        raise _refuse(f"a box of {_axes(boxes)} for an array of {_axes(extents)}", "give the box an extent for each axis")
    found = HostMap(buffer, element, extents, strides_, boxes, _steps(extents, steps))
    if max(reach := [one * step for one, step in zip(boxes, found.steps, strict=True)]) > MOST_BOX:
        message = f"a box of {max(reach)} elements along an axis" + ", of which it takes some" * (reach != [*boxes])
        raise _refuse(message, f"take boxes of up to {MOST_BOX}, several side by side", "OX2003")
    return _checked(found, swizzle, promotion, fill)


@coded(name="tma.im2col_map")
def im2col_map(
    buffer: DeviceBuffer[T],
    box: tuple[int, int],
    *,
    lower: Sequence[int] | None = None,
    upper: Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    steps: Sequence[int] | None = None,
    swizzle: Literal[0, 32, 64, 128] = 0,
    promotion: Literal[0, 64, 128, 256] = 0,
    fill: Literal["zero", "nan"] = "zero",
) -> Im2colMap[T, Any]:
    """A tensor map of images (N, W, C or N, H, W, C or N, D, H, W, C) in columns of pixels, for convolutions: `box` is how many pixels
    `tma.load` takes at once, up to 1024, and how many channels of each, up to 256.

    The pixels of a column follow one another, along W first, then H and D, then in the next image, within the bounds `lower` to
    `extent - 1 + upper` of each axis of an image (zeros where nothing is said; below 0 or above 0 they lie outside of it); `steps` (up to
    8, one for each axis, that of images and of channels 1) are the strides of a convolution. `offsets` of `tma.load` then moves all of
    the pixels: the place in the filter. So a convolution of a filter of `r` rows, dilated by `d` and with `p` rows of padding, has
    `lower` -p and `upper` `p - (r - 1) * d` there. The rest is as for `tensor_map`. LaunchError OX2007 and OX2003 as there.
    """
    element, extents, strides_ = _array(buffer, shape, strides)
    if len(extents) < 3:
        raise _refuse(f"images of {_axes(extents)}", "there are three to five: images, up to three axes of pixels, channels")
    boxes = _extents("box", box)
    if len(boxes) != 2:
        raise _refuse(f"box={boxes}", "it is two numbers: pixels, and channels of each")
    if boxes[0] > MOST_PIXELS or boxes[1] > MOST_BOX:
        help = f"take up to {MOST_PIXELS} pixels and {MOST_BOX} channels at once"
        raise _refuse(f"a column of {boxes[0]} pixels of {boxes[1]} channels", help, "OX2003")
    corners = _corner("lower", extents, lower), _corner("upper", extents, upper)
    for first, last, extent in zip(*corners, extents[1:-1], strict=True):
        if first > extent - 1 + last:
            raise _refuse(f"no pixel lies between {first} and {extent - 1 + last}", "bounds are `lower` and `extent - 1 + upper`")
    found = HostMap(buffer, element, extents, strides_, boxes, _steps(extents, steps), corners)
    if found.steps[0] != 1:
        raise _refuse(f"steps={found.steps}", "the step along the axis of images is 1")
    return cast("Im2colMap[T, Any]", _checked(found, swizzle, promotion, fill))


def _array(
    buffer: DeviceBuffer[Any], shape: Sequence[int] | None, strides: Sequence[int] | None
) -> tuple[Scalar, tuple[int, ...], tuple[int, ...]]:
    """Element, extents and distances in bytes of the array that a map is of."""
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
    return element, extents, _strides(buffer, element, extents, strides)


def _checked(found: HostMap, swizzle: Any, promotion: Any, fill: Any) -> HostMap:
    """The map with its modes. LaunchError where the hardware does not take them, or its box."""
    element = found.element
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


def _steps(shape: tuple[int, ...], given: Sequence[int] | None) -> tuple[int, ...]:
    found = (1,) * len(shape) if given is None else _extents("steps", given)
    if len(found) != len(shape) or max(found) > MOST_STEP or found[-1] != 1:
        raise _refuse(f"steps={found}", f"a step for each axis, 1 to {MOST_STEP}, and 1 along the last")
    return found


def _corner(name: str, shape: tuple[int, ...], given: Sequence[int] | None) -> tuple[int, ...]:
    """A corner of what the pixels are taken of."""
    axes = len(shape) - 2
    most = 1 << (15, 7, 4)[axes - 1]
    try:
        found = (0,) * axes if given is None else tuple(index(one) for one in given)
    except TypeError:
        raise _refuse(f"{name}={given!r}", f"`{name}` is a tuple of ints") from None
    if len(found) != axes or not -most <= min(found) <= max(found) < most:
        raise _refuse(f"{name}={found}", f"of images of {axes} axes it is as many numbers from {-most} to {most - 1}")
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
    row = box[-1] * size
    if row % STEP:
        raise _refuse(
            f"rows of {row} bytes in a box, no multiple of {STEP}", f"make them a multiple of {STEP // math.gcd(STEP, size)} elements"
        )
    if map.swizzle and row != map.swizzle:  # of shorter rows the hardware leaves the rest of the pattern free
        raise _refuse(f"rows of {row} bytes under a swizzle of {map.swizzle}", "a row of the box is as long as the pattern")
    if math.prod(box) * size > MOST_BYTES:
        raise _refuse(f"a box of {math.prod(box) * size} bytes", f"a block has up to {MOST_BYTES} bytes of shared memory", "OX2003")
