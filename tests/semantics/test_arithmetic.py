"""Every operator on every type, over edge values, against Python's own numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from semantics.batch import DEVICES, dtype, load

import oxidepy as ox

INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def limits(type_: str) -> tuple[int, int]:
    info = np.iinfo(dtype(type_))
    return int(info.min), int(info.max)


def wrap(value: int, type_: str) -> int:
    low, high = limits(type_)
    return (value - low) % (high - low + 1) + low


def shifted(a: int, count: int, type_: str, left: bool) -> int:
    width = dtype(type_).itemsize * 8
    if 0 <= count < width:
        return a << count if left else a >> count
    return 0 if left or a >= 0 else -1


INT_OPS: dict[str, Callable[[int, int, str], int]] = {
    "+": lambda a, b, t: a + b,
    "-": lambda a, b, t: a - b,
    "*": lambda a, b, t: a * b,
    "//": lambda a, b, t: a // b,
    "%": lambda a, b, t: a % b,
    "<<": lambda a, b, t: shifted(a, b, t, True),
    ">>": lambda a, b, t: shifted(a, b, t, False),
    "&": lambda a, b, t: a & b,
    "|": lambda a, b, t: a | b,
    "^": lambda a, b, t: a ^ b,
}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def kernels() -> str:
    text = ""
    for type_ in (*INTS, "f32", "f64"):
        ops = tuple(INT_OPS) if type_ in INTS else ("+", "-", "*", "/", "//", "%")
        outs = [f"o{number}: DisjointSlice[{type_}]" for number in range(len(ops))]
        outs += [f"c{number}: DisjointSlice[bool]" for number in range(len(COMPARISONS))]
        lines = [f"            o{number}[idx] = x {op} y" for number, op in enumerate(ops)]
        lines += [f"            c{number}[idx] = x {op} y" for number, op in enumerate(COMPARISONS)]
        params = ", ".join([f"a: Slice[{type_}], b: Slice[{type_}]", *outs])
        guards = " and ".join(f"idx in {one.split(':')[0]}" for one in outs)
        text += f"\n@kernel\ndef all_{type_}({params}) -> None:\n    idx = thread.index_1d()\n"
        text += f"    if {guards}:\n        x, y = a[idx], b[idx]\n        if True:\n" + "\n".join(lines) + "\n"
    return text


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load(kernels(), tmp_path_factory.mktemp("arithmetic"))


def launch(kernel: Any, device: str, inputs: list[np.ndarray], outputs: list[np.dtype[Any]]) -> list[np.ndarray]:
    stream = ox.Context(device).default_stream()
    count = len(inputs[0])
    made = [ox.DeviceBuffer.zeros(stream, count, one) for one in outputs]
    kernel.launch(stream, *(ox.DeviceBuffer.from_host(stream, one) for one in inputs), *made)
    return [one.to_host(stream) for one in made]


def compare(a: Any, b: Any) -> list[bool]:
    return [a < b, a <= b, a > b, a >= b, a == b, a != b]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", INTS)
def test_integers(type_: str, device: str, module: Any) -> None:
    low, high = limits(type_)
    values = sorted(one for one in {low, low + 1, -7, -2, -1, 1, 2, 3, 7, 31, 32, 64, 100, high - 1, high} - {0} if low <= one <= high)
    pairs = list(itertools.product([*values, 0], values))  # nothing is divided by zero here
    inputs = [np.array(side, dtype(type_)) for side in zip(*pairs, strict=True)]
    got = launch(getattr(module, f"all_{type_}"), device, inputs, [dtype(type_)] * len(INT_OPS) + [np.dtype(bool)] * len(COMPARISONS))
    for (name, exact), out in zip(INT_OPS.items(), got, strict=False):
        wanted = [wrap(exact(a, b, type_), type_) for a, b in pairs]
        wrong = [
            f"{a} {name} {b} = {one}, wanted {two}" for (a, b), one, two in zip(pairs, out.tolist(), wanted, strict=True) if one != two
        ]
        assert not wrong, wrong[:5]
    told = list(zip(*(one.tolist() for one in got[len(INT_OPS) :]), strict=True))
    assert told == [tuple(compare(a, b)) for a, b in pairs]


def nearest(exact: Fraction, type_: str) -> float:
    """The float of the type that is nearest to the exact value, ties to the even one."""
    bits, lowest, highest = {"f32": (24, -149, 128), "f64": (53, -1074, 1024)}[type_]
    if exact == 0:
        return 0.0
    sign, size = (-1.0 if exact < 0 else 1.0), abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - bits + 1, lowest)
    rounded = round(size / unit) * unit  # Python rounds a Fraction's ties to even
    return sign * (math.inf if rounded >= Fraction(2) ** highest else float(rounded))


FLOATS = (0.0, 1.0, -1.0, 0.5, 3.0, -7.0, 2.5, 1e-3, 1e10, -1e10, 123456.789, 2.0**-130, -1e-40, 3e38, -3e38, 1 + 2.0**-12)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_floats(type_: str, device: str, module: Any) -> None:
    kind = dtype(type_)
    values = [float(kind.type(one)) for one in FLOATS] + ([1e300, 5e-324, -1e-310] if type_ == "f64" else [])
    pairs = list(itertools.product(values, [one for one in values if one != 0]))
    inputs = [np.array(side, kind) for side in zip(*pairs, strict=True)]
    got = launch(getattr(module, f"all_{type_}"), device, inputs, [kind] * 6 + [np.dtype(bool)] * 6)
    exact: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "//": lambda a, b: Fraction(a // b),
        "%": lambda a, b: a % b,
    }
    for (name, function), out in zip(exact.items(), got, strict=False):
        wanted = [nearest(function(Fraction(a), Fraction(b)), type_) for a, b in pairs]
        wrong = [
            f"{a} {name} {b} = {one}, wanted {two}" for (a, b), one, two in zip(pairs, out.tolist(), wanted, strict=True) if one != two
        ]
        assert not wrong, (len(wrong), wrong[:5])
    told = list(zip(*(one.tolist() for one in got[6:]), strict=True))
    assert told == [tuple(compare(a, b)) for a, b in pairs]


FUSED = """
@kernel
def {name}(
    a: Slice[{type}], b: Slice[{type}], c: Slice[{type}],
    o: DisjointSlice[{type}], p: DisjointSlice[{type}], q: DisjointSlice[{type}], r: DisjointSlice[{type}], s: DisjointSlice[{type}],
) -> None:
    idx = thread.index_1d()
    if idx in o and idx in p and idx in q and idx in r and idx in s:
        x, y, z = a[idx], b[idx], c[idx]
        o[idx] = x * y + z
        p[idx] = z - x * y
        q[idx] = x * y - x * z
        t = x * y
        r[idx] = t + z
        z += x * y
        s[idx] = z
"""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_fusing(type_: str, device: str, tmp_path: Path) -> None:
    """A product that is directly an operand of + or - is rounded with it, once; with `fmad=False` nothing is, as in NumPy."""
    off = FUSED.replace("@kernel", "@kernel(fmad=False)")
    module = load(FUSED.format(name="on", type=type_) + off.format(name="off", type=type_), tmp_path)
    kind = dtype(type_)
    rng = np.random.default_rng(1)
    inputs = [(rng.standard_normal(200) * 10.0 ** rng.integers(-3, 4, 200)).astype(kind) for _ in range(3)]
    special = [
        (1 + 2.0**-12, 1 + 2.0**-12, 2.0**-60),
        (1 + 2.0**-12, 1 - 2.0**-12, -1.0),
        (2.0**-100, 2.0**-40, 2.0**-130),
        (3.0, 5.0, -15.0),
    ]
    inputs = [np.concatenate([one, np.array(more, kind)]) for one, more in zip(inputs, zip(*special, strict=True), strict=True)]
    a, b, c = inputs
    fused = launch(module.on, device, inputs, [kind] * 5)
    exact = [[Fraction(float(value)) for value in one] for one in inputs]
    product = a * b
    wanted = [
        [nearest(x * y + z, type_) for x, y, z in zip(*exact, strict=True)],
        [nearest(z - x * y, type_) for x, y, z in zip(*exact, strict=True)],
        [nearest(x * y - Fraction(float(w)), type_) for x, y, w in zip(*exact[:2], a * c, strict=True)],
        (product + c).tolist(),
        [nearest(x * y + z, type_) for x, y, z in zip(*exact, strict=True)],
    ]
    for name, got, due in zip("opqrs", fused, wanted, strict=True):
        assert got.tolist() == due, name
    assert fused[0].tolist() != (product + c).tolist()  # else this would say nothing
    plain = launch(module.off, device, inputs, [kind] * 5)
    for name, got, due in zip("opqrs", plain, (product + c, c - product, product - a * c, product + c, c + product), strict=True):
        assert got.tolist() == due.tolist(), name
