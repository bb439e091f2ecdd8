"""What the backend's tests compile: kernels of many operations at once, their inputs, and how they are run on the CPU."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oxidepy.backend import cpu, cpu_jit, targets
from oxidepy.backend.artefact import Artefact
from oxidepy.ir.core import Block, Builder, Kernel, Module, ParamInfo, Value
from oxidepy.ir.interpreter.values import DTYPES, from_bits, to_bits
from oxidepy.ir.ops import OPS
from oxidepy.ir.parser import parse_module
from oxidepy.ir.types import BOOL, F64, I32, SCALARS, Memory, Scalar
from oxidepy.ir.verifier import verify
from oxidepy.settings.options import CodegenOptions

OPTIONS = CodegenOptions()
NO_LINES = CodegenOptions(lineinfo=False)
TYPES = tuple(SCALARS.values())
NUMBERS = tuple(one for one in TYPES if one.kind != "bool")
_SKIPPED = {"const", "undef", "load", "store", "intrinsic", "call", "check", "select", "table", "map_shared", "cast", "bitcast", "inbounds"}
_APPLIES: dict[str, Callable[[Scalar], bool]] = {
    "any": lambda one: True,
    "int": lambda one: one.is_int,
    "float": lambda one: one.is_float,
    "number": lambda one: one.kind != "bool",
    "bool": lambda one: one.kind == "bool",
}
_BITS = {"and", "or", "xor", "not"}


@dataclass(frozen=True)
class Case:
    """One operation over one operand type; `result` is its type."""

    op: str
    type: Scalar
    result: Scalar

    @property
    def operands(self) -> int:
        return OPS[self.op].operands

    def __str__(self) -> str:
        return f"{self.op} {self.type}" + (f" -> {self.result}" if self.op in ("cast", "bitcast") else "")


def cases(type_: Scalar) -> list[Case]:
    """Every pure operation that takes that type."""
    found: list[Case] = []
    for info in OPS.values():
        if info.name in _SKIPPED or info.effect != "pure" or not _APPLIES[info.types](type_) or (info.name in _BITS and type_.is_float):
            continue
        found.append(Case(info.name, type_, BOOL if info.result == "bool" else type_))
    found.append(Case("select", type_, type_))
    if type_.is_int:
        found.append(Case("inbounds", type_, BOOL))
    found += [Case("cast", type_, other) for other in TYPES]
    found += [Case("bitcast", type_, other) for other in NUMBERS if other.bits == type_.bits]
    return found


def batch(type_: Scalar, name: str = "batch") -> tuple[Module, list[Case]]:
    """One kernel of all operations of a type, an element a thread: in0, in1, in2, divisor (never 0), flag; an output a case."""
    found = cases(type_)
    inputs = [("in0", type_), ("in1", type_), ("in2", type_), ("divisor", type_), ("flag", BOOL)]
    params = [Value(Memory(one), label) for label, one in inputs]
    params += [Value(Memory(case.result, access="disjoint"), f"out{number}") for number, case in enumerate(found)]
    kernel = Kernel(name, params, [ParamInfo(one.name, "memory") for one in params], Block(), coordinates=I32)
    build = Builder(kernel.body)
    index = build.value("intrinsic", type=I32, row="thread.global_id.x")
    a, b, c, divisor, flag = (build.value("load", param, index, type=param.memory.element, offset=0) for param in params[:5])
    for number, case in enumerate(found):
        operands = [a, divisor if case.op in ("floordiv", "mod") and type_.is_int else b, c][: case.operands]
        if case.op == "select":
            operands = [flag, a, b]
        result = build.emit(case.op, operands, (case.result,)).result
        build.emit("store", [params[5 + number], index, result], (), {"offset": 0})
    build.emit("return")
    module = Module(kernel)
    verify(module)
    return module, found


def edges(type_: Scalar) -> np.ndarray:
    """Values at which operations change their mind, in the interpreter's holding type."""
    if type_.kind == "bool":
        return np.array([False, True])
    if type_.is_int:
        near = [0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 2**24 + 1, 2**53 + 1, 2**62 + 2**38 + 1]
        values = {one for base in near for one in (base, -base)} | {type_.min, type_.min + 1, type_.max, type_.max - 1, type_.max // 3}
        return np.array(sorted(one for one in values if type_.min <= one <= type_.max), DTYPES[type_.name])
    return _float_edges(type_)


def _float_edges(type_: Scalar) -> np.ndarray:
    plain = [0.0, 0.1, 0.5, 0.75, 1.0, 1.5, 2.5, 3.0, 3.5, 7.0, 10.0, 127.5, 255.0, 256.0, 32768.0, 65504.0, 1e10]
    plain += [2.0**31, 2.0**32, 2.0**63, 2.0**64]
    bits = type_.bits
    mantissa = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[type_.name]
    infinite = ((1 << (bits - mantissa - 1)) - 1) << mantissa
    corners = [1, 2, 3, (1 << mantissa) - 1, 1 << mantissa, (1 << mantissa) + 1, infinite - 1, infinite - 2, infinite]
    corners.append(infinite | 1 << (mantissa - 1))
    one = ((1 << (bits - mantissa - 2)) - 1) << mantissa
    corners += [one + 1, one - 1]
    unsigned = np.dtype(f"u{bits // 8}")
    positive = np.concatenate([_rounded(type_, plain), from_bits(type_, np.array(corners, unsigned))])
    return np.concatenate([positive, -positive])


def _rounded(type_: Scalar, values: Sequence[float]) -> np.ndarray:
    from oxidepy.ir.interpreter.casts import cast

    with np.errstate(all="ignore"):
        return cast(F64, type_)(np.array(values, np.float64))


def inputs(type_: Scalar, count: int, seed: int = 7) -> list[np.ndarray]:
    """Five input arrays as bytes, in the order of `batch`: all pairs of edges first, then random bits."""
    random = np.random.default_rng(seed)
    found = edges(type_)
    pairs = np.array([(a, b) for a in range(len(found)) for b in range(len(found))])
    if len(pairs) > count * 3 // 4:
        pairs = pairs[random.permutation(len(pairs))[: count * 3 // 4]]
    rest = count - len(pairs)

    def column(first: np.ndarray) -> np.ndarray:
        if type_.kind == "bool":
            return np.concatenate([first, random.integers(0, 2, rest) != 0])
        if type_.is_int:
            loose = random.integers(type_.min, type_.max, rest, dtype=DTYPES[type_.name], endpoint=True)
        else:
            loose = from_bits(type_, random.integers(0, 1 << type_.bits, rest, dtype=np.uint64).astype(f"u{type_.size}"))
        return np.concatenate([first, loose])

    a, b, c = column(found[pairs[:, 0]]), column(found[pairs[:, 1]]), column(found[random.integers(0, len(found), len(pairs))])
    divisor = np.where(b == 0, np.ones_like(b), b)
    flag = random.integers(0, 2, count) != 0
    return [*(raw(type_, one) for one in (a, b, c, divisor)), raw(BOOL, flag)]


def raw(type_: Scalar, values: np.ndarray) -> np.ndarray:
    """The bytes of values in memory."""
    if type_.kind == "bool":
        return values.astype(np.uint8)
    return np.ascontiguousarray(to_bits(type_, np.ascontiguousarray(values))).view(np.uint8).copy()


def same(type_: Scalar, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Which elements are the same: all NaNs are one."""
    if type_.kind == "bool":
        return left == right
    a, b = left.view(f"u{type_.size}"), right.view(f"u{type_.size}")
    if not type_.is_float:
        return a == b
    return (a == b) | (np.isnan(from_bits(type_, a)) & np.isnan(from_bits(type_, b)))


def parse(text: str) -> Module:
    module = parse_module(text)
    verify(module)
    return module


_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
NUMPY_OF = {"bool": "u1", "bf16": "u2"} | {one.name: DTYPES[one.name].str for one in (*NUMBERS,) if one.name != "bf16"}


class CpuKernel:
    """A module compiled for this machine and loaded."""

    def __init__(self, module: Module, options: CodegenOptions = OPTIONS, target: targets.Target | None = None) -> None:
        self.module = module
        self.artefact: Artefact = cpu.emit(module, target or targets.cpu_target(), options)
        self.code = cpu_jit.load(self.artefact.code, self.artefact.entry)

    def run(
        self, args: Sequence[Any], grid: tuple[int, int, int] = (1, 1, 1), blocks: tuple[int, int] | None = None
    ) -> tuple[int, np.ndarray]:
        """What the entry gave, and the record. `args`: bytes of memory, numbers for scalars."""
        slots = np.zeros((len(args) + 1, 8), np.uint8)
        for slot, param, value in zip(slots, self.artefact.params, args, strict=False):
            if param.kind == "memory":
                slot[:] = np.array([value.ctypes.data], np.uint64).view(np.uint8)
            else:
                number = np.array([value], NUMPY_OF[param.type]).view(np.uint8)
                slot[: len(number)] = number
        record = np.zeros(64, np.uint8)
        slots[len(args)] = np.array([record.ctypes.data], np.uint64).view(np.uint8)
        launch = np.array([*grid, *self.module.kernel.block], np.int32)
        first, end = blocks if blocks is not None else (0, grid[0] * grid[1] * grid[2])
        return _ENTRY(self.code.address)(slots.ctypes.data, launch.ctypes.data, first, end), record
