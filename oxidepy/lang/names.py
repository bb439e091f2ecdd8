"""How the frontend recognises what a kernel author imported: every such object carries its dotted name in `__oxidepy__`."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

from oxidepy.diagnostics import Diagnostic, OxideError, Span

F = TypeVar("F", bound=Callable[..., Any])

STARTED = time.time()  # before any kernel was decorated: a source file that is younger may have been edited since its import

# What stands in for a kernel-only name on the host, by the first part of the name.
_ON_THE_HOST = {
    "math": "on the host use NumPy or the standard `math`",
    "unroll": "on the host write a plain `for`",
    "static_assert": "on the host write `assert`",
    "require": "write it as the first statement of a kernel",
    "Slice": "on the host make an `oxidepy.DeviceBuffer` and hand it to the kernel's `launch`",
    "DisjointSlice": "on the host make an `oxidepy.DeviceBuffer` and hand it to the kernel's `launch`",
    "SliceMut": "on the host make an `oxidepy.DeviceBuffer` and hand it to the kernel's `launch`",
    "Ptr": "on the host make an `oxidepy.DeviceBuffer` and hand it to the kernel's `launch`",
    "ConstantSlice": "on the host make an `oxidepy.DeviceBuffer` and hand it to the kernel's `launch`",
}


def name_of(value: object) -> str | None:
    """The dotted name of a thing of the kernel language ("thread.index_1d"), or None for any other object."""
    name = getattr(value, "__oxidepy__", None)
    return name if isinstance(name, str) else None


class AbsentOnHost(OxideError, AttributeError):
    """OX1010 of what is read, not called. To Python the attribute is not there: `hasattr` says so, and `inspect` goes on."""


def host_error(name: str, kind: type[OxideError] = OxideError) -> OxideError:
    """What a use of the kernel-only `name` on the host raises."""
    first = name.partition(".")[0]
    way_out = _ON_THE_HOST.get(first, "write it inside a function decorated with `@kernel`, and launch that with `.launch(stream, …)`")
    return kind(Diagnostic("OX1010", f"`{name}` exists only in kernels", span=caller_span(), help=way_out))


def device(name: str) -> Callable[[F], F]:
    """Declare a function of the kernel language. The frontend knows it by `name`; called on the host it raises OX1010."""

    def mark(function: F) -> F:
        @functools.wraps(function)
        def on_the_host(*args: Any, **kwargs: Any) -> Any:
            raise host_error(name)

        on_the_host.__oxidepy__ = name  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
        return on_the_host  # type: ignore[return-value]  # pyright: ignore[reportReturnType]

    return mark


def named(name: str) -> Callable[[F], F]:
    """Let the frontend know a function that means something on the host too."""

    def mark(function: F) -> F:
        function.__oxidepy__ = name  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]
        return function

    return mark


def caller_span() -> Span | None:
    """The place in the user's code that runs now: the innermost frame that is not of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "oxidepy":
        frame = frame.f_back
    if frame is None:
        return None
    import linecache

    code, line = frame.f_code, frame.f_lineno
    text = linecache.getline(code.co_filename, line, frame.f_globals).rstrip("\n")
    if sys.version_info >= (3, 11):
        import itertools

        first, last, start, end = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None), (None, None, None, None))
        if first is not None and last is not None and start is not None and end is not None:
            text = linecache.getline(code.co_filename, first, frame.f_globals)
            last_text = linecache.getline(code.co_filename, last, frame.f_globals)
            return Span(code.co_filename, first, characters(text, start) + 1, last, characters(last_text, end) + 1)
    indent = len(text) - len(text.lstrip())
    return Span(code.co_filename, line, indent + 1, line, max(len(text), indent + 1) + 1)


def characters(line: str, offset: int) -> int:
    """How many characters of `line` the first `offset` bytes of its UTF-8 form are. The compiler counts bytes, people characters."""
    if line.isascii():
        return offset
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))
