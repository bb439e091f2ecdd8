"""Expressions that are neither operators nor calls: constants, attributes, subscripts, tuples, walrus, lambdas."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from oxidepy.diagnostics.names import suggest
from oxidepy.frontend.constructs import COMPLEX, unsupported
from oxidepy.frontend.convert import constant, kind_of, operands, problem, settle, unify
from oxidepy.frontend.dispatch import expression, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.lanes import COUNTS, LANES, MASKS, count_of, lane_of, mask_beside
from oxidepy.frontend.merge import flatten, form, rebuild
from oxidepy.frontend.methods import bound, call, member, names_member
from oxidepy.frontend.places import BOUNDS, Place, as_index, cell_place, element_of, load, negative, no_field, widen
from oxidepy.frontend.pointers import subscript
from oxidepy.frontend.static import attribute as static_attribute
from oxidepy.frontend.targets import assign
from oxidepy.frontend.text import member_name
from oxidepy.frontend.values import (
    NONE,
    Cell,
    Formatted,
    Front,
    FunctionValue,
    Lanes,
    Literal,
    Method,
    Named,
    PointerValue,
    RangeValue,
    Run,
    SliceValue,
    Static,
    StructValue,
    Text,
    TupleValue,
    Typed,
    Weak,
    Witness,
    common_enum,
    describe,
    enum_of,
    known_integer,
    known_number,
)
from oxidepy.frontend.views import VIEWS, sliced
from oxidepy.ir.core import Value
from oxidepy.ir.types import BOOL, I64, Scalar, Struct
from oxidepy.lang.scalars import cast

MOST_SELECTS = 8  # items of a tuple that an index known only at run time chooses among without a table in memory


@expression(ast.Constant)
def _constant(frame: Frame, node: ast.Constant) -> Front:
    value: Any = node.value
    if value is None:
        return NONE
    if isinstance(value, (bool, int, float)):
        return Literal(value)
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, complex):
        raise frame.refuse(node, "OX0425", "kernels have no complex numbers", help=COMPLEX)
    raise frame.refuse(
        node, "OX0658", f"a `{type(value).__name__}` constant is not supported in kernels", help="kernels have integers, floats and bool"
    )


@expression(ast.Tuple)
def _tuple(frame: Frame, node: ast.Tuple) -> Front:
    return TupleValue(tuple(translate(frame, one) for one in node.elts))


@expression(ast.NamedExpr)
def _walrus(frame: Frame, node: ast.NamedExpr) -> Front:
    value = translate(frame, node.value)
    assign(frame, node.target, value, node.value)
    return settle(frame, value)


# ---- attributes


@expression(ast.Attribute)
def _attribute(frame: Frame, node: ast.Attribute) -> Front:
    found = _place_or_value(frame, node)
    return load(frame, node, found) if isinstance(found, Place) else found


def _place_or_value(frame: Frame, node: ast.expr) -> Place | Front:
    """An element or a field of one is a place, so that only what is used of a struct is read."""
    before, frame.builder.span = frame.builder.span, frame.span(node)
    try:
        if isinstance(node, ast.Attribute):
            owner = _place_or_value(frame, node.value)
            if isinstance(owner, Place):
                if isinstance(owner.element, Struct) and owner.count is None and not names_member(owner.element, node.attr):
                    return owner.field(frame, node)
                owner = load(frame, node.value, owner)
            return _of_value(frame, node, owner)
        if isinstance(node, ast.Subscript):
            return _subscripted(frame, node)
        return translate(frame, node)
    finally:
        frame.builder.span = before


def _of_value(frame: Frame, node: ast.Attribute, owner: Front) -> Place | Front:
    if isinstance(owner, (Named, Static)):
        return static_attribute(frame, node, owner)
    if isinstance(owner, StructValue):
        for field, value in zip(owner.layout.fields, owner.fields, strict=True):
            if field.name == node.attr:
                return value
        if (found := member(frame, node, owner)) is not None:
            return found
        raise no_field(frame, node, owner.layout)
    if isinstance(owner, Literal) and owner.member is not None and node.attr in ("value", "name"):
        return Literal(owner.value) if node.attr == "value" else Text(owner.member.name)
    if enum_of(owner) is not None and node.attr in ("value", "name"):
        one = settle(frame, owner)
        assert isinstance(one, Typed)
        return Typed(one.value) if node.attr == "value" else member_name(one)
    if isinstance(owner, Cell) and node.attr == "value":
        return cell_place(frame, owner)
    known = _ATTRIBUTES.get(type(owner), ())
    if node.attr in known:
        return _known_attribute(frame, node, owner)
    if isinstance(owner, SliceValue):
        known = ("shape", "ptr", "get_mut") if owner.kind == "DisjointSlice" else ("shape", "ptr", *VIEWS[owner.rank])
    close = suggest(node.attr, known)
    help = _SPELT.get((type(owner), node.attr)) or (f"did you mean `.{close}`?" if close else None)
    help = help or ("it has " + ", ".join(f"`.{one}`" for one in known) if known else None)
    if help is None and isinstance(owner, (Typed, Literal, Weak)):
        help = "it is one number, without parts; functions of numbers stand in `math` and `bits`"
    raise frame.refuse(node, "OX0425", f"{describe(owner)} has no `.{node.attr}`", help=help)


_ATTRIBUTES: dict[type[Front], tuple[str, ...]] = {
    SliceValue: ("shape", "get_mut", "row", "col", "tile", "plane", "ptr"),
    Witness: ("get", "row", "col"),
    Run: ("start", "clip"),
    Cell: ("value",),
    PointerValue: ("cast",),
    RangeValue: ("start", "stop", "step"),
    Lanes: LANES,
}

# attributes of NumPy's arrays and scalars → what says the same here
_SPELT: dict[tuple[type[Front], str], str] = {
    (SliceValue, "size"): "`len(…)` is the extent of the first axis, `.shape` has all of them",
    (SliceValue, "data_ptr"): "its address is `.ptr()`",
    (SliceValue, "ndim"): "the annotation says how many axes there are",
    (SliceValue, "dtype"): "the annotation says what it holds",
    **dict.fromkeys(((PointerValue, "view"), (PointerValue, "astype")), "elements of another type at the same place are `p.cast(u8)`"),
    **dict.fromkeys(((PointerValue, "value"), (PointerValue, "contents")), "the element that it points at is `p[0]`"),
    **dict.fromkeys(((PointerValue, "shape"), (PointerValue, "size")), "it has no length: `Slice.from_ptr(p, n)` is a slice of n elements"),
    **dict.fromkeys(((SliceValue, "sum"), (SliceValue, "mean")), "add its elements up in a `for` loop"),
    **dict.fromkeys(((Text, "format"), (Formatted, "format")), 'values go into a text by an f-string: `f"{x:.3f}"`'),
    (Typed, "bit_count"): "its name is `bits.popcount(x)`",
    (Typed, "item"): "it is a number already: leave `.item()` out",
    **dict.fromkeys(((Typed, "astype"), (Typed, "to"), (Typed, "type")), "a cast is a call of the type: `f32(x)`"),
    **{
        (SliceValue, one): "go through it in a loop: `for v in x`"
        for one in ("min", "max", "any", "all", "prod", "argmax", "argmin", "dot")
    },
    (SliceValue, "T"): "index it the other way round: `x[j, i]`",
    (SliceValue, "copy"): "copy it element by element, each thread its own",
    (SliceValue, "fill"): "write the elements, each thread its own",
}


def _known_attribute(frame: Frame, node: ast.Attribute, owner: Front) -> Front:
    name = node.attr
    if isinstance(owner, SliceValue) and name == "shape":
        return TupleValue(owner.shape)
    if isinstance(owner, Witness) and name in ("row", "col"):
        number = owner.row if name == "row" else owner.col
        if number is None:
            raise frame.refuse(
                node, "OX0308", f"a `ThreadIndex[{owner.space}]` has no `.{name}`", help="it has one dimension: `.get()` is its number"
            )
        return Typed(number)
    if isinstance(owner, Run) and name == "start":
        return Typed(widen(frame, owner.first, frame.lowering.coordinate))
    if isinstance(owner, Lanes) and name == "lane":
        return Typed(lane_of(frame, owner))
    if isinstance(owner, Lanes) and name in COUNTS:
        return Typed(count_of(frame, owner, name))
    if isinstance(owner, Lanes) and name in MASKS:
        return Typed(mask_beside(frame, owner, name))
    if isinstance(owner, RangeValue):
        part = {"start": owner.start, "stop": owner.stop, "step": owner.step}[name]
        return settle(frame, part)
    return Method(owner, name)


# ---- subscripts


@expression(ast.Subscript)
def _subscript(frame: Frame, node: ast.Subscript) -> Front:
    found = _subscripted(frame, node)
    return load(frame, node, found) if isinstance(found, Place) else found


def _subscripted(frame: Frame, node: ast.Subscript) -> Place | Front:
    inside = isinstance(node.value, (ast.Attribute, ast.Subscript))  # an array in an element: only what is used of it is read
    owner = _place_or_value(frame, node.value) if inside else translate(frame, node.value)
    if isinstance(owner, Place):
        return _of_place(frame, node, owner)
    if isinstance(owner, SliceValue):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else (node.slice,)
        if any(isinstance(one, ast.Slice) for one in parts):
            return sliced(frame, node, owner)
        return element_of(frame, node, owner, write=False)
    if isinstance(owner, PointerValue):
        return subscript(frame, node, owner, write=False)
    return _of_tuple(frame, node, owner)


def _of_place(frame: Frame, node: ast.Subscript, owner: Place) -> Place | Front:
    """An item of what lies at a place."""
    if isinstance(owner.element, Struct) and owner.element.is_array and owner.count is None and not isinstance(node.slice, ast.Slice):
        index = translate(frame, node.slice)
        value = owner.item(frame, node, index) or load(frame, node.value, owner)
        return _item(frame, node, value.items, index) if isinstance(value, TupleValue) else value
    return _of_tuple(frame, node, load(frame, node.value, owner))


def _of_tuple(frame: Frame, node: ast.Subscript, owner: Front) -> Front:
    if isinstance(node.slice, ast.Slice):
        if not isinstance(owner, TupleValue):
            raise unsupported(frame, node.slice)
        return TupleValue(owner.items[_part(frame, node, node.slice)])
    if isinstance(owner, TupleValue):
        return _item(frame, node, owner.items, translate(frame, node.slice))
    if (method := bound(owner, "__getitem__")) is not None:
        return call(frame, node, method, ((translate(frame, node.slice), node.slice),))
    if isinstance(owner, Static):
        raise frame.refuse(node, "OX0658", f"`{ast.unparse(node)}` is not supported in kernels", help="index a slice or a tuple")
    raise frame.refuse(node, "OX0308", f"mismatched types: {describe(owner)} cannot be indexed", help="index a slice or a tuple")


def _part(frame: Frame, node: ast.Subscript, part: ast.Slice) -> slice:
    """Which items `t[i:j]` takes: bounds known at compile time, counted from the front."""
    bounds: list[int | None] = []
    for one in (part.lower, part.upper, part.step):
        known = None if one is None else known_integer(translate(frame, one))
        if one is not None and known is None:
            message = "mismatched types: a part of a tuple has bounds known at compile time"
            raise frame.refuse(one, "OX0308", message, help="name its items one by one, each by its index")
        if known is not None and known < 0 and one is not part.step:
            assert one is not None
            raise negative(frame, one, ast.unparse(node.value))
        bounds.append(known)
    if bounds[2] == 0:
        raise frame.refuse(node.slice, "OX0308", "the step of a slice is 0", help="leave it out, or write another number")
    return slice(*bounds)


def _item(frame: Frame, node: ast.Subscript, items: Sequence[Front], index: Front) -> Front:
    """An item of a tuple. An index known at compile time picks it; one known at run time chooses among numbers of one type."""
    text = ast.unparse(node.value)
    known = known_integer(index)
    if known is not None:
        if known < 0:
            raise negative(frame, node.slice, text)
        if known >= len(items):
            raise frame.refuse(node.slice, "OX5001", f"index {known} is outside of `{text}`, which has {len(items)} items")
        return items[known]
    number = as_index(frame, node.slice, index, frame.lowering.coordinate)
    if not items:
        raise frame.refuse(node.slice, "OX5001", f"`{text}` is empty")
    if all(isinstance(item, (FunctionValue, Named)) for item in items):
        message = "choosing between functions at run time is not supported in kernels"
        raise frame.refuse(node.slice, "OX0658", message, help="call each on a branch of its own")
    if any(form(item) != form(items[0]) for item in items):
        raise _mixed_items(frame, node)
    index_value = _checked(frame, number, len(items), text)
    columns = zip(*(flatten(item) for item in items), strict=True)
    return rebuild(items[0], [_column(frame, node, index_value, column) for column in columns])


def _mixed_items(frame: Frame, node: ast.Subscript) -> Exception:
    text = ast.unparse(node.value)
    message = f"the items of `{text}` differ in kind, and the index is known only at run time"
    return frame.refuse(node.slice, "OX0308", message, help="give them one type where the tuple is made, or choose by `if`")


def _checked(frame: Frame, number: Value, count: int, text: str) -> Value:
    """The index of a tuple, known to be inside."""
    builder = frame.builder
    if count > number.scalar.max:
        number = widen(frame, number, I64)
    length = constant(frame, number.scalar, count)
    if not frame.trusted:
        builder.check(builder.value("inbounds", number, length), BOUNDS, f"index out of bounds of `{text}`", number, length)
    return number


def _column(frame: Frame, node: ast.Subscript, index: Value, column: Sequence[Front]) -> Front:
    """One of these scalars, chosen at run time. Literals take the type that is asked for."""
    places = [(item, node.value) for item in column]
    if len({item.type for item in column if isinstance(item, Typed)}) > 1:
        raise _mixed_items(frame, node)
    scalar = unify(frame, node, places, "an index known only at run time")

    def make(wanted: Scalar) -> Value:
        numbers = _known(wanted, column) if len(column) > MOST_SELECTS else None
        if numbers is not None:
            return frame.builder.value("table", index, type=wanted, values=numbers)
        return _choose(frame, index, operands(frame, places, wanted), 0)

    enum = common_enum(column)
    if scalar is not None:
        return Typed(make(scalar), enum)
    loose = [item for item in column if isinstance(item, (Literal, Weak))]
    kinds = {kind_of(item) for item in loose}
    if kinds == {"bool"}:
        return Typed(make(BOOL))
    if "bool" in kinds:
        raise _mixed_items(frame, node)
    return Weak("float" if "float" in kinds else "int", make, enum=enum)


def _known(scalar: Scalar, column: Sequence[Front]) -> tuple[bool | int | float, ...] | None:
    """The items as numbers of that type, if all are known at compile time; None otherwise, and where one does not fit."""
    numbers: list[bool | int | float] = []
    for item in column:
        number = known_number(item)
        if number is None or (isinstance(item, Literal) and problem(item, scalar) is not None):
            return None
        numbers.append(bool(number) if scalar == BOOL else float(cast(scalar, number)) if scalar.is_float else int(number))
    return tuple(numbers)


def _choose(frame: Frame, index: Value, values: Sequence[Value], first: int) -> Value:
    """A tree of selects: as deep as the logarithm of the number of items."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    lower, upper = _choose(frame, index, values[:half], first), _choose(frame, index, values[half:], first + half)
    builder = frame.builder
    below = builder.value("lt", index, builder.const(index.scalar, first + half))
    return builder.value("select", below, lower, upper, type=lower.type)
