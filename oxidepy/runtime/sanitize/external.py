"""NVIDIA's compute-sanitizer, run over a program, and what it prints as findings of ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from oxidepy.diagnostics import Diagnostic, Label, LaunchError, Span
from oxidepy.diagnostics.sources import line_of

COMMAND = "compute-sanitizer"
PLACES = ("$CUDA_HOME", "$CUDA_PATH", "/usr/local/cuda")
FINDINGS = 86
SEARCHED = 500  # folders below that of the program, for the files of a report
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
TOLD = 12  # lines of a report that is not understood
_MARK = "========= "
# as newer releases name a place, and as those before 12.3 do
_PLACES = (
    re.compile(r"\bat (?P<kernel>[\w$.]+)(?:\(.*?\))?\+0x[0-9a-f]+(?: in (?P<file>.+?):(?P<line>\d+))?(?: \[|$)"),
    re.compile(r"\bat 0x[0-9a-f]+ in (?:(?P<file>.+?):(?P<line>\d+):)?(?P<kernel>[\w$.]+)(?:\(.*?\))?(?: \[|$)"),
)
_CALLER = re.compile(r"Host Frame: .+ in (?P<file>[^/\\]+\.py):(?P<line>\d+)$")
_ASIDE = re.compile(r"^COMPUTE-SANITIZER$| SUMMARY: |^Target application returned an error")
_THREAD = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_TITLES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"Invalid __(?P<space>\w+)__ (?P<what>read|write|atomic)"), "OX7001", "{what} outside of {space} memory"),
    (re.compile(r"Uninitialized __(?P<space>\w+)__ memory read"), "OX7005", "{space} memory is read where nothing was written"),
    (
        re.compile(r"(?:Error|Warning): (?:Potential )?(?P<what>RAW|WAR|WAW) hazard"),
        "OX4001",
        "{what} hazard: two threads race in shared memory",
    ),
    (re.compile(r"(?:Error|Warning): Race reported between"), "OX4001", "two threads race in shared memory"),
    (re.compile(r"Barrier error detected\. (?P<what>.+?)\.?$"), "OX3001", "barrier: {what}"),
    (
        re.compile(r"Program hit (?P<what>\w+) .*on CUDA API call to (?P<call>\w+)"),
        "OX7008",
        "the CUDA driver refused `{call}`: {what}",
    ),
    (re.compile(r"Leaked (?P<what>[\d,]+) bytes"), "OX7007", "{what} bytes of device memory are still held after the program"),
)


@dataclass(frozen=True)
class Outcome:
    """What a run under the tool gave: findings, the program's own output with the tool's lines taken out, and its exit code."""

    found: list[Diagnostic]
    output: str
    code: int


def locate() -> str:
    """The tool's path. LaunchError OX8013 if it is not there."""
    found = shutil.which(COMMAND)
    if found is None:
        for place in PLACES:
            path = os.path.join(os.path.expandvars(place), "bin", COMMAND)
            if os.access(path, os.X_OK):
                return path
        raise LaunchError(
            Diagnostic(
                "OX8013",
                f"{COMMAND} is not installed, and a CUDA device is looked at with it",
                help="install the CUDA toolkit (its package cuda-sanitizer is enough), its bin folder in PATH, or use `--device interp`",
            )
        )
    return found


def command(tool: str, leaks: bool, program: Sequence[str]) -> list[str]:
    """The command line that runs a program under one tool."""
    chosen = [locate(), "--tool", tool, "--error-exitcode", str(FINDINGS), "--print-limit", "1000"]
    return [*chosen, *(["--leak-check", "full"] if leaks else []), sys.executable, "-m", "oxidepy", "run", *program]


def examine(tool: str, program: Sequence[str], *, leaks: bool = False, timeout: float | None = None) -> Outcome:
    """Run `oxidepy run` with these arguments under the tool. subprocess.TimeoutExpired after `timeout` seconds."""
    done = subprocess.run(
        command(tool, leaks, program),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
    )
    found, output = parse(done.stdout, os.path.abspath(program[0]))
    if done.returncode == FINDINGS and not found:
        found = [_unknown(done.stdout)]
    return Outcome(found, output, done.returncode)


def parse(text: str, program: str = "") -> tuple[list[Diagnostic], str]:
    """Findings in what the tool printed, each once, and the lines that are not the tool's.

    Files that it names without a folder are `program`, or stand beside or below it.
    """
    own: list[str] = []
    reports: list[list[str]] = []
    for line in text.splitlines(keepends=True):
        if not line.startswith(_MARK.rstrip()):
            own.append(line)
            continue
        said = line[len(_MARK) :].rstrip()
        if any(pattern.search(said) for pattern, _, _ in _TITLES):
            reports.append([said])
        elif reports and said and (line[len(_MARK) : len(_MARK) + 1] == " "):
            reports[-1].append(said.strip())
    found: dict[tuple[object, ...], tuple[Diagnostic, int]] = {}
    for report in reports:
        one = _finding(report, program)
        key = (one.code, one.message, one.span)
        found[key] = (found[key][0], found[key][1] + 1) if key in found else (one, 1)
    told = [one if count == 1 else one.with_note(f"and {count - 1} more time{'s' if count > 2 else ''}") for one, count in found.values()]
    return told, "".join(own)


def _finding(report: list[str], program: str) -> Diagnostic:
    code, message = next(
        (code, text.format(**{name: value.lower() if name == "space" else value for name, value in found.groupdict().items()}))
        for pattern, code, text in _TITLES
        if (found := pattern.search(report[0]))
    )
    places = [found for line in report for pattern in _PLACES for found in pattern.finditer(line)]
    thread = next((found for line in report for found in _THREAD.finditer(line)), None)
    notes: list[str] = []
    if thread is not None:
        x, y, z, bx, by, bz = thread.groups()
        notes.append(f"thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz})")
    if places:
        notes.append(f"in the kernel `{places[0]['kernel']}`")
    notes += [line for line in report[1:] if line.startswith(("Address", "Access to", "and is", "Current Value"))]
    if not places:  # a call of the host: the innermost of its callers that stands in the program
        callers = [found for line in report for found in _CALLER.finditer(line)]
        places = [found for found in callers if found["file"] == os.path.basename(program)][:1]
    spans = list(dict.fromkeys(_span(_whole(found["file"], program), int(found["line"])) for found in places if found["file"]))
    labels = tuple(Label(one, "one of them is here") for one in spans[:-1])
    return Diagnostic(code, message, spans[-1] if spans else None, labels=labels, notes=tuple(notes))


def _unknown(text: str) -> Diagnostic:
    """What the tool calls an error in words that none of ours are for."""
    said = [line[len(_MARK) :].rstrip() for line in text.splitlines() if line.startswith(_MARK)]
    told = [line for line in said if line.strip() and "Host Frame" not in line and not _ASIDE.search(line)]
    return Diagnostic("OX7008", f"{COMMAND} reports an error", notes=tuple(told[:TOLD]))


def _whole(file: str, program: str) -> str:
    if os.path.dirname(file) or not program:
        return file
    found = [os.path.join(folder, file) for folder, _, files in islice(os.walk(os.path.dirname(program)), SEARCHED) if file in files]
    return found[0] if found and (len(found) == 1 or os.path.dirname(found[0]) == os.path.dirname(program)) else file


def _span(file: str, line: int) -> Span:
    text = line_of(file, line) or ""
    start = len(text) - len(text.lstrip()) + 1
    return Span(file, line, start, line, max(len(text.rstrip()) + 1, start + 1))
