"""What calls do: launches, lazy operations, partitions, buffers that are made and freed, helpers of the module."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from oxidepy.analysis.host.launches import Launches
from oxidepy.analysis.host.model import (
    UNKNOWN,
    Buffer,
    Function,
    Global,
    Handle,
    Items,
    KernelShape,
    Library,
    Method,
    Mutable,
    Operation,
    Prepared,
    Thing,
    Value,
)

if TYPE_CHECKING:
    from oxidepy.analysis.host.expressions import Evaluator
    from oxidepy.analysis.host.findings import Findings

Arguments = Sequence[Value]
_MAKES = frozenset(("zeros", "ones", "full", "arange", "rand", "randn", "from_host"))  # lazy operations that give a tensor
_ON_OPERATIONS = frozenset(("then", "map", "inspect", "first", "last", "unzip", "shared", "partition", "unpartition", "to_host"))
_RUNS = frozenset(("sync", "sync_on", "graph_on"))
_SAME_MEMORY = frozenset(("reshape", "view"))
_DTYPES = frozenset(("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "bool"))


class Calls:
    def __init__(self, evaluator: Evaluator, findings: Findings) -> None:
        self.eval = evaluator
        self.findings = findings
        self.launches = Launches(evaluator, findings)

    def call(self, node: ast.Call) -> Value:
        called = self.eval.value(node.func)
        given = [self.eval.argument(one) for one in node.args]
        named = {one.arg: self.eval.argument(one.value) for one in node.keywords}
        self.launches.values = {**dict(zip(node.args, given, strict=True)), **{one.value: named[one.arg] for one in node.keywords}}
        if isinstance(called, Function):
            return self._helper(called, node, given, named)
        if isinstance(called, Library):
            return self._library(called.name, given)
        if isinstance(called, Prepared):
            return self.launches.launch(called.shape, node, checked=True)
        if isinstance(called, KernelShape) and called.tile:
            return self.launches.operation(called, node, node.args, node.keywords)
        if isinstance(called, Method):
            found = self._method(called, node, given)
            if found is not NotImplemented:
                return found  # type: ignore[return-value]
            self._changed(called.receiver)
            self.lost(called.receiver)
        for value in (*given, *named.values()):
            self._changed(value)
            self.lost(value)
        self._rebound()
        return UNKNOWN

    # ---- what becomes of values

    def lost(self, value: Value) -> None:
        """A value goes where nothing is known of it: an operation may be run there, a list changed."""
        state = self.eval.walker.state
        if state is None:
            return
        if isinstance(value, Operation):
            self._release(value)
        elif isinstance(value, Items):
            for one in value.items:
                self.lost(one)
        elif isinstance(value, Mutable):
            held = state.contents.get(value)
            state.contents[value] = None
            for one in held.values() if isinstance(held, dict) else held or ():
                self.lost(one)

    def kept(self, value: Value) -> None:
        """A value is put into a container, from which it may be taken and run."""
        if isinstance(value, Operation):
            self._release(value)

    def _changed(self, value: Value) -> None:
        """Attributes of an object that others have seen may be different afterwards."""
        state = self.eval.walker.state
        if state is not None and isinstance(value, Thing):
            state.attributes = {key: one for key, one in state.attributes.items() if key[0] is not value}

    def _rebound(self) -> None:
        """Names of the module may be bound to other objects after a call of which nothing is known."""
        state = self.eval.walker.state
        if state is not None:
            state.attributes = {key: one for key, one in state.attributes.items() if not isinstance(key[0], Global)}

    def _release(self, operation: Operation) -> None:
        state = self.eval.walker.state
        if state is not None:
            for thing in operation.holds:
                state.held.pop(thing, None)

    def ran(self, operation: Operation) -> Value:
        """What an operation gives when it runs."""
        self._release(operation)
        return operation.gives

    # ---- functions of the module

    def _helper(self, function: Function, node: ast.Call, given: Arguments, named: dict[str | None, Value]) -> Value:
        starred = any(isinstance(one, ast.Starred) for one in node.args)
        arguments = function.node.args
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        bound: dict[str, Value] = {} if starred else dict(zip(names, given, strict=False))
        if not starred and len(given) > len(names) and arguments.vararg is not None:
            bound[arguments.vararg.arg] = Items(tuple(given[len(names) :]))
        bound.update({name: value for name, value in named.items() if name is not None and None not in named})
        found = self.eval.walker.call(function, bound, node)
        return UNKNOWN if isinstance(function.node, ast.AsyncFunctionDef) else found

    def applied(self, function: Value, given: Arguments, node: ast.Call) -> Value:
        """What a function that an operation got gives for its value."""
        if not isinstance(function, Function):
            return UNKNOWN
        names = [one.arg for one in function.node.args.args]
        return self.eval.walker.call(function, dict(zip(names, given, strict=False)), node)

    # ---- what oxidepy hands out

    def _library(self, name: str, given: Arguments) -> Value:
        if name in ("DeviceBuffer.zeros", "DeviceBuffer.empty", "DeviceBuffer.from_host", "DeviceBuffer.empty_like"):
            rows, element = None, None
            if name in ("DeviceBuffer.zeros", "DeviceBuffer.empty"):
                shape = given[1] if len(given) > 1 else UNKNOWN
                first = shape.items[0] if isinstance(shape, Items) and shape.items else shape
                rows = first if isinstance(first, int) and not isinstance(first, bool) else None
                element = _element(given[2]) if len(given) > 2 else None
            made = Thing()
            return Buffer(made, made, 0, rows, element=element)
        if name in ("as_buffer", "as_tensor"):
            kind = "buffer" if name == "as_buffer" else "tensor"
            whose = given[0] if given and isinstance(given[0], Thing) else Thing()
            return Buffer(whose, Thing(), element=_element(given[1]) if len(given) > 1 else None, kind=kind)  # type: ignore[arg-type]
        if name in _MAKES:
            made = Thing()
            return Operation(name, Buffer(made, made, kind="tensor"), ())
        if name == "zip_ops":
            for one in given:
                self.kept(one)
            gives = tuple(one.gives if isinstance(one, Operation) else UNKNOWN for one in given)
            return Operation(name, Items(gives), ())
        if name == "Context":
            return Handle("context")
        if name in _DTYPES:
            return UNKNOWN
        for value in given:
            self.lost(value)
        return UNKNOWN

    def _method(self, called: Method, node: ast.Call, given: Arguments) -> object:
        """NotImplemented where the name means nothing for such a value."""
        receiver, name = called.receiver, called.name
        if isinstance(receiver, KernelShape):
            return self._of_kernel(receiver, name, node)
        if isinstance(receiver, Prepared) and name == "op":
            return self.launches.operation(receiver.shape, node, node.args, node.keywords)
        if isinstance(receiver, Operation):
            return self._of_operation(receiver, name, node, given)
        if isinstance(receiver, Buffer):
            return self._of_buffer(receiver, name, node, given)
        if isinstance(receiver, Mutable):
            return self._of_list(receiver, name, given)
        if isinstance(receiver, Handle):
            return Handle("stream") if name in ("default_stream", "new_stream") else UNKNOWN
        return NotImplemented

    def _of_kernel(self, shape: KernelShape, name: str, node: ast.Call) -> object:
        if name == "prepare":
            return Prepared(shape)
        if name == "launch":
            return self.launches.launch(shape, node, checked=True)
        if name == "launch_unchecked":
            return self.launches.launch(shape, node, checked=False)
        if name == "op":
            return self.launches.operation(shape, node, node.args, node.keywords)
        return UNKNOWN

    def _of_operation(self, operation: Operation, name: str, node: ast.Call, given: Arguments) -> object:
        if name in _RUNS:
            return self.ran(operation)
        if name not in _ON_OPERATIONS:
            self._release(operation)
            return UNKNOWN
        return replace(operation, what=operation.what, gives=self._given(operation.gives, name, node, given))

    def _given(self, value: Value, name: str, node: ast.Call, given: Arguments) -> Value:
        """What an operation gives that goes on from one that gives `value`."""
        if name == "then":
            found = self.applied(given[0], (value,), node) if given else UNKNOWN
            return found.gives if isinstance(found, Operation) else UNKNOWN
        if name == "map":
            return self.applied(given[0], (value,), node) if given else UNKNOWN
        if name == "inspect":
            if given:
                self.applied(given[0], (value,), node)
            return value
        if name in ("first", "last"):
            items = value.items if isinstance(value, Items) else ()
            return items[0 if name == "first" else -1] if items else UNKNOWN
        if name in ("partition", "unpartition") and isinstance(value, Buffer):
            return replace(value, owner=Thing(), kind="partition" if name == "partition" else "tensor")
        return value if name == "shared" else UNKNOWN

    def _of_buffer(self, buffer: Buffer, name: str, node: ast.Call, given: Arguments) -> object:
        state = self.eval.walker.state
        assert isinstance(node.func, ast.Attribute) and state is not None
        place = node.func.value
        if name == "free":
            self.launches.free(buffer, place, node)
            return UNKNOWN
        if name == "copy_from" and len(given) > 1:
            self.launches.copied(buffer, given[1], node)
        if name in ("partition", "unpartition"):
            self.launches.usable(buffer, place)
            state.given[buffer.owner] = (node, f"`.{name}`")
            return replace(buffer, owner=Thing(), kind="partition" if name == "partition" else "tensor")
        if name == "reinterpret":
            return replace(buffer, element=None, start=0, stop=None, known=buffer.whole, rows=Thing())
        if name in _SAME_MEMORY:
            other = replace(buffer, start=0, stop=None, known=buffer.whole, rows=Thing())
            return replace(other, kind="tensor") if name == "view" else other
        self.launches.usable(buffer, place)
        return Operation(name, UNKNOWN, ()) if name == "to_host" and buffer.kind != "buffer" else UNKNOWN

    def _of_list(self, holder: Mutable, name: str, given: Arguments) -> object:
        state = self.eval.walker.state
        held = state.contents.get(holder) if state is not None else None
        if state is None or held is None:
            return NotImplemented
        for one in given:
            self.kept(one)
        if isinstance(held, dict):
            if name == "values" and not given:
                return Items(tuple(held.values()))
            if name == "items" and not given:
                return Items(tuple(Items(one) for one in held.items()))
            if name == "get" and given and isinstance(given[0], int | str):
                return held.get(given[0], given[1] if len(given) > 1 else UNKNOWN)
            return NotImplemented
        if name == "append" and len(given) == 1:
            state.contents[holder] = (*held, given[0])
            return UNKNOWN
        if name == "pop" and held and (not given or isinstance(given[0], int)):
            at = given[0] if given else -1
            if isinstance(at, int) and -len(held) <= at < len(held):
                at %= len(held)
                state.contents[holder] = (*held[:at], *held[at + 1 :])
                return held[at]
        return NotImplemented


def _element(value: Value) -> str | None:
    return value.name if isinstance(value, Library) and value.name in _DTYPES else None
