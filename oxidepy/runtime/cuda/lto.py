"""Link-time optimisation: files that hold LTOIR are linked with the kernel by nvJitLink.

The functions that PTX calls are kept as long as the LTOIR has no kernels of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from oxidepy.ir.images import Image
from oxidepy.runtime.refusal import device_error

_TARGET = re.compile(rb"^\.target (\w+)", re.MULTILINE)


def bindings() -> Any:
    """The module `cuda.bindings.nvjitlink`, with its library. DeviceError OX8013 where there is none."""
    try:
        from importlib import import_module

        found = import_module("cuda.bindings.nvjitlink")
        found.version()
    except (ImportError, RuntimeError, OSError) as error:
        help = "pip install nvidia-nvjitlink; or compile without link-time optimisation: `nvcc -rdc=true -ptx`"
        raise device_error("OX8013", "LTOIR is linked by nvJitLink, which is not installed", notes=[str(error)[:200]], help=help) from None
    return found


def link(ptx: bytes, lineinfo: bool, blame: Callable[[str], None], images: Sequence[Image]) -> bytes:
    """The machine code of a kernel with the files of its functions. `blame` of the log raises what it knows better; else DeviceError
    OX6004."""
    jit = bindings()
    target = _TARGET.search(ptx)
    assert target is not None
    options = [f"-arch={target[1].decode()}", "-lto", *(["-lineinfo"] if lineinfo else [])]
    try:
        handle = jit.create(len(options), options)
    except jit.nvJitLinkError as error:
        help = "install a newer one: `pip install -U nvidia-nvjitlink`"
        raise device_error("OX6004", f"nvJitLink does not link for {target[1].decode()}: {error}", help=help) from None
    try:
        name = "the kernel"
        try:
            for name, kind, data in (("the kernel", "ptx", ptx), *((one.name, one.kind, one.data) for one in images)):
                given = data + b"\0" if kind == "ptx" else data
                jit.add_data(handle, getattr(jit.InputType, kind.upper()), given, len(given), name)
            name = ""
            jit.complete(handle)
        except jit.nvJitLinkError as error:
            log = _log(jit, handle)
            blame(log)
            what = f"take `{name}`" if name else f"link the kernel with {', '.join(f'`{one.name}`' for one in images)}"
            help = "compile it for this device, by the CUDA of the library or an older one, each function once"
            raise device_error("OX6004", f"nvJitLink does not {what}: {error}", notes=log.splitlines()[:4], help=help) from None
        cubin = bytearray(jit.get_linked_cubin_size(handle))
        jit.get_linked_cubin(handle, cubin)
        return bytes(cubin)
    finally:
        jit.destroy(handle)


def _log(jit: Any, handle: Any) -> str:
    log = bytearray(jit.get_error_log_size(handle))
    jit.get_error_log(handle, log)
    return bytes(log).partition(b"\0")[0].decode(errors="replace")
