"""Kernels before any launch: which specialisations can be made from the source alone."""

from __future__ import annotations

import itertools
from typing import Any

from oxidepy.frontend.signature import parameters
from oxidepy.lang.definition import (
    ConstParam,
    FunctionParam,
    KernelDef,
    ParamType,
    ScalarParam,
    SliceParam,
    Specialisation,
    TensorMapParam,
    TupleParam,
    TypeVariable,
)


def specialisations(definition: KernelDef, constants: tuple[tuple[str, Any], ...] | None = None) -> list[Specialisation]:
    """One for each choice of its TypeVars; none if a launch must give a function or a constant. CompileError on a bad signature.

    `constants`: the values of all compile-time parameters, where they are known.
    """
    if definition.exported:
        return [Specialisation()]
    types = [parameter.type for parameter in parameters(definition)]
    if any(isinstance(one, FunctionParam) or (constants is None and isinstance(one, ConstParam)) for one in types):
        return []
    variables = list(dict.fromkeys(variable for one in types for variable in _variables(one)))
    choices = itertools.product(*(variable.choices for variable in variables))
    names = [variable.name for variable in variables]
    return [Specialisation(types=tuple(zip(names, choice, strict=True)), constants=constants or ()) for choice in choices]


def describe(definition: KernelDef, specialisation: Specialisation) -> str:
    """The kernel's name with its types and compile-time values: `scale[T=f32]`."""
    types = (f"{name}={element.name}" for name, element in specialisation.types)
    bound = ", ".join((*types, *(f"{name}={value}" for name, value in specialisation.constants)))
    return f"{definition.name}[{bound}]" if bound else definition.name


def _variables(parameter: ParamType) -> list[TypeVariable]:
    if isinstance(parameter, (SliceParam, TensorMapParam)):
        return [parameter.element] if isinstance(parameter.element, TypeVariable) else []
    if isinstance(parameter, ScalarParam):
        return [parameter.type] if isinstance(parameter.type, TypeVariable) else []
    if isinstance(parameter, TupleParam):
        return [variable for item in parameter.items for variable in _variables(item)]
    return []
