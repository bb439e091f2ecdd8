"""What compilation gives: code for one target, and all that a launch must know of it. Plain data, stored in the cache as it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from oxidepy.diagnostics import Span


@dataclass(frozen=True)
class AbiParam:
    """One parameter of the compiled entry, in order. kind "memory" is an address, "length" and "scalar" are numbers of IR type `type`,
    "tensor_map" is a map's bytes, "whole" (of the interpreter alone) address and size of the memory that a pointer points into.

    `source`, `axis`, `path` say where the value comes from, as in `ir.core.ParamInfo`.
    """

    kind: str
    type: str
    source: str
    axis: int = 0
    path: str = ""


@dataclass(frozen=True)
class PanicSite:
    """A place in a kernel where a check can fail; the device reports its number."""

    code: str
    message: str
    span: Span | None
    indexed: bool  # whether index and length belong to it


@dataclass(frozen=True)
class Artefact:
    """Compiled code. `code` is PTX text (nvptx) or an object file (cpu), utf-8 or raw bytes.

    `entry` is the symbol. When `panic` is true the entry takes one more parameter behind `params`: the address of a panic record
    (null: trap), laid out as `oxidepy.backend.panic` says.

    `facts` that a launch on a GPU must heed (absent: there is nothing to do):
    "shared_static": bytes of shared memory that the code itself declares (unused objects included), at most 48 KiB.
    "shared_dynamic": the objects of the dynamic part in order, each `[count, size, align]`; `shared_size.dynamic_bytes` gives the bytes
    to ask for at the launch (beyond 48 KiB with the static ones, the function's maximum must be raised before). `count` is a number or an
    expression of launch values, `size` the bytes of an element.
    "shared_moved": so many of them, the first, have a constant size: they are in the dynamic part for want of room.
    "cluster": the blocks of a cluster along x, y, z, which the code itself fixes.
    "recursion": so many calls of functions may stand in each other; the context's stack must have room for them.
    "grid_barrier": true: behind `params` and the panic record stands the address of eight zeroed bytes, aligned to 8, which belong to this
    launch alone; the launch must be cooperative.
    "aligned": every memory argument must begin at a multiple of so many bytes; there is a variant of the kernel without this fact.

    When `facts` has "coarsen": K, one block of the hardware runs K blocks of the grid. Then the entry takes the grid's extent along x as
    an i32 behind `params`, before the panic record, and is launched with a K-th as many blocks along x, rounded up; panics tell blocks of
    the grid.
    """

    target: str
    entry: str
    code: bytes
    params: tuple[AbiParam, ...]
    sites: tuple[PanicSite, ...] = ()
    panic: bool = False
    facts: dict[str, Any] = field(default_factory=dict[str, Any])  # arch, isa, milliseconds …: for reports

    def metadata(self) -> dict[str, Any]:
        """Everything but the code, as JSON-able data."""
        return {
            "target": self.target,
            "entry": self.entry,
            "params": [[one.kind, one.type, one.source, one.axis, one.path] for one in self.params],
            "sites": [[one.code, one.message, _span_data(one.span), one.indexed] for one in self.sites],
            "panic": self.panic,
            "facts": self.facts,
        }

    @staticmethod
    def restore(metadata: dict[str, Any], code: bytes) -> Artefact:
        """The inverse of `metadata`. KeyError, TypeError or ValueError on malformed data: the caller treats that as a miss."""
        return Artefact(
            target=str(metadata["target"]),
            entry=str(metadata["entry"]),
            code=code,
            params=tuple(
                AbiParam(str(kind), str(type_), str(source), int(axis), str(path)) for kind, type_, source, axis, path in metadata["params"]
            ),
            sites=tuple(
                PanicSite(str(c), str(message), Span(*span) if span else None, bool(indexed))
                for c, message, span, indexed in metadata["sites"]
            ),
            panic=bool(metadata["panic"]),
            facts=dict(metadata["facts"]),
        )


def _span_data(span: Span | None) -> list[Any] | None:
    return [span.file, span.line, span.column, span.end_line, span.end_column] if span else None
