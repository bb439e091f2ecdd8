"""How values go to and from functions in C: the shapes of parameters, and what they are in PTX.

A shape is the name of a scalar, "ptr", or a tuple of shapes, a struct with the layout of C. Integers and bools of less than 32 bits go in
32, halves as the structs that they are in CUDA C++.
"""

from __future__ import annotations

from typing import Any

from oxidepy.ir.images import Slot
from oxidepy.ir.types import PAIRS, SCALARS, Element, Scalar, Struct

Shape = Any  # str | tuple[Shape, ...]

_C = {
    "bool": "bool", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long long", "u8": "unsigned char",
    "u16": "unsigned short", "u32": "unsigned int", "u64": "unsigned long long", "f16": "__half", "bf16": "__nv_bfloat16",
    "f32": "float", "f64": "double",
}  # fmt: skip


def shape_of(element: Element) -> Shape:
    return tuple(shape_of(one.type) for one in element.fields) if isinstance(element, Struct) else element.name


def passes(element: Element) -> bool:
    """Whether C passes it by value as bytes: packed halves have constructors in CUDA C++, and go by address."""
    return isinstance(element, Scalar) or (element not in PAIRS and all(passes(one.type) for one in element.fields))


def slot(element: Element) -> Slot:
    """A parameter or result of that type in PTX."""
    if isinstance(element, Struct):
        return element.size, element.align
    if element.is_float and element.bits == 16:
        return 2, 2
    return max(element.size, 4), 0


def leaves(shape: Shape, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Scalar]]:
    """The scalars of a struct with the ways to them."""
    if isinstance(shape, str):
        return [(path, SCALARS[shape])]
    return [leaf for number, one in enumerate(shape) for leaf in leaves(one, (*path, number))]


def c_name(element: Element) -> str:
    """The type in CUDA C++."""
    return f"struct {element.name}" if isinstance(element, Struct) else _C[element.name]
