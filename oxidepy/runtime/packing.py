"""How launch values become bytes: one 8-byte slot a parameter, the value at its start. CPU entries and CUDA launches read the same
layout."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

from oxidepy.backend.artefact import AbiParam
from oxidepy.ir.record import record

_CODES = {
    "bool": "?7x", "i8": "b7x", "i16": "h6x", "i32": "i4x", "i64": "q", "u8": "B7x", "u16": "H6x", "u32": "I4x", "u64": "Q",
    "f16": "e6x", "f32": "f4x", "f64": "d", "bf16": "H6x",
}  # fmt: skip


def packer(params: Sequence[AbiParam], panics: bool, coarse: bool = False, barrier: bool = False) -> struct.Struct:
    """Packs the values of a launch; behind them, where there are such, the grid of a coarse kernel, the addresses of the panic record and
    of the barrier of the grid."""
    codes = ["Q" if one.kind in ("memory", "tensor_map") else _CODES[one.type] for one in params]
    return struct.Struct("<" + "".join(codes) + (_CODES["i32"] if coarse else "") + "Q" * (panics + barrier))


@record
class Layout:
    """How the values of a launch lie where a parameter is more than a number: `packer` of all numbers, `places` of the parameters."""

    packer: struct.Struct
    places: tuple[int, ...]


def layout(params: Sequence[tuple[int, Sequence[tuple[str, int]]]]) -> Layout:
    """For parameters of C, each its bytes and its numbers: IR type, or "ptr", and offset. Each begins at a multiple of 8."""
    codes, places, at = "<", list[int](), 0
    for size, numbers in params:
        places.append(at)
        inside = 0
        for type_, offset in numbers:
            code = "Q" if type_ == "ptr" else _CODES[type_][0]
            codes += f"{offset - inside}x{code}"
            inside = offset + struct.calcsize(code)
        whole = -(-size // 8) * 8
        codes += f"{whole - inside}x"
        at += whole
    return Layout(struct.Struct(codes), tuple(places))


class Arguments:
    """Memory for the values of one launch: the slots, and an array of pointers to them, or to `places` in them."""

    __slots__ = ("_pointers", "buffer", "pointers", "slots")

    def __init__(self, size: int, places: Sequence[int] | None = None) -> None:
        size = max(size, 8)
        where = range(0, size, 8) if places is None else places
        self.buffer = (ctypes.c_char * size)()
        self.slots = ctypes.addressof(self.buffer)
        self._pointers = (ctypes.c_void_p * (size // 8))(*(self.slots + place for place in where))
        self.pointers = ctypes.addressof(self._pointers)

    def point(self, number: int, address: int) -> None:
        """Let a value be what lies at that address, however large it is."""
        self._pointers[number] = address
