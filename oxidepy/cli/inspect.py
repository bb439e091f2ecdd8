"""`oxidepy inspect`: what a kernel was compiled to."""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from oxidepy.cli.entry import entry_file, start, use_flags
from oxidepy.cli.options import Archs, Device, DeviceDebug, Lineinfo, NoAssert, NoFmad, PathArgument, UncheckedIndexing, codegen_flags
from oxidepy.cli.output import fail, misused

if TYPE_CHECKING:
    from oxidepy.compiler.batch import Job
    from oxidepy.diagnostics import Diagnostic


class InspectForm(str, Enum):
    """What can be shown of a kernel."""

    ptx = "ptx"
    llvm = "llvm"
    ir = "ir"
    asm = "asm"


def inspect(
    path: PathArgument = None,
    kernel: Annotated[
        str | None, typer.Argument(metavar="KERNEL", help="one kernel; without it, all of the file", show_default=False)
    ] = None,
    emit: Annotated[InspectForm, typer.Option("--emit", help="what to show")] = InspectForm.ptx,
    arch: Archs = None,
    device: Device = None,
    no_fmad: NoFmad = False,
    lineinfo: Lineinfo = None,
    device_debug: DeviceDebug = False,
    unchecked_indexing: UncheckedIndexing = False,
    no_assert: NoAssert = False,
) -> int:
    """Print what a kernel was compiled to. With --device cpu: the host's LLVM text and assembly.

    Example: oxidepy inspect src/main.py vecadd --emit ptx --arch sm_90a
    """
    from oxidepy.diagnostics.names import suggest
    from oxidepy.diagnostics.render import emit as show
    from oxidepy.runtime.artefacts import jobs, targets
    from oxidepy.runtime.program import Program
    from oxidepy.settings.active import active_settings

    if device == "cpu" and emit is InspectForm.ptx:
        return misused("PTX is for GPUs", "use --emit asm with --device cpu")
    if path is not None and kernel is None and not path.suffix and not path.exists():
        path, kernel = None, str(path)  # `oxidepy inspect vecadd` in a project
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
    work, wrong, later = jobs(program, targets(("cpu",) if device == "cpu" else settings.arch))
    names = sorted({one.definition.name for one in work} | set(later))
    if not names and not wrong:
        return fail(f"there are no kernels in {file}")
    if kernel is not None and kernel not in names:
        close = suggest(kernel, names)
        return misused(
            f"there is no kernel {kernel!r} in {file}", f"did you mean {close!r}?" if close else f"it has {', '.join(names) or 'none'}"
        )
    if kernel in later:
        return fail(
            f"{kernel} takes a function or a compile-time value and is made at its launch", "launch it, then print `kernel.ptx(...)`"
        )
    found = _print([one for one in work if kernel in (None, one.definition.name)], emit)
    return 1 if show([*raised, *wrong, *found]) else 0


def _print(work: list[Job], form: InspectForm) -> list[Diagnostic]:
    """Gives what was found in those that could not be printed."""
    from oxidepy.compiler.driver import effective_options
    from oxidepy.runtime.artefacts import build_program, text_of
    from oxidepy.settings.active import active_settings

    options = active_settings().options
    built, found = build_program(work, options, lambda _: None)
    for one in built:
        text = text_of(one.module, one.artefact, one.job.target, effective_options(one.job.definition, options), form.value)
        sys.stdout.write(text.decode().rstrip("\n\0") + "\n")
    sys.stdout.flush()
    return found
