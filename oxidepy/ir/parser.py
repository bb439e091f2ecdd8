"""Reads the text that `printer` writes. Printing what was read gives the same text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn, TypeVar, cast, get_args

from oxidepy.diagnostics import Span
from oxidepy.ir.core import Block, Exported, Function, Kernel, Module, Op, ParamInfo, Require, Value
from oxidepy.ir.ops import OPS
from oxidepy.ir.printer import BETWEEN_REGIONS, MAIN_ATTRIBUTE
from oxidepy.ir.types import SCALARS, Access, Element, Field, Memory, Scalar, Space, Struct, Type

T = TypeVar("T")

_TOKEN = re.compile(
    r"""\s*(?://[^\n]*\s*)*(?:
        (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<value>%[\w.$]+)
      | (?P<struct>!\w+)
      | (?P<arrow>->)
      | (?P<number>-?(?:inf\b|nan\b|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))
      | (?P<word>[A-Za-z_][\w.$]*)
      | (?P<mark>[@(){}\[\]<>=:,-])
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.ASCII,
)
_RESULTS = re.compile(r"%[\w.$]+(?:,\s*%[\w.$]+)*\s*=", re.ASCII)
_BLOCK = re.compile(r"(\d+)x(\d+)x(\d+)")
_PLACE = re.compile(r":(\d+):(\d+)-(\d+):(\d+)\)")
_WORD_LITERALS: dict[str, Any] = {"none": None, "true": True, "false": False}


class ParseError(ValueError):
    """The text is not kernel IR. The message says where and what was wanted."""


def parse_module(text: str) -> Module:
    """The module that `text` describes. ParseError where it does not; `verifier.verify` says whether it makes sense."""
    return _Parser(text).module()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.start = 0
        self.kind = ""
        self.token = ""
        self.structs: dict[str, Struct] = {}
        self.values: dict[str, Value] = {}
        self.advance()

    # ---- tokens

    def advance(self) -> str:
        before = self.token
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self.start = self.position
            self.token = self.text[self.position :].lstrip()[:1]
            self.fail("a token")
        self.kind = match.lastgroup or ""
        self.token = match.group(self.kind)
        self.start, self.position = match.start(self.kind), match.end()
        return before

    def fail(self, wanted: str) -> NoReturn:
        line = self.text.count("\n", 0, self.start) + 1
        column = self.start - self.text.rfind("\n", 0, self.start)
        raise ParseError(f"line {line}, column {column}: expected {wanted}, found {self.token or 'the end'!r}")

    def take(self, token: str) -> None:
        if self.token != token:
            self.fail(repr(token))
        self.advance()

    def accept(self, token: str) -> bool:
        found = self.token == token and self.kind != "string"
        if found:
            self.advance()
        return found

    def of_kind(self, kind: str, wanted: str) -> str:
        if self.kind != kind:
            self.fail(wanted)
        return self.advance()

    def word(self, wanted: str = "a word") -> str:
        return self.of_kind("word", wanted)

    def string(self) -> str:
        return cast(str, json.loads(self.of_kind("string", "a string")))

    def integer(self) -> int:
        if self.kind != "number" or not self.token.lstrip("-").isdigit():
            self.fail("an integer")
        return int(self.advance())

    def separated(self, item: Callable[[], T], closing: str) -> list[T]:
        """`item, item, …` up to and over `closing`."""
        out: list[T] = []
        if self.accept(closing):
            return out
        while True:
            out.append(item())
            if self.accept(closing):
                return out
            self.take(",")

    def symbol(self) -> str:
        self.take("@")
        return self.string() if self.kind == "string" else self.word("a name")

    def literal(self) -> Any:
        if self.kind == "string":
            return self.string()
        if self.accept("("):
            return tuple(self.separated(self.literal, ")"))
        if self.kind == "word" and self.token in _WORD_LITERALS:
            return _WORD_LITERALS[self.advance()]
        token = self.of_kind("number", "a value")
        return int(token) if token.lstrip("-").isdigit() else float(token)

    # ---- types

    def scalar(self) -> Scalar:
        found = SCALARS.get(self.token) if self.kind == "word" else None
        if found is None:
            self.fail("a scalar type")
        self.advance()
        return found

    def element(self) -> Element:
        if self.kind != "struct":
            return self.scalar()
        if self.token not in self.structs:
            self.fail("a struct defined above")
        return self.structs[self.advance()]

    def type(self) -> Type:
        if not self.accept("mem"):
            return self.scalar()
        self.take("<")
        element = self.element()
        self.take(",")
        space = cast(Space, self.one_of(get_args(Space)))
        self.take(",")
        access = cast(Access, self.one_of(get_args(Access)))
        self.take(">")
        return Memory(element, space, access)

    def one_of(self, words: tuple[str, ...]) -> str:
        if self.token not in words:
            self.fail(" or ".join(words))
        return self.advance()

    def struct(self) -> None:
        symbol = self.of_kind("struct", "a struct's symbol")
        self.take("=")
        name = self.string()
        self.take("(")
        fields = self.separated(self.field, ")")
        self.take("size")
        size = self.integer()
        self.take("align")
        self.structs[symbol] = Struct(name, tuple(fields), size, self.integer())

    def field(self) -> Field:
        name = self.string()
        self.take(":")
        element = self.element()
        self.take("@")
        return Field(name, element, self.integer())

    # ---- modules

    def module(self) -> Module:
        functions: dict[str, Function] = {}
        while self.accept("struct"):
            self.struct()
        while self.accept("func"):
            function = self.function()
            functions[function.name] = function
        self.take("kernel")
        kernel = self.kernel()
        if self.kind != "end":
            self.fail("the end")
        return Module(kernel, functions)

    def function(self) -> Function:
        self.values = {}
        name = self.symbol()
        self.take("(")
        params = self.separated(self.typed_value, ")")
        self.take("->")
        self.take("(")
        results = tuple(self.separated(self.scalar, ")"))
        return Function(name, params, results, self.region(Block()))

    def kernel(self) -> Kernel:
        self.values = {}
        name = self.symbol()
        self.take("(")
        params = self.separated(self.param, ")")
        kernel = Kernel(name, [value for value, _ in params], [info for _, info in params], Block())
        readers: dict[str, Callable[[Kernel], None]] = {
            "domain": self._domain,
            "block": self._block,
            "coordinates": self._coordinates,
            "launch_bounds": self._launch_bounds,
            "min_compute_capability": self._capability,
            "cluster": self._cluster,
            "raceless": self._raceless,
            "exported": self._exported,
            "message": self._message,
            "require": self._require,
        }
        while self.kind == "word":
            if self.token not in readers:
                self.fail("a fact of the kernel: " + ", ".join(readers))
            readers[self.advance()](kernel)
        self.region(kernel.body)
        return kernel

    def _domain(self, kernel: Kernel) -> None:
        kernel.domain = self.integer()

    def _shape(self, what: str) -> tuple[int, int, int]:
        match = _BLOCK.match(self.text, self.start)
        if match is None:
            self.fail(what)
        self.position = match.end()
        self.advance()
        return int(match[1]), int(match[2]), int(match[3])

    def _block(self, kernel: Kernel) -> None:
        kernel.block = self._shape("a block such as 256x1x1")

    def _cluster(self, kernel: Kernel) -> None:
        kernel.cluster = self._shape("a cluster such as 2x1x1")

    def _raceless(self, kernel: Kernel) -> None:
        kernel.raceless = True

    def _coordinates(self, kernel: Kernel) -> None:
        kernel.coordinates = self.scalar()

    def _pair(self) -> tuple[int, int]:
        first = self.integer()
        self.take(",")
        return first, self.integer()

    def _launch_bounds(self, kernel: Kernel) -> None:
        kernel.launch_bounds = self._pair()

    def _capability(self, kernel: Kernel) -> None:
        kernel.min_compute_capability = self._pair()

    def _exported(self, kernel: Kernel) -> None:
        declaration, params, result = self.literal()
        kernel.exported = Exported(declaration, params, result)

    def _message(self, kernel: Kernel) -> None:
        kernel.messages += (self.literal(),)

    def _require(self, kernel: Kernel) -> None:
        text = self.string()
        expr = self.literal()
        kernel.requires += (Require(text, expr, self.location()),)

    def param(self) -> tuple[Value, ParamInfo]:
        value = self.typed_value()
        self.take("=")
        info = ParamInfo(role=self.word("a role"), source=self.string())
        if self.accept("axis"):
            info = replace(info, axis=self.integer())
        if self.accept("path"):
            info = replace(info, path=self.string())
        return value, info

    # ---- operations

    def define(self, name: str, value: Value) -> None:
        if name in self.values:
            raise ParseError(f"{name} is defined twice")
        value.name = "" if name[1:].isdigit() else name[1:]
        self.values[name] = value

    def typed_value(self) -> Value:
        name = self.of_kind("value", "a value")
        self.take(":")
        value = Value(self.type())
        self.define(name, value)
        return value

    def operand(self) -> Value:
        if self.kind != "value":
            self.fail("an operand")
        if self.token not in self.values:
            self.fail("a value defined above")
        return self.values[self.advance()]

    def region(self, block: Block) -> Block:
        """`(arguments) { operations }` into `block`."""
        if self.accept("("):
            block.args = self.separated(self.typed_value, ")")
            for value in block.args:
                value.owner = block
        self.take("{")
        while not self.accept("}"):
            block.ops.append(self.op())
        return block

    def op(self) -> Op:
        names: list[str] = []
        if self.kind == "value":
            names.append(self.advance())
            while self.accept(","):
                names.append(self.of_kind("value", "a value"))
            self.take("=")
        if self.kind != "word" or self.token not in OPS:
            self.fail("an operation")
        info = OPS[self.advance()]
        attrs: dict[str, Any] = {}
        main = MAIN_ATTRIBUTE.get(info.name)
        if main is not None and self.token != "[":
            attrs[main] = self.literal()
        operands = self._operands()
        if self.accept("["):
            attrs.update(self.separated(self.attribute, "]"))
        types: list[Type] = [self.type()] if self.accept(":") else []
        while types and self.accept(","):
            types.append(self.type())
        op = Op(info.name, operands, types, attrs, span=self.location())
        if len(names) != len(types):
            self.fail(f"{len(names)} result types for {info.name}")
        for number in range(info.regions):
            if number:
                self.take(BETWEEN_REGIONS.get(info.name, "and"))
            op.regions.append(self.region(Block()))
        for name, value in zip(names, op.results, strict=True):
            self.define(name, value)
        return op

    def _operands(self) -> list[Value]:
        """`%a, %b, …`, none where the next token begins the next operation: a value followed by `=` or by more results."""
        operands: list[Value] = []
        if self.kind != "value" or self._begins_op():
            return operands
        operands.append(self.operand())
        while self.accept(","):
            operands.append(self.operand())
        return operands

    def _begins_op(self) -> bool:
        return _RESULTS.match(self.text, self.start) is not None

    def attribute(self) -> tuple[str, Any]:
        key = self.word("an attribute")
        self.take("=")
        return key, self.literal()

    def location(self) -> Span | None:
        if not self.accept("loc"):
            return None
        self.take("(")
        file = self.string()
        match = _PLACE.match(self.text, self.start)
        if match is None:
            self.fail(":line:column-line:column")
        self.position = match.end()
        self.advance()
        return Span(file, *(int(one) for one in match.groups()))
