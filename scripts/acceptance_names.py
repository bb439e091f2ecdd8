"""Print the names of the acceptance programs that this version supports: all but those of tests/acceptance_pending.txt."""

from __future__ import annotations

import sys
from pathlib import Path


def supported(folder: Path) -> list[str]:
    pending_file = Path(__file__).parent.parent / "tests" / "acceptance_pending.txt"
    lines = [line.split("#")[0].split() for line in pending_file.read_text(encoding="utf-8").splitlines()]
    pending = {words[0].rstrip(":") for words in lines if words}
    names = sorted(path.stem for kind in ("accept", "reject") for path in (folder / kind).glob("*.py"))
    return [name for name in names if name not in pending]


if __name__ == "__main__":
    print("\n".join(supported(Path(sys.argv[1]))))
