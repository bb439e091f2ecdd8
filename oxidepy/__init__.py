"""oxidepy: GPU kernels in typed Python. What a kernel author and a launching program import.

Names are handed on when they are first used (PEP 562), so `import oxidepy` loads neither NumPy, LLVM nor a driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
}
_MODULES: dict[str, str] = {}  # name -> module that is the value itself, such as `tile`

if TYPE_CHECKING:  # the same names for type checkers and editors, which do not run __getattr__
    from oxidepy.diagnostics.errors import BorrowError as BorrowError
    from oxidepy.diagnostics.errors import CompileError as CompileError
    from oxidepy.diagnostics.errors import DeviceError as DeviceError
    from oxidepy.diagnostics.errors import DevicePanic as DevicePanic
    from oxidepy.diagnostics.errors import LaunchError as LaunchError
    from oxidepy.diagnostics.errors import MovedError as MovedError
    from oxidepy.diagnostics.errors import OxideError as OxideError


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        value: Any = import_module(_MODULES[name])
    elif name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    else:
        from difflib import get_close_matches

        close = get_close_matches(name, [*_NAMES, *_MODULES], n=1)
        raise AttributeError(f"module 'oxidepy' has no name {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))
    globals()[name] = value  # the next use does not come here again
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_MODULES})
