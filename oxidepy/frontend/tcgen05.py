"""`tcgen05.how`: the word that tells a product of tensor memory its types and its shape."""

from __future__ import annotations

import ast

from oxidepy.frontend.calls import Given, arguments, flag, keywords
from oxidepy.frontend.convert import source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import Front, Text, Typed, describe, known_integer
from oxidepy.ir.types import U32

_FORMATS = {
    "f16": {"f16": 0, "bf16": 1},
    "tf32": {"tf32": 2},
    "f8f6f4": {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5},
    "i8": {"u8": 0, "i8": 1},
}
_SUMS = {"f16": 0, "f32": 1, "i32": 2}
_FLAGS = {"sparse": 2, "saturate": 3, "negate_a": 13, "negate_b": 14, "trans_a": 15, "trans_b": 16}  # bits of the word
_WANTED = ("a", "b", "sums", "m", "n", *_FLAGS)


@call("tcgen05.how")
def _how(frame: Frame, node: ast.Call) -> Front:
    """Types as texts, m and n, and what is turned or negated: a u32 known at compile time."""
    arguments(frame, node, 0, keywords=_WANTED)
    given = keywords(frame, node)
    a, b, sums = (_word(frame, node, given, name) for name in ("a", "b", "sums"))
    kind = next((formats for formats in _FORMATS.values() if a in formats), None)
    if kind is None or b not in kind or sums not in _SUMS:
        message = f"no product sums `{a}` by `{b}` in `{sums}`"
        help = "A and B are both of " + ", or both of ".join(" ".join(one) for one in _FORMATS.values()) + "; sums of f16, f32 or i32"
        raise frame.refuse(node, "OX0308", message, help=help)
    m, n = (_number(frame, node, given, name) for name in ("m", "n"))
    if m not in (32, 64, 128, 256) or not 8 <= n <= 256 or n % 8:
        raise frame.refuse(node, "OX0308", f"no product has {m} rows and {n} columns", help="32, 64, 128 or 256 by 8 to 256 in steps of 8")
    word = _SUMS[sums] << 4 | kind[a] << 7 | kind[b] << 10 | n // 8 << 17 | m // 16 << 24
    for name, bit in _FLAGS.items():
        word |= flag(frame, given, name) << bit
    return Typed(frame.builder.const(U32, word))


def _word(frame: Frame, node: ast.Call, given: Given, name: str) -> str:
    value, place = given.get(name, (None, node))
    if not isinstance(value, Text):
        shown = "is not given" if value is None else f"is {describe(value)}"
        raise frame.refuse(place, "OX0308", f"`{name}` of `{source(node.func)}` {shown}", help='name a type, as in `a="f16"`')
    return value.value


def _number(frame: Frame, node: ast.Call, given: Given, name: str) -> int:
    value, place = given.get(name, (None, node))
    number = known_integer(value)
    if number is None:
        raise frame.refuse(place, "OX0308", f"`{name}` of `{source(node.func)}` is an integer known at compile time")
    return number
