"""One edit away from race-free: graphs, node by node: what is written is the node's own, or goes through atomics."""

from __future__ import annotations

from oxidepy import (
    D2,
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
def rank_pull_shared_node(starts: Slice[i32], edges: Slice[i32], share: Slice[f32], rank: SliceMut[f32], damping: f32) -> None:
    require(len(starts) == len(rank) + 1, len(share) == len(rank))
    n = thread.index_1d().get()
    if n < len(rank):
        acc = f32(0)
        for k in range(starts[n], starts[n + 1]):
            acc += share[edges[k]]
        rank[n // 2] = (1.0 - damping) / f32(len(rank)) + damping * acc  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def degrees_scope_narrowed(edges: Slice[i32, D2], degree: SliceMut[i32]) -> None:
    require(edges.shape[1] == 2)
    for e in range(thread.index_1d().get(), edges.shape[0], grid.dim.x * 256):
        atomic.add(degree, edges[e, 0], 1)
        atomic.add(degree, edges[e, 1], 1, scope="block")  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def anything_left_plain_store(level: Slice[i32], more: SliceMut[i32]) -> None:
    require(len(more) == 1)
    n = thread.index_1d().get()
    left = block.any(n < len(level) and level[min(n, len(level) - 1)] < 0)
    if left and thread.idx.x == 0:
        more[0] = 1  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def anything_left_vote_in_branch(level: Slice[i32], more: SliceMut[i32]) -> None:
    require(len(more) == 1)
    n = thread.index_1d().get()
    left = False
    if n < len(level):
        left = block.any(n < len(level) and level[min(n, len(level) - 1)] < 0)  # <- OX3001
    if left and thread.idx.x == 0:
        atomic.or_(more, 0, 1)
