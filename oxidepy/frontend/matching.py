"""`match`: values, truth values, alternatives, tuples and structs taken apart, captures, guards."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from oxidepy.frontend.compare import compare, joined
from oxidepy.frontend.control import branch, condition
from oxidepy.frontend.dispatch import execute, statement, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.operators import truth
from oxidepy.frontend.places import no_such_field
from oxidepy.frontend.values import NONE, Front, Literal, Static, StructValue, TupleValue, Typed, describe
from oxidepy.ir.types import BOOL

HELP = "match numbers, strings, members of enums, tuples and `@struct` values, with `|`, names and `_`"


@dataclass
class _Case:
    """One `case`: what it is matched with, and what its pattern captures."""

    frame: Frame
    subject: ast.expr
    captures: list[tuple[str, Front, ast.AST]] = field(default_factory=list[tuple[str, Front, ast.AST]])

    def bind(self) -> None:
        for name, value, place in self.captures:
            self.frame.bind(name, value, self.frame.span(place))

    def matches(self, value: Front, pattern: ast.pattern) -> Front:
        """A truth value: whether the pattern fits."""
        if isinstance(pattern, ast.MatchAs):
            found = Literal(True) if pattern.pattern is None else self.matches(value, pattern.pattern)
            if pattern.name is not None:
                self.captures.append((pattern.name, value, pattern))
            return found
        if isinstance(pattern, ast.MatchValue):
            return self._equal(value, translate(self.frame, pattern.value), pattern.value)
        if isinstance(pattern, ast.MatchSingleton):
            return self._singleton(value, pattern)
        if isinstance(pattern, ast.MatchOr):
            return self._any(value, pattern)
        if isinstance(pattern, ast.MatchSequence) and not any(isinstance(one, ast.MatchStar) for one in pattern.patterns):
            if not isinstance(value, TupleValue):
                raise self._never(value, pattern, "a tuple")
            return self._all(pattern.patterns, value.items) if len(value.items) == len(pattern.patterns) else Literal(False)
        if isinstance(pattern, ast.MatchClass):
            return self._class(value, pattern)
        raise self.frame.refuse(pattern, "OX0658", "this pattern is not supported in kernels", help=HELP)

    def _equal(self, value: Front, wanted: Front, place: ast.AST) -> Front:
        return compare(self.frame, place, ast.Eq(), (value, self.subject), (wanted, place))

    def _singleton(self, value: Front, pattern: ast.MatchSingleton) -> Front:
        if pattern.value is None:
            return compare(self.frame, pattern, ast.Is(), (value, self.subject), (NONE, pattern))
        return self._equal(value, Literal(pattern.value), pattern)

    def _any(self, value: Front, pattern: ast.MatchOr) -> Front:
        found: Front = Literal(False)
        before = len(self.captures)
        for one in pattern.patterns:
            found = joined(self.frame, found, self.matches(value, one), "or")
            if len(self.captures) > before:
                message = "a name inside of `|` is not supported in kernels"
                raise self.frame.refuse(one, "OX0658", message, help="name the whole with `as`, or write a `case` for each")
            if isinstance(found, Literal) and found.value:
                break
        return found

    def _all(self, patterns: list[ast.pattern], values: tuple[Front, ...]) -> Front:
        found: Front = Literal(True)
        for one, value in zip(patterns, values, strict=True):
            found = joined(self.frame, found, self.matches(value, one), "and")
        return found

    def _never(self, value: Front, pattern: ast.AST, wanted: str) -> Exception:
        message = f"mismatched types: the pattern is of {wanted}, and this is {describe(value)}"
        return self.frame.refuse(
            pattern, "OX0308", message, help="leave it out: types are known when a kernel is compiled, and it never fits"
        )

    def _class(self, value: Front, pattern: ast.MatchClass) -> Front:
        """`Point(0, y=v)`: a struct of that class, its fields by their place or name."""
        cls = translate(self.frame, pattern.cls)
        if not isinstance(cls, Static) or not hasattr(cls.object, "__oxidepy_struct__"):
            message = f"a pattern of {describe(cls)} is not supported in kernels"
            raise self.frame.refuse(pattern.cls, "OX0658", message, help="types are known in kernels; match `@struct` values")
        if not isinstance(value, StructValue):
            raise self._never(value, pattern, "a struct")
        if value.layout.python is not cls.object:
            return Literal(False)
        names = [*getattr(cls.object, "__match_args__", ())[: len(pattern.patterns)], *pattern.kwd_attrs]
        patterns = [*pattern.patterns, *pattern.kwd_patterns]
        if len(names) < len(patterns):
            message = f"`{value.layout.name}` has {len(names)} fields, and is given {len(patterns)} patterns"
            raise self.frame.refuse(pattern, "OX0308", message)
        fields = {one.name: part for one, part in zip(value.layout.fields, value.fields, strict=True)}
        for name, one in zip(names, patterns, strict=True):
            if name not in fields:
                raise no_such_field(self.frame, one, value.layout, name)
        return self._all(patterns, tuple(fields[name] for name in names))


@statement(ast.Match)
def _match(frame: Frame, node: ast.Match) -> None:
    _cases(frame, node, translate(frame, node.subject), node.cases, frozenset())


def _cases(frame: Frame, node: ast.Match, subject: Front, cases: list[ast.match_case], before: frozenset[int]) -> None:
    """One arm, and what follows where it does not match. `before`: what the cases before it took."""
    if not cases or not frame.live:
        return
    case, rest = cases[0], cases[1:]
    made, taken = _Case(frame, node.subject), before
    if case.guard is None:
        taken |= _named(frame, case.pattern)

    def guarded(guard: ast.expr) -> Front:
        made.bind()
        return truth(frame, condition(frame, guard))

    def arm() -> None:
        made.bind()
        execute(frame, case.body)

    def others() -> None:
        _cases(frame, node, subject, rest, taken)

    flag: Front | None = made.matches(subject, case.pattern)
    every = _every(subject)
    if every and every <= taken and not every <= before:
        flag = Literal(True)  # nothing is left out
    if case.guard is not None and not (isinstance(flag, Literal) and not flag.value):
        guard = case.guard
        flag = branch(frame, flag.value, lambda: guarded(guard), lambda: Literal(False)) if isinstance(flag, Typed) else guarded(guard)
    if isinstance(flag, Typed):
        branch(frame, flag.value, arm, others)
    elif isinstance(flag, Literal) and flag.value:
        arm()
    else:
        others()


def _every(subject: Front) -> frozenset[int]:
    """All that a truth value or a member of an enum may be; nothing for what may be more."""
    if not isinstance(subject, Typed):
        return frozenset()
    return frozenset(one.value for one in subject.enum) if subject.enum is not None else frozenset((0, 1) if subject.type == BOOL else ())


def _named(frame: Frame, pattern: ast.pattern) -> frozenset[int]:
    """The truth values and members that a pattern takes, whatever else there is."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return _named(frame, pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return frozenset[int]().union(*(_named(frame, one) for one in pattern.patterns))
    if isinstance(pattern, ast.MatchSingleton) and isinstance(pattern.value, bool):
        return frozenset((int(pattern.value),))
    value = translate(frame, pattern.value) if isinstance(pattern, ast.MatchValue) else NONE
    return frozenset((value.value,)) if isinstance(value, Literal) and isinstance(value.value, int) else frozenset()
