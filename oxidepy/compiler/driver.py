"""Source → checked IR → artefact, through the cache. What kernels, `build` and `check` all call."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from oxidepy.analysis import granules, guards, halves, phases, proxies, tiles, underway
from oxidepy.backend.abi import checks, panic_sites
from oxidepy.backend.artefact import Artefact
from oxidepy.backend.llvm.debug import shown_path
from oxidepy.compiler import bounds, messages, proofs, vouching
from oxidepy.compiler.ahead import describe
from oxidepy.compiler.proofs import Proven
from oxidepy.compiler.vouching import Vouched
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.frontend.lower import lower, nested
from oxidepy.ir.core import Module, Op, Require
from oxidepy.ir.printer import print_module
from oxidepy.ir.record import record
from oxidepy.ir.types import Memory
from oxidepy.lang.definition import KernelDef, Specialisation
from oxidepy.settings.active import active_settings
from oxidepy.settings.options import CodegenOptions
from oxidepy.settings.version import __version__

if TYPE_CHECKING:
    from oxidepy.analysis.coarsen import Plan
    from oxidepy.backend.targets import Target
    from oxidepy.cache import Cache


@record
class Checked:
    """A kernel that was accepted: its IR with the proven checks gone, warnings, and how many checks went and stayed.

    `met` is what came of the proof about its threads, `unsafe` what each of its `unsafe` vouches for. `hoisted`: how many more checks go
    where the host finds that the `relations` of launch values hold; in a module that was made for such a launch they are gone.
    """

    module: Module
    diagnostics: tuple[Diagnostic, ...]
    proven: int
    checked: int
    met: Proven
    unsafe: tuple[Vouched, ...] = ()
    hoisted: int = 0
    relations: tuple[Require, ...] = ()


@record
class Compiled:
    """Code of one kernel for one target. `cached`: the code came from the cache. `milliseconds`: from source to code, all included."""

    artefact: Artefact
    checked: Checked
    cached: bool
    milliseconds: float

    @property
    def module(self) -> Module:
        return self.checked.module

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.checked.diagnostics


def effective_options(definition: KernelDef, options: CodegenOptions) -> CodegenOptions:
    """The command's options with those of the kernel's own decorator: a kernel may only narrow them."""
    own = definition.options
    return replace(
        options,
        fmad=options.fmad and own.fmad,
        lineinfo=options.lineinfo and own.lineinfo,
        max_registers=own.max_registers if own.max_registers is not None else options.max_registers,
    )


def check_kernel(
    definition: KernelDef,
    specialisation: Specialisation,
    options: CodegenOptions,
    *,
    cache: Cache | None = None,
    hoist: bool = False,
    prove: bool = True,
) -> Checked:
    """Lower a kernel and prove what can be proven; proofs are kept in `cache`. CompileError with every finding if one is an error.

    `hoist`: for a launcher that tests `Checked.relations` at each launch, so the checks that follow from them go too. Without `prove`
    nothing is said of how threads meet, and every check stays: for the sanitizer, which watches them.
    """
    with nested(definition):
        return _check(definition, specialisation, effective_options(definition, options), cache, hoist, prove)


def _check(
    definition: KernelDef, specialisation: Specialisation, options: CodegenOptions, cache: Cache | None, hoist: bool, prove: bool
) -> Checked:
    prove = prove and not definition.exported  # one thread alone meets nobody
    lowered = lower(definition, specialisation, options)
    tiles.mark(lowered.module)
    # before checks are dropped: what they say holds behind them
    met = proofs.prove(lowered.module, asserts=not options.no_assert, cache=cache) if prove else Proven()
    found = guards.prove(
        lowered.module,
        unchecked_indexing=options.unchecked_indexing,
        no_assert=options.no_assert,
    )
    vouched = vouching.vouched(lowered, definition.options.unsafe, met)
    protocols = (
        *phases.analyse(lowered.module),
        *halves.analyse(lowered.module),
        *underway.check(lowered.module),
        *proxies.check(lowered.module),
        *granules.check(lowered.module),
    )
    diagnostics = (*lowered.warnings, *protocols, *found.diagnostics, *met.diagnostics)
    if any(one.severity == "error" for one in diagnostics):
        raise CompileError(diagnostics)
    vouched_for = any(map(_vouched_for, lowered.module.kernel.body.walk()))
    lowered.module.kernel.raceless = prove and definition.options.unsafe is None and not vouched_for
    settled = bounds.Bounds()
    if prove:
        settled = bounds.settle(lowered.module, found.relations, asserts=not options.no_assert, cache=cache, hoist=hoist)
    if definition.options.deny_checks and settled.denied:
        raise CompileError((*diagnostics, *settled.denied))
    messages.write_out(lowered.module)
    proven, stay = found.proven + settled.proven, found.checked - settled.proven - settled.hoisted
    warnings = (*diagnostics, *(vouching.idle(vouched) if prove else ()))
    return Checked(lowered.module, warnings, proven, stay, met, vouched, settled.hoisted, settled.relations)


def _vouched_for(op: Op) -> bool:
    """Whether the proof says nothing of an access: `unsafe` does, or it is the hardware layer's."""
    return "unsafe" in op.attrs or (op.name == "intrinsic" and any(isinstance(one.type, Memory) for one in op.operands))


def compile_kernel(
    definition: KernelDef,
    specialisation: Specialisation,
    target: Target,
    options: CodegenOptions,
    *,
    cache: Cache | None = None,
    coarsen: bool = False,
    usual: bool = False,
    missed: Callable[[], None] | None = None,
) -> Compiled:
    """Give the code of a kernel for `target`, from the cache where it is there; `missed` is called before it is made.

    With `coarsen` a block of the hardware may run several blocks of the grid, as `Artefact` tells: for a launcher that heeds it. Code that
    others launch is made without. So with `usual`: code for launches in which `Checked.relations` hold, and memory arguments begin at
    multiples of 16 bytes where that makes accesses wider.
    """
    start = time.perf_counter()
    options = effective_options(definition, options)
    checked = check_kernel(definition, specialisation, options, cache=cache, hoist=usual)
    with nested(definition):
        artefact, cached = _code(checked, target, options, cache, coarsen=coarsen, aligned=usual, missed=missed)
    spent = (time.perf_counter() - start) * 1e3
    if active_settings().log in ("info", "debug"):
        place = target.arch if target.kind == "nvptx" else target.kind
        how = "found in the cache" if cached else "compiled"
        print(f"info: {describe(definition, specialisation)} for {place}: {how} in {spent:.1f} ms", file=sys.stderr)
    return Compiled(artefact, checked, cached, spent)


def _code(
    checked: Checked,
    target: Target,
    options: CodegenOptions,
    cache: Cache | None,
    *,
    coarsen: bool,
    aligned: bool,
    missed: Callable[[], None] | None,
) -> tuple[Artefact, bool]:
    """The code, and whether it was in the cache."""
    plan = _plan(checked.module, target, options) if coarsen else None
    align = _alignment(checked.module, target, options) if aligned else 0
    key = cache_key(checked.module, target, options, plan.factor if plan is not None else 1, align)
    artefact = stored(cache, key, checked.module) if cache is not None else None
    cached = artefact is not None
    if artefact is None:
        if missed is not None:
            missed()
        artefact = (
            generate(checked.module, target, options, align) if plan is None else _coarse(checked.module, plan, target, options, align)
        )
        if cache is not None:
            cache.put(key, artefact.metadata(), artefact.code)
    return artefact, cached


def _plan(module: Module, target: Target, options: CodegenOptions) -> Plan | None:
    """How the kernel runs several blocks as one, if it can and the target gains by it."""
    if target.kind != "nvptx" or options.device_debug:
        return None
    from oxidepy.analysis.coarsen import plan

    found = plan(module)
    return found if found.factor > 1 else None


def _alignment(module: Module, target: Target, options: CodegenOptions) -> int:
    """Bytes to whose multiples memory arguments are held; 0 where nothing is gained by it."""
    if target.kind != "nvptx" or options.device_debug:
        return 0
    from oxidepy.analysis.wide import WIDE, gains

    return WIDE if gains(module) else 0


def _coarse(module: Module, plan: Plan, target: Target, options: CodegenOptions, align: int) -> Artefact:
    from oxidepy.analysis.coarse_code import coarse

    artefact = generate(coarse(module, plan), target, options, align)
    return replace(artefact, facts={**artefact.facts, "coarsen": plan.factor})


def cache_key(module: Module, target: Target, options: CodegenOptions, coarsen: int = 1, align: int = 0) -> str:
    """What compiled code depends on: the IR with the lines of its operations, the target, the options, LLVM's and our own version, how
    many blocks run as one, and to what memory arguments are aligned."""
    # lines and not columns: an edit that moves nothing to another line finds its code again
    ops = [op for body in (*(one.body for one in module.functions.values()), module.kernel.body) for op in body.walk()]
    lines = "\n".join(f"{shown_path(op.span.file)}:{op.span.line}" if op.span else "" for op in ops) if options.lineinfo else ""
    chosen = repr((sorted(options.to_json().items()), coarsen, align))
    parts = (print_module(module), lines, target.identity, chosen, _llvm_version(), __version__)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def stored(cache: Cache, key: str, module: Module) -> Artefact | None:
    """The code under `key`, or None."""
    entry = cache.get(key)
    if entry is None:
        return None
    try:
        artefact = Artefact.restore(entry.meta, entry.payload)
    except (KeyError, TypeError, ValueError):
        return None  # written by something else than this version: a miss
    # columns are no part of the key, so the places come from the source as it is now
    return replace(artefact, sites=panic_sites(checks(module.kernel)))


def generate(module: Module, target: Target, options: CodegenOptions, align: int = 0) -> Artefact:
    """Make code of checked IR. `align`: bytes to whose multiples the launcher holds memory arguments (nvptx)."""
    if target.kind == "nvptx":
        from oxidepy.backend import nvptx

        return nvptx.emit(module, target, options, align)
    from oxidepy.backend import cpu

    return cpu.emit(module, target, options)


def _llvm_version() -> str:
    import llvmlite  # its face alone, which costs half a millisecond; the metadata of the distribution would cost ten

    return str(llvmlite.__version__)
