"""Helpers of the SIMT tests: kernels as text, run over arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from ir.build import from_bytes, to_bytes

from oxidepy.ir.interpreter import Panic, run
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import SCALARS
from oxidepy.ir.verifier import verify

Triple = tuple[int, int, int]


def module_of(params: dict[str, str], body: str, facts: str = "domain 1 block 256x1x1 coordinates i32"):
    """A kernel whose parameters are `name: type`: "f32" a scalar, "f32[]" memory that it may write. %tid and %i are there."""
    kinds = {
        name: (f"mem<{type_[:-2]}, global, exclusive>", "memory") if type_[-1] == "]" else (type_, "scalar")
        for name, type_ in params.items()
    }
    lines = [f'%{name}: {type_} = {role} "{name}"' for name, (type_, role) in kinds.items()]
    head = '%tid = intrinsic "thread.idx.x" : i32\n%i = intrinsic "thread.global_id.x" : i32\n'
    module = parse_module(f"kernel @k({', '.join(lines)}) {facts} {{\n{head}{body}\nreturn\n}}\n")
    verify(module)
    assert print_module(parse_module(print_module(module))) == print_module(module)
    return module


def run_text(
    params: dict[str, str], body: str, args: dict[str, Any], grid: Triple | int = 1, block: Triple | int = 32, facts: str | None = None
) -> tuple[dict[str, np.ndarray], Panic | None]:
    """Run the kernel; the memory arguments as they are afterwards, and the panic."""
    block = (block, 1, 1) if isinstance(block, int) else block
    grid = (grid, 1, 1) if isinstance(grid, int) else grid
    module = module_of(params, body, facts or f"domain 1 block {block[0]}x{block[1]}x{block[2]} coordinates i32")
    raw = {name: to_bytes(SCALARS[type_[:-2]], args[name]).copy() if type_.endswith("[]") else args[name] for name, type_ in params.items()}
    panic = run(module, list(raw.values()), grid, block)
    out = {name: from_bytes(SCALARS[params[name][:-2]], value) for name, value in raw.items() if isinstance(value, np.ndarray)}
    return out, panic


def bits_of(values: np.ndarray) -> list[bytes]:
    return [one.tobytes() for one in np.asarray(values)]
