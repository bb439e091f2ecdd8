"""Names in annotations that are text: looked up as Python would have done it, had it evaluated the annotation at once."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Iterator, Mapping
from typing import Any


class Scope(Mapping[str, Any]):
    """Where names of an annotation are looked up: closure, decorating frame, module, then its imports under `if TYPE_CHECKING:`."""

    def __init__(self, *layers: Mapping[str, Any], module: Mapping[str, Any]) -> None:
        self.layers = layers
        self.module = module

    @staticmethod
    def of(function: types.FunctionType, frame: Mapping[str, Any]) -> Scope:
        parameters = {one.__name__: one for one in getattr(function, "__type_params__", ())}
        return Scope(parameters, closure_of(function), frame, module=function.__globals__)

    def __getitem__(self, name: str) -> Any:
        for layer in (*self.layers, self.module):
            if name in layer:
                return layer[name]
        known = builtins_of(self.module)
        if name in known:
            return known[name]
        return typing_import(name, self.module)

    def __iter__(self) -> Iterator[str]:
        seen: set[str] = set()
        for layer in (*self.layers, self.module):
            seen.update(layer)
        return iter(seen)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def evaluate(self, text: str) -> Any:
        """The object that the annotation `text` means. NameError, SyntaxError or whatever its evaluation raises."""
        return eval(compile(text.strip(), "<annotation>", "eval", dont_inherit=True), {"__builtins__": {}}, self)


def builtins_of(module: Mapping[str, Any]) -> Mapping[str, Any]:
    """The built-in names that a module sees: a dict, or in the main program a module."""
    found: Any = module.get("__builtins__", {})
    return found if isinstance(found, dict) else vars(found)  # pyright: ignore[reportUnknownVariableType]


def closure_of(function: types.FunctionType) -> dict[str, Any]:
    """The captured variables of a function by name; those that are not bound yet are left out."""
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found


_typing_imports: dict[str, dict[str, tuple[str, str | None]]] = {}


def typing_import(name: str, module: Mapping[str, Any]) -> Any:
    """Import what `name` stands for under `if TYPE_CHECKING:` in the module's source. KeyError if it is not there."""
    file = module.get("__file__") or module.get("__name__", "")
    if file not in _typing_imports:
        lines = linecache.getlines(str(file), dict(module))
        _typing_imports[file] = _scan("".join(lines), str(module.get("__package__") or ""))
    source, attribute = _typing_imports[file][name]
    from importlib import import_module

    try:
        imported = import_module(source)
        if attribute is None:
            return imported
        return getattr(imported, attribute) if hasattr(imported, attribute) else import_module(f"{source}.{attribute}")
    except ImportError as error:
        raise KeyError(name) from error


def _scan(text: str, package: str) -> dict[str, tuple[str, str | None]]:
    """name -> (module, attribute or None) of every import under `if TYPE_CHECKING:` at the top level."""
    found: dict[str, tuple[str, str | None]] = {}
    if "TYPE_CHECKING" not in text:
        return found
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return found
    blocks = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and "TYPE_CHECKING" in (getattr(node.test, "id", ""), getattr(node.test, "attr", ""))
    ]
    for statement in (inner for block in blocks for inner in block.body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                found[alias.asname or alias.name.partition(".")[0]] = (alias.name if alias.asname else alias.name.partition(".")[0], None)
        elif isinstance(statement, ast.ImportFrom):
            base = statement.module or ""
            if statement.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - statement.level + 1], *([base] if base else [])])
            for alias in statement.names:
                found[alias.asname or alias.name] = (base, alias.name)
    return found
