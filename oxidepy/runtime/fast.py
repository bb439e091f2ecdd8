"""The quick way of a launch: one Python function made for one kernel, context and set of argument types.

It does what `arguments` does for the arguments that it was made for, and gives None for anything else, which then goes the slow way: that
way alone has messages, waits for other streams and picks other variants. So the two never disagree; a test holds one against the other.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oxidepy.backend.artefact import AbiParam
from oxidepy.compiler.messages import SOURCE as MESSAGES
from oxidepy.ir.record import record
from oxidepy.ir.types import SCALARS, Members, Scalar, Struct
from oxidepy.lang.definition import ConstParam, FunctionParam, Parameter, ScalarParam, SliceParam, StructParam, TensorMapParam, TupleParam
from oxidepy.runtime import relations
from oxidepy.runtime.buffer import BufferKind, DeviceBuffer, kind_of
from oxidepy.runtime.functions import FunctionValue, annotations_of, function_value, of_module
from oxidepy.runtime.scalars import LARGEST, bf16_bits, numbers_of
from oxidepy.runtime.untyped import type_of

if TYPE_CHECKING:
    from oxidepy.ir.core import Require
    from oxidepy.runtime.arguments import Bound
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.driver import Loaded

Fast = Callable[[Any, Sequence[Any]], Sequence[Any] | None]


@record
class Choice:
    """Which of two codes a launch takes: `usual`, that for launches in which all memory begins at multiples of `align` bytes and the
    `relations` of launch values hold, or that for any launch."""

    align: int
    relations: tuple[Require, ...]
    usual: bool


class _Maker:
    def __init__(self, bound: Bound, parameters: Sequence[Parameter]) -> None:
        self.bound = bound
        self.names = {one.name: f"a{number}" for number, one in enumerate(parameters)}
        self.parameters = {one.name: one for one in parameters}
        self.lines: list[str] = []
        self.objects: dict[str, Any] = {"Buffer": DeviceBuffer}
        self.leaves: dict[tuple[str, str], str] = {}  # (parameter, path) → expression

    def constant(self, value: Any) -> str:
        name = f"k{len(self.objects)}"
        self.objects[name] = value
        return name

    def unless(self, condition: str) -> None:
        self.lines.append(f"    if not ({condition}): return None")

    def number(self, local: str, scalar: Scalar, given: Any, members: Members | None = None) -> None:
        """Let through what `scalars.fit` takes, of the Python type that was given; `local` is the number afterwards."""
        self._number(local, scalar, given)
        if members is not None and not isinstance(given, members):  # the number of one
            self.unless(f"{local} in {self.constant(numbers_of(members))}")

    def _number(self, local: str, scalar: Scalar, given: Any) -> None:
        kind = type_of(given)
        if kind not in (bool, int, float):  # a NumPy scalar of exactly this type
            self.unless(f"type({local}) is {self.constant(kind)}")
            read = f"{local}.item()" if hasattr(given, "item") else f"{local}.value" if isinstance(given, enum.Enum) else f"int({local})"
            self.lines.append(f"    {local} = {read}")
            return
        self.unless(f"type({local}) is {kind.__name__}")
        self.within(local, scalar, kind)

    def within(self, local: str, scalar: Scalar, kind: type) -> None:
        """The range; NaN and infinities go the slow way."""
        if scalar.is_float:
            limit = repr(LARGEST[scalar.name] if kind is float else min(LARGEST[scalar.name], 2.0**53))  # a larger int is rounded twice
            self.unless(f"-{limit} <= {local} <= {limit}")
            if kind is int:
                self.lines.append(f"    {local} = float({local})")
        elif scalar.is_int:
            self.unless(f"{scalar.min} <= {local} <= {scalar.max}")

    def buffer(self, parameter: Parameter, wanted: SliceParam) -> None:
        a, buffer = self.names[parameter.name], self.bound.values[parameter.name]
        kinds: tuple[BufferKind, ...] = (kind_of(self.bound.context, buffer._element, buffer.shape, False),)
        if not wanted.writes:
            kinds += (kind_of(self.bound.context, buffer._element, buffer.shape, True),)
        known = f"{a}._kind is {self.constant(kinds[0])}" if len(kinds) == 1 else f"{a}._kind in {self.constant(kinds)}"
        self.unless(f"type({a}) is Buffer and {known} and {a}._memory.stream is stream")
        self.lines.append(f"    p{a} = {a}.address")

    def tensor_map(self, parameter: Parameter, given: Any) -> None:
        """Of a map exactly this one; then the parameter stands for its buffer."""
        a, known = self.names[parameter.name], self.constant(given)
        self.unless(f"{a} is {known} and {known}.buffer._memory.stream is stream")
        self.lines.append(f"    {a} = {known}.buffer")
        self.lines.append(f"    p{a} = {a}.address")
        self.leaves[(parameter.name, "")] = self.constant(given.given(self.bound.context.driver))

    def scalar(self, parameter: Parameter, wanted: ScalarParam, given: Any) -> None:
        element = wanted.type if isinstance(wanted.type, Scalar) else self.bound.types[wanted.type.name][0]
        if isinstance(element, Scalar):
            self.number(self.names[parameter.name], element, given, wanted.enum)
        else:
            self.struct(parameter, StructParam(element), given)

    def struct(self, parameter: Parameter, wanted: StructParam, given: Any) -> None:
        a = self.names[parameter.name]
        self.unless(f"type({a}) is {self.constant(type(given))}")
        self._fields(parameter.name, a, "", wanted.type, given)

    def _fields(self, parameter: str, expression: str, prefix: str, wanted: Struct, given: Any) -> None:
        for field in wanted.fields:
            if wanted.is_array:
                inner, place = given[int(field.name)], f"{expression}[{field.name}]"
            else:
                inner, place = getattr(given, field.name), f"{expression}.{field.name}"
            path = prefix + field.name
            if isinstance(field.type, Struct):
                self.unless(f"type({place}) is {self.constant(type(inner))}")
                if field.type.is_array:
                    self.unless(f"len({place}) == {len(field.type.fields)}")
                self._fields(parameter, place, f"{path}.", field.type, inner)
                continue
            local = f"f{len(self.leaves)}"
            self.lines.append(f"    {local} = {place}")
            self.number(local, field.type, inner, field.enum)
            self.leaves[(parameter, path)] = local

    def items(self, parameter: Parameter, wanted: TupleParam, given: Sequence[Any]) -> None:
        self._items(parameter, self.names[parameter.name], "", wanted, given)

    def _items(self, parameter: Parameter, a: str, prefix: str, wanted: TupleParam, given: Sequence[Any]) -> None:
        self.unless(f"type({a}) is tuple and len({a}) == {len(wanted.items)}")
        for number, item in enumerate(wanted.items):
            local, path = f"{a}_{number}", f"{prefix}{number}"
            self.lines.append(f"    {local} = {a}[{number}]")
            if isinstance(item, TupleParam):
                self._items(parameter, local, f"{path}.", item, given[number])
            elif isinstance(item, StructParam):
                self.unless(f"type({local}) is {self.constant(type_of(given[number]))}")
                self._fields(parameter.name, local, f"{path}.", item.type, given[number])
            else:
                element = item.type if isinstance(item.type, Scalar) else self.bound.types[item.type.name][0]
                assert isinstance(element, Scalar)
                self.number(local, element, given[number], item.enum)
                self.leaves[(parameter.name, path)] = local

    def steady(self, function: Any, seen: set[Any]) -> bool:
        """Test that constants and functions of the module are what they were, all the way down. False where that takes the whole key."""
        space = self.constant(function.__globals__)
        for name, one in of_module(function):
            known = self.constant(one)
            self.unless(f"{space}.get({name!r}) is {known}")
            if not isinstance(one, types.FunctionType) or one in seen:
                continue
            if one.__closure__ or one.__kwdefaults__:
                return False
            seen.add(one)
            self.unless(f"{known}.__code__ is {self.constant(one.__code__)} and {known}.__defaults__ is {self.constant(one.__defaults__)}")
            if not self.steady(one, seen):
                return False
        return True

    def function(self, parameter: Parameter) -> None:
        a, value = self.names[parameter.name], self.bound.values[parameter.name]
        assert isinstance(value, FunctionValue)
        function: Any = value.argument.function
        self.objects.setdefault("Function", type(function))
        self.unless(f"type({a}) is Function and {a}.__code__ is {self.constant(function.__code__)}")
        self.unless(f"{a}.__globals__ is {self.constant(function.__globals__)}")
        self.unless(f"{a}.__defaults__ is {self.constant(function.__defaults__)}")
        inner = any(isinstance(one, type(function)) for _, one in value.fixed)
        if function.__kwdefaults__ or annotations_of(function) or inner or not self.steady(function, {function}):
            self.unless(f"{self.constant(function_value)}({a}).key == {self.constant(value.key)}")  # a captured function may have changed
        cells = {name: f"{a}.__closure__[{number}].cell_contents" for number, name in enumerate(function.__code__.co_freevars)}
        for name, fixed in value.fixed:
            self.unless(f"{cells[name]} is {self.constant(fixed)}")
        kinds = dict(value.argument.captures)
        for name, captured in value.captured.items():
            local = f"f{len(self.leaves)}"
            self.lines.append(f"    {local} = {cells[name]}")
            plain = {"int": int, "float": float, "bool": bool}.get(kinds[name])
            self.unless(f"type({local}) is {self.constant(plain if plain is not None else type(_cell(function, name)))}")
            if plain is None:
                self.lines.append(f"    {local} = {local}.item()")
            self.leaves[(parameter.name, name)] = local
            assert type(captured) in (int, float, bool)

    def borrows(self) -> None:
        kinds = (SliceParam, TensorMapParam)
        taken = [(one.name, one.type) for one in self.parameters.values() if isinstance(one.type, kinds)]
        slices = [(self.names[name], wanted.exclusive) for name, wanted in taken if not _points(wanted)]
        for number, (a, exclusive) in enumerate(slices):
            for other, other_exclusive in slices[:number]:
                if exclusive or other_exclusive:
                    self.unless(f"p{a} >= p{other} + {other}.nbytes or p{other} >= p{a} + {a}.nbytes")

    def choose(self, choice: Choice, config: LaunchConfig) -> None:
        """Only launches that take the same code."""
        conditions = [relations.source(one.expr, lambda leaf: self.leaf(leaf, config)) for one in choice.relations]
        addresses = " | ".join(f"p{self.names[one.name]}" for one in self.parameters.values() if isinstance(one.type, SliceParam))
        if choice.align > 1 and addresses:
            conditions.append(f"not ({addresses}) & {choice.align - 1}")
        if conditions:
            every = " and ".join(conditions)
            self.unless(every if choice.usual else f"not ({every})")

    def aligned(self, wanted: Mapping[str, int]) -> None:
        """Only memory that begins where the kernel's copies need it."""
        for name, bytes_ in wanted.items():
            self.unless(f"not p{self.names[name]} & {bytes_ - 1}")

    def require(self, one: Require, config: LaunchConfig) -> None:
        self.unless(relations.source(one.expr, lambda leaf: self.leaf(leaf, config)))

    def leaf(self, leaf: tuple[Any, ...], config: LaunchConfig) -> str:
        kind, name = leaf[0], leaf[1]
        if kind == "grid":
            return str(config.extent(name))
        a = self.names[name]
        return {"len": f"{a}.shape[{leaf[-1]}]", "size": f"{a}.size", "scalar": a}.get(kind) or self.leaves[(name, leaf[2])]

    def packed(self, param: AbiParam) -> str:
        """The expression of what goes to the device: of a bf16 its bits."""
        if param.type != "bf16":
            return self.value(param)
        self.objects["bf16_bits"] = bf16_bits
        return f"bf16_bits({self.value(param)})"

    def value(self, param: AbiParam) -> str:
        """The expression of one device value; a captured Python number takes the type that it met in the kernel."""
        if param.source == MESSAGES:
            return "stream.messages.device" if param.kind == "memory" else f"stream.messages.launch({self.bound.messages})"
        a = self.names[param.source]
        if param.kind == "memory":
            return f"p{a}"
        if param.kind == "whole":
            return f"({a}._memory.address, {a}._memory.nbytes)"
        if param.kind == "tensor_map":
            return self.leaves[(param.source, "")]
        if param.kind == "length":
            return f"{a}.shape[{param.axis}]"
        if not param.path:
            return a
        local, value = self.leaves[(param.source, param.path)], self.bound.values[param.source]
        if not isinstance(value, FunctionValue) or dict(value.argument.captures)[param.path] not in ("int", "float"):
            return local
        own = f"w{len(self.lines)}"
        self.lines.append(f"    {own} = {local}")
        self.within(own, SCALARS[param.type], type_of(value.captured[param.path]))
        return own


def _points(wanted: SliceParam | TensorMapParam) -> bool:
    """A pointer may point at anything, so that it overlaps nothing."""
    return isinstance(wanted, SliceParam) and wanted.pointer


def _cell(function: Any, name: str) -> Any:
    return function.__closure__[function.__code__.co_freevars.index(name)].cell_contents


def make(
    bound: Bound,
    parameters: Sequence[Parameter],
    given: Sequence[Any],
    loaded: Loaded,
    requires: Sequence[Require],
    config: LaunchConfig,
    choice: Choice,
    *,
    borrows: bool = True,
) -> Fast | None:
    """The quick function for launches like this one, or None where every launch has to go the slow way. `borrows`: look for overlaps."""
    params = loaded.params
    if any(not one.source for one in params) or any(isinstance(one.type, ConstParam) for one in parameters):
        return None
    maker = _Maker(bound, parameters)
    for parameter, value in zip(parameters, given, strict=True):
        wanted = parameter.type
        if isinstance(wanted, SliceParam):
            maker.buffer(parameter, wanted)
        elif isinstance(wanted, TensorMapParam):
            maker.tensor_map(parameter, value)
        elif isinstance(wanted, ScalarParam):
            maker.scalar(parameter, wanted, value)
        elif isinstance(wanted, StructParam):
            maker.struct(parameter, wanted, value)
        elif isinstance(wanted, TupleParam):
            maker.items(parameter, wanted, value)
        elif isinstance(wanted, FunctionParam):
            maker.function(parameter)
    if borrows:
        maker.borrows()
    maker.choose(choice, config)
    maker.aligned(loaded.copied)
    values = "".join(f"{maker.packed(one)}, " for one in params)
    for one in requires:
        maker.require(one, config)
    names = ", ".join(maker.names.values())
    maker.objects["CONTEXT"] = bound.context
    head = ["def fast(stream, args):", f"    if len(args) != {len(parameters)} or stream.context is not CONTEXT: return None"]
    if names:
        head.append(f"    {names}, = args")
    text = "\n".join([*head, *maker.lines, f"    return ({values})"])
    exec(compile(text, f"<launch of {bound.kernel}>", "exec"), maker.objects)
    made: Fast = maker.objects["fast"]
    return made
