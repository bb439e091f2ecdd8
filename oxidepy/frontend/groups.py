"""What threads do together: barriers and votes of blocks, grids and clusters; exchanges, votes, reductions and scans of warps and tiles."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from oxidepy.frontend.calls import Given, arguments, flag, keywords
from oxidepy.frontend.control import as_value, condition
from oxidepy.frontend.convert import convert, integral, settle, source
from oxidepy.frontend.dispatch import METHODS, PROPERTIES, call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.lanes import (
    BITWISE,
    COUNTS,
    EXCHANGES,
    MASKS,
    REDUCTIONS,
    SCANS,
    VOTES,
    count_of,
    exchange,
    lane_of,
    mask_beside,
    mask_of,
)
from oxidepy.frontend.library import function, library
from oxidepy.frontend.merge import flatten, rebuild
from oxidepy.frontend.pairs import half_of, of_word, word
from oxidepy.frontend.places import widen
from oxidepy.frontend.values import (
    NONE,
    Front,
    FunctionValue,
    Lanes,
    Literal,
    Static,
    StructValue,
    TupleValue,
    Typed,
    describe,
    known_number,
)
from oxidepy.ir.core import Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import BOOL, I32, PAIRS, SCALARS, U32, Scalar, Struct
from oxidepy.lang import scalars

Folded = Typed | StructValue | TupleValue  # what a reduction or scan goes over
WARP = 32
WIDTHS = (1, 2, 4, 8, 16, 32)
FOLDS = {"sum": "plus", "min": "least", "max": "greatest", "and": "both", "or": "either", "xor": "differing"}


def _flag(frame: Frame, node: ast.Call) -> Value:
    """The one argument, a truth value."""
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        arguments(frame, node, 1)  # refused there
    return as_value(frame, condition(frame, node.args[0]))


def _number(frame: Frame, node: ast.Call, value: Front) -> Typed | StructValue:
    """A value to add up or compare, or a pair of halves. OX0308 for a truth value or what is no scalar."""
    number = settle(frame, value)
    if isinstance(number, StructValue) and number.layout in PAIRS:
        return number
    if not isinstance(number, Typed) or number.type == BOOL:
        help = "`block.count` counts the threads in which it holds" if isinstance(number, Typed) else None
        raise frame.refuse(
            node.args[0], "OX0308", f"mismatched types: `{source(node.func)}` takes a number, and this is {describe(number)}", help=help
        )
    return number


def _fold(frame: Frame, node: ast.Call, name: str, value: Front) -> tuple[Typed | StructValue, FunctionValue]:
    """The number of a reduction or scan, and what combines two of them."""
    number, operation = _number(frame, node, value), name.partition("_")[2]
    if name in BITWISE and not (isinstance(number, Typed) and number.type.is_int):
        message = f"mismatched types: `{source(node.func)}` takes an integer, and this is {describe(number)}"
        raise frame.refuse(node.args[0], "OX0308", message, help=integral(node.args[0], number))
    return number, function("groups", FOLDS[operation])


def _first(frame: Frame, name: str, number: Typed | StructValue) -> Front:
    """What stands before the first value of an exclusive scan: it changes nothing."""
    if isinstance(number, StructValue):
        return StructValue(number.layout, tuple(_end(frame, name, half_of(number.layout)) for _ in number.fields))
    return _end(frame, name, number.type)


def _end(frame: Frame, name: str, scalar: Scalar) -> Typed:
    if name == "scan_sum":
        return Typed(frame.builder.const(scalar, 0.0 if scalar.is_float else 0))
    least = name == "scan_max"
    ends = (-math.inf, math.inf) if scalar.is_float else (scalar.min, scalar.max)
    return Typed(frame.builder.const(scalar, ends[0 if least else 1]))


def _scanned(frame: Frame, node: ast.Call, name: str) -> tuple[Typed | StructValue, tuple[Front, ...]]:
    """The number of a scan; and whether it is exclusive, what combines two, what stands before the first."""
    value, *further = arguments(frame, node, 1, 2, keywords=("exclusive",))
    number, combine = _fold(frame, node, name, value)
    return number, (exclusive(frame, node, list(zip(further, node.args[1:], strict=True))), combine, _first(frame, name, number))


def exclusive(frame: Frame, node: ast.Call, placed: list[tuple[Front, ast.expr]]) -> Literal:
    """Whether a scan is exclusive, known at compile time: by place or name."""
    given: Given = {"exclusive": placed[0]} if placed else {}
    return Literal(flag(frame, keywords(frame, node, given), "exclusive"))


# ---- barriers


def _barrier(row: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        arguments(frame, node, 0)
        if row == "grid.sync" and not frame.lowering.definition.cooperative:
            message = "`grid.sync` waits for all blocks of the grid, and a launch of this kernel need not hold all of them at once"
            raise frame.refuse(node, "OX2001", message, help="write `@cooperative_launch` beside `@kernel`")
        frame.builder.emit("intrinsic", (), (), {"row": row})
        return NONE

    return handler


for _row in ("block.sync", "grid.sync"):
    call(_row)(_barrier(_row))


# ---- blocks


def _block_vote(row: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        return Typed(frame.builder.value("intrinsic", _flag(frame, node), type=SCALARS[ROWS[row].result], row=row))

    return handler


for _row in ("block.any", "block.all", "block.count"):
    call(_row)(_block_vote(_row))


def threads_of(frame: Frame) -> int:
    """Threads of a block."""
    x, y, z = frame.lowering.definition.contract.block
    return x * y * z


def linear_index(frame: Frame) -> Front:
    """The number of the thread in its block, as an i32."""
    return Typed(widen(frame, _linear(frame), I32))


def _linear(frame: Frame) -> Value:
    """The number of the thread in its block: x + y*dim.x + z*dim.x*dim.y."""
    lowering, builder = frame.lowering, frame.builder
    x, y, z = lowering.definition.contract.block
    total = lowering.intrinsic("thread.idx.x")
    for axis, extent, stride in (("y", y, x), ("z", z, x * y)):
        if extent > 1:
            scaled = builder.value("mul", lowering.intrinsic(f"thread.idx.{axis}"), builder.const(lowering.coordinate, stride))
            total = builder.value("add", total, scaled)
    return total


def powers(below: int) -> TupleValue:
    """1, 2, 4 … below a number."""
    return TupleValue(tuple(Literal(1 << one) for one in range(max(below - 1, 0).bit_length())))


def _falling(below: int) -> TupleValue:
    return TupleValue(powers(below).items[::-1])


def _total(frame: Frame, node: ast.Call, lanes: Lanes, number: Typed | StructValue, name: str) -> Front:
    """A reduction over lanes: of 32-bit integers over a whole warp one operation, since their order does not matter."""
    if isinstance(number, Typed) and number.type in (I32, U32) and lanes.width == WARP:
        return Typed(exchange(frame, f"warp.{name}", lanes, number.value))
    combine = function("groups", FOLDS[name.partition("_")[2]])
    if lanes.mask == "active":
        return library(frame, node, "groups", "reduce_active", (lanes, number, combine))
    total = library(frame, node, "groups", "reduce_tile", (lanes, number, _falling(lanes.width), combine))
    for leaf in flatten(total) if lanes.width > 1 else ():
        if isinstance(leaf, Typed) and isinstance(leaf.value.owner, Op):
            leaf.value.owner.attrs["alike"] = lanes.width  # what only a butterfly knows: both sides of each step get the same
    return total


def speak(frame: Frame, node: ast.Call, name: str) -> None:
    """Messages about what it is made of name what the kernel says, the outermost where operations stand in each other."""
    frame.lowering.spoken.setdefault(frame.span(node), name)


def _block_reduce(name: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        speak(frame, node, f"block.{name}")
        number, combine = _fold(frame, node, name, *arguments(frame, node, 1))
        threads = threads_of(frame)
        if threads % WARP:
            args = (kind_of(number), number, linear_index(frame), Literal(threads), _falling(threads), combine)
            return library(frame, node, "groups", "reduce_ragged_block", args)
        return of_warps(frame, node, number, _total(frame, node, Lanes(), number, name), combine)

    return handler


for _name in REDUCTIONS:
    call(f"block.{_name}")(_block_reduce(_name))


def kind_of(value: Folded) -> Static:
    """The type of a value, as the library's functions make memory of it."""
    return Static(getattr(scalars, value.type.name) if isinstance(value, Typed) else _layout(value))


def _layout(value: Front) -> Scalar | Struct:
    if isinstance(value, TupleValue):
        members = tuple((str(number), _layout(one)) for number, one in enumerate(value.items))
        return Struct.of(
            "tuple", members, enums={str(n): one.enum for n, one in enumerate(value.items) if isinstance(one, Typed) and one.enum}
        )
    assert isinstance(value, (Typed, StructValue))
    return value.type if isinstance(value, Typed) else value.layout


def of_warps(frame: Frame, node: ast.Call, value: Folded, total: Front, combine: Front) -> Front:
    """The results of a block's warps combined."""
    warps = threads_of(frame) // WARP
    return total if warps == 1 else library(frame, node, "groups", "reduce_warps", (kind_of(value), total, Literal(warps), combine))


def _block_scan(name: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        speak(frame, node, f"block.{name}")
        return scan_block(frame, node, *_scanned(frame, node, name))

    return handler


def scan_block(frame: Frame, node: ast.Call, value: Folded, ends: tuple[Front, ...]) -> Front:
    """`ends`: whether it is exclusive, what combines two, what stands before the first."""
    threads = threads_of(frame)
    if threads % WARP:
        args = (kind_of(value), value, linear_index(frame), Literal(threads), powers(threads), *ends)
        return library(frame, node, "groups", "scan_ragged_block", args)
    if threads == WARP:
        return library(frame, node, "groups", "scan_tile", (Lanes(), value, powers(WARP), *ends))
    return library(frame, node, "groups", "scan_block", (kind_of(value), value, Literal(threads // WARP), *ends))


for _name in SCANS:
    call(f"block.{_name}")(_block_scan(_name))


# ---- warps, tiles, the lanes that run the statement


def _sync(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
    whole = lanes.mask == "full" and lanes.width == WARP
    given = arguments(frame, node, 0, int(whole), keywords=("mask",) if whole else ())
    named = keywords(frame, node)
    if given and named:
        raise frame.refuse(node, "OX0308", f"`{source(node.func)}` is given `mask` twice")
    value, place = (given[0], node.args[0]) if given else named.get("mask", (None, node))
    mask = mask_of(frame, lanes) if value is None else convert(frame, place, value, U32, "the mask")
    emitted = frame.builder.emit("intrinsic", (mask,), (), {"row": "warp.sync"})
    if value is not None and frame.lowering.unsafe:  # that these lanes come is vouched for
        emitted.attrs["unsafe"] = frame.lowering.unsafe[-1]
        frame.lowering.granted.add(frame.lowering.unsafe[-1])
    return NONE


def _shuffle(name: str) -> Callable[[Frame, ast.Call, Lanes], Front]:
    what = {"shuffle": "the lane", "shuffle_xor": "the mask"}.get(name, "the distance")

    def handler(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
        value, place = arguments(frame, node, 2)
        number = convert(frame, node.args[1], place, I32, what)
        own = settle(frame, value)
        if isinstance(own, StructValue) and own.layout in PAIRS:  # one word travels
            return of_word(frame, own.layout, exchange(frame, f"warp.{name}", lanes, word(frame, own), number))
        leaves = flatten(own)
        if not leaves or not of_numbers(own):  # the index of another thread would be no longer the one that no other thread has
            message = f"mismatched types: `{source(node.func)}` takes a number, a struct or a tuple of these, and this is {describe(value)}"
            raise frame.refuse(node.args[0], "OX0308", message)
        return rebuild(own, [Typed(_moved(frame, name, lanes, one, number), one.enum) for one in leaves if isinstance(one, Typed)])

    return handler


def of_numbers(value: Front) -> bool:
    """Whether it is a number, or a tuple or struct of numbers."""
    parts = value.items if isinstance(value, TupleValue) else value.fields if isinstance(value, StructValue) else None
    return isinstance(value, Typed) if parts is None else all(map(of_numbers, parts))


def _moved(frame: Frame, name: str, lanes: Lanes, one: Typed, number: Value) -> Value:
    """One scalar of another lane. A truth value travels as a number."""
    if one.type != BOOL:
        return exchange(frame, f"warp.{name}", lanes, one.value, number)
    moved = exchange(frame, f"warp.{name}", lanes, frame.builder.value("cast", one.value, type=U32), number)
    return frame.builder.value("cast", moved, type=BOOL)


def _vote(name: str) -> Callable[[Frame, ast.Call, Lanes], Front]:
    return lambda frame, node, lanes: Typed(exchange(frame, f"warp.{name}", lanes, _flag(frame, node)))


def _match(name: str) -> Callable[[Frame, ast.Call, Lanes], Front]:
    def handler(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
        (value,) = arguments(frame, node, 1)
        number = settle(frame, value)
        if not isinstance(number, Typed):
            message = f"mismatched types: `{source(node.func)}` takes a number, and this is {describe(value)}"
            raise frame.refuse(node.args[0], "OX0308", message)
        operand = frame.builder.value("cast", number.value, type=U32) if number.type == BOOL else number.value
        return Typed(exchange(frame, f"warp.{name}", lanes, operand))

    return handler


def _elect(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
    arguments(frame, node, 0)
    builder, lane = frame.builder, lane_of(frame, lanes)
    if lanes.mask == "full":
        return Typed(builder.value("eq", lane, builder.const(I32, 0)))
    running = exchange(frame, "warp.ballot", lanes, builder.const(BOOL, True))
    first = builder.value("cast", builder.value("ctz", running), type=I32)
    return Typed(builder.value("eq", lane, first))


def whole(frame: Frame, node: ast.Call, lanes: Lanes) -> None:
    """OX3002 where the block's last warp or tile has fewer lanes: said here, in the name that the kernel uses."""
    threads, size = threads_of(frame), lanes.width
    if threads % size:
        text, last = source(node.func), node.func.attr if isinstance(node.func, ast.Attribute) else ""
        group = "warp" if size == WARP else f"tile of {size}"
        message = (
            f"`{text}` needs every lane of the {group}, and the last {group} of a block of {threads} threads has only {threads % size}"
        )
        help = f"make the block a multiple of {size} threads"
        raise frame.refuse(node, "OX3002", message, help=help + f", or use `warp.active.{last}` or `block.{last}`" * (size == WARP))


def _reduce(name: str) -> Callable[[Frame, ast.Call, Lanes], Front]:
    def handler(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
        number, _ = _fold(frame, node, name, *arguments(frame, node, 1))
        if lanes.mask == "full":
            whole(frame, node, lanes)
        return _total(frame, node, lanes, number, name)

    return handler


def _scan(name: str) -> Callable[[Frame, ast.Call, Lanes], Front]:
    return lambda frame, node, lanes: scan_lanes(frame, node, lanes, *_scanned(frame, node, name))


def scan_lanes(frame: Frame, node: ast.Call, lanes: Lanes, value: Front, ends: tuple[Front, ...]) -> Front:
    """`ends`: as of `scan_block`."""
    if lanes.mask == "active":
        return library(frame, node, "groups", "scan_active", (lanes, value, *ends))
    whole(frame, node, lanes)
    return library(frame, node, "groups", "scan_tile", (lanes, value, powers(lanes.width), *ends))


def _spoken(name: str, operation: Callable[[Frame, ast.Call, Lanes], Front]) -> Callable[[Frame, ast.Call, Lanes], Front]:
    def handler(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
        if lanes.mask == "full":
            speak(frame, node, f"warp.{name}" if lanes.width == WARP else source(node.func))
        return operation(frame, node, lanes)

    return handler


_KINDS: dict[str, Callable[[Frame, ast.Call, Lanes], Front]] = {
    "sync": _sync,
    **{name: _shuffle(name) for name in EXCHANGES},
    **{name: _vote(name) for name in VOTES},
    **{name: _match(name) for name in ("match_any", "match_all")},
    "elect": _elect,
    **{name: _reduce(name) for name in REDUCTIONS},
    **{name: _scan(name) for name in SCANS},
}
_OPERATIONS = {name: _spoken(name, operation) for name, operation in _KINDS.items()}
METHODS.update(_OPERATIONS)  # of a tile


def of_lanes(lanes: Lanes, operation: Callable[[Frame, ast.Call, Lanes], Front]) -> Callable[[Frame, ast.Call], Front]:
    return lambda frame, node: operation(frame, node, lanes)


for _name, _operation in _OPERATIONS.items():
    call(f"warp.{_name}")(of_lanes(Lanes("full"), _operation))
    call(f"warp.active.{_name}")(of_lanes(Lanes("active"), _operation))


def _mask(name: str) -> Callable[[Frame, ast.AST], Front]:
    return lambda frame, node: Typed(mask_beside(frame, Lanes(), name))


PROPERTIES["warp.active.lane"] = lambda frame, node: Typed(lane_of(frame, Lanes("active")))
PROPERTIES.update({f"{warp}.{name}": _mask(name) for warp in ("warp", "warp.active") for name in MASKS})


def _count(name: str, lanes: Lanes) -> Callable[[Frame, ast.AST], Front]:
    return lambda frame, node: Typed(count_of(frame, lanes, name))


for _name in COUNTS:
    PROPERTIES[f"warp.{_name}"] = _count(_name, Lanes())
    PROPERTIES[f"warp.active.{_name}"] = _count(_name, Lanes("active"))


def _block_dim(axis: int) -> Callable[[Frame, ast.AST], Front]:
    """Threads along an axis: the contract's number, so that shapes may be made of it."""
    return lambda frame, node: Typed(frame.builder.const(frame.lowering.coordinate, frame.lowering.definition.contract.block[axis]))


PROPERTIES.update({f"block.dim.{axis}": _block_dim(number) for number, axis in enumerate("xyz")})
PROPERTIES["block.size"] = lambda frame, node: Typed(frame.builder.const(frame.lowering.coordinate, threads_of(frame)))
PROPERTIES["block.rank"] = lambda frame, node: Typed(_linear(frame))


def _tiled_partition(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
    """Tiles begin at multiples of their size, in a tile too: what they are parts of makes no difference."""
    (size,) = arguments(frame, node, 1)
    known = known_number(size)
    fitting = [one for one in WIDTHS if one <= lanes.width]
    if isinstance(known, bool) or known not in fitting:
        what = f"{known}" if known is not None else "known only at run time"
        choices = " or ".join(filter(None, (", ".join(map(str, fitting[:-1])), str(fitting[-1]))))
        whole = "a tile" if lanes.width == WARP else f"a part of a tile of {lanes.width}"
        message = f"{whole} has {choices} lane{'s' * (len(fitting) > 1)}, and this is {what}"
        raise frame.refuse(node.args[0], "OX0308", message, help="use a constant of the module or a `Const` parameter")
    return Lanes("full", int(known))


METHODS["tiled_partition"] = _tiled_partition
call("warp.tiled_partition")(of_lanes(Lanes(), _tiled_partition))
