"""The kernel's parameters: what each source parameter becomes in the IR, and what its name stands for in the body."""

from __future__ import annotations

from typing import Any

from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.names import capture
from oxidepy.frontend.static import front_of
from oxidepy.frontend.values import Front, FunctionValue, MapValue, PointerValue, SliceValue, TupleValue, Typed, composed
from oxidepy.ir.core import ParamInfo, Value
from oxidepy.ir.types import I64, Access, Element, Members, Memory, Scalar, Space, Struct
from oxidepy.lang.definition import (
    ConstParam,
    FunctionArg,
    FunctionParam,
    Parameter,
    ParamType,
    ScalarParam,
    SliceParam,
    StructParam,
    TensorMapParam,
    TupleParam,
    TypeVariable,
)

_ACCESS: dict[str, Access] = {"DisjointSlice": "disjoint", "SliceMut": "exclusive"}


class Entry:
    """Binds the parameters and lists those of the IR, in order."""

    def __init__(self, frame: Frame, parameters: tuple[Parameter, ...]) -> None:
        self.frame = frame
        self.parameters = parameters
        self.fixed: dict[str, list[tuple[Value, ParamInfo]]] = {}
        self._current: list[tuple[Value, ParamInfo]] = []
        specialisation = frame.lowering.specialisation
        self.types: dict[str, Element] = dict(specialisation.types)
        self.functions: dict[str, FunctionArg] = dict(specialisation.functions)
        self.constants: dict[str, Any] = dict(specialisation.constants)

    def bind(self) -> None:
        """Give every parameter's name its value."""
        self.frame.types = self.types
        for one in self.parameters:
            self._current = self.fixed[one.name] = []
            literal = isinstance(one.type, ConstParam)
            self.frame.bind(one.name, self._value(one, one.type), one.span, literal=literal)

    def abi(self) -> tuple[list[Value], list[ParamInfo]]:
        """The parameters of the IR. What a kernel's own closure brings stands last."""
        params: list[Value] = []
        infos: list[ParamInfo] = []
        for source in (*(one.name for one in self.parameters), ""):
            for value, info in self.fixed.get(source, ()):
                params.append(value)
                infos.append(info)
            for value, own in self.frame.lowering.pointers.items():
                if own == source and value not in params:  # the same address once more
                    params.append(value)
                    infos.append(ParamInfo(source, "memory"))
            for (own, _), holder in sorted(self.frame.lowering.captures.items(), key=lambda one: one[0]):
                if own == source:
                    for name in sorted(holder.params):
                        params.append(holder.params[name])
                        infos.append(holder.info)
        return params, infos

    def _add(self, value: Value, info: ParamInfo) -> Value:
        self._current.append((value, info))
        return value

    def _value(self, parameter: Parameter, type_: ParamType) -> Front:
        name = parameter.name
        if isinstance(type_, SliceParam):
            return self._pointer(parameter, type_) if type_.pointer else self._slice(parameter, type_)
        if isinstance(type_, ScalarParam):
            return self._leaf(parameter, self._element(parameter, type_.type), "", type_.enum)
        if isinstance(type_, StructParam):
            return self._leaf(parameter, type_.type, "")
        if isinstance(type_, TupleParam):
            return self._tuple(parameter, type_, "")
        if isinstance(type_, FunctionParam):
            return self._function(parameter)
        if isinstance(type_, TensorMapParam):
            element = self._element(parameter, type_.element)
            memory = self._add(Value(Memory(element, "param", "shared"), name), ParamInfo(name, "tensor_map"))
            return MapValue(name, element, type_.rank, type_.exclusive, memory, type_.im2col)
        if name not in self.constants:
            raise self._unspecialised(parameter, "a compile-time value")
        return front_of(self.frame, self.frame.parsed.node, self.constants[name], name)

    def _tuple(self, parameter: Parameter, type_: TupleParam, prefix: str) -> TupleValue:
        items: list[Front] = []
        for position, item in enumerate(type_.items):
            path = f"{prefix}{position}"
            if isinstance(item, TupleParam):
                items.append(self._tuple(parameter, item, f"{path}."))
            else:
                items.append(self._leaf(parameter, self._element(parameter, item.type), path, getattr(item, "enum", None)))
        return TupleValue(tuple(items))

    def _element(self, parameter: Parameter, element: Element | TypeVariable) -> Element:
        if not isinstance(element, TypeVariable):
            return element
        if element.name not in self.types:
            raise self._unspecialised(parameter, f"the type that `{element.name}` stands for")
        return self.types[element.name]

    def _unspecialised(self, parameter: Parameter, what: str) -> CompileError:
        message = f"parameter `{parameter.name}` needs {what}, which only a launch brings"
        return CompileError(
            [Diagnostic("OX0282", message, parameter.span, help="launch the kernel with arguments, or name the specialisation")]
        )

    def _leaf(self, parameter: Parameter, element: Element, path: str, enum: Members | None = None) -> Front:
        if isinstance(element, Scalar):
            name = f"{parameter.name}.{path}" if path else parameter.name
            return Typed(self._add(Value(element, name), ParamInfo(parameter.name, "scalar", path=path)), enum)
        return self._struct(parameter, element, path)

    def _struct(self, parameter: Parameter, layout: Struct, path: str) -> Front:
        return composed(
            layout, [self._leaf(parameter, one.type, f"{path}.{one.name}" if path else one.name, one.enum) for one in layout.fields]
        )

    def _pointer(self, parameter: Parameter, type_: SliceParam) -> PointerValue:
        """An address alone. The `unsafe` of the kernel has let it in."""
        element, lowering = self._element(parameter, type_.element), self.frame.lowering
        memory = self._add(Value(Memory(element, "global", "raw"), parameter.name), ParamInfo(parameter.name, "memory"))
        lowering.pointers[memory] = parameter.name
        lowering.granted.update(lowering.unsafe)
        return PointerValue(parameter.name, element, memory, self.frame.builder.const(I64, 0), writes=True, enum=type_.enum)

    def _slice(self, parameter: Parameter, type_: SliceParam) -> SliceValue:
        name = parameter.name
        element = self._element(parameter, type_.element)
        space: Space = "const" if type_.kind == "ConstantSlice" else "global"
        access = _ACCESS.get(type_.kind, "shared")
        memory = Value(Memory(element, space, access), name)
        self._add(memory, ParamInfo(name, "memory"))
        coordinate = self.frame.lowering.coordinate
        lengths: list[Value] = []
        for axis in range(type_.rank):
            hint = f"{name}.len" if type_.rank == 1 else f"{name}.len{axis}"
            lengths.append(self._add(Value(coordinate, hint), ParamInfo(name, "length", axis=axis)))
        return SliceValue(name, type_.kind, element, memory, tuple(lengths), type_.space, enum=type_.enum)

    def _function(self, parameter: Parameter) -> FunctionValue:
        given = self.functions.get(parameter.name)
        if given is None:
            raise self._unspecialised(parameter, "a function")
        captured = {name: capture(self.frame, parameter.name, name, kind) for name, kind in given.captures}
        return FunctionValue(given.function, captured=captured, label=parameter.name)
