"""What kernels print on a CUDA GPU: the text of the other devices."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import telling

import oxidepy as ox
from oxidepy import DeviceBuffer, DevicePanic, f32, i32

pytestmark = pytest.mark.gpu


def test_the_same_text(capsys: pytest.CaptureFixture[str]) -> None:
    telling.told("cpu")
    wanted = capsys.readouterr().out
    telling.told("cuda:0")
    assert capsys.readouterr().out == wanted


def test_many_threads_on_several_streams(capsys: pytest.CaptureFixture[str]) -> None:
    context = ox.Context("cuda:0")
    streams = [context.new_stream() for _ in range(3)]
    buffers = [DeviceBuffer.zeros(stream, 20_000, i32) for stream in streams]
    for stream, y in zip(streams, buffers, strict=True):
        telling.every.launch(stream, y)
    for stream in streams:
        stream.synchronize()
        assert capsys.readouterr().out.splitlines() == [f"here is thread {one}" for one in range(20_000)]


def test_a_full_buffer(monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OXIDEPY_PRINT_BUFFER", "3200")
    stream = ox.Context("cuda:0").new_stream()
    telling.every.launch(stream, DeviceBuffer.zeros(stream, 1000, i32))
    stream.synchronize()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 101 and lines[-1].startswith("oxidepy: 900 printed lines lost")


def test_launches_one_after_the_other_lose_nothing(monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OXIDEPY_PRINT_BUFFER", "32000")
    stream = ox.Context("cuda:0").new_stream()
    y = DeviceBuffer.zeros(stream, 400, i32)
    for _ in range(50):
        telling.every.launch(stream, y)
    stream.synchronize()
    assert capsys.readouterr().out.splitlines() == [f"here is thread {number}" for number in range(400)] * 50


def test_an_assertion_tells_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    stream = ox.Context("cuda:0").new_stream()
    y = DeviceBuffer.zeros(stream, 100, f32)
    telling.judged.launch(stream, y, 41)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert caught.value.diagnostic.message == "item 41 has 20.50, and bad=41"
    assert capsys.readouterr().out == "before 41\n"
    telling.judged.launch(stream, y, -1)
    assert (y.to_host(stream) == -1).all()


def test_a_collected_stream(capsys: pytest.CaptureFixture[str]) -> None:
    context = ox.Context("cuda:0")
    for _ in range(2):
        stream = context.new_stream()
        y = DeviceBuffer.zeros(context.default_stream(), 1, i32)
        telling.every.launch(stream, y)
        del stream
        y.to_host(context.default_stream())
        gc.collect()
        context.synchronize()
        assert capsys.readouterr().out == "here is thread 0\n"


def test_threads_of_the_host_that_share_a_stream(capsys: pytest.CaptureFixture[str]) -> None:
    telling.by_threads_of_the_host(ox.Context("cuda:0").new_stream(), 40, 4, 100, lambda: capsys.readouterr().out)
