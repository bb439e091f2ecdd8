"""`require(...)`: relations that the host evaluates in exact integers at every launch."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from oxidepy.frontend.convert import source
from oxidepy.frontend.dispatch import translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.values import Named, SliceValue, known_integer
from oxidepy.ir.core import Require
from oxidepy.ir.types import Scalar, Struct
from oxidepy.lang.definition import Parameter, ScalarParam, SliceParam, StructParam

Expr = tuple[Any, ...]

_ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
_RELATIONS: dict[type[ast.cmpop], str] = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Requirements:
    """Translates conditions over the parameters of one kernel."""

    def __init__(self, frame: Frame, parameters: tuple[Parameter, ...]) -> None:
        self.frame = frame
        self.parameters = {one.name: one for one in parameters}

    def of(self, call: ast.Call) -> list[Require]:
        """The relations of one `require`; refused ones are reported."""
        found: list[Require] = []
        if call.keywords:
            self.frame.report(self.frame.refuse(call, "OX2001", "`require` takes conditions only").diagnostic)
        for node in call.args:
            try:
                found.append(Require(source(node), self.condition(node), self.frame.span(node)))
            except Refused as refused:
                self.frame.report(refused.diagnostic)
            except Poisoned:
                continue
        return found

    def refuse(self, node: ast.AST, what: str) -> Refused:
        help = (
            "the host can compare lengths, shapes, integer parameters, fields, `grid.dim` and `grid.size` with `+ - * // %`, `min`, `max`, "
            "`and`, `or`"
        )
        return self.frame.refuse(node, "OX2001", f"`require` cannot hold {what}", help=help)

    # ---- conditions

    def condition(self, node: ast.expr) -> Expr:
        if isinstance(node, ast.BoolOp):
            joined = self.condition(node.values[0])
            for one in node.values[1:]:
                joined = ("and" if isinstance(node.op, ast.And) else "or", joined, self.condition(one))
            return joined
        if isinstance(node, ast.Compare):
            return self._chain(node)
        raise self.refuse(node, f"`{source(node)}`, which compares nothing")

    def _chain(self, node: ast.Compare) -> Expr:
        terms = [self.term(one) for one in (node.left, *node.comparators)]
        joined: Expr | None = None
        for op, left, right in zip(node.ops, terms, terms[1:], strict=False):
            symbol = _RELATIONS.get(type(op))
            if symbol is None:
                raise self.refuse(node, f"`{source(node)}`")
            relation = (symbol, left, right)
            joined = relation if joined is None else ("and", joined, relation)
        assert joined is not None
        return joined

    # ---- terms

    def term(self, node: ast.expr) -> Expr:
        handler = _TERMS.get(type(node))
        if handler is None:
            raise self.refuse(node, f"`{source(node)}`")
        return handler(self, node)

    def name(self, node: ast.Name) -> Expr:
        parameter = self.parameters.get(node.id)
        if parameter is None:
            return self.constant(node)
        type_ = parameter.type
        if isinstance(type_, ScalarParam) and isinstance(type_.type, Scalar) and type_.type.is_int:
            return ("scalar", node.id)
        if isinstance(type_, SliceParam) and type_.pointer:
            raise self.refuse(node, "a pointer, of which nothing is known")
        if isinstance(type_, SliceParam):
            raise self.refuse(node, f"a slice; its length is `len({node.id})`")
        if isinstance(type_, ScalarParam):
            raise self.refuse(node, f"`{node.id}`, which is no integer")
        return self.constant(node)

    def constant(self, node: ast.expr) -> Expr:
        known = known_integer(translate(self.frame, node))
        if known is not None:
            return ("int", known)
        raise self.refuse(node, f"`{source(node)}`, which is no integer known at the launch")

    def attribute(self, node: ast.Attribute) -> Expr:
        path: list[str] = []
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            path.insert(0, root.attr)
            root = root.value
        parameter = self.parameters.get(root.id) if isinstance(root, ast.Name) else None
        if parameter is not None and isinstance(parameter.type, StructParam):
            return self._field(node, parameter.name, parameter.type.type, path)
        if isinstance(root, ast.Name) and parameter is None and len(path) >= 2 and path[-2:-1] == ["dim"]:
            owner = translate(self.frame, node.value)
            if isinstance(owner, Named) and owner.name == "grid.dim" and node.attr in ("x", "y", "z"):
                return ("grid", "xyz".index(node.attr))
        owner = translate(self.frame, node.value)
        if isinstance(owner, Named) and (owner.name, node.attr) == ("grid", "size"):
            threads: Expr = ("int", math.prod(self.frame.lowering.definition.contract.block))
            for axis in range(3):
                threads = ("*", threads, ("grid", axis))
            return threads
        return self.constant(node)

    def _field(self, node: ast.Attribute, name: str, layout: Struct, path: list[str]) -> Expr:
        leaves = {one: scalar for one, scalar, _ in layout.leaves()}
        dotted = ".".join(path)
        if dotted not in leaves:
            raise self.frame.refuse(
                node, "OX0425", f"`{layout.name}` has no field `{dotted}`", help="its fields are " + ", ".join(f"`{one}`" for one in leaves)
            )
        if not leaves[dotted].is_int:
            raise self.refuse(node, f"`{source(node)}`, which is no integer")
        return ("field", name, dotted)

    def binary(self, node: ast.BinOp) -> Expr:
        symbol = _ARITHMETIC.get(type(node.op))
        if symbol is None:
            raise self.refuse(node, f"`{source(node)}`")
        return (symbol, self.term(node.left), self.term(node.right))

    def unary(self, node: ast.UnaryOp) -> Expr:
        if isinstance(node.op, ast.UAdd):
            return self.term(node.operand)
        if not isinstance(node.op, ast.USub):
            raise self.refuse(node, f"`{source(node)}`")
        return ("neg", self.term(node.operand))

    def call(self, node: ast.Call) -> Expr:
        callee = translate(self.frame, node.func)
        name = callee.name if isinstance(callee, Named) else ""
        if name == "builtins.len" and len(node.args) == 1:
            return self._length(node, node.args[0], 0)
        if name in ("builtins.min", "builtins.max") and len(node.args) >= 2:
            folded = self.term(node.args[0])
            for one in node.args[1:]:
                folded = (name.rpartition(".")[2], folded, self.term(one))
            return folded
        if name == "cdiv" and len(node.args) == 2:
            return ("neg", ("//", ("neg", self.term(node.args[0])), self.term(node.args[1])))
        if name in ("i32", "i64", "u32", "u64", "builtins.int") and len(node.args) == 1:
            return self.term(node.args[0])  # the host computes in exact integers anyway
        raise self.refuse(node, f"a call of `{source(node.func)}`")

    def subscript(self, node: ast.Subscript) -> Expr:
        axis = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and isinstance(axis, int) and axis >= 0:
            return self._length(node, node.value.value, axis)
        raise self.refuse(node, f"`{source(node)}`, an element that only the device can read")

    def _length(self, node: ast.expr, slice_node: ast.expr, axis: int) -> Expr:
        value = translate(self.frame, slice_node)
        if isinstance(slice_node, ast.Name) and slice_node.id in self.parameters and isinstance(value, SliceValue):
            if axis >= value.rank:
                raise self.frame.refuse(node, "OX0308", f"`{slice_node.id}` has {value.rank} axes")
            return ("len", slice_node.id, axis)
        return self.constant(node)


_TERMS: dict[type[ast.expr], Callable[[Requirements, Any], Expr]] = {
    ast.Name: Requirements.name,
    ast.Constant: Requirements.constant,
    ast.Attribute: Requirements.attribute,
    ast.BinOp: Requirements.binary,
    ast.UnaryOp: Requirements.unary,
    ast.Call: Requirements.call,
    ast.Subscript: Requirements.subscript,
}
