"""The layout of a panic record, the same for every device. 64 bytes, host-mapped for CUDA."""

from __future__ import annotations

# byte offsets
CLAIM = 0  # u32: 0 free, 1 claimed by the thread that writes the rest
SITE = 4  # u32: number of the PanicSite
INDEX = 8  # i64
LENGTH = 16  # i64
BLOCK = 24  # 3 x u32
THREAD = 36  # 3 x u32
READY = 48  # u32: 1 once all the other fields are written (a system-scope fence stands before it)
SIZE = 64
