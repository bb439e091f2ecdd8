"""What a check is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from oxidepy.diagnostics.codes import CODES

if TYPE_CHECKING:
    from oxidepy.doctor.examination import Examination

Severity = Literal["ok", "info", "warn", "error"]
Capability = Literal["cuda", "cpu", "toolkit"]

SEVERITIES: tuple[Severity, ...] = ("ok", "info", "warn", "error")


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: one sentence, the values it rests on (JSON-able), the exact command that mends it.

    `lacks` names the capability that is missing: where it is required, the finding is an error. `blocked_by` is the code of the check
    whose finding made this one impossible.
    """

    severity: Severity
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fix: str | None = None
    lacks: Capability | None = None
    blocked_by: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table. `limit` in seconds; `needed_for` are the capabilities that cannot be confirmed without it."""

    code: str
    group: str
    limit: float
    function: Callable[[Examination], Finding]
    needed_for: tuple[Capability, ...] = ()

    @property
    def title(self) -> str:
        """As the registry of codes has it."""
        return CODES[self.code].title


@dataclass(frozen=True, slots=True)
class Result:
    """A check that was made, and how long it took."""

    check: Check
    finding: Finding
    elapsed_ms: float
