"""Settings: the environment variables of oxidepy, and `[tool.oxidepy]` of the project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from oxidepy.diagnostics.names import suggest
from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Finding
from oxidepy.settings import env
from oxidepy.settings.config import KEYS, find_config
from oxidepy.settings.errors import SettingsError


def variables(examination: Examination) -> Finding:
    given = {name: value for name, value in sorted(os.environ.items()) if name.startswith("OXIDEPY_") and value}
    for name in given:
        variable = env.VARIABLES.get(name)
        if variable is None:
            close = suggest(name, env.VARIABLES)
            message = f"{name} is no environment variable of oxidepy" + (f"; did you mean {close}?" if close else "")
            return Finding("warn", message, given, _unset(name))
        try:
            variable.get()
        except SettingsError as error:
            return Finding("error", error.message, given, _unset(name))
    if not given:
        return Finding("ok", "no OXIDEPY_ variable is set", given)
    return Finding("ok", f"{', '.join(given)}: well formed", given)


def project_file(examination: Examination) -> Finding:
    try:
        config = find_config(examination.place or Path.cwd())
    except FileNotFoundError:
        return Finding("error", "the working directory does not exist any more", {}, "cd ~")
    except SettingsError as error:
        place = f"{error.file}:{error.line}:{error.column}"
        evidence: dict[str, Any] = {"place": place, "code": error.code, "help": error.help}
        return Finding("error", f"{place}: {error.message}", evidence, f"oxidepy explain {error.code}")
    if config.path is None:
        where = "this pyproject.toml has no [tool.oxidepy] table" if config.root else "no pyproject.toml here or above"
        return Finding("ok", f"{where}: defaults hold", {"root": config.root and str(config.root)})
    said = {name: getattr(config, key.field) for name, key in KEYS.items() if getattr(config, key.field) not in (None, ())}
    evidence = {"path": str(config.path), **said}
    entry = config.entry_path
    if entry is not None and not entry.is_file():
        message = f"entry is {config.entry!r}, and there is no such file"
        return Finding("error", message, evidence, f"mkdir -p {entry.parent} && touch {entry}")
    return Finding("ok", f"{config.path}: well formed", evidence)


def _unset(name: str) -> str:
    return f"set {name}=" if os.name == "nt" else f"unset {name}"
