"""What each `unsafe` of a kernel vouches for: the obligations that it suspends. One that suspends none is a warning."""

from __future__ import annotations

from collections.abc import Sequence

from oxidepy.compiler.proofs import Proven
from oxidepy.diagnostics import Diagnostic, Span
from oxidepy.frontend.lower import Lowered
from oxidepy.ir.record import record

IDLE = "OX9003"


@record
class Vouched:
    """One `unsafe` of a kernel. `span` is None for that of the decorator; `allows`: it stands around something that needs it in any case;
    `obligations`: what would have to be proven without it, a sentence each."""

    reason: str
    span: Span | None
    allows: bool
    obligations: tuple[str, ...]


def vouched(lowered: Lowered, decorator: str | None, met: Proven) -> tuple[Vouched, ...]:
    """All `unsafe` of a kernel, in the order of the source."""
    written = sorted(lowered.unsafe, key=lambda one: (one[0].file, one[0].line, one[0].column))
    blocks: list[tuple[Span | None, str]] = [*written] if decorator is None else [(None, decorator), *written]
    return tuple(Vouched(reason, span, reason in lowered.granted, _obligations(reason, met)) for span, reason in blocks)


def idle(every: Sequence[Vouched]) -> list[Diagnostic]:
    """OX9003 for each `with unsafe(...)` that suspends nothing. The decorator's allows bare pointers in the signature."""
    return [
        Diagnostic(
            IDLE,
            "this `unsafe` suspends nothing: all that it stands around is proven, or needs no proof",
            one.span,
            label="nothing here needs a reason",
            help="leave it out, so that the proof covers what is written here later",
            severity="warning",
        )
        for one in every
        if one.span is not None and not one.allows and not one.obligations
    ]


def _obligations(reason: str, met: Proven) -> tuple[str, ...]:
    out: dict[str, None] = {}
    for one in met.suspended:
        if reason in one.reasons:
            lines = sorted({span.line for span in one.places if span is not None})
            where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} and {lines[-1]}" if lines else "one place"
            out[f"no two threads meet in `{one.memory}`, {where}"] = None
    return tuple(out)
