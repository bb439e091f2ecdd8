"""A program's host code for the analysis: what the names of its module mean."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from typing import Any

from oxidepy.compiler.hostcode import KernelShape, Library, Param, analyse
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.types import Scalar
from oxidepy.lang.definition import Parameter, ScalarParam, SliceParam
from oxidepy.runtime.kernel import Kernel
from oxidepy.runtime.program import Program

PACKAGE = "oxidepy"
_IMPORT = "import:"


def host_findings(program: Program) -> list[Diagnostic]:
    """The findings about the host functions of a program that was started."""
    return analyse(program.tree, program.source, str(program.path), Names(vars(program.namespace)))


class Names:
    """Looks dotted names up in modules and classes, never in anything that could run code of the program."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.shapes: dict[int, KernelShape] = {}
        self.public = {id(item): name for name, item in _public().items()}

    def __call__(self, path: Sequence[str]) -> KernelShape | Library | int | None:
        first, *rest = path
        if first.startswith(_IMPORT):
            found: Any = sys.modules.get(first.removeprefix(_IMPORT))
        else:
            found = self.names.get(first)
        for name in rest:
            if not isinstance(found, types.ModuleType | type):
                return None
            found = vars(found).get(name)
            if isinstance(found, staticmethod):
                found = found.__func__
        return self._meaning(found)

    def _meaning(self, found: Any) -> KernelShape | Library | int | None:
        if isinstance(found, Kernel):
            known = self.shapes.get(id(found))
            if known is None:
                known = self.shapes[id(found)] = _shape(found)
            return known
        if isinstance(found, types.ModuleType) and found.__name__.partition(".")[0] == PACKAGE:
            return Library(found.__name__.removeprefix(PACKAGE).lstrip("."))
        if type(found) is int:
            return found
        name = self.public.get(id(found))
        return Library(name) if name is not None else None


def _public() -> dict[str, Any]:
    import oxidepy

    # what has not been asked for yet is not in any program
    return {name: item for name, item in vars(oxidepy).items() if not name.startswith("_") and not isinstance(item, types.ModuleType | int)}


def _shape(kernel: Kernel[Any]) -> KernelShape:
    try:
        return KernelShape(kernel.name, tuple(map(_param, kernel.parameters)))
    except CompileError:  # reported where the kernel is checked
        return KernelShape(kernel.name, ())


def _param(parameter: Parameter) -> Param:
    type_ = parameter.type
    optional = not _empty(parameter.default)
    if isinstance(type_, SliceParam):
        element = type_.element.name if isinstance(type_.element, Scalar) else None
        return Param(parameter.name, "pointer" if type_.pointer else "exclusive" if type_.exclusive else "shared", element, optional)
    if isinstance(type_, ScalarParam):
        return Param(parameter.name, "scalar", type_.type.name if isinstance(type_.type, Scalar) else None, optional)
    return Param(parameter.name, "other", None, optional)


def _empty(default: Any) -> bool:
    import inspect

    return default is inspect.Parameter.empty
