"""The text of a source line, for rendering: of a file, of a notebook cell, of text given to `exec`."""

from __future__ import annotations

import linecache
import os

_texts: dict[str, list[str]] = {}


def register(file: str, text: str) -> None:
    """Make the text known that `file` names, where nothing on disk does (or says otherwise). Text given again replaces the old."""
    _texts[file] = text.split("\n")


def line_of(file: str, number: int) -> str | None:
    """Line `number` (from 1) without its end, or None where the source is not at hand."""
    if file in _texts:
        lines = _texts[file]
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else None
    linecache.checkcache(file)  # an edited file is read anew
    line = linecache.getline(file, number)  # keeps to declared encodings; finds notebook cells
    return line.rstrip("\r\n") if line else None


def shown_path(file: str) -> str:
    """The name for people: relative to the working directory where the file lies below it."""
    if not os.path.isabs(file):
        return file
    try:
        relative = os.path.relpath(file)
    except (OSError, ValueError):  # the working directory is gone, or on another drive
        return file
    return file if relative.startswith("..") else relative
