"""Graphs, node by node: what is written is the node's own, or goes through atomics."""

from __future__ import annotations

from oxidepy import (
    D2,
    DisjointSlice,
    Slice,
    SliceMut,
    atomic,
    block,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    thread,
)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def breadth_first_pull(starts: Slice[i32], edges: Slice[i32], level: Slice[i32], after: DisjointSlice[i32], depth: i32) -> None:
    require(len(starts) == len(level) + 1, len(after) == len(level))
    idx = thread.index_1d()
    if idx in after:
        n = idx.get()
        own = level[n]
        if own < 0:
            for k in range(starts[n], starts[n + 1]):
                if level[edges[k]] == depth:
                    own = depth + 1
        after[idx] = own


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def rank_pull(starts: Slice[i32], edges: Slice[i32], share: Slice[f32], rank: SliceMut[f32], damping: f32) -> None:
    require(len(starts) == len(rank) + 1, len(share) == len(rank))
    n = thread.index_1d().get()
    if n < len(rank):
        acc = f32(0)
        for k in range(starts[n], starts[n + 1]):
            acc += share[edges[k]]
        rank[n] = (1.0 - damping) / f32(len(rank)) + damping * acc


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def degrees(edges: Slice[i32, D2], degree: SliceMut[i32]) -> None:
    require(edges.shape[1] == 2)
    for e in range(thread.index_1d().get(), edges.shape[0], grid.dim.x * 256):
        atomic.add(degree, edges[e, 0], 1)
        atomic.add(degree, edges[e, 1], 1)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def jump_pointers(parent: Slice[i32], out: SliceMut[i32]) -> None:
    require(len(parent) == len(out))
    n = thread.index_1d().get()
    if n < len(out):
        p = parent[n]
        out[n] = parent[p] if 0 <= p and p < len(parent) else n


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def relax_edges(sources: Slice[i32], targets: Slice[i32], weights: Slice[i32], known: Slice[i32], distance: SliceMut[i32]) -> None:
    require(len(sources) == len(targets), len(sources) == len(weights), len(known) == len(distance))
    e = thread.index_1d().get()
    if e < len(sources):
        atomic.min(distance, targets[e], known[sources[e]] + weights[e])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def anything_left(level: Slice[i32], more: SliceMut[i32]) -> None:
    require(len(more) == 1)
    n = thread.index_1d().get()
    left = block.any(n < len(level) and level[min(n, len(level) - 1)] < 0)
    if left and thread.idx.x == 0:
        atomic.or_(more, 0, 1)
