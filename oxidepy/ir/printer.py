"""Kernel IR as text: stable, complete, readable; `parser` reads it back. The cache hashes it, so all that meaning depends on is in it.

    kernel @scale(
      %x: mem<f32, global, shared> = memory "x",
      %x.len: i32 = length "x",
      %k: f32 = scalar "k"
    ) domain 1 block 256x1x1 coordinates i32 {
      %i = intrinsic "thread.global_id.x" : i32
      %0 = inbounds %i, %x.len : bool
      if %0 {
        yield
      } else {
        yield
      }
      return
    }

An operation is `results = name "main attribute" operands [other = attributes] : result types loc(…) (arguments) { region }`,
with `loc("file":line:column-line:column)` its place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from json.encoder import encode_basestring as quoted
from typing import Any, cast

from oxidepy.diagnostics import Span
from oxidepy.ir.core import Block, Function, Kernel, Module, Op, ParamInfo, Value
from oxidepy.ir.types import Memory, Scalar, Struct, Type

MAIN_ATTRIBUTE = {
    "const": "value",
    "intrinsic": "row",
    "call": "callee",
    "extern": "symbol",
    "scope": "label",
    "leave": "label",
    "check": "code",
    "alloc": "name",
    "atomic": "kind",
    "fence": "scope",
    "panic": "code",
}
BETWEEN_REGIONS = {"if": "else", "while": "do"}

_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.$]*\Z", re.ASCII)
_NOT_IN_NAMES = re.compile(r"[^\w.$]", re.ASCII)


def print_module(module: Module, *, spans: bool | Callable[[str], str] = False) -> str:
    """The module as text. With `spans`, every operation carries its place (files and lines become part of the text); a function gives the
    names of the files."""
    printer = _Printer(spans)
    for function in module.functions.values():
        printer.function(function)
    printer.kernel(module.kernel)
    return "\n".join([*printer.structs.lines, *printer.lines, ""])


def print_op(op: Op) -> str:
    """One operation by itself, for messages: regions are left out, names are those of the hints."""
    return _Printer(False).head(op) + (" { … }" if op.regions else "")


def literal(value: Any) -> str:
    """An attribute's value: bool, int, float (exact; nan, inf, -0.0), string, tuple of these, None."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(float(value))
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(literal, cast("Sequence[Any]", value))) + ")"
    raise TypeError(f"an attribute of kernel IR cannot be a {type(value).__name__}: {value!r}")


def _symbol(name: str) -> str:
    return "@" + (name if _PLAIN_NAME.match(name) else quoted(name))


class _Structs:
    """Definitions of the structs that memory types name; two different ones of one name get different symbols."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._symbols: dict[Struct, str] = {}

    def symbol(self, struct: Struct) -> str:
        found = self._symbols.get(struct)
        if found is None:
            fields = ", ".join(f"{literal(one.name)}: {self.element(one.type)} @ {one.offset}" for one in struct.fields)
            found = f"!s{len(self._symbols)}"
            self._symbols[struct] = found
            self.lines.append(f"struct {found} = {literal(struct.name)} ({fields}) size {struct.size} align {struct.align}")
        return found

    def element(self, element: Scalar | Struct) -> str:
        return self.symbol(element) if isinstance(element, Struct) else element.name


class _Names:
    """Unique names of the values of one kernel or function, from their hints, in the order of printing."""

    def __init__(self) -> None:
        self.known: dict[Value, str] = {}
        self._taken: set[str] = set()
        self._unnamed = 0

    def of(self, value: Value) -> str:
        found = self.known.get(value)
        return found if found is not None else self.define(value)

    def define(self, value: Value) -> str:
        hint = value.name and _NOT_IN_NAMES.sub("_", value.name)
        if not hint:
            name, self._unnamed = f"%{self._unnamed}", self._unnamed + 1
        else:
            base = f"%{hint}" if not hint[0].isdigit() else f"%_{hint}"
            name, number = base, 0
            while name in self._taken:
                number += 1
                name = f"{base}.{number}"
            self._taken.add(name)
        self.known[value] = name
        return name


class _Printer:
    def __init__(self, spans: bool | Callable[[str], str]) -> None:
        self.lines: list[str] = []
        self.spans = spans
        self.structs = _Structs()
        self.names = _Names()

    def location(self, span: Span | None) -> str:
        if not self.spans or span is None:
            return ""
        file = span.file if self.spans is True else self.spans(span.file)
        return f" loc({quoted(file)}:{span.line}:{span.column}-{span.end_line}:{span.end_column})"

    def type(self, type_: Type) -> str:
        if isinstance(type_, Memory):
            return f"mem<{self.structs.element(type_.element)}, {type_.space}, {type_.access}>"
        return type_.name

    def typed(self, values: Iterable[Value]) -> str:
        return ", ".join(f"{self.names.define(value)}: {self.type(value.type)}" for value in values)

    def function(self, function: Function) -> None:
        self.names = _Names()
        results = ", ".join(map(str, function.results))
        self.lines.append(f"func {_symbol(function.name)}({self.typed(function.params)}) -> ({results}) {{")
        self.block(function.body, "  ")
        self.lines.append("}")

    def kernel(self, kernel: Kernel) -> None:
        self.names = _Names()
        self.lines.append(f"kernel {_symbol(kernel.name)}(")
        last = len(kernel.params) - 1
        for number, (param, info) in enumerate(zip(kernel.params, kernel.infos, strict=True)):
            self.lines.append(f"  {self.typed((param,))} = {_info(info)}{',' if number < last else ''}")
        facts = [f"domain {kernel.domain}", "block " + "x".join(map(str, kernel.block))]
        if kernel.coordinates is not None:
            facts.append(f"coordinates {kernel.coordinates}")
        if kernel.launch_bounds is not None:
            facts.append("launch_bounds {}, {}".format(*kernel.launch_bounds))
        if kernel.min_compute_capability is not None:
            facts.append("min_compute_capability {}, {}".format(*kernel.min_compute_capability))
        if kernel.cluster is not None:
            facts.append("cluster " + "x".join(map(str, kernel.cluster)))
        if kernel.raceless:
            facts.append("raceless")
        if kernel.exported is not None:
            facts.append(f"exported {literal((kernel.exported.declaration, kernel.exported.params, kernel.exported.result))}")
        facts += [f"message {literal(one)}" for one in kernel.messages]
        closing = f") {' '.join(facts)}"
        for require in kernel.requires:
            self.lines.append(closing)
            closing = f"  require {literal(require.text)} {literal(require.expr)}{self.location(require.span)}"
        self.lines.append(closing + " {")
        self.block(kernel.body, "  ")
        self.lines.append("}")

    def block(self, block: Block, indent: str) -> None:
        for op in block.ops:
            self.op(op, indent)

    def head(self, op: Op) -> str:
        """The operation without its regions. Every cached proof and code waits for this text, so it is made in few steps."""
        text, attrs, results = op.name, op.attrs, op.results
        if attrs:
            main = MAIN_ATTRIBUTE.get(text)
            text, others = (f"{text} {literal(attrs[main])}", len(attrs) > 1) if main in attrs else (text, True)
        else:
            main, others = None, False
        if op.operands:
            names, of = self.names.known, self.names.of
            text += " " + ", ".join([names.get(value) or of(value) for value in op.operands])
        if others:
            text += " [" + ", ".join([f"{key} = {literal(attrs[key])}" for key in sorted(attrs) if key != main]) + "]"
        if not results:
            return text
        if len(results) == 1:
            (result,) = results
            return f"{self.names.define(result)} = {text} : {self.type(result.type)}"
        types = ", ".join([self.type(one.type) for one in results])
        return f"{', '.join(map(self.names.define, results))} = {text} : {types}"

    def op(self, op: Op, indent: str) -> None:
        line = indent + self.head(op) + self.location(op.span)
        if not op.regions:
            self.lines.append(line)
            return
        between = BETWEEN_REGIONS.get(op.name, "and")
        for number, region in enumerate(op.regions):
            opening = line if number == 0 else f"{indent}}} {between}"
            self.lines.append(f"{opening} ({self.typed(region.args)}) {{" if region.args else f"{opening} {{")
            self.block(region, indent + "  ")
        self.lines.append(indent + "}")


def _info(info: ParamInfo) -> str:
    axis = f" axis {info.axis}" if info.axis else ""
    path = f" path {literal(info.path)}" if info.path else ""
    return f"{info.role} {literal(info.source)}{axis}{path}"
