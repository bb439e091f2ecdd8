"""Addresses in a block's shared memory, as numbers: an array is given one when it is first asked for.

An array that is aligned to 1024 bytes begins at a multiple of that; any other does not, so that what rests on more alignment than the array
has shows. Numbers stay below 2**18, as on hardware, where the arrays of a block fit its shared memory.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.hardware import Execution
from oxidepy.ir.interpreter.misuse import Misuse
from oxidepy.ir.interpreter.state import BlockState
from oxidepy.ir.interpreter.values import Array

_MOST = 1024


def base(state: BlockState, op: Op) -> int:
    """Where the object of an `alloc` begins."""
    if op not in state.addresses:
        behind = max((begin + len(state.scratch[one]) for one, begin in state.addresses.items()), default=0)
        align = int(op.attrs["align"])
        state.addresses[op] = -(-behind // _MOST) * _MOST + (align if align < _MOST else 0)
    return state.addresses[op]


def address(run: Execution) -> Sequence[Array]:
    """The row `shared.address`."""
    op = run.op.operands[0].owner
    assert isinstance(op, Op)
    return [(base(run.state, op) + run.place("p").at).astype(np.uint32)]


def read(run: Execution, at: Array, count: int) -> Array:
    """`count` bytes from each address on, all of one array: the shape of `at`, then the bytes."""
    state = run.state
    least, most = int(at.min()), int(at.max()) + count
    for op, begin in state.addresses.items():
        buffer = state.scratch[op]
        if begin <= least and most <= begin + len(buffer):
            return buffer[(at - begin)[..., None] + np.arange(count)]
    message = f"a matrix of `{run.row.name}` reaches from byte {least} to {most} of shared memory, which is no one array"
    raise Misuse(
        run.op, state, int(np.argmax(run.mask)), "OX7001", message, "look at the rows and the place that its descriptor was made of"
    )
