"""The proofs of a kernel: convergence and races, kept in the cache under the IR without its places."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Module, Require
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import Memory
from oxidepy.settings.active import active_settings
from oxidepy.settings.version import __version__

if TYPE_CHECKING:
    from oxidepy.cache import Cache


def prove(module: Module, *, asserts: bool, cache: Cache | None) -> tuple[Diagnostic, ...]:
    """What is wrong with how the threads of a kernel meet, or not proven. Nothing, at no cost, where they cannot.

    `asserts`: the kernel's asserts are checked at run time. A kernel that was proven once is not proven again. Relations of launch values
    that the proof rests on join those that the kernel requires.
    """
    if not _meet(module):
        return ()
    from oxidepy.analysis import races

    limit = active_settings().proof_limit
    key = hashlib.sha256(
        "\0".join(("races", str(races.VERSION), __version__, str(limit), str(asserts), print_module(module))).encode()
    ).hexdigest()
    if cache is not None and (entry := cache.get(key)) is not None and _holds(entry.meta):
        _stake(module, [Require(text, _tuples(expr)) for text, expr in entry.meta["staked"]])
        return ()
    proof = races.prove(module, asserts=asserts, limit=limit)
    if cache is not None and not proof.diagnostics:
        from oxidepy.analysis.races.smt import version

        staked = [[one.text, one.expr] for one in proof.staked]
        cache.put(key, {"proven": True, "pairs": proof.pairs, "z3": version() if proof.asked else "", "staked": staked}, b"")
    _stake(module, proof.staked)
    return proof.diagnostics


def _stake(module: Module, staked: Iterable[Require]) -> None:
    module.kernel.requires = (*module.kernel.requires, *staked)


def _tuples(expr: Any) -> Any:
    """JSON has lists for tuples."""
    return tuple(map(_tuples, cast("list[Any]", expr))) if isinstance(expr, list) else expr


def _holds(meta: dict[str, Any]) -> bool:
    """Whether a proof that was kept is one of the prover as it is now: what the equations decided does not depend on z3."""
    if meta.get("proven") is not True or not isinstance(meta.get("staked"), list):
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
            if isinstance(memory, Memory) and memory.access == "exclusive":
                return True
        elif op.name == "intrinsic" and (ROWS[op.attrs["row"]].convergence != "none" or ROWS[op.attrs["row"]].assembly is not None):
            return True
    return False
