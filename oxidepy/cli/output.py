"""How the command line speaks: colour, loudness, and the one form of an error that is no diagnostic."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console

Color = Literal["auto", "always", "never"]
NARROWEST = 40  # columns; COLUMNS=0 means that nobody knows, and in fewer a table shows nothing
COLORS: tuple[Color, ...] = ("auto", "always", "never")


@dataclass
class Output:
    """What the global options said. `verbosity` is 0 normally, positive with -v, negative with -q; `rest` is what stood behind `--`."""

    color: Color = "auto"
    verbosity: int = 0
    rest: list[str] = field(default_factory=list[str])


OUTPUT = Output()


def set_color(color: Color) -> None:
    """For this process and for those that it starts, which look at the same two variables."""
    OUTPUT.color = color
    if color != "auto":
        os.environ.pop("NO_COLOR" if color == "always" else "FORCE_COLOR", None)
        os.environ["FORCE_COLOR" if color == "always" else "NO_COLOR"] = "1"


def colored(stream: object) -> bool:
    """Whether `stream` gets colours: NO_COLOR and FORCE_COLOR count where they are set and not empty, else whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return bool(getattr(stream, "isatty", lambda: False)()) and os.environ.get("TERM") != "dumb"


def console(*, stderr: bool = False) -> Console:
    """A rich console on stdout (results) or stderr (what is said about the work)."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    made = (
        Console(file=stream, force_terminal=True, highlight=False)
        if colored(stream)
        else Console(file=stream, color_system=None, highlight=False)
    )
    made.width = max(made.width, NARROWEST)
    return made


def say(text: str) -> None:
    """Progress and results for people, on stdout; silent with -q."""
    if OUTPUT.verbosity >= 0:
        print(text)


def fail(message: str, help: str | None = None, code: str | None = None) -> int:
    """Wrong use: says so on stderr and gives the exit code."""
    head = "error" if code is None else f"error[{code}]"
    if colored(sys.stderr):
        from rich.text import Text

        text = Text.assemble((head, "bold red"), (": ", ""), (message, "bold"))
        if help:
            text.append("\n  = ", "bold blue").append("help", "bold").append(f": {help}")
        console(stderr=True).print(text, soft_wrap=True)
    else:
        print(f"{head}: {message}" + (f"\n  = help: {help}" if help else ""), file=sys.stderr)
    return 2


def misused(message: str, help: str | None = None) -> int:
    """An option or argument that is not understood: OX8003."""
    return fail(message, help, "OX8003")
