"""The CUDA toolkit: never needed, and of use where it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Any

from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Finding

TOOLS = {"ptxas": "verifies PTX without a GPU", "nvcc": "compiles CUDA C++ that is linked with kernels"}
RELEASE = re.compile(r"release (\d+\.\d+)")
INSTALL = "conda install -c nvidia cuda-nvcc"


def toolkit(examination: Examination) -> Finding:
    homes = {name: os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)}
    evidence: dict[str, Any] = {**homes}
    for name in TOOLS:
        path = _find(name, list(homes.values()))
        evidence[name] = path and {"path": path, "release": _release(path)}
    found = [f"{name} {evidence[name]['release'] or 'of unknown release'}" for name in TOOLS if evidence[name]]
    missing = [name for name in TOOLS if not evidence[name]]
    if missing:
        uses = ", ".join(f"{name} {TOOLS[name]}" for name in missing)
        return Finding("info", f"no {' and no '.join(missing)} here; not needed ({uses})", evidence, INSTALL, lacks="toolkit")
    return Finding("ok", ", ".join(found), evidence)


def _find(name: str, homes: list[str]) -> str | None:
    beside = [os.path.join(home, "bin") for home in (*homes, "/usr/local/cuda")]
    return shutil.which(name) or next((found for folder in beside if (found := shutil.which(name, path=folder))), None)


def _release(path: str) -> str | None:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = RELEASE.search(done.stdout)
    return found[1] if found else None
