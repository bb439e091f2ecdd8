"""How many threads a block, warp or tile has, and which of them this one is."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.test_halves import DEVICES, ptx

import oxidepy as ox
from oxidepy import LaunchConfig2D, SliceMut, block, grid, i32, kernel, launch_contract, require, shared, thread, warp


@kernel
@launch_contract(domain=2, block=(8, 5, 1))
def counted(blocks: SliceMut[i32], tiles: SliceMut[i32]) -> None:
    require(grid.dim.x == 1, grid.dim.y == 1)
    s = shared.array(i32, block.size)
    rows = shared.array(i32, (block.dim.y, block.dim.x))
    s[block.rank] = block.size
    rows[thread.idx.y, thread.idx.x] = warp.size
    block.sync()
    i = block.rank
    if i < len(blocks):
        blocks[i] = i + 100 * s[block.size - 1 - i] + 10000 * rows[0, 0]
    if i < len(tiles) and i % 3 == 0:
        tiles[i] = warp.active.rank + 100 * warp.active.size + 10000 * warp.rank


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def tiled(y: SliceMut[i32]) -> None:
    tile = warp.tiled_partition(8)
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = tile.rank + 10 * tile.size


@pytest.mark.parametrize("device", DEVICES)
def test_numbers(device: str) -> None:
    stream = ox.Context(device).default_stream()
    blocks, tiles = (ox.DeviceBuffer.zeros(stream, 40, i32) for _ in range(2))
    counted.prepare(stream.context, LaunchConfig2D(grid=(1, 1), block=(8, 5)))(stream, blocks, tiles)
    i = np.arange(40)
    assert blocks.to_host(stream).tolist() == (i + 4000 + 320000).tolist()
    within = np.where(i < 32, i // 3, (i - 33) // 3)
    wanted = np.where(i % 3 == 0, within + 100 * np.where(i < 32, 11, 3) + 10000 * (i % 32), 0)
    assert tiles.to_host(stream).tolist() == wanted.tolist()
    y = ox.DeviceBuffer.zeros(stream, 64, i32)
    tiled.prepare(stream.context, 64)(stream, y)
    assert y.to_host(stream).tolist() == (np.arange(64) % 8 + 80).tolist()


@pytest.mark.parametrize("arch", ARCHES)
def test_they_assemble(arch: str) -> None:
    assemble(ptx(counted, arch), arch)
    assemble(ptx(tiled, arch), arch)
