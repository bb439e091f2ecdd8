"""A user's file as a program: its top level, its kernels, and what stands under `if __name__ == "__main__":`."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import types
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oxidepy.diagnostics import CompileError, Diagnostic, LaunchError, Span
from oxidepy.runtime.kernel import Kernel


@dataclass
class Program:
    """A file that was read. `start` runs its top level up to the guard, `finish` goes on into it."""

    path: Path
    tree: ast.Module
    namespace: types.ModuleType
    source: str

    @staticmethod
    def read(path: Path, *, as_main: bool) -> Program:
        """Parse the file. LaunchError OX8010 if there is none, CompileError OX8011 if it is not Python."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise LaunchError(
                Diagnostic("OX8010", f"cannot read {path}: {error.strerror}", help="give the file to run, or `entry` in [tool.oxidepy] of pyproject.toml")
            ) from error
        try:
            tree = ast.parse(data, filename=str(path))
        except (SyntaxError, ValueError) as error:
            raise CompileError([_syntax(path, error)]) from error
        # under the name that an import would give it, unless that is another module's already
        name = "__main__" if as_main else path.stem if path.stem not in sys.modules else f"{path.stem}@{path}"
        namespace = types.ModuleType(name)
        namespace.__file__ = str(path)
        return Program(path, tree, namespace, _decode(data))

    def guard(self) -> int:
        """The number of the first top-level statement that is `if __name__ == "__main__":`, or how many there are."""
        for number, statement in enumerate(self.tree.body):
            if isinstance(statement, ast.If) and _is_main_test(statement.test):
                return number
        return len(self.tree.body)

    def start(self, arguments: Sequence[str] = ()) -> None:
        """Run the top level up to the guard, as the interpreter would: `sys.path[0]` is the file's folder, `sys.argv` its arguments."""
        sys.path.insert(0, str(self.path.resolve().parent))
        sys.argv = [str(self.path), *arguments]
        # dataclasses, pickling and typing look a class's module up by name
        sys.modules[self.namespace.__name__] = self.namespace
        self._execute(self.tree.body[: self.guard()])

    def finish(self) -> None:
        """Run the rest: the guard and what follows it."""
        self._execute(self.tree.body[self.guard() :])

    def kernels(self) -> list[Kernel[Any]]:
        """The kernels that this file defines, in the order of their lines."""
        own = str(self.path)
        found = {id(item): item for item in _reachable(vars(self.namespace)) if isinstance(item, Kernel) and item.definition.function.__code__.co_filename == own}
        return sorted(found.values(), key=lambda one: one.definition.function.__code__.co_firstlineno)

    def _execute(self, statements: Sequence[ast.stmt]) -> None:
        if statements:
            module = ast.Module(body=list(statements), type_ignores=[])
            exec(compile(module, str(self.path), "exec"), vars(self.namespace))


def _reachable(names: dict[str, Any]) -> list[Any]:
    """What the namespace holds, and what its own classes hold (kernels may be static methods)."""
    out: list[Any] = []
    for item in list(names.values()):
        out.append(item)
        if isinstance(item, type) and item.__module__ == names.get("__name__"):
            out.extend(member.__func__ if isinstance(member, staticmethod) else member for member in vars(item).values())
    return out


def _decode(data: bytes) -> str:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


def _is_main_test(test: ast.expr) -> bool:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = (test.left, test.comparators[0])
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in sides) and any(isinstance(one, ast.Constant) and one.value == "__main__" for one in sides)


def _syntax(path: Path, error: SyntaxError | ValueError) -> Diagnostic:
    if not isinstance(error, SyntaxError) or error.lineno is None:
        return Diagnostic("OX8011", f"{path} is not Python: {error}")
    column = max(error.offset or 1, 1)
    end_line, end_column = error.end_lineno or error.lineno, error.end_offset or column + 1
    span = Span(str(path), error.lineno, column, end_line, max(end_column, column + 1) if end_line == error.lineno else end_column)
    return Diagnostic("OX8011", f"this is not Python: {error.msg}", span)
