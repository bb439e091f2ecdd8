"""`cluster.sync()` orders the blocks of one cluster, and no others."""

from __future__ import annotations

from oxidepy import SliceMut, atomic, block, cluster, cluster_launch, i32, kernel, launch_contract, thread
from oxidepy.analysis import races
from oxidepy.analysis.races import Proof
from oxidepy.frontend.lower import lower
from oxidepy.lang.definition import KernelDef, Specialisation
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
@cluster_launch(2)
def with_the_neighbour(x: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    b = block.idx.x
    if (b // 2 * 2 + 2) * 128 <= len(x):
        x[i] = i
        cluster.sync()
        v = x[(b ^ 1) * 128 + thread.idx.x]
        cluster.sync()
        x[i] = v


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
@cluster_launch(2)
def with_the_next_cluster(x: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    b = block.idx.x
    if (b // 2 * 2 + 3) * 128 <= len(x):
        x[i] = i
        cluster.sync()
        v = x[(b // 2 * 2 + 2) * 128 + thread.idx.x]
        cluster.sync()
        x[i] = v


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
@cluster_launch(2)
def with_the_neighbour_by_blocks(x: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    b = block.idx.x
    if (b // 2 * 2 + 2) * 128 <= len(x):
        x[i] = i
        block.sync()
        v = x[(b ^ 1) * 128 + thread.idx.x]
        cluster.sync()
        x[i] = v


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
@cluster_launch(2)
def under_a_condition_of_the_block(x: SliceMut[i32]) -> None:
    if block.idx.x // 3 == 0:
        cluster.sync()


def proof(of: KernelDef) -> Proof:
    return races.prove(lower(of, Specialisation(), CodegenOptions()).module)


def test_blocks_of_a_cluster_are_ordered() -> None:
    assert proof(with_the_neighbour.definition).diagnostics == ()


def test_blocks_of_two_clusters_are_not() -> None:
    found = proof(with_the_next_cluster.definition).diagnostics
    assert {one.code for one in found} == {"OX4002"}
    case = found[0].counterexample
    assert case is not None
    (one, _), (two, _) = case.threads
    assert one[0] // 2 != two[0] // 2


def test_a_barrier_of_the_block_does_not_reach_the_cluster() -> None:
    (found,) = proof(with_the_neighbour_by_blocks.definition).diagnostics
    case = found.counterexample
    assert found.code == "OX4002" and case is not None
    (one, _), (two, _) = case.threads
    assert one[0] // 2 == two[0] // 2 and one != two
    assert found.help is not None and found.help.startswith("`cluster.sync()` between lines")


def test_a_condition_that_divides_clusters_is_divergent() -> None:
    assert [one.code for one in proof(under_a_condition_of_the_block.definition).diagnostics] == ["OX3001"]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
@cluster_launch(2)
def counted(x: SliceMut[i32]) -> None:
    if block.idx.x // 2 < len(x):
        atomic.add(x, block.idx.x // 2, 1, scope="cluster")


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
@cluster_launch(2)
def counted_by_all(x: SliceMut[i32]) -> None:
    if len(x) > 0:
        atomic.add(x, 0, 1, scope="cluster")


def test_an_atomic_of_the_cluster_reaches_its_blocks_and_no_others() -> None:
    assert proof(counted.definition).diagnostics == ()
    (found,) = proof(counted_by_all.definition).diagnostics
    assert found.code == "OX4002" and 'an atomic of scope "cluster" does not reach into other clusters' in found.message
    assert found.help == 'give both `scope="device"`'
