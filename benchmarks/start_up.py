"""Whole processes: --version, --help, import, `oxidepy run` of a new project from a warm cache on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Figure, main, median_ms


def measure() -> list[Figure]:
    oxidepy = [sys.executable, "-m", "oxidepy"]
    env = {**os.environ, "OXIDEPY_DEVICE": "cpu"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode

    def process(*command: str, cwd: str | None = None) -> float:
        return median_ms(lambda: subprocess.run(command, check=True, capture_output=True, cwd=cwd, env=env), runs=9, warm=2)

    with tempfile.TemporaryDirectory() as folder:
        env["OXIDEPY_CACHE_DIR"] = str(Path(folder) / "cache")
        env["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        subprocess.run([*oxidepy, "new", "vecadd_demo"], check=True, capture_output=True, cwd=folder)
        demo = str(Path(folder) / "vecadd_demo")
        floor = process(sys.executable, "-c", "import numpy, llvmlite.binding")
        run = process(*oxidepy, "run", cwd=demo)
        return [
            Figure("oxidepy --version", process(*oxidepy, "--version"), "ms", "<= 100"),
            Figure("oxidepy --help", process(*oxidepy, "--help"), "ms", "<= 200"),
            Figure("import oxidepy", process(sys.executable, "-c", "import oxidepy"), "ms"),
            Figure("python -c pass", process(sys.executable, "-c", "pass"), "ms"),
            Figure(
                "oxidepy run of the demo, warm cache, CPU", run, "ms", "<= 350", "a process that imports NumPy and llvmlite", run / floor
            ),
        ]


if __name__ == "__main__":
    main(measure, "Start-up (whole processes)")
