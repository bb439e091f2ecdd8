"""`build` and `inspect`: a program's kernels for chosen targets, as files or as text."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from oxidepy.backend.artefact import Artefact
from oxidepy.backend.llvm.debug import shown_path
from oxidepy.backend.targets import Target, cpu_target, nvptx_target
from oxidepy.cache import default_cache
from oxidepy.compiler import driver
from oxidepy.compiler.ahead import describe, specialisations
from oxidepy.compiler.batch import Built, Job, Refused, build
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.core import Module
from oxidepy.ir.depth import deep
from oxidepy.ir.printer import print_module
from oxidepy.runtime.checking import defaults
from oxidepy.runtime.program import Program
from oxidepy.settings.options import CodegenOptions

Form = Literal["ptx", "llvm", "ir", "asm", "object"]
DEFAULT_ARCH = "sm_80"  # where nobody says and no device can be asked: the oldest that most machines still have
SUFFIX: dict[Form, str] = {"ptx": ".ptx", "llvm": ".ll", "ir": ".ir", "asm": ".s", "object": ".o"}
MANIFEST_VERSION = 1


@dataclass(frozen=True)
class Row:
    """One line of the table that `build` prints."""

    kernel: str
    arch: str
    isa: str
    cached: bool
    milliseconds: float
    files: tuple[str, ...] = ()


def targets(archs: Sequence[str]) -> list[Target]:
    """The targets that were asked for ("cpu" is one); else the first CUDA device's; else `DEFAULT_ARCH`."""
    return [cpu_target() if arch == "cpu" else nvptx_target(arch) for arch in archs or (_detected() or DEFAULT_ARCH,)]


def jobs(program: Program, wanted: Sequence[Target]) -> tuple[list[Job], list[Diagnostic], list[str]]:
    """Every kernel × specialisation × target, and exported functions for GPUs; errors of signatures; the kernels that only a launch can
    complete."""
    out: list[Job] = []
    wrong: list[Diagnostic] = []
    later: list[str] = []
    for definition in program.definitions():
        try:
            variants = specialisations(definition, defaults(definition))
        except CompileError as error:
            wrong += error.diagnostics
            continue
        if not variants:
            later.append(definition.name)
        fitting = [one for one in wanted if one.kind == "nvptx" or not definition.exported]
        out += [Job(definition, variant, target) for variant in variants for target in fitting]
    return out, wrong, later


def build_program(work: Sequence[Job], options: CodegenOptions, done: Callable[[Built], None]) -> tuple[list[Built], list[Diagnostic]]:
    """Compile through the cache. Gives what was built and all findings, each once."""
    results = build(work, options, default_cache(), done)
    built = [one for one in results if isinstance(one, Built)]
    found = dict.fromkeys(diagnostic for one in results for diagnostic in one.diagnostics)
    assert all(isinstance(one, Built | Refused) for one in results)
    return built, list(found)


def text_of(module: Module, artefact: Artefact, target: Target, options: CodegenOptions, form: Form) -> bytes:
    """The kernel in one form. "asm" is the target's assembly (for a GPU that is PTX)."""
    with deep():
        return _text_of(module, artefact, target, options, form)


def _text_of(module: Module, artefact: Artefact, target: Target, options: CodegenOptions, form: Form) -> bytes:
    if form == "ir":
        return print_module(module, spans=shown_path).encode()
    if form == "llvm":
        return _llvm(module, target, options).encode()
    if form == "asm" and target.kind == "cpu":
        from oxidepy.backend.cpu import assembly

        return assembly(module, target, options).encode()
    return artefact.code


def write(built: Sequence[Built], options: CodegenOptions, forms: Sequence[Form], folder: Path) -> list[Row]:
    """Write each kernel in each form, and `manifest.json` beside them, by atomic rename. OSError if the folder cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    manifest: list[dict[str, Any]] = []
    taken: Counter[str] = Counter()
    for one in built:
        kernel = describe(one.job.definition, one.job.specialisation)
        effective = driver.effective_options(one.job.definition, options)
        files: dict[str, str] = {}
        plain = _file_name(kernel, one.job.target)
        taken[plain] += 1
        stem = plain if taken[plain] == 1 else f"{plain}-{taken[plain]}"  # static methods of two classes may have one name
        for form in forms:
            actual: Form = "object" if form == "ptx" and one.job.target.kind == "cpu" else form
            name = stem + SUFFIX[actual]
            replace_file(folder / name, text_of(one.module, one.artefact, one.job.target, effective, actual))
            files[actual] = name
        manifest.append(_entry(one, kernel, files))
        rows.append(row(one, tuple(files.values())))
    document = {"schema_version": MANIFEST_VERSION, "kernels": manifest}
    replace_file(folder / "manifest.json", (json.dumps(document, indent=2) + "\n").encode())
    return rows


def row(one: Built, files: tuple[str, ...] = ()) -> Row:
    isa = one.job.target.isa
    return Row(
        describe(one.job.definition, one.job.specialisation),
        one.job.target.arch,
        f"{isa[0]}.{isa[1]}" if isa else "",
        one.cached,
        one.milliseconds,
        files,
    )


def replace_file(path: Path, data: bytes) -> None:
    """Write by a temporary file beside it and an atomic rename, so that a reader finds the old file or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _entry(one: Built, kernel: str, files: dict[str, str]) -> dict[str, Any]:
    about = one.artefact.metadata()
    definition = one.job.definition
    return {
        "kernel": kernel,
        "entry": one.artefact.entry,
        "function": exported.declaration if (exported := one.module.kernel.exported) is not None else None,  # of C, instead of a kernel
        "links": [image.name for image in one.module.kernel.images],  # files of functions that it calls
        "arch": one.job.target.arch,
        "isa": list(one.job.target.isa) if one.job.target.isa else None,
        "block": list(definition.contract.block),
        "domain": definition.contract.domain,
        "params": about["params"],
        "coarsen": about["facts"].get("coarsen", 1),  # blocks of the grid in one of the hardware: 1, as anybody would launch it
        "recursion": about["facts"].get("recursion", 0),  # calls in each other for which the context's stack must have room
        "panic": about["panic"],
        "sites": [
            {"code": code, "message": message, "file": span and span[0], "line": span and span[1]}
            for code, message, span, _ in about["sites"]
        ],
        "files": files,
    }


def _file_name(kernel: str, target: Target) -> str:
    plain = re.sub(r"[^\w.]+", "_", kernel.replace("=", "_")).strip("_")
    return f"{plain}.{target.arch}"


def _detected() -> str | None:
    from oxidepy.runtime.devices import cuda_count

    if not cuda_count():
        return None
    from oxidepy.runtime.context import Context

    target = Context("cuda:0").driver.target()
    return target.arch if target is not None else None


def _llvm(module: Module, target: Target, options: CodegenOptions) -> str:
    if target.kind == "nvptx":
        from oxidepy.backend import nvptx

        return nvptx.llvm_text(module, target, options)
    from oxidepy.backend import cpu

    return cpu.llvm_text(module, target, options)
