"""`oxidepy explain`: the page of a diagnostic code."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from oxidepy.cli.output import colored, console, misused


def explain(
    code: Annotated[str, typer.Argument(metavar="CODE", help="such as OX0308; without one, all codes are listed", show_default=False)] = "",
) -> int:
    """Explain a diagnostic code: what it means, a program that triggers it, the mended program.

    Example: oxidepy explain OX0308
    """
    from oxidepy.diagnostics.codes import CODES, page
    from oxidepy.diagnostics.names import suggest

    if not code:
        print("\n".join(f"{one.code}  {one.title}" for one in CODES.values()))
        return 0
    wanted = code.upper().strip("[]")
    wanted = wanted if wanted.startswith("OX") else f"OX{wanted.zfill(4)}"
    if wanted not in CODES:
        close = suggest(wanted, [one for one in CODES if one.startswith("OXD") == wanted.startswith("OXD")])  # a check of doctor or not
        return misused(f"there is no diagnostic code {code!r}", f"did you mean {close}?" if close else "`oxidepy explain` lists all codes")
    text = page(wanted) or f"# {wanted}: {CODES[wanted].title}\n\nNothing in this version reports it: the code is kept for later.\n"
    if colored(sys.stdout):
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        sys.stdout.write(text)
    return 0
