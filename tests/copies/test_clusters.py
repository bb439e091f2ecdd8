"""Clusters: coordinates, their barrier in two halves, shared memory of their blocks."""

# mypy: ignore-errors
from __future__ import annotations

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from copies import clusters
from frontend.running import lowered, refused
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import Const, SliceMut, atomic, block, cluster, cluster_launch, i32, kernel, launch_contract, shared, thread, unsafe
from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import InvalidIR, verify

KERNELS = (clusters.places, clusters.around, clusters.each_its_own, clusters.counted)


@pytest.mark.parametrize("name", clusters.PROGRAMS)
def test_programs(name: str) -> None:
    np.testing.assert_array_equal(*clusters.PROGRAMS[name](ox.Context("interp")))


def test_coordinates_need_no_other_block_and_so_every_device_has_them() -> None:
    np.testing.assert_array_equal(*clusters.coordinates(ox.Context("cpu")))


@pytest.mark.parametrize("arch", [arch for arch in ARCHES if arch not in ("sm_75", "sm_80")])
@pytest.mark.parametrize("one", KERNELS, ids=lambda one: one.name)
def test_assembled(one, arch: str) -> None:
    assert "registers" in assemble(one.ptx(arch), arch)


def test_text() -> None:
    text = clusters.around.ptx("sm_90a")
    assert "mapa.shared::cluster.u64" in text and "ld.shared::cluster.b32" in text and "st.shared::cluster.b32" in text
    assert text.count("barrier.cluster.arrive") == text.count("barrier.cluster.wait") == 3
    assert "atom.relaxed.cluster.shared::cluster.add" in clusters.counted.ptx("sm_90a")


def test_other_devices_are_named() -> None:
    with pytest.raises(ox.CompileError) as caught:
        clusters.each_its_own.prepare(ox.Context("cpu"), 256)
    assert {one.code for one in caught.value.diagnostics} == {"OX6001"}
    assert any("`cluster.map_shared` needs a CUDA device or `interp`" in one.message for one in caught.value.diagnostics)
    with pytest.raises(ox.CompileError, match=r"needs sm_90"):
        clusters.each_its_own.ptx("sm_80")


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("a = cluster.rank", "OX2001", "without clusters"),
        ("a = cluster.idx.x", "OX2001", "without clusters"),
        ("cluster.arrive()", "OX2001", "without clusters"),
        ("a = cluster.idx.w", "OX0425", "has no `w`"),
        ("with unsafe('why'):\n    a = cluster.map_shared(shared.array(i32, 4), 0)", "OX2001", "without clusters"),
    ],
)
def test_what_is_refused_without_clusters(body: str, code: str, part: str) -> None:
    found = refused(compiled(body, cluster=cluster, shared=shared, unsafe=unsafe, i32=i32))
    assert (found.code, part in found.message) == (code, True), found.message


@kernel
@cluster_launch(2)
def outside_of_unsafe(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 4)
    cluster.map_shared(s, 0)


@kernel
@cluster_launch(2)
def read_outside_of_unsafe(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 4)
    with unsafe("why"):
        far = cluster.map_shared(s, 0)
    y[0] = far[0]


@kernel
@cluster_launch(2)
def added_outside_of_unsafe(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 4)
    with unsafe("why"):
        far = cluster.map_shared(s, 0)
    atomic.add(far, 0, 1)


@kernel
@cluster_launch(2)
def no_such_rank(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 4)
    with unsafe("why"):
        cluster.map_shared(s, 2)


@kernel
@cluster_launch(2)
def not_shared(y: SliceMut[i32]) -> None:
    with unsafe("why"):
        cluster.map_shared(y, 1)


@pytest.mark.parametrize(
    ("one", "code", "part"),
    [
        (outside_of_unsafe, "OX0133", "`cluster.map_shared` needs `unsafe`"),
        (read_outside_of_unsafe, "OX0133", "an access of `s` in another block needs `unsafe`"),
        (added_outside_of_unsafe, "OX0133", "an access of `s` in another block needs `unsafe`"),
        (no_such_rank, "OX5001", "none of rank 2"),
        (not_shared, "OX0308", "takes a shared array"),
    ],
    ids=lambda one: getattr(one, "name", None),
)
def test_what_is_refused(one, code: str, part: str) -> None:
    found = refused(one)
    assert (found.code, part in found.message) == (code, True), found.message


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def far_ranks(rank: i32, y: SliceMut[i32]) -> None:
    s = shared.array(i32, 32)
    s[thread.idx.x] = 1
    cluster.sync()
    with unsafe("read between the barriers"):
        y[thread.index_1d().get()] = cluster.map_shared(s, rank)[thread.idx.x]
    cluster.sync()


def test_a_rank_outside_of_the_cluster_is_a_panic() -> None:
    ctx = ox.Context("interp")
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 64, i32)
    far_ranks.prepare(ctx, 64)(stream, 1, y)
    assert y.to_host(stream).tolist() == [1] * 64
    far_ranks.prepare(ctx, 64)(stream, 2, y)
    with pytest.raises(ox.DevicePanic, match="rank out of bounds of the cluster") as caught:
        stream.synchronize()
    assert (caught.value.code, caught.value.index, caught.value.length) == ("OX7001", 2, 2)


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def one_half(y: SliceMut[i32]) -> None:
    if block.idx.x == 1:
        y[0] = 1
    cluster.wait()


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def half_in_a_branch(y: SliceMut[i32]) -> None:
    if block.idx.x == 1:
        cluster.arrive()


def test_halves_are_for_all_threads_of_the_cluster() -> None:
    with pytest.raises(ox.CompileError) as caught:
        half_in_a_branch.ptx("sm_90a")
    assert caught.value.code == "OX3001"


TURNS = [
    ("cluster.wait()", "OX0381"),
    ("cluster.arrive()\ncluster.arrive()\ncluster.wait()", "OX0382"),
    ("cluster.arrive()\ncluster.wait()\ncluster.wait()", "OX0381"),
    ("cluster.arrive()\ncluster.sync()\ncluster.wait()", "OX0382 OX0381"),
    ("for k in range(n):\n    cluster.arrive()\ncluster.wait()", "OX0382"),
    ("k = 0\nwhile k < n:\n    cluster.arrive()\n    k += 1\ncluster.wait()", "OX0382"),
    ("for k in range(n):\n    if k == 3:\n        break\n    cluster.arrive()\n    cluster.wait()\ncluster.wait()", "OX0381"),
    ("cluster.arrive()", ""),
    ("cluster.arrive()\nfor k in range(n):\n    cluster.wait()\n    cluster.arrive()\ncluster.wait()", ""),
    ("cluster.sync()\nif n > 3:\n    cluster.arrive()\nif n > 3:\n    cluster.wait()", ""),
    ("for k in range(n):\n    cluster.arrive()\n    if k == 3:\n        break\n    cluster.wait()\n", ""),
    ("k = 0\nwhile k < n:\n    cluster.arrive()\n    cluster.wait()\n    k += 1\ncluster.sync()", ""),
]


@pytest.mark.parametrize(("body", "codes"), TURNS)
def test_halves_take_turns(body: str, codes: str) -> None:
    from oxidepy.analysis import halves

    found = halves.analyse(lowered(cluster_launch(2)(compiled(body, cluster=cluster))))
    assert [one.code for one in found] == codes.split()
    assert all(one.span is not None and one.help for one in found)


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def turns(n: i32, arrivals: i32, waits: i32) -> None:
    for k in range(n):
        if k < arrivals:
            cluster.arrive()
        if k < waits:
            cluster.wait()


@pytest.mark.parametrize(("arrivals", "waits", "code"), [(2, 2, None), (1, 2, "OX0381"), (2, 0, "OX0382"), (1, 0, None)])
def test_halves_out_of_turn_are_told_where_they_are_met(arrivals: int, waits: int, code: str | None) -> None:
    ctx = ox.Context("interp")
    stream = ctx.default_stream()
    turns.prepare(ctx, 64)(stream, 3, arrivals, waits)
    if code is None:
        stream.synchronize()
        return
    with pytest.raises(ox.DevicePanic) as caught:
        stream.synchronize()
    assert (caught.value.code, caught.value.thread) == (code, (0, 0, 0))


def test_the_barriers_other_half_lets_nobody_through_before_all_have_arrived() -> None:
    head = 'kernel @k(%y: mem<i32, global, exclusive> = memory "y") domain 1 block 4x1x1 coordinates i32 cluster 2x1x1 {\n'
    # the second block arrives late; the first one must not be through its wait before
    body = """
      %b = intrinsic "block.idx.x" : i32
      %c0 = const 0 : i32
      %c1 = const 1 : i32
      %c7 = const 7 : i32
      %last = eq %b, %c1 : bool
      if %last {
        %o = atomic "exchange" %y, %c0, %c7 [offset = 0, order = "relaxed", scope = "device"] : i32
        yield
      } else {
        yield
      }
      intrinsic "cluster.arrive"
      intrinsic "cluster.wait"
      %v = load %y, %c0 [offset = 0] : i32
      %at = add %b, %c1 : i32
      store %y, %at, %v [offset = 0]
      return
    }"""
    from oxidepy.ir.interpreter import run

    module = parse_module(head + body)
    verify(module)
    y = np.zeros(12, np.uint8)
    assert run(module, [y], (2, 1, 1), (4, 1, 1)) is None
    assert y.view(np.int32).tolist() == [7, 7, 7]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" cluster 2x1x1", ""),
        ("shared, exclusive> \n", "global, exclusive>\n"),
        ("mem<i32, cluster", "mem<f32, cluster"),
        ("%c0 :", "%f :"),
    ],
)
def test_rules_of_the_operation(old: str, new: str) -> None:
    text = (
        "kernel @k() domain 1 block 4x1x1 coordinates i32 cluster 2x1x1 {\n  %c0 = const 0 : i32\n  %f = const 0.0 : f32\n"
        '  %s = alloc "s" [align = 4, count = 4] : mem<i32, shared, exclusive> \n'
        "  %m = map_shared %s, %c0 : mem<i32, cluster, exclusive>\n  return\n}"
    )
    verify(parse_module(text))
    with pytest.raises(InvalidIR):
        verify(parse_module(text.replace(old, new, 1)))


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def ends(y: SliceMut[i32], before: Const[bool], after: Const[bool]) -> None:
    s = shared.array(i32, 32)
    s[thread.idx.x] = 1
    if before:
        cluster.sync()
    with unsafe("is not, without both barriers"):
        if cluster.rank == 1 or not before:
            y[thread.index_1d().get()] = cluster.map_shared(s, 1 - cluster.rank)[thread.idx.x]
    if after:
        cluster.sync()


@pytest.mark.parametrize(("before", "after", "code"), [(False, True, "OX0381"), (True, False, "OX0505"), (True, True, "")])
def test_other_blocks_are_at_work(before: bool, after: bool, code: str) -> None:
    stream = ox.Context("interp").new_stream()
    y = ox.DeviceBuffer.zeros(stream, 64, i32)
    ends.prepare(stream.context, 64)(stream, y, before, after)
    if code:
        with pytest.raises(ox.DevicePanic, match="`s` of block") as caught:
            stream.synchronize()
        assert caught.value.code == code
    else:
        assert y.to_host(stream)[32:].tolist() == [1] * 32
