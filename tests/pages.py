"""The pages of the diagnostic codes as tests: reading one, running its programs, writing down what was said.

    python tests/pages.py [CODE...]     put what the programs say now into the pages (all of them, or those named)

A page has prose, then a program that triggers the code, its output in a `text` block, prose, the mended program. The programs are
    python          a file `main.py` that `oxidepy check` reads
    python run      a file `main.py` that `oxidepy run --device cpu` runs
    python sanitize a file `main.py` that `oxidepy sanitize` runs
    toml            a `pyproject.toml` beside a sound `main.py`, read by `oxidepy check`
    sh              a command line (variables may stand in front) beside a sound `main.py`
A page without a program is about something that no program can bring about; `UNTRIGGERED` says why.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from command_line import oxidepy

from oxidepy.diagnostics.codes import CODES, PAGES

BLOCK = re.compile(r"^```(\w+)( \w+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

UNTRIGGERED = {
    "OX1008": "Python 3.11 and later tell all but contrived lambdas apart",
    "OX6002": "needs a driver that is too old",
    "OX6003": "what is said depends on the machine's devices",
    "OX6004": "needs a device that fails",
    "OX6005": "needs a kernel that hangs",
    "OX7008": "needs a CUDA device, and code that the driver refuses",
    "OX9001": "launches run at once; operations that wait to be run come later (tests/analysis/host holds what is said of them)",
    "OX8012": "needs a process that is killed",
    "OX8013": "needs a machine without the CUDA toolkit",
}

SOUND = """from oxidepy import DisjointSlice, f32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def ones(c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = f32(1)
"""


@dataclass(frozen=True)
class Page:
    """A page taken apart. `expected` is what the first program says, without the table of kernels that `check` adds."""

    code: str
    text: str
    language: str
    mode: str
    wrong: str
    expected: str
    mended: str

    @property
    def only_checked(self) -> bool:
        """Whether its programs are Python that `oxidepy check` reads and nobody runs."""
        return (self.language, self.mode) == ("python", "")


def read(path: Path) -> Page | None:
    """None for a page without programs; ValueError for one that is not made as pages are."""
    text = path.read_text(encoding="utf-8")
    blocks: list[tuple[str, str, str]] = BLOCK.findall(text)
    if not blocks:
        return None
    if len(blocks) != 3 or blocks[1][0] != "text" or blocks[0][:2] != blocks[2][:2]:
        raise ValueError(f"{path.name}: wanted a program, a text block and a program, found {[block[:2] for block in blocks]}")
    language, mode, wrong = blocks[0]
    return Page(path.stem, text, language, mode.strip(), wrong, blocks[1][2], blocks[2][2])


def run(page: Page, program: str) -> subprocess.CompletedProcess[str]:
    """Run one of a page's programs in an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "main.py").write_text(program if page.language == "python" else SOUND, encoding="utf-8")
        if page.language == "sh":
            words = shlex.split(program)
            variables = dict(word.split("=", 1) for word in words[: words.index("oxidepy")])
            return oxidepy(*words[words.index("oxidepy") + 1 :], cwd=folder, **variables)
        if page.language == "toml":
            (folder / "pyproject.toml").write_text(program, encoding="utf-8")
            return oxidepy("-q", "check", cwd=folder)
        if page.mode == "sanitize":
            return oxidepy("-q", "sanitize", "main.py", cwd=folder)
        if page.mode == "run":
            return oxidepy("run", "main.py", "--device", "cpu", cwd=folder)
        return oxidepy("-q", "check", "main.py", cwd=folder)


def said(page: Page, done: subprocess.CompletedProcess[str]) -> str:
    """The first diagnostic with the page's code in what was printed, or everything if there is none."""
    found = re.search(rf"^(error|warning)\[{page.code}\].*?(?=\n\n|\Z)", done.stderr, re.MULTILINE | re.DOTALL)
    return (found[0].rstrip() if found else done.stdout + done.stderr) + "\n"


def paths() -> list[Path]:
    """The pages of diagnostics; those of doctor's checks (OXD...) hold no programs."""
    return sorted(PAGES.glob("OX[0-9]*.md"))


def update(path: Path) -> str:
    """Write down what the page's first program says; gives a line about it."""
    page = read(path)
    if page is None:
        return f"{path.stem}: no program"
    now = said(page, run(page, page.wrong))
    if not re.match(rf"(error|warning)\[{page.code}\]", now):
        return f"{page.code}: NOT TRIGGERED\n{now}"
    mended = run(page, page.mended)
    fault = f"\nMENDED PROGRAM FAILS ({mended.returncode})\n{mended.stdout}{mended.stderr}" if mended.returncode else ""
    if now == page.expected:
        return f"{page.code}: as written{fault}"
    path.write_text(page.text.replace(f"```text\n{page.expected}```", f"```text\n{now}```"), encoding="utf-8")
    return f"{page.code}: rewritten{fault}"


if __name__ == "__main__":
    chosen = [PAGES / f"{code}.md" for code in sys.argv[1:]] or paths()
    assert all(path.stem in CODES for path in chosen)
    with ThreadPoolExecutor(2) as pool:
        for line in pool.map(update, chosen):
            print(line)
