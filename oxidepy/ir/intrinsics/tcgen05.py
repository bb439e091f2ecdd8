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


_D, _B, _HOW = Registers("d", "u32"), Registers("b", "u64"), Registers("how", "u32")
_GO_ON, _META = Registers("accumulate", "bool", default=True), Registers("metadata", "u32")
_KEPT = ("fill", "use", "lastuse", "discard")  # what becomes of an operand in the tensor core's own buffer
_KEEP = Immediate("collector", _KEPT, "discard")


def _from(tensor: bool) -> tuple[Registers, str, str]:
    """A, how it is written, and where it lies: by an address in tensor memory or by a descriptor."""
    return (Registers("a", "u32"), "[<a>]", "tensor memory") if tensor else (Registers("a", "u64"), "<a>", "shared memory")


def _products() -> Iterator[Intrinsic]:
    for kind in KINDS:
        for tensor in (False, True):
            for sparse in (False, True):
                yield from _forms(kind, tensor, sparse)
    for kind, blocks in SCALED.items():
        for size in blocks:
            for tensor in (False, True):
                for sparse in (False, True):
                    yield _block_scaled(kind, size, tensor, sparse)


def _forms(kind: str, tensor: bool, sparse: bool) -> Iterator[Intrinsic]:
    """One kind of product: plain, with B kept, with lanes left out, with A shifted, with columns of B taken for zeros."""
    a, source, place = _from(tensor)
    here: dict[str, Any] = {**_LEAST, "arches": INTEGERS if kind == "i8" else ARCHES, "effect": "write"}
    meta, extra = ((_META,), "[<metadata>], ") if sparse else ((), "")
    ends, word = ("_tensor" if tensor else ""), ".sp" * sparse
    doc = f"{kind}, {'A sparse, ' if sparse else ''}A from {place}"

    def row(
        name: str, form: str, behind: str, doc: str, more: tuple[Argument, ...] = (), immediates: tuple[Immediate, ...] = ()
    ) -> Intrinsic:
        text = f"{_IF}tcgen05.mma{form} [<d>], {source}, <b>, {extra}<how>{behind}; }}"
        return instruction(name, text, (_D, a, _B, *meta, _HOW, *more, _GO_ON), doc=doc, immediates=immediates, **here)

    name = f"tcgen05.mma_{'sp_' if sparse else ''}{kind}{ends}"
    both, kept = f"{word}.{_CTA}.kind::{kind}", ".collector::a::<collector>"
    yield row(name, both + kept, ", %accumulate", f"Begin d = a · b + d of {doc}; `how` is a `tcgen05.how`.", (), (_GROUP, _KEEP))
    if tensor:
        shifted = Immediate("collector", _KEPT[2:], "discard")
        text = "The same, the rows of A moved down by one, but for the last: "
        yield row(f"{name}_shifted", f"{both}.ashift{kept}", ", %accumulate", f"{text}{doc}.", (), (_GROUP, shifted))
    scale, scaled = ((Immediate("scale_d", range(16), 0),), ", <scale_d>") if kind in ("f16", "tf32") else ((), "")
    divided = ", `d` divided by `2 ** scale_d` before" if scale else ""
    for group, lanes in ((1, 128), (2, 256)):
        disabled = Registers("disabled", "u32", lanes // 32)
        text = f"The same{' for a pair of blocks' if group == 2 else ''}, but for the lanes whose bits are set{divided}: {doc}."
        form = f"{word}.cta_group::{group}.kind::{kind}{kept}"
        yield row(
            f"{name}_masked{'_pair' if group == 2 else ''}",
            form,
            f", {{<disabled,>}}, %accumulate{scaled}",
            text,
            (disabled,),
            (_KEEP, *scale),
        )
    name = name.replace("mma", "mma_ws", 1)
    form = f".ws{word}.cta_group::1.kind::{kind}.collector::<buffer>::<collector>"
    buffers = (Immediate("buffer", ("b0", "b1", "b2", "b3"), "b0"), _KEEP)
    yield row(name, form, ", %accumulate", f"The same with B kept in the tensor core: {doc}.", (), buffers)
    zeros = Registers("zeros", "u64")
    text = f"The same, columns of B taken for zeros, as a mask's descriptor says: {doc}."
    yield row(f"{name}_zeroed", form, ", %accumulate, <zeros>", text, (zeros,), buffers)


def _block_scaled(kind: str, size: str, tensor: bool, sparse: bool) -> Intrinsic:
    a, source, place = _from(tensor)
    scales = (Registers("scale_a", "u32"), Registers("scale_b", "u32"))
    meta, extra = ((_META,), "[<metadata>], ") if sparse else ((), "")
    which = f"{kind}, {'A sparse, ' if sparse else ''}A from {place}"
    return instruction(
        f"tcgen05.mma_{'sp_' if sparse else ''}{kind}_{size}{'_tensor' if tensor else ''}",
        f"{_IF}tcgen05.mma{'.sp' * sparse}.{_CTA}.kind::{kind}.block_scale.{size}.collector::a::<collector> "
        f"[<d>], {source}, <b>, {extra}<how>, [<scale_a>], [<scale_b>], %accumulate; }}",
        (_D, a, _B, *meta, _HOW, *scales, _GO_ON),
        doc=f"Begin a product whose operands carry a scale for each {size[5:]} elements, in tensor memory: {which}.",
        immediates=(_GROUP, _KEEP),
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
