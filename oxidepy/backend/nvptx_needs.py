"""What a kernel asks of the architecture: OX6001 names the feature, the architecture that has it and the one asked for."""

from __future__ import annotations

from collections.abc import Iterator

from oxidepy.backend.targets import ARCHES, Isa, Target
from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.record import record

_CLUSTERS = 90


@record
class Need:
    """A feature in the user's words, the first architecture and PTX ISA that have it."""

    feature: str
    arch: int
    isa: Isa = (6, 3)


def refuse(kernel: Kernel, target: Target) -> None:
    """CompileError OX6001 with every feature of the kernel that the target lacks, at its first use."""
    found: dict[str, Diagnostic] = {}
    for need, span in _needs(kernel):
        if need.feature not in found and (target.compute < need.arch or (target.isa is not None and target.isa < need.isa)):
            found[need.feature] = _refusal(need, target, span)
    if found:
        raise CompileError(list(found.values()))


def _refusal(need: Need, target: Target, span: Span | None) -> Diagnostic:
    if target.compute < need.arch:
        first = f"sm_{need.arch}"
        return Diagnostic(
            "OX6001",
            f"{need.feature} needs {first}; this is compiled for {target.arch}",
            span,
            label=f"not on {target.arch}",
            help=f"compile for {first} or later, on a GPU of compute capability {need.arch // 10}.{need.arch % 10} or later",
        )
    (major, minor), (has, part) = need.isa, target.isa or (0, 0)
    return Diagnostic(
        "OX6001",
        f"{need.feature} needs PTX ISA {major}.{minor}; code for {target.arch} is written in PTX ISA {has}.{part}",
        span,
        label=f"not in PTX ISA {has}.{part}",
        help=f"compile for an architecture whose PTX ISA is {major}.{minor} or later: {_newer(need.isa)}",
    )


def _newer(isa: Isa) -> str:
    return ", ".join([arch for arch, least in ARCHES.items() if least >= isa][:3])


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
        return Need(f"`{row.name}`", row.minimum_arch, row.minimum_isa)
    if op.name == "map_shared":
        return Need("`cluster.map_shared`", _CLUSTERS, (7, 8))
    if op.name in ("atomic", "fence") and op.attrs["scope"] == "cluster":
        return Need(f'`scope="cluster"` of {"a fence" if op.name == "fence" else "an atomic access"}', _CLUSTERS, (7, 8))
    return None
