"""Tensor cores of a warpgroup (four warps, the first a multiple of four) on sm_90a: products whose operands lie in shared memory.

The accumulator of lane l of warp w, number i, is row w % 4 * 16 + l // 4 + 8 * (i // 2 % 2), column i // 4 * 8 + l % 4 * 2 + i % 2 (those
of 16 bits lie two in a register). A in registers lies as in `mma`, 16 rows a warp. A descriptor names a matrix in shared memory:

    bits 0-13   the address / 16           bits 16-29  leading byte offset / 16
    bits 32-45  stride byte offset / 16    bits 62-63  0: no swizzle, 1: 128 bytes, 2: 64, 3: 32

The 16-byte piece of a matrix at row r (of M or N) and k is found, in bytes from the address, where B is the swizzle and `//` counts whole
pieces of 16 bytes along the contiguous axis:

    contiguous along k    swizzled: r % 8 * B + r // 8 * stride + piece * 16      plain: r % 8 * 16 + r // 8 * stride + piece * leading
    contiguous along r    swizzled: k % 8 * B + k // 8 * stride + piece % (B // 16) * 16 + piece // (B // 16) * leading
                          plain:    k % 8 * 16 + k // 8 * leading + piece * stride

and in the swizzled forms bits 4… of the final address are exclusive-or'd with its bits 7… (3 bits for 128 bytes, 2 for 64, 1 for 32).

Of a sparse A the kept half lies as a dense A of half the width; the metadata of its rows are those of `mma`, 16 rows a warp. B has then 64
bytes along k, for which lines of 32 bytes are too short.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oxidepy.ir.intrinsics.mma import BITS, PTX
from oxidepy.ir.intrinsics.row import Argument, Form, Immediate, Intrinsic, Registers, instruction

ARCHES = ("sm_90a",)
ISA = (8, 0)
EVERY = range(8, 257, 8)
FEW = (8, 16, 24, *range(32, 257, 16))  # columns of products of integers
_SIGN = (1, -1)

# accumulator, A, B
PAIRS: tuple[tuple[str, str, str], ...] = (
    ("f32", "f16", "f16"),
    ("f16", "f16", "f16"),
    ("f32", "bf16", "bf16"),
    ("f32", "tf32", "tf32"),
    *((accumulator, a, b) for accumulator in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
    *(("i32", a, b) for a in ("i8", "u8") for b in ("i8", "u8")),
    ("i32", "b1", "b1"),
)


def accumulators(accumulator: str, n: int) -> Registers:
    """The registers of D in one thread: 64 × n over 128 threads."""
    return Registers("d", "u32", n // 4) if accumulator == "f16" else Registers("d", accumulator, n // 2)


def _product(n: int, accumulator: str, a: str, b: str, shared: bool, *, sparse: bool = False, clamped: bool = False) -> Intrinsic:
    k = (512 if sparse else 256) // BITS[a]
    place, kinds = f"m64n{n}k{k}", a if a == b else f"{a}.{b}"
    types = ".".join(PTX.get(one, one) for one in (accumulator, a, b))
    halves, integers = BITS[a] == 16, accumulator == "i32"
    immediates: list[Immediate] = []
    if not integers:
        immediates += [Immediate("scale_a", _SIGN, 1), Immediate("scale_b", _SIGN, 1)]
    if halves:
        immediates += [*([Immediate("trans_a", (0, 1), 0)] if shared else []), Immediate("trans_b", (0, 1), 0)]
    modifiers = "".join(f", <{one.name}>" for one in immediates)
    operation = ".and.popc" if a == "b1" else ".satfinite" if clamped else ""
    sums = accumulators(accumulator, n)
    arguments: tuple[Argument, ...] = (
        Registers("a", "u64") if shared else Registers("a", "u32", 4),
        Registers("b", "u64"),
        sums,
        *((Registers("metadata", "u32"),) if sparse else ()),
        Registers("accumulate", "bool", default=True),
    )
    if sparse:  # of elements of 8 bits all lanes hold metadata, else two of each four
        immediates.append(Immediate("selector", range(1 if BITS[a] == 8 else 2), 0))
    source, kept = "<a>" if shared else "{<a,>}", ", <metadata>, <selector>" if sparse else ""
    text = (
        "{ .reg .pred %accumulate; setp.ne.b32 %accumulate, <accumulate>, 0; "
        f"wgmma.mma_async{'.sp' * sparse}.sync.aligned.{place}.{types}{operation} {{<d,>}}, {source}, <b>{kept}, %accumulate{modifiers}; }}"
    )
    where = "shared memory" if shared else "registers"
    few = f", {'one of two' if a == 'tf32' else 'two of four'} neighbours kept," if sparse else ""
    ends = ", clamped where they overflow" if clamped else ""
    return instruction(
        f"wgmma{'.sparse' * sparse}.{place}.{accumulator}.{kinds}{'.sat' * clamped}{'' if shared else '.registers'}",
        text,
        arguments,
        (sums,),
        doc=f"Begin d = a · b + d (or a · b): {a} 64×{k}{few} from {where} by {b} {k}×{n} from shared memory, sums in {accumulator}{ends}.",
        immediates=tuple(immediates),
        arch=90,
        isa=(8, 4) if integers and a != b else (8, 2) if sparse else ISA,
        arches=ARCHES,
        convergence="warpgroup",
        effect="write",
        reference="wgmma:product",
    )


def _waits() -> Iterator[Intrinsic]:
    """A wait hands the accumulators on: what reads them stands behind it."""
    kinds = {(one.type, one.count) for accumulator in ("f32", "i32", "f16") for n in EVERY for one in (accumulators(accumulator, n),)}
    for type_, count in sorted(kinds):
        sums = Registers("d", type_, count)
        yield instruction(
            f"wgmma.wait_group#{type_}x{count}",
            "wgmma.wait_group.sync.aligned <pending>;",
            (sums,),
            (sums,),
            doc=f"Wait until at most `pending` groups of products are under way; the {count} accumulators of a finished one.",
            immediates=(Immediate("pending", range(8)),),
            **_TOGETHER,
            reference="wgmma:handed_on",
        )
    yield instruction(
        "wgmma.wait_group#none",
        "wgmma.wait_group.sync.aligned <pending>;",
        doc="Wait until at most `pending` groups of products are under way.",
        immediates=(Immediate("pending", range(8)),),
        **_TOGETHER,
        reference="wgmma:handed_on",
    )


_REGISTERS = (
    (
        "more",
        "inc",
        "Wait until the warpgroup's threads may have so many registers: 24 to 256 in steps of 8, in a kernel with `max_registers`.",
    ),
    ("fewer", "dec", "Give registers back, for other warpgroups: the threads need only so many from here on."),
)
_TOGETHER: dict[str, Any] = {"arch": 90, "isa": ISA, "arches": ARCHES, "convergence": "warpgroup", "effect": "write"}


def rows() -> Iterator[Intrinsic]:
    yield instruction(
        "wgmma.fence",
        "wgmma.fence.sync.aligned;",
        doc="Order registers and shared memory before the products behind it: the first ones, and after sums were written.",
        **_TOGETHER,
        reference="wgmma:nothing",
    )
    yield instruction(
        "wgmma.commit_group",
        "wgmma.commit_group.sync.aligned;",
        doc="Make a group of the products begun since the last one.",
        **_TOGETHER,
        reference="wgmma:nothing",
    )
    for name, word, doc in _REGISTERS:
        yield instruction(
            f"wgmma.{name}_registers",
            f"setmaxnreg.{word}.sync.aligned.u32 <count>;",
            doc=doc,
            immediates=(Immediate("count", range(24, 257, 8)),),
            **_TOGETHER,
            reference="wgmma:nothing",
        )
    yield from _waits()
    for accumulator, a, b in PAIRS:
        for n in FEW if accumulator == "i32" else EVERY:
            for shared in (True, False):
                for sparse in (False, True) if a != "b1" else (False,):
                    yield _product(n, accumulator, a, b, shared, sparse=sparse)
                    if BITS[a] == 8 and accumulator == "i32":
                        yield _product(n, accumulator, a, b, shared, sparse=sparse, clamped=True)


FORMS = (
    Form(
        "wgmma.wait_group",
        "pending: int, /, *sums: Any",
        "Any",
        "Wait until at most so many groups (0 to 7, known at compile time) are under way; hands the sums on, which may be read then.",
        tuple(row.name for row in _waits()),
    ),
)
