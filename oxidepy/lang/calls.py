"""Calls on the host that Python refuses by itself, as coded errors: what is missing or too much, and the call to write."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from oxidepy.diagnostics import CompileError, Diagnostic, LaunchError, OxideError
from oxidepy.lang.names import caller_span

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


def coded(code: str = "OX2007", name: str = "", *, owned: bool = False, help: str | None = None) -> Callable[[F], F]:
    """Let a function refuse arguments that do not go with its parameters by that code. `name`: what stands before the parentheses;
    `owned`: the first parameter is the object or class that it belongs to; `help`: what to write instead of such a call."""

    def wrap(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            try:
                return function(*args, **keywords)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise  # out of the function itself
                raise _refusal(code, function, name or function.__name__, args[owned:], keywords, owned, help) from None

        return call  # type: ignore[return-value]  # pyright: ignore[reportReturnType]

    return wrap


def methods(shown: str, *names: str, made: str = "", help: str | None = None) -> Callable[[C], C]:
    """The same for methods of a class. `shown` stands for an object in messages. `made`: `__init__` or `__new__`, `help` what to write
    instead of making one."""

    def wrap(cls: C) -> C:
        own = cls.__name__
        for name in names:
            found = vars(cls)[name]
            static = isinstance(found, staticmethod)
            wrapped: Any = coded(name=f"{own if static else shown}.{name}", owned=not static)(found.__func__ if static else found)
            setattr(cls, name, staticmethod(wrapped) if static else wrapped)
        if made:
            found = vars(cls)[made]
            wrapped = coded(name=own, owned=True, help=help)(getattr(found, "__func__", found))
            setattr(cls, made, staticmethod(wrapped) if made == "__new__" else wrapped)
        return cls

    return wrap


def _refusal(
    code: str, function: Any, name: str, args: Sequence[Any], keywords: dict[str, Any], owned: bool, help: str | None
) -> OxideError:
    parameters = list(inspect.signature(function).parameters.values())[owned:]
    placed = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    named = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    needed = [one.name for one in placed if one.default is one.empty]
    call = f"`{name}({', '.join(needed)})`"
    open_ = any(one.kind == one.VAR_KEYWORD for one in parameters)
    stranger = None if open_ else next((one for one in keywords if one not in named), None)
    if stranger is not None:
        what = f"has no parameter `{stranger}`"
        if any(one.name == stranger for one in placed):
            what = f"is given `{stranger}` by its name, and takes it by its place"
        else:
            from oxidepy.diagnostics.names import suggest

            close = suggest(stranger, named)
            call = f"did you mean `{close}`?" if close else call
    elif len(args) > len(placed):
        most = str(len(placed)) if len(needed) == len(placed) else f"{len(needed)} to {len(placed)}"
        what = f"takes {most} argument{'s' * (most != '1')}, and is given {len(args)}"
    elif twice := next((one.name for one in placed[: len(args)] if one.name in keywords), None):
        what = f"is given `{twice}` twice"
    else:
        what = f"lacks the argument `{next((one for one in needed[len(args) :] if one not in keywords), 'self')}`"
    if args and placed and placed[0].name == "stream" and not type(args[0]).__name__.endswith("Stream"):
        call = f"the stream comes first: {call}"
    elif call[0] == "`":
        call = f"write {call}"
    diagnostic = Diagnostic(code, f"`{name}` {what}", caller_span(), help=help or call)
    return LaunchError(diagnostic) if code == "OX2007" else CompileError([diagnostic])
