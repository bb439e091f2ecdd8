"""What Python has and kernels do not: the name of each construct, and what to write instead."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from oxidepy.frontend.cuda_names import of_cuda_cpp

if TYPE_CHECKING:
    from oxidepy.frontend.frame import Frame
    from oxidepy.frontend.report import Refused

_FIXED = "a thread has no heap: use scalars, a tuple of fixed length, `local.array(f32, 4)`, or write to a slice"
_LOOP = "write a `for` loop"

# syntax → (its name, what to write instead)
CONSTRUCTS: dict[type[ast.AST], tuple[str, str]] = {
    ast.List: ("a list", _FIXED),
    ast.Dict: ("a dict", _FIXED),
    ast.Set: ("a set", _FIXED),
    ast.ListComp: ("a list comprehension", _LOOP),
    ast.SetComp: ("a set comprehension", _LOOP),
    ast.DictComp: ("a dict comprehension", _LOOP),
    ast.GeneratorExp: ("a generator expression", _LOOP),
    ast.Await: ("`await`", "a kernel runs to its end; await the launch on the host"),
    ast.Yield: ("`yield`", "write results to a slice, or return a tuple"),
    ast.YieldFrom: ("`yield from`", "write results to a slice, or return a tuple"),
    ast.Starred: ("`*` unpacking", "name each element"),
    ast.Slice: ("slicing of what is no `Slice`, `SliceMut` or tuple, or assigning to a slice", "index the elements that you mean"),
    ast.AsyncFunctionDef: ("`async def`", "define a plain function beside the kernel"),
    ast.ClassDef: ("a class inside a kernel", "define a `@struct` class beside the kernel"),
    ast.Delete: ("`del`", "leave it out: registers are freed when a name is last used"),
    ast.Try: ("`try`", "test before: `if idx in c`, `assert`, or an early `return`"),
    ast.Raise: ("`raise`", 'write `assert condition, "text"`, which becomes a DevicePanic'),
    ast.Global: ("`global`", "write results to a slice"),
    ast.Nonlocal: ("`nonlocal`", "return the value, or write it to a slice"),
    ast.Import: ("an import inside a kernel", "import at the top of the module"),
    ast.ImportFrom: ("an import inside a kernel", "import at the top of the module"),
    ast.AsyncFor: ("`async for`", "write a plain `for`"),
    ast.AsyncWith: ("`async with`", "launch asynchronously from the host instead"),
    ast.MatMult: ("`@`", "write the sum of products as a loop"),
}
NEWER = {  # than Python 3.10
    "TryStar": CONSTRUCTS[ast.Try],
    "TypeAlias": ("a type alias inside a kernel", "define it beside the kernel"),
    "TemplateStr": ("a template string", "write an f-string"),
}
CONSTRUCTS.update({getattr(ast, name): entry for name, entry in NEWER.items() if hasattr(ast, name)})

# Python's built-ins that kernels do not have → what to write instead
COMPLEX = "a complex number is a `@struct` of its real and imaginary part"

BUILTINS: dict[str, str] = {
    "list": _FIXED,
    "dict": _FIXED,
    "set": _FIXED,
    "frozenset": _FIXED,
    "bytearray": _FIXED,
    "bytes": _FIXED,
    "str": 'write an f-string: `f"{x}"`',
    "repr": 'write an f-string: `f"{x}"`',
    "tuple": "write its items out: `(a, b, c)`",
    "sum": "add up in a `for` loop",
    "any": "write a loop, or `or`",
    "all": "write a loop, or `and`",
    "map": _LOOP,
    "filter": _LOOP,
    "sorted": "sort on the host, or write the exchange steps out",
    "open": "read the data on the host and pass it as a slice",
    "input": "pass the value as a parameter",
    "isinstance": "types in kernels are known when they are compiled; write one helper a type",
    "super": "call a plain function",
    "iter": _LOOP,
    "next": _LOOP,
    "complex": COMPLEX,
    "getattr": "name the attribute",
    "setattr": "name the attribute",
    "hasattr": "name the attribute",
    "eval": "write the expression out",
    "exec": "write the statements out",
    "hash": "mix the bits with `^`, `*` and `>>`",
    "type": "types in kernels are known when they are compiled; write one helper a type",
    "hex": 'write an f-string: `f"{x:#x}"`',
    "bin": 'write an f-string: `f"{x:#b}"`',
    "oct": 'write an f-string: `f"{x:#o}"`',
    "chr": 'write an f-string: `f"{x:c}"`',
    "ascii": 'write an f-string: `f"{x}"`',
    "format": 'write an f-string: `f"{x:.3f}"`',
    "ord": "write its number: that of `a` is 97",
    "id": "this thread's own number is `thread.index_1d().get()`",
}

# names of the kernel language whose capability is not in this version → what to write instead, where there is something
LATER: dict[str, str] = {
    "math": "write it with the functions that are there: `sqrt`, `exp`, `fma`, `floor`, …",
    "bits": "write it with `<<`, `>>`, `&` and `|`",
    "Ptr": "the address of a slice is `x.ptr()`",
    **dict.fromkeys(("Slice", "SliceMut", "DisjointSlice"), "a slice of n elements from a pointer on is `Slice.from_ptr(p, n)`"),
}

_TEXTURE = "there are no textures: read a slice, `image[row, col]`, clamp the indices and weigh the neighbours yourself"

_ATOMICS = {"Add": "add", "Sub": "sub", "Min": "min", "Max": "max", "And": "and_", "Or": "or_", "Xor": "xor", "Exch": "exchange"}
_WRAPS = "`atomic.add(x, i, 1)` counts; for one that wraps write a loop of `atomic.compare_exchange`"
_RANDOM = "`random.uniform(key, counter)` and `random.normal` of `oxidepy` have no state: count with the thread's own number"
_SPELLINGS = (("", ""), ("", "_sync"), ("__", "_sync"))  # of a warp's operations, the first of shuffles alone

# what CUDA C++, numba, NumPy and Triton call things → the same here
_CUDA: dict[str, str] = {
    "threadIdx": "its name is `thread.idx`; this thread's own index is `thread.index_1d()`",
    "blockIdx": "its name is `block.idx`",
    "blockDim": "its name is `block.dim`",
    "gridDim": "its name is `grid.dim`",
    "grid": "this thread's own index is `thread.index_1d()`, or `thread.index_2d_runtime(y)` in the rows of `y`",
    "gridsize": "its name is `grid.size`; for a loop write `for idx in thread.grid_stride(y)`",
    "syncthreads": "its name is `block.sync()`",
    "__syncthreads": "its name is `block.sync()`",
    "syncwarp": "its name is `warp.sync()`",
    "__syncwarp": "its name is `warp.sync()`",
    "threadfence": 'its name is `fence("device")`',
    "__threadfence": 'its name is `fence("device")`',
    "warpsize": "its name is `warp.size`",
    "warpSize": "its name is `warp.size`",
    "laneid": "its name is `warp.lane`",
    "thread_rank": "its name is `block.rank`, of a warp `warp.lane`",
    "cuda": "`thread`, `block`, `grid`, `warp`, `shared`, `local` and `atomic` have what `cuda` has; import them from `oxidepy`",
    "program_id": "the number of the block is `block.idx.x`",
    "tl": "a kernel is the work of one thread: `thread.index_1d()` is its index",
    "wp": "types and functions stand in `oxidepy`: `f32`, `math`, `atomic`; the index of the thread is `thread.index_1d()`",
    "tid": "this thread's own index is `thread.index_1d()`",
    **{f"atomic{name}": f"its name is `atomic.{own}(x, i, value)`" for name, own in _ATOMICS.items()},
    **dict.fromkeys(("cas", "compare_and_swap", "atomicCAS"), "its name is `atomic.compare_exchange(x, i, expected, new)`"),
    **dict.fromkeys(("exch", "swap"), "its name is `atomic.exchange(x, i, value)`"),
    **dict.fromkeys(("inc", "dec", "atomicInc", "atomicDec"), _WRAPS),
    **dict.fromkeys(("nanmax", "nanmin"), "its name is `atomic.max` or `atomic.min`: they ignore NaN"),
    **dict.fromkeys(("shfl", "shfl_sync", "__shfl_sync", "broadcast"), "its name is `warp.shuffle(value, lane)`"),
    **{
        f"{begin}shfl_{way}{end}": f"its name is `warp.shuffle_{way}(value, n)`"
        for begin, end in _SPELLINGS
        for way in ("up", "down", "xor")
    },
    **{
        f"{begin}{name}{end}": f"its name is `warp.{name}(condition)`" for begin, end in _SPELLINGS[1:] for name in ("ballot", "any", "all")
    },
    "where": "write `a if condition else b`",
    **dict.fromkeys(("clip", "clamp"), "write `min(max(x, low), high)`"),
    "sign": "write `math.copysign(1.0, x)`, or for integers `i32(x > 0) - i32(x < 0)`",
    "lerp": "write `a + (b - a) * t`",
    "gcd": "write it as a function: `while b != 0: a, b = b, a % b`",
    "isqrt": "write `i32(math.sqrt(f64(n)))`",
    "dist": "write `math.hypot(x1 - x2, y1 - y2)`",
    **dict.fromkeys(("prod", "fsum", "factorial", "comb", "perm", "lcm"), "write it as a function with a `for` loop"),
    **dict.fromkeys(("rotl", "rotate_left"), "write `bits.funnel_shift_left(x, x, n)`"),
    **dict.fromkeys(("rotr", "rotate_right"), "write `bits.funnel_shift_right(x, x, n)`"),
    "arange": "go through `range(n)` in a `for` loop",
    "array": "a few fixed numbers are a tuple; memory of a thread is `local.array(f32, 4)`, of a block `shared.array(f32, 256)`",
    **dict.fromkeys(("zeros", "empty", "ones", "full"), "memory of a thread is `local.array(f32, 4)`, of a block `shared.array(f32, 256)`"),
    **dict.fromkeys(("finfo", "iinfo"), "make what you need of it a constant of the module: `MAX = float(np.finfo(np.float32).max)`"),
    "lane": "its name is `warp.lane`",
    **dict.fromkeys(("random", "rand", "randn", "randint", "normalvariate", "xoroshiro128p_uniform_float32"), _RANDOM),
    **dict.fromkeys(("complex64", "complex128", "c64", "c128"), COMPLEX),
    **dict.fromkeys(("tex1D", "tex2D", "tex3D", "tex1d", "tex2d", "tex3d", "tex1Dfetch", "texture", "Texture", "surface"), _TEXTURE),
}

_OTHER = "write it with the constructs that kernels have"


def unsupported(frame: Frame, node: ast.AST) -> Refused:
    """OX0658 for a piece of syntax."""
    name, instead = CONSTRUCTS.get(type(node), (f"`{type(node).__name__}`", _OTHER))
    return frame.refuse(
        node if hasattr(node, "lineno") else frame.parsed.node, "OX0658", f"{name} is not supported in kernels", help=instead
    )


def of_cuda(name: str) -> str | None:
    """What a name of CUDA is called here: `threadIdx`, `cuda.threadIdx.x`, `cuda.grid`. None for other names."""
    parts = name.split(".")
    return next((_CUDA[part] for part in parts if part in _CUDA), None) or next(filter(None, map(of_cuda_cpp, parts)), None)


_SUMS = ("sum", "mean", "average", "prod", "dot", "vdot", "inner", "matmul", "cumsum", "any", "all", "argmax", "argmin", "amax", "amin")


def of_numpy(name: str) -> str | None:
    """What a function of NumPy that goes through an array is here."""
    return "go through the slice in a loop: `for v in x`" if name.startswith("numpy.") and name[6:] in _SUMS else None


def not_yet(frame: Frame, node: ast.AST, name: str) -> Refused:
    """OX0658 for a name of the language whose capability this version does not have."""
    help = LATER.get(name) or LATER.get(name.partition(".")[0], _OTHER)
    return frame.refuse(node, "OX0658", f"`{name}` is not supported in kernels yet", help=help)
