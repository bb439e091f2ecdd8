"""Run every example under a tool of compute-sanitizer; 1 if it finds something or a program does not pass.

python scripts/sanitize_examples.py --tool memcheck|racecheck|synccheck|initcheck [--device cuda:0] [NAME ...]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from oxidepy.diagnostics import LaunchError
from oxidepy.diagnostics.render import render_plain
from oxidepy.runtime.sanitize import external

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
LIMIT = 110  # seconds for one program


def examine(tool: str, device: str, path: Path) -> tuple[str, str]:
    """What became of an example: "ok", "findings" or "failed", and its output."""
    try:
        done = external.examine(tool, [str(path), "--device", device], timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return "failed", f"no end within {LIMIT} s\n{late.stdout or ''}"
    if done.found or done.code == external.FINDINGS:
        return "findings", "\n\n".join(map(render_plain, done.found)) or done.output
    if done.code == 0 and "PASSED" in done.output:
        return "ok", done.output
    return "failed", f"exit code {done.code}\n{done.output}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tool", choices=external.TOOLS, default="memcheck")
    options.add_argument("--device", default="cuda:0")
    options.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="programs at once")
    options.add_argument("names", nargs="*", metavar="NAME", help="examples by name; all without one")
    given = options.parse_args()
    try:
        external.locate()
    except LaunchError as missing:
        print(missing, file=sys.stderr)
        return 2
    paths = [EXAMPLES / f"{name}.py" for name in given.names] or sorted(EXAMPLES.glob("*.py"))
    if unknown := [path.stem for path in paths if not path.is_file()]:
        print(f"no such example: {', '.join(unknown)}", file=sys.stderr)
        return 2
    begin = time.monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        results = list(pool.map(examine, repeat(given.tool), repeat(given.device), paths))
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
