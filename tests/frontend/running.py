"""Lower a kernel and run its IR in the interpreter, or take the findings with which it is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from oxidepy import CompileError
from oxidepy.analysis import guards
from oxidepy.diagnostics import Diagnostic
from oxidepy.frontend.lower import lower
from oxidepy.ir import interpreter
from oxidepy.ir.core import Module, Op
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import Memory
from oxidepy.ir.verifier import verify
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


def lowered(kernel: Any, specialisation: Specialisation | None = None, **options: Any) -> Module:
    module = lower(kernel.definition, specialisation or Specialisation(), CodegenOptions(**options)).module
    verify(module)
    return module


def ops(kernel: Any, **options: Any) -> list[str]:
    """The names of all operations, in order."""
    return [op.name for op in every(kernel, **options)]


def every(kernel: Any, **options: Any) -> list[Op]:
    return list(lowered(kernel, **options).kernel.body.walk())


def text(kernel: Any, **options: Any) -> str:
    return print_module(lowered(kernel, **options))


def findings(kernel: Any, specialisation: Specialisation | None = None) -> list[Diagnostic]:
    """The errors, in order of place; the analysis of guards included."""
    try:
        module = lower(kernel.definition, specialisation or Specialisation(), CodegenOptions()).module
    except CompileError as error:
        return list(error.diagnostics)
    return list(guards.prove(module).diagnostics)


def refused(kernel: Any, specialisation: Specialisation | None = None) -> Diagnostic:
    """The one error of a kernel."""
    found = findings(kernel, specialisation)
    assert len(found) == 1, [(one.code, one.message, one.span and one.span.line) for one in found]
    return found[0]


def run(
    kernel: Any,
    *args: Any,
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] | None = None,
    specialisation: Specialisation | None = None,
    captured: dict[tuple[str, str], Any] | None = None,
    **options: Any,
) -> interpreter.Panic | None:
    """Run on arrays (written in place), scalars, and dicts of struct leaves by path, in order of the source parameters."""
    module = lowered(kernel, specialisation, **options)
    names = [one.name for one in kernel.parameters]
    given = dict(zip(names, args, strict=True))
    values: list[Any] = []
    for param, info in zip(module.kernel.params, module.kernel.infos, strict=True):
        value = given.get(info.source)
        if isinstance(param.type, Memory):
            assert isinstance(value, np.ndarray) and value.flags.c_contiguous
            values.append(value.reshape(-1).view(np.uint8))
        elif info.role == "length":
            values.append(value.shape[info.axis])
        elif captured and (info.source, info.path) in captured:
            values.append(captured[info.source, info.path])
        else:
            values.append(value[info.path] if info.path else value)
    return interpreter.run(module, values, grid, block or kernel.definition.contract.block)


def results(kernel: Any, dtype: Any, count: int, *args: Any, **keywords: Any) -> list[Any]:
    """Run a kernel whose first parameter is an output of `count` elements; gives those as Python numbers."""
    out = np.zeros(count, dtype)
    panic = run(kernel, out, *args, **keywords)
    assert panic is None, panic
    return out.tolist()
