"""What is said to people: spans, codes, the renderer, one page a code."""

from oxidepy.diagnostics.errors import BorrowError, CompileError, DeviceError, DevicePanic, LaunchError, MovedError, OxideError
from oxidepy.diagnostics.model import Counterexample, Diagnostic, Label, Severity, Span

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
]
