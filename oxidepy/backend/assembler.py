"""What assemblers say of PTX that a kernel holds: an error there is the kernel's, at the line of its `ptx`."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from oxidepy.backend.nvptx_assembly import marker
from oxidepy.backend.targets import Target
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics.inline import inline_ops

_ERROR = re.compile(r"line (\d+)\s*; *(?:error|fatal)\s*: *(.*)")
_UNDEFINED = re.compile(r"[Uu]ndefined reference to '([^']+)'")
_PROTOTYPE = re.compile(r"[Pp]rototype doesn't match for '([^']+)'")
_NEWER = re.compile(r"PTX ISA \.version (\d+)\.(\d+) or later")
_LINKABLE = 'in CUDA C++ write `extern "C" __device__`, and compile it to be linked: `nvcc -rdc=true`'
_SECONDS = 60


def verify(ptx: str, target: Target, kernel: Kernel) -> None:
    """Let `ptxas`, where there is one, look at the kernel's own PTX. CompileError OX6001 where it refuses that."""
    tool = shutil.which("ptxas")
    if tool is None:
        return  # the driver says the same when it links
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_text(ptx, encoding="utf-8")
        line = [tool, f"-arch={target.arch}", str(source), "-o", str(Path(folder, "kernel.cubin"))]
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return
    if done.returncode and (found := blamed(done.stderr, ptx, kernel, target.arch)):
        raise CompileError(found)


def blamed(log: str, ptx: str, kernel: Kernel, arch: str) -> list[Diagnostic]:
    """The errors of a log that stand in the kernel's own PTX; none where the log is about something else."""
    lines, ops = ptx.splitlines(), inline_ops(kernel)
    found: dict[int, Diagnostic] = {}
    for number, message in _ERROR.findall(log):
        at = _number(lines, int(number) - 1, len(ops))
        if at is not None and at not in found:
            newer = _NEWER.search(message)
            help = f"say so: `ptx(…, isa=({newer[1]}, {newer[2]}))`" if newer else None
            found[at] = Diagnostic("OX6001", f"the assembler refuses this PTX for {arch}: {message.strip()}", ops[at].span, help=help)
    return list(found.values())


def missing(log: str, kernel: Kernel) -> list[Diagnostic]:
    """The functions from elsewhere that a linker did not find (OX0425), or found with other types (OX0308), at their first call."""
    found: list[Diagnostic] = []
    for symbol, (op, files) in _externs(kernel).items():
        if symbol in _UNDEFINED.findall(log):
            found.append(Diagnostic("OX0425", f"{files} has no function `{symbol}`", op.span, help=_LINKABLE))
        elif symbol in _PROTOTYPE.findall(log):
            message = f"mismatched types: `{symbol}` of {files} takes or gives others"
            found.append(Diagnostic("OX0308", message, op.span, help="write the types that its C declaration has"))
    return found


def dropped(kernel: Kernel) -> list[Diagnostic]:
    """OX0425 at a call where the linker has left the kernel out without a word, as it does for want of a function in a binary."""
    if not (externs := _externs(kernel)):
        return []
    (op, _), names = next(iter(externs.values())), ", ".join(f"`{one}`" for one in externs)
    files = ", ".join(dict.fromkeys(files for _, files in externs.values()))
    return [Diagnostic("OX0425", f"the driver does not find all of {names} in {files}", op.span, help=_LINKABLE)]


def _externs(kernel: Kernel) -> dict[str, tuple[Op, str]]:
    """The functions from elsewhere by symbol: the first call, and the files."""
    names = {one.digest: f"`{one.name}`" for one in kernel.images}
    found: dict[str, tuple[Op, str]] = {}
    for op in kernel.body.walk():
        if op.name == "extern":
            found.setdefault(op.attrs["symbol"], (op, ", ".join(names[one] for one in op.attrs["files"])))
    return found


def _number(lines: list[str], line: int, count: int) -> int | None:
    """Which of the kernel's PTX a line belongs to: up to the comment behind it."""
    for text in lines[line:]:
        for number in range(count):
            if marker(number) in text:
                return number
        if "end inline asm" in text or "begin inline asm" in text:
            return None
    return None
