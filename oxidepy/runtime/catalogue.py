"""The programs of a folder, as their files tell: nothing of them is run."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from oxidepy.diagnostics import Diagnostic, LaunchError


@dataclass(frozen=True)
class Entry:
    """A program: the file's name without its ending, the first line of what it says of itself, and the kernels that it defines."""

    name: str
    title: str
    path: Path
    kernels: tuple[str, ...]


def shipped() -> Path | None:
    """The examples: those that were installed with the package, or those of the checkout that it runs from."""
    package = Path(__file__).parents[1]
    return next((one for one in (package / "examples", package.parent / "examples") if one.is_dir()), None)


def catalogue(folder: Path) -> list[Entry]:
    """The folder's Python files that define kernels, by name. LaunchError OX8010 if it cannot be read; a file that is no Python is none."""
    try:
        paths = sorted(folder.glob("*.py")) if folder.is_dir() else [folder]
        texts = [(path, path.read_bytes()) for path in paths]
    except OSError as error:
        raise LaunchError(
            Diagnostic("OX8010", f"cannot read {folder}: {error.strerror}", help="give a folder with programs, or a program")
        ) from error
    found: list[Entry] = []
    for path, text in texts:
        try:
            tree = ast.parse(text, filename=str(path))
        except (SyntaxError, ValueError):
            continue
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        kernels = tuple(node.name for node in functions if any(map(_is_kernel, node.decorator_list)))
        if kernels:
            found.append(Entry(path.stem, (ast.get_docstring(tree) or "").partition("\n")[0], path, kernels))
    return found


def _is_kernel(decorator: ast.expr) -> bool:
    """`@kernel`, `@ox.kernel`, `@kernel(…)`."""
    inner = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")) == "kernel"
