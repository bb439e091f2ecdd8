"""`extern` and `export`: functions that other compilers made, and functions for those to call."""

from __future__ import annotations

import os
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, overload

from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.lang.calls import coded
from oxidepy.lang.definition import KernelDef, KernelOptions
from oxidepy.lang.names import caller_span, named

F = TypeVar("F", bound=Callable[..., Any])

EXTERN = "__oxidepy_extern__"
EXPORT = "__oxidepy_export__"
_SYMBOL = re.compile(r"(?!WARP_SZ\Z)(?:[A-Za-z]|[_$](?=[\w$]))[\w$]*\Z", re.ASCII)  # an identifier of PTX


@dataclass(frozen=True)
class Extern:
    """Where the function is: the names of the files as they are written, the folder from which they count, the symbol."""

    files: tuple[str, ...]
    folder: Path
    symbol: str
    span: Span | None


@dataclass(frozen=True)
class Export:
    """Under which symbol other code calls the function."""

    symbol: str


@coded("OX1007")
@named("extern")
def extern(*files: str | os.PathLike[str], symbol: str | None = None) -> Callable[[F], F]:
    """A device function that another compiler made: `@extern("dist.ptx")` above a `def` with every type written.

    `files`: PTX, cubins, fatbins, relocatable objects or libraries, beside the file that says so; the driver links them with the kernel.
    LTOIR is linked by nvJitLink (`pip install nvidia-nvjitlink`; OX8013 without it).
    `symbol`: the function's name there, if it is not that of the `def` (in CUDA C++ `extern "C"`). The types are those of C: scalars,
    `@struct` classes, `Ptr[T]`. The body is the reference: it runs on the devices `cpu` and `interp`; `...` leaves it out (OX6001 there).
    Calls stand under `unsafe`. A file that is not there is OX8010, a symbol that is not in it OX0425, another signature OX0308.
    """
    span = caller_span()
    if not files:
        raise _misused("`extern` names no file", span, 'write `@extern("functions.ptx")`')
    places = tuple(_place(one, span) for one in files)

    @named("extern")
    def mark(function: F) -> F:
        plain = _plain("extern", function, span)
        name = _symbol("extern", plain.__name__ if symbol is None else symbol, span)
        folder = Path(plain.__code__.co_filename).parent
        setattr(plain, EXTERN, Extern(places, folder, name, span))
        return function

    return mark


@overload
def export(function: F, /) -> F: ...
@overload
def export(*, symbol: str | None = None) -> Callable[[F], F]: ...
@coded("OX1007")
@named("export")
def export(function: Any = None, /, *, symbol: str | None = None) -> Any:
    """A device function for other code: `oxidepy build --emit ptx` writes it as a function that CUDA C++, or another kernel by way of
    `extern`, links and calls.

    Bare, or with the `symbol` under which it is called. Every type is written, and is one of C: scalars, `@struct` classes, `Ptr[T]`. It
    may use all that one thread does by itself; who calls it decides blocks, so it asks for no index, barrier or shared memory (OX0658).
    In kernels it is a function like others.
    """
    span = caller_span()

    @named("export")
    def mark(decorated: Any) -> Any:
        plain = _plain("export", decorated, span)
        setattr(plain, EXPORT, Export(_symbol("export", plain.__name__ if symbol is None else symbol, span)))
        return decorated

    return mark if function is None else mark(function)


def extern_of(function: object) -> Extern | None:
    found = getattr(function, EXTERN, None)
    return found if isinstance(found, Extern) else None


def export_of(function: object) -> Export | None:
    found = getattr(function, EXPORT, None)
    return found if isinstance(found, Export) else None


def exported(function: types.FunctionType, export: Export) -> KernelDef:
    """The function as something to compile by itself."""
    return KernelDef(function=function, name=function.__name__, exported=True, options=KernelOptions(name=export.symbol))


def _plain(decorator: str, function: Any, span: Span | None) -> types.FunctionType:
    what = ""
    if not isinstance(function, types.FunctionType):
        what = f"{type(function).__name__}, which is no plain function"
    elif function.__name__ == "<lambda>":
        what = "a lambda"
    elif hasattr(function, EXTERN) or hasattr(function, EXPORT):
        what = "a function that is declared already"
    if what:
        raise _misused(f"`@{decorator}` stands on {what}", span, "write it alone above a `def` at the top level of a module")
    plain: types.FunctionType = function
    return plain


def is_place(text: str) -> bool:
    """Whether the system may have a file of that name at all."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _place(file: object, span: Span | None) -> str:
    place = os.fspath(cast("os.PathLike[str]", file)) if isinstance(file, os.PathLike) else file
    if not isinstance(place, str) or not is_place(place):
        raise _misused(f"{place!r} is no place of a file", span, 'write `@extern("functions.ptx")`')
    return place


def _symbol(decorator: str, name: object, span: Span | None) -> str:
    if not isinstance(name, str) or not _SYMBOL.match(name) or name.startswith(("oxidepy_", "__nv_")):
        raise _misused(f"{name!r} is no symbol for `@{decorator}`", span, 'write `symbol="name"` with a name of C')
    return name


def _misused(message: str, span: Span | None, help: str) -> CompileError:
    return CompileError([Diagnostic("OX1007", message, span, help=help)])
