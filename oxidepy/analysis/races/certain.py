"""Indices that are outside on every launch that reaches them, for some thread (OX5001)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from oxidepy.analysis.races.terms import Atom, Cond, Poly, every_atom
from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Op

if TYPE_CHECKING:
    from oxidepy.analysis.races.execute import Executor
    from oxidepy.analysis.races.launch import Launch

MAX_THREADS = 1024
Triple = tuple[int, int, int]


def judge(run: Executor, op: Op, index: Poly, length: Poly) -> None:
    """Look at a bounds check: whether all who come to it fail, or, where that depends on the thread alone, one of them."""
    (low, high), (least, most) = run.known.interval(index), run.known.interval(length)
    if low >= 0 and high < least:
        return
    if any(one.span == op.span and one.code == "OX5001" for one in run.findings):
        return
    if most == 0 and length.constant is None:
        return  # only launches with an empty slice come here, such as a helper's way out for a given index: theirs is a panic
    if high < 0 or low >= most:
        run.findings.append(_outside(op, "every thread that comes here is outside", index.constant, length.constant))
    elif run.depth == 0 and length.constant is not None and not run.left:
        _threads(run, op, index, length.constant)


def _threads(run: Executor, op: Op, index: Poly, length: int) -> None:
    """Try the threads of one block, where index and conditions depend on nothing else."""
    threads, guards = run.threads, run.path.guards
    if any(atom not in threads.symbols for atom in every_atom([index, *guards]) if atom.kind in ("symbol", "load")):
        return
    if threads.count > MAX_THREADS:
        return
    coming = threads.passing_all(guards)
    for number in sorted(coming) if coming is not None else ():
        found = threads.reckoned[number].poly(index)
        if not 0 <= found < length:
            at = threads.places[number]
            shown = at[0] if threads.shape[1:] == (1, 1) else at
            run.findings.append(_outside(op, f"thread {shown} is outside on every launch", found, length))
            return


def _outside(op: Op, why: str, index: int | None, length: int | None) -> Diagnostic:
    message = op.attrs["message"].replace("index out of bounds of", "index is out of bounds of")
    if index is not None and length is not None:
        why += f": its index is {index}, of {length}"
    return Diagnostic(
        "OX5001", f"{message} for certain", op.span, label=why, help="guard the access, or make the memory as long as the indices need"
    )


class Reckoning:
    """Numbers for terms, given numbers for all symbols in them, and one (`data`) for what memory holds. KeyError for what is not known."""

    def __init__(self, values: dict[Atom, int], data: int | None = None) -> None:
        self.values = values
        self.data = data

    def poly(self, poly: Poly) -> int:
        total = 0
        for mono, coef in poly.terms.items():
            for atom in mono:
                coef *= self.atom(atom)
            total += coef
        return total

    def atom(self, atom: Atom) -> int:
        found = self.values.get(atom)
        if found is None:
            found = self.values[atom] = self._made(atom)
        return found

    def _made(self, atom: Atom) -> int:
        args = atom.args
        if atom.kind == "div":
            return self.poly(args[0]) // int(args[1])
        if atom.kind == "quotient":
            by = self.poly(args[1])
            return self.poly(args[0]) // by if by else 0
        if atom.kind == "ite":
            return self.poly(args[1] if self.cond(args[0]) else args[2])
        if atom.kind == "bits":
            left, right = self.poly(args[1]), self.poly(args[2])
            return left & right if args[0] == "and" else left | right if args[0] == "or" else left ^ right
        if atom.kind == "load" and self.data is not None:
            return self.data
        if atom.kind == "brev":
            return int(f"{self.poly(args[0]):0{args[1]}b}"[::-1], 2)
        raise KeyError(atom)

    def every(self, cond: Cond) -> None:
        """Reckon all that is in the condition, whatever decides it: KeyError for what is not known."""
        for atom in every_atom([cond]):
            self.atom(atom)

    def cond(self, cond: Cond) -> bool:
        kind = cond[0]
        if kind in ("ge", "eq", "ne"):
            value = self.poly(cond[1])
            return value >= 0 if kind == "ge" else (value == 0) is (kind == "eq")
        if kind == "is":
            return bool(self.atom(cond[1])) == bool(cond[2])
        if kind == "and":
            return all(self.cond(one) for one in cond[1:])
        return kind == "true" or (kind == "or" and any(self.cond(one) for one in cond[1:]))


class Threads:
    """The threads of one block by number, and which of them pass a condition that depends on nothing else."""

    def __init__(self, launch: Launch) -> None:
        x, y, z = launch.kernel.block
        self.count = x * y * z
        self.shape = (x, y, z)
        self.symbols = [next(poly.atoms(), None) for poly in launch.thread]
        self._passing: dict[Cond, frozenset[int] | None] = {}

    @cached_property
    def places(self) -> list[Triple]:
        x, y, z = self.shape
        return [(at_x, at_y, at_z) for at_z, at_y, at_x in product(range(z), range(y), range(x))]

    @cached_property
    def reckoned(self) -> list[Reckoning]:
        """Numbers for the terms of each thread."""
        named = [{symbol: at for symbol, at in zip(self.symbols, place, strict=True) if symbol is not None} for place in self.places]
        return [Reckoning(values) for values in named]

    def passing(self, guard: Cond) -> frozenset[int] | None:
        """The threads for which a guard holds; None if it depends on more."""
        if guard not in self._passing:
            known = _known(self.reckoned[0], guard)
            holding = (number for number, thread in enumerate(self.reckoned) if thread.cond(guard)) if known else ()
            self._passing[guard] = frozenset(holding) if known else None
        return self._passing[guard]

    def passing_all(self, guards: Iterable[Cond]) -> frozenset[int] | None:
        """Those for which all of them hold; None if one depends on more."""
        coming = frozenset(range(self.count))
        for guard in guards:
            here = self.passing(guard)
            if here is None:
                return None
            coming &= here
        return coming


def _known(thread: Reckoning, guard: Cond) -> bool:
    try:
        thread.every(guard)
    except KeyError:
        return False
    return True
