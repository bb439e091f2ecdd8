"""Memory of a buffer taken for elements of another type, without a copy."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from frontend.test_halves import DEVICES

import oxidepy as ox
from oxidepy import BorrowError, DeviceBuffer, DisjointSlice, LaunchError, Slice, f16, f16x2, f32, f64, i32, kernel, struct, thread, u8, u32


@struct
@dataclass(frozen=True)
class Vec4:
    x: f32
    y: f32
    z: f32
    w: f32


@kernel
def turned(x: Slice[Vec4], y: DisjointSlice[Vec4]) -> None:
    idx = thread.index_1d()
    if idx in y:
        v = x[idx]
        y[idx] = Vec4(v.w, v.z, v.y, v.x)


@pytest.mark.parametrize("device", DEVICES)
def test_floats_as_vectors(device: str) -> None:
    stream = ox.Context(device).default_stream()
    x = DeviceBuffer.from_host(stream, np.arange(16, dtype=np.float32))
    y = DeviceBuffer.empty_like(stream, x)
    turned.launch(stream, x.reinterpret(Vec4), y.reinterpret(Vec4))
    assert y.to_host(stream).tolist() == np.arange(16.0).reshape(4, 4)[:, ::-1].ravel().tolist()
    with pytest.raises(BorrowError):
        turned.launch(stream, x.reinterpret(Vec4), x[:8].reinterpret(Vec4))


@pytest.mark.parametrize(
    ("dtype", "shape"), [(u32, (3, 8)), (np.uint16, (3, 16)), (f64, (3, 4)), (f16x2, (3, 8)), (Vec4, (3, 2)), (u8, (3, 32))]
)
def test_as_numpy_has_it(dtype: object, shape: tuple[int, ...]) -> None:
    stream = ox.Context("interp").default_stream()
    host = np.random.default_rng(3).random((3, 8), dtype=np.float32)
    found = DeviceBuffer.from_host(stream, host).reinterpret(dtype)
    assert found.shape == shape and found.nbytes == host.nbytes
    assert found.to_host(stream).tobytes() == host.tobytes() and found.to_host(stream).dtype == found.dtype


@pytest.mark.parametrize("dtype", [Vec4, bool, f64])
def test_refused(dtype: object) -> None:
    stream = ox.Context("interp").default_stream()
    buffer = DeviceBuffer.zeros(stream, 10, f16)[1:7]
    with pytest.raises(LaunchError, match="reinterpret") as caught:
        buffer.reinterpret(dtype)
    assert caught.value.code == "OX2007"


def test_misaligned() -> None:
    stream = ox.Context("interp").default_stream()
    with pytest.raises(LaunchError, match="no multiple of 4"):
        DeviceBuffer.zeros(stream, 10, f16)[1:3].reinterpret(i32)


def test_as_buffer_takes_no_other_type() -> None:
    buffer = DeviceBuffer.zeros(ox.Context("interp").default_stream(), 8, f32)
    assert ox.as_buffer(buffer, f32) is buffer
    with pytest.raises(LaunchError, match="wants u32, got"):
        ox.as_buffer(buffer, u32)


def test_check_follows_it(tmp_path: Path) -> None:
    from command_line import oxidepy

    program = tmp_path / "main.py"
    program.write_text(
        """
import oxidepy as ox
from oxidepy import DisjointSlice, Slice, i32, f32, kernel, thread

@kernel
def copy(x: Slice[i32], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]

def main() -> None:
    stream = ox.Context().default_stream()
    a, b = ox.DeviceBuffer.zeros(stream, 8, f32), ox.DeviceBuffer.zeros(stream, 8, i32)
    copy.launch(stream, a.reinterpret(i32), b)
    copy.launch(stream, b.reinterpret(f32), b)
"""
    )
    done = oxidepy("check", str(program))
    assert done.returncode == 1 and done.stderr.count("OX0502") == 1 and "OX2007" not in done.stderr, done.stderr
