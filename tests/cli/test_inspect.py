"""`oxidepy inspect`: what a kernel became."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.conftest import Command
from cli.programs import HEAD, UNGUARDED, good
from cli.test_run import write

from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import verify


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ((), ".entry good("),
        (("--emit", "ptx", "--arch", "sm_90a"), ".target sm_90a"),
        (("--emit", "asm"), ".entry good("),
        (("--emit", "llvm"), "define ptx_kernel void @good("),
        (("--emit", "llvm", "--device", "cpu"), "define internal i64 @oxidepy_kernel_good"),
        (("--emit", "ir"), "kernel @good("),
        (("--emit", "ir", "--device", "cpu"), "kernel @good("),
        (("--emit", "asm", "--device", "cpu"), "oxidepy_kernel_good"),
    ],
)
def test_forms(options: tuple[str, ...], wanted: str, command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + good("other", 2))
    done = command("inspect", "main.py", "good", *options)
    assert (done.code, done.err) == (0, "")
    assert wanted in done.out and "other" not in done.out and "\0" not in done.out
    assert str(tmp_path) not in done.out  # where the source lies is nobody's business
    assert "other" in command("inspect", "main.py", *options).out


def test_the_ir_can_be_read_back(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    module = parse_module(command("inspect", "main.py", "good", "--emit", "ir").out)
    verify(module)
    assert module.kernel.name == "good"


def test_an_unknown_kernel(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    done = command("inspect", "main.py", "god")
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "error[OX8003]: there is no kernel 'god' in main.py\n  = help: did you mean 'good'?\n",
    )
    assert "it has good" in command("inspect", "main.py", "zzzzzz").err
    write(tmp_path, "x = 1\n", "none.py")
    done = command("inspect", "none.py")
    assert (done.code, done.out, done.err) == (2, "", "error: there are no kernels in none.py\n")


def test_a_bad_neighbour(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNGUARDED + good())
    assert command("inspect", "main.py", "good").code == 0
    both = command("inspect", "main.py")
    assert both.code == 1 and ".entry good(" in both.out and "error[OX5002]" in both.err
    bad = command("inspect", "main.py", "unguarded")
    assert bad.code == 1 and bad.out == "" and "error[OX5002]" in bad.err


def test_in_a_project_the_kernel_is_enough(command: Command, tmp_path: Path) -> None:
    write(tmp_path, '[tool.oxidepy]\nentry = "src/main.py"\n', "pyproject.toml")
    write(tmp_path, HEAD + good() + good("other", 2), "src/main.py")
    done = command("inspect", "other", "--emit", "ir")
    assert done.code == 0 and "kernel @other(" in done.out and "@good" not in done.out


def test_ptx_is_for_gpus(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    assert command("inspect", "main.py", "--device", "cpu").code == 2
    assert command("inspect", "main.py", "--emit", "nosuch").code == 2


MAP = """
from typing import Callable

@kernel
def map_(f: Callable[[f32], f32], y: DisjointSlice[f32]) -> None:
    i = thread.index_1d()
    if i in y:
        y[i] = f(f32(1))
"""


def test_a_kernel_that_a_launch_completes(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + MAP)
    done = command("inspect", "main.py", "map_")
    assert done.code == 2 and "made at its launch" in done.err
