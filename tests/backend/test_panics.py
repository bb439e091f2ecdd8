"""Failed checks: the record, the lowest thread, the threads that go on; on the GPU the PTX that writes the record."""

from __future__ import annotations

import re

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from backend.kernels import OPTIONS, CpuKernel, parse

from oxidepy.backend import nvptx, panic
from oxidepy.backend.targets import nvptx_target
from oxidepy.ir.interpreter import run

# out[i] = a[n[i]] / (n[i] - 5), with a bounds check (site 0) and a check of the divisor (site 1); an even i of row 2 asserts (site 2)
TEXT = """kernel @k(
  %n: mem<i32, global, shared> = memory "n",
  %a: mem<i32, global, shared> = memory "a",
  %len: i32 = length "a",
  %out: mem<i32, global, ACCESS> = memory "out"
) domain 2 block 8x4x1 {
  %x = intrinsic "thread.global_id.x" : i32
  %y = intrinsic "thread.global_id.y" : i32
  %c16 = const 16 : i32
  %c5 = const 5 : i32
  %c0 = const 0 : i32
  %row = mul %y, %c16 : i32
  %i = add %row, %x : i32
  %k = load %n, %i [offset = 0] : i32
  %inside = inbounds %k, %len : bool
  check "OX7001" %inside, %k, %len [message = "index outside"]
  %v = load %a, %k [offset = 0] : i32
  %d = sub %k, %c5 : i32
  %fine = ne %d, %c0 : bool
  check "OX7003" %fine [message = "division by zero"]
  %q = floordiv %v, %d : i32
  %c100 = const 100 : i32
  %small = lt %v, %c100 : bool
  check "OX7002" %small [message = "v is small"]
  store %out, %i, %q [offset = 0]
  return
}
"""
GRID = (2, 2, 1)
COUNT = 16 * 8


def record_of(raw: np.ndarray) -> dict[str, object]:
    words = raw.view(np.uint32)
    assert words[panic.CLAIM // 4] == words[panic.READY // 4] == 1
    return {
        "site": int(words[panic.SITE // 4]),
        "index": int(raw[panic.INDEX : panic.INDEX + 8].view(np.int64)[0]),
        "length": int(raw[panic.LENGTH : panic.LENGTH + 8].view(np.int64)[0]),
        "block": tuple(words[panic.BLOCK // 4 : panic.BLOCK // 4 + 3].tolist()),
        "thread": tuple(words[panic.THREAD // 4 : panic.THREAD // 4 + 3].tolist()),
    }


def launch(numbers: np.ndarray, access: str = "disjoint") -> tuple[int, np.ndarray, np.ndarray, object]:
    """Status, record and `out` of the CPU, and the interpreter's panic."""
    module = parse(TEXT.replace("ACCESS", access))
    a = np.arange(40, dtype=np.int32) * 3
    out, other = np.full(COUNT, -7, np.int32), np.full(COUNT, -7, np.int32)
    args = [numbers.astype(np.int32).view(np.uint8), a.view(np.uint8), 40]
    status, record = CpuKernel(module).run([*args, out.view(np.uint8)], GRID)
    return status, record, out, run(module, [*args, other.view(np.uint8)], GRID, (8, 4, 1))


@pytest.mark.parametrize("access", ["disjoint", "exclusive"])
@pytest.mark.parametrize("seed", range(12))
def test_the_lowest_thread_of_the_first_failing_block_is_reported(seed: int, access: str) -> None:
    random = np.random.default_rng(seed)
    numbers = random.integers(6, 33, COUNT)
    for _ in range(1 + seed % 4):
        numbers[random.integers(0, COUNT)] = random.choice([5, 40, -1, 2**31 - 1, 36])
    status, record, _, wanted = launch(numbers, access)
    assert wanted is not None
    assert status == 1
    got = record_of(record)
    sites = [op for op in wanted.site and parse(TEXT.replace("ACCESS", access)).kernel.body.walk() if op.name == "check"]
    assert got["block"] == wanted.block
    assert got["thread"] == wanted.thread
    assert sites[int(str(got["site"]))].attrs == wanted.site.attrs
    if wanted.index is not None:
        assert (got["index"], got["length"]) == (wanted.index, wanted.length)


def test_the_other_threads_of_the_block_go_on() -> None:
    numbers = np.full(COUNT, 8)
    numbers[16 + 2] = 40  # block (0, 0), thread (2, 1)
    status, record, out, _ = launch(numbers)
    assert status == 1
    assert record_of(record) == {"site": 0, "index": 40, "length": 40, "block": (0, 0, 0), "thread": (2, 1, 0)}
    block = out.reshape(8, 16)[:4, :8]
    assert np.count_nonzero(block == 8) == 31
    assert block[1, 2] == -7


def test_nothing_is_written_where_nothing_fails() -> None:
    status, record, out, wanted = launch(np.full(COUNT, 8))
    assert wanted is None
    assert status == 0
    assert not record.any()
    assert (out == 8).all()


def test_part_of_the_grid_knows_its_own_blocks() -> None:
    numbers = np.full(COUNT, 8)
    numbers[[0, 64 + 12]] = 5  # blocks 0 and 3
    module = parse(TEXT.replace("ACCESS", "disjoint"))
    out, a = np.full(COUNT, -7, np.int32), np.arange(40, dtype=np.int32)
    args = [numbers.astype(np.int32).view(np.uint8), a.view(np.uint8), 40, out.view(np.uint8)]
    kernel = CpuKernel(module)
    assert kernel.run(args, GRID, (1, 3))[0] == 0
    status, record = kernel.run(args, GRID, (2, 4))
    assert status == 1
    assert record_of(record) == {"site": 1, "index": 0, "length": 0, "block": (1, 1, 0), "thread": (4, 0, 0)}


@pytest.mark.parametrize("arch", ARCHES)
def test_the_gpu_claims_fills_fences_and_exits(arch: str) -> None:
    artefact = nvptx.emit(parse(TEXT.replace("ACCESS", "disjoint")), nvptx_target(arch), OPTIONS)
    ptx = artefact.code.decode()
    assert artefact.panic
    assert [one.code for one in artefact.sites] == ["OX7001", "OX7003", "OX7002"]
    assert [one.indexed for one in artefact.sites] == [True, False, False]
    assert len(re.findall(r"\.param .*k_param_", ptx.split(".entry", 1)[1].split(")", 1)[0])) == len(artefact.params) + 1
    body = ptx.split(".func oxidepy_panic", 1)[1].split("}", 1)[0]
    order = [
        body.index(one)
        for one in ("trap", "atom.relaxed.gpu.global.cas", "st.volatile", "fence.acq_rel.sys", "st.relaxed.sys", "\texit;\n")
    ]
    assert order == sorted(order)
    assert "ox_" not in ptx and ".extern" not in ptx
    assemble(ptx, arch)


MIXED = """kernel @k(
  %n: mem<i64, global, shared> = memory "n",
  %m: mem<u32, global, shared> = memory "m",
  %len: i64 = length "n",
  %out: mem<i64, global, disjoint> = memory "out"
) domain 1 block 32x1x1 coordinates i64 {
  %i = intrinsic "thread.global_id.x" : i64
  %k = load %n, %i [offset = 0] : i64
  %c7 = const 7 : i64
  %limit = add %k, %c7 : i64
  %p = inbounds %i, %limit : bool
  check "OX7001" %p, %i, %limit [message = "a length of the thread's own"]
  %u = load %m, %i [offset = 0] : u32
  %c8 = const 4000000000 : u32
  %q = inbounds %u, %c8 : bool
  check "OX7001" %q, %u, %c8 [message = "an index beyond i32"]
  %r = inbounds %k, %len : bool
  check "OX7001" %r, %k, %len [message = "an index beyond u32"]
  store %out, %i, %k [offset = 0]
  return
}
"""


@pytest.mark.parametrize(
    ("k", "m", "index", "length"), [(-3, 0, 5, 4), (3, 4294967295, 4294967295, 4000000000), (2**40, 0, 2**40, 64), (-6, 1, 5, 1)]
)
def test_indices_and_lengths_of_all_widths(k: int, m: int, index: int, length: int) -> None:
    numbers, others, out = np.full(64, 60, np.int64), np.zeros(64, np.uint32), np.zeros(64, np.int64)
    numbers[5], others[5] = k, m
    args = [numbers.view(np.uint8), others.view(np.uint8), 64, out.view(np.uint8)]
    module = parse(MIXED)
    status, record = CpuKernel(module).run(args, (2, 1, 1))
    assert status == 1
    got = record_of(record)
    assert (got["index"], got["length"], got["thread"]) == (index, length, (5, 0, 0))
    wanted = run(module, args, (2, 1, 1), (32, 1, 1))
    assert wanted is not None
    assert (wanted.index, wanted.length, wanted.thread) == (index, length, (5, 0, 0))
    assemble(nvptx.emit(module, nvptx_target("sm_80"), OPTIONS).code.decode(), "sm_80")
