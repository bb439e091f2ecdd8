"""The one table of intrinsics: everything a kernel can ask of the hardware, one row each."""

from oxidepy.ir.intrinsics.table import ROWS, Intrinsic

__all__ = ["ROWS", "Intrinsic"]
