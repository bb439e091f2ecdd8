"""How long `import oxidepy` takes in a fresh process, and what it loads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

ROUNDS = 3
HEAVY = ("numpy", "llvmlite", "cuda", "typer", "rich", "jinja2")
# the time of the processor and not of the clock: other checks run at the same time
MEASURE = """
import sys, json
sys.path[:] = json.loads(sys.argv[1])
import time
began = time.process_time()
import oxidepy
print(json.dumps([(time.process_time() - began) * 1e3, sorted(set(sys.modules))]))
"""


def stages() -> Iterator[tuple[str, dict[str, Any]]]:
    import json

    measured: list[float] = []
    loaded: list[str] = []
    for _ in range(ROUNDS):
        done = subprocess.run([sys.executable, "-c", MEASURE, json.dumps(sys.path)], capture_output=True, text=True)
        if done.returncode:
            raise ImportError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
        milliseconds, loaded = json.loads(done.stdout)
        measured.append(milliseconds)
    yield "import", {"milliseconds": round(min(measured), 1), "rounds": ROUNDS, "heavy": [name for name in HEAVY if name in loaded]}
