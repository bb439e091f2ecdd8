"""Filling a template in. Files that end in `.j2` go through Jinja2; a leading `dot_` of a name becomes a dot."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
SUFFIX = ".j2"
TAKEN = frozenset({"oxidepy", "numpy", "main", "tests"}) | sys.stdlib_module_names
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*")


class ProjectError(Exception):
    """The project cannot be written; `help` names the way out."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


def template_names() -> list[str]:
    return sorted(one.name for one in FOLDER.iterdir() if one.is_dir() and (one / f"pyproject.toml{SUFFIX}").is_file())


def check_name(name: str) -> None:
    """ProjectError unless `name` can be the name of a package, on disk and in an import."""
    module = name.replace("-", "_")
    if keyword.iskeyword(module):
        raise ProjectError(f"{name!r} is a keyword of Python", f"choose another name, such as {name}_demo")
    if not NAME.fullmatch(name):
        help = "a name has letters, digits, and single `_` or `-` between them, and begins with a letter"
        raise ProjectError(f"{name!r} is not a valid package name", help)
    if module in TAKEN:
        raise ProjectError(
            f"{name!r} is the name of a module that the project uses or could use", f"choose another name, such as {name}_demo"
        )


def write_project(folder: Path, name: str, template: str, **values: str) -> list[Path]:
    """Write the project `name` into `folder`, which must be new or empty; gives the files, relative to it.

    Every text is made before the first file is written. ProjectError if the folder is in the way or cannot be written.
    """
    texts = _render(FOLDER / template, {"name": name, "module": name.replace("-", "_"), **values})
    try:
        if folder.is_symlink() and not folder.exists():
            raise ProjectError(f"{folder} is a link that leads nowhere")
        if folder.exists() and not folder.is_dir():
            raise ProjectError(f"{folder} exists and is no folder", "choose another name")
        if folder.is_dir() and any(folder.iterdir()):
            raise ProjectError(f"{folder} exists and is not empty", "choose another name, or remove what is in it")
        for place, text in texts.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ProjectError(f"{folder} cannot be written: {error.strerror}") from None
    return list(texts)


def _render(source: Path, values: dict[str, str]) -> dict[Path, str]:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)  # these are no web pages
    texts: dict[Path, str] = {}
    for path in sorted(source.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            place = Path(*(re.sub(r"^dot_", ".", part) for part in path.relative_to(source).parts))
            text = path.read_text(encoding="utf-8")
            if place.name.endswith(SUFFIX):
                place = place.with_name(place.name.removesuffix(SUFFIX))
                text = environment.from_string(text).render(values)
            texts[place] = text
    return texts
