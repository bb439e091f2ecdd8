"""Many kernels at once: what the cache has comes first, few misses are compiled here, many in worker processes.

LLVM works under one lock, so only processes compile side by side; starting one costs some 100 ms, which pays when there is enough to do.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Any

from oxidepy.backend.artefact import Artefact
from oxidepy.compiler import driver
from oxidepy.diagnostics import CompileError, DeviceError, Diagnostic
from oxidepy.ir.core import Module
from oxidepy.ir.printer import print_module
from oxidepy.lang.definition import KernelDef, Specialisation
from oxidepy.settings.options import CodegenOptions

if TYPE_CHECKING:
    from oxidepy.backend.targets import Target
    from oxidepy.cache import Cache

WORKERS_FROM = 9  # misses
# Not by `-m`: that would look for Python's own modules in the working directory first, where a json.py may lie.
_WORKER = f"""
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
sys.path.append({os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))!r})
from oxidepy.compiler.batch import work
work(sys.stdin, sys.stdout)
"""


@dataclass(frozen=True)
class Job:
    """One kernel, specialised, for one target."""

    definition: KernelDef
    specialisation: Specialisation
    target: Target


@dataclass(frozen=True)
class Built:
    """A job that is done. `milliseconds`: for a hit, frontend and look-up; for a miss, code generation too."""

    job: Job
    artefact: Artefact
    module: Module
    diagnostics: tuple[Diagnostic, ...]
    cached: bool
    milliseconds: float


@dataclass(frozen=True)
class Refused:
    """A job whose kernel has errors; its neighbours are built all the same."""

    job: Job
    diagnostics: tuple[Diagnostic, ...]


@dataclass
class _Miss:
    job: Job
    checked: driver.Checked
    options: CodegenOptions
    key: str
    milliseconds: float


def build(
    jobs: Sequence[Job], options: CodegenOptions, cache: Cache | None, done: Callable[[Built], None] = lambda _: None
) -> list[Built | Refused]:
    """Compile every job; the results are in the order of the jobs. `done` is called as each finishes."""
    results: dict[int, Built | Refused] = {}
    misses: dict[int, _Miss] = {}
    for number, job in enumerate(jobs):
        try:
            found = _look_up(job, options, cache)
        except CompileError as error:
            results[number] = Refused(job, error.diagnostics)
            continue
        if isinstance(found, _Miss):
            misses[number] = found
        else:
            results[number] = found
            done(found)
    for number, artefact, spent in _compile(misses):
        miss = misses[number]
        if cache is not None:
            cache.put(miss.key, artefact.metadata(), artefact.code)
        built = Built(miss.job, artefact, miss.checked.module, miss.checked.diagnostics, False, miss.milliseconds + spent)
        results[number] = built
        done(built)
    return [results[number] for number in range(len(jobs))]


def _look_up(job: Job, options: CodegenOptions, cache: Cache | None) -> Built | _Miss:
    start = time.perf_counter()
    effective = driver.effective_options(job.definition, options)
    checked = driver.check_kernel(job.definition, job.specialisation, effective, cache=cache)
    key = driver.cache_key(checked.module, job.target, effective)
    artefact = driver.stored(cache, key, checked.module) if cache is not None else None
    spent = (time.perf_counter() - start) * 1e3
    if artefact is None:
        return _Miss(job, checked, effective, key, spent)
    return Built(job, artefact, checked.module, checked.diagnostics, True, spent)


def _compile(misses: dict[int, _Miss]) -> Iterable[tuple[int, Artefact, float]]:
    if len(misses) < WORKERS_FROM:
        for number, miss in misses.items():
            start = time.perf_counter()
            artefact = driver.generate(miss.checked.module, miss.job.target, miss.options)
            yield number, artefact, (time.perf_counter() - start) * 1e3
        return
    count = min(os.cpu_count() or 1, len(misses))
    shares = [list(misses.items())[first::count] for first in range(count)]
    with ThreadPoolExecutor(count) as pool:
        for part in pool.map(_in_worker, shares):
            yield from part


def _in_worker(share: Sequence[tuple[int, _Miss]]) -> list[tuple[int, Artefact, float]]:
    """Send IR text to a process of our own and read code back; nothing but JSON passes."""
    lines = [
        json.dumps(
            {"ir": print_module(miss.checked.module, spans=True), "target": asdict(miss.job.target), "options": miss.options.to_json()}
        )
        for _, miss in share
    ]
    done = subprocess.run(
        [sys.executable, "-c", _WORKER],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(answers) != len(share):
        raise DeviceError(
            Diagnostic(
                "OX8012",
                f"a compiling process ended with code {done.returncode}",
                notes=tuple(done.stderr.splitlines()[-3:]),
                help="run the command again; `oxidepy doctor` tests the compiler",
            )
        )
    out: list[tuple[int, Artefact, float]] = []
    for (number, _), answer in zip(share, answers, strict=True):
        out.append((number, Artefact.restore(answer["metadata"], base64.b64decode(answer["code"])), float(answer["milliseconds"])))
    return out


def work(requests: IO[str], answers: IO[str]) -> None:
    """What a worker does: a line of JSON in, a line of JSON out, until the input ends."""
    from oxidepy.backend.targets import Target
    from oxidepy.ir.parser import parse_module

    for line in requests:
        request: dict[str, Any] = json.loads(line)
        module = parse_module(request["ir"])
        sent = request["target"]
        isa, newest = (tuple(sent[one]) if sent[one] else None for one in ("isa", "newest"))
        target = Target(sent["kind"], sent["arch"], isa, sent["features"], sent["layout"], newest)
        options = CodegenOptions.from_json(request["options"])
        start = time.perf_counter()
        artefact = driver.generate(module, target, options)
        spent = (time.perf_counter() - start) * 1e3
        answers.write(
            json.dumps({"metadata": artefact.metadata(), "code": base64.b64encode(artefact.code).decode(), "milliseconds": spent}) + "\n"
        )
        answers.flush()
