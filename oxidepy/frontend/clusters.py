"""`cluster`: where a block stands in its cluster, the barrier of the cluster, shared memory of its other blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import convert
from oxidepy.frontend.dispatch import PROPERTIES, call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import BOUNDS, needs_unsafe, widen
from oxidepy.frontend.values import NONE, Front, SliceValue, Typed, describe
from oxidepy.ir.core import Value
from oxidepy.ir.types import I32, Memory

AXES = "xyz"


def shape_of(frame: Frame, node: ast.AST, name: str) -> tuple[int, int, int]:
    """Blocks of a cluster along each axis. OX2001 in a kernel without clusters."""
    found = frame.lowering.definition.cluster
    if found is None:
        message = f"`{name}` is of the cluster of the block, and this kernel is launched without clusters"
        raise frame.refuse(node, "OX2001", message, help="write `@cluster_launch(2)` beside `@kernel`")
    return found


# ---- where the block stands: clusters cut the grid, whose extents are multiples of theirs


def _coordinate(frame: Frame, axis: int, extent: int) -> Value:
    lowering, builder = frame.lowering, frame.builder
    if extent == 1:
        return builder.const(lowering.coordinate, 0)
    return builder.value("mod", lowering.intrinsic(f"block.idx.{AXES[axis]}"), builder.const(lowering.coordinate, extent))


def _idx(axis: int) -> Callable[[Frame, ast.AST], Front]:
    name = f"cluster.idx.{AXES[axis]}"
    return lambda frame, node: Typed(_coordinate(frame, axis, shape_of(frame, node, name)[axis]))


def _dim(axis: int) -> Callable[[Frame, ast.AST], Front]:
    name = f"cluster.dim.{AXES[axis]}"
    return lambda frame, node: Typed(frame.builder.const(frame.lowering.coordinate, shape_of(frame, node, name)[axis]))


for _axis in range(3):
    PROPERTIES[f"cluster.idx.{AXES[_axis]}"] = _idx(_axis)
    PROPERTIES[f"cluster.dim.{AXES[_axis]}"] = _dim(_axis)


def _size(frame: Frame, node: ast.AST) -> Front:
    x, y, z = shape_of(frame, node, "cluster.size")
    return Typed(frame.builder.const(I32, x * y * z))


def _rank(frame: Frame, node: ast.AST) -> Front:
    x, y, z = shape_of(frame, node, "cluster.rank")
    builder = frame.builder
    total = builder.const(I32, 0)
    for axis, extent, stride in ((0, x, 1), (1, y, x), (2, z, x * y)):
        if extent > 1:
            part = widen(frame, _coordinate(frame, axis, extent), I32)
            part = builder.value("mul", part, builder.const(I32, stride)) if stride > 1 else part
            total = part if total.constant == 0 else builder.value("add", total, part)
    return Typed(total)


PROPERTIES["cluster.size"] = _size
PROPERTIES["cluster.rank"] = _rank


# ---- its barrier


def _barrier(row: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        arguments(frame, node, 0)
        shape_of(frame, node, row)
        frame.builder.emit("intrinsic", (), (), {"row": row})
        return NONE

    return handler


for _row in ("cluster.sync", "cluster.arrive", "cluster.wait"):
    call(_row)(_barrier(_row))


# ---- shared memory of its blocks


@call("cluster.map_shared")
def _map_shared(frame: Frame, node: ast.Call) -> Front:
    array, rank = arguments(frame, node, 2)
    blocks = shape_of(frame, node, "cluster.map_shared")
    if not isinstance(array, SliceValue) or array.memory.memory.space != "shared":
        message = f"mismatched types: `cluster.map_shared` takes a shared array, and this is {describe(array)}"
        raise frame.refuse(node.args[0], "OX0308", message, help="other blocks see what `shared.array` and `shared.dynamic` give")
    reason = needs_unsafe(frame, node, "`cluster.map_shared`", "what another block does with its memory is not proven")
    return replace(array, memory=mapped(frame, node, array.memory, rank, blocks, reason))


def mapped(frame: Frame, node: ast.Call, memory: Value, rank: Front, blocks: tuple[int, int, int], reason: str) -> Value:
    """A shared object of this block as it is in the block of that rank. The rank is checked."""
    x, y, z = blocks
    builder = frame.builder
    number, size = convert(frame, node.args[-1], rank, I32, "the rank"), builder.const(I32, x * y * z)
    known = number.constant
    if known is not None and not 0 <= known < x * y * z:
        raise frame.refuse(node.args[-1], "OX5001", f"the cluster has {x * y * z} blocks, and none of rank {known}")
    if not frame.trusted:
        builder.check(builder.value("inbounds", number, size), BOUNDS, "rank out of bounds of the cluster", number, size)
    type_ = Memory(memory.memory.element, "cluster", "exclusive")
    found = builder.emit("map_shared", (memory, number), (type_,), {"unsafe": reason}).result
    found.name = memory.name
    return found
