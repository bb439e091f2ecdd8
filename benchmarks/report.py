"""Write docs/figures.md from the results of the benchmarks.

    python benchmarks/compile_time.py --machine "2 cores" --json benchmarks/results/compile_time.json      (and so on)
    python benchmarks/report.py

A result file holds `title`, `figures` (see common.Figure) and, where it was given, `machine`. Without results the page says so.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "figures.md"

HEAD = """# Figures

Each table is the output of one program in `benchmarks/`, as JSON in `benchmarks/results/`, written here by
`python benchmarks/report.py`. A figure is the median of several runs. Where a peer is named, it was measured in the same
run, and the ratio says more than the number: machines differ, ratios less so.
"""
NONE = """
No results are recorded in this checkout. Run a benchmark with `--json benchmarks/results/NAME.json`, then the report.
"""


def number(value: float) -> str:
    """Three digits that count, without an exponent."""
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(result: dict[str, Any], name: str) -> str:
    """One result file as a section: its title, its program, its table."""
    figures: list[dict[str, Any]] = result["figures"]
    lines = [f"## {result['title']}", "", f"`benchmarks/{name}.py`" + (f", {result['machine']}" if result.get("machine") else ""), ""]
    lines += ["| what | value | goal | against |", "|---|---|---|---|"]
    for one in figures:
        ratio = f"{number(one['ratio'])} × {one['peer']}" if one.get("ratio") is not None else one.get("peer", "")
        goal = (one.get("goal") or "").replace("<=", "≤").replace(">=", "≥")
        lines.append(f"| {one['name']} | {number(one['value'])} {one['unit']} | {goal} | {ratio} |")
    return "\n".join(lines) + "\n"


def page(folder: Path = RESULTS) -> str:
    """The whole page, from the result files of a folder in the order of their names."""
    parts = []
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(result, dict) and "figures" in result:
            parts.append(table(result, path.stem))
    return HEAD + ("\n" + "\n".join(parts) if parts else NONE)


def main() -> int:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
