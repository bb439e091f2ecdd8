"""A user's file as a program: its top level, its kernels, and what stands under `if __name__ == "__main__":`."""

from __future__ import annotations
import __future__

import ast
import contextlib
import importlib
import io
import os
import sys
import tokenize
import types
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oxidepy.diagnostics import CompileError, Diagnostic, LaunchError, Span
from oxidepy.lang.definition import KernelDef
from oxidepy.lang.foreign import export_of, exported
from oxidepy.runtime.kernel import Kernel

# What we ourselves import, first or later; the two that Python keeps for fun do something when imported.
_OTHERS = (sys.stdlib_module_names | {"numpy", "llvmlite", "cuda", "rich", "typer"}) - {"this", "antigravity"}


@dataclass
class Program:
    """A file that was read. `start` runs its top level up to the guard, `finish` goes on into it.

    `path` is as it was given, `file` absolute: the name that code, tracebacks and diagnostics carry, as the interpreter has it.
    """

    path: Path
    file: str
    tree: ast.Module
    namespace: types.ModuleType
    source: str
    root: Path
    """The folder that the file's package lies in, else that of the file."""

    @staticmethod
    def read(path: Path, *, as_main: bool) -> Program:
        """Parse the file. LaunchError OX8010 if there is none, CompileError OX8011 if it is not Python."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise LaunchError(
                Diagnostic(
                    "OX8010",
                    f"cannot read {path}: {error.strerror}",
                    help=_meant(path) or "give the file to run, or `entry` in [tool.oxidepy] of pyproject.toml",
                )
            ) from error
        file = os.path.abspath(path)
        try:
            tree = ast.parse(data, filename=file)
        except (SyntaxError, ValueError) as error:
            raise CompileError([_syntax(file, error)]) from error
        # under the name that an import would give it, unless that is another module's
        taken = path.stem in sys.modules or path.stem in _OTHERS
        namespace = types.ModuleType("__main__" if as_main else f"{path.stem}@{file}" if taken else path.stem)
        namespace.__file__ = file
        root, namespace.__package__ = _package(Path(file).resolve().parent)
        return Program(path, file, tree, namespace, _decode(data), root)

    def guard(self) -> int:
        """The number of the first top-level statement that is `if __name__ == "__main__":`, or how many there are."""
        for number, statement in enumerate(self.tree.body):
            if isinstance(statement, ast.If) and _is_main_test(statement.test):
                return number
        return len(self.tree.body)

    def start(self, arguments: Sequence[str] = ()) -> None:
        """Run the top level up to the guard, as the interpreter would: `sys.path[0]` is the file's folder, `sys.argv` its arguments.

        A file of a package finds its neighbours by relative imports too, and its package by name.
        """
        if self.path.stem in _OTHERS:
            # a file called json.py must not become the json that NumPy asks for later
            with contextlib.suppress(ImportError):
                importlib.import_module(self.path.stem)
        sys.path[:0] = dict.fromkeys([str(self.path.resolve().parent), str(self.root)])
        sys.argv = [str(self.path), *arguments]
        # dataclasses, pickling and typing look a class's module up by name
        sys.modules[self.namespace.__name__] = self.namespace
        self._execute(self.tree.body[: self.guard()])

    def finish(self) -> None:
        """Run the rest: the guard and what follows it."""
        self._execute(self.tree.body[self.guard() :])

    @contextlib.contextmanager
    def visit(self) -> Generator[None]:
        """Afterwards it is as if the program had never been started: the next one finds its own `util.py` and not this one's."""
        path, arguments, modules = list(sys.path), sys.argv, dict(sys.modules)
        try:
            yield
        finally:
            sys.path[:], sys.argv = path, arguments
            for name, module in list(sys.modules.items()):
                if module is not modules.get(name) and (module is self.namespace or self._own(name, module)):
                    del sys.modules[name]
                    if name in modules:
                        sys.modules[name] = modules[name]

    def kernels(self) -> list[Kernel[Any]]:
        """The kernels that this file defines, in the order of their lines."""
        own = self.file
        found = {
            id(item): item
            for item in _reachable(vars(self.namespace))
            if isinstance(item, Kernel) and item.definition.function.__code__.co_filename == own
        }
        return sorted(found.values(), key=lambda one: one.definition.function.__code__.co_firstlineno)

    def definitions(self) -> list[KernelDef]:
        """What this file has to compile, in the order of the lines: its kernels, and the functions that it exports."""
        functions = [one for one in _reachable(vars(self.namespace)) if isinstance(one, types.FunctionType)]
        own = [one for one in functions if one.__code__.co_filename == self.file]
        exports = {one: exported(one, export) for one in own if (export := export_of(one)) is not None}
        found = [*(kernel.definition for kernel in self.kernels()), *exports.values()]
        return sorted(found, key=lambda one: one.function.__code__.co_firstlineno)

    def _own(self, name: str, module: types.ModuleType) -> bool:
        """Whether a module lies beside the program, and is nothing that was installed there: NumPy can be imported only once."""
        file = str(getattr(module, "__file__", None))
        parts = Path(file).parts
        installed = name.partition(".")[0] == "oxidepy" or "site-packages" in parts or "dist-packages" in parts
        return file.startswith(str(self.root) + os.sep) and not installed

    def _execute(self, statements: Sequence[ast.stmt]) -> None:
        if statements:
            module = ast.Module(body=list(statements), type_ignores=[])
            # the future statements of the file hold behind the guard too; those of this file nowhere
            exec(compile(module, self.file, "exec", flags=self._future(), dont_inherit=True), vars(self.namespace))

    def _future(self) -> int:
        imports = (one for one in self.tree.body if isinstance(one, ast.ImportFrom) and one.module == "__future__")
        names = [alias.name for one in imports for alias in one.names if alias.name in __future__.all_feature_names]
        flags = 0
        for name in names:
            flags |= getattr(__future__, name).compiler_flag
        return flags


def _package(folder: Path) -> tuple[Path, str]:
    """The folder that holds the package to which the files of a folder belong, and the package's name: "" where it is none."""
    names: list[str] = []
    while folder.name.isidentifier() and (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(names)


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


def _meant(path: Path) -> str | None:
    """A program whose name is much like that of a file that is not there: beside it, or an example that `oxidepy list` names."""
    from oxidepy.diagnostics.names import suggest
    from oxidepy.runtime.catalogue import shipped

    near = suggest(path.stem, [one.stem for one in path.parent.glob("*.py")])
    if near is not None:
        return f"did you mean `{path.parent / near}.py`?"
    examples = shipped()
    example = examples / f"{path.stem}.py" if examples is not None and path.parent == Path() else None
    return f"the example is `{os.path.relpath(example)}`" if example is not None and example.is_file() else None


def _is_main_test(test: ast.expr) -> bool:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = (test.left, test.comparators[0])
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in sides) and any(
        isinstance(one, ast.Constant) and one.value == "__main__" for one in sides
    )


def _syntax(file: str, error: SyntaxError | ValueError) -> Diagnostic:
    if not isinstance(error, SyntaxError) or error.lineno is None:
        return Diagnostic("OX8011", f"{file} is not Python: {error}")
    column = max(error.offset or 1, 1)
    end_line, end_column = error.end_lineno or error.lineno, error.end_offset or column + 1
    span = Span(file, error.lineno, column, end_line, max(end_column, column + 1) if end_line == error.lineno else end_column)
    return Diagnostic("OX8011", f"this is not Python: {error.msg}", span)
