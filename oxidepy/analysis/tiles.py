"""Operations of tiles of a warp: which of them name the lanes of their own tile alone, as other tiles may be elsewhere."""

from __future__ import annotations

from oxidepy.analysis import lanes, uniformity
from oxidepy.ir.core import Module, Op
from oxidepy.ir.types import U32


def mark(module: Module) -> None:
    """Let operations of tiles that not all lanes of a warp reach together, or of smaller blocks, wait for the lanes of their tile; a
    `sync` that they all reach waits for all of them, and orders their memory."""
    operations = [one for one in module.kernel.body.walk() if one.name == "intrinsic"]
    exchanges = [one for one in operations if one.attrs.get("mask") == "full" and one.attrs["width"] < 32]
    syncs = [one for one in operations if one.attrs["row"] == "warp.sync" and lanes.tile(one) is not None]
    if not exchanges and not syncs:
        return
    x, y, z = module.kernel.block
    control = uniformity.analyse(module).control
    apart = {one for one in (*exchanges, *syncs) if x * y * z % 32 or control.get(one, uniformity.GRID) < uniformity.WARP}
    for op in apart.intersection(exchanges):
        op.attrs["mask"] = "tile"
    if together := [one for one in syncs if one not in apart]:
        every = Op("const", (), (U32,), {"value": lanes.FULL}, span=together[0].span)
        module.kernel.body.ops.insert(0, every)
        for op in together:
            op.operands[0] = every.result
