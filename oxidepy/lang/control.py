"""`unroll`, `static_assert`, `require`, `unsafe`: what a kernel says to its compiler."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from oxidepy.diagnostics import Diagnostic, OxideError
from oxidepy.lang.names import caller_span, device

T = TypeVar("T")


@device("unroll")
def unroll(items: Iterable[T], factor: int | None = None, /) -> Iterator[T]:
    """`for k in unroll(range(4))`: the body once for every item of a range or tuple known at compile time; `k` is a literal.

    `for k in unroll(range(n), 4)`: a loop whose rounds are written out four in one, so that their loads are under way together; `k` is
    a variable, `n` may be known at run time only. The factor is from 2 to 1024. (On the CPU a short loop of known length is LLVM's to
    write out, and one in whose rounds threads wait for each other stays as it is.)"""
    ...


@device("static_assert")
def static_assert(condition: bool, message: str = "", /) -> None:
    """Refuse to compile unless a condition over compile-time values holds."""


@device("require")
def require(*conditions: bool) -> None:
    """Relations of lengths, shapes and scalars that the host checks in exact integers at every launch (OX2005): facts for the proofs.

    One call or several, as the first statements of a kernel: `require(len(a) == m * k)`.
    """


@overload
def ptx(text: str, /, *operands: Any, pure: bool = False, isa: tuple[int, int] = ...) -> None: ...
@overload
def ptx(text: str, /, *operands: Any, result: type[T], pure: bool = False, isa: tuple[int, int] = ...) -> T: ...
@overload
def ptx(text: str, /, *operands: Any, result: tuple[type[Any], ...], pure: bool = False, isa: tuple[int, int] = ...) -> tuple[Any, ...]: ...
@device("ptx")
def ptx(text: str, /, *operands: Any, result: Any = None, pure: bool = False, isa: tuple[int, int] = (6, 3)) -> Any:
    """PTX of the kernel's own, under `unsafe`: `ptx("add.rn.f32 {out}, {0}, {1};", a, b, result=f32)`. Only on CUDA devices (OX6001).

    `{0}`, `{1}`… are the operands: scalars in registers of their type, or `(x, i)`, the address of an element, as in `ld.global.b32
    {out}, [{0}];` (shared memory in 32 bits), or a tensor map. `{out}` is the result, `{out0}`, `{out1}`… those of a tuple of types.
    Braces of PTX are doubled. `pure=True`: it touches no memory, and equal operands give equal results. `isa`: the version of the PTX ISA
    that the instruction needs, where that is newer than what the architecture began with (OX6002 where the driver is older).
    """


_depth: ContextVar[int] = ContextVar("oxidepy_unsafe", default=0)


class unsafe:
    """`with unsafe("why this holds"):` around what the compiler cannot prove, in kernels and on the host. Without a reason: OX0133."""

    __oxidepy__ = "unsafe"
    __slots__ = ("_tokens", "reason")

    def __init__(self, reason: str, /) -> None:
        if not isinstance(reason, str) or not reason.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            message = "`unsafe` needs the reason why this holds"
            raise OxideError(Diagnostic("OX0133", message, span=caller_span(), help='write `with unsafe("why this holds"):`'))
        self.reason = reason
        self._tokens: list[int] = []

    if not TYPE_CHECKING:
        __init__.__defaults__ = ("",)  # who forgets the reason is told so

    def __enter__(self) -> unsafe:
        self._tokens.append(_depth.get())
        _depth.set(_depth.get() + 1)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _depth.set(self._tokens.pop())


def in_unsafe() -> bool:
    """Whether the host code that runs now, in this thread and task, stands inside `with unsafe(…)`."""
    return _depth.get() > 0
