"""Memory of other libraries, used where it lies: `__cuda_array_interface__` and DLPack."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from oxidepy.ir.types import SCALARS, Element
from oxidepy.lang.calls import coded
from oxidepy.runtime import elements
from oxidepy.runtime.buffer import DeviceBuffer
from oxidepy.runtime.context import Context
from oxidepy.runtime.memory import Memory
from oxidepy.runtime.refusal import launch_error
from oxidepy.runtime.stream import Stream, as_stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oxidepy.diagnostics import LaunchError

T = TypeVar("T")
Refusal = tuple[str, str]  # what was got, the call that mends it

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType
_DL_TYPES = {(0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i64", (1, 8): "u8", (1, 16): "u16", (1, 32): "u32", (1, 64): "u64",
             (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16", (6, 8): "bool"}  # fmt: skip


@dataclass(frozen=True)
class _View:
    """What another library's array says of itself. `strides` in elements, None: C-contiguous."""

    address: int
    element: Element
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    readonly: bool
    device: str
    owner: Any
    stream: int | None = None


@overload
def as_buffer(array: Any, dtype: type[T]) -> DeviceBuffer[T]: ...
@overload
def as_buffer(array: Any, dtype: Any = None) -> DeviceBuffer[Any]: ...
@coded()
def as_buffer(array: Any, dtype: Any = None) -> DeviceBuffer[Any]:
    """A buffer over the memory of another library's array, without a copy; the array is kept alive as long as the buffer.

    CUDA memory by `__cuda_array_interface__` or `__dlpack__`. Host memory (a NumPy array) only where the device of `Context()` is the
    CPU or the interpreter, whose memory it is. `dtype`, if given, must be the array's own. LaunchError OX2007 otherwise.
    """
    if isinstance(array, DeviceBuffer):
        own = cast("DeviceBuffer[Any]", array)
        if dtype is not None and not elements.same_layout(elements.element_of(dtype), own._element):
            name = elements.element_name(elements.element_of(dtype))
            raise launch_error("OX2007", f"`as_buffer` wants {name}, got {own}", help=f"`b.reinterpret({name})` takes its bytes for such")
        return own
    view = _look(array)
    if view is None:
        raise launch_error(
            "OX2007",
            f"{type(array).__name__} is no array whose memory could be used",
            help="`DeviceBuffer.from_host(stream, np.asarray(…))`",
        )
    if view.device == "host":
        context = Context()
        if context.kind == "cuda":
            raise launch_error(
                "OX2007",
                f"the array lies in host memory, and {context.name} has its own",
                help="copy it: `DeviceBuffer.from_host(stream, array)`",
            )
    else:
        context = Context(view.device)
    stream = context.default_stream() if view.stream is None else as_stream(_Handle(view.stream), context)
    buffer = _wrap(view, context, stream)
    if isinstance(buffer, tuple):
        raise launch_error("OX2007", f"`as_buffer` cannot use {buffer[0]}", help=buffer[1])
    wanted = elements.element_of(dtype) if dtype is not None else buffer._element
    if not elements.same_layout(wanted, buffer._element):
        raise launch_error(
            "OX2007",
            f"`as_buffer` wants {elements.element_name(wanted)}, got an array of {elements.element_name(buffer._element)}",
            help="say the array's own dtype, or convert the array",
        )
    return buffer


def device_memory(value: Any, stream: Stream) -> DeviceBuffer[Any] | Refusal | None:
    """A launch's argument that is no DeviceBuffer: wrapped if it is device memory of another library; else what it is and what helps;
    None if no array."""
    view = _look(value)
    if view is None:
        return None
    name = "a NumPy array" if type(value).__module__ == "numpy" else "a CPU tensor" if view.device == "host" else "device memory"
    described = f"{name} of {elements.element_name(view.element)}"
    if view.device == "host":
        made = "array" if name == "a NumPy array" else "tensor.numpy()"
        return described, f"copy it to the device: `DeviceBuffer.from_host(stream, {made})`"
    if view.device != stream.context.name:
        return f"{described} on {view.device}; the launch is on {stream.context.name}", "launch on a stream of the array's device"
    return _wrap(view, stream.context, stream)


def _wrap(view: _View, context: Context, stream: Stream) -> DeviceBuffer[Any] | Refusal:
    if not 1 <= len(view.shape) <= 3:
        return f"an array of {len(view.shape)} axes", "give it one to three: `array.reshape(-1)`"
    if view.strides is not None and not _contiguous(view.shape, view.strides):
        return (
            f"an array that is not C-contiguous, strides {view.strides}",
            "make it so: `array.copy()` (NumPy, CuPy) or `tensor.contiguous()` (torch)",
        )
    if view.address % view.element.align:
        return f"an array whose address is not a multiple of {view.element.align}", "copy it: `array.copy()`"
    memory = Memory(context, view.address, math.prod(view.shape) * view.element.size, stream, owner=view.owner)
    return DeviceBuffer(memory, view.address, view.element, view.shape, view.readonly)


def _contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    if 0 in shape:
        return True
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


class _Handle:
    """A CUDA stream known by its number."""

    def __init__(self, number: int) -> None:
        self.ptr = number


def _look(value: Any) -> _View | None:
    if type(value).__module__ == "numpy" or hasattr(value, "__array_interface__"):
        return _host_view(value)
    interface = _cuda_interface(value)
    if interface is not None:
        return _cuda_view(value, interface)
    return _dlpack_view(value) if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__") else None


def _host_view(value: Any) -> _View | None:
    import numpy

    if not isinstance(value, numpy.ndarray):
        return None
    array = cast("NDArray[Any]", value)
    strides = tuple(stride // array.itemsize for stride in array.strides) if array.itemsize else None
    return _View(array.ctypes.data, elements.element_of(array.dtype), array.shape, strides, not array.flags.writeable, "host", array)


def _cuda_interface(value: Any) -> dict[str, Any] | None:
    try:
        found: Any = getattr(value, "__cuda_array_interface__", None)
    except (TypeError, RuntimeError):  # torch raises for dtypes that the protocol lacks, and for tensors that need a gradient
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _cuda_view(value: Any, interface: dict[str, Any]) -> _View:
    import numpy

    dtype = (
        numpy.dtype(interface["descr"])
        if interface["typestr"].startswith("|V") and interface.get("descr")
        else numpy.dtype(interface["typestr"])
    )
    address, readonly = interface["data"]
    strides = interface.get("strides")
    in_elements = tuple(stride // dtype.itemsize for stride in strides) if strides is not None else None
    stream = interface.get("stream")
    return _View(
        int(address or 0),
        elements.element_of(dtype),
        tuple(interface["shape"]),
        in_elements,
        bool(readonly),
        f"cuda:{_device_of(int(address or 0))}",
        value,
        stream,
    )


def _device_of(address: int) -> int:
    """The number of the device on which an address lies."""
    from oxidepy.runtime.cuda import api

    if not address:
        return 0
    cu = api.started()
    return int(api.call(cu.cuPointerGetAttribute, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address))


# ---- DLPack, version 0 (the capsule "dltensor"), which every library still gives


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Borrowed:
    """Owns what a capsule handed over; gives it back when it is collected."""

    def __init__(self, capsule: Any) -> None:
        python = ctypes.pythonapi
        get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", python))
        rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", python))
        self.pointer = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_Managed))
        rename(capsule, _USED)

    def __del__(self) -> None:
        if self.pointer and self.pointer.contents.deleter:
            self.pointer.contents.deleter(self.pointer)


_USED = b"used_dltensor"  # the capsule keeps a pointer to this name


def _dlpack_view(value: Any) -> _View | None:
    kind, number = value.__dlpack_device__()
    if int(kind) in (_CPU, _CUDA_HOST):
        import numpy

        try:
            return _host_view(numpy.from_dlpack(value))
        except (BufferError, RuntimeError, TypeError, ValueError):  # a type that NumPy lacks, or a producer that does not give it now
            return None
    if int(kind) not in (_CUDA, _CUDA_MANAGED):
        raise _no_device(int(kind))
    # the producer orders its own stream before the legacy default stream, with which every stream of ours is ordered
    owner = _Borrowed(value.__dlpack__(stream=1))
    tensor = owner.pointer.contents.tensor
    name = _DL_TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if name is None:
        raise launch_error(
            "OX2007",
            f"an array with DLPack type ({tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes) is no type of a kernel",
            help="convert it to one of bool, i8 … u64, f16, bf16, f32, f64",
        )
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    strides = tuple(tensor.strides[axis] for axis in range(tensor.ndim)) if tensor.strides else None
    return _View((tensor.data or 0) + tensor.byte_offset, SCALARS[name], shape, strides, False, f"cuda:{number}", owner)


def _no_device(kind: int) -> LaunchError:
    return launch_error(
        "OX2007",
        f"the array lies on a device of DLPack's kind {kind}, which is none of oxidepy's",
        help="copy it to the host and use `DeviceBuffer.from_host`",
    )
