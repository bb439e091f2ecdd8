"""Text tests in the style of LLVM's FileCheck.

`check(text, "CHECK: …\\nCHECK-NEXT: …")`: the directives are matched in order. In a pattern `{{…}}` is a regular
expression, `[[NAME:…]]` one whose match is kept, `[[NAME]]` that match again; runs of blanks match any blanks.

    CHECK: p          somewhere after the last match
    CHECK-NEXT: p     on the line after it
    CHECK-SAME: p     further on, on its line
    CHECK-NOT: p      nowhere between the matches before and after
    CHECK-COUNT-3: p  three times, one after another
"""

from __future__ import annotations

import re

_DIRECTIVE = re.compile(r"\s*(?:[;#]|//)?\s*CHECK(-NEXT|-SAME|-NOT|-COUNT-\d+)?:\s*(.*?)\s*\Z")
_PART = re.compile(r"\{\{(.*?)\}\}|\[\[(\w+):(.*?)\]\]|\[\[(\w+)\]\]|(\s+)")


def check(text: str, directives: str) -> dict[str, str]:
    """AssertionError where a directive does not hold, with the place in the text; gives what the names matched."""
    found: dict[str, str] = {}
    position = 0
    forbidden: list[tuple[str, str]] = []
    seen = 0
    for line in filter(str.strip, directives.splitlines()):
        match = _DIRECTIVE.match(line)
        assert match, f"not a directive: {line!r}"
        kind, pattern = match[1] or "", match[2]
        seen += 1
        if kind == "-NOT":
            forbidden.append((line.strip(), pattern))
            continue
        for _ in range(int(kind[7:]) if kind.startswith("-COUNT-") else 1):
            hit = _search(kind, _regex(pattern, found), text, position)
            assert hit, f"{line.strip()!r} not found {_place(text, position)}"
            _refuse(forbidden, found, text, position, hit.start())
            forbidden = []
            found.update({name: value for name, value in hit.groupdict().items() if value is not None})
            position = hit.end()
    assert seen, "no directives"
    _refuse(forbidden, found, text, position, len(text))
    return found


def _regex(pattern: str, found: dict[str, str]) -> re.Pattern[str]:
    out: list[str] = []
    position = 0
    for part in _PART.finditer(pattern):
        out.append(re.escape(pattern[position : part.start()]))
        position = part.end()
        regex, name, of_name, again, _ = part.groups()
        if regex is not None:
            out.append(f"(?:{regex})")
        elif name is not None:
            out.append(f"(?P<{name}>{of_name})")
        elif again is not None:
            assert again in found or f"(?P<{again}>" in "".join(out), f"[[{again}]] has no value yet"
            out.append(re.escape(found[again]) if again in found else f"(?P={again})")
        else:
            out.append(r"[ \t]+")
    return re.compile("".join(out) + re.escape(pattern[position:]))


def _search(kind: str, regex: re.Pattern[str], text: str, position: int) -> re.Match[str] | None:
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    if kind == "-SAME":
        return regex.search(text, position, end)
    if kind == "-NEXT":
        after = text.find("\n", end + 1)
        return regex.search(text, end + 1, len(text) if after < 0 else after)
    return regex.search(text, position)


def _refuse(forbidden: list[tuple[str, str]], found: dict[str, str], text: str, start: int, end: int) -> None:
    for line, pattern in forbidden:
        hit = _regex(pattern, found).search(text, start, end)
        assert hit is None, f"{line!r} found {_place(text, hit.start() if hit else start)}"


def _place(text: str, position: int) -> str:
    number = text.count("\n", 0, position)
    lines = text.splitlines()[number : number + 12]
    return f"at line {number + 1}:\n" + "\n".join(f"  {one}" for one in lines)
