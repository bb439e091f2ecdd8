"""The entry point. `--version` is answered before anything else is imported, a plain `run` without Typer."""

from __future__ import annotations

import io
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; gives the exit code: 0 fine, 1 errors found, 2 wrong use, else the program's own."""
    given = sys.argv[1:] if arguments is None else arguments
    command = next((number for number, one in enumerate(given) if not one.startswith("-")), len(given))
    if {"--version", "-V"} & set(given[:command]):
        from oxidepy.settings.version import __version__

        print(f"oxidepy {__version__}")
        return 0
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character shows its number
    if given[:1] == ["run"]:
        from oxidepy.cli.running import plain_run

        work = plain_run(given)
        if work is not None:
            from oxidepy.cli.guard import guarded

            return guarded(work)
    from oxidepy.cli.app import run_app

    return run_app(given)
