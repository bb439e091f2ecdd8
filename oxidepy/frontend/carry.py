"""What a loop carries from round to round: learned by translating the body, thrown away and translated again where a guess was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from oxidepy.diagnostics import Diagnostic, Span
from oxidepy.frontend.convert import default_type, kind_of
from oxidepy.frontend.frame import Binding, Frame, State
from oxidepy.frontend.merge import assigned_at, clash, flatten, form, leaf_problem, materialise, number, rebuild, scalars
from oxidepy.frontend.values import POISON, Conflict, Front, Literal, Missing, Poison, Typed, Weak, common_enum, enum_of
from oxidepy.ir.core import Block, Value
from oxidepy.ir.types import Members, Scalar

Types = list[Scalar | None]  # one a scalar of the value; None while it is being learned


@dataclass
class Plan:
    """The names that a loop assigns. `carried`: bound before it. `fresh`: first bound inside, by a loop that surely runs.
    `unusable`: not of one type in every round, or poisoned."""

    entry: dict[str, Binding]
    carried: dict[str, Types]
    fresh: dict[str, tuple[Front, Types]] = field(default_factory=dict[str, "tuple[Front, Types]"])
    unusable: dict[str, Binding] = field(default_factory=dict[str, Binding])
    enums: dict[str, list[Members | None]] = field(default_factory=dict[str, "list[Members | None]"])  # of whose members the scalars are
    poisoned: bool = False  # a name was given up because something in the round that made it was refused

    @property
    def open(self) -> bool:
        """Whether a type is still to be learned."""
        return any(one is None for types in self.carried.values() for one in types)

    def types(self) -> list[Scalar]:
        """The types of everything carried, in order (open ones are left out: such a translation is thrown away)."""
        lists = [*self.carried.values(), *(types for _, types in self.fresh.values())]
        return [one for types in lists for one in types if one is not None]

    def enter(self, frame: Frame, args: Sequence[Value]) -> None:
        """Bind the names as they are at the start of a round."""
        rest = iter(args)
        for name, types in self.carried.items():
            old = self.entry[name]
            leaves = [
                Typed(next(rest), enum) if type_ is not None else self._learning(frame, leaf, enum)
                for leaf, type_, enum in zip(flatten(old.value), types, self.enums[name], strict=True)
            ]
            frame.bindings[name] = Binding(rebuild(old.value, leaves), old.span)
        for name, binding in self.unusable.items():
            frame.bindings[name] = binding

    def leave(self, frame: Frame, results: Sequence[Value], ends: dict[str, Binding], where: Span | None) -> None:
        """Bind the names as they are behind the loop."""
        rest = iter(results)
        for name in self.carried:
            old = self.entry[name]
            span = ends[name].span if name in ends else old.span
            leaves: list[Front] = [Typed(next(rest), enum) for enum in self.enums[name]]
            frame.bindings[name] = Binding(rebuild(old.value, leaves), span)
        for name, (value, types) in self.fresh.items():
            frame.bindings[name] = Binding(rebuild(value, scalars(flatten(value), [next(rest) for _ in types])), where)
        for name, binding in self.unusable.items():
            frame.bindings[name] = binding

    @staticmethod
    def _learning(frame: Frame, leaf: Front, enum: Members | None) -> Front:
        assert isinstance(leaf, (Literal, Weak))
        kind = kind_of(leaf)
        return Weak("float" if kind == "float" else "int", lambda scalar: frame.builder.value("undef", type=scalar), True, enum)

    def initial(self, frame: Frame) -> list[Value]:
        """The values before the first round, emitted in front of the loop."""
        out: list[Value] = []
        for name, types in self.carried.items():
            out += _values(frame, flatten(self.entry[name].value), types)
        for _, types in self.fresh.values():
            out += [frame.builder.value("undef", type=type_) for type_ in types if type_ is not None]
        return out

    def pass_on(self, frame: Frame, block: Block, bindings: dict[str, Binding]) -> list[Value]:
        """The values at the end of a round, as operands of the block's terminator."""
        out: list[Value] = []
        for name, types in [*self.carried.items(), *((name, types) for name, (_, types) in self.fresh.items())]:
            for leaf, type_ in zip(flatten(bindings[name].value), types, strict=True):
                if type_ is not None:
                    out.append(materialise(frame, block, leaf, type_))
        return out

    # ---- learning

    def learn(self, end: State | None, names: Sequence[str], certain: bool) -> bool:
        """Compare with the end of a round. True if the plan had to change: then the translation is worth nothing."""
        changed = False
        if end is not None:
            for name in list(self.carried):
                changed |= self._learn(name, end.bindings.get(name))
            for name in names if certain else ():
                if name not in self.entry and name not in self.fresh and name not in self.unusable:
                    changed |= self._first_bound(name, end.bindings.get(name))
            for name in list(self.fresh):
                changed |= self._check_fresh(name, end.bindings.get(name))
        if not changed and self.open:
            self._default(end)
            return True
        return changed

    def _learn(self, name: str, found: Binding | None) -> bool:
        old = self.entry[name]
        if found is None or isinstance(found.value, (Missing, Poison, Conflict)):
            self.poisoned = True
            return self._drop(name, found if found is not None and not isinstance(found.value, Missing) else Binding(POISON))
        if form(found.value) != form(old.value):
            return self._drop(name, Binding(clash(name, old, found, loop=True), found.span))
        types = self.carried[name]
        changed = False
        for position, (first, last) in enumerate(zip(flatten(old.value), flatten(found.value), strict=True)):
            wanted = types[position]
            if self.enums[name][position] is not None and common_enum((first, last)) is None:
                self.enums[name][position] = None
                changed = True
            if wanted is None:
                if not isinstance(last, Typed):
                    continue
                wanted = types[position] = last.type
                changed = True
            if (why := leaf_problem(first, wanted)) is not None or (why := leaf_problem(last, wanted)) is not None:
                return self._drop(name, Binding(clash(name, old, found, why, loop=True), found.span))
        return changed

    def _drop(self, name: str, binding: Binding) -> bool:
        del self.carried[name]
        self.unusable[name] = binding
        return True

    def _first_bound(self, name: str, found: Binding | None) -> bool:
        if found is None or isinstance(found.value, (Missing, Poison, Conflict)):
            return False
        types: Types = []
        for leaf in flatten(found.value):
            types.append(leaf.type if isinstance(leaf, Typed) else default_type(leaf) if isinstance(leaf, (Literal, Weak)) else None)
        self.fresh[name] = (found.value, types)
        return True

    def _check_fresh(self, name: str, found: Binding | None) -> bool:
        value, types = self.fresh[name]
        if found is not None and form(found.value) == form(value):
            pairs = zip(flatten(value), flatten(found.value), strict=True)
            value = rebuild(value, [one if enum_of(one) is enum_of(other) else _number(one) for one, other in pairs])
            self.fresh[name] = (value, types)
        fits = (
            found is not None
            and form(found.value) == form(value)
            and all(one is not None and leaf_problem(leaf, one) is None for leaf, one in zip(flatten(found.value), types, strict=True))
        )
        if not fits:
            del self.fresh[name]
            self.unusable[name] = (
                found if found is not None and isinstance(found.value, (Poison, Conflict)) else Binding(Missing(assigned_at(found)))
            )
        return not fits

    def _default(self, end: State | None) -> None:
        """Nothing gave these a type: they are `i32` or `f32`, as literals alone are."""
        for name, types in self.carried.items():
            firsts = flatten(self.entry[name].value)
            lasts = flatten(end.bindings[name].value) if end is not None else firsts
            for position, type_ in enumerate(types):
                if type_ is None:
                    pair = [one for one in (firsts[position], lasts[position]) if isinstance(one, (Literal, Weak))]
                    floats = [one for one in pair if kind_of(one) == "float"]
                    types[position] = default_type((floats or pair)[0])


def _number(leaf: Front) -> Front:
    """The scalar as what is no member of an enum."""
    return Literal(leaf.value) if isinstance(leaf, Literal) else replace(leaf, enum=None) if isinstance(leaf, (Typed, Weak)) else leaf


def _values(frame: Frame, leaves: Sequence[Front], types: Types) -> list[Value]:
    out: list[Value] = []
    for leaf, type_ in zip(leaves, types, strict=True):
        if isinstance(leaf, Typed):
            out.append(leaf.value)
        elif type_ is not None:
            out.append(number(frame, leaf, type_))
    return out


def plan_for(frame: Frame, names: Sequence[str]) -> Plan:
    """The first guess: every scalar keeps its type, literals are open."""
    entry: dict[str, Binding] = {}
    carried: dict[str, Types] = {}
    unusable: dict[str, Binding] = {}
    for name in names:
        binding = frame.bindings.get(name)
        if binding is not None and isinstance(binding.value, Poison):
            unusable[name] = binding
        if binding is None or isinstance(binding.value, (Missing, Poison, Conflict)):
            continue
        entry[name] = binding
        types: Types = []
        for leaf in flatten(binding.value):
            assert isinstance(leaf, (Typed, Literal, Weak))
            truth = isinstance(leaf, Literal) and isinstance(leaf.value, bool)
            types.append(leaf.type if isinstance(leaf, Typed) else default_type(leaf) if truth else None)
        carried[name] = types
    return Plan(entry, carried, unusable=unusable, enums={name: [enum_of(leaf) for leaf in flatten(entry[name].value)] for name in carried})


class Round(Protocol):
    """Translates one whole loop after a plan."""

    def translate(self, plan: Plan) -> State | None:
        """Translate the regions. Gives the state at the end of a round, or None where no round ends."""
        ...

    def commit(self, plan: Plan, end: State | None) -> None:
        """Append the loop's operation and bind names behind it."""
        ...


def settle_loop(frame: Frame, names: Sequence[str], shape: Round, *, certain: bool = False) -> None:
    """Translate a loop until what it carries is known. `certain`: at least one round runs."""
    plan = plan_for(frame, names)
    lost: list[Diagnostic] = []  # of rounds that are thrown away: why names were given up, of which the last round says nothing
    try:
        while True:
            checkpoint = frame.lowering.checkpoint()
            before = dict(frame.bindings)
            end = shape.translate(plan)
            found = frame.lowering.findings.found[checkpoint.findings :]
            if not plan.learn(end, names, certain):
                shape.commit(plan, end)
                return
            if plan.poisoned:
                lost += [one for one in found if one.severity == "error"]
                plan.poisoned = False
            frame.lowering.rollback(checkpoint)
            frame.bindings = before
    finally:
        for one in lost:
            frame.report(one)


def after(frame: Frame, names: Sequence[str], plan: Plan, assigned: Callable[[str], tuple[Span, ...]]) -> None:
    """Names first bound inside a loop that may not run are not known behind it."""
    for name in names:
        if name not in plan.entry and name not in plan.fresh and name not in plan.unusable:
            frame.bindings[name] = Binding(Missing(assigned(name)))
