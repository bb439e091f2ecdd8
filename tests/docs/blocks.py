"""Runs the Python of a page on the CPU device, as the reader would: block after block with the same names.

    python tests/docs/blocks.py PAGE...             run, and say what differs
    python tests/docs/blocks.py --update PAGE...    put what the blocks say now into the pages

A block is a `python` fence. `<!-- error OX0308 -->` above it: it raises this, at once or when its kernels are compiled. A `text` fence
right below a block is what it prints, or the error. `<!-- not run -->` above a block that cannot be run here says why.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(
    r"(?:^<!-- (?!table )(?P<note>[^\n]*?) -->\n+)?^```python\n(?P<code>.*?)^```\n(?:\n?^```text\n(?P<text>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    line: int
    code: str
    note: str
    text: str | None
    place: tuple[int, int]

    @property
    def error(self) -> str | None:
        found = re.fullmatch(r"error (OX\d{4})", self.note)
        return found[1] if found else None

    @property
    def runs(self) -> bool:
        return not self.note.startswith("not run:")


def blocks(text: str) -> list[Block]:
    return [
        Block(text[: one.start("code")].count("\n") + 1, one["code"], one["note"] or "", one["text"], one.span("text"))
        for one in BLOCK.finditer(text)
    ]


def run(block: Block, names: dict[str, Any]) -> str:
    """What the block prints or raises, in the current folder. Every new kernel whose types are known is compiled."""
    from oxidepy import Kernel, OxideError
    from oxidepy.analysis.host import analyse
    from oxidepy.runtime.hostcode import Names

    file = f"block_{block.line}.py" if block.error is None else "main.py"
    Path(file).write_text(block.code, encoding="utf-8")
    names = names if block.error is None else dict(names)
    before = set(map(id, names.values()))
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(block.code, os.path.abspath(file), "exec"), names)
            for one in [one for one in names.values() if isinstance(one, Kernel) and id(one) not in before]:
                compile_now(one)
    except OxideError as error:
        if block.error is None:
            raise
        if error.code != block.error:
            return f"wanted {block.error}, got {error}\n"
        return f"{error}\n"
    if block.error is not None:
        return f"wanted {block.error}, and nothing was wrong\n"
    blamed = analyse(ast.parse(block.code), block.code, file, Names(names))
    return f"wanted no findings about host code, got {blamed[0]}\n" if blamed else printed.getvalue()


def compile_now(kernel: Any) -> None:
    from oxidepy import CompileError, LaunchError

    try:
        kernel.ptx("sm_80")
    except LaunchError as error:
        if error.code != "OX0282":  # types that only a launch tells
            raise
    except CompileError as error:
        if error.code != "OX6001":
            raise
        kernel.ptx("sm_90a")


def examine(path: Path, update: bool) -> list[str]:
    """What differs on a page, a line each."""
    text = path.read_text(encoding="utf-8")
    module = sys.modules["page"] = types.ModuleType("page")  # dataclasses look their module up
    names = vars(module)
    differences: list[str] = []
    now: list[tuple[tuple[int, int], str]] = []
    with tempfile.TemporaryDirectory() as folder:
        home = os.getcwd()
        os.chdir(folder)
        try:
            for block in blocks(text):
                if not block.runs:
                    continue
                try:
                    said = run(block, names)
                except Exception as error:
                    differences.append(f"{path.name}:{block.line}: {type(error).__name__}: {error}")
                    continue
                if said.startswith("wanted "):
                    differences.append(f"{path.name}:{block.line}: {said}")
                elif block.text is not None and said != block.text:
                    now.append((block.place, said))
                    if not update:
                        differences.append(f"{path.name}:{block.line}: the page says\n{block.text}and now it is\n{said}")
        finally:
            os.chdir(home)
    if update:
        for (start, end), said in reversed(now):
            text = text[:start] + said + text[end:]
        path.write_text(text, encoding="utf-8")
    return differences


if __name__ == "__main__":
    os.environ["OXIDEPY_DEVICE"] = "cpu"
    update = "--update" in sys.argv
    found = [line for name in sys.argv[1:] if name != "--update" for line in examine(Path(name).resolve(), update)]
    print("\n".join(found))
    sys.exit(1 if found else 0)
