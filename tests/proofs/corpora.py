"""The two corpora of kernels for the proofs, and what `oxidepy check` says of each kernel.

`free/` holds race-free kernels, `racy/` twins that are one edit away from one of them, by families: one module a family. A twin is named
after its model, `tree_sum` and `tree_sum_without_barrier`, and the line that clashes carries the expected code, `# <- OX4001`. The families
`loaded_*` hold kernels whose write index comes out of memory. "Race-free" means on every launch that passes the contract and `require`, but
for the family `staked`: there as long as no i32 index wraps, which a proof may stake and the host then tests. Both are counted apart.
"""

from __future__ import annotations

import ast
import json
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oxidepy.lang.definition import KernelDef

ROOT = Path(__file__).resolve().parent
CORPORA = ("free", "racy")
# what a prover may say of a kernel that is not free of races; any other error means that the kernel was never proven at all
RACES = frozenset({"OX4001", "OX4002", "OX4003", "OX3001", "OX3002"})
CONCRETE = RACES - {"OX4003"}
KERNEL_SECONDS = 10.0  # of the processor: a kernel that takes longer is not proven
Findings = tuple[tuple[str, str, tuple[int, ...]], ...]
_MARK = re.compile(r"# <- (OX\d{4})")


@dataclass(frozen=True)
class Kernel:
    """A kernel of a corpus as it stands in the source. `expected`: code and line of a twin's mark."""

    corpus: str
    family: str
    name: str
    line: int
    text: str
    expected: tuple[str, int] | None


@dataclass(frozen=True)
class Verdict:
    """What came of a kernel. `findings`: code, message and lines (primary first) of each error; "fault" where the checker itself failed.

    `staked`: conditions that the host tests at a launch because the proof rests on them.
    """

    corpus: str
    family: str
    name: str
    accepted: bool
    findings: Findings
    milliseconds: float
    staked: tuple[str, ...] = ()

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(code for code, _, _ in self.findings)


def apart(family: str) -> bool:
    """Whether a family does not count for the share that must be proven."""
    return family.startswith("loaded") or family == "staked"


def families(corpus: str) -> list[str]:
    return sorted(file.stem for file in (ROOT / corpus).glob("*.py"))


def kernels(corpus: str, family: str) -> list[Kernel]:
    """The kernels of a family, in the order of their lines."""
    source = (ROOT / corpus / f"{family}.py").read_text(encoding="utf-8")
    lines = source.splitlines()
    found: list[Kernel] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and any(isinstance(one, ast.Name) and one.id == "kernel" for one in node.decorator_list):
            first = node.decorator_list[0].lineno
            marks = [(match[1], at) for at in range(first, (node.end_lineno or first) + 1) if (match := _MARK.search(lines[at - 1]))]
            assert len(marks) == (corpus == "racy"), (family, node.name, marks)
            text = "\n".join(lines[first - 1 : node.end_lineno])
            found.append(Kernel(corpus, family, node.name, first, text, marks[0] if marks else None))
    return found


def model(twin: Kernel) -> Kernel:
    """The race-free kernel that a twin was made of."""
    named = [one for one in kernels("free", twin.family) if twin.name.startswith(one.name + "_")]
    return max(named, key=lambda one: len(one.name))


# ---- checking


def check_family(corpus: str, family: str, after: str | None = None, begin: Callable[[str], None] = lambda _: None) -> Iterator[Verdict]:
    """Check the kernels of a family (those behind `after`) through the line that `oxidepy check` takes, one after the other."""
    from oxidepy.runtime.program import Program

    program = Program.read(ROOT / corpus / f"{family}.py", as_main=False)
    with program.visit():
        program.start()
        definitions = [one.definition for one in program.kernels()]
        names = [one.name for one in definitions]
        for definition in definitions[names.index(after) + 1 if after else 0 :]:
            begin(definition.name)
            start = time.perf_counter()
            accepted, findings = _checked(definition)
            spent = (time.perf_counter() - start) * 1e3
            staked = _staked(definition) if accepted else ()
            yield Verdict(corpus, family, definition.name, accepted, findings, spent, staked)


def _checked(definition: KernelDef) -> tuple[bool, Findings]:
    from oxidepy.runtime.checking import check_definition
    from oxidepy.settings.active import active_settings

    try:
        results = check_definition(definition, active_settings().options)
    except Exception as error:  # a fault of the prover is a verdict like others, and no reason to leave the rest out
        place = traceback.extract_tb(error.__traceback__)[-1]
        return False, (("fault", f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})", ()),)
    findings = tuple(
        (one.code, one.message, tuple(span.line for span in (one.span, *(label.span for label in one.labels)) if span))
        for result in results
        for one in result.diagnostics
        if one.severity == "error"
    )
    return all(one.state == "accepted" for one in results), findings


def _staked(definition: KernelDef) -> tuple[str, ...]:
    """The relations of launch values that the proofs added to the kernel's own; the proofs themselves come from the cache."""
    from oxidepy.cache import default_cache
    from oxidepy.compiler.ahead import specialisations
    from oxidepy.compiler.driver import check_kernel, effective_options
    from oxidepy.frontend.lower import lower
    from oxidepy.settings.active import active_settings

    options = effective_options(definition, active_settings().options)
    found: list[str] = []
    for variant in specialisations(definition):
        own = lower(definition, variant, options).module.kernel.requires
        found += (one.text for one in check_kernel(definition, variant, options, cache=default_cache()).module.kernel.requires[len(own) :])
    return tuple(found)


def batch(wanted: list[tuple[str, str]], seconds: float, kernel_seconds: float = KERNEL_SECONDS) -> tuple[list[Verdict], bool]:
    """Check families in a process of their own, for `seconds` at most. Gives the verdicts, and whether it came to its end.

    A kernel that takes more than `kernel_seconds` of the processor ends the process: it is a "fault", and another one goes on behind it.
    """
    end = time.monotonic() + seconds
    left: list[tuple[str, str, str | None]] = [(corpus, family, None) for corpus, family in wanted]
    verdicts: list[Verdict] = []
    while left:
        begun, status = _one_process(left, max(end - time.monotonic(), 0), kernel_seconds, verdicts)
        if status == 0:
            return verdicts, True
        if time.monotonic() >= end or begun is None:
            return verdicts, False
        corpus, family, name = begun
        text = f"stopped after {kernel_seconds:g} s" if status == -signal.SIGPROF else f"the process ended with {status}"
        verdicts.append(Verdict(corpus, family, name, False, (("fault", text, ()),), kernel_seconds * 1e3))
        at = next(number for number, one in enumerate(left) if one[:2] == (corpus, family))
        left = [begun, *left[at + 1 :]]
    return verdicts, True


def _one_process(
    left: list[tuple[str, str, str | None]], seconds: float, kernel_seconds: float, verdicts: list[Verdict]
) -> tuple[tuple[str, str, str] | None, int]:
    """Run a process until it ends; the kernel that it began without an answer, and its exit status."""
    places = [str(ROOT.parent), str(ROOT.parent.parent)]
    program = f"import sys; sys.path[:0] = {places!r}; from proofs.corpora import work; work(sys.stdin, sys.stdout)"
    begun: tuple[str, str, str] | None = None
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdin and process.stdout
        limit = threading.Timer(seconds, process.kill)
        limit.start()
        try:
            process.stdin.write(json.dumps([kernel_seconds, left]))
            process.stdin.close()
            for line in process.stdout:
                answer = json.loads(line) if line.endswith("\n") else None
                if isinstance(answer, list):
                    begun = (answer[0], answer[1], answer[2])
                elif answer is not None:
                    verdicts.append(_restored(answer))
                    begun = None
        finally:
            limit.cancel()
    return begun, process.returncode


def work(requests: IO[str], answers: IO[str]) -> None:
    """What the process of a batch does: corpora and families in; out, for each kernel, a line when it begins and one with its verdict."""

    def say(what: object) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    kernel_seconds, left = json.load(requests)
    for corpus, family, after in left:

        def begin(name: str, corpus: str = corpus, family: str = family) -> None:
            say([corpus, family, name])
            signal.setitimer(signal.ITIMER_PROF, kernel_seconds)  # which nobody handles: the process ends

        for verdict in check_family(corpus, family, after, begin):
            signal.setitimer(signal.ITIMER_PROF, 0)
            say(asdict(verdict))


def _restored(fields: dict[str, Any]) -> Verdict:
    fields["staked"] = tuple(fields["staked"])
    fields["findings"] = tuple((code, message, tuple(lines)) for code, message, lines in fields["findings"])
    return Verdict(**fields)
