"""`oxidepy run`: compile a program's kernels, then run it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from oxidepy.cli.options import Device, DeviceDebug, Lineinfo, NoAssert, NoFmad, PathArgument, UncheckedIndexing, codegen_flags
from oxidepy.cli.output import OUTPUT
from oxidepy.cli.running import run_file


def run(
    path: PathArgument = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGS]...", help="what the program finds in sys.argv", show_default=False)
    ] = None,
    device: Device = None,
    no_fmad: NoFmad = False,
    lineinfo: Lineinfo = None,
    device_debug: DeviceDebug = False,
    unchecked_indexing: UncheckedIndexing = False,
    no_assert: NoAssert = False,
    watch: Annotated[bool, typer.Option("--watch", help="run it again whenever a source file of its folder changes, until Ctrl-C")] = False,
) -> int:
    """Compile the kernels of a file, report their errors together, and run it. The exit code is the program's.

    Example: oxidepy run src/main.py --device cpu
    """
    if watch:
        from oxidepy.cli import watching

        return watching.watch(path, sys.argv[1:])
    flags = codegen_flags(
        device=device,
        no_fmad=no_fmad,
        lineinfo=lineinfo,
        device_debug=device_debug,
        unchecked_indexing=unchecked_indexing,
        no_assert=no_assert,
    )
    return run_file(path, [*(arguments or ()), *OUTPUT.rest], flags)
