"""`wgmma.*` beside the instructions: tiles in shared memory and their descriptors, accumulators, waits."""

from __future__ import annotations

import ast
from collections.abc import Callable

from oxidepy.frontend import hardware
from oxidepy.frontend.calls import arguments, flag, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.library import library
from oxidepy.frontend.mma import Corner, lane, unpacked
from oxidepy.frontend.places import writable
from oxidepy.frontend.scratch import element_type
from oxidepy.frontend.values import NONE, Front, Literal, SliceValue, TupleValue, Typed, describe, known_integer
from oxidepy.ir.core import Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import F16, F32, I32, U32, U64, Scalar

# bytes of the swizzle → the upper bits of a descriptor
_HIGH: dict[str, dict[int, int]] = {
    "wgmma": {size: mode << 62 for size, mode in ((0, 0), (128, 1), (64, 2), (32, 3))},
    "tcgen05": {size: mode << 61 | 1 << 46 for size, mode in ((0, 0), (128, 2), (64, 4), (32, 6))},
}
_SWIZZLES = (0, 32, 64, 128)


def _known(frame: Frame, node: ast.Call, name: str, pair: tuple[Front, ast.AST] | None, default: int | None) -> int:
    """An argument that is an integer known at compile time."""
    value, place = pair if pair is not None else (Literal(default) if default is not None else NONE, node)
    number = known_integer(value)
    if number is None or number < 0:
        shown = "known at compile time" if number is None else f"not negative, and this is {number}"
        raise frame.refuse(place, "OX0308", f"{name} of `{source(node.func)}` is an integer {shown}")
    return number


class _Tile:
    """The arguments of what names a place in a tile: the array, (row, column), rows, and by name swizzle, start."""

    def __init__(self, frame: Frame, node: ast.Call, others: tuple[str, ...] = ()) -> None:
        array, corner, rows = arguments(frame, node, 3, keywords=("swizzle", "start", *others))
        text = source(node.func)
        if not isinstance(array, SliceValue) or array.memory.memory.space != "shared" or not isinstance(array.element, Scalar):
            message = f"mismatched types: `{text}` takes a shared array of scalars, and this is {describe(array)}"
            raise frame.refuse(node.args[0], "OX0308", message)
        if not isinstance(corner, TupleValue) or len(corner.items) != 2:
            message = f"mismatched types: `{text}` takes a row and a column, and this is {describe(corner)}"
            raise frame.refuse(node.args[1], "OX0308", message, help="write `(row, column)`")
        self.array, self.named = array, keywords(frame, node)
        self.row, self.column = (Typed(convert(frame, node.args[1], one, I32, "a place in a tile")) for one in corner.items)
        self.rows = _known(frame, node, "`rows`", (rows, node.args[2]), None)
        self.swizzle = _known(frame, node, "`swizzle`", self.named.get("swizzle"), 128)
        if self.swizzle not in _SWIZZLES:
            raise frame.refuse(self.named["swizzle"][1], "OX0308", f"a swizzle is of 0, 32, 64 or 128 bytes, and this is {self.swizzle}")
        self.line = self.swizzle or 16
        self.size = array.element.size
        self.start = self.named.get("start", (Literal(0), node))
        self._aligned(frame, node)

    def _aligned(self, frame: Frame, node: ast.Call) -> None:
        """The hardware swizzles addresses, so that the tile begins where eight lines end."""
        op, wanted = self.array.memory.owner, 8 * self.line
        if self.swizzle and isinstance(op, Op) and op.name == "alloc" and op.attrs["align"] < wanted:
            message = f"`{self.array.name}` is aligned to {op.attrs['align']} bytes, and a swizzle of {self.swizzle} rests on {wanted}"
            raise frame.refuse(node.args[0], "OX0308", message, help=f"write `shared.array(…, align={wanted})`")

    def beginning(self, frame: Frame) -> Value:
        value, place = self.start
        return convert(frame, place, value, I32, "where the tile begins")


@call("wgmma.index")
def _index(frame: Frame, node: ast.Call) -> Front:
    """Where an element of a tile lies in its array."""
    tile = _Tile(frame, node)
    mask = {0: 0, 32: 1, 64: 3, 128: 7}[tile.swizzle]
    args = (tile.row, tile.column, *map(Literal, (tile.rows, tile.line, tile.size, mask)))
    found = library(frame, node, "tensor", "element", args)
    assert isinstance(found, Typed)
    start = tile.beginning(frame)
    return found if start.constant == 0 else Typed(frame.builder.value("add", start, found.value))


def _tile(frame: Frame, node: ast.Call, high: dict[int, int]) -> Front:
    """The descriptor of a matrix inside of a tile, from (row, column) on."""
    tile = _Tile(frame, node, ("trans",))
    _whole_pieces(frame, node, tile)
    trans = flag(frame, tile.named, "trans")
    column = tile.rows * tile.line
    if tile.swizzle:
        leading, stride = column if trans else 16, 8 * tile.line
    else:
        leading, stride = (128, column) if trans else (column, 128)
    if max(leading, stride) >= 1 << 18:
        raise frame.refuse(node.args[2], "OX0308", f"a tile of {tile.rows} lines is too long for a descriptor")
    begin = _address(frame, tile.array, tile.beginning(frame))
    args = (begin, tile.row, tile.column, *map(Literal, (tile.rows, tile.line, tile.size, leading, stride, high[tile.swizzle])))
    return library(frame, node, "tensor", "tile_descriptor", args)


def _whole_pieces(frame: Frame, node: ast.Call, tile: _Tile) -> None:
    """OX0308 for constant numbers with which no descriptor can say where a matrix begins: at pieces of 16 bytes, of eight lines."""
    text, per = source(node.func), max(16 // tile.size, 1)
    for what, number, step in (
        ("a tile of `{text}` has {number} lines", tile.rows, 8),
        ("a matrix of `{text}` begins at line {number}", tile.row.value.constant, 8),
        ("a matrix of `{text}` begins at element {number} of its lines", tile.column.value.constant, per),
    ):
        if number is not None and int(number) % step:
            message = what.format(text=text, number=number)
            raise frame.refuse(node, "OX0308", message, help=f"it is a multiple of {step}")


def _address(frame: Frame, array: SliceValue, index: Value) -> Typed:
    return Typed(frame.builder.value("intrinsic", array.memory, index, type=U32, row="shared.address"))


def _descriptor(frame: Frame, node: ast.Call, high: dict[int, int]) -> Front:
    """A descriptor of an address and the distances that the hardware asks for."""
    (address,) = arguments(frame, node, 1, keywords=("leading", "stride", "swizzle"))
    begin = convert(frame, node.args[0], address, U32, "the address")
    named = keywords(frame, node)
    leading, stride = (convert(frame, *_pair(frame, node, named, one), U64, f"`{one}`") for one in ("leading", "stride"))
    swizzle = _known(frame, node, "`swizzle`", named.get("swizzle"), 0)
    if swizzle not in _SWIZZLES:
        raise frame.refuse(named["swizzle"][1], "OX0308", f"a swizzle is of 0, 32, 64 or 128 bytes, and this is {swizzle}")
    return library(frame, node, "tensor", "descriptor", (Typed(begin), Typed(leading), Typed(stride), Literal(high[swizzle])))


def _pair(frame: Frame, node: ast.Call, named: dict[str, tuple[Front, ast.expr]], name: str) -> tuple[ast.AST, Front]:
    if name not in named:
        raise frame.refuse(node, "OX0308", f"`{source(node.func)}` lacks `{name}`", help="give it in bytes")
    value, place = named[name]
    return place, value


def _with(high: dict[int, int], operation: Callable[[Frame, ast.Call, dict[int, int]], Front]) -> Callable[[Frame, ast.Call], Front]:
    return lambda frame, node: operation(frame, node, high)


for _part, _bits in _HIGH.items():
    call(f"{_part}.tile")(_with(_bits, _tile))
    call(f"{_part}.descriptor")(_with(_bits, _descriptor))


# ---- accumulators


@call("wgmma.zeros")
def _zeros(frame: Frame, node: ast.Call) -> Front:
    """The accumulators of 64 rows and so many columns, zero; in `f32` unless another type is named."""
    columns, *rest = arguments(frame, node, 1, 2)
    n = _known(frame, node, "the columns", (columns, node.args[0]), None)
    scalar = element_type(frame, node.args[1], rest[0]) if rest else F32
    if not 8 <= n <= 256 or n % 8:
        raise frame.refuse(node.args[0], "OX0308", f"a product has from 8 to 256 columns in steps of 8, not {n}")
    if scalar not in (F16, F32, I32):
        raise frame.refuse(node.args[1], "OX0308", f"sums are in `f16`, `f32` or `i32`, not in `{scalar}`")
    assert isinstance(scalar, Scalar)
    held, count = (U32, n // 4) if scalar == F16 else (scalar, n // 2)
    zero = Typed(frame.builder.const(held, 0.0 if held.is_float else 0))
    return hardware.grouped((zero,) * count)


@call("wgmma.wait_group")
def _wait_group(frame: Frame, node: ast.Call) -> Front:
    """Wait, and hand the accumulators on that are there then."""
    pending, *sums = arguments(frame, node, 1, 17)
    number = _known(frame, node, "the number of groups under way", (pending, node.args[0]), None)
    if number > 7:
        raise frame.refuse(node.args[0], "OX0308", f"at most 7 groups stay under way, not {number}")
    out: list[Front] = []
    for value, place in zip(sums, node.args[1:], strict=True):
        items = value.items if isinstance(value, TupleValue) else (value,)
        first = items[0] if items else NONE
        row = ROWS.get(f"wgmma.wait_group#{first.type}x{len(items)}") if isinstance(first, Typed) else None
        if row is None or row.assembly is None:
            message = f"mismatched types: `{source(node.func)}` hands accumulators on, and this is {describe(value)}"
            raise frame.refuse(place, "OX0308", message)
        operands = hardware.registers(frame, row.assembly.gives[0], value, place)
        out.append(hardware.emit(frame, node, row, operands, {"pending": number}))
    if not out:
        return hardware.emit(frame, node, ROWS["wgmma.wait_group#none"], (), {"pending": number})
    return hardware.grouped(out)


def _row_of(frame: Frame, number: int) -> Value:
    builder = frame.builder
    warp = builder.value("mod", frame.lowering.intrinsic("warp.id"), builder.const(I32, 4))
    first = builder.value("mul", warp, builder.const(I32, 16))
    return builder.value("add", first, lane(frame, True, 4, plus=8 * (number // 2 % 2)))


def _col_of(frame: Frame, number: int) -> Value:
    return lane(frame, False, 4, 2, number // 4 * 8 + number % 2)


@call("wgmma.row")
def _row(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 1)
    return Typed(_row_of(frame, _known(frame, node, "the number of an accumulator", (value, node.args[0]), None)))


@call("wgmma.col")
def _col(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 1)
    return Typed(_col_of(frame, _known(frame, node, "the number of an accumulator", (value, node.args[0]), None)))


@call("wgmma.store")
def _store(frame: Frame, node: ast.Call) -> Front:
    """Write the accumulators of a warpgroup to an array of two axes, from a row and column on."""
    array, corner, value = arguments(frame, node, 3)
    place = Corner(frame, node, array, corner)
    writable(frame, node.args[0], place.array)
    items = unpacked(frame, place, value)
    if len(items) % 4:
        message = f"mismatched types: `{source(node.func)}` takes accumulators, and this is {describe(value)}"
        raise frame.refuse(node.args[2], "OX0308", message)
    for number, one in enumerate(items):
        place.write(_row_of(frame, number), _col_of(frame, number), one)
    return NONE
