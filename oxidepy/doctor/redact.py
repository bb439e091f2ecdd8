"""What a report does not tell: the user's name in paths, and the numbers that identify a device."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, cast

IDENTITY = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F][0-9a-fA-F/-]{6,}")


def redact(value: Any) -> Any:
    """The same value with the home folder as `~` and without the identities of devices, in every text inside; a path becomes a text."""
    if isinstance(value, (str, os.PathLike)):
        return _text(os.fspath(cast("str | os.PathLike[str]", value)))
    if isinstance(value, Mapping):
        return {str(redact(name)): redact(one) for name, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [redact(one) for one in cast("list[Any]", value)]
    return value


def _text(text: str) -> str:
    for home in _homes():
        text = re.sub(rf"(?<![\w./\\-]){re.escape(home)}(?![\w.-])", "~", text)
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8")  # bytes of a file's name that are no text stay readable
    return IDENTITY.sub(r"\1-…", clean)


def _homes() -> list[str]:
    """The home folder as it is written and as it really is, the longer first. A home at the root of the system hides nothing."""
    said = os.path.expanduser("~")
    if said == "~":
        return []
    found = {said.rstrip("/\\"), os.path.realpath(said).rstrip("/\\")}
    return sorted((one for one in found if len(one) > 1 and os.path.isabs(one) and os.path.dirname(one) != one), key=len, reverse=True)
