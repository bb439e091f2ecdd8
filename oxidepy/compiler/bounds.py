"""The bounds checks of a kernel: what was found of them, kept in the cache like the proofs, and taken out of its IR."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

from oxidepy.analysis.verdicts import BOUNDS, VERSION, Verdicts, apply, denied, numbered
from oxidepy.compiler.proofs import relations
from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Module, Op, Require
from oxidepy.ir.printer import print_module
from oxidepy.ir.record import record
from oxidepy.settings.version import __version__

if TYPE_CHECKING:
    from oxidepy.cache import Cache


@record
class Bounds:
    """How many checks the conditions on the way did not settle and were proven all the same, and how many more go where the host finds that
    the `relations` of launch values hold. `denied`: an error for each that stays."""

    proven: int = 0
    hoisted: int = 0
    relations: tuple[Require, ...] = ()
    denied: tuple[Diagnostic, ...] = ()


def settle(module: Module, known: dict[Op, Require], *, asserts: bool, cache: Cache | None, hoist: bool) -> Bounds:
    """Take the proven checks out, in place, and with `hoist` those that are hoisted. At no cost where no check is left, and at little where
    all are `known` to follow from relations.

    `asserts`: the kernel's asserts are checked at run time.
    """
    checks = numbered(module)
    if not checks:
        return Bounds()
    if all(op in known for op in checks) and not any(map(_may_wrap, module.kernel.body.walk())):
        verdicts = Verdicts(hoisted={number: (known[op],) for number, op in enumerate(checks)})
    else:
        verdicts = _verdicts(module, asserts, cache)
    stay = ((checks[number], why) for number, why in verdicts.reasons.items())
    refused = tuple(denied(op, why) for op, why in stay if op.attrs["code"] == BOUNDS)
    apply(module, verdicts, hoist=hoist)
    return Bounds(len(verdicts.proven), len(verdicts.hoisted), verdicts.relations, refused)


def _may_wrap(op: Op) -> bool:
    """Whether it is worth to know of an operation that it is exact: wide accesses rest on that."""
    return op.name in ("add", "sub", "mul") and op.result.scalar.is_int


def _verdicts(module: Module, asserts: bool, cache: Cache | None) -> Verdicts:
    key = hashlib.sha256("\0".join(("bounds", str(VERSION), __version__, str(asserts), print_module(module))).encode()).hexdigest()
    entry = cache.get(key) if cache is not None else None
    if entry is not None:
        with contextlib.suppress(KeyError, TypeError, ValueError):  # written by something else than this version: a miss
            hoisted = {int(at): relations(one) for at, one in entry.meta["hoisted"]}
            reasons = {int(at): str(why) for at, why in entry.meta["reasons"]}
            return Verdicts(set(map(int, entry.meta["proven"])), hoisted, reasons, list(map(int, entry.meta["exact"])))
    from oxidepy.analysis.bounds import judge

    found = judge(module, asserts=asserts)
    if cache is not None:
        kept = [[at, [[one.text, one.expr] for one in hoisted]] for at, hoisted in found.hoisted.items()]
        meta = {"proven": sorted(found.proven), "hoisted": kept, "reasons": list(found.reasons.items()), "exact": found.exact}
        cache.put(key, meta, b"")
    return found
