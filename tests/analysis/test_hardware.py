"""Instructions of several threads where not all of them come, and memory that instructions write."""

from __future__ import annotations

from oxidepy import SliceMut, f64, kernel, launch_contract, mma, thread, warp
from oxidepy.analysis.races import prove
from oxidepy.frontend.lower import lower
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


def found(one):
    module = lower(one.definition, Specialisation(), CodegenOptions()).module
    return [(diagnostic.code, diagnostic.message) for diagnostic in prove(module).diagnostics]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def divergent(y: SliceMut[f64]) -> None:
    t = thread.idx.x
    if t < 16:
        y[t] = mma.m8n8k4.f64.f64(1.0, 1.0, (0.0, 0.0))[0]


@kernel
@launch_contract(domain=1, block=(40, 1, 1))
def ragged(y: SliceMut[f64]) -> None:
    y[thread.idx.x] = mma.m8n8k4.f64.f64(1.0, 1.0, (0.0, 0.0))[0]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def by_warps(y: SliceMut[f64]) -> None:
    t = thread.idx.x
    if warp.id == 1:
        y[t] = mma.m8n8k4.f64.f64(1.0, 1.0, (0.0, 0.0))[0]


def test_every_lane_of_the_warp_is_needed() -> None:
    name = "`mma.m8n8k4.f64.f64`"
    assert found(divergent) == [("OX3002", f"{name} needs every lane of the warp, and not all of them come here")]
    text = f"{name} needs every lane of the warp, and the last warp of a block of 40×1×1 threads has only 8"
    assert found(ragged) == [("OX3002", text)]
    assert "OX3002" not in [code for code, _ in found(by_warps)]
