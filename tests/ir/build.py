"""Helpers of the IR tests: one operation or a small kernel, run by the interpreter over arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from oxidepy.ir.core import Block, Builder, Kernel, Module, ParamInfo, Value
from oxidepy.ir.interpreter import run
from oxidepy.ir.interpreter.values import from_bits, to_bits
from oxidepy.ir.types import I32, Memory, Scalar
from oxidepy.ir.verifier import verify


def map_kernel(types: Sequence[Scalar], result: Scalar, body: Callable[[Builder, list[Value]], Value]) -> Module:
    """A kernel that writes out[i] = body(in0[i], in1[i], ...), one thread an element, in a block as large as the arrays."""
    names = [f"in{number}" for number in range(len(types))]
    params = [Value(Memory(type_), name) for type_, name in zip(types, names, strict=True)]
    params.append(Value(Memory(result, access="disjoint"), "out"))
    infos = [ParamInfo(name, "memory") for name in [*names, "out"]]
    kernel = Kernel("map", params, infos, Block(), coordinates=I32)
    build = Builder(kernel.body)
    index = build.value("intrinsic", type=I32, row="thread.global_id.x")
    values = [build.value("load", param, index, type=type_, offset=0) for param, type_ in zip(params, types, strict=False)]
    build.emit("store", [params[-1], index, body(build, values)], (), {"offset": 0})
    build.emit("return")
    module = Module(kernel)
    verify(module)
    return module


def to_bytes(type_: Scalar, values: Any) -> np.ndarray:
    if type_.kind == "bool":
        return np.asarray(values, np.bool_).astype(np.uint8)
    return np.ascontiguousarray(to_bits(type_, np.asarray(values))).view(np.uint8)


def from_bytes(type_: Scalar, raw: np.ndarray) -> np.ndarray:
    if type_.kind == "bool":
        return raw != 0
    return from_bits(type_, raw.view(f"u{type_.size}"))


def run_map(module: Module, types: Sequence[Scalar], result: Scalar, *inputs: Any) -> np.ndarray:
    count = len(inputs[0])
    out = np.zeros(count * result.size, np.uint8)
    args = [to_bytes(type_, values).copy() for type_, values in zip(types, inputs, strict=True)]
    assert run(module, [*args, out], (1, 1, 1), (count, 1, 1)) is None
    return from_bytes(result, out)


def apply(name: str, types: Sequence[Scalar], result: Scalar, *inputs: Any) -> np.ndarray:
    """One operation over arrays."""
    module = map_kernel(types, result, lambda build, values: build.emit(name, values, (result,)).result)
    return run_map(module, types, result, *inputs)
