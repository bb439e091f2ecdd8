"""Where the tiles of tensor cores lie in shared memory.

A tile is `rows` lines of elements, contiguous along the second index, cut into columns of lines of 128, 64 or 32 bytes (the swizzle) or 16
bytes (without one): a whole column of lines, then the next one.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang.scalars import i32, u32, u64


def line_offset(row: i32, column: i32, rows: i32, line: i32, size: i32) -> i32:
    """Bytes from the tile's beginning to an element, before the swizzle."""
    per = line // size
    return column // per * (rows * line) + row * line + column % per * size


def element(row: i32, column: i32, rows: i32, line: i32, size: i32, mask: i32) -> i32:
    """The number of an element in the tile, swizzled: pieces of 16 bytes change places within a line, by the line's number."""
    at = line_offset(row, column, rows, line, size)
    return (at ^ ((at >> 7 & mask) << 4)) // size


def descriptor(address: u32, leading: u64, stride: u64, high: u64) -> u64:
    """`high`: the bits that say how the matrix is swizzled."""
    return u64((address & 0x3FFFF) >> 4) | leading >> 4 << 16 | stride >> 4 << 32 | high


def tile_descriptor(address: u32, row: i32, column: i32, rows: i32, line: i32, size: i32, leading: u64, stride: u64, high: u64) -> u64:
    return descriptor(address + u32(line_offset(row, column, rows, line, size)), leading, stride, high)
