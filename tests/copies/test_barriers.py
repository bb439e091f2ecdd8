"""Barriers in shared memory, and copies of single threads."""

# mypy: ignore-errors
from __future__ import annotations

import re

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from copies import barriers, tensor_maps
from frontend.running import refused
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import (
    Const,
    DeviceBuffer,
    Slice,
    SliceMut,
    async_copy,
    atomic,
    barrier,
    block,
    f32,
    i32,
    kernel,
    launch_contract,
    shared,
    thread,
    tma,
    u32,
    u64,
    unroll,
    unsafe,
)

NAMES = {
    "async_copy": async_copy,
    "atomic": atomic,
    "barrier": barrier,
    "block": block,
    "shared": shared,
    "thread": thread,
    "unroll": unroll,
    "u32": u32,
    "u64": u64,
    "f32": f32,
    "unsafe": unsafe,
}
CPU = ("double_buffer", "sizes_and_zeros")
ALL = [
    (arch, one) for least, kernels in barriers.KERNELS.items() for one in kernels for arch in ARCHES[1:] if int(arch.strip("sma_")) >= least
]


@pytest.mark.parametrize("name", barriers.PROGRAMS)
def test_programs(name: str) -> None:
    np.testing.assert_array_equal(*barriers.PROGRAMS[name](ox.Context("interp")))


@pytest.mark.parametrize("name", CPU)
def test_copies_on_the_cpu(name: str) -> None:
    np.testing.assert_array_equal(*barriers.PROGRAMS[name](ox.Context("cpu")))


@pytest.mark.parametrize(("arch", "one"), ALL, ids=[f"{one.name}-{arch}" for arch, one in ALL])
def test_assembled(arch: str, one) -> None:
    assert "registers" in assemble(one.ptx(arch), arch)


# ---- what the interpreter shows


def run(kernel, *args, n: int = 32):
    ctx = ox.Context("interp")
    stream = ctx.new_stream()
    y = DeviceBuffer.zeros(stream, n, i32)
    kernel.prepare(ctx, n)(stream, y, *args)
    return y.to_host(stream)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def too_early(y: SliceMut[i32], groups: Const[int]) -> None:
    s = shared.array(i32, 64)
    t = thread.idx.x
    for k in unroll(range(2)):
        with unsafe("is not"):
            async_copy.copy(s, k * 32 + t, y, t, count=1)
            async_copy.commit()
    with unsafe("is not"):
        async_copy.wait(groups)
        y[t] = s[32 + t]


UNDEFINED = np.int32(-0x32323233)


def test_a_copy_is_undefined_until_the_wait_for_its_group() -> None:
    # the memory read from may be written here as well, so that it is a `SliceMut`
    assert run(too_early, 0).tolist() == [0] * 32
    assert run(too_early, 1).tolist() == [UNDEFINED] * 32


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def no_init(y: SliceMut[i32], begun: i32) -> None:
    bars = barrier.array(2)
    with unsafe("is not"):
        if begun != 0 and thread.idx.x == 0:
            barrier.init(bars, 0, 32)
        block.sync()
        barrier.arrive(bars, y[0])
        if begun == 2:
            if thread.idx.x == 0:
                barrier.inval(bars, y[0])
            block.sync()
            barrier.arrive(bars, y[0])


@pytest.mark.parametrize(("begun", "code", "part"), [(0, "OX0381", "not begun before"), (2, "OX0382", "was invalidated before")])
def test_what_only_a_run_shows(begun: int, code: str, part: str) -> None:
    with pytest.raises(ox.DevicePanic, match=part) as caught:
        run(no_init, begun)
    assert caught.value.code == code and caught.value.block == (0, 0, 0)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def many_arrivals(y: SliceMut[i32], times: Const[int], alone: Const[bool]) -> None:
    bars = barrier.array(1)
    with unsafe("is not"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 2)
            for _ in unroll(range(times)):
                if alone:
                    barrier.arrive_no_complete(bars, 0, 1)
                else:
                    barrier.arrive_no_complete(bars, 0, 3)


def test_counts_that_do_not_fit() -> None:
    assert run(many_arrivals, 1, True).tolist() == [0] * 32
    for times, alone, part in ((2, True, "the last arrival of the phase"), (1, False, "3 arrivals where 2 are pending")):
        with pytest.raises(ox.DevicePanic, match=part) as caught:
            run(many_arrivals, times, alone)
        assert caught.value.code == "OX2003"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def all_dropped(y: SliceMut[i32], bytes_: i32, count: u32) -> None:
    bars = barrier.array(2)
    with unsafe("is not"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 2)
            barrier.init(bars, 1, 1)
            barrier.complete_tx(bars, 1, bytes_)
            barrier.expect_tx(bars, 1, bytes_)
            barrier.arrive(bars, 1)
            barrier.wait_parity(bars, 1, 0)
            barrier.arrive_drop(bars, 0, count)


def test_some_arrival_stays() -> None:
    assert run(all_dropped, 64, np.uint32(1)).tolist() == [0] * 32
    with pytest.raises(ox.DevicePanic, match="2 of 2 arrivals of a phase are dropped") as caught:
        run(all_dropped, 64, np.uint32(2))
    assert caught.value.code == "OX2003"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def stuck(y: SliceMut[i32]) -> None:
    bars = barrier.array(2)
    t = thread.idx.x
    with unsafe("is not"):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.init(bars, 1, 1)
        block.sync()
        if t < 16:
            barrier.wait_parity(bars, 0, 0)
            barrier.arrive(bars, 1)
        else:
            barrier.wait_parity(bars, 1, 0)
            barrier.arrive(bars, 0)


def test_threads_that_wait_for_each_other_are_a_deadlock_with_both_places() -> None:
    with pytest.raises(ox.DevicePanic, match="deadlock") as caught:
        run(stuck)
    (found,) = [caught.value.diagnostic]
    first = stuck.definition.function.__code__.co_firstlineno
    assert caught.value.code == "OX7004"
    assert [found.span.line - first, *(one.span.line - first for one in found.labels)] == [11, 14]
    assert found.label == "16 threads wait here"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def too_few(y: SliceMut[i32], missing: i32, bytes_: i32) -> None:
    s = shared.array(i32, 64, align=128)
    bars = barrier.array(2)
    t = thread.idx.x
    with unsafe("is not"):
        if t == 0:
            barrier.init(bars, 1, 32)
        block.sync()
        if t == 0:
            barrier.expect_tx(bars, 1, bytes_)
            tma.copy(s, 0, y, 0, 8, bars, 1)
        if t >= missing:
            barrier.arrive(bars, 1)
        barrier.wait_parity(bars, 1, 0)


@pytest.mark.parametrize(
    ("missing", "bytes_", "lacks"),
    [
        (3, 32, "lacks 3 of 32 arrivals"),
        (0, 48, "lacks 16 bytes"),
        (0, 16, "got 16 bytes that nobody expects"),
        (1, 64, "lacks 1 of 32 arrivals, and lacks 32 bytes"),
    ],
)
def test_what_a_phase_lacks_that_does_not_end(missing: int, bytes_: int, lacks: str) -> None:
    with pytest.raises(ox.DevicePanic, match="deadlock") as caught:
        run(too_few, missing, bytes_)
    found = caught.value.diagnostic
    assert found.code == "OX7004" and f"`bars`, number 1: its phase of parity 0 {lacks}" in found.notes
    assert "`barrier.init` says how many" in found.help
    assert run(too_few, 0, 32).tolist() == [0] * 32


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def odd_place(x: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64)
    with unsafe("is not"):
        async_copy.copy(s, thread.idx.x + 1, x, 4)


def test_places_that_are_no_multiples_of_the_size() -> None:
    ctx = ox.Context("interp")
    stream = ctx.new_stream()
    x = DeviceBuffer.zeros(stream, 64, i32)
    odd_place.prepare(ctx, 32)(stream, x, DeviceBuffer.zeros(stream, 1, i32))
    with pytest.raises(ox.DevicePanic, match=r"a copy of 16 bytes at byte 4 of an array in shared memory") as caught:
        stream.synchronize()
    assert caught.value.code == "OX2007"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def too_far(x: Slice[i32], y: SliceMut[i32], at: i32, valid: i32) -> None:
    s = shared.array(i32, 64)
    with unsafe("its own elements"):
        if thread.idx.x == 0:
            async_copy.copy(s, 0, x, at, valid=valid)
            async_copy.copy(s, 4, x, min(at, 12))
        async_copy.wait_all()


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_what_is_copied_is_inside(device: str) -> None:
    ctx = ox.Context(device)
    stream = ctx.new_stream()
    x, y = DeviceBuffer.zeros(stream, 16, i32), DeviceBuffer.zeros(stream, 1, i32)
    for at, valid in ((12, 4), (16, 0), (1 << 30, 0), (12, 3)):
        too_far.prepare(ctx, 32)(stream, x, y, at, valid)
        stream.synchronize()
    for at, valid in ((13, 4), (16, 1), (-1, 2), (0, 5), (0, -1)):
        too_far.prepare(ctx, 32)(stream, x, y, at, valid)
        with pytest.raises(ox.DevicePanic) as caught:
            stream.synchronize()
        assert caught.value.code == "OX7001"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def taken_along(x: Slice[f32], z: Slice[f32], y: SliceMut[f32]) -> None:
    s = shared.array(f32, 64)
    with unsafe("one block, and its own elements"):
        async_copy.copy(s, thread.idx.x * 2, x, thread.idx.x * 2, count=2)
        async_copy.wait_all()
        if thread.index_1d().get() < 32:
            y[thread.idx.x] = s[thread.idx.x * 2] + z[0]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def run_out(y: SliceMut[f32]) -> None:
    s = shared.array(f32, 64, align=128)
    with unsafe("one thread"):
        if thread.idx.x == 0:
            tma.copy(y, 0, s, 0, 32)
            tma.commit()
            tma.wait()


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_memory_that_does_not_begin_where_its_copies_need_it_is_refused_at_the_launch(device: str) -> None:
    ctx = ox.Context(device)
    stream = ctx.new_stream()
    b, y = DeviceBuffer.from_host(stream, np.arange(256, dtype=np.float32)), DeviceBuffer.zeros(stream, 32, f32)
    prepared = taken_along.prepare(ctx, 32)
    for _ in range(2):  # the second launch takes the quick way
        for begin in (0, 2, 4):
            prepared(stream, b[begin : begin + 64], b[1:2], y)
            assert y.to_host(stream).tolist() == [begin + 1 + 2 * k for k in range(32)]
        with pytest.raises(ox.LaunchError) as caught:
            prepared(stream, b[1:65], b, y)
        assert caught.value.code == "OX2007"
        wanted = (
            "`x` of `taken_along` wants Slice[f32] at a multiple of 8 bytes, which the kernel moves as one, got memory that begins 4 bytes"
        )
        assert caught.value.diagnostic.message.startswith(wanted)
        assert caught.value.diagnostic.help == "begin a view `b[i:j]` at a multiple of 2 elements"


def test_runs_begin_at_multiples_of_16_bytes() -> None:
    ctx = ox.Context("interp")
    stream = ctx.new_stream()
    b = DeviceBuffer.zeros(stream, 256, f32)
    run_out.prepare(ctx, 32)(stream, b[4:])
    with pytest.raises(ox.LaunchError, match=r"`y` of `run_out` wants SliceMut\[f32\] at a multiple of 16 bytes"):
        run_out.prepare(ctx, 32)(stream, b[2:])


# ---- what the compiler refuses


def indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.splitlines())


HEAD = "bars = barrier.array(2)\nt = thread.idx.x\nwith unsafe('why'):\n"


BOTH = "for k in unroll(range(2)):\n    barrier.init(bars, k, 1)\n"
EACH = "for k in range(2):\n    barrier.init(bars, k, 1)\n"
ENDED = "barrier.init(bars, 0, 1)\nif t == 0:\n    barrier.inval(bars, 0)\nblock.sync()\n"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("barrier.arrive(bars, 0)", "OX0381"),
        ("barrier.inval(bars, 1)", "OX0381"),
        ("async_copy.arrive(bars, 0)", "OX0381"),
        ("barrier.init(bars, 0, 1)\nbarrier.arrive(bars, 1)", "OX0381"),
        ("barrier.wait_parity(bars, n, 0)\nbarrier.init(bars, n, 1)", "OX0381"),
        ("barrier.init(bars, 0, 1)\nbarrier.inval(bars, 0)\nbarrier.arrive(bars, 0)", "OX0382"),
        (ENDED + "barrier.arrive(bars, 0)", "OX0382"),
        ("barrier.init(bars, 0, 1)\nfor k in range(n):\n    barrier.arrive(bars, 0)\n    barrier.inval(bars, 0)", "OX0382"),
        ("barrier.init(bars, 0, 1)\nbarrier.init(bars, 0, 2)", "OX0382"),
        ("for k in range(n):\n    barrier.init(bars, 0, 1)", "OX0382"),
        # a loop over the whole array
        (EACH + EACH, "OX0382"),
        ("for j in range(n):\n" + "".join(f"    {line}\n" for line in EACH.splitlines()), "OX0382"),
        (EACH + "for k in range(2):\n    if t == 0:\n        barrier.inval(bars, k)\nbarrier.arrive(bars, 0)", "OX0382"),
        ("for k in range(2):\n    barrier.arrive(bars, k)\n    barrier.init(bars, k, 1)", "OX0381"),
        ("if n > 0:\n    barrier.init(bars, 0, 1)\nelse:\n    barrier.init(bars, 0, 2)\nbarrier.init(bars, 0, 1)", "OX0382"),
        ("barrier.init(bars, 0, 1)\nif n > 0:\n    barrier.inval(bars, 0)\n    barrier.arrive(bars, 0)", "OX0382"),
        ("barrier.init(bars, 0, 1)\nif thread.idx.x // 32 == 0:\n    barrier.inval(bars, 0)\nbarrier.arrive(bars, 0)", "OX0382"),
    ],
)
def test_states(body: str, code: str) -> None:
    with pytest.raises(ox.CompileError) as caught:
        compiled(HEAD + indented(body), **NAMES).ptx("sm_90a")
    (found,) = {one.code: one for one in caught.value.diagnostics}.values()
    assert found.code == code and found.help and found.span is not None
    assert bool(found.labels) == (code == "OX0382")


@pytest.mark.parametrize(
    "body",
    [
        "if t == 0:\n    barrier.init(bars, 0, 1)\nblock.sync()\nbarrier.arrive(bars, 0)",
        "for k in range(n):\n    barrier.init(bars, 0, 1)\n    barrier.arrive(bars, 0)\n    barrier.inval(bars, 0)",
        "for k in range(2):\n    barrier.init(bars, k, 1)\nblock.sync()\nbarrier.arrive(bars, 1)\nbarrier.arrive(bars, n)",
        BOTH + "barrier.inval(bars, 0)\nbarrier.arrive(bars, 1)\nbarrier.arrive(bars, n)",
        ENDED + "if t == 0:\n    barrier.init(bars, 0, 2)\nbarrier.arrive(bars, 0)",
        "if n > 0:\n    barrier.init(bars, 0, 1)\nelse:\n    barrier.init(bars, 0, 2)\nbarrier.arrive(bars, 0)",
        "for k in range(2):\n    if t == k:\n        barrier.init(bars, k, 1)\nblock.sync()\nbarrier.arrive(bars, 0)",
        EACH + "for k in range(2):\n    if k == 1:\n        barrier.inval(bars, k)\nbarrier.arrive(bars, 0)",
        EACH + "for k in range(2):\n    barrier.inval(bars, k)\n    if n == k:\n        break\nbarrier.arrive(bars, 1)",
        EACH + "for k in range(1):\n    barrier.inval(bars, k)\nbarrier.arrive(bars, 1)",
        EACH + "for k in range(2):\n    barrier.inval(bars, k)\n" + EACH + "barrier.arrive(bars, n)",
        # what hangs on more than the thread's place may not have happened
        "for k in range(n):\n    if k == 0:\n        barrier.init(bars, 0, 1)\n    barrier.arrive(bars, 0)",
        "barrier.init(bars, 0, 1)\nfor k in range(n):\n    barrier.arrive(bars, 0)\n    if k == n - 1:\n        barrier.inval(bars, 0)",
        "if n > 0:\n    barrier.init(bars, 0, 1)\nif n <= 0:\n    barrier.init(bars, 0, 2)\nbarrier.arrive(bars, 0)",
        "barrier.init(bars, 0, 1)\nif block.idx.x == 0:\n    barrier.inval(bars, 0)\nif block.idx.x == 1:\n    barrier.arrive(bars, 0)",
        "barrier.init(bars, 0, 1)\nwhile n > 0:\n    barrier.inval(bars, 0)\n    break\nbarrier.arrive(bars, 0)",
    ],
)
def test_states_that_are_fine(body: str) -> None:
    assert "mbarrier" in compiled(HEAD + indented(body), **NAMES).ptx("sm_90a")


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("barrier.arrive(y, 0)", "OX0308", "takes an array of barriers, and this is a `SliceMut`"),
        ("a = bars[0]", "OX0308", "`bars` holds barriers"),
        ("for b in bars:\n    pass", "OX0308", "`bars` holds barriers"),
        ("for i, b in enumerate(bars):\n    pass", "OX0308", "`bars` holds barriers"),
        ("bars[0] = u64(1)", "OX0308", "`bars`"),
        ("atomic.add(bars, 0, u64(1))", "OX0308", "`bars`"),
        ("atomic.load(bars, 0)", "OX0308", "`bars` holds barriers"),
        ("b = barrier.array(n)", "OX0308", "known at compile time"),
        ("b = barrier.array(0)", "OX0308", "known at compile time"),
        ("barrier.init(bars, 0, 0)", "OX2003", "from 1 to 1048575"),
        ("barrier.init(bars, 0, 1048576)", "OX2003", "from 1 to 1048575"),
        ("barrier.arrive_drop(bars, 0, 0)", "OX2003", "from 1 to 1048575"),
        ("barrier.complete_tx(bars, 0, 1 << 20)", "OX2003", "from 1 to 1048575"),
        ("barrier.pending_count(bars, 0)", "OX0308", "takes 1 argument"),
        ("barrier.wait_parity(bars, 0, 2)", "OX2003", "the parity is 0 or 1, and this is 2"),
        ("barrier.test_wait_parity(bars, 0, u32(3))", "OX2003", "the parity is 0 or 1, and this is 3"),
        ("barrier.init(bars, 2, 1)", "OX5001", "out of bounds"),
        ("barrier.init(bars, -1, 1)", "OX5003", "negative"),
        ("barrier.wait(bars, 0, 1.0)", "OX0308", "1.0"),
        ("barrier.arrive_far(bars, 0, 1)", "OX0425", "has no `arrive_far`"),
        ("barrier.fence_proxy_async('local')", "OX0308", "the space is a string"),
        ("async_copy.copy(y, 0, x, 0)", "OX0308", "lies in shared memory"),
        ("async_copy.copy(s, 0, s, 0)", "OX0308", "copies from a slice"),
        ("async_copy.copy(s, 0, x, 0, count=3)", "OX0308", "4 or 8 or 16 bytes, and this is 12 bytes"),
        ("async_copy.copy(s, 0, x, 0, count=n)", "OX0308", "known only at run time"),
        ("async_copy.copy(s, 0, x, 0, count=1, cache='cg')", "OX0308", "of 16 bytes, and this is 4 bytes"),
        ("async_copy.copy(s, 0, x, 0, cache='l3')", "OX0308", "`cache` is"),
        ("async_copy.copy(h, 0, x, 0)", "OX0308", "elements of `u32`, and `x` of `f32`"),
        ("async_copy.copy(s, 64, x, 0)", "OX5001", "out of bounds"),
        ("async_copy.wait(16)", "OX0308", "`left`"),
        ("async_copy.copy(s, 2, x, 0)", "OX0308", "byte 8 of `s`, where `async_copy.copy` takes multiples of 16"),
        ("async_copy.copy(s, 0, x, 3, count=2)", "OX0308", "byte 12 of `x`, where `async_copy.copy` takes multiples of 8"),
    ],
)
def test_what_is_refused(body: str, code: str, part: str) -> None:
    with pytest.raises(ox.CompileError) as caught:
        compiled(
            "bars = barrier.array(2)\ns = shared.array(f32, 64)\nh = shared.array(u32, 64)\nwith unsafe('why'):\n" + indented(body), **NAMES
        ).ptx("sm_90a")
    found = [one for one in caught.value.diagnostics if one.code == code]
    assert found and part in found[0].message, caught.value


def test_of_a_parity_known_at_run_time_the_last_bit_counts() -> None:
    body = indented("if t == 0:\n    barrier.init(bars, 0, 64)\nblock.sync()\nbarrier.arrive(bars, 0)\nbarrier.wait_parity(bars, 0, n)")
    one = compiled(HEAD + body, **NAMES)
    assert one.ptx("sm_90a").count("and.b32") == compiled(HEAD + body.replace("n)", "0)"), **NAMES).ptx("sm_90a").count("and.b32") + 1


@pytest.mark.parametrize("body", ["barrier.init(bars, 0, 1)", "async_copy.copy(s, 0, x, 0)", "barrier.fence_init()"])
def test_outside_of_unsafe(body: str) -> None:
    found = refused(compiled("bars = barrier.array(2)\ns = shared.array(f32, 64)\n" + body, **NAMES))
    assert found.code == "OX0133"


def test_where_it_is_not() -> None:
    with pytest.raises(ox.CompileError, match=r"`barrier.init` needs a CUDA device or `interp`"):
        barriers.meet.prepare(ox.Context("cpu"), 128)
    with pytest.raises(ox.CompileError, match=r"`barrier.try_wait` needs sm_90"):
        compiled(HEAD + indented("barrier.init(bars, 0, 1)\nbarrier.try_wait(bars, 0, barrier.arrive(bars, 0))"), **NAMES).ptx("sm_80")
    with pytest.raises(ox.CompileError, match=r"`async_copy.copy` needs sm_80"):
        compiled("s = shared.array(f32, 64)\nwith unsafe('why'):\n    async_copy.copy(s, 0, x, 0)", **NAMES).ptx("sm_75")


# ---- what LLVM must not take away

WAITS = {
    "barrier.wait(bars, 0, barrier.arrive(bars, 0))": r"mbarrier\.try_wait",
    "barrier.wait_parity(bars, 0, 0)": r"mbarrier\.try_wait",
    "while not barrier.test_wait_parity(bars, 0, 0):\n    pass": r"mbarrier\.test_wait",
    "async_copy.wait(0)": r"cp\.async\.wait_group",
    "async_copy.arrive(bars, 0)": r"cp\.async\.mbarrier\.arrive",
    "barrier.fence_proxy_async()": r"fence\.proxy\.async",
    "async_copy.copy(s, t * 4, x, t * 4)": r"cp\.async\.ca",
}


@pytest.mark.parametrize("wait", WAITS)
def test_a_reload_behind_a_wait_stays_and_a_store_before_it_too(wait: str) -> None:
    body = f"barrier.init(bars, 0, 32)\ns = shared.array(f32, 128)\ns[t] = f\n{wait}\ny[t] = s[t]"
    text = compiled(HEAD + indented(body), **NAMES).ptx("sm_90a")
    before, after = re.split(WAITS[wait], text, maxsplit=1)
    assert "st.shared" in before and "ld.shared" in after, text


def test_without_a_wait_the_reload_is_the_stored_value() -> None:
    """What the test above looks for is something that LLVM does take away."""
    assert "ld.shared" not in compiled(HEAD + indented("s = shared.array(f32, 128)\ns[t] = f\ny[t] = s[t]"), **NAMES).ptx("sm_90a")


def test_a_wait_in_a_cluster_sees_what_other_blocks_did() -> None:
    assert "mbarrier.try_wait.parity.acquire.cluster.shared::cta" in barriers.gathered.ptx("sm_90a")
    assert "mbarrier.try_wait.parity.acquire.cluster.shared::cta" in tensor_maps.announced.ptx("sm_90a")
    assert "acquire.cluster" not in barriers.meet.ptx("sm_90a") and "mbarrier.test_wait.shared.b64" in barriers.meet.ptx("sm_80")


@pytest.mark.parametrize(
    ("body", "arch", "message"),
    [
        ("barrier.arrive(bars, 0, 2)", "sm_80", "`barrier.arrive` of this form needs sm_90"),
        ("barrier.arrive(bars, 0)", "sm_75", "`barrier.arrive` needs sm_80"),
        ("s = shared.array(f32, 64, align=128)\ntma.copy(s, 0, x, 0, 16, bars, 0)", "sm_80", "`tma.copy` needs sm_90"),
    ],
)
def test_messages_name_what_the_kernel_writes(body: str, arch: str, message: str) -> None:
    with pytest.raises(ox.CompileError) as caught:
        compiled(HEAD + indented("barrier.init(bars, 0, 1)\n" + body), **NAMES, tma=tma).ptx(arch)
    assert any(one.code == "OX6001" and one.message.startswith(message) for one in caught.value.diagnostics)
