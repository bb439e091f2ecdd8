"""What a kernel asks of the architecture: OX6001 names the feature, the architecture that has it and the one asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from oxidepy.backend.targets import Isa, Target, first_driver
from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.intrinsics.form import written
from oxidepy.ir.record import record

_CLUSTERS = 90


@record
class Need:
    """A feature in the user's words, the first architecture and PTX ISA that have it; `arches`: all that do, where those are few."""

    feature: str
    arch: int
    isa: Isa = (6, 3)
    arches: tuple[str, ...] = ()

    def lacks(self, target: Target) -> bool:
        """Whether the architecture does not have it."""
        return target.compute < self.arch or bool(self.arches and target.arch not in self.arches)


def raised(kernel: Kernel, target: Target) -> Target:
    """The target in the PTX ISA that the kernel needs, if that is newer than its own and the driver takes it."""
    isa = target.isa
    if isa is None:
        return target
    wanted = max((need.isa for need, _ in _needs(kernel) if not need.lacks(target)), default=isa)
    if wanted <= isa or (target.newest is not None and target.newest < wanted):
        return target
    return replace(target, isa=wanted, features=f"+ptx{wanted[0]}{wanted[1]}")


def refuse(kernel: Kernel, target: Target) -> None:
    """CompileError OX6001 (the architecture) or OX6002 (the driver) with every feature that is not there, at its first use."""
    found: dict[str, Diagnostic] = {}
    for need, span in _needs(kernel):
        if need.feature not in found and (need.lacks(target) or (target.isa is not None and target.isa < need.isa)):
            found[need.feature] = _refusal(need, target, span)
    if found:
        raise CompileError(list(found.values()))


def _refusal(need: Need, target: Target, span: Span | None) -> Diagnostic:
    if need.lacks(target):
        few = " or ".join((need.arches[:1] + need.arches[-1:]) if len(need.arches) > 2 else need.arches)
        first = few or f"sm_{need.arch}"
        later = "" if few else " or later"
        return Diagnostic(
            "OX6001",
            f"{need.feature} needs {first}; this is compiled for {target.arch}",
            span,
            label=f"not on {target.arch}",
            help=f"compile for {first}{later}, on a GPU of compute capability {need.arch // 10}.{need.arch % 10}{later}",
        )
    (major, minor), (takes, part) = need.isa, target.newest or target.isa or (0, 0)
    (cuda, point), driver = first_driver(need.isa)
    return Diagnostic(
        "OX6002",
        f"{need.feature} needs PTX ISA {major}.{minor}; this driver takes {takes}.{part}",
        span,
        help=f"install driver {driver} or later (CUDA {cuda}.{point})",
    )


def _needs(kernel: Kernel) -> Iterator[tuple[Need, Span | None]]:
    if kernel.cluster is not None:
        yield Need("`cluster_launch`", _CLUSTERS, (7, 8)), None
    for op in kernel.body.walk():
        need = _need(op)
        if need is not None:
            yield need, op.span


def _need(op: Op) -> Need | None:
    if op.name == "intrinsic":
        row = ROWS[op.attrs["row"]]
        name = written(row.name)
        more = " of this form" if name in ROWS and ROWS[name].minimum_arch < row.minimum_arch else ""
        return Need(f"`{name}`{more}", row.minimum_arch, row.minimum_isa, row.assembly.arches if row.assembly is not None else ())
    if op.name == "ptx" and "isa" in op.attrs:
        major, minor = op.attrs["isa"].split(".")
        return Need("this `ptx`", 75, (int(major), int(minor)))
    if op.name == "map_shared":
        return Need("`cluster.map_shared`", _CLUSTERS, (7, 8))
    if op.name == "atomic" and "whole" in op.attrs and op.operands[0].memory.element.size == 16:
        return Need("an atomic access of 16 bytes", 90, (8, 4))
    if op.name in ("atomic", "fence") and op.attrs["scope"] == "cluster":
        return Need(f'`scope="cluster"` of {"a fence" if op.name == "fence" else "an atomic access"}', _CLUSTERS, (7, 8))
    return None
