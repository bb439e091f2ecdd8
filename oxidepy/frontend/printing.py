"""`print` in kernels."""

from __future__ import annotations

import ast

from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.text import put_together, tell, told
from oxidepy.frontend.values import NONE, Front, NoneValue, Piece, Text, describe


@call("builtins.print")
def _print(frame: Frame, node: ast.Call) -> Front:
    arguments(frame, ast.copy_location(ast.Call(node.func, [], node.keywords), node), 0, keywords=("sep", "end"))
    given = keywords(frame, node)
    separator, end = (_word(frame, given, name, default) for name, default in (("sep", " "), ("end", "\n")))
    parts: list[str | Piece] = []
    for number, place in enumerate(node.args):
        if isinstance(place, ast.Starred):
            raise frame.refuse(node, "OX0658", "`*` in a call is not supported in kernels", help="name each argument")
        parts += [separator] * (number > 0) + told(frame, place)
    tell(frame, put_together(frame, node, [*parts, end]))
    return NONE


def _word(frame: Frame, given: dict[str, tuple[Front, ast.expr]], name: str, default: str) -> str:
    value, place = given.get(name, (NONE, None))
    if isinstance(value, NoneValue):
        return default
    if not isinstance(value, Text):
        assert place is not None
        message = f"`{name}` of `print` is a constant string, and this is {describe(value)}"
        raise frame.refuse(place, "OX0308", message, help=f'write `{name}=", "`, or put it between the values')
    return value.value
