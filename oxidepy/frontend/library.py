"""Functions of the language that are written in the language itself: inlined where a kernel calls them."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from importlib import import_module

from oxidepy.frontend.frame import Frame
from oxidepy.frontend.functions import inline
from oxidepy.frontend.values import Front, FunctionValue

FOLDER = "oxidepy.lang.functions"


def written(module: str, name: str) -> types.FunctionType:
    """The function `name` of a module of the library."""
    found: types.FunctionType = getattr(import_module(f"{FOLDER}.{module}"), name)
    return found


def library(frame: Frame, node: ast.AST, module: str, name: str, args: Sequence[Front]) -> Front:
    """The value of `name` of that module with these arguments. Its operations stand where the kernel calls it."""
    callee = FunctionValue(written(module, name), label=name, site=frame.site or frame.span(node))
    return inline(frame, node, callee, [(one, node) for one in args])


def function(module: str, name: str) -> FunctionValue:
    """A function of the library as a value, for another one to call."""
    return FunctionValue(written(module, name), label=name)
