"""The two corpora of kernels for the proofs, and what `oxidepy check` says of each kernel.

`free/` holds race-free kernels, `racy/` twins that are one edit away from one of them, by families: one module a family. A twin is named
after its model, `tree_sum` and `tree_sum_without_barrier`, and the line that clashes carries the expected code, `# <- OX4001`. The families
`loaded_*` hold kernels whose write index comes out of memory; they are counted apart.

"Race-free" means: on every launch that passes the contract and `require`, as long as no i32 index of the kernel wraps. Kernels are written
as users write them, `4 * i + k` without a word about grids of 2**29 threads; a proof may stake that, and the host then tests it.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from oxidepy.lang.definition import KernelDef

ROOT = Path(__file__).resolve().parent
CORPORA = ("free", "racy")
# what a prover may say of a kernel that is not free of races; any other error means that the kernel was never proven at all
RACES = frozenset({"OX4001", "OX4002", "OX4003", "OX3001", "OX3002"})
CONCRETE = RACES - {"OX4003"}
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

    @property
    def loaded(self) -> bool:
        return self.family.startswith("loaded")


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


def check_family(corpus: str, family: str) -> Iterator[Verdict]:
    """Check the kernels of a family through the line that `oxidepy check` takes, one after the other."""
    from oxidepy.runtime.program import Program

    program = Program.read(ROOT / corpus / f"{family}.py", as_main=False)
    with program.visit():
        program.start()
        for kernel in program.kernels():
            begin = time.perf_counter()
            accepted, findings = _checked(kernel.definition)
            spent = (time.perf_counter() - begin) * 1e3
            staked = _staked(kernel.definition) if accepted else ()
            yield Verdict(corpus, family, kernel.definition.name, accepted, findings, spent, staked)


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


def batch(wanted: list[tuple[str, str]], seconds: float) -> tuple[list[Verdict], bool]:
    """Check families in one process of their own, which ends after `seconds` at the latest. Verdicts, and whether it ended by itself."""
    command = [sys.executable, "-c", "import sys; from proofs.corpora import work; work(sys.stdin, sys.stdout)"]
    places = [str(ROOT.parent), str(ROOT.parent.parent)]
    command[2] = f"import sys; sys.path[:0] = {places!r}; {command[2]}"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdin and process.stdout
        limit = threading.Timer(seconds, process.kill)
        limit.start()
        try:
            process.stdin.write(json.dumps(wanted))
            process.stdin.close()
            verdicts = [_restored(line) for line in process.stdout if line.endswith("\n")]
        finally:
            limit.cancel()
    return verdicts, process.returncode == 0


def work(requests: IO[str], answers: IO[str]) -> None:
    """What the process of a batch does: pairs of corpus and family in, a verdict a line out."""
    for corpus, family in json.load(requests):
        for verdict in check_family(corpus, family):
            answers.write(json.dumps(asdict(verdict)) + "\n")
            answers.flush()


def _restored(line: str) -> Verdict:
    fields = json.loads(line)
    fields["staked"] = tuple(fields["staked"])
    fields["findings"] = tuple((code, message, tuple(lines)) for code, message, lines in fields["findings"])
    return Verdict(**fields)
