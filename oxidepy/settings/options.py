"""The options of code generation, all in one place: the flag, the configuration key, what a value means. Part of the cache key."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from oxidepy.settings.errors import SettingsError

REGISTERS = range(16, 256)  # to how many a thread may be limited


@dataclass(frozen=True, slots=True)
class CodegenOptions:
    """What may change the code of a kernel beside its source and types. Of plain JSON values, so that it can be kept and hashed.

    `fmad` fuses `a * b + c`; `lineinfo` keeps source lines in the code; `unchecked_indexing` and `no_assert` leave checks out;
    `device_debug` compiles without optimisation, with variables for a debugger; `max_registers` limits registers a thread (None: no limit).
    """

    fmad: bool = True
    lineinfo: bool = True
    unchecked_indexing: bool = False
    no_assert: bool = False
    device_debug: bool = False
    max_registers: int | None = None

    def __post_init__(self) -> None:
        limit = self.max_registers
        if limit is not None and (isinstance(limit, bool) or limit not in REGISTERS):
            span = f"{REGISTERS[0]} to {REGISTERS[-1]}"
            raise SettingsError("OX8003", f"max_registers is {limit!r}, which is not a number of registers from {span}")

    def to_json(self) -> dict[str, bool | int | None]:
        return asdict(self)

    @staticmethod
    def from_json(kept: dict[str, Any]) -> CodegenOptions:
        """The reverse of `to_json`; SettingsError OX8003 on a name that is no option."""
        known = {field.name for field in fields(CodegenOptions)}
        if stranger := next((name for name in kept if name not in known), None):
            raise SettingsError("OX8003", f"{stranger!r} is not an option of code generation")
        return CodegenOptions(**kept)


@dataclass(frozen=True, slots=True)
class Option:
    """How an option is said: `flag` on the command line, `key` in `[tool.oxidepy]` (None: only on the command line)."""

    field: str
    flag: str | None
    key: str | None
    meaning: str


OPTIONS: tuple[Option, ...] = (
    Option("fmad", "--no-fmad", "fmad", "do not fuse a multiplication and the addition that uses it"),
    Option("lineinfo", "--lineinfo/--no-lineinfo", "lineinfo", "keep source lines in the code, for profilers and reports"),
    Option("unchecked_indexing", "--unchecked-indexing", None, "leave out the bounds checks that the proof does not make needless"),
    Option("no_assert", "--no-assert", None, "leave out the asserts of kernels"),
    Option("device_debug", "--device-debug", None, "no optimisation, and variables for a debugger"),
    Option("max_registers", None, None, "registers a thread may use; set at the kernel, `kernel(max_registers=64)`"),
)


def docs_table() -> str:
    """The Markdown table of the documentation."""
    head = "| flag | key | meaning |\n|---|---|---|\n"
    return head + "".join(f"| {_code(one.flag)} | {_code(one.key)} | {one.meaning} |\n" for one in OPTIONS)


def _code(text: str | None) -> str:
    return f"`{text}`" if text else ""
