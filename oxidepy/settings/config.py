"""`[tool.oxidepy]` of pyproject.toml: found by walking up from a file, read strictly. Unknown keys and wrong types are errors."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from oxidepy.settings import values
from oxidepy.settings.errors import SettingsError

IGNORABLE = re.compile(r"OX9\d{3}")


@dataclass(frozen=True, slots=True)
class Config:
    """What the file says; None (or empty) where it says nothing. `path` is the pyproject.toml, `root` the project's folder."""

    entry: str | None = None
    arch: tuple[str, ...] = ()
    device: str | None = None
    fmad: bool | None = None
    lineinfo: bool | None = None
    proof_limit: int | None = None
    ignore: tuple[str, ...] = ()
    cache_size: int | None = None
    path: Path | None = None
    root: Path | None = None

    @property
    def entry_path(self) -> Path | None:
        return self.root / self.entry if self.root is not None and self.entry is not None else None


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the table: its name, the field of Config, the reader (ValueError says what the value is not), its meaning."""

    name: str
    field: str
    read: Callable[[Any], Any]
    form: str
    meaning: str


def _text(parse: Callable[[str], Any], form: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or not value:
            raise ValueError(form)
        return parse(value)

    return read


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _archs(value: Any) -> tuple[str, ...]:
    given = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not given or not all(isinstance(one, str) for one in given):
        raise ValueError(values.ARCH_FORM + ", or a list of them")
    return tuple(dict.fromkeys(values.parse_arch(one) for one in given))


def _limit(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("a positive integer")
    return value


def _size(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str):
        return values.parse_size(value)
    raise ValueError(values.SIZE_FORM)


def _codes(value: Any) -> tuple[str, ...]:
    form = 'a list of warnings such as ["OX9001"]; errors cannot be silenced'
    if not isinstance(value, list):
        raise ValueError(form)
    given = cast("list[Any]", value)
    if not all(isinstance(one, str) and IGNORABLE.fullmatch(one) for one in given):
        raise ValueError(form)
    return tuple(given)


TOML = "tomllib" if sys.version_info >= (3, 11) else "tomli"
KEYS: dict[str, Key] = {
    one.name: one
    for one in (
        Key("entry", "entry", _text(str, "a path as a string"), "path", "what `run`, `build` and `check` take where no file is named"),
        Key("arch", "arch", _archs, "string or list", "the GPU architectures to compile for"),
        Key("device", "device", _text(values.parse_device, values.DEVICE_FORM), "string", "the device of `Context()`"),
        Key("fmad", "fmad", _truth, "true or false", "fuse `a * b + c` (default true)"),
        Key("lineinfo", "lineinfo", _truth, "true or false", "keep source lines in the code (default true)"),
        Key("proof-limit", "proof_limit", _limit, "integer", "the prover's resource limit for one question"),
        Key("ignore", "ignore", _codes, "list", "warnings that are not shown"),
        Key("cache-size", "cache_size", _size, "size", "how large the cache may grow, such as `512M`; 0 switches it off"),
    )
}


def docs_table() -> str:
    """The Markdown table of the documentation."""
    head = "| key | value | meaning |\n|---|---|---|\n"
    return head + "".join(f"| `{one.name}` | {one.form} | {one.meaning} |\n" for one in KEYS.values())


def find_config(start: Path) -> Config:
    """The configuration that holds for `start` (a file or folder): that of the nearest pyproject.toml above with a `[tool.oxidepy]` table.

    Without such a table the defaults, with `root` the folder of the nearest pyproject.toml. SettingsError OX8002 on a fault in the table.
    """
    place = start.absolute()
    nearest: Path | None = None
    for folder in (place, *place.parents):
        path = folder / "pyproject.toml"
        try:
            stamp = path.stat().st_mtime_ns
        except (OSError, ValueError):
            continue  # no such file here, or none that we may see: look further up
        config = _read(path, stamp)
        if config is not None:
            return config
        nearest = nearest or folder
    return Config(root=nearest)


@functools.lru_cache(maxsize=64)
def _read(path: Path, stamp: int) -> Config | None:
    """None where the file has no table of ours. `stamp`, the time of the last change, makes an edited file another question."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError("OX8002", f"this file cannot be read: {error}", file=str(path)) from None
    document = _parse(text, path)
    tool: Any = document.get("tool", {})
    table: Any = cast("dict[str, Any]", tool).get("oxidepy") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise SettingsError("OX8002", "tool.oxidepy is no table", **_place(text, "oxidepy", path))
    return _from_table(cast("dict[str, Any]", table), text, path)


def _from_table(table: dict[str, Any], text: str, path: Path) -> Config:
    read: dict[str, Any] = {}
    for name, value in table.items():
        key = KEYS.get(name)
        if key is None:
            from difflib import get_close_matches

            close = get_close_matches(name, KEYS, n=1)
            help = f"did you mean {close[0]!r}?" if close else "the keys are " + ", ".join(KEYS)
            raise SettingsError("OX8002", f"[tool.oxidepy] has no key {name!r}", help=help, **_place(text, name, path))
        try:
            read[key.field] = key.read(value)
        except ValueError as error:
            raise SettingsError("OX8002", f"{name} is {value!r}, which is not {error}", **_place(text, name, path)) from None
    return Config(**read, path=path, root=path.parent)


def _parse(text: str, path: Path) -> dict[str, Any]:
    toml: Any = import_module(TOML)
    try:
        document: dict[str, Any] = toml.loads(text)
    except toml.TOMLDecodeError as error:
        found = re.search(r"at line (\d+), column (\d+)", str(error))
        line, column = (int(found[1]), int(found[2])) if found else (1, 1)
        message = "this file is not TOML: " + re.sub(r" \(at .*\)$", "", str(error))
        raise SettingsError("OX8002", message, file=str(path), line=line, column=column) from None
    return document


def _place(text: str, name: str, path: Path) -> dict[str, Any]:
    """Where the key stands: the parser keeps no lines, so the first line after the table's head that begins with the key."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        inside = inside or "oxidepy" in line
        found = re.search(rf"""(?<![\w-])["']?{re.escape(name)}["']?(?=\s*=)""", line)
        if inside and found:
            return {"file": str(path), "line": number, "column": found.start() + 1, "width": found.end() - found.start()}
    return {"file": str(path)}


@dataclass(frozen=True, slots=True)
class Flags:
    """What the command line said; None (or empty) where it said nothing."""

    device: str | None = None
    arch: tuple[str, ...] = ()
    fmad: bool | None = None
    lineinfo: bool | None = None
    unchecked_indexing: bool = False
    no_assert: bool = False
    device_debug: bool = False
    config: Config | None = field(default=None)  # of the entry file; None: found from the program or the working directory
