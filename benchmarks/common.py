"""What all benchmarks share: timing, the JSON they write, the table they print.

A figure is the median of several runs; `ratio` holds against the peer or floor measured in the same run (machines are noisy, ratios hold).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Figure:
    """One line: what was measured, the value with its unit, the goal of the project if there is one, the peer and the ratio to it."""

    name: str
    value: float
    unit: str
    goal: str = ""
    peer: str = ""
    ratio: float | None = None


def median_ms(work: Callable[[], object], runs: int = 7, warm: int = 1) -> float:
    """Median milliseconds of one call."""
    for _ in range(warm):
        work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def child(code: str, *, cores: int | None = None, env: dict[str, str] | None = None, timeout: float = 300) -> dict[str, float]:
    """Run Python code in a process of its own, on the first `cores` processors; its last line of output is a JSON object."""
    prefix = f"import os; os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:{cores}])\n" if cores else ""
    done = subprocess.run(
        [sys.executable, "-c", prefix + code],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def main(measure: Callable[[], list[Figure]], title: str) -> None:
    """Measure, print the table, write JSON where `--json FILE` says."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--machine", default="", help="what it was measured on, for the page of figures")
    options = parser.parse_args()
    figures = measure()
    if options.json:
        result = {"title": title, "machine": options.machine, "figures": [asdict(one) for one in figures]}
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(title)
    for one in figures:
        ratio = f"  {one.ratio:.2f}x of {one.peer}" if one.ratio is not None else ""
        goal = f"  (goal {one.goal})" if one.goal else ""
        print(f"  {one.name:<52} {one.value:10.3f} {one.unit:<5}{goal}{ratio}")
