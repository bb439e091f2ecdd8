"""Rows of intrinsics. A new intrinsic is a row here and a test; names for users, docs and lowerings are derived from it."""

from __future__ import annotations

from typing import Literal

from oxidepy.ir.record import record

Convergence = Literal["none", "warp", "block", "cluster", "grid"]


@record
class Intrinsic:
    """One row.

    `name` is the user's name (`thread.idx.x`), `operands` and `result` are types in IR names ("coord" stands for the contract's
    coordinate type), `property` says that it is read, not called. `nvptx` is an LLVM expression that gives an i32 (see backend/nvptx),
    `cpu` and `reference` name a coordinate of the running thread or a combination of these; a row of another shape carries a
    lowering of its own kind when it comes.
    """

    name: str
    operands: tuple[str, ...]
    result: str
    property: bool
    nvptx: str
    cpu: str
    reference: str
    minimum_arch: int = 75
    minimum_isa: tuple[int, int] = (6, 3)
    convergence: Convergence = "none"
    effect: Literal["pure", "read", "write"] = "pure"
    nonnegative: bool = True
    doc: str = ""


def _coordinates() -> list[Intrinsic]:
    rows: list[Intrinsic] = []
    for space, register, doc in (
        ("thread.idx", "tid", "Coordinate of the thread in its block"),
        ("block.idx", "ctaid", "Coordinate of the block in the grid"),
        ("block.dim", "ntid", "Threads of a block"),
        ("grid.dim", "nctaid", "Blocks of the grid"),
    ):
        for axis in "xyz":
            at = f"{register}.{axis}"
            register_read = f"llvm.nvvm.read.ptx.sreg.{at}"
            rows.append(Intrinsic(f"{space}.{axis}", (), "coord", True, register_read, at, at, doc=f"{doc}, along {axis}."))
    for number, axis in enumerate("xyz"):
        # Not a sum of the others: the host refuses launches in which grid * block reaches 2**31 under i32, so it never wraps,
        # and the analyses know that.
        at = f"global_id.{axis}"
        doc = f"block.idx * block.dim + thread.idx along {axis} (axis {number})."
        rows.append(Intrinsic(f"thread.{at}", (), "coord", True, at, at, at, doc=doc))
    rows.append(Intrinsic("grid.size", (), "coord", True, "grid_size", "grid_size", "grid_size", doc="Threads of the grid, over all axes."))
    return rows


ROWS: dict[str, Intrinsic] = {row.name: row for row in _coordinates()}
