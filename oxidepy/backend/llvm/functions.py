"""The functions that a kernel calls, as internal LLVM functions."""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import Emitter, function_symbol, result_type
from oxidepy.ir.calls import recursive_functions
from oxidepy.ir.core import Function, Module

SMALL = 256  # operations up to which a function is inlined in any case


def emit_functions(module: Module, make: Callable[[], Emitter], attributes: str) -> list[str]:
    """Text of all functions of the module. `make` gives a fresh emitter for each."""
    recursive = recursive_functions(module)
    out: list[str] = []
    for name, function in module.functions.items():
        out.append(_emit(function, make(), attributes, name in recursive))
    return out


def _emit(function: Function, emitter: Emitter, attributes: str, recursive: bool) -> str:
    ops = list(function.body.walk())
    span = next((op.span for op in ops if op.span is not None), None)
    debug = emitter.text.debug
    tail = debug.function(function.name, span, span.file if span else "") if debug is not None else ""
    params: list[str] = []
    for number, value in enumerate(function.params):
        emitter.values[value] = f"%p{number}"
        params.append(f"{emitter.type(value.scalar)} %p{number}")
    emitter.start("entry")
    result = result_type(emitter, function.results)
    native = emitter.native(function.name, result, [(emitter.type(one.scalar), emitter.values[one]) for one in function.params])
    found = emitter.region(function.body) if native is None else [emitter.ins(native)]
    if found is None:
        emitter.do("unreachable")
    elif len(found) == 1:
        emitter.do(f"ret {result} {found[0]}")
    elif not found:
        emitter.do("ret void")
    else:
        struct = "poison"
        for number, (scalar, text) in enumerate(zip(function.results, found, strict=True)):
            struct = emitter.ins(f"insertvalue {result} {struct}, {emitter.type(scalar)} {text}, {number}")
        emitter.do(f"ret {result} {struct}")
    inline = "noinline " if function.apart else "" if recursive else "alwaysinline " if native or len(ops) <= SMALL else "inlinehint "
    head = f"define internal {result} {function_symbol(function.name)}({', '.join(params)}) {inline}{attributes}{tail} {{"
    return "\n".join((head, *emitter.lines, "}", ""))
