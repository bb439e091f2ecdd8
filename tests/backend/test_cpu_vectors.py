"""Exchanges of whole warps and the arithmetic between them, done on vectors on the CPU."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from backend.kernels import edges, raw
from backend.simt import NUMBERS, SHUFFLES, kernel
from backend.test_cpu_simt import assert_same

from oxidepy.backend import cpu
from oxidepy.backend.targets import cpu_target
from oxidepy.ir.types import SCALARS
from oxidepy.settings.options import CodegenOptions

COUNTS = (0, 1, 2, 7, 16, 31, 32, -1, -40)


def program(type_: str, seed: int, size: int) -> str:
    """Exchanges by constants with arithmetic in between, under no branch or under one that whole warps take or not, or parts of them."""
    random = Random(seed)
    scalar = SCALARS[type_]
    names = ["add", "sub", "mul", "min", "max"] if scalar.kind != "bool" else ["and", "or", "xor"]
    names += ["and", "or", "xor"] if scalar.is_int else []
    lines = ['%i = intrinsic "thread.global_id.x" : i32', *(f"{one} = load %x, %i [offset = 0] : {type_}" for one in ("%v0", "%k"))]
    lines += [
        '%t = intrinsic "thread.idx.x" : i32',
        f"%part = const {size} : i32",
        "%go = lt %t, %part : bool",
        f"%end = if %go : {type_} {{",
    ]
    now = "%v0"
    for number in range(1, 9):
        shuffle, width = random.choice(SHUFFLES), random.choice((32, 32, 16, 4, 1))
        lines.append(f"%c{number} = const {random.choice(COUNTS)} : i32")
        mask = "full" if size % 32 == 0 else "active"
        lines.append(f'%s{number} = intrinsic "warp.{shuffle}" {now}, %c{number} [mask = "{mask}", width = {width}] : {type_}')
        other = random.choice((now, "%k"))
        lines.append(f"%v{number} = {random.choice(names)} %s{number}, {other} : {type_}")
        now = random.choice((f"%v{number}", f"%v{number}", f"%s{number}"))
    lines += [f"yield {now}", "} else {", "yield %v0", "}", "store %out, %i, %end [offset = 0]"]
    return "\n".join(lines)


@pytest.mark.parametrize("size", [96, 64, 40])
@pytest.mark.parametrize("type_", [*NUMBERS, "bool"])
def test_exchanges_and_arithmetic(type_: str, size: int) -> None:
    scalar = SCALARS[type_]
    params = f"x: mem<{type_}, global, shared>; out: mem<{type_}, global, exclusive>"
    x = raw(scalar, np.random.default_rng(size).choice(edges(scalar), 192))
    module = kernel(params, program(type_, size, size), "domain 1 block 96x1x1 coordinates i32")
    assert_same(module, [x, np.zeros(192 * scalar.size, np.uint8)], (2, 1, 1))


@pytest.mark.parametrize("name", ["sum", "min", "max", "and", "or", "xor"])
@pytest.mark.parametrize("type_", ["i32", "u32"])
def test_reductions_of_whole_warps(name: str, type_: str) -> None:
    body = f"""
      %i = intrinsic "thread.global_id.x" : i32
      %v = load %x, %i [offset = 0] : {type_}
      %all = intrinsic "warp.reduce_{name}" %v [mask = "full", width = 32] : {type_}
      store %out, %i, %all [offset = 0]
    """
    x = np.random.default_rng(3).integers(0, 1 << 32, 128, np.uint32)
    params = f"x: mem<{type_}, global, shared>; out: mem<{type_}, global, exclusive>"
    assert_same(kernel(params, body, "domain 1 block 64x1x1"), [x, np.zeros(128, np.uint32)], (2, 1, 1))


def test_a_butterfly_stays_in_registers() -> None:
    body = ['%i = intrinsic "thread.global_id.x" : i32', "%v0 = load %x, %i [offset = 0] : f32"]
    for number, count in enumerate((16, 8, 4, 2, 1)):
        body.append(f"%c{number} = const {count} : i32")
        body.append(f'%s{number} = intrinsic "warp.shuffle_xor" %v{number}, %c{number} [mask = "full", width = 32] : f32')
        body.append(f"%v{number + 1} = add %v{number}, %s{number} : f32")
    body.append("store %out, %i, %v5 [offset = 0]")
    module = kernel("x: mem<f32, global, shared>; out: mem<f32, global, exclusive>", "\n".join(body), "domain 1 block 64x1x1")
    lines = cpu.optimised_llvm(module, cpu_target(), CodegenOptions()).splitlines()
    assert sum("shufflevector" in line for line in lines) >= 5
    assert sum("fadd <" in line for line in lines) >= 5
