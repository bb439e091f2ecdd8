"""Division by zero, a failed assert, an index outside: a panic with place and thread, on every device."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from semantics.batch import DEVICES, dtype, load

import oxidepy as ox

DIVISIONS = ("x // y", "x % y", "divmod(x, y)[0]", "divmod(x, y)[1]", "x // (y * 0)")
TYPES = ("i8", "i32", "i64", "u8", "u64")

KERNEL = """
@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def {name}(a: Slice[{type}], c: DisjointSlice[{type}]) -> None:
    idx = thread.index_1d()
    if idx in c:
        x, y = a[idx], a[idx] - 5
        c[idx] = {division}  # here
"""


def kernels() -> str:
    cases = [(type_, number, division) for type_ in TYPES for number, division in enumerate(DIVISIONS)]
    return "".join(KERNEL.format(name=f"d{number}_{type_}", type=type_, division=division) for type_, number, division in cases)


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(kernels(), tmp_path_factory.mktemp("panics"))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", TYPES)
def test_division_by_zero(type_: str, device: str, module: ModuleType) -> None:
    stream = ox.Context(device).default_stream()
    for number in range(len(DIVISIONS)):
        kernel = getattr(module, f"d{number}_{type_}")
        values = np.full(100, 7, dtype(type_))
        values[77] = 5
        a, c = ox.DeviceBuffer.from_host(stream, values), ox.DeviceBuffer.zeros(stream, 100, values.dtype)
        kernel.launch(stream, a, c)
        with pytest.raises(ox.DevicePanic) as caught:
            stream.synchronize()
        panic = caught.value
        text = Path(str(panic.file)).read_text().splitlines()[(panic.line or 1) - 1]
        assert (panic.code, panic.kernel) == ("OX7003", f"d{number}_{type_}") and text.endswith("# here")
        if number < 4:
            assert (panic.block, panic.thread) == ((2, 0, 0), (77 - 64, 0, 0))
        elif not device.startswith("cuda"):  # every thread fails: a GPU tells of any, the others of the lowest
            assert (panic.block, panic.thread) == ((0, 0, 0), (0, 0, 0))
        # the context lives on
        fine = ox.DeviceBuffer.from_host(stream, np.full(100, 8, values.dtype))
        if number < 4:
            kernel.launch(stream, fine, c)
            assert c.to_host(stream).tolist() == [{0: 8 // 3, 1: 8 % 3, 2: 8 // 3, 3: 8 % 3}[number]] * 100


def test_a_constant_zero(tmp_path: Path) -> None:
    """It is no question of the launch, and still what Python does: an error when it is reached."""
    module = load("\n@kernel\ndef zero(a: i32, c: SliceMut[i32]) -> None:\n    if a > 0:\n        c[0] = a // 0\n", tmp_path)
    stream = ox.Context("cpu").default_stream()
    c = ox.DeviceBuffer.zeros(stream, 1, ox.i32)
    prepared = module.zero.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=256))
    prepared(stream, 0, c)
    stream.synchronize()
    prepared(stream, 1, c)
    with pytest.raises(ox.DevicePanic) as caught:
        stream.synchronize()
    assert caught.value.code == "OX7003"
