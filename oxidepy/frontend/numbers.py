"""`bits` that are several operations, and `random`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import convert, operands, settle, source, unify
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.library import library, written
from oxidepy.frontend.maths import called
from oxidepy.frontend.values import Front, Text, TupleValue, Typed, describe
from oxidepy.ir.core import Value
from oxidepy.ir.types import BOOL, SCALARS, U32, U64, Scalar
from oxidepy.lang.scalars import scalar_of

_UNSIGNED: dict[int, Scalar] = {bits: SCALARS[f"u{bits}"] for bits in (8, 16, 32, 64)}
PERMUTATIONS = ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")  # as PTX names them


def _words(frame: Frame, node: ast.Call, names: tuple[str, ...] = ()) -> list[Value]:
    """Three u32."""
    values = arguments(frame, node, 3, keywords=names)
    return [convert(frame, place, value, U32, "the argument") for value, place in zip(values, node.args, strict=True)]


def _funnel(left: bool) -> Callable[[Frame, ast.Call], Front]:
    """A shift of 64 bits by 0 to 31, of which one half is kept. A shift of 32 bits by 32 gives 0, as the IR has it."""

    def handler(frame: Frame, node: ast.Call) -> Front:
        builder = frame.builder
        low, high, count = _words(frame, node)
        near = builder.value("and", count, builder.const(U32, 31))
        far = builder.value("sub", builder.const(U32, 32), near)
        kept, came = ((high, "shl"), (low, "shr")) if left else ((low, "shr"), (high, "shl"))
        return Typed(builder.value("or", builder.value(kept[1], kept[0], near), builder.value(came[1], came[0], far)))

    return handler


call("bits.funnel_shift_left")(_funnel(True))
call("bits.funnel_shift_right")(_funnel(False))


@call("bits.byte_permute")
def _byte_permute(frame: Frame, node: ast.Call) -> Front:
    """Byte number k of the result is the one that the low three bits of the selector's nibble k name."""
    builder = frame.builder
    mode, place = keywords(frame, node).get("mode", (Text(""), node))
    x, y, selector = _words(frame, node, ("mode",))
    if not isinstance(mode, Text) or mode.value not in ("", *PERMUTATIONS):
        known = ", ".join(f'"{one}"' for one in PERMUTATIONS)
        raise frame.refuse(place, "OX0308", f"the mode of `{source(node.func)}` is one of {known}, a constant string")
    if mode.value:
        name = f"permute_{mode.value}"
        return Typed(called(frame, node, name, lambda: written("words", name), (x, y, selector))[0])
    upper = builder.value("shl", builder.value("cast", y, type=U64), builder.const(U64, 32))
    both = builder.value("or", upper, builder.value("cast", x, type=U64))
    wide = builder.value("cast", selector, type=U64)
    total: Value | None = None
    for position in range(4):
        nibble = builder.value("and", builder.value("shr", wide, builder.const(U64, 4 * position)), builder.const(U64, 7))
        moved = builder.value("shr", both, builder.value("shl", nibble, builder.const(U64, 3)))
        byte = builder.value("and", builder.value("cast", moved, type=U32), builder.const(U32, 0xFF))
        placed = builder.value("shl", byte, builder.const(U32, 8 * position)) if position else byte
        total = placed if total is None else builder.value("or", total, placed)
    assert total is not None
    return Typed(total)


# ---- words of several numbers


@call("bits.unpack")
def _unpack(frame: Frame, node: ast.Call) -> Front:
    kind, value = arguments(frame, node, 2)
    part, number, text = scalar_of(getattr(kind, "object", None)), settle(frame, value), source(node.func)
    if part is None or part == BOOL:
        raise frame.refuse(node.args[0], "OX0308", f"the first argument of `{text}` is a scalar type", help=f"write `{text}(u8, x)`")
    if not isinstance(number, Typed) or number.type == BOOL or number.type.bits <= part.bits:
        raise frame.refuse(node.args[1], "OX0308", f"mismatched types: {describe(number)} does not hold several `{part}`")
    builder, word, unit = frame.builder, _UNSIGNED[number.type.bits], _UNSIGNED[part.bits]
    whole = number.value if number.type == word else builder.value("bitcast", number.value, type=word)
    parts: list[Value] = []
    for at in range(0, word.bits, part.bits):
        moved = builder.value("shr", whole, builder.const(word, at)) if at else whole
        narrow = builder.value("cast", moved, type=unit)
        parts.append(narrow if part == unit else builder.value("bitcast", narrow, type=part))
    return TupleValue(tuple(map(Typed, parts)))


@call("bits.pack")
def _pack(frame: Frame, node: ast.Call) -> Front:
    values = arguments(frame, node, 2, 8)
    given = list(zip(values, node.args, strict=True))
    part = unify(frame, node, given, f"`{source(node.func)}`")
    if part is None or part == BOOL or part.bits * len(values) not in _UNSIGNED:
        what = f"{len(values)} `{part}`" if part is not None else "numbers without a type"
        help = "two, four or eight of one type, of 16, 32 or 64 bits together: `bits.pack(u8(a), u8(b), u8(c), u8(d))`"
        raise frame.refuse(node, "OX0308", f"mismatched types: {what} are no word", help=help)
    builder, word, unit = frame.builder, _UNSIGNED[part.bits * len(values)], _UNSIGNED[part.bits]
    total: Value | None = None
    for number, value in enumerate(operands(frame, given, part)):
        wide = builder.value("cast", value if part == unit else builder.value("bitcast", value, type=unit), type=word)
        placed = builder.value("shl", wide, builder.const(word, number * part.bits)) if number else wide
        total = placed if total is None else builder.value("or", total, placed)
    assert total is not None
    return Typed(total)


# ---- random numbers


def _drawn(frame: Frame, node: ast.Call) -> TupleValue:
    """The four words of a key and a counter."""
    given = arguments(frame, node, 2)
    words: list[Front] = []
    for value, place, count, what in zip(given, node.args, (2, 4), ("the key", "the counter"), strict=True):
        if not isinstance(value, TupleValue) or len(value.items) != count:
            help = f"write `{source(node.func)}((k0, k1), (c0, c1, c2, c3))`"
            raise frame.refuse(
                place, "OX0308", f"mismatched types: {what} is a tuple of {count} `u32`, and this is {describe(value)}", help=help
            )
        parts = place.elts if isinstance(place, ast.Tuple) else [place] * count
        words += [Typed(convert(frame, part, item, U32, what)) for item, part in zip(value.items, parts, strict=True)]
    found = library(frame, node, "philox", "philox_4x32_10", words)
    assert isinstance(found, TupleValue)
    return found


call("random.philox")(_drawn)


def _distributed(function: str, words: int) -> Callable[[Frame, ast.Call], Front]:
    """Numbers of a distribution, each call of the function on so many of the words."""

    def handler(frame: Frame, node: ast.Call) -> Front:
        drawn = [one.value for one in _drawn(frame, node).items if isinstance(one, Typed)]
        out: list[Value] = []
        for at in range(0, 4, words):
            out += called(frame, node, f"random_{function}", lambda: written("draws", function), drawn[at : at + words])
        return TupleValue(tuple(map(Typed, out)))

    return handler


call("random.uniform")(_distributed("uniform_f32", 1))
call("random.uniform_f64")(_distributed("uniform_f64", 2))
call("random.normal")(_distributed("normal_f32", 2))
call("random.normal_f64")(_distributed("normal_f64", 4))
