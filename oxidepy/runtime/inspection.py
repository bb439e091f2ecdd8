"""Looking at kernels: PTX and a table of what is loaded."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oxidepy.compiler.report import KernelReport
from oxidepy.lang.definition import Specialisation
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.driver import Loaded
    from oxidepy.runtime.kernel import Kernel

FALLBACK_ARCH = "sm_80"


def ptx(kernel: Kernel[...], arch: str | None) -> str:
    """PTX text of a kernel, compiled through the cache."""
    from oxidepy.backend.targets import nvptx_target
    from oxidepy.cache import default_cache
    from oxidepy.compiler.driver import compile_kernel
    from oxidepy.runtime.settled import settings

    chosen = settings()
    specialisation = _specialisation(kernel)
    compiled = compile_kernel(
        kernel.definition, specialisation, nvptx_target(arch or _arch(chosen.arch)), chosen.options, cache=default_cache()
    )
    return compiled.artefact.code.decode()


def _arch(chosen: tuple[str, ...]) -> str:
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.devices import cuda_count

    if chosen:
        return chosen[0]
    target = Context("cuda:0").driver.target() if cuda_count() else None
    return target.arch if target is not None else FALLBACK_ARCH


def _specialisation(kernel: Kernel[...]) -> Specialisation:
    from oxidepy.compiler.ahead import specialisations

    possible = specialisations(kernel.definition)
    if len(possible) == 1:
        return possible[0]
    loaded = kernel.loaded()
    if loaded:
        return loaded[-1][1]
    raise launch_error("OX0282", f"the argument types of `{kernel.name}` are known only at a launch", help="launch it once, then ask again")


@dataclass(frozen=True)
class Variant:
    """A compiled variant on a device. `registers` a thread, `spills` in bytes, `occupancy` from 0 to 1: None where the device has none.

    `alignment`: of all memory arguments, in bytes, and `relations` of launch values, without which another variant is launched.
    """

    device: str
    types: tuple[tuple[str, str], ...]
    cached: bool
    milliseconds: float
    checks: int
    blocks_as_one: int
    alignment: int
    relations: tuple[str, ...]
    registers: int | None
    spills: int | None
    occupancy: float | None

    def __str__(self) -> str:
        facts = [
            f"{self.device}: {', '.join(f'{name}={element}' for name, element in self.types) or 'no type variables'}",
            "from cache" if self.cached else f"compiled in {self.milliseconds:.1f} ms",
            f"{self.checks} checks",
        ]
        if self.blocks_as_one > 1:
            facts.append(f"{self.blocks_as_one} blocks run as one")
        if self.alignment > 1:
            facts.append(f"memory at multiples of {self.alignment} bytes")
        facts += [f"where {one}" for one in self.relations]
        if self.registers is not None:
            facts.append(f"{self.registers} registers, {self.spills or 0} bytes spilled, occupancy {self.occupancy:.0%}")
        return "; ".join(facts)


@dataclass(frozen=True)
class Report:
    """What is known of a kernel; as text, a table for people.

    `proofs`: what was proven of each specialisation that the source alone gives, or that was launched; `variants`: what is on devices.
    """

    kernel: str
    parameters: tuple[str, ...]
    domain: int
    block: tuple[int, int, int]
    coordinates: str
    proofs: tuple[KernelReport, ...]
    variants: tuple[Variant, ...]

    def __str__(self) -> str:
        block = " x ".join(map(str, self.block))
        lines = [
            f"kernel {self.kernel}({', '.join(self.parameters)})",
            f"  domain {self.domain}, block {block}, coordinates {self.coordinates}",
        ]
        for one in self.proofs:
            lines += [f"  {one.kernel}"] * (one.kernel != self.kernel)
            lines += ["  " + line for line in str(one).splitlines()]
        return "\n".join([*lines, *([f"  {one}" for one in self.variants] or ["  no variant is loaded yet"])])


def report(kernel: Kernel[...]) -> Report:
    """CompileError if the kernel is refused."""
    from oxidepy.cache import default_cache
    from oxidepy.compiler.ahead import describe as named
    from oxidepy.compiler.ahead import specialisations
    from oxidepy.compiler.driver import check_kernel
    from oxidepy.compiler.report import report as report_of
    from oxidepy.runtime.arguments import describe
    from oxidepy.runtime.settled import settings

    definition = kernel.definition
    contract = definition.contract
    loaded = kernel.loaded()
    proofs: list[KernelReport] = []
    for one in specialisations(definition) or list(dict.fromkeys(variant for _, variant, _ in loaded)):
        start = time.perf_counter()
        checked = check_kernel(definition, one, settings().options, cache=default_cache())
        proofs.append(report_of(named(definition, one), checked, (time.perf_counter() - start) * 1e3))
    return Report(
        kernel.name,
        tuple(f"{one.name}: {describe(one.type)}" for one in kernel.parameters),
        contract.domain,
        contract.block,
        contract.coordinates,
        tuple(proofs),
        tuple(_variant(context, variant, one, contract.block) for context, variant, one in loaded),
    )


def _variant(context: Context, specialisation: Specialisation, loaded: Loaded, block: tuple[int, int, int]) -> Variant:
    attributes = context.driver.attributes(loaded, _one_block(block))
    return Variant(
        context.name,
        tuple((name, element.name) for name, element in specialisation.types),
        loaded.cached,
        loaded.milliseconds,
        len(loaded.sites),
        loaded.facts.get("coarsen", 1),
        loaded.facts.get("aligned", 1),
        tuple(one.text for one in loaded.relations),
        attributes.registers,
        attributes.spills,
        attributes.occupancy if attributes.registers is not None else None,
    )


def _one_block(block: tuple[int, int, int]) -> Any:
    from oxidepy.runtime.config import LaunchConfig

    return LaunchConfig((1, 1, 1), block)
