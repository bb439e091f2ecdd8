"""`oxidepy sanitize --device cuda:0`: compute-sanitizer runs a program, and its reports come out at lines of Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import oxidepy

from oxidepy import LaunchError
from oxidepy.runtime.sanitize import external

pytestmark = pytest.mark.gpu
PROGRAM = """import numpy as np
import oxidepy as ox
from oxidepy import DeviceBuffer, SliceMut, f32, kernel, launch_contract, shared, thread, unsafe


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def k(y: SliceMut[f32]) -> None:
    s = shared.array(f32, 64)
    t = thread.idx.x
    with unsafe("a test"):
        s[t] = y[t]  # <-
        y[t] = s[(t + 33) % 64]  # <-


stream = ox.Context().default_stream()
y = DeviceBuffer.MAKE(stream, 64, f32)
k.prepare(ox.Context(), 64)(stream, y)
print(y.to_host(stream)[0])
"""


@pytest.mark.parametrize(("tool", "make", "codes"), [("racecheck", "zeros", {"OX4001"}), ("initcheck", "empty", {"OX7005"})])
def test_findings(tool: str, make: str, codes: set[str], tmp_path: Path) -> None:
    try:
        external.locate()
    except LaunchError as missing:
        pytest.skip(f"{missing.diagnostic.message}")
    text = PROGRAM.replace("MAKE", make)
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    done = oxidepy("sanitize", "main.py", "--device", "cuda:0", "--tool", tool, "--message-format", "json", cwd=tmp_path)
    found = [json.loads(one) for one in done.stdout.splitlines() if one.startswith("{")]
    assert done.returncode == 86, done.stdout + done.stderr
    assert {one["code"] for one in found} == codes
    marked = {number for number, one in enumerate(text.splitlines(), 1) if "# <-" in one}
    assert {one["line"] for one in found} <= marked and all(one["file"].endswith("main.py") for one in found)
