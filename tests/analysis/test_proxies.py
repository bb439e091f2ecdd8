"""What threads have written is seen by the tensor memory accelerator behind a fence alone."""

from __future__ import annotations

from typing import Any

import pytest
from loading import defined

from oxidepy.analysis.proxies import check
from oxidepy.frontend.lower import lower
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

HEAD = """\
from oxidepy import *
from oxidepy import async_copy, barrier, tma, wgmma

def written_by(s: SliceMut[f32], t: i32) -> None:
    s[t] = 1.0

@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(128, 1, 1))
def k(x: tma.TensorMap[f32], y: tma.TensorMapMut[f32], z: SliceMut[f32], v: Slice[f32], x16: tma.TensorMap[f16], n: i32) -> None:
    t = thread.idx.x
    s, r = shared.array(f32, 128, align=128), shared.array(f32, 128, align=128)
    h = shared.array(f16, 64 * 64, align=1024)
    bars = barrier.array(1)
    with unsafe("a test"):
"""
STORE, SYNC, COPY, FENCE = "s[t] = 1.0", "block.sync()", "tma.store(y, 0, s, 0)", "barrier.fence_proxy_async()"
BAD = {
    "a box": f"{STORE}\n{SYNC}\n{COPY}",
    "by one thread": f"if t == 0:\n    {STORE}\n{SYNC}\nif t == 0:\n    {COPY}",
    "a sum": f"{STORE}\n{SYNC}\ntma.reduce(y, 0, s, 0)",
    "a run": f"{STORE}\n{SYNC}\ntma.copy(z, 0, s, 0, 32)",
    "a run that is added": f"{STORE}\n{SYNC}\ntma.reduce_run(z, 0, s, 0, 32)",
    "into another block": f"{STORE}\n{SYNC}\ntma.copy(cluster.map_shared(r, 0), 0, s, 0, 32, cluster.map_shared(bars, 0), 0)",
    "in the next round": f"for _ in range(n):\n    {COPY}\n    {SYNC}\n    {STORE}",
    "of a helper": f"written_by(s, t)\n{SYNC}\n{COPY}",
    "an atomic access": f"atomic.add(s, t, 1.0)\n{SYNC}\n{COPY}",
    "a copy of each thread": f"async_copy.copy(s, t * 4, v, t * 4)\nasync_copy.wait_all()\n{SYNC}\n{COPY}",
}
HALVES = "for k in range(t, 4096, 128):\n    h[k] = 1.0"
PRODUCT = "acc = wgmma.m64n8k16.f32.f16(wgmma.tile(h, (0, 0), 64), wgmma.tile(h, (0, 16), 64), wgmma.zeros(8))"
DESCRIBED = "d = wgmma.descriptor(shared.address(h, 0), leading=128, stride=256)\nacc = wgmma.m64n8k16.f32.f16(d, d, wgmma.zeros(8))"
GOOD = {
    "fenced": f"{STORE}\n{FENCE}\n{SYNC}\n{COPY}",
    "fenced in shared memory": f"{STORE}\nbarrier.fence_proxy_async('shared')\n{SYNC}\n{COPY}",
    "fenced by the reader": f"{STORE}\n{SYNC}\nif t == 0:\n    {FENCE}\n    {COPY}",
    "fenced by hand": f'{STORE}\nptx("fence.proxy.async;")\n{SYNC}\n{COPY}',
    "passed on": f"tma.load(s, 0, x, 0, bars, 0)\nbarrier.wait_parity(bars, 0, 0)\n{COPY}",
    "written afterwards": f"{COPY}\ntma.commit()\ntma.wait_read()\n{SYNC}\n{STORE}",
    "another array": f"r[t] = 1.0\n{SYNC}\n{COPY}",
    "a product of what was brought": f"tma.load(h, 0, x16, 0, bars, 0)\n{SYNC}\n{PRODUCT}",
    "a product, fenced": f"{HALVES}\n{FENCE}\n{SYNC}\n{PRODUCT}",
    "no copy": f"{STORE}\n{SYNC}",
}


def found(body: str, code: str = "OX0381") -> list[Any]:
    kernel = defined(HEAD + "".join(f"        {line}\n" for line in body.splitlines()), {})["k"]
    diagnostics = check(lower(kernel.definition, Specialisation(), CodegenOptions()).module)
    return [one for one in diagnostics if one.code == code]


@pytest.mark.parametrize("name", BAD)
def test_without_a_fence_it_is_refused(name: str) -> None:
    (one,) = found(BAD[name])
    assert one.code == "OX0381" and "may read `s` as it was before threads wrote it" in one.message
    assert "fence_proxy_async" in one.help and one.labels


@pytest.mark.parametrize("product", [PRODUCT, DESCRIBED, f"for _ in range(n):\n    {PRODUCT}"])
def test_products_read_it_so_too(product: str) -> None:
    (one,) = found(f"{HALVES}\n{SYNC}\n{product}")
    assert one.code == "OX0381" and one.message == "`wgmma.m64n8k16.f32.f16` may read `h` as it was before threads wrote it"


@pytest.mark.parametrize("name", GOOD)
def test_these_are_fine(name: str) -> None:
    assert found(GOOD[name]) == []


@pytest.mark.parametrize("copy", [COPY, "tma.reduce(y, 0, s, 0)", "tma.copy(z, 0, s, 0, 32)", "tma.reduce_run(z, 0, s, 0, 32)"])
def test_a_copy_is_waited_for_before_the_block_ends(copy: str) -> None:
    (one,) = found(f"{copy}\n{copy}\ntma.commit()", "OX0505")
    assert one.message == f"the block may end before `{copy.partition('(')[0]}` has read its memory" and "tma.wait_read()" in one.help
    for wait in ("tma.wait()", "tma.wait_read(1)", 'ptx("cp.async.bulk.wait_group 0;")'):
        assert not found(f"{copy}\ntma.commit()\n{wait}", "OX0505")


def test_copies_that_a_barrier_is_told_of_are_waited_for_there() -> None:
    assert not found("tma.load(s, 0, x, 0, bars, 0)", "OX0505")
