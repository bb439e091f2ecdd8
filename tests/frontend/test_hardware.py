"""The hardware layer in kernels: what a call of an instruction takes and gives, and what is refused."""

from __future__ import annotations

import numpy as np
from frontend.running import every, refused, run

from oxidepy import SliceMut, f32, f64, i32, kernel, launch_contract, mma, shared, thread, u32, unsafe, warp


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def product(y: SliceMut[f64], a: f64, b: f64) -> None:
    t = thread.idx.x
    acc = mma.m8n8k4.f64.f64(a, b, (0.0, 1.0))
    for _ in range(2):
        acc = mma.m8n8k4.f64.f64(a, b, acc)
    y[2 * t] = acc[0]
    y[2 * t + 1] = acc[1]


def test_registers_are_tuples() -> None:
    out = np.zeros(64, np.float64)
    assert run(product, out, 0.5, 3.0) is None
    assert out.tolist() == [18.0, 19.0] * 32


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def transposed(y: SliceMut[u32], x: SliceMut[u32]) -> None:
    t = thread.idx.x
    tile = shared.array(u32, (8, 4))
    tile[t // 4, t % 4] = x[t]
    warp.sync()
    with unsafe("the warp wrote all of the tile before it meets"):
        y[t] = mma.ldmatrix_x1_trans(tile, (t % 8, 0))


def test_an_address_is_an_array_and_an_index() -> None:
    x = np.arange(64, dtype=np.uint16)
    out = np.zeros(32, np.uint32)
    assert run(transposed, out, x.view(np.uint32)) is None
    assert np.array_equal(out.view(np.uint16).reshape(8, 8), x.reshape(8, 8).T)


def test_all_bytes_of_an_address_are_checked() -> None:
    checks = [op for op in every(transposed) if op.name == "check"]
    assert sum("`tile`" in op.attrs["message"] for op in checks) == 5  # two axes twice, and the last of the four words


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def behind_the_end(y: SliceMut[u32]) -> None:
    t = thread.idx.x
    tile = shared.array(u32, 30)
    with unsafe("a test"):
        y[t] = mma.ldmatrix_x1(tile, 4 * (t % 8))


def test_an_address_whose_end_is_outside_panics() -> None:
    panic = run(behind_the_end, np.zeros(32, np.uint32))
    assert panic is not None
    assert (panic.site.attrs["code"], panic.thread, panic.index, panic.length) == ("OX7001", (7, 0, 0), 31, 30)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def without_a_reason(y: SliceMut[u32]) -> None:
    tile = shared.array(u32, 32)
    y[thread.idx.x] = mma.ldmatrix_x1(tile, 0)


def test_an_instruction_on_memory_needs_a_reason() -> None:
    found = refused(without_a_reason)
    assert found.code == "OX0133"
    assert found.message == "`mma.ldmatrix_x1` needs `unsafe`: its protocol is not proven"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def too_few(a: f64) -> None:
    mma.m8n8k4.f64.f64(a, a, (a, a, a))


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def other_type(a: f64) -> None:
    mma.m8n8k4.f64.f64(a, a, (a, f32(1)))


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def too_many_arguments(a: f64) -> None:
    mma.m8n8k4.f64.f64(a, a, (a, a), a)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def no_array(a: i32) -> None:
    with unsafe("a test"):
        mma.ldmatrix_x1(a, 0)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def other_space(y: SliceMut[u32]) -> None:
    with unsafe("a test"):
        mma.ldmatrix_x1(y, 0)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def unknown(a: f64) -> None:
    mma.m8n8k5.f64.f64(a, a, (a, a))


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def unknown_end(a: u32) -> None:
    mma.m16n8k16.i32.i8.u9((a, a), a, (0, 0, 0, 0))


def test_a_wrong_end_of_a_name_that_has_more_is_named() -> None:
    found = refused(unknown_end)
    assert (found.code, found.message) == ("OX0425", "`mma` has no `m16n8k16.i32.i8.u9`")
    assert found.help == "did you mean `mma.m16n8k16.i32.i8.u8`?"


def test_wrong_arguments_are_named() -> None:
    wanted = [
        (too_few, "OX0308", "mismatched types: `c` is a tuple of 2 `f64`, and this is a tuple of 3"),
        (other_type, "OX0308", "mismatched types: `f64` and `f32`"),
        (too_many_arguments, "OX0308", "`mma.m8n8k4.f64.f64` takes 3 arguments, and is given 4"),
        (no_array, "OX0308", "mismatched types: `mma.ldmatrix_x1` takes an array and an index, and this is `i32`"),
        (other_space, "OX0308", "mismatched types: `p` of `mma.ldmatrix_x1` lies in shared memory, and this is a `SliceMut`"),
        (unknown, "OX0425", "`mma` has no `m8n8k5.f64.f64`"),
    ]
    for one, code, message in wanted:
        found = refused(one)
        assert (found.code, found.message) == (code, message)
    assert refused(unknown).help == "did you mean `mma.m8n8k4.f64.f64`?"
