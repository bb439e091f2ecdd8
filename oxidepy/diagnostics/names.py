""" "Did you mean": the known name that comes closest to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def suggest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name` was most likely meant to be, or None if none is close."""
    from difflib import get_close_matches

    known = [one for one in dict.fromkeys(candidates) if one != name]
    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(one.casefold(), one)
    if name.casefold() in folded:
        return folded[name.casefold()]
    # a short name may differ in one character only: two of three letters alike say little
    cutoff = 0.6 if len(name) > 3 else 0.66
    close = get_close_matches(name.casefold(), list(folded), n=1, cutoff=cutoff)
    return folded[close[0]] if close else None
