"""Functions that call themselves, directly or by way of others: functions of the module that are called, not inlined.

They take and give scalars (tuples and structs of them), and have no effect. A check in one cannot end the thread there: the function gives
back the number of the failure beside its results, 0 if there is none, its callers do so too, and the kernel fails at the place that the
number stands for. One of the failures is that more than `RECURSION_LIMIT` calls stand in each other, so that every device knows how much
stack it needs and none runs out of it.
"""

from __future__ import annotations

import ast
import dis
import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any

from oxidepy.diagnostics import Span
from oxidepy.frontend.bodies import arguments_by_name, bind, local_names, run
from oxidepy.frontend.convert import Operand, settle
from oxidepy.frontend.frame import Frame, Lowering, Recursive
from oxidepy.frontend.merge import flatten, form, number, rebuild, scalars
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.signature import HelperSignature
from oxidepy.frontend.source import parse
from oxidepy.frontend.values import Front, FunctionValue, Poison, StructValue, TupleValue, Typed, composed, describe
from oxidepy.ir.calls import RECURSION_LIMIT
from oxidepy.ir.core import Block, Builder, Function, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import I32, Element, Members, Memory, Scalar, Struct
from oxidepy.lang.definition import ParamType, ScalarParam, StructParam, TupleParam, TypeVariable
from oxidepy.lang.resolve import closure_of

_OWN = "oxidepy.lang."  # modules of the language's own library, where nothing calls itself


# ---- who calls himself


def calls_itself(lowering: Lowering, function: types.FunctionType) -> bool:
    """Whether a function can come back to itself, by the names in its code."""
    known = lowering.recursion.cycles
    if function not in known:
        seen: set[types.FunctionType] = set()
        ahead = list(_named(function))
        while ahead:
            one = ahead.pop()
            if one not in seen:
                seen.add(one)
                ahead += _named(one)
        known[function] = function in seen
    return known[function]


def _named(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """The plain functions that a function's code names."""
    if function.__module__ and function.__module__.startswith(_OWN):
        return
    spaces: list[dict[str, Any]] = [closure_of(function), function.__globals__]
    for first, *rest in _paths(function.__code__):
        found = next((space[first] for space in spaces if first in space), None)
        for name in rest:
            found = vars(found).get(name) if isinstance(found, types.ModuleType) else None
        if isinstance(found, types.FunctionType):
            yield found


@functools.lru_cache(maxsize=4096)
def _paths(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    """What is read of the world outside: `helper` and `module.helper`, but not the attributes of what a function was given."""
    out: list[tuple[str, ...]] = []
    behind = False  # the last instruction has read the last path
    for one in dis.get_instructions(code):
        if one.opname in _OUTSIDE:
            out.append((one.argval,))
        elif behind and one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            out[-1] = (*out[-1], one.argval)
        else:
            behind = False
            continue
        behind = True
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            out += _paths(one)
    return tuple(out)


_OUTSIDE = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS")


# ---- calls


def call_recursive(
    frame: Frame, node: ast.AST, callee: FunctionValue, signature: HelperSignature, args: Sequence[Operand], keywords: dict[str, Operand]
) -> Front:
    """The value of a call of a function that calls itself."""
    function: types.FunctionType = callee.function
    name = function.__name__
    outer = Frame(frame.lowering, parse(function), name, local=frozenset(), caller=(frame, node))
    names, only = signature.names, signature.positional_only
    bind(frame, node, outer, signature, arguments_by_name(frame, node, name, names, signature.positional, args, keywords, only))
    if callee.captured:
        raise _refused(frame, node, name, f"captures `{next(iter(callee.captured))}`")
    values = {one: settle(frame, outer.bindings[one].value) for one in signature.names}
    for one, value in values.items():
        if not _plain(value):
            raise _refused(frame, node, name, f"takes {describe(value)} as `{one}`")
    operands = [leaf.value for value in values.values() for leaf in flatten(value) if isinstance(leaf, Typed)]
    made = _made(frame, node, function, name, signature, outer.types, values)
    recursion, builder = frame.lowering.recursion, frame.builder
    if recursion.inside:
        recursion.inside[-1].calls.add(made.symbol)
        depth = builder.value("sub", recursion.inside[-1].depth, builder.const(I32, 1))
    else:
        depth = builder.const(I32, RECURSION_LIMIT)
    op = builder.emit("call", [depth, *operands], [*made.results, I32], {"callee": made.symbol})
    if not recursion.inside:
        _fail(frame, made, op.results[-1])
    return rebuild(made.shape, scalars(flatten(made.shape), op.results[:-1]))


def _plain(value: Front) -> bool:
    if isinstance(value, TupleValue):
        return all(map(_plain, value.items))
    return isinstance(value, (Typed, StructValue))


def _refused(frame: Frame, place: ast.AST | Span, name: str, why: str) -> Exception:
    message = f"recursion over more than numbers is not supported in kernels: `{name}` calls itself and {why}"
    return frame.refuse(place, "OX0658", message, help="take that out of the recursion: pass numbers, or write a loop")


def _fail(frame: Frame, made: Recursive, status: Value) -> None:
    """In the kernel: the failure that the function gave back, if it is not 0, at its place."""
    recursion, builder = frame.lowering.recursion, frame.builder
    span = builder.span
    fine, failed = Block(), Block()
    builder.emit("if", (builder.value("eq", status, builder.const(I32, 0)),), (), regions=(fine, failed))
    with builder.at(fine):
        builder.emit("yield")
    with builder.at(failed):
        for end in _reached(frame.lowering, made):
            code, message, builder.span = recursion.ends[end - 1]
            op = builder.check(builder.value("ne", status, builder.const(I32, end)), code, message)
            op.attrs["keep"] = True
        builder.span = span
        builder.emit("yield")


def _reached(lowering: Lowering, made: Recursive) -> list[int]:
    """The failures to which a function or those that it calls may come."""
    known = {one.symbol: one for one in lowering.recursion.made.values()}
    seen: set[str] = set()
    ahead = [made.symbol]
    while ahead:
        symbol = ahead.pop()
        if symbol not in seen:
            seen.add(symbol)
            ahead += known[symbol].calls
    return sorted(end for symbol in seen for end in known[symbol].ends)


# ---- bodies


def _made(
    frame: Frame,
    node: ast.AST,
    function: types.FunctionType,
    name: str,
    signature: HelperSignature,
    bound: dict[str, Element],
    values: dict[str, Front],
) -> Recursive:
    """The function for arguments of these types, translated at the first call."""
    recursion = frame.lowering.recursion
    kinds = tuple((form(value), tuple(leaf.type for leaf in flatten(value) if isinstance(leaf, Typed))) for value in values.values())
    key = (function, kinds, tuple(sorted(bound.items(), key=lambda one: one[0])))
    if key in recursion.made:
        return recursion.made[key]
    if signature.result is None:
        message = f"`{name}` calls itself, and nothing says what it gives back"
        raise frame.refuse(parse(function).name_span, "OX0282", message, help="annotate its result: `-> i32`")
    count, findings = len(recursion.made), len(frame.lowering.findings.found)
    shape = value_of(signature.result, bound)
    made = Recursive(f"{name}.{count}", shape, [one.type for one in flatten(shape) if isinstance(one, Typed)], Value(I32, "depth"))
    recursion.made[key] = made
    try:
        frame.lowering.functions[made.symbol] = _translated(frame, node, function, name, signature.result, bound, values, made)
        if len(frame.lowering.findings.found) > findings:
            raise Poisoned
    except (Refused, Poisoned):
        for later in list(recursion.made)[count:]:  # they call what there is not
            del recursion.made[later]
        raise
    return made


def value_of(wanted: ParamType, bound: dict[str, Element]) -> Front:
    """A value of a type, to be rebuilt from scalars."""
    if isinstance(wanted, TupleParam):
        return TupleValue(tuple(value_of(one, bound) for one in wanted.items))
    assert isinstance(wanted, (ScalarParam, StructParam)), "results of functions are of these types"
    element = bound[wanted.type.name] if isinstance(wanted.type, TypeVariable) else wanted.type
    return _leaves(element, wanted.enum if isinstance(wanted, ScalarParam) else None)


def _leaves(element: Element, enum: Members | None = None) -> Front:
    if isinstance(element, Struct):
        return composed(element, [_leaves(one.type, one.enum) for one in element.fields])
    return Typed(Value(element), enum)


def _translated(
    frame: Frame,
    node: ast.AST,
    function: types.FunctionType,
    name: str,
    result: ParamType,
    bound: dict[str, Element],
    values: dict[str, Front],
    made: Recursive,
) -> Function:
    lowering, builder = frame.lowering, frame.builder
    parsed = parse(function)
    inner = Frame(lowering, parsed, name, local=local_names(parsed.node), caller=(frame, node), key=function)
    inner.types, inner.result = bound, result
    params = [made.depth]
    for one, value in values.items():
        own = [Value(leaf.type, one) for leaf in flatten(value) if isinstance(leaf, Typed)]
        params += own
        inner.bind(one, rebuild(value, scalars(flatten(value), own)), parsed.name_span)
    body, span = Block(), builder.span
    lowering.recursion.inside.append(made)
    try:
        with builder.at(body):
            builder.span = parsed.name_span
            builder.check(
                builder.value("gt", made.depth, builder.const(I32, 0)),
                "OX7002",
                f"more than {RECURSION_LIMIT} calls of `{name}` in each other",
            )
            given = run(inner, parsed.node)
            if isinstance(given, Poison):
                raise Poisoned
            found = flatten(given)
            builder.span = parsed.name_span
            outs = [number(inner, leaf, scalar) for leaf, scalar in zip(found, made.results, strict=True)]
    finally:
        lowering.recursion.inside.pop()
        builder.span = span
    _pure(frame, body, params, name)
    return Function(made.symbol, params, (*made.results, I32), _closed(lowering, made, body, outs, parsed.name_span))


def _pure(frame: Frame, body: Block, params: list[Value], name: str) -> None:
    """OX0658 where the body does more than compute with what it is given."""
    defined = {*params}
    for op in body.walk():
        defined.update(op.results)
        for region in op.regions:
            defined.update(region.args)
    outside = [one for op in body.walk() for one in op.operands if one not in defined]
    if any(isinstance(one.type, Memory) and isinstance(one.owner, Op) for one in outside):
        raise _refused(frame, frame.parsed.name_span, name, _DOES["alloc"])
    for op in body.walk():
        row = ROWS[op.attrs["row"]] if op.name == "intrinsic" else None
        if row is not None and (row.effect != "pure" or row.convergence != "none"):
            raise _refused(frame, op.span or frame.parsed.name_span, name, f"uses `{row.name}`")
        if OPS[op.name].effect not in ("pure", "control", "check"):
            what = _DOES.get(op.name, "has an effect on memory")
            raise _refused(frame, op.span or frame.parsed.name_span, name, what)
        for one in op.operands:
            if one not in defined:
                owner = one.owner
                what = f"uses `{owner.attrs['row']}`" if isinstance(owner, Op) and owner.name == "intrinsic" else f"captures `{one.name}`"
                raise _refused(frame, op.span or frame.parsed.name_span, name, what)


_DOES = {
    "print": "prints",
    "alloc": "has an array",
    "ptx": "holds PTX",
    "load": "reads memory",
    "fence": "has a fence",
    "extern": "calls code from elsewhere",
}


# ---- failures


def _closed(lowering: Lowering, made: Recursive, body: Block, outs: list[Value], span: Span) -> Block:
    """The body in a scope that a failure leaves, with the results and 0 at its end."""
    label = lowering.label("ends")
    _leaving(lowering, made, body, label)
    builder = Builder(body)
    builder.span = span
    builder.emit("yield", [*outs, builder.const(I32, 0)])
    whole = Block()
    builder = Builder(whole)
    builder.span = span
    op = builder.emit("scope", (), [*made.results, I32], {"label": label}, (body,))
    builder.emit("return", op.results)
    return whole


def _leaving(lowering: Lowering, made: Recursive, block: Block, label: str) -> None:
    """Turn checks, and failures of the functions that are called, into ways out of the scope."""
    before, block.ops = block.ops, []
    builder = Builder(block)
    symbols = {one.symbol for one in lowering.recursion.made.values()}
    for op in before:
        for region in op.regions:
            _leaving(lowering, made, region, label)
        builder.span = op.span
        if op.name == "check":
            lowering.recursion.ends.append((op.attrs["code"], op.attrs["message"], op.span))
            made.ends.append(len(lowering.recursion.ends))
            _leave_unless(builder, op.operands[0], made.results, label, made.ends[-1])
            continue
        block.ops.append(op)
        if op.name == "call" and op.attrs["callee"] in symbols:
            status = op.results[-1]
            _leave_unless(builder, builder.value("eq", status, builder.const(I32, 0)), made.results, label, status)


def _leave_unless(builder: Builder, condition: Value, results: list[Scalar], label: str, end: int | Value) -> None:
    on, out = Block(), Block()
    builder.emit("if", (condition,), (), regions=(on, out))
    with builder.at(on):
        builder.emit("yield")
    with builder.at(out):
        status = builder.const(I32, end) if isinstance(end, int) else end
        builder.emit("leave", [*(builder.value("undef", type=one) for one in results), status], (), {"label": label})
