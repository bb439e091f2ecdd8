"""`oxidepy build`: compile the kernels of a file ahead of time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from oxidepy.cli.entry import entry_file, start, use_flags
from oxidepy.cli.options import (
    Archs,
    DeviceDebug,
    Format,
    Lineinfo,
    MessageFormat,
    NoAssert,
    NoFmad,
    PathArgument,
    UncheckedIndexing,
    codegen_flags,
)
from oxidepy.cli.output import OUTPUT, console, fail, misused, say

if TYPE_CHECKING:
    from oxidepy.compiler.batch import Built, Job
    from oxidepy.diagnostics import Diagnostic
    from oxidepy.runtime.artefacts import Form, Row
    from oxidepy.settings.options import CodegenOptions

FORMS = ("ptx", "llvm", "ir")


def build(
    path: PathArgument = None,
    arch: Archs = None,
    emit: Annotated[
        str | None, typer.Option("--emit", metavar="FORMS", help="ptx, llvm, ir, separated by commas: what to write", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="where to write (default: build/oxidepy)", show_default=False)
    ] = None,
    message_format: Format = MessageFormat.human,
    no_fmad: NoFmad = False,
    lineinfo: Lineinfo = None,
    device_debug: DeviceDebug = False,
    unchecked_indexing: UncheckedIndexing = False,
    no_assert: NoAssert = False,
) -> int:
    """Compile the kernels and exported functions of a file into the cache, and into files with --emit or --out, beside a manifest in JSON.

    Example: oxidepy build src/main.py --arch sm_90a --arch sm_120a --emit ptx,ir --out kernels
    """
    from oxidepy.diagnostics.render import emit as show
    from oxidepy.runtime.artefacts import jobs, targets
    from oxidepy.runtime.program import Program
    from oxidepy.settings.active import active_settings

    forms = [one.strip() for one in emit.split(",")] if emit is not None else ["ptx"]
    stranger = next((one for one in forms if one not in FORMS), None)
    if stranger is not None:
        return misused(f"--emit does not know {stranger!r}", f"it takes {', '.join(FORMS)}, separated by commas")
    file, config = entry_file(path)
    use_flags(
        codegen_flags(
            config=config,
            arch=arch,
            no_fmad=no_fmad,
            lineinfo=lineinfo,
            device_debug=device_debug,
            unchecked_indexing=unchecked_indexing,
            no_assert=no_assert,
        )
    )
    settings = active_settings()
    program = Program.read(file, as_main=False)
    raised, broken = start(program)
    if broken:
        return 1
    work, wrong, later = jobs(program, targets(settings.arch))
    folder = out if out is not None else Path("build/oxidepy") if emit is not None else None
    try:
        rows, found = _compile(work, settings.options, cast("list[Form]", forms), folder, quiet=message_format is not MessageFormat.human)
    except OSError as error:
        if folder is None:
            raise
        return fail(f"cannot write to {folder}: {error.strerror or error}", "name another folder with --out")
    errors = show([*raised, *wrong, *found], message_format.value, ignore=settings.ignore)
    if message_format is MessageFormat.human:
        _report(rows, later, folder)
    return 1 if errors else 0


def _compile(
    work: list[Job], options: CodegenOptions, forms: list[Form], folder: Path | None, *, quiet: bool
) -> tuple[list[Row], list[Diagnostic]]:
    from oxidepy.runtime.artefacts import build_program, row, write

    with _Progress(len(work), quiet=quiet) as progress:
        built, found = build_program(work, options, progress)
    return (write(built, options, forms, folder) if folder is not None else [row(one) for one in built]), found


class _Progress:
    """A bar on a terminal, nothing elsewhere."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self.total = total
        self.shown = not quiet and OUTPUT.verbosity >= 0 and total > 1 and console(stderr=True).is_terminal
        self.bar: Any = None
        self.advance: Callable[[], None] = lambda: None

    def __enter__(self) -> _Progress:
        if self.shown:
            from rich.progress import Progress

            self.bar = Progress(console=console(stderr=True), transient=True)
            self.bar.start()
            task = self.bar.add_task("compiling", total=self.total)
            self.advance = lambda: self.bar.advance(task)
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, _: Built) -> None:
        self.advance()


def _report(rows: list[Row], later: list[str], folder: Path | None) -> None:
    if OUTPUT.verbosity < 0:
        return
    if rows:
        from rich import box
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name, right in (("kernel", False), ("arch", False), ("PTX ISA", True), ("code", False), ("ms", True)):
            table.add_column(name, justify="right" if right else "left")
        for one in rows:
            table.add_row(one.kernel, one.arch, one.isa, "cached" if one.cached else "compiled", f"{one.milliseconds:.1f}")
        console().print(table)
    if folder is not None and rows:
        count = sum(len(one.files) for one in rows)
        say(f"{count} {'file' if count == 1 else 'files'} and manifest.json in {folder}")
    for name in later:
        say(f"note: {name} takes a function or a compile-time value, so it is compiled at its launch")
    if not rows and not later:
        say("there are no kernels in this file")
