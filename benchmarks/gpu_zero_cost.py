"""What proven safety costs on a GPU: a matrix product and a stencil beside the same kernels compiled without any bounds checks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from common import Figure, main

PROGRAM = Path(__file__).parent / "zero_cost.py"


def times(*options: str) -> dict[str, float]:
    """Milliseconds a launch, by kernel, from a process of its own."""
    command = [sys.executable, "-m", "oxidepy", "-q", "run", "--device", "cuda:0", *options, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def measure() -> list[Figure]:
    runs = [(times(), times("--unchecked-indexing")) for _ in range(3)]
    figures: list[Figure] = []
    for name in runs[0][0]:
        proven, unchecked = (min(run[side][name] for run in runs) for side in (0, 1))
        figures.append(Figure(name, proven, "ms", "<= 1.01x", "itself without checks", proven / unchecked))
    return figures


if __name__ == "__main__":
    main(measure, "Proven kernels beside unchecked ones")
