"""Run every example under a tool of compute-sanitizer; 1 if it finds something or a program does not pass.

    python scripts/sanitize_examples.py --tool memcheck|racecheck|synccheck|initcheck [--device cuda:0] [NAME ...]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
FINDINGS = 86  # the exit code that stands for findings
LIMIT = 110  # seconds for one program


def examine(sanitizer: str, tool: str, device: str, path: Path) -> tuple[str, str]:
    """What became of an example: "ok", "findings" or "failed", and its output."""
    command = [sanitizer, "--tool", tool, "--error-exitcode", str(FINDINGS), sys.executable, "-m", "oxidepy", "run", str(path)]
    try:
        done = subprocess.run([*command, "--device", device], capture_output=True, text=True, encoding="utf-8", timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return "failed", f"no end within {LIMIT} s\n{late.stdout or ''}"
    output = done.stdout + done.stderr
    if done.returncode == 0 and "PASSED" in done.stdout:
        return "ok", output
    return ("findings" if done.returncode == FINDINGS else "failed"), f"exit code {done.returncode}\n{output}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tool", choices=TOOLS, default="memcheck")
    options.add_argument("--device", default="cuda:0")
    options.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="programs at once")
    options.add_argument("names", nargs="*", metavar="NAME", help="examples by name; all without one")
    given = options.parse_args()
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        print("compute-sanitizer is not on PATH; it comes with the CUDA toolkit", file=sys.stderr)
        return 2
    paths = [EXAMPLES / f"{name}.py" for name in given.names] or sorted(EXAMPLES.glob("*.py"))
    if unknown := [path.stem for path in paths if not path.is_file()]:
        print(f"no such example: {', '.join(unknown)}", file=sys.stderr)
        return 2
    begin = time.monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        results = list(pool.map(lambda path: examine(sanitizer, given.tool, given.device, path), paths))
    for path, (state, output) in zip(paths, results, strict=True):
        print(f"{state:<9} {path.stem}", flush=True)
        if state != "ok":
            print("    " + "\n    ".join(output.splitlines()[-60:]), flush=True)
    count = {state: sum(one == state for one, _ in results) for state in ("ok", "findings", "failed")}
    seconds = time.monotonic() - begin
    print(f"{given.tool}: {count['ok']} of {len(paths)} ok, {count['findings']} with findings, {count['failed']} failed, {seconds:.1f} s")
    return 0 if count["ok"] == len(paths) else 1


if __name__ == "__main__":
    sys.exit(main())
