"""Operations of tiles under control flow that tiles of one warp do not share: they name the lanes of their own tile alone."""

from __future__ import annotations

from oxidepy.analysis import uniformity
from oxidepy.ir.core import Module


def mark(module: Module) -> None:
    """Let operations of tiles that not all lanes of a warp reach together, or of smaller blocks, wait for the lanes of their tile."""
    ops = [one for one in module.kernel.body.walk() if one.name == "intrinsic" and one.attrs.get("mask") == "full"]
    ops = [one for one in ops if one.attrs["width"] < 32]
    x, y, z = module.kernel.block
    if ops:
        control = uniformity.analyse(module).control
        for op in ops:
            if x * y * z % 32 or control.get(op, uniformity.GRID) < uniformity.WARP:
                op.attrs["mask"] = "tile"
