"""`debug.trap` and `debug.breakpoint`; the others of `debug` are rows of the table of intrinsics."""

from __future__ import annotations

import ast

from oxidepy.frontend import hardware
from oxidepy.frontend.calls import arguments
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import NONE, Front
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import BOOL


@call("debug.trap")
def _trap(frame: Frame, node: ast.Call) -> Front:
    """The thread ends here, with a panic."""
    arguments(frame, node, 0)
    op = frame.builder.check(frame.builder.const(BOOL, False), "OX7002", "debug.trap()")
    op.attrs["keep"] = True  # it is no assertion, which an option may switch off
    return NONE


@call("debug.breakpoint")
def _breakpoint(frame: Frame, node: ast.Call) -> Front:
    """Nothing unless the kernel is compiled for a debugger, so that it runs everywhere."""
    arguments(frame, node, 0)
    return hardware.execute(frame, node, ROWS["debug.breakpoint"]) if frame.lowering.options.device_debug else NONE
