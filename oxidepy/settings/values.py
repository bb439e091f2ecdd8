"""How the text of a setting becomes a value. Each parser raises ValueError whose text ends the sentence "... is not"."""

from __future__ import annotations

import math
import re

DEVICE = re.compile(r"cpu|interp|cuda(:(0|[1-9]\d*))?")
ARCH = re.compile(r"sm_[1-9]\d{1,2}[af]?")
SIZE = re.compile(r"(\d+)\s*([KMGT]?)(i?B)?", re.IGNORECASE)
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LOG_LEVELS = ("off", "error", "warning", "info", "debug")

DEVICE_FORM = "a device: cuda:0 (or another number), cpu or interp"
ARCH_FORM = "a GPU architecture such as sm_80 or sm_90a"
ARCHS_FORM = "a GPU architecture such as sm_80 or sm_90a, or several with commas between"
SIZE_FORM = "a size in bytes such as 512M or 2G (0 switches the cache off)"
BYTES_FORM = "a size in bytes such as 64K or 4M"
SECONDS_FORM = "a number of seconds, 0 for no limit"
LOG_FORM = "one of " + ", ".join(LOG_LEVELS)


def parse_device(text: str) -> str:
    """ "cpu", "interp" or "cuda:N"; "cuda" alone is "cuda:0"."""
    if not DEVICE.fullmatch(text):
        raise ValueError(DEVICE_FORM)
    return "cuda:0" if text == "cuda" else text


def parse_arch(text: str) -> str:
    if not ARCH.fullmatch(text):
        raise ValueError(ARCH_FORM)
    return text


def parse_archs(text: str) -> tuple[str, ...]:
    """Architectures with commas between, in their order, each once."""
    try:
        return tuple(dict.fromkeys(parse_arch(one.strip()) for one in text.split(",")))
    except ValueError:
        raise ValueError(ARCHS_FORM) from None


def parse_size(text: str) -> int:
    """Bytes; the units are powers of 1024."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(SIZE_FORM)
    return int(found[1]) * UNITS[found[2].upper()]


def parse_seconds(text: str) -> float | None:
    """Seconds, or None for no limit."""
    try:
        seconds = float(text)
    except ValueError:
        raise ValueError(SECONDS_FORM) from None
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(SECONDS_FORM)
    return seconds or None


def parse_log(text: str) -> str:
    level = text.lower()
    if level not in LOG_LEVELS:
        raise ValueError(LOG_FORM)
    return level
