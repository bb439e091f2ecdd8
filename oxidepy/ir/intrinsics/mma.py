"""Tensor cores of one warp: matrix products on registers, and the moves of 8 × 8 matrices between shared memory and registers.

How a matrix lies in registers is the same for every shape. Let `word` count registers of 32 bits along k (of 64 bits for f64), each with
as many neighbouring elements as fit. Lane l has of A, register j: row l // 4 + 8 * (j % 2), word l % 4 + 4 * (j // 2) (of an A with 8
rows: row l // 4, word l % 4 + 4 * j); of B: column l // 4, word l % 4 + 4 * j; of C and D: row l // 4 + 8 * (j // 2), column
l % 4 * 2 + j % 2 (accumulators of 16 bits two in a register).

Of a sparse A only half of the elements are there, packed like an A of half the width. The metadata of a row are its kept places in order, 2
bits for each of two in four (of 4-bit elements: pairs of them), 4 bits for one in two (4: the first, 14: the second). Among each four lanes
the selector chooses who holds them: one lane rows l // 4 and l // 4 + 8, 16 bits each; two lanes likewise, the second one the upper half of
the places; for elements of 8 bits and less each lane has 32 bits of one row, first of row l // 4, then of row l // 4 + 8.

The oldest shape, m8n8k4 of halves, is four products at once: lanes 4 * q + i and 4 * q + i + 16, i from 0 to 3, have the one of number q.
With h = 4 * (l // 16): of A row h + i, all of k (by columns: place i along k, rows h to h + 3); of B column h + i, all of k (by rows: place
i along k, columns h to h + 3); of C and D in f16 row h + i, all columns, in f32 number j: row h + i % 2 + j % 4 // 2 * 2, column
j // 4 * 4 + i // 2 * 2 + j % 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from oxidepy.ir.intrinsics.row import Address, Immediate, Intrinsic, Registers, instruction

Shape = tuple[int, int, int]
BITS = {"f64": 64, "tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "i8": 8, "u8": 8, "i4": 4, "u4": 4, "b1": 1}
PTX = {"i32": "s32", "i8": "s8", "i4": "s4"}

# accumulators, A and B, (shape, least architecture, least PTX ISA)…
_INTEGERS = [((8, 8), 75, (6, 5)), ((16, 8), 80, (7, 0))]
_FLOATS: list[tuple[str, str, Shape, int, tuple[int, int]]] = [
    *((accumulator, "f16", (16, 8, 8), 75, (6, 5)) for accumulator in ("f32", "f16")),
    *((accumulator, "f16", (16, 8, 16), 80, (7, 0)) for accumulator in ("f32", "f16")),
    *(("f32", "bf16", (16, 8, k), 80, (7, 0)) for k in (8, 16)),
    *(("f32", "tf32", (16, 8, k), 80, (7, 0)) for k in (4, 8)),
    ("f64", "f64", (8, 8, 4), 80, (7, 0)),
    *(("f64", "f64", (16, 8, k), 90, (7, 8)) for k in (4, 8, 16)),
]


def registers(shape: Shape, accumulator: str, type_: str) -> tuple[Registers, Registers, Registers]:
    """A, B and C in the registers of one lane."""
    m, n, k = shape
    width = 64 if type_ == "f64" else 32
    kind = "f64" if type_ == "f64" else "u32"
    words = k * BITS[type_] // width // 4  # along k, for each lane
    packed = accumulator == "f16"
    return (
        Registers("a", kind, m // 8 * words),
        Registers("b", kind, words),
        Registers("c", "u32" if packed else accumulator, m // 8 * n // 4 // (2 if packed else 1)),
    )


def _product(
    accumulator: str, first: str, second: str, shape: Shape, arch: int, isa: tuple[int, int], suffix: str = "", operation: str = ""
) -> Intrinsic:
    a, b, c = registers(shape, accumulator, first)
    m, n, k = shape
    place, kinds = f"m{m}n{n}k{k}", first if first == second else f"{first}.{second}"
    types = ".".join(PTX.get(one, one) for one in (accumulator, first, second, accumulator))
    satfinite = ".satfinite" if suffix == ".sat" else ""
    text = f"mma.sync.aligned.{place}.row.col{satfinite}.{types}{operation} {{<d,>}}, {{<a,>}}, {{<b,>}}, {{<c,>}};"
    rounding = "" if accumulator == "i32" else "; the last bits are the hardware's"
    overflow = ", clamped where it overflows" if satfinite else ""
    combining = f", combined by `{operation[1:].partition('.')[0]}`, whose bits are counted" if operation else ""
    doc = f"a · b + c: {first} {m}×{k} by {second} {k}×{n}{combining}, sums in {accumulator}{overflow}{rounding}."
    return instruction(
        f"mma.{place}.{accumulator}.{kinds}{suffix}",
        text,
        (a, b, c),
        (Registers("d", c.type, c.count),),
        doc=doc,
        arch=arch,
        isa=isa,
        convergence="warp",
        unsafe=False,
        reference="mma:product",
        cpu="tensor",
    )


def _products() -> Iterator[Intrinsic]:
    for accumulator, type_, shape, arch, isa in _FLOATS:
        yield _product(accumulator, type_, type_, shape, arch, isa)
    for first in ("e4m3", "e5m2"):
        for second in ("e4m3", "e5m2"):
            yield _product("f32", first, second, (16, 8, 32), 89, (8, 4))
            yield _product("f16", first, second, (16, 8, 32), 89, (8, 7))
            yield _product("f32", first, second, (16, 8, 16), 89, (8, 7))
            yield _product("f16", first, second, (16, 8, 16), 89, (8, 7))
    for (m, n), arch, isa in _INTEGERS:
        for bits, widths in ((8, (16,) if m == 8 else (16, 32)), (4, (32,) if m == 8 else (32, 64))):
            for k in widths:
                for first in (f"i{bits}", f"u{bits}"):
                    for second in (f"i{bits}", f"u{bits}"):
                        yield _product("i32", first, second, (m, n, k), arch, isa)
                        yield _product("i32", first, second, (m, n, k), arch, isa, ".sat")
        for k in (128,) if m == 8 else (128, 256):
            yield _product("i32", "b1", "b1", (m, n, k), arch if arch > 75 else 75, (7, 0), ".xor", ".xor.popc")
            yield _product("i32", "b1", "b1", (m, n, k), 80, (7, 1), ".and_", ".and.popc")


def _quarters(accumulator: str) -> Intrinsic:
    """Four products of 8 × 8 × 4, one for each eight lanes."""
    sums = Registers("c", "u32", 4) if accumulator == "f16" else Registers("c", "f32", 8)
    orders = ("row", "col")
    return instruction(
        f"mma.m8n8k4.{accumulator}.f16",
        f"mma.sync.aligned.m8n8k4.<a_order>.<b_order>.{accumulator}.f16.f16.{accumulator} {{<d,>}}, {{<a,>}}, {{<b,>}}, {{<c,>}};",
        (Registers("a", "u32", 2), Registers("b", "u32", 2), sums),
        (Registers("d", sums.type, sums.count),),
        doc=f"a · b + c, four products at once, each of 8 lanes: f16 8×4 by f16 4×8, sums in {accumulator}; slow from sm_80 on.",
        immediates=(Immediate("a_order", orders, "row"), Immediate("b_order", orders, "col")),
        arch=75,
        isa=(6, 4),
        convergence="warp",
        unsafe=False,
        reference="mma:quarters",
    )


# accumulators and elements of sparse products → k, each with how many threads of four hold the metadata of two rows
SPARSE: dict[tuple[str, str], tuple[tuple[int, int], ...]] = {
    **dict.fromkeys((("f32", "f16"), ("f16", "f16"), ("f32", "bf16")), ((16, 1), (32, 2))),
    ("f32", "tf32"): ((8, 1), (16, 2)),
    **{("i32", one): ((32, 2), (64, 4)) for one in ("i8", "u8")},
    **{("i32", one): ((64, 2), (128, 4)) for one in ("i4", "u4")},
    **{("f32", one): ((64, 4),) for one in ("e4m3", "e5m2")},
}


def _sparse() -> Iterator[Intrinsic]:
    for (accumulator, first), widths in SPARSE.items():
        seconds = {"i8": ("i8", "u8"), "u8": ("i8", "u8"), "i4": ("i4", "u4"), "u4": ("i4", "u4"), "e4m3": ("e4m3", "e5m2")}
        for second in seconds.get(first, ("e4m3", "e5m2") if first == "e5m2" else (first,)):
            for k, threads in widths:
                for suffix in ("", ".sat") if accumulator == "i32" else ("",):
                    yield _sparse_product(accumulator, first, second, k, threads, suffix)


def _sparse_product(accumulator: str, first: str, second: str, k: int, threads: int, suffix: str) -> Intrinsic:
    a, b, c = registers((16, 8, k), accumulator, first)
    kinds = first if first == second else f"{first}.{second}"
    types = ".".join(PTX.get(one, one) for one in (accumulator, first, second, accumulator))
    few = {"tf32": "one of two", "i4": "two pairs of four", "u4": "two pairs of four"}.get(first, "two of four")
    return instruction(
        f"mma.sparse.m16n8k{k}.{accumulator}.{kinds}{suffix}",
        f"mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col{'.satfinite' if suffix else ''}.{types} "
        "{<d,>}, {<a,>}, {<b,>}, {<c,>}, <metadata>, <selector>;",
        (Registers("a", "u32", a.count // 2), b, c, Registers("metadata", "u32")),
        (Registers("d", c.type, c.count),),
        doc=f"a · b + c, of each row of a {few} neighbours along k being there: {first} 16×{k} by {second} {k}×8, sums in {accumulator}.",
        immediates=(Immediate("selector", range(4 // threads), 0),),
        arch=89 if first in ("e4m3", "e5m2") else 80,
        isa=(8, 5),
        convergence="warp",
        unsafe=False,
        reference="mma:sparse",
    )


def _moves() -> Iterator[Intrinsic]:
    for count in (1, 2, 4):
        for trans in ("", "_trans"):
            turned = ", each transposed" if trans else ""
            lanes = f"lanes 0 to {8 * count - 1}" if count < 4 else "the lanes"
            form = f"m8n8.x{count}{trans.replace('_', '.')}.shared.b16"
            matrices = f"{count} matrix of 8 × 8" if count == 1 else f"{count} matrices of 8 × 8"
            yield instruction(
                f"mma.ldmatrix_x{count}{trans}",
                f"ldmatrix.sync.aligned.{form} {{<d,>}}, [<p>];",
                (Address("p", ("shared",), "read", 16, 16),),
                (Registers("d", "u32", count),),
                doc=f"Load {matrices} elements of 16 bits{turned}: {lanes} name the rows of 16 bytes; lane l gets row l // 4, word l % 4.",
                arch=75,
                isa=(6, 5),
                convergence="warp",
                effect="read",
                reference="mma:ldmatrix",
                cpu="tensor",
            )
            yield instruction(
                f"mma.stmatrix_x{count}{trans}",
                f"stmatrix.sync.aligned.{form} [<p>], {{<a,>}};",
                (Address("p", ("shared",), "write", 16, 16), Registers("a", "u32", count)),
                doc=f"Store {matrices} elements of 16 bits{turned}: the inverse of `mma.ldmatrix_x{count}{trans}`.",
                arch=90,
                isa=(7, 8),
                convergence="warp",
                effect="write",
                reference="mma:stmatrix",
                cpu="tensor",
            )
    yield instruction(
        "mma.movmatrix_trans",
        "movmatrix.sync.aligned.m8n8.trans.b16 <d>, <a>;",
        (Registers("a", "u32"),),
        (Registers("d", "u32"),),
        doc="Transpose a matrix of 8 × 8 elements of 16 bits that the warp holds, lane l row l // 4, word l % 4.",
        arch=75,
        isa=(7, 8),
        convergence="warp",
        unsafe=False,
        reference="mma:movmatrix",
        cpu="tensor",
    )


def _rounding() -> Intrinsic:
    return instruction(
        "mma.tf32",
        "cvt.rna.tf32.f32 <d>, <x>;",
        (Registers("x", "f32"),),
        (Registers("d", "u32"),),
        doc="An f32 as the register of a product in tf32: rounded to 10 bits of fraction, to nearest, ties away from zero.",
        unsafe=False,
        reference="mma:tf32",
        cpu="tensor",
    )


def rows() -> Iterator[Intrinsic]:
    yield from _products()
    yield from (_quarters(accumulator) for accumulator in ("f32", "f16"))
    yield from _sparse()
    yield from _moves()
    yield _rounding()
