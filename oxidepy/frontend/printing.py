"""`print` in kernels."""

from __future__ import annotations

import ast

from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.control import branch, condition
from oxidepy.frontend.dispatch import call, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.text import put_together, tell, told
from oxidepy.frontend.values import NONE, Formatted, Front, NoneValue, Piece, Text, describe
from oxidepy.ir.core import Block


@call("builtins.print")
def _print(frame: Frame, node: ast.Call) -> Front:
    arguments(frame, ast.copy_location(ast.Call(node.func, [], node.keywords), node), 0, keywords=("sep", "end"))
    if (chosen := next((one for one in node.args if isinstance(one, ast.IfExp) and _of_texts(frame, one)), None)) is not None:
        return _chosen(frame, node, chosen)
    given = keywords(frame, node)
    separator, end = (_word(frame, given, name, default) for name, default in (("sep", " "), ("end", "\n")))
    parts: list[str | Piece] = []
    for number, place in enumerate(node.args):
        if isinstance(place, ast.Starred):
            raise frame.refuse(node, "OX0658", "`*` in a call is not supported in kernels", help="name each argument")
        parts += [separator] * (number > 0) + told(frame, place)
    tell(frame, put_together(frame, node, [*parts, end]))
    return NONE


def _of_texts(frame: Frame, node: ast.IfExp) -> bool:
    """Whether it chooses between texts with numbers in them. Two constants are chosen when the host prints them."""
    sides = (node.body, node.orelse)
    return not all(isinstance(one, ast.Constant) for one in sides) and all(_is_text(frame, one) for one in sides)


def _is_text(frame: Frame, node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_text(frame, node.body) and _is_text(frame, node.orelse)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.JoinedStr)
    with frame.region(Block()):
        return isinstance(translate(frame, node), (Text, Formatted))


def _chosen(frame: Frame, node: ast.Call, choice: ast.IfExp) -> Front:
    """`print(f"odd {n}" if n % 2 == 1 else "even")`: one of two calls."""
    flag = condition(frame, choice.test)

    def told_with(side: ast.expr) -> Front:
        args = [side if one is choice else one for one in node.args]
        return _print(frame, ast.copy_location(ast.Call(node.func, args, node.keywords), node))

    if isinstance(flag, bool):
        return told_with(choice.body if flag else choice.orelse)
    branch(frame, flag, lambda: told_with(choice.body), lambda: told_with(choice.orelse))
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
