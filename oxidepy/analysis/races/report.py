"""What is said of two accesses that clash, or of which it is not known."""

from __future__ import annotations

import math
from collections.abc import Callable

from oxidepy.analysis.races.accesses import OTHER_BLOCK, SAME_CLUSTER, Access
from oxidepy.analysis.races.question import Pair
from oxidepy.analysis.races.terms import Poly, every_atom
from oxidepy.diagnostics import Counterexample, Diagnostic, Label
from oxidepy.ir.core import Kernel, Op, Value
from oxidepy.ir.types import Scalar

Triple = tuple[int, int, int]
Place = tuple[Triple, Triple]  # block, thread
SEEN = "seen in a small launch on the interpreter"
SHOWN = 6  # values that a note tells
INSTALL = "python -m pip install z3-solver"
VOUCH = 'if it holds, say why: `with unsafe("why no two threads meet"):`'


def memory_name(kernel: Kernel, memory: Value) -> str:
    if isinstance(memory.owner, Op):
        return str(memory.owner.attrs.get("name", memory.name))
    return next(info.source for param, info in zip(kernel.params, kernel.infos, strict=True) if param is memory)


def doubt(pair: Pair) -> str | None:
    """Why a case that a solver found need not be one: something in it does not follow from coordinates and launch values."""
    if "loaded" in _origins(pair):
        return "an index is loaded from memory"
    if "carried" in _origins(pair, guards=True):
        return "it depends on a value that a loop carries, of which not enough is known"
    if "computed" in _origins(pair) or _unfollowed(pair) or _by_bits(pair):
        return "an index is computed in a way that is not followed"
    return None


def certain(pair: Pair) -> bool:
    """Whether a case is one if all of it can be reckoned: from coordinates, launch values, and what memory holds where `data` says."""
    if "carried" in _origins(pair, guards=True) or "computed" in _origins(pair) or _unfollowed(pair):
        return False
    loaded = [atom for atom in every_atom(pair.indices) if atom.origin == "loaded"]
    return not loaded or (data(pair) is not None and all(atom.kind == "load" for atom in loaded))


def data(pair: Pair) -> int | None:
    """What read-only memory is taken to hold. Where no access is atomic, an index out of memory is meant to be another in each thread."""
    return 0 if pair.first.atomic or pair.second.atomic else None


def _origins(pair: Pair, *, guards: bool = False) -> set[str]:
    """Where symbols and loaded values of the indices come from; with `guards`, symbols of these too."""
    found = {atom.origin for atom in every_atom([pair.first.index, pair.second.index]) if atom.kind in ("symbol", "load")}
    if guards:
        found |= {atom.origin for atom in every_atom([*pair.first.guards, *pair.second.guards]) if atom.kind == "symbol"}
    return found


def _unfollowed(pair: Pair) -> bool:
    """Whether a condition on the way has a number that was computed in a way that is not followed. Truth values may be either, mostly."""
    symbols = (one for one in every_atom([*pair.first.guards, *pair.second.guards]) if one.kind == "symbol" and one.origin == "computed")
    return any((one.low, one.high) != (0, 1) for one in symbols)


def _by_bits(pair: Pair) -> bool:
    """Whether something goes by the bits of a number, of which z3 is told little."""
    return any(atom.kind in ("bits", "brev") for atom in every_atom([*pair.indices, *pair.guards[0], *pair.guards[1]]))


def race(kernel: Kernel, pair: Pair, value: Callable[[Poly], int]) -> Diagnostic:
    """OX4001 or OX4002: two threads and the element on which they clash."""
    threads = [tuple(map(value, one)) for one in pair.threads]
    places: list[Place] = [((one[0], one[1], one[2]), (one[3], one[4], one[5])) for one in threads]
    return _clash(kernel, (pair.first, pair.second), pair.relations, places, value(pair.indices[1]), _values(pair, value))


def seen(kernel: Kernel, accesses: tuple[Access, Access], relations: frozenset[str], places: list[Place], index: int) -> Diagnostic:
    """The same of two threads that clashed when the kernel was run."""
    return _clash(kernel, accesses, relations, places, index, (SEEN,))


def _clash(
    kernel: Kernel, accesses: tuple[Access, Access], relations: frozenset[str], places: list[Place], index: int, notes: tuple[str, ...]
) -> Diagnostic:
    first, second = accesses
    name = memory_name(kernel, second.memory)
    shared = second.memory.memory.space == "shared"
    words = [_place(kernel, place, shared) for place in places]
    element = f"`{name}[{index}]`"
    labels: tuple[Label, ...] = ()
    if first.op.span is not None and first.op.span != second.op.span:
        labels = (Label(first.op.span, f"{words[0]} {_verb(first)} it here"),)
    return Diagnostic(
        "OX4001" if shared else "OX4002",
        f"{words[0]} and {words[1]} race on {element}: {_both(first, second)}, and nothing orders them",
        second.op.span,
        label=f"{words[1]} {_verb(second)} {element} here",
        labels=labels,
        notes=notes,
        help=_order(first, second, relations, name) + ("" if first.atomic and second.atomic else _alone(kernel, places)),
        counterexample=Counterexample((places[0], places[1]), (_line(first), _line(second)), index),
    )


def undecided(kernel: Kernel, pair: Pair, why: str) -> Diagnostic:
    """OX4003, naming both accesses."""
    name = memory_name(kernel, pair.second.memory)
    labels: tuple[Label, ...] = ()
    if pair.first.op.span is not None and pair.first.op.span != pair.second.op.span:
        labels = (Label(pair.first.op.span, f"another thread {_verb(pair.first)} an element here"),)
    verb = _verb(pair.second)
    missing = "z3" in why
    return Diagnostic(
        "OX4003",
        f"not proven that two threads never touch one element of `{name}` at a time: {why}",
        pair.second.op.span,
        label=f"two threads may {verb[:-1]} one element here" if pair.first.op is pair.second.op else f"a thread {verb} an element here",
        labels=labels,
        help=f"install it: `{INSTALL}`" if missing else _beside(pair.first, pair.second, name) + VOUCH,
    )


def _beside(one: Access, two: Access, name: str) -> str:
    """How a plain access beside an atomic one becomes one too, where that is all that is missing."""
    plain = two if one.atomic else one
    if one.atomic == two.atomic or not _single(plain):
        return ""
    at = _atomic_place(plain, name)
    return f"let both be atomic, `atomic.{f'store({at}, v)' if plain.writes else f'load({at})'}`; or "


def _single(access: Access) -> bool:
    """Whether the element, or the field of it, is one that atomics load and store."""
    return access.size in (4, 8) and bool(_atomic_place(access, ""))


def _atomic_place(access: Access, name: str) -> str:
    """How an atomic access names that place: `a, i`, or of a field `a[i].count`."""
    element = access.memory.memory.element
    if isinstance(element, Scalar):
        return f"{name}, i"
    path = next((path for path, scalar, offset in element.leaves() if (offset, scalar.size) == (access.offset, access.size)), "")
    return path and f"{name}[i]" + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path.split("."))


def _alone(kernel: Kernel, places: list[Place]) -> str:
    """What a kernel of one block says, where the same thread of two blocks clashes with itself."""
    (block, thread), (other, same) = places
    if kernel.cluster is not None or thread != same or block == other:
        return ""
    axes = ", ".join(f"grid.dim.{axis} == 1" for axis in "xyz"[: kernel.domain])
    return f"; or, if it is launched with one block, say so: `require({axes})`"


def _place(kernel: Kernel, place: Place, shared: bool) -> str:
    block, thread = place
    _, y, z = kernel.block
    inside = str(thread[0]) if y == z == 1 else str(thread[:2] if z == 1 else thread)
    outside = str(block[0]) if kernel.domain == 1 else str(block[: kernel.domain])
    return f"thread {inside}" if shared else f"thread {inside} of block {outside}"


def _verb(access: Access) -> str:
    return "updates" if access.atomic and access.writes else "writes" if access.writes else "reads"


def _both(one: Access, two: Access) -> str:
    first, second = _verb(one), _verb(two)
    if one.atomic and two.atomic:
        if narrow := _narrow(one, two):
            return f'an atomic of scope "{narrow}" does not reach into other {narrow}s'
        return "atomics of two sizes, of which none keeps the other from dividing it"
    return "both write" if first == second == "writes" else f"one {first}, one {second}"


def _narrow(first: Access, second: Access) -> str:
    """The scope of two atomics that leaves threads of the device out, "" where none does."""
    scopes = {one.op.attrs["scope"] for one in (first, second)}
    return next((one for one in ("block", "cluster") if one in scopes), "")


def _line(access: Access) -> int:
    return access.op.span.line if access.op.span is not None else 0


def _values(pair: Pair, value: Callable[[Poly], int]) -> tuple[str, ...]:
    """The launch values and rounds that the case takes."""
    found: dict[str, str] = {}
    for atom in sorted(every_atom([*pair.indices, *pair.guards[0], *pair.guards[1]]), key=lambda one: one.order):
        if atom.kind == "symbol" and atom.origin in ("launch", "round"):
            name, *parts = atom.name.rstrip("₁₂").split(" // ")
            number = str(value(Poly({(atom,): 1})) * math.prod(map(int, parts)))
            found[name] = f"{found[name]} and {number}" if name in found and found[name] != number else number
    shown = [f"{name} = {number}" for name, number in list(found.items())[:SHOWN]]
    return (f"for instance with {', '.join(shown)}",) if shown else ()


def _order(one: Access, two: Access, relations: frozenset[str], name: str) -> str:
    first, second = _line(one), _line(two)
    if one.atomic and two.atomic:
        return 'give both `scope="device"`' if _narrow(one, two) else "let both be of one type"
    if one.op is two.op and one.writes:
        store = f", such as `atomic.store({_atomic_place(one, name)}, v)` where any of the values will do" if _single(one) else ""
        return f"let the index of `{name}` differ between any two threads, or use an atomic{store}"
    if first == second and one.op.span == two.op.span and OTHER_BLOCK in relations and not one.atomic and not two.atomic:
        return f"let the index of `{name}` differ between any two threads, or use an atomic, such as `atomic.add({name}, i, v)`"
    if relations == frozenset((SAME_CLUSTER,)) and first < second:
        return f"`cluster.sync()` between lines {first} and {second} orders them"
    if OTHER_BLOCK in relations:
        own = f"let every thread touch elements of `{name}` of its own"
        return f"{_beside(one, two, name)}write to another slice than the one that is read, or {own}"
    if first == second and two.writes:
        return "read into a variable, then `block.sync()`, then write"
    if first < second:
        return f"`block.sync()` between lines {first} and {second} orders them"
    return f"`block.sync()` after line {first}, at the end of the round, orders them"
