"""Functions of C in PTX: how they are declared and called, and defined for others to call. Values go as nvcc passes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from oxidepy.backend.llvm.emitter import Emitter, Place, address
from oxidepy.backend.llvm.values import constant, llvm_type, memory_type
from oxidepy.ir.core import Kernel, Op, Value
from oxidepy.ir.foreign import Shape, leaves
from oxidepy.ir.types import BOOL, SCALARS, Scalar


def call(emitter: Emitter, op: Op, attributes: str) -> None:
    """Call the function; its results, and that it was called, are in the emitter's values afterwards."""
    symbol, operands = f'@"{op.attrs["symbol"]}"', list(op.operands)
    params: Sequence[Shape] = op.attrs["params"]
    arguments: list[str] = []
    for shape in params:
        if shape == "ptr":
            memory, index = operands[:2]
            del operands[:2]
            arguments.append(f"ptr {generic(emitter, memory, index)}")
            continue
        count = len(leaves(shape))
        arguments.append(f"{face(shape)} {packed(emitter, shape, operands[:count])}")
        del operands[:count]
    result: Shape = op.attrs["result"]
    emitter.text.declared[symbol] = f"declare {gives(result)} {symbol}({', '.join(map(face, params))}) {attributes}"
    line = f"call {gives(result)} {symbol}({', '.join(arguments)}) {attributes}"
    *outs, called = op.results
    emitter.values[called] = constant(BOOL, True)
    if result == "":
        emitter.do(line)
    else:
        emitter.values.update(zip(outs, unpacked(emitter, result, emitter.ins(line)), strict=True))


def parameters(emitter: Emitter, kernel: Kernel) -> str:
    """The parameters of an exported function, whose values and places are known behind this."""
    assert kernel.exported is not None
    groups = groupby(zip(kernel.params, kernel.infos, strict=True), lambda one: one[1].source)
    out: list[str] = []
    for number, (shape, (_, group)) in enumerate(zip(kernel.exported.params, groups, strict=True)):
        name, values = f"%p{number}", [value for value, _ in group]
        out.append(f"{face(shape)} {name}")
        if shape == "ptr":  # one address, seen as one of several types
            emitter.places.update(dict.fromkeys(values, Place(name, "ptr")))
        else:
            emitter.values.update(zip(values, unpacked(emitter, shape, name), strict=True))
    return ", ".join(out)


def returned(emitter: Emitter, kernel: Kernel) -> str:
    """The end of an exported function."""
    assert kernel.exported is not None
    shape = kernel.exported.result
    return "ret void" if shape == "" else f"ret {_type(shape)} {packed(emitter, shape, kernel.body.terminator.operands)}"


def face(shape: Shape) -> str:
    """A parameter in LLVM."""
    return f"{_type(shape)} {_widened(shape)}".rstrip()


def gives(shape: Shape) -> str:
    """The result of a function, as it stands in front of its name."""
    return "void" if shape == "" else f"{_widened(shape)} {_type(shape)}".lstrip()


def _widened(shape: Shape) -> str:
    """What a number of less than 32 bits is in the 32 in which it goes."""
    scalar = SCALARS.get(shape) if isinstance(shape, str) else None
    if scalar is None or scalar.is_float or scalar.bits >= 32:
        return ""
    return "signext" if scalar.signed else "zeroext"


def _half(scalar: Scalar) -> bool:
    return scalar.is_float and scalar.bits == 16


def _type(shape: Shape) -> str:
    if shape == "ptr":
        return "ptr"
    if isinstance(shape, str):
        scalar = SCALARS[shape]
        return f"{{ {llvm_type(scalar)} }}" if _half(scalar) else llvm_type(scalar)
    return "{ " + ", ".join(map(_member, shape)) + " }"


def _member(shape: Shape) -> str:
    return memory_type(SCALARS[shape]) if isinstance(shape, str) else _type(shape)


def generic(emitter: Emitter, memory: Value, index: Value) -> str:
    """The address of an element, whatever memory it is in."""
    place = emitter.places[memory]
    pointer = address(emitter, memory, index, 0)
    return pointer if place.type == "ptr" else emitter.ins(f"addrspacecast {place.type} {pointer} to ptr")


def packed(emitter: Emitter, shape: Shape, values: Sequence[Value]) -> str:
    """Scalars as the one value that goes."""
    if isinstance(shape, str) and not _half(SCALARS[shape]):
        return emitter.value(values[0])
    type_, whole = _type(shape), "poison"
    for (path, scalar), value in zip(leaves(shape), values, strict=True):
        text, place = emitter.value(value), ", ".join(map(str, path or (0,)))
        if scalar.kind == "bool":
            text = emitter.ins(f"zext i1 {text} to i8")
        whole = emitter.ins(f"insertvalue {type_} {whole}, {_member(scalar.name)} {text}, {place}")
    return whole


def unpacked(emitter: Emitter, shape: Shape, text: str) -> list[str]:
    """The scalars of the one value that came."""
    if isinstance(shape, str) and not _half(SCALARS[shape]):
        return [text]
    out: list[str] = []
    for path, scalar in leaves(shape):
        found = emitter.ins(f"extractvalue {_type(shape)} {text}, {', '.join(map(str, path or (0,)))}")
        out.append(emitter.ins(f"icmp ne i8 {found}, 0") if scalar.kind == "bool" else found)
    return out
