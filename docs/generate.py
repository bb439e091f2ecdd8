"""Write what the documentation takes from the package: tables of registries, and the picture of an error.

    python docs/generate.py

A table stands between `<!-- table NAME -->` and `<!-- end -->`. The tests say when one is out of date.
"""

from __future__ import annotations

import ast
import enum
import inspect
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import typing
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
PICTURE = DOCS / "images" / "error.svg"
TABLE = re.compile(r"(<!-- table (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


# ---- tables


def _rows(head: str, rows: list[tuple[str, ...]]) -> str:
    columns = head.count("|") + 1
    return f"| {head} |\n" + "|---" * columns + "|\n" + "".join("| " + " | ".join(one) + " |\n" for one in rows)


def codes() -> str:
    from oxidepy.diagnostics.codes import CODES, PAGES

    known = [one for one in CODES.values() if (PAGES / f"{one.code}.md").is_file()]
    rows = [(f"[{one.code}](../oxidepy/diagnostics/pages/{one.code}.md)", one.title, one.severity) for one in known]
    return _rows("code | meaning | severity", rows)


def environment() -> str:
    from oxidepy.settings.env import docs_table

    return docs_table()


def keys() -> str:
    from oxidepy.settings.config import docs_table

    return docs_table()


def codegen() -> str:
    from oxidepy.settings.options import docs_table

    return docs_table()


def commands() -> str:
    from oxidepy.cli.commands import COMMANDS

    return _rows("command | what it does", [(f"`oxidepy {name}`", one.help) for name, one in COMMANDS.items()])


def options() -> str:
    """The arguments and options of every command, read from their functions."""
    from oxidepy.cli.commands import COMMANDS

    parts: list[str] = []
    for name, command in COMMANDS.items():
        function = getattr(import_module(command.module), command.function)
        hints = typing.get_type_hints(function, include_extras=True)
        rows = [row for one in inspect.signature(function).parameters if (row := _option(one, hints[one])) is not None]
        if rows:
            parts.append(f"**oxidepy {name}**\n\n" + _rows("argument | meaning", rows))
    return "\n".join(parts)


def _option(name: str, hint: object) -> tuple[str, str] | None:
    inner = next((one for one in typing.get_args(hint) if hasattr(one, "__metadata__")), None)  # Python 3.10 makes `= None` a Union
    for info in getattr(inner or hint, "__metadata__", ()):
        if type(info).__name__ not in ("OptionInfo", "ArgumentInfo"):
            continue
        first = (info.default,) if isinstance(info.default, str) and info.default.startswith("--") else ()  # where typer finds it too
        own = f"--{name.replace('_', '-')}" if type(info).__name__ == "OptionInfo" else ""
        spelled = ", ".join((*first, *(info.param_decls or ()))) or own
        kind = typing.get_args(inner or hint)[0]
        values = info.metavar or ("|".join(one.value for one in kind) if isinstance(kind, enum.EnumMeta) else "")
        shown = f"{spelled} {values}".strip().replace("|", "\\|")
        return f"`{shown or name.upper()}`", (info.help or "").replace("|", "\\|")
    return None


def _intrinsics(alone: bool) -> list[tuple[str, ...]]:
    """The operations of one thread alone, or those that threads do together."""
    from oxidepy.ir.intrinsics.table import ROWS

    shown: dict[str, str] = {}
    for row in ROWS.values():
        # those of the hardware layer are named by parts, in tables of their own
        if row.assembly is None and not row.name.startswith("thread.global_id") and (row.convergence == "none") == alone:
            name = re.sub(r"\.[xyz]$", ".x` `.y` `.z", row.name)
            call = "" if row.property else f"({', '.join(row.names)})"
            shown.setdefault(name + call, re.sub(r", along .", ", along an axis", row.doc))
    return [(f"`{name}`", doc) for name, doc in shown.items()]


def coordinates() -> str:
    return _rows("name | value", _intrinsics(alone=True))


def together() -> str:
    return _rows("operation | does", _intrinsics(alone=False))


_COUNTED = (  # a size in a name that the next row has too → what stands for it
    (re.compile(r"(wgmma\.(?:sparse\.)?m64n)\d+(k)"), r"\g<1>N\2"),
    (re.compile(r"(tcgen05\.(?:ld|st)_\w+?_x)\d+"), r"\g<1>N"),
)


def instructions() -> str:
    """What a kernel writes for the rows that are an instruction each: those that differ in a size alone in one line."""
    from oxidepy.ir.intrinsics import ROWS
    from oxidepy.ir.intrinsics.form import Form, forms

    shown: dict[str, list[Form]] = {}
    for part in sorted({name.partition(".")[0] for name, row in ROWS.items() if row.assembly is not None}):
        for form in forms(part).values():
            if ROWS[form.rows[0]].assembly is not None:
                name = form.name
                for pattern, general in _COUNTED:
                    name = pattern.sub(general, name)
                shown.setdefault(name, []).append(form)
    out: list[tuple[str, ...]] = []
    for name, several in sorted(shown.items()):
        form = several[0]
        doc = re.sub(r"( by \w+ \d+×)\d+|\b\d+(?= × \d)", r"\1N", form.doc) if len(several) > 1 else form.doc
        rows = [ROWS[one] for one in form.rows]
        first = min(rows, key=lambda row: row.minimum_arch)
        since = first.assembly.arches[0] if first.assembly and first.assembly.arches else f"sm_{first.minimum_arch}"
        devices = (("interp", any(row.reference for row in rows)), ("cpu", any(row.cpu for row in rows)))
        others = "".join(f" `{one}`" for one, there in devices if there)
        out.append((f"`{name}({_taken(form.parameters)})`", doc, f"{since}{others}"))
    return _rows("instruction | does | from, and on", out)


def _taken(parameters: str) -> str:
    """Parameters without their types, and with the defaults that are values."""
    found = ast.parse(f"def one({parameters}): ...").body[0]
    assert isinstance(found, ast.FunctionDef)
    given = found.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *([given.vararg] if given.vararg else [])):
        one.annotation = None
    return ast.unparse(given).replace(", /", "").replace("=...", "=…")


def functions() -> str:
    """The maths functions that kernels have now, from the tables of the frontend."""
    import oxidepy.frontend.lower  # noqa: F401 - the modules that it imports fill the table of calls
    from oxidepy.frontend.dispatch import CALLS
    from oxidepy.frontend.maths import FUNCTIONS, written
    from oxidepy.ir.types import F32
    from oxidepy.lang import bits, convert, math

    rows: list[tuple[str, ...]] = []
    for module, space in ((math, "math"), (bits, "bits"), (convert, "convert")):
        for name in sorted(one for one in CALLS if one.startswith(f"{space}.") and not one.startswith("math.fast.")):
            if space == "math" and name[5:] in FUNCTIONS and written(name[5:], F32) is None:
                continue  # refused where it is called
            if name[-3:] in ("_rz", "_rd", "_ru"):
                continue  # beside the one to nearest
            doc = (getattr(module, name.partition(".")[2]).__doc__ or "").strip().splitlines()[0]
            shown = f"`{name}`"
            if name.endswith("_rn"):
                shown, doc = f"{shown} `_rz` `_rd` `_ru`", f"{doc.partition(', rounded')[0]}, rounded to nearest, towards zero, down, up."
            rows.append((shown, doc.replace("|", "\\|")))
    builtin = sorted(one.partition(".")[2] for one in CALLS if one.startswith("builtins."))
    return f"Python's own: {', '.join(f'`{one}`' for one in builtin)}.\n\n" + _rows("function | value", rows)


def accuracy() -> str:
    """What `benchmarks/ulp.py` measured."""
    found = json.loads((DOCS.parent / "benchmarks" / "results" / "ulp.json").read_text(encoding="utf-8"))["rows"]
    cells = {(one["function"], one["type"]): one for one in found}
    rows: list[tuple[str, ...]] = []
    for name in sorted({one["function"] for one in found}):
        both = [cells[name, type_] for type_ in ("f32", "f64")]
        devices = [one for one in both[0]["devices"] if one in both[1]["devices"]]
        errors = [f"{one['max_ulp']:.2f}" + (" of the wave" if one["wave"] else "") for one in both]
        rows.append((f"`math.{name}`", *errors, ", ".join(f"`{one}`" for one in devices)))
    return _rows("function | `f32`, at most (ULP) | `f64`, at most (ULP) | the same bits on", rows)


def constructs() -> str:
    from oxidepy.frontend.constructs import BUILTINS, CONSTRUCTS, NEWER

    by_text: dict[str, list[str]] = {}
    for name, instead in (*CONSTRUCTS.values(), *NEWER.values()):  # the same on every version of Python
        names = by_text.setdefault(instead, [])
        if name not in names:
            names.append(name)
    for name, instead in BUILTINS.items():
        names = by_text.setdefault(instead, [])
        if f"`{name}`" not in names:
            names.append(f"`{name}`")
    return _rows("not in kernels | write instead", [(", ".join(names), instead.replace("|", "\\|")) for instead, names in by_text.items()])


def archs() -> str:
    from oxidepy.backend.targets import ARCHES

    return ", ".join(f"`{one}`" for one in ARCHES) + "\n"


def examples() -> str:
    paths = sorted((DOCS.parent / "examples").glob("*.py"))
    docs = [ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in paths]
    return _rows("program in `examples/` | shows", [(f"`{path.name}`", doc) for path, doc in zip(paths, docs, strict=True)])


IR_OF = """\
from oxidepy import DisjointSlice, Slice, f32, kernel, thread


@kernel
def double(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 2.0 * x[idx]
"""


def ir() -> str:
    """A kernel and its IR with the proven checks gone."""
    from oxidepy.compiler.ahead import specialisations
    from oxidepy.compiler.driver import check_kernel
    from oxidepy.ir.printer import print_module
    from oxidepy.settings.options import CodegenOptions

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "main.py")
        path.write_text(IR_OF, encoding="utf-8")
        names: dict[str, typing.Any] = {"__name__": "main"}
        exec(compile(IR_OF, str(path), "exec"), names)
        definition = names["double"].definition
        (specialisation,) = specialisations(definition)
        text = print_module(check_kernel(definition, specialisation, CodegenOptions()).module)
    return f"```python\n{IR_OF}```\n\nbecomes\n\n```text\n{text.strip()}\n```\n"


TABLES: dict[str, Callable[[], str]] = {
    "codes": codes,
    "environment": environment,
    "keys": keys,
    "codegen": codegen,
    "commands": commands,
    "options": options,
    "coordinates": coordinates,
    "together": together,
    "functions": functions,
    "accuracy": accuracy,
    "constructs": constructs,
    "archs": archs,
    "examples": examples,
    "instructions": instructions,
    "ir": ir,
}


def filled(text: str) -> str:
    """The text of a page with every table as it is now."""
    return TABLE.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n{found[4]}", text)


def pages() -> list[Path]:
    return [README, *sorted(DOCS.rglob("*.md"))]


# ---- the picture of an error

WRONG = """\
from oxidepy import DisjointSlice, Slice, f32, i32, kernel, thread


@kernel
def scale(x: Slice[f32], n: i32, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] / n


@kernel
def clear(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    y[idx] = 0.0
"""


def said() -> str:
    """What `oxidepy check` says to the wrong kernels of the picture, in colours."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "scale.py").write_text(WRONG, encoding="utf-8")
        command = [sys.executable, "-m", "oxidepy", "--color", "always", "-q", "check", "scale.py"]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120)
    if done.returncode != 1:
        raise RuntimeError(f"the wrong kernels of the picture: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr.rstrip() + "\n"


def picture() -> str:
    """The SVG that shows it."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text("$ oxidepy check scale.py", style="dim"))
    console.print(Text.from_ansi(said()))
    svg = console.export_svg(title="oxidepy", unique_id="error")
    svg = re.sub(r"\s*@font-face \{.*?\}\n", "\n", svg, flags=re.DOTALL)  # fetched from elsewhere
    return svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")


def main() -> int:
    for path in pages():
        text = path.read_text(encoding="utf-8")
        now = filled(text)
        if now != text:
            path.write_text(now, encoding="utf-8")
            print(f"wrote {path.relative_to(DOCS.parent)}")
    PICTURE.write_text(picture(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
