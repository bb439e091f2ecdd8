"""MkDocs takes the pages of the diagnostic codes from the package, where `oxidepy explain` finds them too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGES = Path(__file__).resolve().parents[1] / "oxidepy" / "diagnostics" / "pages"


def on_files(files: Any, *, config: Any) -> Any:
    """Adds `codes/<code>.md` for every page of the package."""
    from mkdocs.structure.files import File

    for path in sorted(PAGES.glob("*.md")):
        files.append(File.generated(config, f"codes/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The pages of the package say in a fence how its program is run (```python run), which only the tests read. In the repository the
    codes lead to the package's pages."""
    markdown = markdown.replace("](../oxidepy/diagnostics/pages/", "](codes/")
    return re.sub(r"^```(\w+) \w+$", r"```\1", markdown, flags=re.MULTILINE)
