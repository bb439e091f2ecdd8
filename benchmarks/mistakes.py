"""The same ten mistakes for each tool, each in a program. `# <-` marks the lines that may be named; `{}` takes the kernel's lines."""

from __future__ import annotations

MISTAKES: dict[str, str] = {
    "undefined": "undefined name",
    "indices": "wrong number of indices",
    "types": "one name, two types in two branches",
    "try": "`try`/`except`",
    "norm": "`np.linalg.norm`",
    "misspelt": "misspelt library function",
    "mixed": "int × float without cast",
    "string": "store a string into `f32`",
    "returns": "kernel returns a value",
    "count": "wrong argument count at launch",
}

OXIDEPY = """
import numpy as np
import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, i32, kernel, launch_contract, math, thread


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def k(x: Slice[f32], n: i32, y: DisjointSlice[f32]) -> None:{returned}
    idx = thread.index_1d()
{}


if __name__ == "__main__":
    stream = ox.Context("cpu").default_stream()
    x, y = ox.DeviceBuffer.zeros(stream, 4, f32), ox.DeviceBuffer.zeros(stream, 4, f32)
    k.launch(stream, {arguments}
"""

NUMBA = """
import math
import numpy as np
from numba import cuda, float32, int32


def k(x, n, y):
    i = cuda.grid(1)
{}


cuda.compile_ptx(k, (float32[:], int32, float32[:]), cc=(9, 0))
"""

TRITON = """
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def k(x, n, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
{}


source = triton.compiler.ASTSource(k, {{"x": "*fp32", "n": "i32", "y": "*fp32", "B": "constexpr"}}, {{(3,): 128}})
triton.compile(source, target=GPUTarget("cuda", 90, 32))
"""

WARP = """
import numpy as np
import warp as wp

wp.config.quiet = True


@wp.kernel
def k(x: wp.array(dtype=wp.float32), n: wp.int32, y: wp.array(dtype=wp.float32)):
    i = wp.tid()
{}


x, y = wp.zeros(4, dtype=wp.float32, device="cpu"), wp.zeros(4, dtype=wp.float32, device="cpu")
wp.launch(k, dim=4, inputs={arguments}
"""

CUTILE = """
import io
import cuda.tile as ct
import cuda.tile.compilation as cc
import numpy as np


@ct.kernel
def k(x, n, y):
    i = ct.bid(0)
{}


array = cc.ArrayConstraint(ct.float32, 1, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False)
signature = cc.KernelSignature([array, cc.ScalarConstraint(ct.int32), array], cc.CallingConvention.cutile_python_v1())
cc.export_kernel(k, [signature], io.BytesIO(), gpu_code="sm_100", output_format="tileir_bytecode", bytecode_version="13.1")
"""

# tool -> (its program, mistake -> the lines of the kernel). A mistake that is missing cannot be made there, or not without a GPU.
TOOLS: dict[str, tuple[str, dict[str, str]]] = {
    "oxidepy": (
        OXIDEPY,
        {
            "undefined": "if idx in y:\n    y[idx] = x[idx] * scale  # <-",
            "indices": "if idx in y:\n    y[idx] = x[idx.get(), 0]  # <-",
            "types": "if idx in y:\n    if n > 3:\n        v = n  # <-\n    else:\n        v = x[idx]  # <-\n    y[idx] = f32(v)  # <-",
            "try": "try:  # <-\n    y[idx] = x[idx]\nexcept IndexError:\n    pass",
            "norm": "if idx in y:\n    y[idx] = np.linalg.norm(x)  # <-",
            "misspelt": "if idx in y:\n    y[idx] = math.sqr(x[idx])  # <-",
            "mixed": "if idx in y:\n    y[idx] = n * x[idx]  # <-",
            "string": 'if idx in y:\n    y[idx] = "one"  # <-',
            "returns": "if idx in y:\n    y[idx] = x[idx]\nreturn x[0]",
            "count": "if idx in y:\n    y[idx] = x[idx]",
        },
    ),
    "numba-cuda": (
        NUMBA,
        {
            "undefined": "if i < y.size:\n    y[i] = x[i] * scale  # <-",
            "indices": "if i < y.size:\n    y[i] = x[i, 0]  # <-",
            "types": 'if n > 3:  # <-\n    v = n  # <-\nelse:\n    v = "one"  # <-\ny[i] = v  # <-',
            "try": "try:  # <-\n    y[i] = x[i]\nexcept IndexError:\n    pass",
            "norm": "y[i] = np.linalg.norm(x)  # <-",
            "misspelt": "y[i] = math.sqr(x[i])  # <-",
            "mixed": "y[i] = n * x[i]  # <-",
            "string": 'y[i] = "one"  # <-',
            "returns": "y[i] = x[i]\nreturn x[0]  # <-",
        },
    ),
    "Triton": (
        TRITON,
        {
            "undefined": "tl.store(y + i, tl.load(x + i) * scale)  # <-",
            "indices": "tl.store(y + i, tl.load(x + i)[:, 0])  # <-",
            "types": "if n > 3:  # <-\n    v = n  # <-\nelse:\n    v = 2.7  # <-\ntl.store(y + i, v)",
            "try": "try:  # <-\n    tl.store(y + i, tl.load(x + i))\nexcept IndexError:\n    pass",
            "norm": "tl.store(y + i, np.linalg.norm(x))  # <-",
            "misspelt": "tl.store(y + i, tl.sqr(tl.load(x + i)))  # <-",
            "mixed": "tl.store(y + i, n * tl.load(x + i))  # <-",
            "string": 'tl.store(y + i, "one")  # <-',
            "returns": "tl.store(y + i, tl.load(x + i))\nreturn n  # <-",
        },
    ),
    "Warp": (
        WARP,
        {
            "undefined": "y[i] = x[i] * scale  # <-",
            "indices": "y[i] = x[i, 0]  # <-",
            "types": "if n > 3:  # <-\n    v = n  # <-\nelse:\n    v = x[i]  # <-\ny[i] = wp.float32(v)  # <-",
            "try": "try:  # <-\n    y[i] = x[i]\nexcept IndexError:\n    pass",
            "norm": "y[i] = np.linalg.norm(x)  # <-",
            "misspelt": "y[i] = wp.sqr(x[i])  # <-",
            "mixed": "y[i] = n * x[i]  # <-",
            "string": 'y[i] = "one"  # <-',
            "returns": "y[i] = x[i]\nreturn x[0]  # <-",
            "count": "y[i] = x[i]",
        },
    ),
    "cuTile": (
        CUTILE,
        {
            "undefined": "ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(128,)) * scale)  # <-",
            "indices": "ct.store(y, index=(i,), tile=ct.load(x, index=(i, 0), shape=(128,)))  # <-",
            "types": "t = ct.load(x, index=(i,), shape=(128,))\nif n > 3:  # <-\n    v = n  # <-\nelse:\n    v = t  # <-\n"
            "ct.store(y, index=(i,), tile=v)",
            "try": "try:  # <-\n    t = ct.load(x, index=(i,), shape=(128,))\nexcept IndexError:\n    pass",
            "norm": "ct.store(y, index=(i,), tile=np.linalg.norm(x))  # <-",
            "misspelt": "ct.store(y, index=(i,), tile=ct.sqr(ct.load(x, index=(i,), shape=(128,))))  # <-",
            "mixed": "ct.store(y, index=(i,), tile=n * ct.load(x, index=(i,), shape=(128,)))  # <-",
            "string": 'ct.store(y, index=(i,), tile="one")  # <-',
            "returns": "ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(128,)))\nreturn n  # <-",
        },
    ),
}


def program(tool: str, mistake: str) -> str | None:
    """The whole text of a wrong program, None where the mistake cannot be made with the tool."""
    frame, kernels = TOOLS[tool]
    if mistake not in kernels:
        return None
    body = "\n".join("    " + line for line in kernels[mistake].split("\n"))
    wrong = mistake == "count"
    arguments = {"oxidepy": "x, 1, y{})", "Warp": '[x, 1, y{}], device="cpu")'}.get(tool, "").format(", y" if wrong else "")
    text = frame.format(body, arguments=arguments + ("  # <-" if wrong else ""), returned="")
    if tool == "oxidepy" and mistake == "returns":
        text = text.replace("-> None:", "-> f32:  # <-")
    return text.lstrip("\n")
