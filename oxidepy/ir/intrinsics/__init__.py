"""The one table of intrinsics: everything a kernel can ask of the hardware, one row each."""

from oxidepy.ir.intrinsics.row import Address, Assembly, Immediate, Intrinsic, Registers
from oxidepy.ir.intrinsics.table import ROWS

__all__ = ["ROWS", "Address", "Assembly", "Immediate", "Intrinsic", "Registers"]
