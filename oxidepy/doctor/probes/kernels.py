"""The compiler at work: a kernel to PTX, and the same kernel on the CPU device, its result compared with NumPy's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from oxidepy.doctor.probes import launching

BEFORE, ARCH = "sm_75", "sm_80"


def stages() -> Iterator[tuple[str, dict[str, Any]]]:
    from oxidepy.doctor import sample

    yield "import", {"kernel": sample.saxpy.definition.name}
    sample.saxpy.ptx(arch=BEFORE)  # loads LLVM and the compiler's modules
    began = time.perf_counter()
    text = sample.saxpy.ptx(arch=ARCH)
    spent = time.perf_counter() - began
    isa = next((line.split()[1] for line in text.splitlines() if line.startswith(".version")), None)
    entry = any(".entry" in line and "saxpy" in line for line in text.splitlines())
    yield "ptx", {"arch": ARCH, "isa": isa, "entry": entry, "bytes": len(text), "milliseconds": round(spent * 1e3, 1)}
    yield "cpu", launching.launch("cpu", rounds=100)
