"""Functions that other code calls (`export`): a body of one thread's own, behind the signature of C."""

from __future__ import annotations

import inspect
import types

from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.frontend.bodies import run
from oxidepy.frontend.foreign import c_signature, element_of, shape
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.merge import flatten, number
from oxidepy.frontend.recursion import value_of
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.signature import helper_signature, positional
from oxidepy.frontend.values import Poison, Typed
from oxidepy.ir.core import Exported, Kernel, Op, Value
from oxidepy.ir.foreign import c_name
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.record import record
from oxidepy.ir.types import Memory
from oxidepy.lang.definition import Parameter, ParamType, SliceParam, TypeVariable


@record
class CFunction:
    """The signature of an exported function."""

    parameters: tuple[Parameter, ...]
    result: ParamType | None
    exported: Exported


def signature_of(frame: Frame, function: types.FunctionType, symbol: str) -> CFunction:
    """What C sees of the function. CompileError."""
    parsed = frame.parsed
    signature = helper_signature(function)
    try:
        params, result = c_signature(frame, parsed, signature)
    except Refused as refused:
        raise CompileError([refused.diagnostic]) from None
    spans = [parsed.span(one) for one in (*positional(parsed.node), *parsed.node.args.kwonlyargs)]
    given = tuple(
        Parameter(name, type_, inspect.Parameter.empty, span) for name, type_, span in zip(signature.names, params, spans, strict=True)
    )
    gives = "void" if result is None else _written(result)
    takes = ", ".join(f"{_written(one.type)} {one.name}" for one in given)
    text = f'extern "C" __device__ {gives} {symbol}({takes});'
    return CFunction(given, result, Exported(text, tuple(map(shape, params)), "" if result is None else shape(result)))


def _written(wanted: ParamType) -> str:
    element = element_of(wanted)
    if element is not None:
        return c_name(element)
    assert isinstance(wanted, SliceParam) and not isinstance(wanted.element, TypeVariable)  # which was refused
    return f"{c_name(wanted.element)}*"


def body(frame: Frame, function: CFunction) -> list[Value]:
    """The body; what it gives back."""
    frame.result = function.result
    try:
        given = run(frame, frame.parsed.node)
        if function.result is None or isinstance(given, Poison):
            return []
        kinds = [one.type for one in flatten(value_of(function.result, {})) if isinstance(one, Typed)]
        return [number(frame, leaf, scalar) for leaf, scalar in zip(flatten(given), kinds, strict=True)]
    except Refused as refused:
        frame.report(refused.diagnostic)
    except Poisoned:
        pass
    return []


def alone(kernel: Kernel, name: Span) -> None:
    """CompileError OX0658 for what a thread does not do by itself, or needs to know of its block: who calls it decides on that. So for
    numbers of a function around it, which nobody gives."""
    if (captured := next((one.path for one in kernel.infos if not one.source), None)) is not None:
        message = f"an exported function that captures a number is not supported: nobody gives it `{captured}`"
        raise CompileError([Diagnostic("OX0658", message, name, help=f"make `{captured}` a parameter, or a constant of the module")])
    for op in kernel.body.walk():
        if (what := _shared(op)) is not None:
            message = f"{what} is not supported in an exported function: it does not know the block in which it runs"
            help = "give it what it needs to know as parameters, or export a kernel: `oxidepy build` writes every kernel"
            raise CompileError([Diagnostic("OX0658", message, op.span or name, help=help)])


def _shared(op: Op) -> str | None:
    if op.name == "intrinsic":
        row = ROWS[op.attrs["row"]]
        place = "the index of the thread" if row.name.startswith("thread.global_id") else f"`{row.name}`"
        return None if row.assembly is not None and row.convergence == "none" else place
    if op.name == "alloc" and isinstance(op.result.type, Memory) and op.result.memory.space == "shared":
        return "shared memory"
    return {"print": "`print`", "map_shared": "memory of another block"}.get(op.name)
