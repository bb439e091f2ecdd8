"""oxidepy: GPU kernels in typed Python. What a kernel author and a launching program import.

Names are handed on when they are first used (PEP 562), so `import oxidepy` loads neither NumPy, LLVM nor a driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.settings.version import __version__ as __version__

# name -> the module that defines it; one block a folder
_NAMES: dict[str, str] = {
    # errors
    "BorrowError": "oxidepy.diagnostics.errors",
    "CompileError": "oxidepy.diagnostics.errors",
    "DeviceError": "oxidepy.diagnostics.errors",
    "DevicePanic": "oxidepy.diagnostics.errors",
    "LaunchError": "oxidepy.diagnostics.errors",
    "MovedError": "oxidepy.diagnostics.errors",
    "OxideError": "oxidepy.diagnostics.errors",
    # the kernel language
    "atomic": "oxidepy.lang.atomics",
    "fence": "oxidepy.lang.atomics",
    "ptx": "oxidepy.lang.control",
    "require": "oxidepy.lang.control",
    "static_assert": "oxidepy.lang.control",
    "unroll": "oxidepy.lang.control",
    "unsafe": "oxidepy.lang.control",
    "cluster_launch": "oxidepy.lang.decorators",
    "cooperative_launch": "oxidepy.lang.decorators",
    "launch_bounds": "oxidepy.lang.decorators",
    "launch_contract": "oxidepy.lang.decorators",
    "export": "oxidepy.lang.foreign",
    "extern": "oxidepy.lang.foreign",
    "D1": "oxidepy.lang.index",
    "D2": "oxidepy.lang.index",
    "D3": "oxidepy.lang.index",
    "Index1D": "oxidepy.lang.index",
    "Index2D": "oxidepy.lang.index",
    "Run": "oxidepy.lang.index",
    "Runs": "oxidepy.lang.index",
    "Runtime2D": "oxidepy.lang.index",
    "ThreadIndex": "oxidepy.lang.index",
    "Width": "oxidepy.lang.index",
    "cdiv": "oxidepy.lang.integers",
    "next_power_of_2": "oxidepy.lang.integers",
    "local": "oxidepy.lang.memory",
    "shared": "oxidepy.lang.memory",
    "bf16": "oxidepy.lang.scalars",
    "bf16x2": "oxidepy.lang.pairs",
    "f16": "oxidepy.lang.scalars",
    "f16x2": "oxidepy.lang.pairs",
    "f32": "oxidepy.lang.scalars",
    "f64": "oxidepy.lang.scalars",
    "i8": "oxidepy.lang.scalars",
    "i16": "oxidepy.lang.scalars",
    "i32": "oxidepy.lang.scalars",
    "i64": "oxidepy.lang.scalars",
    "u8": "oxidepy.lang.scalars",
    "u16": "oxidepy.lang.scalars",
    "u32": "oxidepy.lang.scalars",
    "u64": "oxidepy.lang.scalars",
    "block": "oxidepy.lang.scopes",
    "cluster": "oxidepy.lang.scopes",
    "grid": "oxidepy.lang.scopes",
    "thread": "oxidepy.lang.scopes",
    "warp": "oxidepy.lang.scopes",
    "Const": "oxidepy.lang.slices",
    "ConstantSlice": "oxidepy.lang.slices",
    "DisjointSlice": "oxidepy.lang.slices",
    "Ptr": "oxidepy.lang.slices",
    "Slice": "oxidepy.lang.slices",
    "SliceMut": "oxidepy.lang.slices",
    "struct": "oxidepy.lang.structs",
    "volatile": "oxidepy.lang.volatile",
    # the host
    "DeviceBuffer": "oxidepy.runtime.buffer",
    "LaunchConfig": "oxidepy.runtime.config",
    "LaunchConfig1D": "oxidepy.runtime.config",
    "LaunchConfig2D": "oxidepy.runtime.config",
    "LaunchConfig3D": "oxidepy.runtime.config",
    "as_buffer": "oxidepy.runtime.interop",
    "Context": "oxidepy.runtime.context",
    "current_stream": "oxidepy.runtime.context",
    "devices": "oxidepy.runtime.devices",
    "is_available": "oxidepy.runtime.devices",
    "KernelFamily": "oxidepy.runtime.family",
    "Selection": "oxidepy.runtime.family",
    "Variant": "oxidepy.runtime.family",
    "Kernel": "oxidepy.runtime.kernel",
    "kernel": "oxidepy.runtime.kernel",
    "LoadedKernel": "oxidepy.runtime.modules",
    "LoadedModule": "oxidepy.runtime.modules",
    "Prepared": "oxidepy.runtime.prepared",
    "Event": "oxidepy.runtime.stream",
    "Stream": "oxidepy.runtime.stream",
}
# name -> module that is the value itself
_MODULES: dict[str, str] = {
    "bits": "oxidepy.lang.bits",
    "clc": "oxidepy.lang.clc",
    "convert": "oxidepy.lang.convert",
    "debug": "oxidepy.lang.debug",
    "async_copy": "oxidepy.lang.async_copy",
    "barrier": "oxidepy.lang.barrier",
    "math": "oxidepy.lang.math",
    "mma": "oxidepy.lang.mma",
    "random": "oxidepy.lang.random",
    "tma": "oxidepy.runtime.tma",
    "swizzle": "oxidepy.lang.swizzle",
    "tcgen05": "oxidepy.lang.tcgen05",
    "wgmma": "oxidepy.lang.wgmma",
}

if TYPE_CHECKING:  # the same names for type checkers and editors, which do not run __getattr__
    from oxidepy.diagnostics.errors import BorrowError as BorrowError
    from oxidepy.diagnostics.errors import CompileError as CompileError
    from oxidepy.diagnostics.errors import DeviceError as DeviceError
    from oxidepy.diagnostics.errors import DevicePanic as DevicePanic
    from oxidepy.diagnostics.errors import LaunchError as LaunchError
    from oxidepy.diagnostics.errors import MovedError as MovedError
    from oxidepy.diagnostics.errors import OxideError as OxideError
    from oxidepy.lang import async_copy as async_copy
    from oxidepy.lang import barrier as barrier
    from oxidepy.lang import bits as bits
    from oxidepy.lang import clc as clc
    from oxidepy.lang import convert as convert
    from oxidepy.lang import debug as debug
    from oxidepy.lang import math as math
    from oxidepy.lang import mma as mma
    from oxidepy.lang import random as random
    from oxidepy.lang import swizzle as swizzle
    from oxidepy.lang import tcgen05 as tcgen05
    from oxidepy.lang import wgmma as wgmma
    from oxidepy.lang.atomics import atomic as atomic
    from oxidepy.lang.atomics import fence as fence
    from oxidepy.lang.control import ptx as ptx
    from oxidepy.lang.control import require as require
    from oxidepy.lang.control import static_assert as static_assert
    from oxidepy.lang.control import unroll as unroll
    from oxidepy.lang.control import unsafe as unsafe
    from oxidepy.lang.decorators import cluster_launch as cluster_launch
    from oxidepy.lang.decorators import cooperative_launch as cooperative_launch
    from oxidepy.lang.decorators import launch_bounds as launch_bounds
    from oxidepy.lang.decorators import launch_contract as launch_contract
    from oxidepy.lang.foreign import export as export
    from oxidepy.lang.foreign import extern as extern
    from oxidepy.lang.index import D1 as D1
    from oxidepy.lang.index import D2 as D2
    from oxidepy.lang.index import D3 as D3
    from oxidepy.lang.index import Index1D as Index1D
    from oxidepy.lang.index import Index2D as Index2D
    from oxidepy.lang.index import Run as Run
    from oxidepy.lang.index import Runs as Runs
    from oxidepy.lang.index import Runtime2D as Runtime2D
    from oxidepy.lang.index import ThreadIndex as ThreadIndex
    from oxidepy.lang.index import Width as Width
    from oxidepy.lang.integers import cdiv as cdiv
    from oxidepy.lang.integers import next_power_of_2 as next_power_of_2
    from oxidepy.lang.memory import local as local
    from oxidepy.lang.memory import shared as shared
    from oxidepy.lang.pairs import bf16x2 as bf16x2
    from oxidepy.lang.pairs import f16x2 as f16x2
    from oxidepy.lang.scalars import bf16 as bf16
    from oxidepy.lang.scalars import f16 as f16
    from oxidepy.lang.scalars import f32 as f32
    from oxidepy.lang.scalars import f64 as f64
    from oxidepy.lang.scalars import i8 as i8
    from oxidepy.lang.scalars import i16 as i16
    from oxidepy.lang.scalars import i32 as i32
    from oxidepy.lang.scalars import i64 as i64
    from oxidepy.lang.scalars import u8 as u8
    from oxidepy.lang.scalars import u16 as u16
    from oxidepy.lang.scalars import u32 as u32
    from oxidepy.lang.scalars import u64 as u64
    from oxidepy.lang.scopes import block as block
    from oxidepy.lang.scopes import cluster as cluster
    from oxidepy.lang.scopes import grid as grid
    from oxidepy.lang.scopes import thread as thread
    from oxidepy.lang.scopes import warp as warp
    from oxidepy.lang.slices import Const as Const
    from oxidepy.lang.slices import ConstantSlice as ConstantSlice
    from oxidepy.lang.slices import DisjointSlice as DisjointSlice
    from oxidepy.lang.slices import Ptr as Ptr
    from oxidepy.lang.slices import Slice as Slice
    from oxidepy.lang.slices import SliceMut as SliceMut
    from oxidepy.lang.structs import struct as struct
    from oxidepy.lang.volatile import volatile as volatile
    from oxidepy.runtime import tma as tma
    from oxidepy.runtime.buffer import DeviceBuffer as DeviceBuffer
    from oxidepy.runtime.config import LaunchConfig as LaunchConfig
    from oxidepy.runtime.config import LaunchConfig1D as LaunchConfig1D
    from oxidepy.runtime.config import LaunchConfig2D as LaunchConfig2D
    from oxidepy.runtime.config import LaunchConfig3D as LaunchConfig3D
    from oxidepy.runtime.context import Context as Context
    from oxidepy.runtime.context import current_stream as current_stream
    from oxidepy.runtime.devices import devices as devices
    from oxidepy.runtime.devices import is_available as is_available
    from oxidepy.runtime.family import KernelFamily as KernelFamily
    from oxidepy.runtime.family import Selection as Selection
    from oxidepy.runtime.family import Variant as Variant
    from oxidepy.runtime.interop import as_buffer as as_buffer
    from oxidepy.runtime.kernel import Kernel as Kernel
    from oxidepy.runtime.kernel import kernel as kernel
    from oxidepy.runtime.modules import LoadedKernel as LoadedKernel
    from oxidepy.runtime.modules import LoadedModule as LoadedModule
    from oxidepy.runtime.prepared import Prepared as Prepared
    from oxidepy.runtime.stream import Event as Event
    from oxidepy.runtime.stream import Stream as Stream


_ELSEWHERE = {  # names of other libraries → what is meant
    "cuda": "its names are 'thread', 'block', 'grid', 'warp', 'shared', 'local' and 'atomic'",
    **dict.fromkeys(("jit", "njit"), "the decorator is 'kernel'"),
    "declare_device": "'extern' declares a function of another compiler",
    **dict.fromkeys(("RawModule", "RawKernel", "ObjectCode", "load_module"), "a context's 'load_module' loads code of another compiler"),
    **dict.fromkeys(("to_device", "array", "asarray"), "'DeviceBuffer.from_host(stream, array)' copies to the device"),
    "device_array": "'DeviceBuffer.empty(stream, shape, dtype)' makes memory of the device",
    "launch": "a kernel has it: 'kernel.launch(stream, …)'",
    "synchronize": "a context and a stream have it: 'Context().synchronize()'",
    **dict.fromkeys(("float32", "float64", "int32", "int64"), "scalars are 'f32', 'f64', 'i32', 'i64'"),
}


if not TYPE_CHECKING:  # a checker would take this to mean that every name is there
    __all__ = [*_NAMES, *_MODULES]

    def __getattr__(name):
        from importlib import import_module

        if name in _MODULES:
            value = import_module(_MODULES[name])
        elif name in _NAMES:
            value = getattr(import_module(_NAMES[name]), name)
        else:
            from difflib import get_close_matches

            close = get_close_matches(name, [*_NAMES, *_MODULES], n=1)
            hint = _ELSEWHERE.get(name) or (f"did you mean {close[0]!r}?" if close else "")
            raise AttributeError(f"module 'oxidepy' has no name {name!r}" + f"; {hint}" * bool(hint))
        globals()[name] = value  # the next use does not come here again
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_MODULES})
