"""Every kernel of the examples, the pages, the acceptance programs and the tables of meanings becomes PTX that ptxas takes.

PTX of one architecture is not that of another (other instructions, another PTX ISA), so each kernel is compiled for each of the four. It is
proven once: proofs are the same for all, and come from the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from backend.assembler import assemble, ptxas
from pages import SOUND, paths, read
from semantics import batch, test_arithmetic, test_panics, test_rows

from oxidepy import CompileError
from oxidepy.backend.targets import nvptx_target
from oxidepy.cache import default_cache
from oxidepy.compiler.ahead import describe, specialisations
from oxidepy.compiler.driver import compile_kernel
from oxidepy.runtime.program import Program
from oxidepy.settings.options import CodegenOptions

ROOT = Path(__file__).parents[2]
ACCEPTANCE = ROOT.parent / "shared" / "acceptance" / "accept"
PENDING = {line.split()[0] for line in (ROOT / "tests" / "acceptance_pending.txt").read_text().splitlines() if line and line[0] != "#"}
ARCHES = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
OPTIONS = {
    "plain": CodegenOptions(),
    "bare": CodegenOptions(fmad=False, lineinfo=False, unchecked_indexing=True, no_assert=True),
    "debug": CodegenOptions(device_debug=True),
}


def examples(_: Path) -> Iterator[Path]:
    yield from sorted((ROOT / "examples").glob("*.py"))


def acceptance(_: Path) -> Iterator[Path]:
    if not ACCEPTANCE.is_dir():
        pytest.skip("the acceptance programs do not lie beside this checkout")
    yield from (one for one in sorted(ACCEPTANCE.glob("*.py")) if one.stem not in PENDING)


def texts(folder: Path, programs: dict[str, str]) -> Iterator[Path]:
    for name, text in programs.items():
        path = folder / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        yield path


def pages(folder: Path) -> Iterator[Path]:
    found = [one for one in map(read, paths()) if one is not None]
    mended = {one.code: one.mended for one in found if one.language == "python" and "import nosuch" not in one.mended}
    yield from texts(folder, {"sound": SOUND, **mended})


def semantics(folder: Path) -> Iterator[Path]:
    rows = "".join(batch.source(rows, name) for name, rows in test_rows.TABLES.items())
    fused = "".join(test_arithmetic.FUSED.format(name=f"fused_{type_}", type=type_) for type_ in ("f32", "f64"))
    programs = {"rows": rows, "arithmetic": test_arithmetic.kernels(), "fused": fused, "panics": test_panics.kernels()}
    yield from texts(folder, {name: batch.HEAD + text for name, text in programs.items()})


SOURCES: dict[str, Callable[[Path], Iterator[Path]]] = {
    "examples": examples,
    "acceptance": acceptance,
    "pages": pages,
    "semantics": semantics,
}
# what a launch must complete (functions, compile-time values) is left to the tests of launches
LEAST = {"examples": 8, "acceptance": 4, "pages": 25, "semantics": 40}


def ptx(path: Path, arch: str, options: CodegenOptions) -> Iterator[tuple[str, str]]:
    """Name and PTX of each kernel of a file."""
    program = Program.read(path, as_main=False)
    with program.visit():
        program.start()
        for kernel in program.kernels():
            for variant in specialisations(kernel.definition):
                for coarsen in (
                    (False, True) if arch == "sm_90a" else (False,)
                ):  # and what a launch makes of it, where several blocks run as one and accesses are wide
                    try:
                        compiled = compile_kernel(
                            kernel.definition,
                            variant,
                            nvptx_target(arch),
                            options,
                            cache=default_cache(),
                            coarsen=coarsen,
                            usual=coarsen,
                        )
                    except CompileError as error:
                        if any(one.code != "OX6001" or "needs sm_" not in one.message for one in error.diagnostics):
                            raise
                        continue  # a kernel for later hardware
                    name = describe(kernel.definition, variant) + (", as launched" if coarsen else "")
                    yield name, compiled.artefact.code.decode().rstrip("\0")


@pytest.mark.skipif(ptxas() is None, reason="no ptxas on this machine to assemble the PTX with")
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("source", SOURCES)
def test_all_kernels_assemble(source: str, arch: str, tmp_path: Path) -> None:
    said: dict[tuple[str, str], Future[str]] = {}
    told: dict[str, Future[str]] = {}  # many kernels are as launched what they are otherwise
    with ThreadPoolExecutor(2) as pool:
        for path in SOURCES[source](tmp_path):
            for name, text in ptx(path, arch, OPTIONS["plain"]):
                if text not in told:
                    told[text] = pool.submit(assemble, text, arch)
                said[path.name, name] = told[text]
    reports = {name: one.result() for name, one in said.items()}
    assert len(reports) >= LEAST[source]
    assert all("Used" in report for report in reports.values())


@pytest.mark.skipif(ptxas() is None, reason="no ptxas on this machine to assemble the PTX with")
@pytest.mark.parametrize("options", ["bare", "debug"])
def test_other_options_assemble(options: str, tmp_path: Path) -> None:
    count = 0
    for path in [*examples(tmp_path), *texts(tmp_path, {"rows": batch.HEAD + batch.source(test_rows.INTEGERS)})]:
        for _, text in ptx(path, "sm_90a", OPTIONS[options]):
            assert "Used" in assemble(text, "sm_90a")
            count += 1
    assert count >= LEAST["examples"]
