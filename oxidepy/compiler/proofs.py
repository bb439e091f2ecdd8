"""The proofs of a kernel: convergence and races, kept in the cache under the IR without its places."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from oxidepy.diagnostics import Diagnostic, Span
from oxidepy.ir.core import Module, Require
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.printer import print_module
from oxidepy.ir.record import record
from oxidepy.ir.types import Memory
from oxidepy.settings.active import active_settings
from oxidepy.settings.version import __version__

if TYPE_CHECKING:
    from oxidepy.analysis.races import Proof
    from oxidepy.cache import Cache
    from oxidepy.cache.entry import Entry


@record
class Proven:
    """What came of a kernel's proof. `possible`: its threads may meet at all. `pairs` of accesses were held against each other, `asked`
    questions went to z3; `suspended`: what `unsafe` vouches for.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    possible: bool = False
    cached: bool = False
    milliseconds: float = 0.0
    pairs: int = 0
    asked: int = 0
    staked: tuple[Require, ...] = ()
    suspended: tuple[Meeting, ...] = ()


@record
class Meeting:
    """Two accesses that are not proven to stay apart: the reasons of `unsafe` around them, the memory object, their places."""

    reasons: tuple[str, ...]
    memory: str
    places: tuple[Span | None, Span | None]


def prove(module: Module, *, asserts: bool, cache: Cache | None) -> Proven:
    """What is wrong with how the threads of a kernel meet, or not proven. Nothing, at no cost, where they cannot.

    `asserts`: the kernel's asserts are checked at run time. A kernel that was proven once is not proven again. Relations of launch values
    that the proof rests on join those that the kernel requires.
    """
    if not _meet(module):
        return Proven()
    from oxidepy.analysis import races

    start = time.perf_counter()
    limit = active_settings().proof_limit
    key = hashlib.sha256(
        "\0".join(("races", str(races.VERSION), __version__, str(limit), str(asserts), print_module(module))).encode()
    ).hexdigest()
    kept = _kept(module, cache.get(key)) if cache is not None else None
    if kept is not None:
        found = kept
    else:
        proof = races.prove(module, asserts=asserts, limit=limit)
        suspended = tuple(Meeting(one.reasons, one.memory, (one.first.span, one.second.span)) for one in proof.suspended)
        found = Proven(proof.diagnostics, True, False, 0.0, proof.pairs, proof.asked, proof.staked, suspended)
        if cache is not None and not proof.diagnostics:
            cache.put(key, _meta(module, proof), b"")
    module.kernel.requires = (*module.kernel.requires, *found.staked)
    return replace(found, milliseconds=(time.perf_counter() - start) * 1e3)


def _meta(module: Module, proof: Proof) -> dict[str, Any]:
    """A proof as it is kept: accesses are named by their number among the operations, for the places are those of the source as it is."""
    from oxidepy.analysis.races.smt import version

    numbers = {op: number for number, op in enumerate(module.kernel.body.walk())}
    return {
        "proven": True,
        "pairs": proof.pairs,
        "asked": proof.asked,
        "z3": version() if proof.asked else "",
        "staked": [[one.text, one.expr] for one in proof.staked],
        "suspended": [[list(one.reasons), one.memory, numbers[one.first], numbers[one.second]] for one in proof.suspended],
    }


def _kept(module: Module, entry: Entry | None) -> Proven | None:
    if entry is None or not _holds(entry.meta):
        return None
    meta: dict[str, Any] = entry.meta
    spans: list[Span | None] = [op.span for op in module.kernel.body.walk()] if meta["suspended"] else []
    suspended: list[Meeting] = []
    for reasons, memory, one, two in meta["suspended"]:
        suspended.append(Meeting(tuple(reasons), str(memory), (spans[int(one)], spans[int(two)])))
    return Proven((), True, True, 0.0, meta["pairs"], meta["asked"], relations(meta["staked"]), tuple(suspended))


def relations(kept: list[tuple[str, Any]]) -> tuple[Require, ...]:
    """Relations as they come out of the cache."""
    return tuple(Require(str(text), _tuples(expr)) for text, expr in kept)


def _tuples(expr: Any) -> Any:
    """JSON has lists for tuples."""
    return tuple(map(_tuples, cast("list[Any]", expr))) if isinstance(expr, list) else expr


def _holds(meta: dict[str, Any]) -> bool:
    """Whether a proof that was kept is one of the prover as it is now: what the equations decided does not depend on z3."""
    if meta.get("proven") is not True or not all(isinstance(meta.get(name), list) for name in ("staked", "suspended")):
        return False
    if not meta.get("z3"):
        return True
    from oxidepy.analysis.races.smt import version

    return bool(meta["z3"] == version())


def _meet(module: Module) -> bool:
    """Whether threads share memory that they write at any index, or wait for each other."""
    for op in module.kernel.body.walk():
        if op.name in ("alloc", "atomic"):
            return True
        if op.name == "store":
            memory = op.operands[0].type
            if isinstance(memory, Memory) and memory.access in ("exclusive", "raw"):
                return True
        elif op.name == "intrinsic" and (ROWS[op.attrs["row"]].convergence != "none" or ROWS[op.attrs["row"]].assembly is not None):
            return True
    return False
