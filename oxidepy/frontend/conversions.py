"""`convert`: calls of the functions of `lang/functions/narrow`, a variant for every rounding, clamping and saturation asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from oxidepy.frontend.calls import arguments, flag, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.library import written
from oxidepy.frontend.maths import called
from oxidepy.frontend.pairs import both, half_of, of_word, word
from oxidepy.frontend.values import Front, Literal, StructValue, Text, Typed, describe
from oxidepy.ir.core import Value
from oxidepy.ir.types import BF16X2, F16X2, F32, U8, U16, Struct

MODES = ("rn", "rz", "rna")


def _flags(frame: Frame, node: ast.Call, modes: Sequence[str], names: Sequence[str]) -> tuple[str, dict[str, bool]]:
    """The rounding (the first of `modes` unless said), and which of these flags are on: known at compile time."""
    given = keywords(frame, node)
    flags = {name: flag(frame, given, name) for name in names}
    if "rounding" not in given:
        return modes[0] if modes else "", flags
    value, place = given["rounding"]
    if not isinstance(value, Text) or value.value not in modes:
        shown = f'"{value.value}"' if isinstance(value, Text) else describe(value)
        help = "it is one of " + ", ".join(f'"{one}"' for one in modes)
        raise frame.refuse(place, "OX0308", f"mismatched types: `rounding` of `{source(node.func)}` is {shown}", help=help)
    return value.value, flags


def _call(frame: Frame, node: ast.Call, leaf: str, values: Sequence[Value], rounding: str, flags: dict[str, bool]) -> Value:
    """The variant's name in the module says all that is fixed in it."""
    symbol = "_".join((leaf, *((rounding,) if rounding else ()), *(name for name, on in flags.items() if on)))
    fixed = [Literal(one) for one in (*((MODES.index(rounding),) if rounding else ()), *(int(on) for on in flags.values()))]
    return called(frame, node, f"convert_{symbol}", lambda: written("narrow", leaf), values, fixed)[0]


# ---- f16, bf16, tf32

_RANGED = ("relu", "satfinite")
_KEYWORDS = ("rounding", *_RANGED)


def _f32(frame: Frame, node: ast.Call, values: Sequence[Front]) -> list[Value]:
    return [convert(frame, place, value, F32, "the argument") for value, place in zip(values, node.args, strict=False)]


def _to_pair(layout: Struct, single: bool) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        values = _f32(frame, node, arguments(frame, node, 1 if single else 2, keywords=_KEYWORDS))
        rounding, flags = _flags(frame, node, MODES[:2], _RANGED)
        if rounding == "rn" and not any(flags.values()):  # the cast
            return (
                _cast(frame, values[0], layout)
                if single
                else StructValue(layout, tuple(both(frame, lambda side: _cast(frame, values[side], layout))))
            )
        if single:
            values.append(frame.builder.const(F32, 0.0))
        found = of_word(frame, layout, _call(frame, node, f"{layout.name}_f32", values, rounding, flags))
        return found.fields[0] if single else found

    return handler


def _cast(frame: Frame, value: Value, layout: Struct) -> Front:
    return Typed(frame.builder.value("cast", value, type=half_of(layout)))


for _layout in (F16X2, BF16X2):
    call(f"convert.to_{_layout.name}")(_to_pair(_layout, False))
    call(f"convert.to_{half_of(_layout)}")(_to_pair(_layout, True))


@call("convert.to_tf32")
def _to_tf32(frame: Frame, node: ast.Call) -> Front:
    values = _f32(frame, node, arguments(frame, node, 1, keywords=_KEYWORDS))
    rounding, flags = _flags(frame, node, MODES[::-1], _RANGED)
    return Typed(_call(frame, node, "tf32_f32", values, rounding, flags))


# ---- fp8


def _to_codes(name: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        first, *rest = arguments(frame, node, 1, 2, keywords=("relu",))
        _, flags = _flags(frame, node, (), ("relu",))
        if isinstance(first, StructValue) and first.layout == F16X2 and not rest:
            return Typed(_call(frame, node, f"{name}_f16x2", [word(frame, first)], "", flags))
        if len(rest) != 1:
            help = f"write `{source(node.func)}(x, y)` of two `f32`, or of one `f16x2`"
            message = f"mismatched types: `{source(node.func)}` of one value takes an `f16x2`, and this is {describe(first)}"
            raise frame.refuse(node, "OX0308", message, help=help)
        return Typed(_call(frame, node, f"{name}_f32", _f32(frame, node, (first, *rest)), "", flags))

    return handler


def _to_code(name: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        values = _f32(frame, node, arguments(frame, node, 1, keywords=("relu",)))
        _, flags = _flags(frame, node, (), ("relu",))
        both = _call(frame, node, f"{name}x2_f32", [*values, frame.builder.const(F32, 0.0)], "", flags)
        return Typed(frame.builder.value("cast", both, type=U8))

    return handler


def _from_codes(name: str, single: bool) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        (value,) = arguments(frame, node, 1, keywords=("relu",))
        _, flags = _flags(frame, node, (), ("relu",))
        code = convert(frame, node.args[0], value, U8 if single else U16, "the argument")
        if single:
            code = frame.builder.value("cast", code, type=U16)
        found = of_word(frame, F16X2, _call(frame, node, f"f16x2_{name}x2", [code], "", flags))
        return found.fields[0] if single else found

    return handler


for _name in ("e4m3", "e5m2"):
    call(f"convert.to_{_name}")(_to_code(_name))
    call(f"convert.to_{_name}x2")(_to_codes(f"{_name}x2"))
    call(f"convert.from_{_name}")(_from_codes(_name, True))
    call(f"convert.from_{_name}x2")(_from_codes(_name, False))
