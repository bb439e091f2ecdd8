"""Copies of whole boxes and runs of bytes by the tensor memory accelerator (cp.async.bulk).

A tensor map says how an array of one to five axes lies in global memory, and how large its boxes are. A copy into shared memory tells a
barrier how many bytes have come; copies out of it are counted in groups of the thread that began them.
"""

from __future__ import annotations

from typing import Literal

from oxidepy.ir.intrinsics.barrier import at
from oxidepy.ir.intrinsics.row import Address, Form, Immediate, Intrinsic, Registers, instruction
from oxidepy.ir.types import Space

RANKS = range(1, 6)
IMAGES = range(3, 6)
STEP = 16  # bytes: of places and sizes of runs, and of places along the last axis at which boxes begin
REDUCTIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
# operation and type of an element → the ending of the instruction that combines runs of bytes so
RUN_REDUCTIONS: dict[tuple[str, str], str] = {
    **{("add", name): f".add.{word}" for name, word in (("i32", "s32"), ("i64", "u64"), ("f16", "noftz.f16"), ("bf16", "noftz.bf16"))},
    **{("add", name): f".add.{name}" for name in ("u32", "u64", "f32", "f64")},
    **{(operation, f"i{bits}"): f".{operation}.s{bits}" for operation in ("min", "max") for bits in (32, 64)},
    **{(operation, name): f".{operation}.{name}" for operation in ("min", "max") for name in ("u32", "u64", "f16", "bf16")},
    **{(operation, "u32"): f".{operation}.u32" for operation in ("inc", "dec")},
    **{(operation, f"{kind}{bits}"): f".{operation}.b{bits}" for operation in ("and", "or", "xor") for kind in "iu" for bits in (32, 64)},
}
GROUPS = range(16)
MOST_OFFSET = {1: 65535, 2: 255, 3: 31}  # axes of an image → the greatest offset that an instruction can say
_MAP = Address("map", ("param",), "read", 0, 1)
_ALIGN = 128  # bytes: of a box in shared memory
_RUN = 16  # bytes: of addresses and sizes of runs of bytes


def _box(
    name: str,
    text: str,
    rank: int,
    doc: str,
    before: tuple[Address, ...] = (),
    *more: Address | Registers,
    immediates: tuple[Immediate, ...] = (),
) -> Intrinsic:
    """A row for arrays of `rank` axes. Coordinates stand as the hardware takes them: those of the last axis first."""
    arguments = (*before, _MAP, Registers("at", "i32", rank), *more)
    place = "[<map>, {<at,>}]"
    return instruction(
        f"tma.{name}_{rank}d",
        text.format(rank=rank, place=place),
        arguments,
        doc=doc,
        immediates=immediates,
        arch=90,
        isa=(8, 0),
        effect="write",
        reference=f"tma:{name}",
    )


def _row(
    name: str, text: str, doc: str, *arguments: Address | Registers, immediates: tuple[Immediate, ...] = (), unsafe: bool = True
) -> Intrinsic:
    return instruction(
        f"tma.{name}",
        text,
        arguments,
        doc=doc,
        immediates=immediates,
        arch=90,
        isa=(8, 0),
        effect="write",
        reference=f"tma:{name}",
        unsafe=unsafe,
    )


def _columns(rank: int) -> list[Intrinsic]:
    """Of images of `rank` axes: columns of pixels, each moved by an offset along every axis of an image."""
    to, bar, offsets = Address("to", ("shared",), "write", 0, _ALIGN), at("bar", "shared"), Registers("offsets", "u16", rank - 2)
    load = "cp.async.bulk.tensor.{rank}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
    moved = "{{<offsets,>}}"
    doc = "Begin to copy a column of pixels into shared memory; the barrier is told of its bytes."
    return [
        _box("load_im2col", f"{load} [<to>], {{place}}, [<bar>], {moved};", rank, doc, (to,), bar, offsets),
        _box(
            "load_im2col_multicast",
            f"{load}.multicast::cluster [<to>], {{place}}, [<bar>], {moved}, <blocks>;",
            rank,
            "The same into every block of the cluster whose bit is set.",
            (to,),
            bar,
            offsets,
            Registers("blocks", "u16"),
        ),
        _box(
            "prefetch_im2col",
            f"cp.async.bulk.prefetch.tensor.{{rank}}d.L2.global.im2col {{place}}, {moved};",
            rank,
            "Have a column of pixels brought near.",
            (),
            offsets,
        ),
    ]


def _boxes(rank: int) -> list[Intrinsic]:
    to = Address("to", ("shared",), "write", 0, _ALIGN)
    source = Address("source", ("shared",), "read", 0, _ALIGN)
    bar = at("bar", "shared")
    head = "cp.async.bulk.tensor.{rank}d"
    bytes_ = "mbarrier::complete_tx::bytes"
    return [
        _box(
            "load",
            f"{head}.shared::cluster.global.tile.{bytes_} [<to>], {{place}}, [<bar>];",
            rank,
            "Begin to copy a box into shared memory; the barrier is told of its bytes. What lies outside of the array is filled up.",
            (to,),
            bar,
        ),
        _box(
            "load_multicast",
            f"{head}.shared::cluster.global.tile.{bytes_}.multicast::cluster [<to>], {{place}}, [<bar>], <blocks>;",
            rank,
            "The same into every block of the cluster whose bit is set, at the same place there; the barrier at the same place is told.",
            (to,),
            bar,
            Registers("blocks", "u16"),
        ),
        _box(
            "store",
            f"{head}.global.shared::cta.tile.bulk_group {{place}}, [<source>];",
            rank,
            "Begin to copy a box from shared memory into the array; what lies outside of it is left out.",
            (),
            source,
        ),
        _box(
            "reduce",
            "cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.<operation>.tile.bulk_group {place}, [<source>];",
            rank,
            "Begin to combine a box of shared memory with the elements of the array, each indivisibly.",
            (),
            source,
            immediates=(Immediate("operation", REDUCTIONS, "add"),),
        ),
        _box(
            "prefetch",
            "cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile {place};",
            rank,
            "Have a box brought near.",
        ),
    ]


def _run(name: str, space: Space, access: Literal["read", "write", "both"]) -> Address:
    """The first byte of a run."""
    return Address(name, (space,), access, 0, _RUN)


def _runs() -> list[Intrinsic]:
    size = Registers("size", "u32")
    bytes_ = "mbarrier::complete_tx::bytes"
    return [
        _row(
            "copy_in",
            f"cp.async.bulk.shared::cluster.global.{bytes_} [<to>], [<source>], <size>, [<bar>];",
            "Begin to copy bytes from global to shared memory; the barrier is told of them.",
            _run("to", "shared", "write"),
            _run("source", "global", "read"),
            size,
            at("bar", "shared"),
        ),
        _row(
            "copy_in_multicast",
            f"cp.async.bulk.shared::cluster.global.{bytes_}.multicast::cluster [<to>], [<source>], <size>, [<bar>], <blocks>;",
            "The same into every block of the cluster whose bit is set, at the same place there; the barrier at the same place is told.",
            _run("to", "shared", "write"),
            _run("source", "global", "read"),
            size,
            at("bar", "shared"),
            Registers("blocks", "u16"),
        ),
        _row(
            "copy_far",
            f"cp.async.bulk.shared::cluster.shared::cta.{bytes_} [<to>], [<source>], <size>, [<bar>];",
            "Begin to copy bytes into shared memory of another block of the cluster; its barrier is told of them.",
            _run("to", "cluster", "write"),
            _run("source", "shared", "read"),
            size,
            at("bar", "cluster"),
        ),
        _row(
            "copy_out",
            "cp.async.bulk.global.shared::cta.bulk_group [<to>], [<source>], <size>;",
            "Begin to copy bytes from shared to global memory.",
            _run("to", "global", "write"),
            _run("source", "shared", "read"),
            size,
        ),
        _row(
            "reduce_run",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group<operation> [<to>], [<source>], <size>;",
            "Begin to combine bytes of shared memory with elements in global memory, each indivisibly.",
            _run("to", "global", "both"),
            _run("source", "shared", "read"),
            size,
            immediates=(Immediate("operation", tuple(dict.fromkeys(RUN_REDUCTIONS.values()))),),
        ),
        _row(
            "prefetch_run",
            "cp.async.bulk.prefetch.L2.global [<source>], <size>;",
            "Have bytes brought near.",
            _run("source", "global", "read"),
            size,
        ),
    ]


def _alone() -> list[Intrinsic]:
    left = (Immediate("left", GROUPS, 0),)
    return [
        _row(
            "commit",
            "cp.async.bulk.commit_group;",
            "Make a group of the copies out of shared memory that this thread has begun.",
            unsafe=False,
        ),
        _row(
            "wait",
            "cp.async.bulk.wait_group <left>;",
            "Wait until no more than `left` (0 to 15, known at compile time) of this thread's latest groups are under way.",
            immediates=left,
            unsafe=False,
        ),
        _row(
            "wait_read",
            "cp.async.bulk.wait_group.read <left>;",
            "The same, until their shared memory was read and may be written again; the data need not have arrived.",
            immediates=left,
            unsafe=False,
        ),
        _row("prefetch_map", "prefetch.tensormap [<map>];", "Have the map itself brought near, before its first use.", _MAP, unsafe=False),
    ]


def rows() -> list[Intrinsic]:
    columns = (row for rank in IMAGES for row in _columns(rank))
    return [*(row for rank in RANKS for row in _boxes(rank)), *columns, *_runs(), *_alone()]


def _ranks(name: str, ranks: range = RANKS) -> tuple[str, ...]:
    return tuple(f"tma.{name}_{rank}d" for rank in ranks)


_AT = "at: int | tuple[int, ...]"
_ANY = "TensorMap[Any, Any] | Im2colMap[Any, Any]"
_OFFSETS = "offsets: int | tuple[int, ...] = ..."
FORMS = (
    Form(
        "tma.load",
        f"to: SliceMut[T, Any], index: Index, map: TensorMap[T, Any] | Im2colMap[T, Any], {_AT}, bars: Barriers, bar: int, /, *, "
        f"{_OFFSETS}, blocks: int = ...",
        "None",
        "Begin to copy the box that begins at `at` (a coordinate for each axis; negative ones are outside; along the last axis at a "
        "multiple of 16 bytes) to `to[index]` on. Barrier "
        "`bar` of `bars` is told of the bytes of the whole box; elements outside of the array are filled up. `blocks`: a bit for each "
        "block of the cluster; the box comes to all of them, at the same place, and the same barrier of each is told. Of an `Im2colMap` a "
        "column of pixels comes, of which `at` is the first one; `offsets` moves all of them along the axes of an image.",
        (
            *_ranks("load"),
            *_ranks("load_multicast"),
            *_ranks("load_im2col", IMAGES),
            *_ranks("load_im2col_multicast", IMAGES),
        ),
    ),
    Form(
        "tma.store",
        f"map: TensorMapMut[T, Any], {_AT}, source: SliceMut[T, Any], index: Index, /",
        "None",
        "Begin to copy a box from `source[index]` on into the array. What lies outside of the array is left out. It begins at no "
        "negative coordinate, and along the last axis at a multiple of 16 bytes.",
        _ranks("store"),
    ),
    Form(
        "tma.reduce",
        f"map: TensorMapMut[T, Any], {_AT}, source: SliceMut[T, Any], index: Index, /, "
        f"operation: Literal[{', '.join(map(repr, REDUCTIONS))}] = 'add'",
        "None",
        "Begin to combine a box from `source[index]` on, which begins where `store` may write, with the elements of the array, each "
        "indivisibly: `add` of i32, u32, u64, f16, bf16 and f32; `min` and `max` of integers of 32 and 64 bits and of halves; `and`, `or`, "
        "`xor` of i32, u32 and u64; `inc` and `dec` of u32.",
        _ranks("reduce"),
    ),
    Form(
        "tma.prefetch",
        f"map: {_ANY}, {_AT}, /, *, {_OFFSETS}",
        "None",
        "Have a box, or a column of pixels, brought into the L2 cache.",
        (*_ranks("prefetch"), *_ranks("prefetch_im2col", IMAGES)),
    ),
    Form("tma.prefetch_map", f"map: {_ANY}, /", "None", "Have the map itself brought near, before its first use.", ("tma.prefetch_map",)),
    Form(
        "tma.copy",
        "to: SliceMut[T, Any], index: Index, source: Slice[T, Any] | SliceMut[T, Any] | ConstantSlice[T, Any], source_index: Index, "
        "count: int, bars: Barriers = ..., bar: int = ..., /, *, blocks: int = ...",
        "None",
        "Begin to copy `count` neighbouring elements, both places and all of them together multiples of 16 bytes. From global to shared "
        "memory, or from shared memory into another block's (`cluster.map_shared`), with a barrier of the block that receives; from shared "
        "to global memory without one, in a group of the thread. `blocks`: from global memory into all blocks of the cluster whose bit is "
        "set, as `load` does.",
        ("tma.copy_in", "tma.copy_in_multicast", "tma.copy_far", "tma.copy_out"),
    ),
    Form(
        "tma.reduce_run",
        "to: SliceMut[T, Any], index: Index, source: SliceMut[T, Any], source_index: Index, count: int, /, "
        f"operation: Literal[{', '.join(map(repr, REDUCTIONS))}] = 'add'",
        "None",
        "Begin to combine `count` neighbouring elements of shared memory, placed as for `copy`, with those of global memory, each "
        "indivisibly, in a group of the thread: `add` of i32, u32, i64, u64 and floats; `min` and `max` of integers of 32 and 64 bits and "
        "of halves; `and`, `or`, `xor` of integers of 32 and 64 bits; `inc` and `dec` of u32.",
        ("tma.reduce_run",),
    ),
    Form(
        "tma.prefetch_run",
        "source: Slice[Any, Any] | SliceMut[Any, Any], index: Index, count: int, /",
        "None",
        "Have `count` neighbouring elements brought into the L2 cache.",
        ("tma.prefetch_run",),
    ),
)
