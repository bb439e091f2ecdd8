"""The signature of a kernel, for those who may not reach into the frontend."""

from __future__ import annotations

from oxidepy.frontend import foreign, signature
from oxidepy.lang.definition import KernelDef, Parameter


def parameters(definition: KernelDef) -> tuple[Parameter, ...]:
    """The parameters with their types. CompileError OX1001 to OX1006 with all findings."""
    return signature.parameters(definition)


def declared(definition: KernelDef) -> tuple[Parameter, ...]:
    """The parameters of a kernel that is compiled elsewhere. CompileError OX1001 to OX1007, OX0658 if it has a body of its own."""
    return foreign.declared(definition)
