"""Python that is no module of the tests: benchmarks, examples, programs and texts that tests write."""

from __future__ import annotations

import importlib.util
import linecache
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]


def load(path: Path, name: str = "") -> ModuleType:
    """The file as a module of its own, imported as a script would be: beside it stands what it imports. `name`: "examples_vecadd"."""
    spec = importlib.util.spec_from_file_location(name or f"{path.parent.name}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    finally:
        sys.path.remove(str(path.parent))
    return module


def defined(source: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a text defines, as if it stood in a file of which the lines are found. `names`: what it may use."""
    name = f"<text {zlib.crc32(source.encode()):08x}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space = dict(names or {})
    exec(compile(source, name, "exec", dont_inherit=True), space)
    return space
