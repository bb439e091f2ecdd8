"""Python itself, NumPy, and what a kernel needs of them: its source, and a quick start."""

from __future__ import annotations

import platform
import struct
import sys
import sysconfig
from importlib import metadata
from typing import Any

from oxidepy.doctor.child import ChildEnded
from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Finding

OLDEST, NEWEST_TESTED = (3, 10), (3, 14)
OLDEST_NUMPY = (1, 26)
SLOW_IMPORT_MS = 150.0
REQUIRED = ("typer", "rich", "numpy", "llvmlite", "jinja2", "platformdirs", "filelock")


def pip(what: str) -> str:
    """The command that installs or updates a package for the Python that runs."""
    return f'"{sys.executable}" -m pip install --upgrade "{what}"'


def reinstall(what: str) -> str:
    return f'"{sys.executable}" -m pip install --force-reinstall "{what}"'


def interpreter(examination: Examination) -> Finding:
    version = tuple(sys.version_info[:2])
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    bits = struct.calcsize("P") * 8
    evidence = {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "bits": bits,
        "free_threaded": free_threaded,
        "executable": sys.executable,
        "machine": platform.machine(),
    }
    name = f"{evidence['implementation']} {evidence['version']}"
    if version < OLDEST:
        return Finding("error", f"{name} is too old: oxidepy needs Python 3.10 or newer", evidence, "uv venv --python 3.13")
    if bits != 64:
        message = f"{name} is a {bits}-bit build: LLVM and the CUDA driver are 64 bit only"
        return Finding("error", message, evidence, "uv venv --python 3.13")
    if evidence["implementation"] != "CPython":
        return Finding("warn", f"{name} is not CPython, for which oxidepy is made and tested", evidence, "uv venv --python cpython-3.13")
    if free_threaded:
        return Finding("warn", f"{name} is a free-threaded build, on which oxidepy is not tested", evidence, "uv venv --python 3.13")
    if version > NEWEST_TESTED:
        return Finding("info", f"{name} is newer than the newest Python that this oxidepy was tested with, 3.{NEWEST_TESTED[1]}", evidence)
    return Finding("ok", f"{name}, {bits} bit", evidence)


def packages(examination: Examination) -> Finding:
    versions: dict[str, str | None] = {}
    for name in (*REQUIRED, *(("tomli",) if sys.version_info < (3, 11) else ())):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        quoted = '" "'.join(missing)
        return Finding("error", f"{', '.join(missing)} {verb} not installed", versions, pip(quoted))
    return Finding("ok", f"all {len(versions)} packages that oxidepy needs are installed", versions)


def numpy(examination: Examination) -> Finding:
    try:
        facts: dict[str, Any] = examination.child("numbers").fact("numpy")
    except ChildEnded as ended:
        evidence = {"kind": ended.kind, "output": ended.text, "status": ended.status}
        if ended.kind == "hung":
            return Finding("error", f"NumPy does not finish loading: {ended.text}", evidence, pip("numpy"))
        return Finding("error", f"NumPy does not load: {_last_line(ended)}", evidence, reinstall("numpy"))
    if version_pair(facts["version"]) < OLDEST_NUMPY:
        return Finding("error", f"NumPy {facts['version']} is too old: oxidepy needs 1.26 or newer", facts, pip("numpy>=1.26"))
    if not facts["bytes_agree"]:
        return Finding("error", "NumPy's arrays do not lie in memory as its own interface says", facts, pip("numpy"))
    return Finding("ok", f"NumPy {facts['version']}", facts)


def import_time(examination: Examination) -> Finding:
    try:
        facts: dict[str, Any] = examination.child("imports").fact("import")
    except ChildEnded as ended:
        evidence = {"kind": ended.kind, "output": ended.text}
        return Finding("error", f"`import oxidepy` does not work in a fresh process: {_last_line(ended)}", evidence, pip("oxidepy"))
    spent = f"{facts['milliseconds']:.0f} ms"
    if facts["heavy"]:
        message = f"`import oxidepy` loads {', '.join(facts['heavy'])}, which should wait until it is needed"
        return Finding("warn", message, facts, pip("oxidepy"))
    if facts["milliseconds"] > SLOW_IMPORT_MS:
        command = f'"{sys.executable}" -X importtime -c "import oxidepy"'
        message = f"`import oxidepy` takes {spent}, more than {SLOW_IMPORT_MS:.0f} ms: a slow disk, or modules compiled anew"
        return Finding("warn", message, facts, command)
    return Finding("ok", f"`import oxidepy` takes {spent}", facts)


def source(examination: Examination) -> Finding:
    """Kernels are compiled from their source text, so `inspect` must find it."""
    import ast
    import inspect

    from oxidepy.doctor import redact

    function = redact.redact
    evidence: dict[str, Any] = {"file": function.__code__.co_filename, "function": function.__name__}
    fix = reinstall("oxidepy")
    try:
        text = inspect.getsource(function)
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError) as error:
        evidence["error"] = f"{type(error).__name__}: {error}"
        return Finding("error", "Python does not find the source of a function, from which kernels are compiled", evidence, fix)
    named = tree.body[0] if tree.body else None
    if not isinstance(named, ast.FunctionDef) or named.name != function.__name__:
        return Finding("error", "Python finds other text than the source of a function: files and compiled modules differ", evidence, fix)
    return Finding("ok", "Python finds the source of functions", evidence)


def version_pair(text: str) -> tuple[int, int]:
    """The first two numbers of a version; 0 where there is none."""
    import re

    major, minor, *_ = (*(int(one) for one in re.findall(r"\d+", text)[:2]), 0, 0)
    return major, minor


def _last_line(ended: ChildEnded) -> str:
    return (ended.text.splitlines() or [f"the process ended with status {ended.status}"])[-1]
