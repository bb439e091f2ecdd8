"""Indices that are made of a quotient and a remainder by one launch value: `i // n * (2 * n) + i % n` is 2*n*q + r with 0 <= r < n.

A symbol of `i` is written as n*q + r - …, for a remainder r that is a symbol of its own; what follows is read back in terms of `i`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oxidepy.analysis.races.known import Known
from oxidepy.analysis.races.rewriting import Rewriting
from oxidepy.analysis.races.terms import INF, ONE, TRUE, Atom, Cond, Poly, Terms, at_least_zero, every_atom, put


@dataclass
class Question:
    """Whether all of `conds`, and `meet` == 0, can hold while some of `apart` is not zero (empty: whether they can hold at all)."""

    conds: tuple[Cond, ...]
    meet: Poly
    apart: tuple[Poly, ...]


@dataclass
class Taken:
    """An equation by quotients and remainders. `facts`: bounds of the remainders; `back`: gives the terms they stand for."""

    equation: Poly
    facts: list[Poly]
    back: Rewriting


def takings(terms: Terms, known: Known, equation: Poly, conds: Sequence[Cond]) -> Iterator[Taken]:
    """The equation with all quotients by which one number is taken apart written so, then with those of one divisor, for each that lets a
    symbol give way to the remainder.

    What `conds` say of a remainder, such as that it is inside of the rows, is among the facts."""
    quotients = [atom for atom in dict.fromkeys(equation.atoms()) if atom.kind == "quotient" and known.nonnegative(atom.args[1] - 1)]
    chains = [
        _chain(known, [one for one in quotients if one.args[0] == inner]) for inner in dict.fromkeys(one.args[0] for one in quotients)
    ]
    ways = [chains] if any(len(chain) > 1 for chain in chains) else []
    ways += [[[one] for one in quotients if one.args[1] == by] for by in dict.fromkeys(one.args[1] for one in quotients)]
    for way in ways:
        taken = _take(terms, equation, conds, way)
        if taken.facts:
            yield taken


def _chain(known: Known, quotients: list[Atom]) -> list[Atom]:
    """Quotients of one number of which each is the one before divided again: i // w, i // (h*w)."""
    found: list[Atom] = []
    for atom in sorted(quotients, key=lambda one: max((len(mono), abs(coef)) for mono, coef in one.args[1].terms.items())):
        ratio = atom.args[1].ratio(found[-1].args[1]) if found else ONE
        if ratio is not None and known.nonnegative(ratio - 1):
            found.append(atom)
    return found


def _take(terms: Terms, equation: Poly, conds: Sequence[Cond], chains: Sequence[Sequence[Atom]]) -> Taken:
    """Each number p as n*q + r, where it stands for a symbol that it has, then that q as m*q' + r' for the next quotient, and so on."""
    meanings: dict[Atom, Poly] = {}
    facts: list[Poly] = []
    told = [cond[1] for cond in conds if cond[0] == "ge"]
    for chain in chains:
        gone: list[tuple[Atom, Poly]] = []
        for number, quotient in enumerate(chain):
            inner, by = quotient.args
            symbol = _symbol(inner, equation)
            if number:
                inner, by, symbol = terms.of(chain[number - 1]), by.ratio(chain[number - 1].args[1]), chain[number - 1]
            if symbol is None:
                continue
            rest = terms.remainder(quotient, by)
            meanings[rest] = inner - by * terms.of(quotient)
            sign = inner.terms[symbol,]
            others = inner - Poly({(symbol,): sign})
            gone.append((symbol, (terms.of(quotient) * by + terms.of(rest) - others) * sign))
            facts.append(by - terms.of(rest) - 1)
        about = [one for one in told if gone and {gone[0][0], *chain[:1]} <= set(one.atoms())]
        for symbol, meaning in gone:
            equation, *about = (put(one, symbol, meaning) for one in (equation, *about))
        facts += about
    return Taken(equation, facts, Rewriting(terms, meanings.get))


def _symbol(inner: Poly, equation: Poly) -> Atom | None:
    """A symbol with the coefficient 1 or -1 in what is divided, which the equation has too: one of a single thread first. A quotient, where
    that is divided again."""
    inside = set(equation.atoms())
    found = [
        mono[0]
        for mono, coef in inner.terms.items()
        if len(mono) == 1 and coef in (1, -1) and mono[0].kind in ("symbol", "quotient") and mono[0] in inside
    ]
    found = [one for one in found if sum(one in every_atom([Poly({mono: 1})]) for mono in inner.terms) == 1]
    return min(found, key=lambda one: (one.level, -one.order), default=None)


def digits(terms: Terms, question: Question) -> Question:
    """The question with symbols that are divided by numbers written by the digits that these divisions ask for: t = 16*a + b."""
    asked: dict[Atom, set[int]] = {}
    widths = {atom for mono in question.meet.terms if len(mono) > 1 for atom in mono}  # digits would take a row apart: x[i, j + n // 2]
    for atom in every_atom([question.meet, *question.conds, *question.apart]):
        if atom.kind == "div" and len(atom.args[0].terms) == 1:
            ((mono, coef),) = atom.args[0].terms.items()
            if coef == len(mono) == 1 and mono[0].kind == "symbol" and mono[0] not in widths and 0 <= mono[0].low and mono[0].high < INF:
                asked.setdefault(mono[0], set()).add(atom.args[1])
    meanings: dict[Atom, Poly] = {}
    conds: list[Cond] = []
    for symbol, divisors in sorted(asked.items(), key=lambda one: one[0].order):
        meaning, low = Poly({}), 1
        for high in (*sorted(divisors), None):
            if high is None or high % low == 0:
                most = int(symbol.high) // low if high is None else high // low - 1
                meaning = meaning + terms.of(terms.digit(symbol, low, most)) * low
                low = high or low
        meanings[symbol] = meaning
        conds.append(at_least_zero(-meaning + int(symbol.high)))
    if not meanings:
        return question
    known = Known()
    for cond in question.conds:
        known.assume(cond)
    rewriting = Rewriting(terms, meanings.get, lambda by: known.interval(by)[0] >= 1)
    kept = dict.fromkeys(one for one in (*map(rewriting.cond, question.conds), *conds) if one != TRUE)
    return Question(tuple(kept), rewriting.poly(question.meet), tuple(map(rewriting.poly, question.apart)))
