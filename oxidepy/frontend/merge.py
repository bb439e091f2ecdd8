"""Where ways meet: one value for each name, carried by the results of the operation whose regions end there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from oxidepy.diagnostics import Diagnostic, Label, Span
from oxidepy.frontend.convert import constant, default_type, kind_of, problem
from oxidepy.frontend.frame import RESULT, RETURN, Binding, Frame, State
from oxidepy.frontend.report import Refused
from oxidepy.frontend.values import (
    NONE,
    POISON,
    Cell,
    Conflict,
    Formatted,
    Front,
    FunctionValue,
    Items,
    Lanes,
    Literal,
    MapValue,
    Missing,
    Named,
    NoneValue,
    PointerValue,
    Poison,
    RangeValue,
    Run,
    SliceValue,
    Static,
    StructValue,
    Text,
    TupleValue,
    Typed,
    Unrolled,
    Weak,
    Witness,
    common_enum,
    describe,
    enum_of,
)
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.types import BOOL, F32, Scalar

# ---- the scalars inside a value


def flatten(value: Front) -> list[Front]:
    """The scalars (Typed, Literal, Weak) of which the value is made, in order."""
    if isinstance(value, (Typed, Literal, Weak)):
        return [value]
    return [leaf for part in parts_of(value) for leaf in flatten(part)]


def parts_of(value: Front) -> tuple[Front, ...]:
    """The values of which it is made."""
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, StructValue):
        return value.fields
    if isinstance(value, Witness):
        return tuple(Typed(one) for one in (value.linear, value.wide, value.row, value.col, value.width) if one is not None)
    if isinstance(value, Run):
        return (Typed(value.first),)
    if isinstance(value, SliceValue) and value.origin is not None and value.strides is not None:
        return tuple(map(Typed, (value.origin, *value.strides, *value.lengths)))
    if isinstance(value, PointerValue):
        return (Typed(value.offset),)
    if isinstance(value, Cell):
        return (Typed(value.inside), value.witness)
    if isinstance(value, RangeValue):
        return (value.start, value.stop, value.step)
    if isinstance(value, Formatted):
        return tuple(Typed(one.value) for one in value.parts if not isinstance(one, str))
    if isinstance(value, Items):
        return (*value.inner, value.start)
    if isinstance(value, Unrolled):
        return (value.inner,)
    if isinstance(value, FunctionValue):
        return (*((value.owner,) if value.owner is not None else ()), *value.defaults.values())
    return ()


def rebuild(value: Front, leaves: Sequence[Front]) -> Front:
    """A value of the same form from other scalars."""
    rest = list(leaves)
    rebuilt = _rebuild(value, rest)
    assert not rest, "more scalars than the value is made of"
    return rebuilt


def _rebuild(value: Front, rest: list[Front]) -> Front:
    if isinstance(value, (Typed, Literal, Weak)):
        return rest.pop(0)
    parts = [_rebuild(part, rest) for part in parts_of(value)]
    if isinstance(value, TupleValue):
        return TupleValue(tuple(parts))
    if isinstance(value, StructValue):
        return StructValue(value.layout, tuple(parts))
    if isinstance(value, Witness):
        numbers = [part.value if isinstance(part, Typed) else None for part in parts]
        given = iter(numbers)
        linear, wide = next(given), next(given)
        assert linear is not None and wide is not None
        row, col, width = (next(given) if one is not None else None for one in (value.row, value.col, value.width))
        return Witness(value.space, linear, wide, row, col, width)
    if isinstance(value, SliceValue) and parts:
        origin, *shape = (part.value for part in parts if isinstance(part, Typed))
        return replace(value, origin=origin, strides=tuple(shape[: value.rank]), lengths=tuple(shape[value.rank :]))
    if isinstance(value, PointerValue):
        (offset,) = parts
        assert isinstance(offset, Typed)
        return replace(value, offset=offset.value)
    if isinstance(value, Run):
        (first,) = parts
        assert isinstance(first, Typed)
        return Run(value.space, first.value)
    if isinstance(value, Cell):
        inside, witness = parts
        assert isinstance(inside, Typed) and isinstance(witness, Witness)
        return Cell(value.slice, witness, inside.value, value.text)
    if isinstance(value, RangeValue):
        start, stop, step = parts
        assert isinstance(start, (Typed, Literal)) and isinstance(stop, (Typed, Literal)) and isinstance(step, (Typed, Literal))
        return RangeValue(start, stop, step)
    if isinstance(value, Items):
        return Items(value.kind, tuple(parts[:-1]), parts[-1])
    if isinstance(value, Formatted):
        told = iter(part.value for part in parts if isinstance(part, Typed))
        return Formatted(tuple(one if isinstance(one, str) else replace(one, value=next(told)) for one in value.parts))
    if isinstance(value, Unrolled):
        return Unrolled(parts[0], value.factor)
    if isinstance(value, FunctionValue) and parts:
        owner, defaults = (value.owner, parts) if value.owner is None else (parts[0], parts[1:])
        return replace(value, owner=owner, defaults=dict(zip(value.defaults, defaults, strict=True)))
    return value


def scalars(leaves: Sequence[Front], values: Iterable[Value]) -> list[Front]:
    """Other values for these scalars; they stay members of their enums."""
    return [Typed(one, enum_of(leaf)) for leaf, one in zip(leaves, values, strict=True)]


def form(value: Front) -> Any:
    """Everything about a value but its scalars: only values of the same form can meet."""
    if isinstance(value, (Typed, Literal, Weak)):
        return "scalar"
    own: Any = _FORMS[type(value)](value) if type(value) in _FORMS else id(value)
    return (type(value).__name__, own, *(form(part) for part in parts_of(value)))


_FORMS: dict[type[Front], Callable[[Any], Any]] = {
    TupleValue: lambda value: len(value.items),
    StructValue: lambda value: value.layout,
    Witness: lambda value: (value.space, value.row is None),
    Run: lambda value: value.space,
    Cell: lambda value: id(value.slice.memory),
    SliceValue: lambda value: (
        (value.kind, id(value.memory), *(id(one) for one in value.lengths))
        if value.origin is None
        else (value.kind, id(value.memory), "view", value.rank, value.origin.scalar)
    ),
    PointerValue: lambda value: (id(value.memory), value.writes),
    MapValue: lambda value: id(value.memory),
    RangeValue: lambda _: None,
    Items: lambda value: value.kind,
    Unrolled: lambda value: value.factor,
    Lanes: lambda value: (value.mask, value.width),
    FunctionValue: lambda value: (id(value.function), id(value.node), id(value.home)),
    Named: lambda value: value.name,
    Static: lambda value: id(value.object),
    Text: lambda value: value.value,
    Formatted: lambda value: tuple(one if isinstance(one, str) else (one.spec, one.conversion) for one in value.parts),
    NoneValue: lambda _: None,
}


# ---- what cannot meet


_CHOSEN: tuple[tuple[tuple[type, ...], str, str], ...] = (  # what is known when a kernel is compiled, so that no branch can choose it
    ((SliceValue,), "slices", "write both accesses out, each on its own branch"),
    ((PointerValue,), "pointers into different memory", "write both accesses out, each on its own branch"),
    ((FunctionValue, Named), "functions", "call each on its own branch"),
    ((Text, Formatted), "strings", 'choose where it is told: `print("yes" if c else "no")`, or print on each branch'),
)


def clash(name: str, one: Binding, other: Binding, why: str = "", *, loop: bool = False) -> Conflict:
    """The conflict of two bindings of a name, said when it is used."""
    a, b = one.value, other.value
    shown = {RESULT: "the two sides of this expression", RETURN: "the results of this function"}.get(name, f"`{name}`")
    chosen = next((rest for kinds, *rest in _CHOSEN if isinstance(a, kinds) and isinstance(b, kinds)), None)
    if chosen is not None:
        what, help = chosen
        if loop and isinstance(a, SliceValue):
            help = "keep both in one memory of two axes, `s[k % 2, i]`, or write the rounds out: `for k in unroll(range(8))`"
        message, code = f"choosing between two {what} at run time is not supported in kernels", "OX0658"
    else:
        left, right = _differ(a, b)
        message = f"mismatched types: {shown} {'become' if name in (RESULT, RETURN) else 'becomes'} {left} and {right}"
        code, help = (
            "OX0308",
            f"give both one type, `{_common(a, b)}(…)`" if not loop else "convert it in the loop, so that every round has the same type",
        )
        if isinstance(a, NoneValue) or isinstance(b, NoneValue):
            help = "`None` is no value in kernels: let a number stand for it, or a `bool` beside it"
    first = Label(one.span, f"here it is {describe(a)}") if one.span else None
    notes = (why,) if why else ()
    return Conflict(Diagnostic(code, message, other.span or one.span, f"here it is {describe(b)}", (first,) if first else (), notes, help))


def _common(a: Front, b: Front) -> str:
    """The type to suggest where two meet: a float rather than an integer, then the wider one."""
    found = [one.type for one in (a, b) if isinstance(one, Typed)]
    found += [F32 for one in (a, b) if isinstance(one, (Literal, Weak)) and kind_of(one) == "float"]
    return str(max(found, key=lambda one: (one.is_float, one.bits))) if found else "f32"


def _differ(a: Front, b: Front) -> tuple[str, str]:
    if isinstance(a, TupleValue) and isinstance(b, TupleValue) and len(a.items) == len(b.items):
        for left, right in zip(a.items, b.items, strict=True):
            if describe(left) != describe(right):
                left_text, right_text = _differ(left, right)
                return f"a tuple with {left_text}", f"a tuple with {right_text}"
    return describe(a), describe(b)


def leaf_problem(leaf: Front, scalar: Scalar) -> str | None:
    """Why the scalar cannot be carried as that type; "" for a plain difference of types."""
    if isinstance(leaf, Typed):
        return None if leaf.type == scalar else ""
    assert isinstance(leaf, (Literal, Weak))
    return problem(leaf, scalar)


# ---- the meeting


class _Meeting:
    """The results of one operation, growing while names are merged (and later, when a weak result is asked for in some type)."""

    def __init__(self, frame: Frame, op: Op, states: Sequence[State], dead: Sequence[Block]) -> None:
        self.frame = frame
        self.op = op
        self.states = states
        self.dead = dead
        # a value that both sides of an `if` have was there before it
        self.outside = op.name == "if" and len(states) == 2

    def result(self, scalar: Scalar, leaves: Sequence[Front]) -> Value:
        """One more result: each way brings its leaf."""
        for state, leaf in zip(self.states, leaves, strict=True):
            state.block.ops[-1].operands.append(materialise(self.frame, state.block, leaf, scalar))
        for block in self.dead:
            block.ops[-1].operands.append(before_end(self.frame, block, lambda: self.frame.builder.value("undef", type=scalar)))
        value = Value(scalar, owner=self.op)
        self.op.results.append(value)
        return value

    def leaf(self, leaves: Sequence[Front]) -> Front | None:
        """The scalar that these become, or None if their types differ."""
        first = leaves[0]
        if isinstance(first, Typed) and self.outside and all(isinstance(one, Typed) and one.value is first.value for one in leaves):
            return first
        enum = common_enum(leaves)
        if isinstance(first, Literal) and all(isinstance(one, Literal) and same_number(one, first) for one in leaves):
            return first if enum is not None else Literal(first.value)
        if (scalar := next((one.type for one in leaves if isinstance(one, Typed)), None)) is not None:
            return None if any(leaf_problem(one, scalar) is not None for one in leaves) else Typed(self.result(scalar, leaves), enum)
        loose = [one for one in leaves if isinstance(one, (Literal, Weak))]
        kinds = {kind_of(one) for one in loose}
        if "bool" in kinds:
            return Typed(self.result(BOOL, leaves)) if kinds == {"bool"} else None
        known: dict[Scalar, Value] = {}

        def make(wanted: Scalar) -> Value:
            if wanted not in known:
                known[wanted] = self.result(wanted, leaves)
            return known[wanted]

        adopts = any(isinstance(one, Weak) and one.adopts for one in loose)
        return Weak("float" if "float" in kinds else "int", make, adopts, enum)


def same_number(one: Literal, other: Literal) -> bool:
    """Equal in value, kind and sign of zero."""
    a, b = one.value, other.value
    return type(a) is type(b) and (a == b or a != a) and (not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b))


def before_end(frame: Frame, block: Block, emit: Callable[[], Value]) -> Value:
    """Emit in front of the block's terminator."""
    end = block.ops.pop()
    try:
        with frame.builder.at(block):
            return emit()
    finally:
        block.ops.append(end)


def materialise(frame: Frame, block: Block, leaf: Front, scalar: Scalar) -> Value:
    """A scalar as a value of that type at the end of `block`. Literals that do not fit are refused."""
    return leaf.value if isinstance(leaf, Typed) else before_end(frame, block, lambda: number(frame, leaf, scalar))


def number(frame: Frame, leaf: Front, scalar: Scalar) -> Value:
    """A scalar as a value of that type, emitted here."""
    if isinstance(leaf, Typed):
        return leaf.value
    assert isinstance(leaf, (Literal, Weak))
    if (why := problem(leaf, scalar)) is not None:
        raise frame.refuse(frame.builder.span or frame.parsed.node, "OX0308", f"mismatched types: {why}")
    return leaf.make(scalar) if isinstance(leaf, Weak) else constant(frame, scalar, leaf.value)


def join(frame: Frame, op: Op, states: Sequence[State], before: dict[str, Binding], dead: Sequence[Block] = ()) -> None:
    """Set the frame's names to what they are behind `op`, whose ways out are `states`. `dead` are regions whose end is never reached."""
    if not states:
        frame.live = False
        frame.bindings = before
        return
    meeting = _Meeting(frame, op, states, dead)
    merged: dict[str, Binding] = {}
    for name in {name: None for state in states for name in state.bindings}:
        bindings = [state.bindings.get(name) for state in states]
        old = before.get(name)
        merged[name] = old if old is not None and all(one is old for one in bindings) else _meet(meeting, name, bindings)
    frame.bindings = merged


def _meet(meeting: _Meeting, name: str, bindings: Sequence[Binding | None]) -> Binding:
    bound = [one for one in bindings if one is not None and not isinstance(one.value, Missing)]
    if len(bound) < len(bindings):
        missing = [span for one in bindings if one is not None and isinstance(one.value, Missing) for span in one.value.bound]
        return Binding(Missing((*missing, *(one.span for one in bound if one.span is not None))))
    for kind in (Poison, Conflict):
        if (found := next((one for one in bound if isinstance(one.value, kind)), None)) is not None:
            return found
    first = bound[0]
    if (other := next((one for one in bound if form(one.value) != form(first.value)), None)) is not None:
        return Binding(clash(name, first, other), other.span)
    parts = [flatten(one.value) for one in bound]
    leaves: list[Front] = []
    for position in range(len(parts[0])):
        column = [part[position] for part in parts]
        leaf = meeting.leaf(column)
        if leaf is None:
            return Binding(_column_clash(name, bound, column), bound[-1].span)
        leaves.append(leaf)
    return Binding(rebuild(first.value, leaves), bound[-1].span, all(one.literal for one in bound))


def _column_clash(name: str, bound: Sequence[Binding], column: Sequence[Front]) -> Conflict:
    typed = next((index for index, one in enumerate(column) if isinstance(one, Typed)), 0)
    anchor = column[typed]
    scalar = anchor.type if isinstance(anchor, Typed) else default_type(anchor) if isinstance(anchor, (Literal, Weak)) else BOOL
    for index, leaf in enumerate(column):
        if index != typed and (why := leaf_problem(leaf, scalar)) is not None:
            first, second = sorted((index, typed))
            return clash(name, bound[first], bound[second], why)
    return clash(name, bound[0], bound[-1])


def resolve(frame: Frame, name: str) -> Front:
    """Take the value that travelled under a reserved name; Refused if its types clashed."""
    binding = frame.bindings.pop(name, None)
    value = NONE if binding is None else binding.value
    if isinstance(value, Conflict):
        raise Refused(value.diagnostic)
    return POISON if isinstance(value, Missing) else value


def assigned_at(binding: Binding | None) -> tuple[Span, ...]:
    return (binding.span,) if binding is not None and binding.span is not None else ()
