"""Bare pointers: elements before and behind, one buffer for input and output, slices laid over an arena; `unsafe` answers for all of it."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Ptr, Slice, SliceMut, block, f32, i32, kernel, launch_contract, shared, thread, u8, unsafe

BLOCK = 128


@kernel(unsafe="the host hands over the inside of a buffer that has an element more on either side")
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def smooth(x: Ptr[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        p = x + idx.get()
        y[idx] = (p[-1] + p[0] + p[1]) / 3.0


@kernel(unsafe="each thread reads and writes its own element, so that input and output may be one buffer")
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def axpy(a: f32, x: Slice[f32], y: Slice[f32], out: Ptr[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(x):
        out[i] = a * x[i] + y[i]


@kernel(unsafe="the arena holds both vectors and the result one behind the other")
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def product_in_arena(arena: Ptr[f32], n: i32) -> None:
    """The slices are tested like others: what `unsafe` answers for is that the arena is so long."""
    x, y = Slice.from_ptr(arena, n), Slice.from_ptr(arena + n, n)
    out = DisjointSlice.from_ptr(arena + 2 * n, n)
    idx = thread.index_1d()
    if idx in out:
        out[idx] = x[idx] * y[idx]


def length(text: Ptr[u8]) -> i32:
    """The bytes before the zero that ends a text."""
    end = text
    while end[0] != 0:
        end += 1
    return i32(end - text)


@kernel(unsafe="every text ends in a zero, and `starts` says where each begins")
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def lengths(texts: Ptr[u8], starts: Slice[i32], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in starts:
        y[idx] = length(texts + starts[idx])


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def reversed_blocks(x: SliceMut[f32]) -> None:
    """In a kernel that is proven otherwise: one block of it reads what it knows to be there, without a test."""
    t, i = thread.idx.x, thread.index_1d().get()
    s = shared.array(f32, BLOCK)
    s[t] = x[i] if i < len(x) else f32(0)
    block.sync()
    with unsafe("the mirrored element is one of the block's"):
        mirrored = s.ptr()[BLOCK - 1 - t]
    if i < len(x):
        x[i] = mirrored


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng, n = np.random.default_rng(7), 4 * BLOCK
    x_host, y_host = rng.random(n, np.float32), rng.random(n, np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, x_host), ox.DeviceBuffer.from_host(stream, y_host)

    inner = ox.DeviceBuffer.zeros(stream, n - 2, f32)
    smooth.launch(stream, x[1 : n - 1], inner)
    np.testing.assert_allclose(inner.to_host(stream), (x_host[:-2] + x_host[1:-1] + x_host[2:]) / 3, rtol=1e-6)

    axpy.prepare(ctx, n)(stream, 2.0, x, y, y)  # a Ptr may be the memory of other arguments
    np.testing.assert_allclose(y.to_host(stream), 2 * x_host + y_host, rtol=1e-6)

    arena = ox.DeviceBuffer.from_host(stream, np.concatenate([x_host, y_host, np.zeros(n, np.float32)]))
    product_in_arena.prepare(ctx, n)(stream, arena, n)
    np.testing.assert_array_equal(arena.to_host(stream)[2 * n :], x_host * y_host)

    words = ["", "bare", "pointers", "point"]
    text = "".join(word + "\0" for word in words).encode()
    starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])]).astype(np.int32)
    found = ox.DeviceBuffer.zeros(stream, len(words), i32)
    texts = ox.DeviceBuffer.from_host(stream, np.frombuffer(text, np.uint8))
    lengths.launch(stream, texts, ox.DeviceBuffer.from_host(stream, starts), found)
    assert found.to_host(stream).tolist() == [len(word) for word in words]

    reversed_blocks.prepare(ctx, n)(stream, x)
    np.testing.assert_array_equal(x.to_host(stream), x_host.reshape(-1, BLOCK)[:, ::-1].reshape(-1))
    print("PASSED: elements, one buffer for all, slices of an arena, texts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
