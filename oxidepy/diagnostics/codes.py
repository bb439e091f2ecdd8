"""The one registry of diagnostic codes. Codes keep rustc's number where the meaning is the same.

A code is never given another meaning and never used again. Its page is `pages/<code>.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from oxidepy.diagnostics.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """What a code stands for, in a few words; `severity` is what it has unless the finding says otherwise."""

    code: str
    title: str
    severity: Severity = "error"


CODES: dict[str, Code] = {
    one.code: one
    for one in (
        # what rustc knows too
        Code("OX0133", "needs an unsafe block"),
        Code("OX0282", "type cannot be inferred"),
        Code("OX0308", "mismatched types"),
        Code("OX0381", "name may be unbound"),
        Code("OX0382", "use of a moved value"),
        Code("OX0425", "unknown name"),
        Code("OX0499", "second exclusive borrow"),
        Code("OX0502", "exclusive borrow of memory that is borrowed already"),
        Code("OX0505", "memory released while in use"),
        Code("OX0658", "construct not supported in kernels"),
        # the signature of a kernel
        Code("OX1001", "parameter without annotation"),
        Code("OX1002", "annotation not understood"),
        Code("OX1003", "kernel returns a value"),
        Code("OX1004", "kind of parameter that a kernel cannot have"),
        Code("OX1005", "source not available"),
        Code("OX1006", "kernel is a method"),
        Code("OX1007", "foreign decorator"),
        Code("OX1008", "ambiguous lambda"),
        Code("OX1009", "kernel called from a kernel"),
        Code("OX1010", "name of the kernel language used on the host"),
        # contracts and launches
        Code("OX2001", "malformed launch contract"),
        Code("OX2002", "block differs from the contract"),
        Code("OX2003", "limit exceeded"),
        Code("OX2004", "rank differs from the contract's domain"),
        Code("OX2005", "condition of the launch violated"),
        Code("OX2006", "other kernel or context"),
        Code("OX2007", "argument does not fit its parameter"),
        Code("OX2008", "launch configuration cannot be inferred"),
        Code("OX2009", "wrong way to launch"),
        # convergence
        Code("OX3001", "barrier not reached by all threads"),
        Code("OX3002", "warp operation without all its lanes"),
        # races
        Code("OX4001", "race in shared memory"),
        Code("OX4002", "race in global memory"),
        Code("OX4003", "absence of a race not proven"),
        # bounds
        Code("OX5001", "index out of bounds for certain"),
        Code("OX5002", "unguarded access to a DisjointSlice"),
        Code("OX5003", "negative index"),
        Code("OX5004", "bounds check left in a kernel that denies them"),
        # targets
        Code("OX6001", "target lacks a feature"),
        Code("OX6002", "driver too old"),
        Code("OX6003", "device not available"),
        Code("OX6004", "device or driver failed"),
        Code("OX6005", "launch did not end in time"),
        # on the device
        Code("OX7001", "index out of bounds on the device"),
        Code("OX7002", "assertion failed on the device"),
        Code("OX7003", "integer division by zero on the device"),
        Code("OX7004", "deadlock on the device"),
        Code("OX7005", "memory read before it was written"),
        Code("OX7006", "integer overflow"),
        Code("OX7007", "device memory never released"),
        Code("OX7008", "other report of compute-sanitizer"),
        # settings, programs, the compiler itself
        Code("OX8001", "environment variable not understood"),
        Code("OX8002", "configuration not understood"),
        Code("OX8003", "option not understood"),
        Code("OX8010", "program cannot be read"),
        Code("OX8011", "program is not Python"),
        Code("OX8012", "a compiling process ended early"),
        Code("OX8013", "tool not installed"),
        # warnings
        Code("OX9001", "operation never run", "warning"),
        Code("OX9002", "loop not unrolled", "warning"),
        Code("OX9003", "unsafe block that suspends nothing", "warning"),
        # checks of `oxidepy doctor`, whose findings have severities of their own
        Code("OXD001", "Python"),
        Code("OXD002", "packages"),
        Code("OXD003", "NumPy"),
        Code("OXD004", "import time"),
        Code("OXD005", "source text"),
        Code("OXD010", "environment variables"),
        Code("OXD011", "project file"),
        Code("OXD020", "cache folder"),
        Code("OXD021", "cache locks"),
        Code("OXD022", "free space"),
        Code("OXD023", "file system of the cache"),
        Code("OXD030", "LLVM"),
        Code("OXD031", "GPU architectures"),
        Code("OXD032", "kernel to PTX"),
        Code("OXD033", "kernel on the CPU"),
        Code("OXD040", "CUDA driver library"),
        Code("OXD041", "container"),
        Code("OXD042", "device files"),
        Code("OXD043", "CUDA driver"),
        Code("OXD044", "visible devices"),
        Code("OXD045", "devices"),
        Code("OXD046", "PTX version"),
        Code("OXD047", "CUDA bindings"),
        Code("OXD048", "kernel on the GPU"),
        Code("OXD060", "CUDA toolkit"),
    )
}

PAGES = Path(__file__).with_name("pages")


def page(code: str) -> str | None:
    """The Markdown page of a code, or None where it has none."""
    path = PAGES / f"{code}.md"
    return path.read_text(encoding="utf-8") if code in CODES and path.is_file() else None


def docs_table() -> str:
    """The Markdown table of the documentation."""
    head = "| code | meaning | severity |\n|---|---|---|\n"
    return head + "".join(f"| {one.code} | {one.title} | {one.severity} |\n" for one in CODES.values())
