"""Running the command in a child process, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def oxidepy(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `oxidepy` with these arguments and extra environment variables; output as UTF-8 text."""
    command = [sys.executable, "-m", "oxidepy", *arguments]
    inherited = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=cwd, env=inherited, timeout=120)
