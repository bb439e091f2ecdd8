"""Ten mistakes given to oxidepy and to its peers: how long the messages are and what they say.

    python benchmarks/error_messages.py [--peers PYTHON] [--json FILE] [--write] [--show]

`--peers` is an interpreter in which some of numba-cuda, triton, warp-lang, cuda-tile are installed; what is missing is left out. No tool
needs a GPU here. `--write` puts the table into docs/error-messages.md. `--show` prints the messages.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from mistakes import MISTAKES, TOOLS, program

PAGE = Path(__file__).resolve().parents[1] / "docs" / "error-messages.md"
BEGIN, END = "<!-- begin measured -->\n", "<!-- end measured -->"
PACKAGES = {"oxidepy": "oxidepy", "numba-cuda": "numba-cuda", "Triton": "triton", "Warp": "warp-lang", "cuTile": "cuda-tile"}
FRAME = re.compile(r'^  File ".*", line \d+')
CARETS = re.compile(r"^[\s|]*\^+", re.MULTILINE)
CAME_THROUGH = re.compile(r"Failure finding \"libn")  # numba-cuda took the kernel, and then found no toolkit to compile it with
SUGGESTION = re.compile(r"did you mean|\bhelp: |\bhint\b|\binstead\b|\bplease\b|must be (decorated|annotated)|\bwrite \w", re.IGNORECASE)


@dataclass
class Message:
    """What a tool says: lines of the message and of all output, then whether it names place, code, and a way out."""

    tool: str
    mistake: str
    accepted: bool
    lines: int
    total: int
    place: str
    code: bool
    suggestion: bool
    text: str

    def cell(self) -> str:
        if self.accepted:
            return "accepted"
        marks = [self.place, *(["code"] if self.code else []), *(["suggestion"] if self.suggestion else [])]
        return f"{self.lines}/{self.total}: {', '.join(marks)}"


def message_of(output: str) -> str:
    """An exception without its traceback: what follows the last frame and its source lines. All, where there is no traceback."""
    lines = output.splitlines()
    frames = [number for number, line in enumerate(lines) if FRAME.match(line)]
    if not frames or "Traceback (most recent call last):" not in lines:
        return output
    rest = lines[frames[-1] + 1 :]
    while rest and rest[0].startswith("    "):
        rest.pop(0)
    return "\n".join(rest)


def place_of(message: str, file: str, lines: list[int]) -> str:
    number = re.compile(rf"(?<![\d.])({'|'.join(map(str, lines))})(?!\d)")
    named = any(file in one and number.search(one.replace(file, "")) for one in message.splitlines())
    if not named:
        return "line of the function, caret" if CARETS.search(message) else "no place"
    return "file and line, caret" if CARETS.search(message) else "file and line"


def ask(tool: str, mistake: str, python: str) -> Message | None:
    """Give a mistake to a tool. None where it cannot be made there."""
    text = program(tool, mistake)
    if text is None:
        return None
    marked = [number for number, one in enumerate(text.splitlines(), 1) if "# <-" in one]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"wrong_{mistake}.py"
        path.write_text(text.replace("  # <-", ""), encoding="utf-8")
        command = [python, "-m", "oxidepy", "run", path.name] if tool == "oxidepy" else [python, path.name]
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, env=environment, timeout=300)
    output = "\n".join(one for one in done.stderr.splitlines() if one.strip())
    message = message_of(output)
    return Message(
        tool,
        mistake,
        done.returncode == 0 or bool(CAME_THROUGH.search(message)),
        len(message.splitlines()),
        len(output.splitlines()),
        place_of(message, path.name, marked),
        bool(re.search(r"\b[A-Z]{2,4}\d{3,5}\b", message)),
        bool(SUGGESTION.search(message)),
        message,
    )


def version(tool: str, python: str) -> str | None:
    """The installed version of a tool's package, None where there is none."""
    code = f"from importlib.metadata import version; print(version({PACKAGES[tool]!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def table(found: dict[tuple[str, str], Message], versions: dict[str, str]) -> str:
    """Markdown: a row a mistake, a column a tool."""
    lines = [
        "| mistake | " + " | ".join(f"{tool} {number}" for tool, number in versions.items()) + " |",
        "|---" * (len(versions) + 1) + "|",
    ]
    for mistake, name in MISTAKES.items():
        cells = [found[tool, mistake].cell() if (tool, mistake) in found else "–" for tool in versions]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--peers", default=sys.executable)
    options.add_argument("--json", type=Path)
    options.add_argument("--write", action="store_true")
    options.add_argument("--show", action="store_true")
    given = options.parse_args()
    versions: dict[str, str] = {}
    found: dict[tuple[str, str], Message] = {}
    for tool in TOOLS:
        python = sys.executable if tool == "oxidepy" else given.peers
        number = version(tool, python)
        if number is None:
            continue
        versions[tool] = number
        for mistake in MISTAKES:
            answer = ask(tool, mistake, python)
            if answer is not None:
                found[tool, mistake] = answer
                print(f"{tool:<12} {mistake:<10} {answer.cell()}", flush=True)
                if given.show and not answer.accepted:
                    print("    " + answer.text.replace("\n", "\n    "))
    text = table(found, versions)
    if given.json:
        figures = [{key: value for key, value in asdict(one).items() if key != "text"} for one in found.values()]
        given.json.write_text(json.dumps({"title": "Error messages", "versions": versions, "messages": figures}, indent=2) + "\n")
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        head, tail = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(head + BEGIN + "\n" + text + "\n" + END + tail, encoding="utf-8")
    print("\n" + text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
