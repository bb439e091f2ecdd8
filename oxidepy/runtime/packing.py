"""How launch values become bytes: one 8-byte slot a parameter, the value at its start. CPU entries and CUDA launches read the same
layout."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

from oxidepy.backend.artefact import AbiParam

_CODES = {
    "bool": "?7x", "i8": "b7x", "i16": "h6x", "i32": "i4x", "i64": "q", "u8": "B7x", "u16": "H6x", "u32": "I4x", "u64": "Q",
    "f16": "e6x", "f32": "f4x", "f64": "d", "bf16": "H6x",
}  # fmt: skip


def packer(params: Sequence[AbiParam], panics: bool, coarse: bool = False, barrier: bool = False) -> struct.Struct:
    """Packs the values of a launch; behind them, where there are such, the grid of a coarse kernel, the addresses of the panic record and
    of the barrier of the grid."""
    codes = ["Q" if one.kind in ("memory", "tensor_map") else _CODES[one.type] for one in params]
    return struct.Struct("<" + "".join(codes) + (_CODES["i32"] if coarse else "") + "Q" * (panics + barrier))


class Arguments:
    """Memory for the values of one launch: the slots, and an array of pointers to them."""

    __slots__ = ("_pointers", "buffer", "pointers", "slots")

    def __init__(self, size: int) -> None:
        size = max(size, 8)
        self.buffer = (ctypes.c_char * size)()
        self.slots = ctypes.addressof(self.buffer)
        self._pointers = (ctypes.c_void_p * (size // 8))(*(self.slots + 8 * number for number in range(size // 8)))
        self.pointers = ctypes.addressof(self._pointers)

    def point(self, number: int, address: int) -> None:
        """Let a value be what lies at that address, however large it is."""
        self._pointers[number] = address
