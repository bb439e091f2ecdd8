"""The signature of a kernel, for those who may not reach into the frontend."""

from __future__ import annotations

from oxidepy.frontend import signature
from oxidepy.lang.definition import KernelDef, Parameter


def parameters(definition: KernelDef) -> tuple[Parameter, ...]:
    """The parameters with their types. CompileError OX1001 to OX1006 with all findings."""
    return signature.parameters(definition)
