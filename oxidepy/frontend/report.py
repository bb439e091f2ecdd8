"""Findings of one lowering: refusals are raised in expressions and collected where a statement ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from oxidepy.diagnostics import Diagnostic


class Refused(Exception):
    """Something in the kernel is wrong; `diagnostic` says what."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Poisoned(Exception):
    """A value was used whose making has been refused already: nothing more is said."""


@dataclass
class Findings:
    """What has been found so far, each thing once."""

    found: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def add(self, diagnostic: Diagnostic) -> None:
        if not any(one.code == diagnostic.code and one.span == diagnostic.span and one.message == diagnostic.message for one in self.found):
            self.found.append(diagnostic)
