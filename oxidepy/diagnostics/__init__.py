"""What is said to people: spans, codes, the renderer, one page a code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxidepy.diagnostics.errors import BorrowError, CompileError, DeviceError, DevicePanic, LaunchError, MovedError, OxideError
from oxidepy.diagnostics.model import Counterexample, Diagnostic, Label, Severity, Span

if TYPE_CHECKING:
    from oxidepy.diagnostics.names import suggest
    from oxidepy.diagnostics.render import emit, render_plain

# handed on when first used: whoever only raises an error needs no renderer
_NAMES = {"emit": "oxidepy.diagnostics.render", "render_plain": "oxidepy.diagnostics.render", "suggest": "oxidepy.diagnostics.names"}

__all__ = [
    "BorrowError",
    "CompileError",
    "Counterexample",
    "DeviceError",
    "DevicePanic",
    "Diagnostic",
    "Label",
    "LaunchError",
    "MovedError",
    "OxideError",
    "Severity",
    "Span",
    "emit",
    "render_plain",
    "suggest",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no name {name!r}")
    value = globals()[name] = getattr(import_module(_NAMES[name]), name)
    return value
