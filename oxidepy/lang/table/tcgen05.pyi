# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any, Literal, TypeAlias

from oxidepy.lang.barrier import Barriers
from oxidepy.lang.index import ThreadIndex
from oxidepy.lang.scalars import u16, u32, u64
from oxidepy.lang.slices import AnyInt, SliceMut

__all__ = [
    "alloc",
    "commit",
    "commit_multicast",
    "cp_4x256b",
    "cp_4x256b_from_b4",
    "cp_4x256b_from_b6",
    "cp_32x128b",
    "cp_32x128b_from_b4",
    "cp_32x128b_from_b6",
    "cp_64x128b_01_23",
    "cp_64x128b_01_23_from_b4",
    "cp_64x128b_01_23_from_b6",
    "cp_64x128b_02_13",
    "cp_64x128b_02_13_from_b4",
    "cp_64x128b_02_13_from_b6",
    "cp_128x128b",
    "cp_128x128b_from_b4",
    "cp_128x128b_from_b6",
    "cp_128x256b",
    "cp_128x256b_from_b4",
    "cp_128x256b_from_b6",
    "dealloc",
    "fence_after",
    "fence_before",
    "ld_16x32bx2_x1",
    "ld_16x32bx2_x1_halves",
    "ld_16x32bx2_x2",
    "ld_16x32bx2_x2_halves",
    "ld_16x32bx2_x4",
    "ld_16x32bx2_x4_halves",
    "ld_16x32bx2_x8",
    "ld_16x32bx2_x8_halves",
    "ld_16x32bx2_x16",
    "ld_16x32bx2_x16_halves",
    "ld_16x32bx2_x32",
    "ld_16x32bx2_x32_halves",
    "ld_16x32bx2_x64",
    "ld_16x32bx2_x64_halves",
    "ld_16x32bx2_x128",
    "ld_16x32bx2_x128_halves",
    "ld_16x64b_x1",
    "ld_16x64b_x1_halves",
    "ld_16x64b_x2",
    "ld_16x64b_x2_halves",
    "ld_16x64b_x4",
    "ld_16x64b_x4_halves",
    "ld_16x64b_x8",
    "ld_16x64b_x8_halves",
    "ld_16x64b_x16",
    "ld_16x64b_x16_halves",
    "ld_16x64b_x32",
    "ld_16x64b_x32_halves",
    "ld_16x64b_x64",
    "ld_16x64b_x64_halves",
    "ld_16x64b_x128",
    "ld_16x64b_x128_halves",
    "ld_16x128b_x1",
    "ld_16x128b_x1_halves",
    "ld_16x128b_x2",
    "ld_16x128b_x2_halves",
    "ld_16x128b_x4",
    "ld_16x128b_x4_halves",
    "ld_16x128b_x8",
    "ld_16x128b_x8_halves",
    "ld_16x128b_x16",
    "ld_16x128b_x16_halves",
    "ld_16x128b_x32",
    "ld_16x128b_x32_halves",
    "ld_16x128b_x64",
    "ld_16x128b_x64_halves",
    "ld_16x256b_x1",
    "ld_16x256b_x1_halves",
    "ld_16x256b_x2",
    "ld_16x256b_x2_halves",
    "ld_16x256b_x4",
    "ld_16x256b_x4_halves",
    "ld_16x256b_x8",
    "ld_16x256b_x8_halves",
    "ld_16x256b_x16",
    "ld_16x256b_x16_halves",
    "ld_16x256b_x32",
    "ld_16x256b_x32_halves",
    "ld_32x32b_x1",
    "ld_32x32b_x1_halves",
    "ld_32x32b_x2",
    "ld_32x32b_x2_halves",
    "ld_32x32b_x4",
    "ld_32x32b_x4_halves",
    "ld_32x32b_x8",
    "ld_32x32b_x8_halves",
    "ld_32x32b_x16",
    "ld_32x32b_x16_halves",
    "ld_32x32b_x32",
    "ld_32x32b_x32_halves",
    "ld_32x32b_x64",
    "ld_32x32b_x64_halves",
    "ld_32x32b_x128",
    "ld_32x32b_x128_halves",
    "mma_f8f6f4",
    "mma_f8f6f4_masked",
    "mma_f8f6f4_masked_pair",
    "mma_f8f6f4_tensor",
    "mma_f8f6f4_tensor_masked",
    "mma_f8f6f4_tensor_masked_pair",
    "mma_f8f6f4_tensor_shifted",
    "mma_f16",
    "mma_f16_masked",
    "mma_f16_masked_pair",
    "mma_f16_tensor",
    "mma_f16_tensor_masked",
    "mma_f16_tensor_masked_pair",
    "mma_f16_tensor_shifted",
    "mma_i8",
    "mma_i8_masked",
    "mma_i8_masked_pair",
    "mma_i8_tensor",
    "mma_i8_tensor_masked",
    "mma_i8_tensor_masked_pair",
    "mma_i8_tensor_shifted",
    "mma_mxf4_block32",
    "mma_mxf4_block32_tensor",
    "mma_mxf4nvf4_block16",
    "mma_mxf4nvf4_block16_tensor",
    "mma_mxf4nvf4_block32",
    "mma_mxf4nvf4_block32_tensor",
    "mma_mxf8f6f4_block32",
    "mma_mxf8f6f4_block32_tensor",
    "mma_sp_f8f6f4",
    "mma_sp_f8f6f4_masked",
    "mma_sp_f8f6f4_masked_pair",
    "mma_sp_f8f6f4_tensor",
    "mma_sp_f8f6f4_tensor_masked",
    "mma_sp_f8f6f4_tensor_masked_pair",
    "mma_sp_f8f6f4_tensor_shifted",
    "mma_sp_f16",
    "mma_sp_f16_masked",
    "mma_sp_f16_masked_pair",
    "mma_sp_f16_tensor",
    "mma_sp_f16_tensor_masked",
    "mma_sp_f16_tensor_masked_pair",
    "mma_sp_f16_tensor_shifted",
    "mma_sp_i8",
    "mma_sp_i8_masked",
    "mma_sp_i8_masked_pair",
    "mma_sp_i8_tensor",
    "mma_sp_i8_tensor_masked",
    "mma_sp_i8_tensor_masked_pair",
    "mma_sp_i8_tensor_shifted",
    "mma_sp_mxf4_block32",
    "mma_sp_mxf4_block32_tensor",
    "mma_sp_mxf4nvf4_block16",
    "mma_sp_mxf4nvf4_block16_tensor",
    "mma_sp_mxf4nvf4_block32",
    "mma_sp_mxf4nvf4_block32_tensor",
    "mma_sp_mxf8f6f4_block32",
    "mma_sp_mxf8f6f4_block32_tensor",
    "mma_sp_tf32",
    "mma_sp_tf32_masked",
    "mma_sp_tf32_masked_pair",
    "mma_sp_tf32_tensor",
    "mma_sp_tf32_tensor_masked",
    "mma_sp_tf32_tensor_masked_pair",
    "mma_sp_tf32_tensor_shifted",
    "mma_tf32",
    "mma_tf32_masked",
    "mma_tf32_masked_pair",
    "mma_tf32_tensor",
    "mma_tf32_tensor_masked",
    "mma_tf32_tensor_masked_pair",
    "mma_tf32_tensor_shifted",
    "mma_ws_f8f6f4",
    "mma_ws_f8f6f4_tensor",
    "mma_ws_f8f6f4_tensor_zeroed",
    "mma_ws_f8f6f4_zeroed",
    "mma_ws_f16",
    "mma_ws_f16_tensor",
    "mma_ws_f16_tensor_zeroed",
    "mma_ws_f16_zeroed",
    "mma_ws_i8",
    "mma_ws_i8_tensor",
    "mma_ws_i8_tensor_zeroed",
    "mma_ws_i8_zeroed",
    "mma_ws_sp_f8f6f4",
    "mma_ws_sp_f8f6f4_tensor",
    "mma_ws_sp_f8f6f4_tensor_zeroed",
    "mma_ws_sp_f8f6f4_zeroed",
    "mma_ws_sp_f16",
    "mma_ws_sp_f16_tensor",
    "mma_ws_sp_f16_tensor_zeroed",
    "mma_ws_sp_f16_zeroed",
    "mma_ws_sp_i8",
    "mma_ws_sp_i8_tensor",
    "mma_ws_sp_i8_tensor_zeroed",
    "mma_ws_sp_i8_zeroed",
    "mma_ws_sp_tf32",
    "mma_ws_sp_tf32_tensor",
    "mma_ws_sp_tf32_tensor_zeroed",
    "mma_ws_sp_tf32_zeroed",
    "mma_ws_tf32",
    "mma_ws_tf32_tensor",
    "mma_ws_tf32_tensor_zeroed",
    "mma_ws_tf32_zeroed",
    "relinquish_alloc_permit",
    "shift",
    "st_16x32bx2_x1",
    "st_16x32bx2_x1_halves",
    "st_16x32bx2_x2",
    "st_16x32bx2_x2_halves",
    "st_16x32bx2_x4",
    "st_16x32bx2_x4_halves",
    "st_16x32bx2_x8",
    "st_16x32bx2_x8_halves",
    "st_16x32bx2_x16",
    "st_16x32bx2_x16_halves",
    "st_16x32bx2_x32",
    "st_16x32bx2_x32_halves",
    "st_16x32bx2_x64",
    "st_16x32bx2_x64_halves",
    "st_16x32bx2_x128",
    "st_16x32bx2_x128_halves",
    "st_16x64b_x1",
    "st_16x64b_x1_halves",
    "st_16x64b_x2",
    "st_16x64b_x2_halves",
    "st_16x64b_x4",
    "st_16x64b_x4_halves",
    "st_16x64b_x8",
    "st_16x64b_x8_halves",
    "st_16x64b_x16",
    "st_16x64b_x16_halves",
    "st_16x64b_x32",
    "st_16x64b_x32_halves",
    "st_16x64b_x64",
    "st_16x64b_x64_halves",
    "st_16x64b_x128",
    "st_16x64b_x128_halves",
    "st_16x128b_x1",
    "st_16x128b_x1_halves",
    "st_16x128b_x2",
    "st_16x128b_x2_halves",
    "st_16x128b_x4",
    "st_16x128b_x4_halves",
    "st_16x128b_x8",
    "st_16x128b_x8_halves",
    "st_16x128b_x16",
    "st_16x128b_x16_halves",
    "st_16x128b_x32",
    "st_16x128b_x32_halves",
    "st_16x128b_x64",
    "st_16x128b_x64_halves",
    "st_16x256b_x1",
    "st_16x256b_x1_halves",
    "st_16x256b_x2",
    "st_16x256b_x2_halves",
    "st_16x256b_x4",
    "st_16x256b_x4_halves",
    "st_16x256b_x8",
    "st_16x256b_x8_halves",
    "st_16x256b_x16",
    "st_16x256b_x16_halves",
    "st_16x256b_x32",
    "st_16x256b_x32_halves",
    "st_32x32b_x1",
    "st_32x32b_x1_halves",
    "st_32x32b_x2",
    "st_32x32b_x2_halves",
    "st_32x32b_x4",
    "st_32x32b_x4_halves",
    "st_32x32b_x8",
    "st_32x32b_x8_halves",
    "st_32x32b_x16",
    "st_32x32b_x16_halves",
    "st_32x32b_x32",
    "st_32x32b_x32_halves",
    "st_32x32b_x64",
    "st_32x32b_x64_halves",
    "st_32x32b_x128",
    "st_32x32b_x128_halves",
    "wait_ld",
    "wait_st",
]
Index: TypeAlias = AnyInt | ThreadIndex[Any] | tuple[AnyInt, ...]

def alloc(p: SliceMut[Any, Any], index: Index, columns: u32 | int, /, group: int = 1) -> None:
    """Allocate columns of tensor memory (a power of two from 32 to 512) and write the address to a shared array."""
    ...
def commit(barrier: Barriers, barrier_index: int, /, group: int = 1) -> None:
    """Arrive at a barrier once the thread's products and copies so far are done."""
    ...
def commit_multicast(barrier: Barriers, barrier_index: int, blocks: u16 | int, /, group: int = 1) -> None:
    """The same at the barriers of several blocks of the cluster, a bit each."""
    ...
def cp_4x256b(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (4x256b) from shared memory, named by its descriptor."""
    ...
def cp_4x256b_from_b4(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (4x256b, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_4x256b_from_b6(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (4x256b, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_32x128b(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (32x128b.warpx4) from shared memory, named by its descriptor."""
    ...
def cp_32x128b_from_b4(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (32x128b.warpx4, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_32x128b_from_b6(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (32x128b.warpx4, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_64x128b_01_23(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (64x128b.warpx2::01_23) from shared memory, named by its descriptor."""
    ...
def cp_64x128b_01_23_from_b4(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (64x128b.warpx2::01_23, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_64x128b_01_23_from_b6(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (64x128b.warpx2::01_23, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_64x128b_02_13(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (64x128b.warpx2::02_13) from shared memory, named by its descriptor."""
    ...
def cp_64x128b_02_13_from_b4(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (64x128b.warpx2::02_13, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_64x128b_02_13_from_b6(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (64x128b.warpx2::02_13, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_128x128b(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (128x128b) from shared memory, named by its descriptor."""
    ...
def cp_128x128b_from_b4(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (128x128b, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_128x128b_from_b6(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (128x128b, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_128x256b(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (128x256b) from shared memory, named by its descriptor."""
    ...
def cp_128x256b_from_b4(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (128x256b, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def cp_128x256b_from_b6(at: u32 | int, matrix: u64 | int, /, group: int = 1) -> None:
    """Copy a matrix (128x256b, widened to 8 bits) from shared memory, named by its descriptor."""
    ...
def dealloc(at: u32 | int, columns: u32 | int, /, group: int = 1) -> None:
    """Give columns of tensor memory back."""
    ...
def fence_after() -> None:
    """Order operations on tensor memory behind what the threads tell each other."""
    ...
def fence_before() -> None:
    """Order operations on tensor memory ahead of what the threads tell each other."""
    ...
def ld_16x32bx2_x1(at: u32 | int, /, split: int) -> u32:
    """Load 1 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x1_halves(at: u32 | int, /, split: int) -> u32:
    """Load 1 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x32bx2_x2(at: u32 | int, /, split: int) -> tuple[u32, u32]:
    """Load 2 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x2_halves(at: u32 | int, /, split: int) -> tuple[u32, u32]:
    """Load 2 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x32bx2_x4(at: u32 | int, /, split: int) -> tuple[u32, u32, u32, u32]:
    """Load 4 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x4_halves(at: u32 | int, /, split: int) -> tuple[u32, u32, u32, u32]:
    """Load 4 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x32bx2_x8(at: u32 | int, /, split: int) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 8 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x8_halves(at: u32 | int, /, split: int) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 8 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x32bx2_x16(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 16 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x16_halves(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 16 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x32bx2_x32(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 32 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x32_halves(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 32 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x32bx2_x64(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 64 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x64_halves(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 64 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x32bx2_x128(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 128 × 16x32bx2 from tensor memory."""
    ...
def ld_16x32bx2_x128_halves(at: u32 | int, /, split: int) -> tuple[u32, ...]:
    """Load 128 × 16x32bx2 from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x1(at: u32 | int, /) -> u32:
    """Load 1 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x1_halves(at: u32 | int, /) -> u32:
    """Load 1 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x2(at: u32 | int, /) -> tuple[u32, u32]:
    """Load 2 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x2_halves(at: u32 | int, /) -> tuple[u32, u32]:
    """Load 2 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x4(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 4 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x4_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 4 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x8(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 8 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x8_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 8 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x16(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x16_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x32(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x32_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x64(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 64 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x64_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 64 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x64b_x128(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 128 × 16x64b from tensor memory."""
    ...
def ld_16x64b_x128_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 128 × 16x64b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x128b_x1(at: u32 | int, /) -> tuple[u32, u32]:
    """Load 1 × 16x128b from tensor memory."""
    ...
def ld_16x128b_x1_halves(at: u32 | int, /) -> tuple[u32, u32]:
    """Load 1 × 16x128b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x128b_x2(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 2 × 16x128b from tensor memory."""
    ...
def ld_16x128b_x2_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 2 × 16x128b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x128b_x4(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 4 × 16x128b from tensor memory."""
    ...
def ld_16x128b_x4_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 4 × 16x128b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x128b_x8(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 8 × 16x128b from tensor memory."""
    ...
def ld_16x128b_x8_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 8 × 16x128b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x128b_x16(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 16x128b from tensor memory."""
    ...
def ld_16x128b_x16_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 16x128b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x128b_x32(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 16x128b from tensor memory."""
    ...
def ld_16x128b_x32_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 16x128b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x128b_x64(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 64 × 16x128b from tensor memory."""
    ...
def ld_16x128b_x64_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 64 × 16x128b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x256b_x1(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 1 × 16x256b from tensor memory."""
    ...
def ld_16x256b_x1_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 1 × 16x256b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x256b_x2(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 2 × 16x256b from tensor memory."""
    ...
def ld_16x256b_x2_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 2 × 16x256b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x256b_x4(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 4 × 16x256b from tensor memory."""
    ...
def ld_16x256b_x4_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 4 × 16x256b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x256b_x8(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 8 × 16x256b from tensor memory."""
    ...
def ld_16x256b_x8_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 8 × 16x256b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x256b_x16(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 16x256b from tensor memory."""
    ...
def ld_16x256b_x16_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 16x256b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_16x256b_x32(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 16x256b from tensor memory."""
    ...
def ld_16x256b_x32_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 16x256b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x1(at: u32 | int, /) -> u32:
    """Load 1 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x1_halves(at: u32 | int, /) -> u32:
    """Load 1 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x2(at: u32 | int, /) -> tuple[u32, u32]:
    """Load 2 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x2_halves(at: u32 | int, /) -> tuple[u32, u32]:
    """Load 2 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x4(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 4 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x4_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32]:
    """Load 4 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x8(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 8 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x8_halves(at: u32 | int, /) -> tuple[u32, u32, u32, u32, u32, u32, u32, u32]:
    """Load 8 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x16(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x16_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 16 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x32(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x32_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 32 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x64(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 64 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x64_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 64 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def ld_32x32b_x128(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 128 × 32x32b from tensor memory."""
    ...
def ld_32x32b_x128_halves(at: u32 | int, /) -> tuple[u32, ...]:
    """Load 128 × 32x32b from tensor memory, two elements of 16 bits in a register."""
    ...
def mma_f8f6f4(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f8f6f4, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_f8f6f4_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: f8f6f4, A from shared memory."""
    ...
def mma_f8f6f4_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: f8f6f4, A from shared memory."""
    ...
def mma_f8f6f4_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f8f6f4, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_f8f6f4_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: f8f6f4, A from tensor memory."""
    ...
def mma_f8f6f4_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: f8f6f4, A from tensor memory."""
    ...
def mma_f8f6f4_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: f8f6f4, A from tensor memory."""
    ...
def mma_f16(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f16, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_f16_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A from shared memory."""
    ...
def mma_f16_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A from shared
    memory."""
    ...
def mma_f16_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f16, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_f16_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A from tensor memory."""
    ...
def mma_f16_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A from tensor
    memory."""
    ...
def mma_f16_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: f16, A from tensor memory."""
    ...
def mma_i8(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of i8, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_i8_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: i8, A from shared memory."""
    ...
def mma_i8_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: i8, A from shared memory."""
    ...
def mma_i8_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of i8, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_i8_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: i8, A from tensor memory."""
    ...
def mma_i8_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: i8, A from tensor memory."""
    ...
def mma_i8_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: i8, A from tensor memory."""
    ...
def mma_mxf4_block32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4, A from shared memory."""
    ...
def mma_mxf4_block32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4, A from tensor memory."""
    ...
def mma_mxf4nvf4_block16(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 16 elements, in tensor memory: mxf4nvf4, A from shared memory."""
    ...
def mma_mxf4nvf4_block16_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 16 elements, in tensor memory: mxf4nvf4, A from tensor memory."""
    ...
def mma_mxf4nvf4_block32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4nvf4, A from shared memory."""
    ...
def mma_mxf4nvf4_block32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4nvf4, A from tensor memory."""
    ...
def mma_mxf8f6f4_block32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf8f6f4, A from shared memory."""
    ...
def mma_mxf8f6f4_block32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf8f6f4, A from tensor memory."""
    ...
def mma_sp_f8f6f4(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f8f6f4, A sparse, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_f8f6f4_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: f8f6f4, A sparse, A from shared memory."""
    ...
def mma_sp_f8f6f4_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: f8f6f4, A sparse, A from shared memory."""
    ...
def mma_sp_f8f6f4_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f8f6f4, A sparse, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_f8f6f4_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: f8f6f4, A sparse, A from tensor memory."""
    ...
def mma_sp_f8f6f4_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: f8f6f4, A sparse, A from tensor memory."""
    ...
def mma_sp_f8f6f4_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: f8f6f4, A sparse, A from tensor memory."""
    ...
def mma_sp_f16(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f16, A sparse, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_f16_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A sparse, A from shared memory."""
    ...
def mma_sp_f16_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A sparse, A from
    shared memory."""
    ...
def mma_sp_f16_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of f16, A sparse, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_f16_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A sparse, A from tensor memory."""
    ...
def mma_sp_f16_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: f16, A sparse, A from
    tensor memory."""
    ...
def mma_sp_f16_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: f16, A sparse, A from tensor memory."""
    ...
def mma_sp_i8(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of i8, A sparse, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_i8_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: i8, A sparse, A from shared memory."""
    ...
def mma_sp_i8_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: i8, A sparse, A from shared memory."""
    ...
def mma_sp_i8_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of i8, A sparse, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_i8_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, but for the lanes whose bits are set: i8, A sparse, A from tensor memory."""
    ...
def mma_sp_i8_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set: i8, A sparse, A from tensor memory."""
    ...
def mma_sp_i8_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: i8, A sparse, A from tensor memory."""
    ...
def mma_sp_mxf4_block32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4, A sparse, A from shared memory."""
    ...
def mma_sp_mxf4_block32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4, A sparse, A from tensor memory."""
    ...
def mma_sp_mxf4nvf4_block16(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 16 elements, in tensor memory: mxf4nvf4, A sparse, A from shared memory."""
    ...
def mma_sp_mxf4nvf4_block16_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 16 elements, in tensor memory: mxf4nvf4, A sparse, A from tensor memory."""
    ...
def mma_sp_mxf4nvf4_block32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4nvf4, A sparse, A from shared memory."""
    ...
def mma_sp_mxf4nvf4_block32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf4nvf4, A sparse, A from tensor memory."""
    ...
def mma_sp_mxf8f6f4_block32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf8f6f4, A sparse, A from shared memory."""
    ...
def mma_sp_mxf8f6f4_block32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    scale_a: u32 | int,
    scale_b: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin a product whose operands carry a scale for each 32 elements, in tensor memory: mxf8f6f4, A sparse, A from tensor memory."""
    ...
def mma_sp_tf32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of tf32, A sparse, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_tf32_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A sparse, A from shared memory."""
    ...
def mma_sp_tf32_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A sparse, A from
    shared memory."""
    ...
def mma_sp_tf32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of tf32, A sparse, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_sp_tf32_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A sparse, A from tensor memory."""
    ...
def mma_sp_tf32_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A sparse, A from
    tensor memory."""
    ...
def mma_sp_tf32_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: tf32, A sparse, A from tensor memory."""
    ...
def mma_tf32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of tf32, A from shared memory; `how` is a `tcgen05.how`."""
    ...
def mma_tf32_masked(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A from shared memory."""
    ...
def mma_tf32_masked_pair(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A from shared
    memory."""
    ...
def mma_tf32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """Begin d = a · b + d of tf32, A from tensor memory; `how` is a `tcgen05.how`."""
    ...
def mma_tf32_tensor_masked(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A from tensor memory."""
    ...
def mma_tf32_tensor_masked_pair(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    disabled: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    accumulate: bool = True,
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
    scale_d: int = 0,
) -> None:
    """The same for a pair of blocks, but for the lanes whose bits are set, `d` divided by `2 ** scale_d` before: tf32, A from tensor
    memory."""
    ...
def mma_tf32_tensor_shifted(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    group: int = 1,
    collector: Literal["lastuse", "discard"] = "discard",
) -> None:
    """The same, the rows of A moved down by one, but for the last: tf32, A from tensor memory."""
    ...
def mma_ws_f8f6f4(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f8f6f4, A from shared memory."""
    ...
def mma_ws_f8f6f4_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f8f6f4, A from tensor memory."""
    ...
def mma_ws_f8f6f4_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f8f6f4, A from tensor memory."""
    ...
def mma_ws_f8f6f4_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f8f6f4, A from shared memory."""
    ...
def mma_ws_f16(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f16, A from shared memory."""
    ...
def mma_ws_f16_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f16, A from tensor memory."""
    ...
def mma_ws_f16_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f16, A from tensor memory."""
    ...
def mma_ws_f16_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f16, A from shared memory."""
    ...
def mma_ws_i8(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: i8, A from shared memory."""
    ...
def mma_ws_i8_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: i8, A from tensor memory."""
    ...
def mma_ws_i8_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: i8, A from tensor memory."""
    ...
def mma_ws_i8_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: i8, A from shared memory."""
    ...
def mma_ws_sp_f8f6f4(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f8f6f4, A sparse, A from shared memory."""
    ...
def mma_ws_sp_f8f6f4_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f8f6f4, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_f8f6f4_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f8f6f4, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_f8f6f4_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f8f6f4, A sparse, A from shared memory."""
    ...
def mma_ws_sp_f16(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f16, A sparse, A from shared memory."""
    ...
def mma_ws_sp_f16_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: f16, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_f16_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f16, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_f16_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: f16, A sparse, A from shared memory."""
    ...
def mma_ws_sp_i8(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: i8, A sparse, A from shared memory."""
    ...
def mma_ws_sp_i8_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: i8, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_i8_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: i8, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_i8_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: i8, A sparse, A from shared memory."""
    ...
def mma_ws_sp_tf32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: tf32, A sparse, A from shared memory."""
    ...
def mma_ws_sp_tf32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: tf32, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_tf32_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: tf32, A sparse, A from tensor memory."""
    ...
def mma_ws_sp_tf32_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    metadata: u32 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: tf32, A sparse, A from shared memory."""
    ...
def mma_ws_tf32(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: tf32, A from shared memory."""
    ...
def mma_ws_tf32_tensor(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same with B kept in the tensor core: tf32, A from tensor memory."""
    ...
def mma_ws_tf32_tensor_zeroed(
    d: u32 | int,
    a: u32 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: tf32, A from tensor memory."""
    ...
def mma_ws_tf32_zeroed(
    d: u32 | int,
    a: u64 | int,
    b: u64 | int,
    how: u32 | int,
    zeros: u64 | int,
    /,
    accumulate: bool = True,
    buffer: Literal["b0", "b1", "b2", "b3"] = "b0",
    collector: Literal["fill", "use", "lastuse", "discard"] = "discard",
) -> None:
    """The same, columns of B taken for zeros, as a mask's descriptor says: tf32, A from shared memory."""
    ...
def relinquish_alloc_permit(group: int = 1) -> None:
    """This block allocates no more tensor memory."""
    ...
def shift(at: u32 | int, /, group: int = 1) -> None:
    """Move the rows of a matrix in tensor memory down by one, but for the last."""
    ...
def st_16x32bx2_x1(at: u32 | int, data: u32 | int, /, split: int) -> None:
    """Store 1 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x1_halves(at: u32 | int, data: u32 | int, /, split: int) -> None:
    """Store 1 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x32bx2_x2(at: u32 | int, data: tuple[u32 | int, u32 | int], /, split: int) -> None:
    """Store 2 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x2_halves(at: u32 | int, data: tuple[u32 | int, u32 | int], /, split: int) -> None:
    """Store 2 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x32bx2_x4(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /, split: int) -> None:
    """Store 4 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x4_halves(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /, split: int) -> None:
    """Store 4 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x32bx2_x8(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    split: int,
) -> None:
    """Store 8 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x8_halves(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
    split: int,
) -> None:
    """Store 8 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x32bx2_x16(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 16 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x16_halves(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 16 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x32bx2_x32(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 32 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x32_halves(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 32 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x32bx2_x64(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 64 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x64_halves(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 64 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x32bx2_x128(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 128 × 16x32bx2 to tensor memory."""
    ...
def st_16x32bx2_x128_halves(at: u32 | int, data: tuple[u32 | int, ...], /, split: int) -> None:
    """Store 128 × 16x32bx2 to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x1(at: u32 | int, data: u32 | int, /) -> None:
    """Store 1 × 16x64b to tensor memory."""
    ...
def st_16x64b_x1_halves(at: u32 | int, data: u32 | int, /) -> None:
    """Store 1 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x2(at: u32 | int, data: tuple[u32 | int, u32 | int], /) -> None:
    """Store 2 × 16x64b to tensor memory."""
    ...
def st_16x64b_x2_halves(at: u32 | int, data: tuple[u32 | int, u32 | int], /) -> None:
    """Store 2 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x4(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 4 × 16x64b to tensor memory."""
    ...
def st_16x64b_x4_halves(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 4 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x8(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 8 × 16x64b to tensor memory."""
    ...
def st_16x64b_x8_halves(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 8 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x16(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 16x64b to tensor memory."""
    ...
def st_16x64b_x16_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x32(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 16x64b to tensor memory."""
    ...
def st_16x64b_x32_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x64(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 64 × 16x64b to tensor memory."""
    ...
def st_16x64b_x64_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 64 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x64b_x128(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 128 × 16x64b to tensor memory."""
    ...
def st_16x64b_x128_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 128 × 16x64b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x128b_x1(at: u32 | int, data: tuple[u32 | int, u32 | int], /) -> None:
    """Store 1 × 16x128b to tensor memory."""
    ...
def st_16x128b_x1_halves(at: u32 | int, data: tuple[u32 | int, u32 | int], /) -> None:
    """Store 1 × 16x128b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x128b_x2(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 2 × 16x128b to tensor memory."""
    ...
def st_16x128b_x2_halves(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 2 × 16x128b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x128b_x4(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 4 × 16x128b to tensor memory."""
    ...
def st_16x128b_x4_halves(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 4 × 16x128b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x128b_x8(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 8 × 16x128b to tensor memory."""
    ...
def st_16x128b_x8_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 8 × 16x128b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x128b_x16(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 16x128b to tensor memory."""
    ...
def st_16x128b_x16_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 16x128b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x128b_x32(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 16x128b to tensor memory."""
    ...
def st_16x128b_x32_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 16x128b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x128b_x64(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 64 × 16x128b to tensor memory."""
    ...
def st_16x128b_x64_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 64 × 16x128b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x256b_x1(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 1 × 16x256b to tensor memory."""
    ...
def st_16x256b_x1_halves(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 1 × 16x256b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x256b_x2(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 2 × 16x256b to tensor memory."""
    ...
def st_16x256b_x2_halves(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 2 × 16x256b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x256b_x4(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 4 × 16x256b to tensor memory."""
    ...
def st_16x256b_x4_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 4 × 16x256b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x256b_x8(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 8 × 16x256b to tensor memory."""
    ...
def st_16x256b_x8_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 8 × 16x256b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x256b_x16(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 16x256b to tensor memory."""
    ...
def st_16x256b_x16_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 16x256b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_16x256b_x32(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 16x256b to tensor memory."""
    ...
def st_16x256b_x32_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 16x256b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x1(at: u32 | int, data: u32 | int, /) -> None:
    """Store 1 × 32x32b to tensor memory."""
    ...
def st_32x32b_x1_halves(at: u32 | int, data: u32 | int, /) -> None:
    """Store 1 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x2(at: u32 | int, data: tuple[u32 | int, u32 | int], /) -> None:
    """Store 2 × 32x32b to tensor memory."""
    ...
def st_32x32b_x2_halves(at: u32 | int, data: tuple[u32 | int, u32 | int], /) -> None:
    """Store 2 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x4(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 4 × 32x32b to tensor memory."""
    ...
def st_32x32b_x4_halves(at: u32 | int, data: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 4 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x8(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 8 × 32x32b to tensor memory."""
    ...
def st_32x32b_x8_halves(
    at: u32 | int,
    data: tuple[u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int, u32 | int],
    /,
) -> None:
    """Store 8 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x16(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 32x32b to tensor memory."""
    ...
def st_32x32b_x16_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 16 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x32(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 32x32b to tensor memory."""
    ...
def st_32x32b_x32_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 32 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x64(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 64 × 32x32b to tensor memory."""
    ...
def st_32x32b_x64_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 64 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def st_32x32b_x128(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 128 × 32x32b to tensor memory."""
    ...
def st_32x32b_x128_halves(at: u32 | int, data: tuple[u32 | int, ...], /) -> None:
    """Store 128 × 32x32b to tensor memory, two elements of 16 bits in a register."""
    ...
def wait_ld() -> None:
    """Wait for the thread's loads from tensor memory."""
    ...
def wait_st() -> None:
    """Wait for the thread's stores to tensor memory."""
    ...
