"""Looking at kernels: PTX and a table of what is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxidepy.lang.definition import Specialisation
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
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


def report(kernel: Kernel[...]) -> str:
    """One block of lines for the kernel, one line a loaded variant."""
    from oxidepy.runtime.arguments import describe

    definition = kernel.definition
    contract = definition.contract
    shown = ", ".join(f"{one.name}: {describe(one.type)}" for one in kernel.parameters)
    block = " x ".join(map(str, contract.block))
    lines = [f"kernel {kernel.name}({shown})", f"  domain {contract.domain}, block {block}, coordinates {contract.coordinates}"]
    rows = [
        _row(context.name, specialisation, loaded, context.driver.attributes(loaded, _one_block(contract.block)))
        for context, specialisation, loaded in kernel.loaded()
    ]
    return "\n".join([*lines, *(rows or ["  no variant is loaded yet"])])


def _row(device: str, specialisation: Specialisation, loaded: Any, attributes: Any) -> str:
    types = ", ".join(f"{name}={element.name}" for name, element in specialisation.types) or "no type variables"
    facts = [
        f"{device}: {types}",
        "from cache" if loaded.cached else f"compiled in {loaded.milliseconds:.1f} ms",
        f"{len(loaded.sites)} checks",
    ]
    if "coarsen" in loaded.facts:
        facts.append(f"{loaded.facts['coarsen']} blocks run as one")
    if "aligned" in loaded.facts:
        facts.append(f"memory at multiples of {loaded.facts['aligned']} bytes")
    if attributes.registers is not None:
        facts.append(f"{attributes.registers} registers, {attributes.spills or 0} bytes spilled, occupancy {attributes.occupancy:.0%}")
    return "  " + "; ".join(facts)


def _one_block(block: tuple[int, int, int]) -> Any:
    from oxidepy.runtime.config import LaunchConfig

    return LaunchConfig((1, 1, 1), block)
