"""Values against annotations: parameters and results of helpers, annotated variables."""

from __future__ import annotations

import ast
from dataclasses import replace

from oxidepy.diagnostics import CompileError
from oxidepy.frontend.annotations import Refused as NotUnderstood
from oxidepy.frontend.annotations import convert as understand
from oxidepy.frontend.annotations import says_nothing
from oxidepy.frontend.convert import convert, kind_of, problem, source
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import (
    Front,
    FunctionValue,
    Literal,
    MapValue,
    Named,
    PointerValue,
    SliceValue,
    Static,
    StructValue,
    Text,
    TupleValue,
    Typed,
    Weak,
    describe,
    enum_of,
)
from oxidepy.ir.types import BOOL, F32, F64, I32, I64, SCALARS, Element, Field, Scalar, Struct
from oxidepy.lang.definition import (
    ConstParam,
    FunctionParam,
    IndexSpace,
    ParamType,
    ScalarParam,
    SliceParam,
    StructParam,
    TensorMapParam,
    TupleParam,
    TypeVariable,
)
from oxidepy.lang.resolve import Scope

READABLE = ("Slice", "SliceMut", "ConstantSlice")


def fit(frame: Frame, node: ast.AST, value: Front, wanted: ParamType, what: str, types: dict[str, Element] | None = None) -> Front:
    """The value as the annotation wants it: literals take the type, anything else must have it (OX0308). `types`: what its TypeVars are."""
    known = frame.types if types is None else types
    if isinstance(wanted, ScalarParam):
        return _scalar(frame, node, value, wanted, what, known, types)
    if isinstance(wanted, StructParam) and wanted.type.is_array:
        return fit(frame, node, value, TupleParam(tuple(map(parameter_of, wanted.type.fields))), what, types)
    if isinstance(wanted, StructParam):
        if isinstance(value, StructValue) and value.layout == wanted.type:
            return value
        raise mismatch(frame, node, value, f"`{wanted.type.name}`", what)
    if isinstance(wanted, TupleParam):
        if not isinstance(value, TupleValue) or len(value.items) != len(wanted.items):
            raise mismatch(frame, node, value, f"a tuple of {len(wanted.items)}", what)
        nodes = node.elts if isinstance(node, ast.Tuple) else [node] * len(wanted.items)
        return TupleValue(
            tuple(fit(frame, place, item, one, what, types) for place, item, one in zip(nodes, value.items, wanted.items, strict=True))
        )
    if isinstance(wanted, SliceParam):
        return _slice(frame, node, value, wanted, what, known)
    if isinstance(wanted, FunctionParam):
        if isinstance(value, (FunctionValue, Named)):
            return value
        raise mismatch(frame, node, value, "a function", what)
    if isinstance(wanted, TensorMapParam):
        return _map(frame, node, value, wanted, what, known)
    return _constant(frame, node, value, wanted, what)


def _map(frame: Frame, node: ast.AST, value: Front, wanted: TensorMapParam, what: str, known: dict[str, Element]) -> Front:
    if isinstance(value, MapValue):
        element = bound(wanted.element, known, value.element)
        fits = value.exclusive >= wanted.exclusive and value.im2col == wanted.im2col
        if element == value.element and wanted.rank == value.rank and fits:
            return value
    shown = f"`{wanted.kind}[{getattr(wanted.element, 'name', wanted.element)}]` of {wanted.rank} axes"
    raise mismatch(frame, node, value, shown, what)


def parameter_of(field: Field) -> ScalarParam | StructParam:
    """A field of a struct, as a parameter of that type is."""
    return ScalarParam(field.type, field.enum) if isinstance(field.type, Scalar) else StructParam(field.type)


def mismatch(frame: Frame, node: ast.AST, value: Front, wanted: str, what: str) -> Exception:
    return frame.refuse(node, "OX0308", f"mismatched types: {what} is {wanted}, and this is {describe(value)}")


def bound(wanted: Element | TypeVariable, known: dict[str, Element], candidate: Element | None) -> Element | None:
    """What an annotated element type stands for; a TypeVar that is still open takes `candidate` if that is one of its choices."""
    if not isinstance(wanted, TypeVariable):
        return wanted
    if wanted.name not in known and candidate is not None and candidate in wanted.choices:
        known[wanted.name] = candidate
    return known.get(wanted.name)


def _scalar(
    frame: Frame, node: ast.AST, value: Front, param: ScalarParam, what: str, known: dict[str, Element], types: dict[str, Element] | None
) -> Front:
    wanted = param.type
    own = value.type if isinstance(value, Typed) else value.layout if isinstance(value, StructValue) else None
    element = bound(wanted, known, own)
    if isinstance(element, Struct):
        return fit(frame, node, value, StructParam(element), what, types)
    if element is None:
        assert isinstance(wanted, TypeVariable)
        if isinstance(value, (Literal, Weak)):
            if types is None:
                return value  # a result of which nothing says the type: it stays a literal
            element = types[wanted.name] = _natural(frame, node, value, wanted)
            return Typed(convert(frame, node, value, element, what), param.enum)
        choices = ", ".join(f"`{one}`" for one in wanted.choices)
        raise mismatch(frame, node, value, f"one of {choices}", what)
    return Typed(convert(frame, node, value, element, what), param.enum)


# what a literal gives a TypeVar that nothing else says: the first of these that is one of its choices, as at a launch
_NATURAL: dict[str, tuple[Scalar, ...]] = {"int": (I32, I64, F32, F64), "float": (F32, F64), "bool": (BOOL,)}


def _natural(frame: Frame, node: ast.AST, value: Literal | Weak, variable: TypeVariable) -> Scalar:
    fitting = [one for one in variable.choices if isinstance(one, Scalar) and problem(value, one) is None]
    for one in _NATURAL[kind_of(value)]:
        if one in fitting:
            return one
    if len(fitting) == 1:
        return fitting[0]
    choices = ", ".join(f"`{getattr(one, 'name', one)}`" for one in variable.choices)
    help = f"say the type: `{fitting[0]}({source(node)})`" if fitting else None
    message = f"`{source(node)}` alone does not say which of {choices} `{variable.name}` stands for"
    raise frame.refuse(node, "OX0282", message, help=help)


def _slice(frame: Frame, node: ast.AST, value: Front, wanted: SliceParam, what: str, known: dict[str, Element]) -> Front:
    shown = _shown(wanted.kind, wanted.element, wanted.rank, wanted.space)
    if wanted.pointer and isinstance(value, PointerValue) and bound(wanted.element, known, value.element) == value.element:
        return value
    if wanted.pointer and isinstance(value, SliceValue):
        name = source(node)
        raise frame.refuse(
            node, "OX0308", f"mismatched types: {what} is {shown}, and this is {describe(value)}", help=f"its address is `{name}.ptr()`"
        )
    if not isinstance(value, SliceValue):
        raise mismatch(frame, node, value, shown, what)
    element = bound(wanted.element, known, value.element)
    fits = value.kind == wanted.kind or (wanted.kind == "Slice" and value.kind in READABLE)
    if not fits or element != value.element or wanted.rank != value.rank or (wanted.space is not None and wanted.space != value.space):
        got = _shown(value.kind, value.element, value.rank, value.space)
        raise frame.refuse(node, "OX0308", f"mismatched types: {what} is {shown}, and this is {got}", help=f"annotate it as {got}")
    # seen through a read-only parameter it is read-only
    return value if value.kind == wanted.kind else replace(value, kind=wanted.kind, space=None)


def _shown(kind: str, element: Element | TypeVariable, rank: int, space: IndexSpace | None) -> str:
    """A slice as its annotation is written."""
    second = f", D{rank}" if space is None and rank > 1 else f", {space}" if space not in (None, IndexSpace()) else ""
    return f"`{kind}[{element.name}{second}]`"


def _constant(frame: Frame, node: ast.AST, value: Front, wanted: ConstParam, what: str) -> Front:
    known = _known(value)
    if known is None or not _of_kind(known, wanted):
        raise mismatch(frame, node, value, f"`Const[{wanted.type}]`, known at compile time", what)
    return known


def _of_kind(value: Front, wanted: ConstParam) -> bool:
    """Whether a value known at compile time is one that the annotation names; an `int` may stand for a `float`."""
    if wanted.items is not None:
        items = value.items if isinstance(value, TupleValue) else ()
        kinds = wanted.items * len(items) if wanted.open else wanted.items
        return bool(items) and len(items) == len(kinds) and all(map(_of_kind, items, kinds))
    if wanted.enum is not None:
        return enum_of(value) is wanted.enum or (isinstance(value, Static) and isinstance(value.object, wanted.enum))
    if wanted.type == "str":
        return isinstance(value, Text)
    if not isinstance(value, Literal):
        return False
    if wanted.type in SCALARS:
        return problem(value, SCALARS[wanted.type]) is None
    kind = kind_of(value)
    return kind == wanted.type or (kind, wanted.type) == ("int", "float")


def _known(value: Front) -> Front | None:
    """The value as literals, if it is known at compile time."""
    if isinstance(value, (Literal, Text, Static)):
        return value
    if isinstance(value, Typed) and value.value.constant is not None:
        number = value.value.constant
        return Literal(number, None if value.enum is None else next((one for one in value.enum if one.value == number), None))
    if isinstance(value, TupleValue):
        items = [one for item in value.items if (one := _known(item)) is not None]
        return TupleValue(tuple(items)) if len(items) == len(value.items) else None
    return None


def local_annotation(frame: Frame, node: ast.expr) -> ParamType | None:
    """The type that `x: T = …` names; None where it leaves that to the value."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
    scope = Scope.of(frame.parsed.function, frame.lowering.definition.frame if frame.is_kernel else {})
    try:
        value = scope.evaluate(text)
        if says_nothing(value):
            return None
        return understand(value, scope, unsafe=True)
    except NotUnderstood as error:
        raise frame.refuse(node, error.code, error.message, help=error.help) from None
    except CompileError as error:
        raise frame.refuse(node, error.code, error.diagnostics[0].message) from None
    except Exception as error:  # evaluating what the user wrote may raise anything
        raise frame.refuse(node, "OX1002", f"the annotation `{text}` does not evaluate: {error}") from None
