"""`python -m oxidepy`: the same as the command `oxidepy`."""

from __future__ import annotations

import os
import sys


def _leave_the_folder() -> None:
    """`-m` looks for modules in the working directory first; the command does not, and a json.py there must not be taken for Python's."""
    try:
        here = os.getcwd()
    except OSError:
        here = ""  # the folder is gone
    if sys.path and sys.path[0] in ("", here):
        del sys.path[0]


if __name__ == "__main__":
    _leave_the_folder()
    from oxidepy.cli.main import main

    sys.exit(main())
