"""Write what type checkers and editors see of the rows of the table of intrinsics: oxidepy/lang/table/*.pyi.

    python scripts/stubs.py

From the table come all names that a kernel writes for its rows: the coordinates, barriers, exchanges and votes of `thread`, `block`,
`grid`, `cluster`, `warp` and `shared`, and the functions of `async_copy`, `barrier`, `clc`, `debug`, `mma`, `tcgen05`, `tma` and `wgmma`.
At run time `oxidepy.lang.table` makes the same names of the same forms (`oxidepy.ir.intrinsics.form`).

By hand, in the modules of oxidepy/lang, stands what is no row: types, decorators and statements of the language; makers of memory and of
indices (`shared.array`, `barrier.array`, `thread.index_1d`); operations of the IR itself (`atomic`, `fence`, `volatile`, `bits`,
`convert`); and what is written in the language (`math`, `random`, `block.reduce_sum`, `warp.scan_sum`, `mma.load_a`, `wgmma.tile`).

The tests say when a file is out of date.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

from oxidepy.ir.intrinsics.form import SCOPES, below, forms, members, of_method
from oxidepy.ir.intrinsics.row import Form
from oxidepy.ir.intrinsics.table import PARTS

FOLDER = Path(__file__).resolve().parent.parent / "oxidepy" / "lang" / "table"
HEAD = "# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).\n"
WIDTH = 140
FILES = {"memory": ("SharedRows",), "scopes": tuple(one for one in SCOPES if one != "SharedRows")}  # those that hold classes

# a name that the declarations use → where it comes from
HOMES = {
    **dict.fromkeys(("Any", "Literal", "TypeAlias", "TypeVar"), "typing"),
    "Barriers": "oxidepy.lang.barrier",
    "ThreadIndex": "oxidepy.lang.index",
    **dict.fromkeys(("i8", "i16", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f64"), "oxidepy.lang.scalars"),
    "Coordinates": "oxidepy.lang.scopes",
    **dict.fromkeys(("AnyInt", "ConstantSlice", "Slice", "SliceMut"), "oxidepy.lang.slices"),
    **dict.fromkeys(("Im2colMap", "TensorMap", "TensorMapMut"), "oxidepy.lang.tma"),
}
# a name that they use → what it stands for
ALIASES = {"T": 'T = TypeVar("T")', "Index": "Index: TypeAlias = AnyInt | ThreadIndex[Any] | tuple[AnyInt, ...]"}


def file(name: str) -> str:
    """The text of one file."""
    if name in FILES:
        body = "\n".join(_scope(one) for one in FILES[name])
        public: list[str] = []
    else:
        known = forms(name)
        classes: dict[str, str] = {}
        public = below(known, name)
        body = "".join(_member(known, f"{name}.{one}", classes, "") for one in public)
        body = "\n".join(classes.values()) + "\n" * bool(classes) + body
    aliases = "".join(f"{text}\n" for one, text in ALIASES.items() if one in _used(body))
    listed = "__all__ = [\n" + "".join(f'    "{one}",\n' for one in public) + "]\n" if public else ""
    return f"{HEAD}\n{_imports(aliases + body)}\n{listed}{aliases}\n{body.rstrip()}\n"


def _used(text: str) -> set[str]:
    """The names that declarations use."""
    return {one.id for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _imports(text: str) -> str:
    homes: dict[str, list[str]] = {}
    used = _used(text)
    for name, home in HOMES.items():
        if name in used:
            homes.setdefault(home, []).append(name)
    lines = [f"from {home} import {', '.join(sorted(names, key=lambda one: (not one[0].isupper(), one)))}" for home, names in homes.items()]
    outer = sorted(one for one in lines if " oxidepy." not in one)
    inner = sorted(one for one in lines if " oxidepy." in one)
    return "\n".join([*outer, *([""] if outer and inner else []), *inner]) + "\n"


def _member(known: dict[str, Form], name: str, classes: dict[str, str], indent: str) -> str:
    """A name: a function, or the instance of a class that holds the names behind it. Names that differ in sizes alone share a class."""
    short = name.rpartition(".")[2]
    parts = below(known, name)
    if not parts:
        return _function(known[name], short, indent, method=bool(indent))
    inside = _function(known[name], "__call__", "    ", method=True) if name in known else ""
    inside += "".join(_member(known, f"{name}.{one}", classes, "    ") for one in parts)
    content = re.sub(r"( by \w+ \d+×)\d+", r"\1N", inside)
    for own, text in classes.items():
        if text.partition("\n")[2] == content:
            return f"{indent}{short}: {own}\n"
    own = "_" + re.sub(r"\W", "_", name.partition(".")[2])
    classes[own] = f"class {own}:\n{content}"
    return f"{indent}{short}: {own}\n"


def _scope(name: str) -> str:
    lines: list[str] = []
    triples: set[str] = set()
    for form in members(name):
        short, _, axis = form.name.partition(".")[2].partition(".")
        if not form.property:
            lines.append(_function(form, short, "    ", method=True))
        elif not axis:
            lines.append(f"    {short}: {form.result}\n{_doc(form.doc, '    ')}")
        elif short not in triples:
            triples.add(short)
            lines.append(f"    {short}: Coordinates\n{_doc(form.doc.replace(f', along {axis}', ' along each axis'), '    ')}")
    return f"class {name}:\n{''.join(lines)}"


def _doc(text: str, indent: str) -> str:
    lines = textwrap.wrap(text, WIDTH - len(indent) - 6, break_on_hyphens=False)
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""\n'
    return f'{indent}"""' + f"\n{indent}".join(lines) + '"""\n'


def _function(form: Form, name: str, indent: str, *, method: bool) -> str:
    taken = (of_method(form.parameters) if method else form.parameters).replace("'", '"')
    head = f"{indent}def {name}({taken}) -> {form.result}:"
    if len(head) > WIDTH:
        each = "".join(f"{indent}    {one},\n" for one in _split(taken))
        head = f"{indent}def {name}(\n{each}{indent}) -> {form.result}:"
    return f"{head}\n{_doc(form.doc, indent + '    ')}{indent}    ...\n"


def _split(parameters: str) -> list[str]:
    """At the commas outside of brackets."""
    parts, depth = [""], 0
    for sign in parameters:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [one.strip() for one in parts]


def files() -> dict[Path, str]:
    """Every file with its text."""
    return {FOLDER / f"{name}.pyi": file(name) for name in (*FILES, *PARTS)}


def main() -> int:
    for path, text in files().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(FOLDER.parents[2])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
