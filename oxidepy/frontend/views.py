"""Views: parts of a slice that are slices themselves. Nothing is copied: an index of a view is computed into one of the whole slice.

a[i:j]  a[i:j:step]     neighbours, or every step-th element, of a slice of one axis
a.row(i)  a.col(j)      of two axes
a.tile(i, j, (R, C))    the tile in row i and column j of tiles of R x C; smaller at the edges
a.plane(i)              of three axes
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import constant, convert, source
from oxidepy.frontend.dispatch import METHODS, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import BOUNDS, inside, negative, position, widen
from oxidepy.frontend.values import Front, SliceValue, TupleValue, describe, known_integer
from oxidepy.ir.core import Value
from oxidepy.ir.types import I64

VIEWS = {1: (), 2: ("row", "col", "tile"), 3: ("plane",)}  # axes → its methods


def _strides(frame: Frame, slice: SliceValue) -> tuple[Value, ...]:
    """How many elements of the memory lie between neighbours along each axis."""
    if slice.strides is not None:
        return slice.strides
    builder, coordinate = frame.builder, frame.lowering.coordinate
    found = [builder.const(coordinate, 1)]
    for extent in reversed(slice.lengths[1:]):
        wide = widen(frame, extent, coordinate)
        found.insert(0, wide if found[0].constant == 1 else builder.value("mul", found[0], wide))
    return tuple(found)


def _view(slice: SliceValue, name: str, origin: Value, lengths: tuple[Value, ...], strides: tuple[Value, ...]) -> SliceValue:
    return replace(slice, name=name, origin=origin, lengths=lengths, strides=strides)


def readable(frame: Frame, node: ast.AST, slice: SliceValue) -> None:
    """OX0308 for a DisjointSlice, of which only a thread's own element can be named."""
    if slice.kind == "DisjointSlice":
        raise frame.refuse(
            node,
            "OX0308",
            f"`{slice.name}` is a `DisjointSlice`, which has no views: a part of it would belong to several threads",
            help=f"annotate it as `SliceMut[{slice.element}]`, or give a thread several elements with `Runs`",
        )


# ---- a[i:j]


def sliced(frame: Frame, node: ast.Subscript, slice: SliceValue) -> SliceValue:
    """`a[i:j:step]`. It lies inside, which is checked (OX7001): 0 <= i <= j <= len(a)."""
    readable(frame, node, slice)
    part = node.slice
    if slice.rank != 1 or not isinstance(part, ast.Slice):
        ways = " or ".join(f"`{slice.name}.{one}(…)`" for one in VIEWS[slice.rank])
        raise frame.refuse(node, "OX0658", f"slicing `{slice.name}`, which has {slice.rank} axes, is not supported", help=f"take {ways}")
    builder, coordinate = frame.builder, frame.lowering.coordinate
    whole = widen(frame, slice.lengths[0], coordinate)
    zero = builder.const(coordinate, 0)
    start = _bound(frame, part.lower, zero, slice)
    stop = _bound(frame, part.upper, whole, slice)
    if part.upper is not None:
        _ordered(frame, stop, whole, f"a slice of `{slice.name}` ends outside of it")
    if part.lower is not None:
        _ordered(frame, start, stop, f"a slice of `{slice.name}` begins outside of it or behind its end")
    known = _length(part)
    length = constant(frame, coordinate, known) if known is not None else stop if part.lower is None else builder.value("sub", stop, start)
    (stride,) = _strides(frame, slice)
    origin = position(frame, slice, (start,))
    if part.step is not None:
        step = _step(frame, part.step)
        if known is not None:
            length = constant(frame, coordinate, -(-known // step))
        else:
            up = builder.value("floordiv", builder.value("sub", length, builder.const(coordinate, 1)), builder.const(coordinate, step))
            length = builder.value("add", up, builder.const(coordinate, 1))
        stride = builder.value("mul", stride, builder.const(coordinate, step))
    return _view(slice, source(node), origin, (length,), (stride,))


def _bound(frame: Frame, node: ast.expr | None, default: Value, slice: SliceValue) -> Value:
    if node is None:
        return default
    value = translate(frame, node)
    known = known_integer(value)
    if known is not None and known < 0:
        raise negative(frame, node, slice.name)
    return convert(frame, node, value, frame.lowering.coordinate, "the bound of a slice")


def _ordered(frame: Frame, low: Value, high: Value, message: str) -> None:
    """Check 0 <= low <= high: the panic tells both."""
    builder = frame.builder
    if not frame.trusted:
        end = builder.value("add", widen(frame, high, I64), builder.const(I64, 1))  # the greatest i32 has no next one
        builder.check(builder.value("inbounds", widen(frame, low, I64), end), BOUNDS, message, low, high)


def _length(part: ast.Slice) -> int | None:
    """How long `i : i + 4` is, for any i; and `0:4`, `2:6`."""
    lower, upper = part.lower, part.upper
    first = 0 if lower is None else lower.value if isinstance(lower, ast.Constant) else None
    if isinstance(first, int) and isinstance(upper, ast.Constant) and isinstance(upper.value, int):
        return max(upper.value - first, 0)
    if lower is None or not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Add) or _calls(lower):
        return None
    more = upper.right
    if isinstance(more, ast.Constant) and isinstance(more.value, int) and more.value >= 0 and ast.dump(upper.left) == ast.dump(lower):
        return more.value
    return None


def _calls(node: ast.AST) -> bool:
    """Whether evaluating it twice may give two values."""
    return any(isinstance(one, (ast.Call, ast.NamedExpr, ast.Subscript)) for one in ast.walk(node))


def _step(frame: Frame, node: ast.expr) -> int:
    value = translate(frame, node)
    known = known_integer(value)
    if known is None or not 1 <= known <= frame.lowering.coordinate.max:
        raise frame.refuse(
            node,
            "OX0308",
            f"mismatched types: the step of a slice is a positive integer known at compile time, and this is {describe(value)}",
            help="go through it with `range(start, stop, step)`",
        )
    return known


# ---- rows, columns, tiles


def _axis(name: str, drop: int, rank: int) -> Callable[[Frame, ast.Call, Front], Front]:
    def handler(frame: Frame, node: ast.Call, owner: Front) -> Front:
        """The part with one index along axis `drop` fixed, which is checked."""
        slice = _owner(frame, node, owner, name, rank)
        (index,) = arguments(frame, node, 1)
        number = inside(frame, node.args[0], slice, index, slice.lengths[drop])
        strides = _strides(frame, slice)
        zero = frame.builder.const(frame.lowering.coordinate, 0)
        origin = position(frame, slice, tuple(number if axis == drop else zero for axis in range(rank)))
        lengths = tuple(one for axis, one in enumerate(slice.lengths) if axis != drop)
        return _view(slice, source(node), origin, lengths, tuple(one for axis, one in enumerate(strides) if axis != drop))

    return handler


def _owner(frame: Frame, node: ast.Call, owner: Front, name: str, rank: int) -> SliceValue:
    assert isinstance(owner, SliceValue)
    readable(frame, node.func, owner)
    if owner.rank != rank:
        axes = "1 axis" if owner.rank == 1 else f"{owner.rank} axes"
        ways = " or ".join(f"`.{one}`" for one in VIEWS[owner.rank]) or f"`{owner.name}[i:j]`"
        raise frame.refuse(node, "OX0308", f"`.{name}` is of slices of {rank} axes, and `{owner.name}` has {axes}", help=f"take {ways}")
    return owner


def _tile(frame: Frame, node: ast.Call, owner: Front) -> Front:
    """Rows i*R … and columns j*C …, as far as the slice goes. That there is such a tile is checked."""
    slice = _owner(frame, node, owner, "tile", 2)
    row, column, shape = arguments(frame, node, 3)
    sizes = _shape(frame, node.args[2], shape)
    builder, coordinate = frame.builder, frame.lowering.coordinate
    starts: list[Value] = []
    lengths: list[Value] = []
    for index, place, extent, size in zip((row, column), node.args, slice.lengths, sizes, strict=False):
        wide, many = widen(frame, extent, coordinate), builder.const(coordinate, size)
        one = builder.const(coordinate, 1)  # (extent - 1) // size + 1 and not (extent + size - 1) // size, which may wrap
        count = builder.value("add", builder.value("floordiv", builder.value("sub", wide, one), many), one)
        number = widen(frame, inside(frame, place, replace(slice, name=f"the tiles of {slice.name}"), index, count), coordinate)
        start = builder.value("mul", number, many)
        starts.append(start)
        lengths.append(builder.value("min", many, builder.value("sub", wide, start)))
    return _view(slice, source(node), position(frame, slice, tuple(starts)), tuple(lengths), _strides(frame, slice))


def _shape(frame: Frame, node: ast.AST, value: Front) -> tuple[int, ...]:
    items = value.items if isinstance(value, TupleValue) else ()
    sizes = tuple(one for one in map(known_integer, items) if one is not None and 0 < one <= frame.lowering.coordinate.max)
    if len(sizes) != 2 or len(items) != 2:
        raise frame.refuse(
            node,
            "OX0308",
            "mismatched types: the shape of a tile is two positive integers known at compile time",
            help="use constants of the module or `Const` parameters: `a.tile(i, j, (16, 16))`",
        )
    return sizes


METHODS.update({"row": _axis("row", 0, 2), "col": _axis("col", 1, 2), "plane": _axis("plane", 0, 3), "tile": _tile})
