"""Tensor cores of sm_100a and its family: matrices in tensor memory, products begun by one thread; and cluster launch control.

Tensor memory is addressed by a u32: the column in its lower half, the lane in its upper one. One warp allocates columns of it and gives
them back. Products read A from shared memory (a descriptor) or tensor memory, B from shared memory, and sum in tensor memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oxidepy.ir.intrinsics.row import Address, Argument, Immediate, Intrinsic, Registers, instruction

ARCHES = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f")
INTEGERS = ("sm_100a", "sm_110a")
_GROUP = Immediate("group", (1, 2), 1)
_CTA = "cta_group::<group>"
_LEAST: dict[str, Any] = {"arch": 100, "isa": (8, 6)}
_HERE: dict[str, Any] = {**_LEAST, "arches": ARCHES}
_BLOCKS: dict[str, Any] = {**_HERE, "isa": (8, 8)}
_WARP: dict[str, Any] = {**_HERE, "convergence": "warp"}

# shape of a load or store → registers a lane for each repetition, the most repetitions
SHAPES = {"32x32b": (1, 128), "16x64b": (1, 128), "16x128b": (2, 64), "16x256b": (4, 32), "16x32bx2": (1, 128)}
KINDS = ("f16", "tf32", "f8f6f4", "i8")
SCALED = {"mxf8f6f4": ("block32",), "mxf4": ("block32",), "mxf4nvf4": ("block16", "block32")}
COPIES = ("128x256b", "4x256b", "128x128b", "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4")


def _memory() -> Iterator[Intrinsic]:
    columns = Registers("columns", "u32")
    yield instruction(
        "tcgen05.alloc",
        f"tcgen05.alloc.{_CTA}.sync.aligned.shared::cta.b32 [<p>], <columns>;",
        (Address("p", ("shared",), "write", 4, 4), columns),
        doc="Allocate columns of tensor memory (a power of two from 32 to 512) and write the address to a shared array.",
        immediates=(_GROUP,),
        effect="write",
        **_WARP,
    )
    yield instruction(
        "tcgen05.dealloc",
        f"tcgen05.dealloc.{_CTA}.sync.aligned.b32 <at>, <columns>;",
        (Registers("at", "u32"), columns),
        doc="Give columns of tensor memory back.",
        immediates=(_GROUP,),
        effect="write",
        **_WARP,
    )
    yield instruction(
        "tcgen05.relinquish_alloc_permit",
        f"tcgen05.relinquish_alloc_permit.{_CTA}.sync.aligned;",
        doc="This block allocates no more tensor memory.",
        immediates=(_GROUP,),
        effect="write",
        **_WARP,
    )
    yield instruction(
        "tcgen05.shift",
        f"tcgen05.shift.{_CTA}.down [<at>];",
        (Registers("at", "u32"),),
        doc="Move the rows of a matrix in tensor memory down by one, but for the last.",
        immediates=(_GROUP,),
        effect="write",
        **_HERE,
    )
    for shape in COPIES:
        for form in ("", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"):
            name = "x".join(shape.split(".")[0].split("x")) + (f"_{shape.split('::')[1]}" if "::" in shape else "")
            wider = {"": "", ".b8x16.b6x16_p32": "_from_b6", ".b8x16.b4x16_p64": "_from_b4"}[form]
            yield instruction(
                f"tcgen05.cp_{name}{wider}",
                f"tcgen05.cp.{_CTA}.{shape}{form} [<at>], <matrix>;",
                (Registers("at", "u32"), Registers("matrix", "u64")),
                doc=f"Copy a matrix ({shape}{', widened to 8 bits' if form else ''}) from shared memory, named by its descriptor.",
                immediates=(_GROUP,),
                effect="write",
                **_HERE,
            )


def _moves() -> Iterator[Intrinsic]:
    for shape, (each, most) in SHAPES.items():
        split = shape == "16x32bx2"
        immediates = (Immediate("split", range(1 << 16)),) if split else ()
        second = ", <split>" if split else ""
        count = 1
        while count <= most:
            data, at = Registers("data", "u32", each * count), Registers("at", "u32")
            for packed in (False, True):
                halves = "_halves" if packed else ""
                yield instruction(
                    f"tcgen05.ld_{shape}_x{count}{halves}",
                    f"tcgen05.ld.sync.aligned.{shape}.x{count}{'.pack::16b' if packed else ''}.b32 {{<data,>}}, [<at>]{second};",
                    (at,),
                    (data,),
                    doc=f"Load {count} × {shape} from tensor memory{', two elements of 16 bits in a register' if packed else ''}.",
                    immediates=immediates,
                    effect="read",
                    **_WARP,
                )
                yield instruction(
                    f"tcgen05.st_{shape}_x{count}{halves}",
                    f"tcgen05.st.sync.aligned.{shape}.x{count}{'.unpack::16b' if packed else ''}.b32 [<at>]{second}, {{<data,>}};",
                    (at, data),
                    doc=f"Store {count} × {shape} to tensor memory{', two elements of 16 bits in a register' if packed else ''}.",
                    immediates=immediates,
                    effect="write",
                    **_WARP,
                )
            count *= 2


def _order() -> Iterator[Intrinsic]:
    for when in ("before", "after"):
        yield instruction(
            f"tcgen05.fence_{when}",
            f"tcgen05.fence::{when}_thread_sync;",
            doc=f"Order operations on tensor memory {'ahead of' if when == 'before' else 'behind'} what the threads tell each other.",
            effect="write",
            **_HERE,
        )
    for what in ("ld", "st"):
        yield instruction(
            f"tcgen05.wait_{what}",
            f"tcgen05.wait::{what}.sync.aligned;",
            doc=f"Wait for the thread's {'loads from' if what == 'ld' else 'stores to'} tensor memory.",
            effect="write",
            **_WARP,
        )
    barrier = Address("barrier", ("shared",), "both", 8, 8, ("u64",))
    text = f"tcgen05.commit.{_CTA}.mbarrier::arrive::one.shared::cluster"
    yield instruction(
        "tcgen05.commit",
        f"{text}.b64 [<barrier>];",
        (barrier,),
        doc="Arrive at a barrier once the thread's products and copies so far are done.",
        immediates=(_GROUP,),
        effect="write",
        **_HERE,
    )
    yield instruction(
        "tcgen05.commit_multicast",
        f"{text}.multicast::cluster.b64 [<barrier>], <blocks>;",
        (barrier, Registers("blocks", "u16")),
        doc="The same at the barriers of several blocks of the cluster, a bit each.",
        immediates=(_GROUP,),
        effect="write",
        **_HERE,
    )


_IF = "{ .reg .pred %accumulate; setp.ne.b32 %accumulate, <accumulate>, 0; "


def _products() -> Iterator[Intrinsic]:
    d, b, how, go_on = Registers("d", "u32"), Registers("b", "u64"), Registers("how", "u32"), Registers("accumulate", "bool", default=True)
    meta = Registers("metadata", "u32")
    for kind in KINDS:
        here: dict[str, Any] = {**_LEAST, "arches": INTEGERS if kind == "i8" else ARCHES}
        for tensor in (False, True):
            a, source = (Registers("a", "u32"), "[<a>]") if tensor else (Registers("a", "u64"), "<a>")
            place = "tensor memory" if tensor else "shared memory"
            suffix = "_tensor" if tensor else ""
            for sparse in (False, True):
                arguments: tuple[Argument, ...] = (d, a, b, *((meta,) if sparse else ()), how, go_on)
                extra = "[<metadata>], " if sparse else ""
                name = f"tcgen05.{'mma_sp' if sparse else 'mma'}_{kind}{suffix}"
                yield instruction(
                    name,
                    f"{_IF}tcgen05.mma{'.sp' if sparse else ''}.{_CTA}.kind::{kind} [<d>], {source}, <b>, {extra}<how>, %accumulate; }}",
                    arguments,
                    doc=f"Begin d = a · b + d of {kind}, {'A sparse, ' if sparse else ''}A from {place}; `how` is a `tcgen05.how`.",
                    immediates=(_GROUP,),
                    effect="write",
                    **here,
                )
                yield instruction(
                    name.replace("mma", "mma_ws", 1),
                    f"{_IF}tcgen05.mma.ws{'.sp' if sparse else ''}.cta_group::1.kind::{kind} [<d>], {source}, <b>, {extra}<how>, "
                    "%accumulate; }",
                    arguments,
                    doc=f"The same with B kept in the tensor core: {kind}, {'A sparse, ' if sparse else ''}A from {place}.",
                    effect="write",
                    **here,
                )
    for kind, blocks in SCALED.items():
        for size in blocks:
            for tensor in (False, True):
                a, source = (Registers("a", "u32"), "[<a>]") if tensor else (Registers("a", "u64"), "<a>")
                scales = (Registers("scale_a", "u32"), Registers("scale_b", "u32"))
                yield instruction(
                    f"tcgen05.mma_{kind}_{size}{'_tensor' if tensor else ''}",
                    f"{_IF}tcgen05.mma.{_CTA}.kind::{kind}.block_scale.{size} [<d>], {source}, <b>, <how>, [<scale_a>], [<scale_b>], "
                    "%accumulate; }",
                    (d, a, b, how, *scales, go_on),
                    doc=f"Begin a product of {kind} whose operands carry a scale for each {size[5:]} elements, in tensor memory.",
                    immediates=(_GROUP,),
                    effect="write",
                    **_BLOCKS,
                )


def _launches() -> Iterator[Intrinsic]:
    """Work that other blocks of the grid would have done, taken over by this one."""
    response = Address("response", ("shared",), "write", 16, 16)
    barrier = Address("barrier", ("shared",), "both", 8, 8, ("u64",))
    text = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
    yield instruction(
        "clc.try_cancel",
        f"{text}.b128 [<response>], [<barrier>];",
        (response, barrier),
        doc="Ask for the work of a cluster that has not begun; 16 bytes of answer come to a shared array, and the barrier counts them.",
        effect="write",
        **_LEAST,
    )
    yield instruction(
        "clc.try_cancel_multicast",
        f"{text}.multicast::cluster::all.b128 [<response>], [<barrier>];",
        (response, barrier),
        doc="The same, the answer to every block of the cluster.",
        effect="write",
        **_HERE,
    )
    answer = Address("response", ("shared",), "read", 16, 16)
    load = "{ .reg .b128 %answer; ld.shared.b128 %answer, [<response>]; "
    yield instruction(
        "clc.is_canceled",
        f"{load}.reg .pred %there; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %there, %answer; selp.b32 <d>, 1, 0, %there; }}",
        (answer,),
        (Registers("d", "bool"),),
        doc="Whether an answer holds work: a cluster was canceled.",
        effect="read",
        **_LEAST,
    )
    for axis in "xyz":
        yield instruction(
            f"clc.first_block_{axis}",
            f"{load}clusterlaunchcontrol.query_cancel.get_first_ctaid::{axis}.b32.b128 <d>, %answer; }}",
            (answer,),
            (Registers("d", "u32"),),
            doc=f"The coordinate along {axis} of the first block of the canceled cluster.",
            effect="read",
            **_LEAST,
        )


def rows() -> Iterator[Intrinsic]:
    yield from _memory()
    yield from _moves()
    yield from _order()
    yield from _products()
    yield from _launches()
