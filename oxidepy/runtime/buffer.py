"""`DeviceBuffer`: a typed piece of device memory, one to three axes, contiguous."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from oxidepy.ir.types import BOOL, Element
from oxidepy.lang.calls import methods
from oxidepy.runtime import elements
from oxidepy.runtime.context import Context
from oxidepy.runtime.memory import Memory
from oxidepy.runtime.refusal import borrow_error, launch_error
from oxidepy.runtime.scalars import converted
from oxidepy.runtime.stream import Stream, as_stream
from oxidepy.runtime.untyped import tuple_of, type_of

T = TypeVar("T")
E = TypeVar("E")  # of functions that need no buffer: the bare class says nothing of T

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Never, Self

    from oxidepy.lang.scalars import f16, f64, i8, i16, i64, u8, u16, u32, u64
    from oxidepy.lang.slices import ConstantSlice, DisjointSlice, Ptr, SliceMut

    class _Base(DisjointSlice[T, Any], SliceMut[T, Any], ConstantSlice[T, Any], Ptr[T]):  # type: ignore[misc]  # pyright: ignore
        """To a type checker a buffer is every slice of its element, and a pointer to it that does not move."""

        def __add__(self, count: Never, /) -> Never: ...  # type: ignore[override]  # pyright: ignore
        def __radd__(self, count: Never, /) -> Never: ...  # type: ignore[override]  # pyright: ignore
        def __sub__(self, count: Never, /) -> Never: ...  # type: ignore[override]  # pyright: ignore
        def __lt__(self, other: Never, /) -> Never: ...  # type: ignore[override]  # pyright: ignore
        def __gt__(self, other: Never, /) -> Never: ...  # type: ignore[override]  # pyright: ignore

else:

    class _Base(Generic[T]):
        __slots__ = ()

        def __getattr__(self, name: str) -> Any:
            """Only for what there is not: names that arrays of other libraries have are told theirs."""
            raise AttributeError(f"a DeviceBuffer has no `{name}`" + (f": {_SPELT[name]}" if name in _SPELT else ""))


# what numba, CuPy, torch and NumPy call things → what says the same here
_SPELT = {
    **dict.fromkeys(("copy_to_host", "get", "numpy", "cpu", "tolist", "item"), "`buffer.to_host(stream)` is a NumPy array of its elements"),
    **dict.fromkeys(("copy_to_device", "set"), "`buffer.copy_from_host(stream, array)` overwrites it"),
    **dict.fromkeys(("ravel", "flatten"), "`buffer.reshape(n)` is the same memory with one axis"),
    "astype": "convert on the host, `array.astype(dtype)`; `buffer.reinterpret(dtype)` takes the same bytes for other elements",
}

Shape = int | Sequence[int]
BIG = 1 << 31


@dataclass(frozen=True)
class BufferKind:
    """What a launch must know of a buffer beside address and lengths. One object for each kind, so that a launch compares identities."""

    context: Context
    layout: object
    rank: int
    big: bool  # an axis reaches 2**31 elements, more than i32 coordinates can count
    readonly: bool


_kinds: dict[tuple[Any, ...], BufferKind] = {}


def kind_of(context: Context, element: Element, shape: tuple[int, ...], readonly: bool) -> BufferKind:
    key = (context, (elements.layout_of(element), elements.class_of(element)), len(shape), math.prod(shape) >= BIG, readonly)
    found = _kinds.get(key)
    return found if found is not None else _kinds.setdefault(key, BufferKind(*key))


def shape_of(shape: Shape) -> tuple[int, ...]:
    """A tuple of one to three extents. LaunchError OX2007."""
    try:
        extents = tuple(index(one) for one in shape) if isinstance(shape, Sequence) else (index(shape),)
    except TypeError:
        raise launch_error("OX2007", f"{shape!r} is no shape", help="an int, or a tuple of one to three ints") from None
    if not 1 <= len(extents) <= 3 or min(extents) < 0 or isinstance(shape, (bool, bytes, bytearray)):
        raise launch_error("OX2007", f"{shape!r} is no shape of a buffer", help="one to three extents, each 0 or more")
    return extents


@methods(
    "buffer", "from_host", "empty", "zeros", "empty_like", "fill", "copy_from_host", "copy_from", "to_host", "free", "reinterpret",
    made="__init__", help="make one with `DeviceBuffer.zeros(stream, shape, dtype)` or `DeviceBuffer.from_host(stream, array)`",
)  # fmt: skip
class DeviceBuffer(_Base[T], Generic[T]):
    """Memory of a device: `dtype`, `shape` (one to three axes, C-contiguous), `size` in elements, `nbytes`.

    Work on it is ordered: a use on another stream than the last waits by event, `free` and collection wait for the work that was put in
    before.
    """

    __slots__ = ("__weakref__", "_element", "_kind", "_memory", "address", "nbytes", "shape")

    def __init__(self, memory: Memory, address: int, element: Element, shape: tuple[int, ...], readonly: bool = False) -> None:
        self._memory = memory
        self._element = element
        self._kind = kind_of(memory.context, element, shape, readonly)
        self.address = address
        self.shape: tuple[int, ...] = shape  # type: ignore[misc]  # pyright: ignore
        self.nbytes = math.prod(shape) * element.size

    # ---- making

    @overload  # first, since an array of which a checker does not know the elements fits every one of these: it becomes a buffer of any
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.void]) -> DeviceBuffer[Any]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.float32]) -> DeviceBuffer[float]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.float64]) -> DeviceBuffer[f64]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.float16]) -> DeviceBuffer[f16]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.int32]) -> DeviceBuffer[int]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.int64]) -> DeviceBuffer[i64]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.int16]) -> DeviceBuffer[i16]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.int8]) -> DeviceBuffer[i8]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.uint64]) -> DeviceBuffer[u64]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.uint32]) -> DeviceBuffer[u32]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.uint16]) -> DeviceBuffer[u16]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.uint8]) -> DeviceBuffer[u8]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[np.bool_]) -> DeviceBuffer[bool]: ...
    @overload
    @staticmethod
    def from_host(stream: Any, array: NDArray[Any]) -> DeviceBuffer[Any]: ...
    @staticmethod
    def from_host(stream: Any, array: NDArray[Any]) -> DeviceBuffer[Any]:
        """A new buffer with the contents, dtype and shape of a NumPy array (structured ones too). The array is free again when this
        returns."""
        stream = as_stream(stream)
        array = _host_array(array, "from_host")
        buffer: DeviceBuffer[Any] = DeviceBuffer.empty(stream, array.shape, array.dtype)
        buffer._upload(stream, array)
        return buffer

    @overload
    @staticmethod
    def empty(stream: Any, shape: Shape, dtype: type[np.generic] | np.dtype[Any]) -> DeviceBuffer[Any]: ...
    @overload
    @staticmethod
    def empty(stream: Any, shape: Shape, dtype: type[E]) -> DeviceBuffer[E]: ...
    @overload
    @staticmethod
    def empty(stream: Any, shape: Shape, dtype: Any) -> DeviceBuffer[Any]: ...
    @staticmethod
    def empty(stream: Any, shape: Shape, dtype: Any) -> DeviceBuffer[Any]:
        """A new buffer whose contents are whatever was there."""
        stream = as_stream(stream)
        stream.driver.check()
        element, extents = elements.element_of(dtype), shape_of(shape)
        memory = Memory.allocate(stream, math.prod(extents) * element.size)
        return DeviceBuffer(memory, memory.address, element, extents)

    @overload
    @staticmethod
    def zeros(stream: Any, shape: Shape, dtype: type[np.generic] | np.dtype[Any]) -> DeviceBuffer[Any]: ...
    @overload
    @staticmethod
    def zeros(stream: Any, shape: Shape, dtype: type[E]) -> DeviceBuffer[E]: ...
    @overload
    @staticmethod
    def zeros(stream: Any, shape: Shape, dtype: Any) -> DeviceBuffer[Any]: ...
    @staticmethod
    def zeros(stream: Any, shape: Shape, dtype: Any) -> DeviceBuffer[Any]:
        """A new buffer of zeros. `dtype` is a scalar such as `f32`, a NumPy dtype or a `@struct` class."""
        stream = as_stream(stream)
        buffer = DeviceBuffer.empty(stream, shape, dtype)
        if buffer.nbytes:
            stream.driver.fill(stream, buffer.address, b"\0", buffer.nbytes)
        return buffer

    @staticmethod
    def empty_like(stream: Any, other: DeviceBuffer[E]) -> DeviceBuffer[E]:
        """A new buffer of the shape and dtype of `other`, its contents whatever was there."""
        stream = as_stream(stream)
        if type(other) is not DeviceBuffer:
            got, way = type(other).__name__, "of an array: `DeviceBuffer.empty(stream, array.shape, array.dtype)`"
            raise launch_error("OX2007", f"`empty_like` takes a DeviceBuffer, not {got}", help=way)
        memory = Memory.allocate(stream, other.nbytes)
        return DeviceBuffer(memory, memory.address, other._element, other.shape)

    # ---- contents

    def fill(self, stream: Any, value: Any) -> None:
        """Set every element to `value`, which follows the rules of scalar arguments."""
        stream = self._writable(stream, "fill")
        pattern = converted(self._element, value, "fill")
        if self.nbytes:
            stream.driver.fill(stream, self.address, pattern, self.size)

    def copy_from_host(self, stream: Any, array: NDArray[Any]) -> None:
        """Overwrite with a NumPy array of the same shape and dtype."""
        stream = self._writable(stream, "copy_from_host")
        array = _host_array(array, "copy_from_host")
        self._same("copy_from_host", elements.element_of(array.dtype), array.shape)
        self._upload(stream, array)

    def copy_from(self, stream: Any, other: DeviceBuffer[T]) -> None:
        """Overwrite with another buffer of the same shape, dtype and context. BorrowError OX0502 if the two overlap."""
        stream = self._writable(stream, "copy_from")
        if type(other) is not DeviceBuffer:
            raise launch_error(
                "OX2007", f"`copy_from` takes a DeviceBuffer, not {type(other).__name__}", help="`copy_from_host` takes NumPy arrays"
            )
        if other.context is not self.context:
            raise launch_error(
                "OX2006",
                f"one buffer is on {self.context.name}, the other on {other.context.name}",
                help="go through the host: `to_host`, then `copy_from_host`",
            )
        self._same("copy_from", other._element, other.shape)
        other._memory.use(stream)
        if overlap(self, other):
            raise borrow_error("OX0502", "the two buffers of `copy_from` overlap", help="copy by way of a third buffer")
        if self.nbytes:
            stream.driver.copy(stream, self.address, other.address, self.nbytes)

    def to_host(self, stream: Any) -> NDArray[Any]:
        """The contents as a new NumPy array of the buffer's shape. Waits for the stream, and raises what a launch on it has left
        (DevicePanic)."""
        import numpy

        stream = self._used(stream)
        host = numpy.empty(self.shape, elements.dtype_of(self._element))
        stream.synchronize()
        if self.nbytes:
            stream.driver.download(stream, host.ctypes.data, self.address, self.nbytes)
        return host

    def free(self, stream: Any) -> None:
        """Give the memory back when the work of `stream` is done. Views of it end with it; a second time is OX2007."""
        stream = as_stream(stream, self.context)
        self._memory.release(stream)

    # ---- form

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype of an element."""
        return elements.dtype_of(self._element)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def context(self) -> Context:
        return self._memory.context

    def __len__(self) -> int:
        return self.shape[0]

    def reshape(self, *shape: Shape) -> Self:
        """The same memory with other axes: `b.reshape(rows, cols)` or, as in NumPy, `b.reshape((rows, cols))`."""
        extents = shape_of(shape[0] if len(shape) == 1 else cast("tuple[int, ...]", shape))
        if math.prod(extents) != self.size:
            raise launch_error(
                "OX2007", f"a buffer of {self.size} elements has no shape {extents}", help="the extents multiply to its size"
            )
        return type(self)(self._memory, self.address, self._element, extents, self._kind.readonly)

    @overload
    def reinterpret(self, dtype: type[np.generic] | np.dtype[Any]) -> DeviceBuffer[Any]: ...
    @overload
    def reinterpret(self, dtype: type[E]) -> DeviceBuffer[E]: ...
    def reinterpret(self, dtype: Any) -> DeviceBuffer[Any]:
        """The same memory as elements of another type, as `numpy.ndarray.view` has it: the last axis holds as many as its bytes are.

        LaunchError OX2007 where its bytes do not divide, where they do not lie where such elements do, and where the new type has truth
        values, which bytes of another type need not be."""
        element = elements.element_of(dtype)
        row, name = self.shape[-1] * self._element.size, elements.element_name(element)
        why = None
        if row % element.size:
            why = f"rows of {row} bytes, which are no whole number of {name}"
        elif self.nbytes and self.address % element.align:
            why = f"an address that is no multiple of {element.align}"
        elif BOOL in elements.scalars(element) and not elements.same_layout(element, self._element):
            why = f"elements of {elements.element_name(self._element)}, whose bytes need not be 0 or 1"
        if why is not None:
            raise launch_error(
                "OX2007", f"`reinterpret({name})` of {self} with {why}", help="convert by a kernel, or copy: `to_host`, NumPy"
            )
        extents = (*self.shape[:-1], row // element.size)
        return DeviceBuffer(self._memory, self.address, element, extents, self._kind.readonly)

    def __getitem__(self, part: slice) -> Self:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        """`b[i:j]`: the elements (rows) from i up to j, in the same memory."""
        if not isinstance(part, slice):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise launch_error(
                "OX2007",
                f"an element of device memory (`buffer[{_shown(part)}]`) cannot be read on the host",
                help=f"copy first: `buffer.to_host(stream)[{_shown(part)}]`",
            )
        start, stop, step = part.indices(self.shape[0])
        if step != 1:
            raise launch_error(
                "OX2007",
                f"a view with step {step} would not be contiguous",
                help="take `buffer[i:j]`, or copy: `to_host`, NumPy, `from_host`",
            )
        rows = max(stop - start, 0)
        row = math.prod(self.shape[1:]) * self._element.size
        return type(self)(
            self._memory, self.address + start * row if rows else self.address, self._element, (rows, *self.shape[1:]), self._kind.readonly
        )

    def __setitem__(self, part: Any, value: Any) -> None:
        raise launch_error(
            "OX2007",
            f"device memory (`buffer[{_shown(part)}] = …`) cannot be written by element on the host",
            help="`buffer[i:j].copy_from_host(stream, array)` or `buffer[i:j].fill(stream, value)`",
        )

    def __iter__(self) -> Any:
        raise launch_error("OX2007", "device memory cannot be gone through on the host", help="copy first: `buffer.to_host(stream)`")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise launch_error("OX2007", "device memory is no NumPy array", help="copy first: `buffer.to_host(stream)`")

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        stream = self._memory.stream
        if self.context.kind != "cuda" or stream is None:
            raise AttributeError(f"memory of {self.context.name} has no __cuda_array_interface__")
        dtype: Any = self.dtype
        return {
            "shape": self.shape,
            "typestr": dtype.str,
            "descr": dtype.descr if dtype.names is None else [("", dtype.str)],
            "data": (self.address, self._kind.readonly),
            "version": 3,
            "stream": int(stream.handle) or 1,
        }

    def __repr__(self) -> str:
        state = "released, " if self._memory.stream is None else ""
        return f"<DeviceBuffer {elements.element_name(self._element)}{list(self.shape)}, {state}{self.context.name}>"

    # ---- inside

    def _used(self, stream: Any) -> Stream:
        own = as_stream(stream, self.context)
        own.driver.check()
        self._memory.use(own)
        return own

    def _writable(self, stream: Any, what: str) -> Stream:
        if self._kind.readonly:
            raise launch_error(
                "OX2007",
                f"the memory behind this buffer is read-only, and `{what}` writes it",
                help="copy it: `DeviceBuffer.empty_like(stream, b)` and `copy_from`",
            )
        return self._used(stream)

    def _upload(self, stream: Stream, array: NDArray[Any]) -> None:
        if self.nbytes:
            stream.driver.upload(stream, self.address, array.ctypes.data, self.nbytes)

    def _same(self, what: str, element: Element, shape: tuple[int, ...]) -> None:
        if not elements.same_layout(element, self._element) or tuple(shape) != self.shape:
            wanted, got = (f"{elements.element_name(e)}{list(s)}" for e, s in ((self._element, self.shape), (element, shape)))
            raise launch_error(
                "OX2007",
                f"`{what}` wants {wanted}, got {got}",
                help="convert the other: `array.astype(buffer.dtype).reshape(buffer.shape)`",
            )


def overlap(first: DeviceBuffer[Any], second: DeviceBuffer[Any]) -> bool:
    """Whether the two share a byte."""
    return (
        first.address < second.address + second.nbytes
        and second.address < first.address + first.nbytes
        and bool(first.nbytes and second.nbytes)
    )


def _host_array(array: Any, what: str) -> NDArray[Any]:
    import numpy

    if not isinstance(array, numpy.ndarray):
        if type(array) is DeviceBuffer:
            raise launch_error(
                "OX2007", f"`{what}` takes a NumPy array, got a DeviceBuffer", help="between buffers: `copy_from(stream, other)`"
            )
        raise launch_error(
            "OX2007",
            f"`{what}` takes a NumPy array, got {type(array).__name__}",
            help="say the type: `np.asarray(values, dtype=np.float32)`",
        )
    if any(one.__name__ == "MaskedArray" for one in type_of(array).__mro__):
        raise launch_error(
            "OX2007", f"`{what}` takes no masked array: a device has no masks", help="say what stands there: `array.filled(0)`"
        )
    if not 1 <= array.ndim <= 3:
        raise launch_error("OX2007", f"`{what}` takes arrays of one to three axes, got {array.ndim}", help="`array.reshape(-1)`")
    return numpy.ascontiguousarray(cast("Any", array))


def _shown(part: Any) -> str:
    parts = tuple_of(part)
    if parts is not None:
        return ", ".join(map(_shown, parts))
    if isinstance(part, slice):
        whole = cast("slice[Any, Any, Any]", part)
        ends = [whole.start, whole.stop, whole.step]
        return ":".join("" if one is None else str(one) for one in (ends if ends[2] is not None else ends[:2]))
    return repr(part)
