"""Names of CUDA C++, numba, NumPy, Triton and Warp in a kernel: the message says what they are called here."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import operator
import re
from typing import Any

import numpy as np
import pytest
from frontend.running import refused
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy.frontend.cuda_names import _NAMES, _PATTERNS

HELP = {
    "y[0] = f32(cuda.threadIdx.x)": "`thread`, `block`, `grid`",
    "y[0] = f32(cuda.grid(1))": "`thread`, `block`, `grid`",
    "y[0] = f32(threadIdx.x)": "its name is `thread.idx`",
    "y[0] = f32(tl.program_id(0))": "`thread.index_1d()` is its index",
    "y[0] = f32(wp.tid())": "`thread.index_1d()`",
    "__syncthreads()": "its name is `block.sync()`",
    "__syncwarp()": "its name is `warp.sync()`",
    "y[0] = ox.warp.shfl_down(f, 1)": "its name is `warp.shuffle_down(value, n)`",
    "y[0] = __shfl_xor_sync(1, f, 1)": "its name is `warp.shuffle_xor(value, n)`",
    "y[0] = ox.warp.broadcast(f, 0)": "its name is `warp.shuffle(value, lane)`",
    "y[0] = f32(__ballot_sync(1, f > 0.0))": "its name is `warp.ballot(condition)`",
    "y[0] = f32(ox.warp.warpsize)": "its name is `warp.size`",
    "ox.atomic.inc(y, 0, 1.0)": "`atomic.add(x, i, 1)` counts",
    "ox.atomic.cas(y, 0, 1.0, 2.0)": "its name is `atomic.compare_exchange(x, i, expected, new)`",
    "ox.atomic.exch(y, 0, 1.0)": "its name is `atomic.exchange(x, i, value)`",
    "atomicMax(y, 0, 1.0)": "its name is `atomic.max(x, i, value)`",
    "y[0] = f32(__popc(n))": "its name is `bits.popcount(x)`",
    "y[0] = f32(__umulhi(n, n))": "its name is `bits.mul_hi(x, y)`",
    "y[0] = __ldg(y, 0)": "write `x[i]`",
    "y[0] = __ldcs(y, 0)": 'write `ptx("ld.global.cs.f32 {out}, [{0}];", (x, i), result=f32)`',
    "__stwt(y, 0, f)": 'write `ptx("st.global.wt.f32 [{0}], {1};", (y, i), v)`',
    "y[0] = f32(__vmaxu4(n, n))": "`bits.unpack(u8, x)`",
    "y[0] = f32(__reduce_add_sync(1, n))": "its name is `warp.reduce_sum(value)`",
    "y[0] = f32(__reduce_xor_sync(1, n))": "its name is `warp.reduce_xor(value)`",
    "y[0] = f32(__activemask())": "its name is `warp.active.ballot(True)`",
    "y[0] = sqrtf(f)": "its name is `math.sqrt`",
    "y[0] = ox.math.sinf(f)": "its name is `math.sin`",
    "y[0] = fmaf(f, f, f)": "its name is `math.fma`",
    "y[0] = __fadd_rz(f, f)": "its name is `math.add_rz(x, y)`",
    "y[0] = __fmaf_rn(f, f, f)": "its name is `math.fma_rn(x, y, z)`",
    "y[0] = __frcp_rd(f)": "its name is `math.rcp_rd(x)`",
    "y[0] = f32(__float2int_ru(f))": "its name is `math.cast_ru(i32, x)`",
    "y[0] = f32(__float_as_uint(f))": "its name is `bits.cast(u32, x)`",
    "y[0] = __half2float(n)": "its name is `f32(h)`",
    "y[0] = __hadd2(f, f)": "halves and their pairs have operators",
    "y[0] = np.sign(f)": "math.copysign(1.0, x)",
    "y[0] = np.where(f > 0.0, f, 1.0)": "write `a if condition else b`",
    "y[0] = np.clip(f, 0.0, 1.0)": "write `min(max(x, low), high)`",
    "a = np.zeros(4)": "`local.array(f32, 4)`",
    "a = [0.0, 0.0]": "`local.array(f32, 4)`",
    "y[0] = ox.random.random()": "`random.uniform(key, counter)`",
    "y[0] = np.random.rand()": "`random.uniform(key, counter)`",
    "s = ox.shared.array(256, f32)": "the type comes first, then the shape: `array(f32, 256)`",
    "s = ox.shared.array((8, 8), f32)": "the type comes first, then the shape: `array(f32, (8, 8))`",
    "s = ox.shared.array((8, 8), dtype=f32)": "the type comes first, then the shape: `ox.shared.array(f32, (8, 8))`",
    "s = ox.local.array(shape=8, dtype=f32)": "the type comes first, then the shape: `ox.local.array(f32, 8)`",
    "s = ox.local.array(f32, shape=8)": "the type comes first, then the shape: `ox.local.array(f32, 8)`",
    "y[0] = np.finfo(np.float32).max": "a constant of the module",
    "y[0] = f32(tuple(x[k] for k in range(2))[0])": "write its items out",
    "y[0] = expf(f)": "its name is `math.exp`",
    "y[0] = __sinf(f)": "its name is `math.fast.sin`",
    "y[0] = ox.math.fmaf(f, f, f)": "its name is `math.fma`",
    "n = ox.thread.lane": "its name is `warp.lane`",
    "n = ox.thread.x": "did you mean `ox.thread.idx.x`?",
    "y[0] = x.sum()": "add its elements up in a `for` loop",
    "print('%f' % f)": "by an f-string",
    "print('{}'.format(f))": "by an f-string",
    "ox.block.sync": "call it: `ox.block.sync()`",
    "ox.thread.idx": "leave it out",
    "y.get_mut": "call it: `y.get_mut()`",
    "for k in ox.unroll(4):\n    y[k] = 0.0": "write `unroll(range(4))`",
    "ox.atomic.add(y, 1.0)": "it is called as `ox.atomic.add(slice, index, value, order, scope)`",
    "y[0] = f32(n & 0xFFFFFFFF)": "as `i32` these bits are `-1`; `u32` has the number",
}


def test_what_is_named_instead_is_there() -> None:
    """Every name that a message gives for a function of CUDA C++."""
    filled = {r"\1_\2": "add_rz", r"reduce_\1": "reduce_min", r"_\1": "_rz", r"\1": "exp"}
    texts = [*_NAMES.values(), *(text for _, text in _PATTERNS)]
    for old, new in filled.items():
        texts = [one.replace(old, new) for one in texts]
    dotted = {one for text in texts for one in re.findall(r"\b((?:bits|math|warp|block|barrier|debug)(?:\.\w+)+)", text)}
    assert len(dotted) > 30
    for one in dotted:
        assert operator.attrgetter(one)(ox), one
    for base in re.findall(r"\w+", _PATTERNS[-1][0]):
        assert base == "f" or hasattr(ox.math, base), base


@pytest.mark.parametrize("body", HELP)
def test_the_way_out(body: str) -> None:
    found: Any = refused(compiled(body, ox=ox, np=np))
    assert found.code in ("OX0425", "OX0658", "OX0308")
    assert found.help and HELP[body] in found.help, found
