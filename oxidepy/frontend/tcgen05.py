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
# products with a scale for each few elements
_SCALED = {"mxf8f6f4": _FORMATS["f8f6f4"], "mxf4": {"e2m1": 1}, "mxf4nvf4": {"e2m1": 1}}
_SCALES = {"mxf8f6f4": ("ue8m0",), "mxf4": ("ue8m0",), "mxf4nvf4": ("ue8m0", "ue4m3")}
_SUMS = {"f16": 0, "f32": 1, "i32": 2}
_FLAGS = {"sparse": 2, "saturate": 3, "negate_a": 13, "negate_b": 14, "trans_a": 15, "trans_b": 16}  # bits of the word
_SHIFTS = (0, 8, 16, 32)
_NUMBERS = {"selector": 0, "scale_a": 29, "scale_b": 4}  # each of 2 bits, 0 where nothing is said
_WANTED = ("a", "b", "sums", "m", "n", *_FLAGS, "kind", "scales", "max_shift", *_NUMBERS)


@call("tcgen05.how")
def _how(frame: Frame, node: ast.Call) -> Front:
    """Types as texts, m and n, and what is turned or negated: a u32 known at compile time."""
    arguments(frame, node, 0, keywords=_WANTED)
    given = keywords(frame, node)
    word = _scaled_types(frame, node, given) if "scales" in given else _types(frame, node, given)
    m, n = (_number(frame, node, given, name) for name in ("m", "n"))
    if m not in (32, 64, 128, 256) or not 8 <= n <= 256 or n % 8:
        raise frame.refuse(node, "OX0308", f"no product has {m} rows and {n} columns", help="32, 64, 128 or 256 by 8 to 256 in steps of 8")
    word |= n // 8 << 17 | m // 16 << 24
    for name, bit in _FLAGS.items():
        word |= flag(frame, given, name) << bit
    for name, bit in _NUMBERS.items():
        if name in given:
            word |= _choice(frame, node, given, name, (0, 1, 2, 3)) << bit
    if "max_shift" in given:
        word |= _choice(frame, node, given, "max_shift", _SHIFTS) << 30
    return Typed(frame.builder.const(U32, word))


def _types(frame: Frame, node: ast.Call, given: Given) -> int:
    """The bits of the types of A, B and the sums."""
    if stray := next((name for name in ("kind", "scale_a", "scale_b") if name in given), None):
        raise frame.refuse(given[stray][1], "OX0308", f"`{stray}` is of products with scales", help='say which scales: `scales="ue8m0"`')
    a, b, sums = (_word(frame, node, given, name) for name in ("a", "b", "sums"))
    kind = next((formats for formats in _FORMATS.values() if a in formats), None)
    if kind is None or b not in kind or sums not in _SUMS:
        help = "A and B are both of " + ", or both of ".join(" ".join(one) for one in _FORMATS.values()) + "; sums of f16, f32 or i32"
        raise frame.refuse(node, "OX0308", f"no product sums `{a}` by `{b}` in `{sums}`", help=help)
    return _SUMS[sums] << 4 | kind[a] << 7 | kind[b] << 10


def _scaled_types(frame: Frame, node: ast.Call, given: Given) -> int:
    """The same where the operands carry scales; the sums are of f32 then."""
    if stray := next((name for name in ("saturate", "max_shift") if name in given), None):
        raise frame.refuse(given[stray][1], "OX0308", f"products with scales have no `{stray}`")
    kind = _word(frame, node, given, "kind") if "kind" in given else "mxf8f6f4"
    a, b, scales = (_word(frame, node, given, name) for name in ("a", "b", "scales"))
    sums = _word(frame, node, given, "sums")
    formats = _SCALED.get(kind, {})
    if a not in formats or b not in formats or scales not in _SCALES[kind] or sums != "f32":
        ways = (f"{' '.join(_SCALED[one])} with {' or '.join(_SCALES[one])} in {one}" for one in _SCALED)
        message = f"no product of the kind `{kind}` sums `{a}` by `{b}`, with scales of `{scales}`, in `{sums}`"
        raise frame.refuse(node, "OX0308", message, help=f"there are {', '.join(ways)}; sums of f32")
    return formats[a] << 7 | formats[b] << 10 | int(scales == "ue8m0") << 23


def _choice(frame: Frame, node: ast.Call, given: Given, name: str, choices: tuple[int, ...]) -> int:
    """Which of the numbers it is."""
    number = _number(frame, node, given, name)
    if number not in choices:
        raise frame.refuse(given[name][1], "OX0308", f"`{name}` is {', '.join(map(str, choices[:-1]))} or {choices[-1]}, not {number}")
    return choices.index(number)


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
