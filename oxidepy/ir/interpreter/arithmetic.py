"""The table of pure operations: operand type → a function over arrays."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter import casts, floats, integers
from oxidepy.ir.interpreter.values import Array, full
from oxidepy.ir.types import Scalar

Pure = Callable[..., Array]
_FLOAT_OPERATIONS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "mod": floats.mod,
    "floordiv": floats.floordiv,
    "sqrt": np.sqrt,
}
_INTEGER_OPERATIONS: dict[str, Any] = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
_TYPED_INTEGER_OPERATIONS: dict[str, Callable[[Scalar], Pure]] = {
    "floordiv": integers.floordiv,
    "mod": integers.mod,
    "mulhi": integers.mulhi,
    "shl": integers.shl,
    "shr": integers.shr,
}
_OPERATIONS: dict[str, Any] = {
    "neg": np.negative,
    "abs": np.abs,
    "min": floats.minimum,
    "max": floats.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "popcount": integers.popcount,
    "clz": integers.clz,
    "ctz": integers.ctz,
    "brev": integers.brev,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "inbounds": integers.inbounds,
    "select": np.where,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "copysign": np.copysign,
}


def operation(name: str, type_: Scalar) -> Pure | None:
    """The meaning of an operation over one type."""
    if name == "fma":
        return floats.fma(type_)
    if type_.is_float and name in _FLOAT_OPERATIONS:
        return floats.rounded(type_, _FLOAT_OPERATIONS[name])
    if type_.is_int and name in _TYPED_INTEGER_OPERATIONS:
        return _TYPED_INTEGER_OPERATIONS[name](type_)
    if type_.is_int and name in _INTEGER_OPERATIONS:
        return _INTEGER_OPERATIONS[name]
    return _OPERATIONS.get(name)


def _table(op: Op) -> Pure:
    with np.errstate(all="ignore"):
        values = np.concatenate([full(1, op.result.scalar, one) for one in op.attrs["values"]])
    last = np.uint64(len(values) - 1)

    def read(index: Array) -> Array:
        numbers: Array = index.astype(np.int64).astype(np.uint64)  # a negative one is far outside
        found: Array = values[np.minimum(numbers, last)]
        return found

    return read


def pure(op: Op) -> Pure | None:
    """The meaning of a pure operation as a function of its operands' arrays, or None if it is none of these."""
    if not op.operands or not isinstance(op.operands[0].type, Scalar):
        return None
    if op.name == "table":
        return _table(op)
    if op.name == "cast":
        return casts.cast(op.operands[0].type, op.result.scalar)
    if op.name == "bitcast":
        return casts.bitcast(op.operands[0].type, op.result.scalar)
    return operation(op.name, op.operands[0].type)
