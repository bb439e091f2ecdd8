"""From what a launch was handed to what a kernel takes: names, types, TypeVars, functions. The slow and complete way, with every
message."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from oxidepy.diagnostics.names import suggest
from oxidepy.ir.types import BOOL, F32, F64, I32, I64, Element, Scalar, Struct
from oxidepy.lang.definition import (
    ConstParam,
    FunctionParam,
    Parameter,
    ParamType,
    ScalarParam,
    SliceParam,
    Specialisation,
    StructParam,
    TensorMapParam,
    TupleParam,
    TypeVariable,
)
from oxidepy.lang.names import name_of
from oxidepy.lang.structs import layout_of as struct_of
from oxidepy.runtime import elements, scalars
from oxidepy.runtime.buffer import DeviceBuffer, overlap
from oxidepy.runtime.constants import compile_time, exactly
from oxidepy.runtime.functions import function_value
from oxidepy.runtime.refusal import borrow_error, launch_error
from oxidepy.runtime.untyped import tuple_of, type_of

if TYPE_CHECKING:
    from oxidepy.diagnostics import LaunchError
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.stream import Stream


@dataclass
class Bound:
    """The arguments of one launch by parameter: DeviceBuffers, numbers, leaves of structs and tuples by path, FunctionValues,
    compile-time values."""

    kernel: str
    context: Context
    stream: Stream
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    types: dict[str, tuple[Element, str]] = field(
        default_factory=dict[str, "tuple[Element, str]"]
    )  # TypeVar → element, parameter that bound it
    messages: int = -1  # the variant's number in `runtime.messages`

    def specialisation(self, parameters: Sequence[Parameter]) -> tuple[Specialisation, tuple[Any, ...]]:
        """What the compiled code depends on, and a key for it."""
        functions = {one.name: self.values[one.name] for one in parameters if isinstance(one.type, FunctionParam)}
        constants = tuple((one.name, self.values[one.name]) for one in parameters if isinstance(one.type, ConstParam))
        bound = tuple(sorted((name, element) for name, (element, _) in self.types.items()))
        made = Specialisation(bound, tuple((name, value.argument) for name, value in functions.items()), constants)
        key: tuple[Any, ...] = (
            bound,
            tuple((name, value.key) for name, value in functions.items()),
            tuple((name, exactly(value)) for name, value in constants),
        )
        return made, key

    def refuse(self, name: str, wanted: str, got: str, help: str) -> LaunchError:
        return launch_error("OX2007", f"`{name}` of `{self.kernel}` wants {wanted}, got {got}", help=help)


def by_name(
    kernel: str, parameters: Sequence[Parameter], args: Sequence[Any], kwargs: dict[str, Any], call: str = "launch(stream"
) -> list[Any]:
    """One value a parameter, in order, defaults filled in. LaunchError OX2007 on a missing, surplus or unknown one. `call`: how the call
    to write begins."""
    names = [one.name for one in parameters]
    whole = f"`{kernel}.{', '.join((call, *names))})`"
    if len(args) > len(names):
        raise launch_error("OX2007", f"`{kernel}` takes {_count(names)}, got {len(args)}", help=whole)
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            close = suggest(name, names)
            raise launch_error("OX2007", f"`{kernel}` has no parameter `{name}`", help=f"did you mean `{close}`?" if close else whole)
        if name in values:
            raise launch_error("OX2007", f"`{name}` of `{kernel}` was given twice, by place and by name", help=whole)
        values[name] = value
    missing = [one.name for one in parameters if one.name not in values and one.default is inspect.Parameter.empty]
    if missing:
        raise launch_error("OX2007", f"`{kernel}` lacks {', '.join(f'`{one}`' for one in missing)}", help=whole)
    return [values[one.name] if one.name in values else one.default for one in parameters]


def bind(bound: Bound, parameters: Sequence[Parameter], values: Sequence[Any]) -> None:
    """Hold every argument against its parameter and fill `bound`. Slices first: they say what a TypeVar stands for."""
    pairs = sorted(zip(parameters, values, strict=True), key=lambda pair: not isinstance(pair[0].type, (SliceParam, TensorMapParam)))
    for parameter, value in pairs:
        _BINDERS[type(parameter.type)](bound, parameter, value)


def _slice(bound: Bound, parameter: Parameter, value: Any) -> None:
    bound.values[parameter.name] = slice_argument(bound, parameter, value)


def slice_argument(bound: Bound, parameter: Parameter, value: Any) -> DeviceBuffer[Any]:
    """The buffer for a slice parameter; memory of another library is wrapped. LaunchError OX2007."""
    wanted = parameter.type
    assert isinstance(wanted, SliceParam)
    name, spelled = parameter.name, describe(wanted, bound)
    if type(value) is not DeviceBuffer:
        value = _foreign(bound, parameter, value, spelled)
    buffer = cast("DeviceBuffer[Any]", value)
    if buffer._memory.stream is None:
        raise bound.refuse(name, spelled, "a buffer that was released", "make a new one, or `free` after the launch")
    if buffer.context is not bound.context:
        raise bound.refuse(
            name,
            spelled,
            f"a buffer on {buffer.context.name}; the launch is on {bound.context.name}",
            "copy it over: `DeviceBuffer.from_host(stream, b.to_host(its_stream))`",
        )
    element = buffer._element
    if isinstance(wanted.element, TypeVariable):
        _bind_type(bound, parameter, wanted.element, element)
    elif not elements.same_layout(element, wanted.element):
        raise bound.refuse(name, spelled, f"a buffer of {elements.element_name(element)}", _dtype_help(wanted.element))
    rank = wanted.rank
    if wanted.space is not None and wanted.space.kind == "Index2D" and len(buffer.shape) == 2 and buffer.shape[1] == wanted.space.width:
        buffer = buffer.reshape(buffer.size)  # rows of just that width
    if len(buffer.shape) != rank and not wanted.pointer:
        mend = "`b.reshape(b.size)`" if rank == 1 else f"`b.reshape({', '.join(('depth', 'rows', 'cols')[3 - rank :])})`"
        raise bound.refuse(
            name,
            spelled,
            f"a buffer of {len(buffer.shape)} {'axis' if len(buffer.shape) == 1 else 'axes'}, shape {buffer.shape}",
            f"give it the other form: {mend}",
        )
    if wanted.writes and buffer._kind.readonly:
        raise bound.refuse(name, spelled, "read-only memory", "copy it: `DeviceBuffer.empty_like(stream, b)` and `copy_from`")
    return buffer


def _foreign(bound: Bound, parameter: Parameter, value: Any, spelled: str) -> DeviceBuffer[Any]:
    from oxidepy.runtime import interop

    found = interop.device_memory(value, bound.stream)
    if isinstance(found, DeviceBuffer):
        return found
    got, help = (
        found
        if found is not None
        else (_what(value), "hand over a DeviceBuffer: `DeviceBuffer.from_host(stream, array)` or `zeros(stream, shape, dtype)`")
    )
    raise bound.refuse(parameter.name, spelled, got, help)


def _what(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _dtype_help(wanted: Element) -> str:
    if isinstance(wanted, Struct):
        return f"make the array with the struct's layout: `np.zeros(n, ox.DeviceBuffer.zeros(stream, 0, {wanted.name}).dtype)`"
    return (
        f"convert on the host: `array.astype(np.{elements.dtype_of(wanted)})`"
        if wanted.name != "bf16"
        else "make the buffer with dtype bf16"
    )


def _bind_type(bound: Bound, parameter: Parameter, variable: TypeVariable, element: Element) -> None:
    known = bound.types.get(variable.name)
    if known is not None:
        if not elements.same_layout(known[0], element):
            raise launch_error(
                "OX2007",
                f"`{parameter.name}` of `{bound.kernel}` wants {elements.element_name(known[0])}, since `{known[1]}` made {variable.name} "
                f"that type, got {elements.element_name(element)}",
                help=f"`{known[1]}` and `{parameter.name}` must have the same dtype",
            )
        return
    fitting = [choice for choice in variable.choices if elements.same_layout(choice, element)]
    if len(fitting) > 1:  # classes of one layout: the one that the buffer was made with
        fitting = [choice for choice in fitting if elements.class_of(choice) is elements.class_of(element)] or fitting
    if len(fitting) != 1:
        choices = ", ".join(elements.element_name(one) for one in fitting or variable.choices)
        help = f"use one of {choices}"
        if fitting:
            help = f"say which is meant: `b.reinterpret({getattr(fitting[0], 'name', '')})`, or make it with the class"
        got = f"{elements.element_name(element)}, which fits {choices}" if fitting else elements.element_name(element)
        raise bound.refuse(parameter.name, f"{variable.name}, one of {choices}", got, help)
    bound.types[variable.name] = (fitting[0], parameter.name)


def _scalar(bound: Bound, parameter: Parameter, value: Any) -> None:
    assert isinstance(parameter.type, ScalarParam)
    layout = _as_struct(bound, parameter, parameter.type.type, value)
    if layout is not None:
        bound.values[parameter.name] = _leaves(bound, layout, value, parameter.name)
    else:
        bound.values[parameter.name] = _number(bound, parameter, parameter.type, value, parameter.name)


def _as_struct(bound: Bound, parameter: Parameter, wanted: Scalar | TypeVariable, value: Any) -> Struct | None:
    """The struct that a TypeVar stands for; None where it stands for a scalar."""
    if not isinstance(wanted, TypeVariable):
        return None
    if wanted.name not in bound.types and (own := struct_of(type_of(value))) is not None:
        _bind_type(bound, parameter, wanted, own)
    known = bound.types.get(wanted.name)
    return known[0] if known is not None and isinstance(known[0], Struct) else None


def _number(bound: Bound, parameter: Parameter, wanted: ScalarParam, value: Any, name: str) -> bool | int | float:
    scalar = wanted.type
    if isinstance(scalar, TypeVariable):
        if scalar.name not in bound.types:
            _bind_type(bound, parameter, scalar, _natural(bound, name, scalar, value))
        element = bound.types[scalar.name][0]
        if not isinstance(element, Scalar):
            raise bound.refuse(name, elements.element_name(element), _what(value), "make the other arguments scalars, or this one a struct")
        scalar = element
    try:
        return scalars.fit(scalar, value, wanted.enum)
    except scalars.Unfit as error:
        kind = scalar.name if wanted.enum is None else wanted.enum.__name__
        raise bound.refuse(name, kind, error.got, error.help) from None


def _natural(bound: Bound, name: str, variable: TypeVariable, value: Any) -> Element:
    """The type that a value alone gives a TypeVar: its own, or what a literal has (i32, f32, then the wider one)."""
    own = scalars.own_type(value)
    if own is not None:
        return own
    literal: tuple[Scalar, ...] = {int: (I32, I64), float: (F32, F64), bool: (BOOL,)}.get(type_of(value), ())
    for one in literal:
        if one in variable.choices:
            return one
    choices = ", ".join(elements.element_name(one) for one in variable.choices)
    raise launch_error(
        "OX0282",
        f"the type {variable.name} of `{name}` cannot be inferred from {_what(value)}",
        help=f"hand over a NumPy scalar of one of {choices}",
    )


def _struct(bound: Bound, parameter: Parameter, value: Any) -> None:
    assert isinstance(parameter.type, StructParam)
    bound.values[parameter.name] = _leaves(bound, parameter.type.type, value, parameter.name)


def _leaves(bound: Bound, struct: Struct, value: Any, name: str) -> dict[str, Any]:
    try:
        return scalars.fields(struct, value)
    except scalars.Unfit as error:
        raise bound.refuse(name, elements.element_name(struct), error.got, error.help) from None


def _tuple(bound: Bound, parameter: Parameter, value: Any) -> None:
    assert isinstance(parameter.type, TupleParam)
    bound.values[parameter.name] = _items(bound, parameter, parameter.type, value, parameter.name)


def _items(bound: Bound, parameter: Parameter, wanted: TupleParam, value: Any, name: str) -> dict[str, Any]:
    """The leaves of a tuple by their paths, `1.0` or `2.x`."""
    items = tuple_of(value)
    if items is None or len(items) != len(wanted.items):
        got = f"a tuple of {len(items)}" if items is not None else _what(value)
        raise bound.refuse(name, describe(wanted, bound), got, f"hand over a tuple of {len(wanted.items)}")
    out: dict[str, Any] = {}
    for number, (item, one) in enumerate(zip(wanted.items, items, strict=True)):
        own = f"{name}[{number}]"
        if isinstance(item, ScalarParam):
            out[str(number)] = _number(bound, parameter, item, one, own)
            continue
        inner = _leaves(bound, item.type, one, own) if isinstance(item, StructParam) else _items(bound, parameter, item, one, own)
        out.update({f"{number}.{path}": leaf for path, leaf in inner.items()})
    return out


def _function(bound: Bound, parameter: Parameter, value: Any) -> None:
    if not isinstance(value, types.FunctionType):
        what = "a kernel" if hasattr(value, "definition") else "a bound method" if isinstance(value, types.MethodType) else _what(value)
        raise bound.refuse(parameter.name, "a function or a lambda", what, "write one: `lambda v: …`")
    if (name := name_of(value)) is not None:
        raise bound.refuse(parameter.name, "a function or a lambda", f"the built-in `{name}`", f"write one: `lambda v: {name}(v)`")
    bound.values[parameter.name] = function_value(value)


def _const(bound: Bound, parameter: Parameter, value: Any) -> None:
    wanted = parameter.type
    assert isinstance(wanted, ConstParam)
    try:
        bound.values[parameter.name] = compile_time(wanted, value)
    except scalars.Unfit as error:
        raise bound.refuse(parameter.name, f"a compile-time {wanted.type}", error.got, error.help) from None


def _tensor_map(bound: Bound, parameter: Parameter, value: Any) -> None:
    from oxidepy.runtime.tma import HostMap

    wanted, name = parameter.type, parameter.name
    assert isinstance(wanted, TensorMapParam)
    spelled = describe(wanted, bound)
    maker = "im2col_map" if wanted.im2col else "tensor_map"
    if not isinstance(value, HostMap) or value.im2col != wanted.im2col:
        got = f"a map {'of boxes' if wanted.im2col else 'of columns of pixels'}" if isinstance(value, HostMap) else _what(value)
        raise bound.refuse(name, spelled, got, f"make one of a buffer: `tma.{maker}(b, box=(64, 64))`")
    buffer = value.buffer
    if buffer._memory.stream is None:
        raise bound.refuse(name, spelled, "a map of a buffer that was released", "make a new buffer and its map")
    if buffer.context is not bound.context:
        got = f"a map of a buffer on {buffer.context.name}; the launch is on {bound.context.name}"
        raise bound.refuse(name, spelled, got, "make the buffer on the device of the launch")
    if isinstance(wanted.element, TypeVariable):
        _bind_type(bound, parameter, wanted.element, value.element)
    elif wanted.element != value.element:
        raise bound.refuse(name, spelled, f"a map of elements of {elements.element_name(value.element)}", _dtype_help(wanted.element))
    if wanted.rank != len(value.shape):
        axes = "axis" if len(value.shape) == 1 else "axes"
        raise bound.refuse(name, spelled, f"a map of {len(value.shape)} {axes}", f"give `tma.{maker}` a `shape` of as many axes")
    if wanted.exclusive and buffer._kind.readonly:
        raise bound.refuse(name, spelled, "a map of read-only memory", "copy it: `DeviceBuffer.empty_like(stream, b)` and `copy_from`")
    bound.values[name] = value


_BINDERS: dict[type, Any] = {
    SliceParam: _slice,
    ScalarParam: _scalar,
    StructParam: _struct,
    TupleParam: _tuple,
    FunctionParam: _function,
    ConstParam: _const,
    TensorMapParam: _tensor_map,
}


def borrow(bound: Bound, parameters: Sequence[Parameter]) -> None:
    """BorrowError OX0502 where an exclusive argument overlaps a shared one, OX0499 where it overlaps another exclusive one. A pointer
    may point at what others have."""
    plain = [(one.name, one.type) for one in parameters if isinstance(one.type, SliceParam) and not one.type.pointer]
    slices = [(name, wanted.exclusive, bound.values[name]) for name, wanted in plain]
    slices += [(one.name, one.type.exclusive, bound.values[one.name].buffer) for one in parameters if isinstance(one.type, TensorMapParam)]
    for number, (name, exclusive, buffer) in enumerate(slices):
        for other, other_exclusive, other_buffer in slices[:number]:
            if not (exclusive or other_exclusive) or not overlap(buffer, other_buffer):
                continue
            if exclusive and other_exclusive:
                code, message = "OX0499", f"`{other}` and `{name}` of `{bound.kernel}` overlap, and both are exclusive"
            else:
                taker, sharer = (other, name) if other_exclusive else (name, other)
                code, message = "OX0502", f"`{taker}` of `{bound.kernel}` is exclusive and overlaps `{sharer}`, which is shared"
            raise borrow_error(code, message, help="hand over separate buffers, or views `b[i:j]` that do not overlap")


def describe(wanted: ParamType, bound: Bound | None = None) -> str:
    """A parameter's type as it is written."""
    if isinstance(wanted, TupleParam):
        return f"tuple[{', '.join(describe(one, bound) for one in wanted.items)}]"
    if isinstance(wanted, StructParam):
        return wanted.type.name
    if isinstance(wanted, FunctionParam):
        result = describe(wanted.result, bound) if wanted.result is not None else "None"
        return f"Callable[[{', '.join(describe(one, bound) for one in wanted.args)}], {result}]"
    if isinstance(wanted, ConstParam):
        return f"Const[{wanted.type}]"
    element = wanted.element if isinstance(wanted, (SliceParam, TensorMapParam)) else wanted.type
    if isinstance(element, TypeVariable):
        known = bound.types.get(element.name) if bound is not None else None
        shown = known[0].name if known else element.name
    else:
        shown = element.name
    if isinstance(wanted, ScalarParam):
        return shown
    if isinstance(wanted, TensorMapParam):
        return f"{wanted.kind}[{shown}, D{wanted.rank}]"
    rank = f", D{wanted.rank}" if wanted.rank > 1 else ""
    space = f", {wanted.space}" if wanted.space is not None and wanted.space.kind != "Index1D" else ""
    return f"{wanted.kind}[{shown}{rank}{space}]"


def _count(names: Sequence[str]) -> str:
    return f"{len(names)} argument{'' if len(names) == 1 else 's'}"
