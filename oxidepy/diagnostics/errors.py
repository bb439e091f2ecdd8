"""The exceptions that users catch. Each carries the diagnostics that it stands for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from oxidepy.diagnostics.model import Diagnostic


class OxideError(Exception):
    """Base of all errors of oxidepy. `code` is the diagnostic's code, such as "OX2003"."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        self.code: str = diagnostic.code
        super().__init__(diagnostic)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """All that it stands for: one diagnostic, or every finding of a kernel."""
        return (self.diagnostic,)

    def __str__(self) -> str:
        from oxidepy.diagnostics.render import render_plain  # the renderer is needed only when an error is shown

        return render_plain(self.diagnostic)


class CompileError(OxideError):
    """A kernel was refused. `diagnostics` holds every finding of the kernel (warnings too), the first error first."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        found = sorted(diagnostics, key=lambda one: one.severity != "error")
        self.diagnostics: tuple[Diagnostic, ...] = tuple(found)
        super().__init__(found[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return CompileError, (self.diagnostics,)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        return self.diagnostics

    def __str__(self) -> str:
        from oxidepy.diagnostics.render import render_plain

        return "\n\n".join(render_plain(one) for one in self.diagnostics)


class LaunchError(OxideError):
    """A launch or its preparation was refused before anything ran."""


class BorrowError(LaunchError):
    """Two arguments of a launch overlap and one of them is exclusive (OX0499, OX0502), or memory in use was given away (OX0505)."""


class MovedError(OxideError):
    """A value was used after its ownership went elsewhere (OX0382)."""


class DeviceError(OxideError):
    """The device or its driver failed."""


class DevicePanic(OxideError):
    """A check failed in a kernel: index out of bounds (OX7001), assert (OX7002), division by zero (OX7003); or, on `interp`, threads wait
    for each other for good (OX7004).

    `file` and `line` say where, `block` and `thread` (x, y, z) which thread;
    `index` and `length` are None unless the check was one of bounds.
    """

    def __init__(
        self,
        diagnostic: Diagnostic,
        *,
        kernel: str,
        block: tuple[int, int, int],
        thread: tuple[int, int, int],
        index: int | None = None,
        length: int | None = None,
    ) -> None:
        super().__init__(diagnostic)
        self.kernel = kernel
        self.block = block
        self.thread = thread
        self.index = index
        self.length = length
        self.file: str | None = diagnostic.span.file if diagnostic.span else None
        self.line: int | None = diagnostic.span.line if diagnostic.span else None

    def __reduce__(self) -> tuple[Any, ...]:
        said: dict[str, Any] = {one: vars(self)[one] for one in ("kernel", "block", "thread", "index", "length")}
        return partial(DevicePanic, **said), (self.diagnostic,)
