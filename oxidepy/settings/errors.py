"""The error of a setting that is not understood. Diagnostics import settings and not the reverse, so it is a plain ValueError."""

from __future__ import annotations


class SettingsError(ValueError):
    """A setting is malformed: OX8001 (environment variable), OX8002 (`[tool.oxidepy]`), OX8003 (option).

    The command line and the runtime turn it into a diagnostic (`oxidepy.diagnostics.render.from_settings`).
    `file`, `line`, `column` and `width` say where, as far as there is a place; lines and columns count from 1.
    """

    def __init__(
        self, code: str, message: str, *, file: str | None = None, line: int = 1, column: int = 1, width: int = 1, help: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.width = width
        self.help = help

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{self.message} [{self.code}]" + (f"; {self.help}" if self.help else "")
