"""Kernels with one thing taken away: a barrier, a guard, a bounds check, the place of an access, the reach of an atomic. And launches of them.

What the prover still accepts of them is run on the watched interpreter, over launches that keep to what the kernel requires: no race may show.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from typing import Any

from oxidepy.analysis.races.certain import Reckoning
from oxidepy.analysis.races.launch import Launch
from oxidepy.analysis.races.terms import Atom, Terms, every_atom
from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Module
from oxidepy.ir.interpreter import Deadlock, Fault, Program
from oxidepy.ir.parser import ParseError, parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import Memory
from oxidepy.ir.verifier import InvalidIR, verify
from oxidepy.runtime.sanitize.findings import Findings
from oxidepy.runtime.sanitize.memory import Written
from oxidepy.runtime.sanitize.watch import Watch

SIZES = (1, 2, 3, 5, 8, 16, 17, 32, 40, 64, 100)
BYTES = 1 << 22  # a launch with more memory is not tried
_BARRIER = re.compile(r'^\s*intrinsic "(block|warp|grid|cluster)\.sync"')
_ACCESS = re.compile(r"^(\s*)((?:%\w+ = )?(?:load|store|atomic \"\w+\") %[\w.]+, )(%[\w.]+)\b(.*)$")
_GUARD = re.compile(r"^(\s*)((?:%[\w., ]+ = )?if )(%[\w.]+)( .*\{)$")


def mutants(module: Module, rng: random.Random, most: int) -> Iterator[tuple[str, Module]]:
    """Some of the kernels that are one change away, as many as `most`, each with what was done."""
    lines = print_module(module).splitlines()
    disjoint = [f"%{one.name}, " for one in module.kernel.params if isinstance(one.type, Memory) and one.memory.access == "disjoint"]
    changes = [
        (number, what)
        for number, line in enumerate(lines)
        for what in _changes(line)
        # the language itself gives each thread its own elements of these: there is no way to write such a kernel
        if not (what == "the next element" and any(one in line for one in disjoint)) and '"OX5002"' not in line
    ]
    rng.shuffle(changes)
    changes.sort(key=lambda one: one[1] == "no check")  # which matters least: an index that is outside meets no other
    for number, what in changes[:most]:
        made = _module([*lines[:number], *_changed(lines[number], what), *lines[number + 1 :]])
        if made is not None:
            yield f"{what}: {lines[number].strip()}", made


def _changes(line: str) -> list[str]:
    found = [what for what, pattern in (("no barrier", _BARRIER), ("no guard", _GUARD)) if pattern.match(line)]
    if line.lstrip().startswith("check "):
        found.append("no check")
    if _ACCESS.match(line):
        found.append("the next element")
    return [*found, "scope"] if 'scope = "device"' in line else found


def _changed(line: str, what: str) -> list[str]:
    if what in ("no barrier", "no check"):
        return []
    if what == "scope":
        return [line.replace('scope = "device"', 'scope = "block"')]
    if what == "no guard" and (guard := _GUARD.match(line)):
        return [f"{guard[1]}%mutant = const true : bool", f"{guard[1]}{guard[2]}%mutant{guard[4]}"]
    access = _ACCESS.match(line)
    assert access is not None
    indent, head, index, tail = access.groups()
    return [f"{indent}%mutant = const 1 : i32", f"{indent}%mutated = add {index}, %mutant : i32", f"{indent}{head}%mutated{tail}"]


def _module(lines: list[str]) -> Module | None:
    try:
        made = parse_module("\n".join(lines) + "\n")
        verify(made)
    except (ParseError, InvalidIR):  # an index of another type
        return None
    return made


# ---- launches


def raced(module: Module, rng: random.Random, count: int) -> tuple[list[Diagnostic], int]:
    """The races of a few launches on the interpreter, and how many launches were made."""
    kernel, terms = module.kernel, Terms()
    launch, found, made = Launch(terms, kernel), Findings(), 0
    for _ in range(count * 20):
        arguments = _arguments(module, launch, rng)
        if arguments is None:
            continue
        x, y, z = (rng.choice((1, 2, 3)) if axis < kernel.domain else 1 for axis in range(3))
        size = kernel.cluster or (1, 1, 1)
        grid = (x * size[0], y * size[1], z * size[2])
        if not _keeps(launch, arguments[1], grid):
            continue
        made += 1
        watch = Watch(kernel, found, Written(""), frozenset(("racecheck",)))
        watch.launch(grid, kernel.block)
        with contextlib.suppress(Fault, Deadlock):  # outside of its memory: no matter of races; a barrier that threads miss: another test's
            Program(module, watch).run(arguments[0], grid, kernel.block)
            watch.end()
        if made == count or found.all():
            break
    return [one for one in found.all() if one.code in ("OX4001", "OX4002")], made


def _arguments(module: Module, launch: Launch, rng: random.Random) -> tuple[list[Any], dict[Atom, int]] | None:
    """Values of all parameters that keep to `require`; None for a throw that does not."""
    import numpy

    symbols = {atom for poly in launch.params.values() for atom in poly.atoms()}
    values = {atom: max(int(atom.low), min(rng.choice(SIZES), int(atom.high))) for atom in sorted(symbols, key=lambda one: one.order)}
    reckoning = Reckoning(dict(values))
    numbers = {param: reckoning.poly(poly) for param, poly in launch.params.items()}
    if any(not param.scalar.min <= number <= param.scalar.max for param, number in numbers.items()):
        return None
    lengths: dict[str, int] = {}
    for param, info in zip(module.kernel.params, module.kernel.infos, strict=True):
        if info.role == "length":
            if numbers[param] < 0:
                return None
            lengths[info.source] = lengths.get(info.source, 1) * numbers[param]
    out: list[Any] = []
    for param, info in zip(module.kernel.params, module.kernel.infos, strict=True):
        if info.role == "memory":
            size = lengths.get(info.source, 1) * param.memory.element.size
            if size > BYTES:
                return None
            out.append(numpy.array([rng.choice((0, 0, 0, 1)) for _ in range(size)], numpy.uint8))
        elif param in numbers:
            out.append(numbers[param])
        else:
            out.append(rng.random() < 0.5 if param.scalar.kind == "bool" else rng.uniform(-1, 1))
    return out, values


def _keeps(launch: Launch, values: dict[Atom, int], grid: tuple[int, int, int]) -> bool:
    """Whether the launch keeps to what the kernel requires."""
    own = {atom: size for poly, size in zip(launch.grid, grid, strict=True) for atom in poly.atoms()}
    reckoning = Reckoning({**dict.fromkeys((one for one in every_atom(launch.facts) if one.kind == "symbol"), 0), **values, **own})
    return all(map(reckoning.cond, launch.facts))
