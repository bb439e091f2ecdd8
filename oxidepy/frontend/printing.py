"""`print` in kernels."""

from __future__ import annotations

import ast

from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.text import pieces, put_together, tell
from oxidepy.frontend.values import NONE, Front, NoneValue, Piece, Text, describe


@call("builtins.print")
def _print(frame: Frame, node: ast.Call) -> Front:
    values = arguments(frame, node, 0, 1 << 16, ("sep", "end"))
    given = keywords(frame, node)
    separator, end = (_word(frame, given, name, default) for name, default in (("sep", " "), ("end", "\n")))
    parts: list[str | Piece] = []
    for number, (value, place) in enumerate(zip(values, node.args, strict=True)):
        parts += [separator] * (number > 0) + pieces(frame, place, value, "", "")
    tell(frame, put_together(frame, node, [*parts, end]))
    return NONE


def _word(frame: Frame, given: dict[str, tuple[Front, ast.expr]], name: str, default: str) -> str:
    value, place = given.get(name, (NONE, None))
    if isinstance(value, NoneValue):
        return default
    if not isinstance(value, Text):
        assert place is not None
        raise frame.refuse(place, "OX0308", f"`{name}` of `print` is a constant string, and this is {describe(value)}")
    return value.value
