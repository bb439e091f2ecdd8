"""The child's side of `child.py`: run a probe and report each of its stages as a line of JSON."""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import sys

from oxidepy.settings.active import set_flags
from oxidepy.settings.config import Config, Flags

FAILED = 3  # exit status of a child that reported an exception


def main(probe: str, limit: float) -> None:
    """Run `oxidepy.doctor.probes.<probe>.stages()`, which yields (stage, facts); ends the process after `limit` seconds in any case."""
    # a thread of its own that needs no interpreter lock: works while a driver hangs, and when our parent is gone
    faulthandler.dump_traceback_later(limit, exit=True)
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    set_flags(Flags(config=Config()))  # as if there were no pyproject.toml: that file has a check of its own
    try:
        for stage, facts in importlib.import_module(f"oxidepy.doctor.probes.{probe}").stages():
            print(json.dumps({"stage": stage, "facts": facts}), file=report, flush=True)
    except Exception as error:
        print(json.dumps({"failed": f"{type(error).__name__}: {error}"}), file=report, flush=True)
        sys.exit(FAILED)
