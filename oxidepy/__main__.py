"""`python -m oxidepy`: the same as the command `oxidepy`."""

from __future__ import annotations

import sys

from oxidepy.cli.main import main

sys.exit(main())
