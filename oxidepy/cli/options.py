"""The options that several commands share, and what they say as `Flags`."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from oxidepy.settings import values
from oxidepy.settings.config import Config, Flags
from oxidepy.settings.options import OPTIONS

T = TypeVar("T")
_OPTION = {one.field: one for one in OPTIONS}


class MessageFormat(str, Enum):
    """How diagnostics are written."""

    human = "human"
    json = "json"
    github = "github"
    sarif = "sarif"


def checked(parse: Callable[[str], T], text: str) -> T:
    """The value of an option; typer.BadParameter (exit code 2) with the same words as a malformed environment variable."""
    try:
        return parse(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not {error}") from None


def _device(text: str | None) -> str | None:
    return None if text is None else checked(values.parse_device, text)


def _archs(texts: list[str] | None) -> list[str]:
    return [checked(values.parse_arch, one) for one in texts or ()]


def _switch(field: str, flag: str | None = None) -> typer.models.OptionInfo:
    option = _OPTION[field]
    info: typer.models.OptionInfo = typer.Option(flag or option.flag or "", help=option.meaning, show_default=False)
    return info


PathArgument = Annotated[
    Path | None,
    typer.Argument(metavar="PATH", help="the file; without one, `entry` of [tool.oxidepy]", show_default=False),
]
Device = Annotated[
    str | None,
    typer.Option("--device", metavar="D", callback=_device, help="cuda:0, cpu or interp; also for child processes", show_default=False),
]
Archs = Annotated[
    list[str] | None,
    typer.Option("--arch", metavar="SM", callback=_archs, help="a GPU architecture such as sm_90a; repeatable", show_default=False),
]
Format = Annotated[MessageFormat, typer.Option("--message-format", help="how errors and warnings are written")]
NoFmad = Annotated[bool, _switch("fmad")]
Lineinfo = Annotated[bool | None, _switch("lineinfo")]
DeviceDebug = Annotated[bool, _switch("device_debug")]
UncheckedIndexing = Annotated[bool, _switch("unchecked_indexing")]
NoAssert = Annotated[bool, _switch("no_assert")]


def codegen_flags(
    *,
    config: Config | None = None,
    device: str | None = None,
    arch: list[str] | None = None,
    no_fmad: bool = False,
    lineinfo: bool | None = None,
    device_debug: bool = False,
    unchecked_indexing: bool = False,
    no_assert: bool = False,
) -> Flags:
    """What a command was given, as `oxidepy.settings.active.set_flags` takes it."""
    return Flags(
        device=device,
        arch=tuple(dict.fromkeys(arch or ())),
        fmad=False if no_fmad else None,
        lineinfo=lineinfo,
        unchecked_indexing=unchecked_indexing,
        no_assert=no_assert,
        device_debug=device_debug,
        config=config,
    )
