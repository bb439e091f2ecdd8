"""Copies of each thread from global to shared memory that run on while the thread does other things (cp.async)."""

from __future__ import annotations

from oxidepy.ir.intrinsics.barrier import at
from oxidepy.ir.intrinsics.row import Address, Form, Immediate, Intrinsic, Registers, instruction

GROUPS = range(16)  # how many groups may be left running, of what one instruction can say
SIZES = {"ca": (4, 8, 16), "cg": (16,)}  # cache → bytes of one copy


def _copy(cache: str, filled: bool) -> Intrinsic:
    size = ", <size>" if filled else ""
    doc = "Begin to copy so many bytes from global to shared memory" + ("; those behind the first `size` are zeros." if filled else ".")
    arguments = (Address("to", ("shared",), "write", 0, 1), Address("source", ("global",), "read", 0, 1))
    return instruction(
        f"async_copy.{cache}" + "_filled" * filled,
        f"cp.async.{cache}.shared.global [<to>], [<source>], <bytes>{size};",
        (*arguments, Registers("size", "u32")) if filled else arguments,
        doc=f"{doc} Through {'L1 and L2' if cache == 'ca' else 'L2 alone'}.",
        immediates=(Immediate("bytes", SIZES[cache]),),
        effect="write",
        reference="copies:begin_filled" if filled else "copies:begin",
        cpu="async_copy.filled" if filled else "async_copy",
    )


def _alone(name: str, text: str, doc: str, immediates: tuple[Immediate, ...] = ()) -> Intrinsic:
    return instruction(
        f"async_copy.{name}", text, doc=doc, immediates=immediates, effect="write", reference=f"copies:{name}", cpu="nothing", unsafe=False
    )


def _arrive(name: str, word: str, doc: str) -> Intrinsic:
    return instruction(
        f"async_copy.{name}",
        f"cp.async.mbarrier.arrive{word}.shared.b64 [<bar>];",
        (at("bar", "shared"),),
        doc=doc,
        effect="write",
        reference=f"copies:{name}",
    )


def rows() -> list[Intrinsic]:
    return [
        *(_copy(cache, filled) for cache in SIZES for filled in (False, True)),
        _alone("commit", "cp.async.commit_group;", "Make a group of the copies that this thread has begun since the last one."),
        _alone(
            "wait",
            "cp.async.wait_group <left>;",
            "Wait until no more than `left` (0 to 15, known at compile time) of this thread's latest groups are under way.",
            (Immediate("left", GROUPS, 0),),
        ),
        _alone("wait_all", "cp.async.wait_all;", "Wait for all copies that this thread has begun."),
        _arrive("arrive", "", "An arrival at a barrier once this thread's copies are done, beside those that `barrier.init` counted."),
        _arrive(
            "arrive_noinc",
            ".noinc",
            "An arrival at a barrier once this thread's copies are done, one of those that `barrier.init` counted.",
        ),
    ]


FORMS = (
    Form(
        "async_copy.copy",
        "to: SliceMut[T, Any], index: Index, source: Slice[T, Any] | SliceMut[T, Any], source_index: Index, /, *, count: int = ..., "
        "cache: Literal['ca', 'cg'] = 'ca', valid: int = ...",
        "None",
        "Begin to copy `count` elements, of 4, 8 or 16 bytes together (16 where nothing is said), from `source[source_index]` on to "
        '`to[index]` on. Both places are multiples of that size. `cache`: "ca" keeps them in L1 and L2, "cg" (16 bytes) in L2 alone. '
        "`valid`: so many elements are copied, from 0 on, and the rest becomes zeros; they alone need be inside of the source.",
        ("async_copy.ca", "async_copy.ca_filled", "async_copy.cg", "async_copy.cg_filled"),
    ),
)
