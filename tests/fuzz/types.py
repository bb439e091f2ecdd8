"""What the generator of random kernels knows of types: names, literals, data with edge values."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from oxidepy.ir.types import SCALARS, Scalar
from oxidepy.lang.scalars import cast, numpy_dtype

INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
HALVES = ("f16", "bf16") if find_spec("ml_dtypes") is not None else ("f16",)
FLOATS = (*HALVES, "f32", "f64")
NUMBERS = (*INTS, *FLOATS)
TYPES = (*NUMBERS, "bool")
SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-40, 3.5e30, math.inf, -math.inf, math.nan, 1.5, 7.0, 1e10, 2.0**31, -129.0, 1e300)


@dataclass(frozen=True)
class Param:
    """A parameter of a random kernel. kind: "slice", "out", "mut", "scalar"; of structs: "record", "records" (a slice of them)."""

    name: str
    kind: str
    type: str

    @property
    def annotation(self) -> str:
        kinds = {"slice": "Slice", "records": "Slice", "out": "DisjointSlice", "mut": "SliceMut"}
        return f"{kinds[self.kind]}[{self.type}]" if self.kind in kinds else self.type

    @property
    def written(self) -> bool:
        return self.kind in ("out", "mut")


def scalar(name: str) -> Scalar:
    return SCALARS[name]


def literal(rng: random.Random, type_: str) -> str:
    """A literal that a value of the type may meet; negative ones in parentheses."""
    if type_ == "bool":
        return rng.choice(("True", "False"))
    if type_ in FLOATS:
        return rng.choice(("0.0", "1.0", "0.5", "2.5", "(-1.5)", "3.0", "1e-3", "(-0.0)", "1024.0", '(float("inf"))', "7", "0.1"))
    bound = scalar(type_)
    value = rng.choice((0, 1, 2, 3, 5, 7, 8, 13, 31, 100, -1, -2, -7, bound.max, bound.min))
    value = max(value, bound.min)
    return str(value) if value >= 0 else f"({value})"


def nonzero(rng: random.Random, type_: str) -> str:
    value = rng.choice((1, 2, 3, 5, 7, 10, -1, -3, 100))
    if value < scalar(type_).min:
        value = -value
    return str(value) if value > 0 else f"({value})"


def python_value(rng: random.Random, type_: str) -> bool | int | float:
    """A scalar argument as Python gives it."""
    if type_ == "bool":
        return rng.random() < 0.5
    if type_ in FLOATS:
        value = rng.choice((*SPECIAL_FLOATS, rng.uniform(-10, 10)))
        return float(cast(scalar(type_), value))
    return _integer(rng, scalar(type_))


def data(rng: random.Random, type_: str, count: int) -> np.ndarray:
    """An array of the type, edge values among random ones."""
    if type_ == "bool":
        return np.array([rng.random() < 0.5 for _ in range(count)], np.bool_)
    if type_ in FLOATS:
        plain = [rng.uniform(-8, 8) * 2.0 ** rng.randrange(-3, 12) for _ in range(count)]
        values = [rng.choice(SPECIAL_FLOATS) if rng.random() < 0.2 else one for one in plain]
        return np.array([cast(scalar(type_), one) for one in values]).astype(numpy_dtype(scalar(type_)))
    return np.array([_integer(rng, scalar(type_)) for _ in range(count)], f"{type_[0]}{scalar(type_).size}")


def _integer(rng: random.Random, type_: Scalar) -> int:
    kind = rng.random()
    if kind < 0.5:
        return max(rng.randrange(-10, 20), type_.min)
    if kind < 0.65:
        return rng.choice((type_.min, type_.max, type_.min + 1, type_.max - 1))
    return rng.randint(type_.min, type_.max)
