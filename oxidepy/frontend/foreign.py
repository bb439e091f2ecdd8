"""Calls of functions that other compilers made (`extern`): on a GPU the function itself, elsewhere the body that stands for it.

In the IR an `extern` gives the function's results and whether it was called; where it was not, the body gives them. No analysis knows which
way is taken, so none believes what the body says of a result.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

from oxidepy.diagnostics import CompileError, Diagnostic, Label
from oxidepy.diagnostics.sources import shown_path
from oxidepy.frontend.bodies import arguments_by_name, bind, local_names, run
from oxidepy.frontend.convert import Operand, settle
from oxidepy.frontend.fitting import fit
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.merge import flatten, number, rebuild, scalars
from oxidepy.frontend.places import needs_unsafe
from oxidepy.frontend.recursion import calls_itself, value_of
from oxidepy.frontend.report import Poisoned
from oxidepy.frontend.signature import HelperSignature, parameters, positional
from oxidepy.frontend.source import Parsed, parse
from oxidepy.frontend.values import NONE, Front, FunctionValue, PointerValue, Poison, Typed
from oxidepy.ir.core import Block, Value
from oxidepy.ir.foreign import Shape, passes, shape_of, slot
from oxidepy.ir.images import KINDS, Image, Slot, functions, kind_of, meant
from oxidepy.ir.types import BOOL, Element
from oxidepy.lang.definition import KernelDef, Parameter, ParamType, ScalarParam, SliceParam, StructParam, TypeVariable
from oxidepy.lang.foreign import Extern

POINTER: Slot = (8, 0)


def call_extern(
    frame: Frame,
    node: ast.AST,
    callee: FunctionValue,
    extern: Extern,
    signature: HelperSignature,
    args: Sequence[Operand],
    keywords: dict[str, Operand],
) -> Front:
    """The value of a call of such a function."""
    function: types.FunctionType = callee.function
    name = function.__name__
    reason = needs_unsafe(frame, node, f"`{name}`", f"it is code of `{extern.files[0]}`, of which the compiler sees nothing")
    parsed = parse(function)
    own, captured = local_names(parsed.node), callee.captured
    inner = Frame(frame.lowering, parsed, name, local=own, captured=captured, caller=(frame, node), key=function)
    params, result = c_signature(inner, parsed, signature)
    known = frame.lowering.externs.get(extern) or _known(inner, extern, params, result)
    given = arguments_by_name(frame, node, name, signature.names, signature.positional, args, keywords, signature.positional_only)
    bind(frame, node, inner, signature, given)
    operands = [one for name_, wanted in zip(signature.names, params, strict=True) for one in _operands(frame, node, inner, name_, wanted)]
    given_back = NONE if result is None else value_of(result, {})
    leaves = flatten(given_back) if result is not None else []
    kinds = [one.type for one in leaves if isinstance(one, Typed)]
    stands = not left_out(parsed.node)
    if stands and calls_itself(frame.lowering, function):
        message = f"the body that stands for `{name}` calls `{name}` itself"
        raise frame.refuse(node, "OX0658", message, help="write a loop, or a function beside it that calls itself")
    op = frame.builder.emit("extern", operands, (*kinds, BOOL), {**known, "name": name, "stands": stands, "unsafe": reason})
    *outs, called = op.results
    found = outs if not stands else _reference(inner, parsed, result, outs, called)
    return rebuild(given_back, scalars(leaves, found)) if result is not None else NONE


def _reference(inner: Frame, parsed: Parsed, result: ParamType | None, outs: list[Value], called: Value) -> Sequence[Value]:
    """The body, where the function was not called."""
    inner.result = result
    builder = inner.builder
    there, here = Block(), Block()
    branch = builder.emit("if", (called,), [one.type for one in outs], regions=(there, here))
    with builder.at(there):
        builder.emit("yield", outs)
    with builder.at(here):
        given = run(inner, parsed.node)
        if isinstance(given, Poison):
            raise Poisoned
        leaves = flatten(fit(inner, parsed.node, given, result, f"the result of `{inner.name}`", {})) if result is not None else []
        builder.emit("yield", [number(inner, leaf, one.scalar) for leaf, one in zip(leaves, outs, strict=True)])
    return branch.results


def left_out(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether the body is `...` or a `raise`, beside what documents it."""
    rest = [] if isinstance(node, ast.Lambda) else [one for one in node.body if not _is_text(one)]
    return all(isinstance(one, ast.Raise) or ast.unparse(one) == "..." for one in rest)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def declared(definition: KernelDef) -> tuple[Parameter, ...]:
    """The parameters of a kernel that another compiler has made. CompileError."""
    found = parameters(definition)
    function: types.FunctionType = definition.function  # pyright: ignore[reportAssignmentType] - it takes the field for a method
    parsed = parse(function)
    wrong = [_no_value(one) for one in found if not _of_kernels(one.type)]
    if not left_out(parsed.node):
        message = f"`{definition.name}` is compiled elsewhere, and has a body here"
        wrong.append(Diagnostic("OX0658", message, parsed.name_span, help="write `...` in its place, or a kernel of your own: `@kernel`"))
    if wrong:
        raise CompileError(wrong)
    return found


def _no_value(parameter: Parameter) -> Diagnostic:
    message = f"parameter `{parameter.name}` is nothing that a kernel of C takes here"
    help = "it takes scalars, `@struct` classes and `Ptr[T]`; a slice is its pointer and its length"
    return Diagnostic("OX1002", message, parameter.span, help=help)


def _of_kernels(wanted: ParamType) -> bool:
    if isinstance(wanted, SliceParam):
        return wanted.pointer and not isinstance(wanted.element, TypeVariable)
    return isinstance(wanted, (ScalarParam, StructParam)) and not isinstance(wanted.type, TypeVariable)


# ---- types of C


def c_signature(frame: Frame, parsed: Parsed, signature: HelperSignature) -> tuple[list[ParamType], ParamType | None]:
    """The types of parameters and result, which C must have. OX1001, OX1002."""
    node = parsed.node
    assert isinstance(node, ast.FunctionDef)
    places = (*positional(node), *node.args.kwonlyargs)
    params: list[ParamType] = []
    for arg, wanted in zip(places, signature.types, strict=True):
        if wanted is None:
            message = f"parameter `{arg.arg}` of `{node.name}` has no type that C knows"
            raise frame.refuse(parsed.span(arg), "OX1001", message, help=f"say what it is: `{arg.arg}: f32`, `{arg.arg}: Ptr[f32]`, …")
        _c_type(frame, parsed, arg.annotation or arg, wanted, f"parameter `{arg.arg}` of `{node.name}`", pointer=True)
        params.append(wanted)
    if signature.result is None and not (isinstance(node.returns, ast.Constant) and node.returns.value is None):
        raise frame.refuse(parsed.name_span, "OX1001", f"nothing says what `{node.name}` gives back", help="write `-> f32`, or `-> None`")
    if signature.result is not None:
        _c_type(frame, parsed, node.returns or node, signature.result, f"the result of `{node.name}`", pointer=False)
    return params, signature.result


def _c_type(frame: Frame, parsed: Parsed, place: ast.AST, wanted: ParamType, what: str, *, pointer: bool) -> None:
    if isinstance(wanted, SliceParam) and wanted.pointer and pointer and not isinstance(wanted.element, TypeVariable):
        return
    if isinstance(wanted, (ScalarParam, StructParam)) and not isinstance(wanted.type, TypeVariable) and passes(wanted.type):
        return
    help = "scalars, `@struct` classes" + (" and `Ptr[T]` of them; a slice is its pointer and its length" if pointer else "")
    raise frame.refuse(parsed.span(place), "OX1002", f"{what} is no value that C passes", help=f"C has {help}")


def element_of(wanted: ParamType) -> Element | None:
    """The type of a value; None for a pointer."""
    found: Element | None = None if isinstance(wanted, SliceParam) else getattr(wanted, "type", None)
    return found


def shape(wanted: ParamType) -> Shape:
    """How C passes it."""
    element = element_of(wanted)
    return "ptr" if element is None else shape_of(element)


def slot_of(wanted: ParamType) -> Slot:
    element = element_of(wanted)
    return POINTER if element is None else slot(element)


def _operands(frame: Frame, node: ast.AST, inner: Frame, name: str, wanted: ParamType) -> list[Value]:
    value = settle(frame, inner.bindings[name].value)
    value = fit(frame, node, value, wanted, f"parameter `{name}` of `{inner.name}`", {})
    if isinstance(value, PointerValue):
        if value.memory.memory.space == "cluster":
            raise frame.refuse(node, "OX0308", f"`{value.name}` is memory of another block, whose addresses C does not know")
        return [value.memory, value.offset]
    return [leaf.value for leaf in flatten(value) if isinstance(leaf, Typed)]


# ---- files


def _files(frame: Frame, extern: Extern, params: list[ParamType], result: ParamType | None) -> list[Image]:
    """The files, read. OX8010 for one that is not there, OX6001 for one that no linker takes, OX0425 and OX0308 for what PTX says."""
    place = extern.span or frame.parsed.name_span
    found: list[Image] = []
    for name in extern.files:
        try:
            data = (extern.folder / name).read_bytes()
        except OSError as error:
            message = f"cannot read `{name}`, which has the code of `{frame.name}`: {error.strerror or error}"
            help = f"its place counts from this file's folder, `{shown_path(str(extern.folder))}`"
            raise frame.refuse(place, "OX8010", message, help=help) from None
        kind = kind_of(data)
        if kind is None:
            raise frame.refuse(place, "OX6001", f"`{name}` is no device code", help=f"give {KINDS}: `nvcc -rdc=true -ptx` makes one")
        found.append(Image(name, kind, data))
    if all(one.kind == "cubin" and f"{extern.symbol}\0".encode() not in one.data for one in found):
        raise _absent(frame, extern, [])
    if all(one.kind == "ptx" for one in found):
        _fits(frame, extern, found, [slot_of(one) for one in params], None if result is None else slot_of(result))
    return found


def _fits(frame: Frame, extern: Extern, files: list[Image], params: list[Slot], result: Slot | None) -> None:
    """What the PTX says of the function against its signature here."""
    place = extern.span or frame.parsed.name_span
    there = {name: one for file in files for name, one in functions(file.data).items()}
    found = there.get(extern.symbol)
    if found is None:
        raise _absent(frame, extern, list(there))
    here = Label(frame.parsed.name_span, f"is said to take {_told(params)} and give {_told([result] if result else [])}")
    if (found.params, found.result) != (tuple(params), result):
        there_ = f"{_told(found.params)} and gives {_told([found.result] if found.result else [])}"
        message = f"mismatched types: `{extern.symbol}` of `{extern.files[0]}` takes {there_}"
        raise frame.refuse(place, "OX0308", message, labels=(here,), help="write the types that its C declaration has")


def _absent(frame: Frame, extern: Extern, there: list[str]) -> Exception:
    names = ", ".join(f"`{one}`" for one in there[:4])
    help = meant(extern.symbol, there) or (f"it has {names}" if names else 'in CUDA C++ write `extern "C" __device__`')
    place = extern.span or frame.parsed.name_span
    return frame.refuse(place, "OX0425", f"`{', '.join(extern.files)}` has no function `{extern.symbol}`", help=help)


def _told(slots: Sequence[Slot]) -> str:
    words = [f"{size} bytes aligned to {align}" if align else f"{8 * size} bits" for size, align in slots]
    return f"({', '.join(words)})" if words else "nothing"


def _known(frame: Frame, extern: Extern, params: list[ParamType], result: ParamType | None) -> dict[str, Any]:
    """What the IR says of the function, found at its first call: files may be large. OX0308 where the kernel knows another one of that
    name."""
    lowering = frame.lowering
    files = _files(frame, extern, params, result)
    digests = tuple(one.digest for one in files)
    gives = "" if result is None else shape(result)
    known = {"symbol": extern.symbol, "files": digests, "params": tuple(map(shape, params)), "result": gives}
    place = extern.span or frame.parsed.name_span
    if lowering.symbols.setdefault(extern.symbol, known) != known:
        message = f"`{extern.symbol}` is another function elsewhere in this kernel"
        raise frame.refuse(place, "OX0308", message, help="give both the same files and types, or one of them another name there")
    if extern.symbol == (lowering.definition.options.name or lowering.definition.name):
        message = f"`{extern.symbol}` is the name of the kernel that calls it"
        raise frame.refuse(place, "OX0308", message, help='give the kernel another symbol: `@kernel(name="…")`')
    lowering.images.update(zip(digests, files, strict=True))
    lowering.externs[extern] = known
    return known
