"""One edit away from race-free: bytes and text: case, encodings, checksums, matches, packed bits."""

from __future__ import annotations

from oxidepy import (
    Slice,
    SliceMut,
    atomic,
    block,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    u8,
    u32,
    unroll,
    warp,
)


def hex_digit(v: u8) -> u8:
    return v + u8(48) if v < u8(10) else v + u8(87)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def upper_case_neighbour_read(text: SliceMut[u8]) -> None:
    i = thread.index_1d().get()
    if i < len(text):
        c = text[max(i - 1, 0)]  # <- OX4002
        text[i] = c - u8(32) if c >= u8(97) and c <= u8(122) else c


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def reverse_in_place_whole_length(text: SliceMut[u8]) -> None:
    i = thread.index_1d().get()
    if i < len(text):
        j = len(text) - 1 - i
        text[i], text[j] = text[j], text[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def to_hex_digits_overlap(data: Slice[u8], text: SliceMut[u8]) -> None:
    require(len(text) == 2 * len(data))
    i = thread.index_1d().get()
    if i < len(data):
        text[2 * i] = hex_digit(data[i] >> 4)
        text[2 * i + 2] = hex_digit(data[i] & 15)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def sextets_three_apart(data: Slice[u8], out: SliceMut[u8]) -> None:
    require(len(data) % 3 == 0, len(out) == len(data) // 3 * 4)
    i = thread.index_1d().get()
    if i < len(data) // 3:
        v = i32(data[3 * i]) * 65536 + i32(data[3 * i + 1]) * 256 + i32(data[3 * i + 2])
        for k in unroll(range(4)):
            out[3 * i + k] = u8((v >> (18 - 6 * k)) & 63)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def count_lines_scope_narrowed(text: Slice[u8], lines: SliceMut[i32]) -> None:
    require(len(lines) == 1)
    found = i32(0)
    for i in range(thread.index_1d().get(), len(text), grid.dim.x * 256):
        if text[i] == u8(10):
            found += 1
    found = block.reduce_sum(found)
    if thread.idx.x == 0:
        atomic.add(lines, 0, found, scope="block")  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def find_pattern_without_barrier(text: Slice[u8], pattern: Slice[u8], hits: SliceMut[u8]) -> None:
    require(len(hits) == len(text), len(pattern) >= 1, len(pattern) <= 64)
    s = shared.array(u8, 64)
    t = thread.idx.x
    if t < len(pattern):
        s[t] = pattern[t]
    i = thread.index_1d().get()
    if i < len(text):
        equal = i + len(pattern) <= len(text)
        k = i32(0)
        while equal and k < len(pattern):
            equal = text[i + k] == s[k]  # <- OX4001
            k += 1
        hits[i] = u8(1) if equal else u8(0)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def pack_bits_every_lane_writes(flags: Slice[u8], words: SliceMut[u32]) -> None:
    i = thread.index_1d().get()
    word = warp.ballot(i < len(flags) and flags[min(i, len(flags) - 1)] != u8(0))
    if i // 32 < len(words):
        words[i // 32] = word  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def swap_bytes_in_words_one_too_far(data: SliceMut[u8]) -> None:
    i = thread.index_1d().get()
    if i < len(data) // 4:
        a, b, c, d = data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3]
        data[4 * i] = d
        data[4 * i + 1] = c
        data[4 * i + 2] = b
        data[4 * i + 4] = a  # <- OX4002
