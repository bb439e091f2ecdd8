"""The one registry of environment variables. Nothing else in the package reads a variable whose name begins with OXIDEPY_."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from oxidepy.settings import values
from oxidepy.settings.errors import SettingsError

T = TypeVar("T")


@dataclass(frozen=True)
class Variable(Generic[T]):
    """An environment variable. `get` gives its value, or None where it is unset or empty (the next source of the setting counts then)."""

    name: str
    parse: Callable[[str], T]
    form: str
    meaning: str
    default: str

    def get(self) -> T | None:
        """Raises SettingsError OX8001 on a malformed value."""
        text = os.environ.get(self.name, "")
        if not text:
            return None
        try:
            return self.parse(text)
        except ValueError as error:
            message = f"{self.name} is {text!r}, which is not {error}"
            raise SettingsError("OX8001", message, help=f"set {self.name} anew or unset it") from None


DEVICE = Variable(
    "OXIDEPY_DEVICE", values.parse_device, values.DEVICE_FORM, "the device of `Context()`", "the first CUDA device, else the CPU"
)
ARCH = Variable("OXIDEPY_ARCH", values.parse_archs, values.ARCHS_FORM, "what kernels are compiled for", "the device's, else sm_80")
CACHE_DIR = Variable("OXIDEPY_CACHE_DIR", str, "a folder", "where compiled kernels are kept", "the user's cache folder of the system")
CACHE_SIZE = Variable("OXIDEPY_CACHE_SIZE", values.parse_size, values.SIZE_FORM, "how large the cache may grow", "2G")
LOG = Variable("OXIDEPY_LOG", values.parse_log, values.LOG_FORM, "how much is told on stderr; `info` tells of each compilation", "warning")
TIMEOUT = Variable(
    "OXIDEPY_TIMEOUT", values.parse_seconds, values.SECONDS_FORM, "how long a wait for a launch may take before it is ended", "no limit"
)
PRINT_BUFFER = Variable("OXIDEPY_PRINT_BUFFER", values.parse_size, values.BYTES_FORM, "how much the launches under way may print", "1M")

VARIABLES: dict[str, Variable[str] | Variable[int] | Variable[float | None] | Variable[tuple[str, ...]]] = {
    one.name: one for one in (DEVICE, ARCH, CACHE_DIR, CACHE_SIZE, LOG, TIMEOUT, PRINT_BUFFER)
}


def docs_table() -> str:
    """The Markdown table of the documentation."""
    head = "| variable | meaning | value | default |\n|---|---|---|---|\n"
    return head + "".join(f"| `{one.name}` | {one.meaning} | {one.form} | {one.default} |\n" for one in VARIABLES.values())
