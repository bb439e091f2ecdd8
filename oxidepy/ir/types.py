"""The types of kernel IR: scalars, structs with a fixed layout, memory objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal

Kind = Literal["bool", "int", "uint", "float"]
Members = type[Enum]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or truth value. `bits` is the width of the value; a bool takes one byte in memory."""

    name: str
    kind: Kind
    bits: int

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return max(self.bits // 8, 1)

    @property
    def align(self) -> int:
        return self.size

    @property
    def is_int(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def signed(self) -> bool:
        return self.kind == "int"

    @property
    def min(self) -> int:
        """Smallest integer of an integer type."""
        return -(1 << (self.bits - 1)) if self.kind == "int" else 0

    @property
    def max(self) -> int:
        """Largest integer of an integer type."""
        return (1 << (self.bits - 1)) - 1 if self.kind == "int" else (1 << self.bits) - 1

    def __str__(self) -> str:
        return self.name


BOOL = Scalar("bool", "bool", 1)
I8, I16, I32, I64 = (Scalar(f"i{bits}", "int", bits) for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (Scalar(f"u{bits}", "uint", bits) for bits in (8, 16, 32, 64))
F16 = Scalar("f16", "float", 16)
BF16 = Scalar("bf16", "float", 16)
F32 = Scalar("f32", "float", 32)
F64 = Scalar("f64", "float", 64)

SCALARS: dict[str, Scalar] = {one.name: one for one in (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64)}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct; `offset` in bytes from the struct's start. `enum`: the class whose members' numbers it holds."""

    name: str
    type: Scalar | Struct
    offset: int
    enum: Members | None = dataclasses.field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct with C layout. Structs live in memory and in parameters; as values they are taken apart into scalars by the frontend."""

    name: str
    fields: tuple[Field, ...]
    size: int
    align: int
    python: type | None = dataclasses.field(default=None, compare=False, repr=False)  # the class that it is the layout of

    @staticmethod
    def of(
        name: str, members: tuple[tuple[str, Scalar | Struct], ...], python: type | None = None, enums: Mapping[str, Members] | None = None
    ) -> Struct:
        """Lay the members out in order, each at its natural alignment, the size rounded up to the largest one."""
        fields: list[Field] = []
        offset, align = 0, 1
        for member, type_ in members:
            offset = -(-offset // type_.align) * type_.align
            fields.append(Field(member, type_, offset, (enums or {}).get(member)))
            offset += type_.size
            align = max(align, type_.align)
        return Struct(name, tuple(fields), -(-offset // align) * align, align, python)

    @staticmethod
    def array(element: Scalar | Struct, count: int, enum: Members | None = None) -> Struct:
        """`count` elements one after another, as a field of a struct: its fields are named by their number."""
        fields = tuple(Field(str(number), element, number * element.size, enum) for number in range(count))
        return Struct(f"{element.name}[{count}]", fields, count * element.size, element.align)

    @property
    def is_array(self) -> bool:
        return all(field.name == str(number) for number, field in enumerate(self.fields))

    def leaves(self, prefix: str = "", base: int = 0) -> tuple[tuple[str, Scalar, int], ...]:
        """Every scalar inside, in order, as (dotted path, type, byte offset)."""
        out: list[tuple[str, Scalar, int]] = []
        for field in self.fields:
            path = f"{prefix}.{field.name}" if prefix else field.name
            if isinstance(field.type, Struct):
                out.extend(field.type.leaves(path, base + field.offset))
            else:
                out.append((path, field.type, base + field.offset))
        return tuple(out)

    def __str__(self) -> str:
        return f"struct {self.name}"


# two halves in one register: as a value two scalars like any struct, in memory one aligned word
F16X2 = Struct("f16x2", (Field("x", F16, 0), Field("y", F16, 2)), 4, 4)
BF16X2 = Struct("bf16x2", (Field("x", BF16, 0), Field("y", BF16, 2)), 4, 4)
PAIRS = (F16X2, BF16X2)

Element = Scalar | Struct
_WORDS = {4: (U32,), 8: (U64,), 16: (U64, U64)}


def words(element: Element) -> tuple[Scalar, ...]:
    """The numbers as which a struct is accessed in one piece; none if it cannot be: it has 4, 8 or 16 bytes, and no gaps between them."""
    if isinstance(element, Scalar) or sum(leaf.size for _, leaf, _ in element.leaves()) != element.size:
        return ()
    return _WORDS.get(element.size, ())


Space = Literal["global", "shared", "local", "const", "cluster", "param"]
# cluster: shared memory of a block of the cluster; param: the tensor map that a parameter is
Access = Literal["shared", "disjoint", "exclusive", "raw"]  # Slice / DisjointSlice / SliceMut / Ptr; scratch memory is exclusive


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory object: where it lies, what its elements are, who may write it.

    `shared` is read-only for the whole launch; `disjoint` is written by at most one thread an element; `exclusive` by any. `raw` is written
    by any too, and may be the memory of another parameter: where a kernel writes it, even what is `shared` changes.
    """

    element: Element
    space: Space = "global"
    access: Access = "shared"

    def __str__(self) -> str:
        return f"mem<{self.element}, {self.space}, {self.access}>"


Type = Scalar | Memory
