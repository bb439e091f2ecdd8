"""Scalars as LLVM writes them: types and constants."""

from __future__ import annotations

import struct

from oxidepy.ir.types import Scalar

_FLOATS = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}


def llvm_type(scalar: Scalar) -> str:
    """The type of a value: integers carry no sign in LLVM, bools are i1."""
    return _FLOATS[scalar.name] if scalar.kind == "float" else f"i{scalar.bits}"


def memory_type(scalar: Scalar) -> str:
    """The type in memory and in parameters: a bool is a byte."""
    return "i8" if scalar.kind == "bool" else llvm_type(scalar)


def constant(scalar: Scalar, value: bool | int | float) -> str:
    """The constant as LLVM text."""
    if scalar.kind == "bool":
        return "true" if value else "false"
    if scalar.kind != "float":
        return str(int(value))
    number = float(value)
    if scalar.name == "f64":
        return f"0x{_bits64(number):016X}"
    if scalar.name == "f32":
        return f"0x{_bits64(_single(number)):016X}"  # LLVM writes a float as the double of the same value
    return f"0x{'H' if scalar.name == 'f16' else 'R'}{half_bits(scalar, number):04X}"


def half_bits(scalar: Scalar, number: float) -> int:
    """The 16 bits of a number in f16 or bf16, rounded once, to nearest even."""
    if scalar.name == "bf16":
        return _bfloat_bits(number)
    try:
        return int.from_bytes(struct.pack("<e", number), "little")
    except OverflowError:
        return 0x7C00 if number > 0 else 0xFC00


def _bits64(number: float) -> int:
    return 0x7FF8000000000000 if number != number else int.from_bytes(struct.pack("<d", number), "little")


def _single(number: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _bfloat_bits(number: float) -> int:
    if number != number:
        return 0x7FC0
    single = _single(number)
    bits = int.from_bytes(struct.pack("<f", single), "little")
    if single != number:  # to odd first, so that the second rounding sees on which side the exact value lies
        if abs(single) > abs(number):
            bits -= 1
        bits |= 1
    if bits & 0x7FFFFFFF >= 0x7F800000:
        return bits >> 16
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
