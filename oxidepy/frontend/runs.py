"""Runs of neighbouring elements that belong to one thread: `thread.index_run`, the strides of runs, `run.clip`."""

from __future__ import annotations

import ast

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import source
from oxidepy.frontend.dispatch import METHODS, call
from oxidepy.frontend.domain import domain_is
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import meets, one_axis, widen
from oxidepy.frontend.values import Front, GridStride, Run, SliceValue, Witness, describe, known_integer
from oxidepy.ir.core import Value
from oxidepy.ir.types import I64
from oxidepy.lang.definition import IndexSpace

LONGEST = 1024  # elements of a run: each is an access of its own in the code


@call("thread.index_run")
def _index_run(frame: Frame, node: ast.Call) -> Front:
    (count,) = arguments(frame, node, 1)
    domain_is(frame, node, 1)
    place = node.args[0]
    known = known_integer(count)
    if known is None:
        raise frame.refuse(
            place,
            "OX0308",
            f"mismatched types: the length of a run is an integer known at compile time, and this is {describe(count)}",
            help="use a constant of the module or a `Const` parameter",
        )
    if not 1 <= known <= LONGEST:
        raise frame.refuse(place, "OX0308", f"a run of {known} elements: it has 1 to {LONGEST}")
    return _run(frame, IndexSpace("Runs", known), widen(frame, frame.lowering.intrinsic("thread.global_id.x"), I64))


def _run(frame: Frame, space: IndexSpace, number: Value) -> Run:
    """The run of that number, an i64. Its elements are told apart exactly: 2**31 threads times the longest run fit."""
    builder = frame.builder
    return Run(space, builder.value("mul", number, builder.const(I64, space.width or 1)))


def stride(frame: Frame, slice: SliceValue) -> GridStride:
    """`thread.grid_stride(c)` over runs: this thread's own, then every `grid.size` further; the last one may reach outside."""
    builder, space = frame.builder, slice.space
    assert space is not None and space.width is not None
    start, step, length = (
        widen(frame, one, I64)
        for one in (frame.lowering.intrinsic("thread.global_id.x"), frame.lowering.intrinsic("grid.size"), slice.lengths[0])
    )
    over = builder.value("add", length, builder.const(I64, space.width - 1))
    count = builder.value("floordiv", over, builder.const(I64, space.width))
    return GridStride(start, count, step, lambda inner, number: _run(inner, space, number))


def _clip(frame: Frame, node: ast.Call, owner: Front) -> Front:
    """`run.clip(c)`: the elements of the run that are inside, one after the other."""
    assert isinstance(owner, Run)
    (slice,) = arguments(frame, node, 1)
    place = node.args[0]
    if not isinstance(slice, SliceValue):
        raise frame.refuse(place, "OX0308", f"mismatched types: `{source(node.func)}` takes a slice, and this is {describe(slice)}")
    one_axis(frame, place, slice)
    if slice.kind == "DisjointSlice":
        meets(frame, place, slice, owner)
    builder = frame.builder
    end = builder.value("add", owner.first, builder.const(I64, owner.width))
    stop = builder.value("min", end, widen(frame, slice.lengths[0], I64))

    def item(inner: Frame, number: Value) -> Witness:
        return Witness(owner.space, widen(inner, number, inner.lowering.coordinate), number)

    return GridStride(owner.first, stop, builder.const(I64, 1), item)


METHODS["clip"] = _clip
