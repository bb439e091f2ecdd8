"""The table of commands. A command's module is imported when the command is called, never to print the help of another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """`function` of `module` is a Typer command; it gives the exit code (None is 0)."""

    module: str
    function: str
    help: str


COMMANDS: dict[str, Command] = {
    "new": Command("oxidepy.cli.new", "new", "Write a new project."),
    "doctor": Command("oxidepy.cli.doctor", "doctor", "Look the machine over: Python, LLVM, driver, device, cache."),
    "build": Command("oxidepy.cli.build", "build", "Compile the kernels of a file ahead of time."),
    "run": Command("oxidepy.cli.run", "run", "Compile the kernels of a file and run it."),
    "check": Command("oxidepy.cli.check", "check", "Find the errors of files without running them."),
    "sanitize": Command("oxidepy.cli.sanitize", "sanitize", "Run a program and watch what its kernels do to memory."),
    "inspect": Command("oxidepy.cli.inspect", "inspect", "Show what a kernel is compiled to: PTX, LLVM, IR, assembly."),
    "list": Command("oxidepy.cli.list", "list_", "List the examples, or the programs of a folder."),
    "explain": Command("oxidepy.cli.explain", "explain", "Explain a diagnostic code."),
}
