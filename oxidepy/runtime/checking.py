"""A program's kernels and host code, checked without running the program."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

from oxidepy.cache import default_cache
from oxidepy.compiler.ahead import describe, specialisations
from oxidepy.compiler.driver import check_kernel
from oxidepy.compiler.report import KernelReport, report
from oxidepy.compiler.signature import parameters
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.lang.definition import ConstParam, KernelDef
from oxidepy.runtime.constants import compile_time
from oxidepy.runtime.program import Program
from oxidepy.runtime.scalars import Unfit
from oxidepy.settings.options import CodegenOptions


@dataclass(frozen=True)
class KernelCheck:
    """What came of one kernel. "open": what it is made of is known only at a launch (a function or compile-time argument)."""

    name: str
    line: int
    state: Literal["accepted", "refused", "open"]
    diagnostics: tuple[Diagnostic, ...]
    report: KernelReport | None = None  # of an accepted one


def check_program(program: Program, options: CodegenOptions) -> list[KernelCheck]:
    """Every kernel and exported function that the file defines, in the order of the lines. The program must have been started."""
    return [one for definition in program.definitions() for one in check_definition(definition, options)]


def check_definition(definition: KernelDef, options: CodegenOptions) -> list[KernelCheck]:
    """One result for each specialisation that can be made before a launch; compile-time parameters have their defaults."""
    line = definition.function.__code__.co_firstlineno
    try:
        variants = specialisations(definition, defaults(definition))
    except CompileError as error:
        return [KernelCheck(definition.name, line, "refused", error.diagnostics)]
    if not variants:
        return [KernelCheck(definition.name, line, "open", ())]
    out: list[KernelCheck] = []
    for variant in variants:
        name = describe(definition, variant)
        start = time.perf_counter()
        try:
            checked = check_kernel(definition, variant, options, cache=default_cache())
        except CompileError as error:
            out.append(KernelCheck(name, line, "refused", error.diagnostics))
        else:
            spent = (time.perf_counter() - start) * 1e3
            out.append(KernelCheck(name, line, "accepted", checked.diagnostics, report(name, checked, spent)))
    return out


def defaults(definition: KernelDef) -> tuple[tuple[str, Any], ...] | None:
    """The compile-time parameters with the values that a launch without them has; None where it must give one."""
    given = [(one, one.type) for one in parameters(definition)] if not definition.exported else []
    try:
        return tuple((one.name, compile_time(wanted, one.default)) for one, wanted in given if isinstance(wanted, ConstParam))
    except Unfit:  # which a default that is none is too
        return None


def check_host(program: Program) -> list[Diagnostic]:
    """What can be said of the file's host functions."""
    from oxidepy.runtime.hostcode import host_findings

    return host_findings(program)


def findings(checks: list[KernelCheck], host: list[Diagnostic]) -> list[Diagnostic]:
    """All diagnostics, each once (variants of one kernel tend to repeat them), by place."""
    every = dict.fromkeys((*(one for check in checks for one in check.diagnostics), *host))
    return sorted(every, key=lambda one: (one.span.file, one.span.line, one.span.column) if one.span else ("", 0, 0))
