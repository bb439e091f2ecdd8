"""How much dynamic shared memory a launch needs: counts as expressions that the host evaluates, with the device's own wrapping.

An expression is plain data: a number; `["param", k, type]`, the value of the k-th parameter of the artefact; `["grid", axis, type]`,
the grid's extent; or `[operation, type, operand…]` with an operation of kernel IR. Each value wraps in its type.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.core import Kernel, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import BOOL, SCALARS, Scalar

Expression = Any  # int, or a list as above: what JSON can hold

_AXES = "xyz"


def _shl(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def _shr(a: int, b: int) -> int:
    return a >> (b if 0 <= b < 64 else 64)


def _compare(name: str) -> Callable[[int, int], int]:
    test: Callable[[int, int], bool] = getattr(operator, name)
    return lambda a, b: int(test(a, b))


_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": _shl,
    "shr": _shr,
    **{name: _compare(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}
_UNARY: dict[str, Callable[[int], int]] = {"neg": lambda a: -a, "cast": lambda a: a}


def expression(kernel: Kernel, value: Value) -> Expression:
    """The count as an expression of what the host knows. CompileError OX0658 where it depends on anything else."""
    if value in kernel.params:
        if isinstance(value.type, Scalar) and value.type.is_int:
            return ["param", kernel.params.index(value), value.type.name]
        raise _unknown(value)
    op = value.owner
    constant = value.constant
    if constant is not None:
        return int(constant)
    if not isinstance(op, Op) or not (value.scalar.is_int or value.scalar == BOOL):
        raise _unknown(value)
    if op.name == "intrinsic":
        return _coordinate(kernel, op)
    if op.name not in _BINARY and op.name not in _UNARY:
        raise _unknown(value)
    if op.name in ("floordiv", "mod") and not op.operands[1].constant:
        raise _unknown(value)
    return [op.name, value.scalar.name, *(expression(kernel, one) for one in op.operands)]


def _coordinate(kernel: Kernel, op: Op) -> Expression:
    name, type_ = ROWS[op.attrs["row"]].name, op.result.scalar.name
    space, _, axis = name.rpartition(".")
    if space == "block.dim":
        return kernel.block[_AXES.index(axis)]
    if space == "grid.dim":
        return ["grid", _AXES.index(axis), type_]
    if name == "grid.size":
        x, y, z = kernel.block
        blocks = ["mul", type_, ["mul", type_, ["grid", 0, type_], ["grid", 1, type_]], ["grid", 2, type_]]
        return ["mul", type_, blocks, x * y * z]
    raise _unknown(op.result)


def _unknown(value: Value) -> CompileError:
    op = value.owner
    return CompileError(
        [
            Diagnostic(
                "OX0658",
                "the count of dynamic shared memory is not known when the kernel is launched",
                op.span if isinstance(op, Op) else None,
                label="the host cannot evaluate this",
                help="compute it from parameters, lengths, `block.dim` and `grid.dim` with integer arithmetic, or pass it as a parameter",
            )
        ]
    )


def evaluate(tree: Expression, values: Sequence[Any], grid: tuple[int, int, int]) -> int:
    """The number that an expression stands for. `values`: the launch's, one a parameter of the artefact."""
    if isinstance(tree, int):
        return tree
    name, type_, *operands = cast("list[Any]", tree)
    if name == "grid":
        axis: int = type_
        return grid[axis]
    if name == "param":
        return int(values[type_])
    scalar = SCALARS[type_]
    numbers = [evaluate(one, values, grid) for one in operands]
    found = _UNARY[name](numbers[0]) if name in _UNARY else _BINARY[name](numbers[0], numbers[1])
    return (found - scalar.min) % (1 << scalar.bits) + scalar.min


def shared_memory(kernel: Kernel) -> tuple[int, list[list[Any]]]:
    """The bytes of all shared objects of a constant size, and the others as pieces of `dynamic_bytes`: the same on every device."""
    static, pieces = 0, list[list[Any]]()
    for op in kernel.body.walk():
        if op.name != "alloc" or op.result.memory.space != "shared":
            continue
        element = op.result.memory.element
        align = max(int(op.attrs["align"]), element.align)
        if op.operands:
            pieces.append([expression(kernel, op.operands[0]), element.size, align])
        else:
            static = -(-static // align) * align + int(op.attrs["count"]) * element.size
    return static, pieces


def dynamic_bytes(pieces: Sequence[Sequence[Any]], values: Sequence[Any], grid: tuple[int, int, int]) -> int:
    """The bytes of dynamic shared memory that a launch must ask for; `pieces` is the artefact's fact "shared_dynamic".

    Each piece, `[count, size, align]`, begins at the next multiple of `align` bytes behind the one before; a negative count is 0.
    """
    end = 0
    for count, size, align in pieces:
        end = -(-end // align) * align + max(evaluate(count, values, grid), 0) * size
    return end
