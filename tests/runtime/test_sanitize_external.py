"""What compute-sanitizer prints becomes findings at lines of Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from oxidepy import LaunchError
from oxidepy.diagnostics import Span
from oxidepy.runtime.sanitize import external

MEMCHECK = """\
========= COMPUTE-SANITIZER
PASSED: 3 of 3
========= Invalid __global__ write of size 4 bytes
=========     at scale+0x70 in /home/user/project/main.py:12
=========     by thread (128,0,0) in block (0,0,0)
=========     Address 0x7f5a5d000200 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5a5d000000 of size 512 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========     Host Frame: [0x2b0ab2]
=========                in /lib/x86_64-linux-gnu/libcuda.so.1
=========
========= Invalid __global__ write of size 4 bytes
=========     at scale+0x70 in /home/user/project/main.py:12
=========     by thread (129,0,0) in block (0,0,0)
=========     Address 0x7f5a5d000204 is out of bounds
=========
========= Invalid __shared__ read of size 2 bytes
=========     at 0x110 in /home/user/project/main.py:20:tile
=========     by thread (0,1,0) in block (3,0,0)
=========     Address 0x4000 is out of bounds
=========
========= Leaked 1,048,576 bytes at 0x7f5a5e000000
=========     Saved host backtrace up to driver entry point at allocation time
=========
========= ERROR SUMMARY: 4 errors
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at turn+0x100 in /home/user/project/main.py:40
=========     and Read access at turn+0x290 in /home/user/project/main.py:42 [508 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
SYNCCHECK = """\
========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at step+0x1a0 in /home/user/project/main.py:61
=========     by thread (0,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 1 error
"""
INITCHECK = """\
========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at sum_rows+0x40
=========     by thread (3,0,0) in block (0,0,0)
=========     Address 0x7f5a5d00000c
=========
========= ERROR SUMMARY: 1 error
"""


# as compute-sanitizer 2025.3 printed it, but for the middle of the backtraces
RECORDED = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at racy+0xf0 in faulty.py:18
=========     and Read access at racy+0x100 in faulty.py:19 [256 hazards]
=========
error[OX7001]: index out of bounds of `y`: index 4194304, length 64
  --> /tmp/faulty.py:10:9

========= Uninitialized __global__ memory read of size 4 bytes
=========     at racy+0x50 in faulty.py:18
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x48ea000000
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame:  [0x55b15] in cydriver.cpython-312-x86_64-linux-gnu.so
=========         Host Frame: <lambda> in launching.py:57
=========         Host Frame: <module> in faulty.py:24
=========
========= Invalid __global__ write of size 4 bytes
=========     at outside+0xb0 in faulty.py:10
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x48eb000000 is out of bounds
=========     and is 16,776,449 bytes after the nearest allocation at 0x48ea000200 of size 256 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: _PyEval_EvalFrameDefault [0x1db2ed] in python3
=========         Host Frame: launch in driver.py:228
=========
========= Target application returned an error
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""

REFUSED = """\
========= COMPUTE-SANITIZER
========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to "invalid argument" on CUDA API call to cuFuncGetParamInfo.
=========     Saved host backtrace up to driver entry point at error
=========         Host Frame:  [0x4dba9] in cydriver.cpython-312-x86_64-linux-gnu.so
=========         Host Frame: sizes in modules.py:50
=========         Host Frame: main in faulty.py:9
=========         Host Frame: <module> in faulty.py:20
=========
PASSED: a x + y of 1000 elements
========= ERROR SUMMARY: 1 error
"""


def told(text: str) -> list[tuple[str, str, int | None]]:
    return [(one.code, one.message, one.span.line if one.span else None) for one in external.parse(text)[0]]


def test_stray_accesses_and_leaks() -> None:
    assert told(MEMCHECK) == [
        ("OX7001", "write outside of global memory", 12),
        ("OX7001", "read outside of shared memory", 20),
        ("OX7007", "1,048,576 bytes of device memory are still held after the program", None),
    ]
    found, output = external.parse(MEMCHECK)
    assert output == "PASSED: 3 of 3\n"
    assert found[0].notes == (
        "thread (128, 0, 0) of block (0, 0, 0)",
        "in the kernel `scale`",
        "Address 0x7f5a5d000200 is out of bounds",
        "and is 1 bytes after the nearest allocation at 0x7f5a5d000000 of size 512 bytes",
        "and 1 more time",
    )
    assert found[1].span is not None and found[1].span.file == "/home/user/project/main.py" and "in the kernel `tile`" in found[1].notes


def test_races() -> None:
    (found,) = external.parse(RACECHECK)[0]
    assert (found.code, found.span and found.span.line) == ("OX4001", 42)
    assert [(one.span.line, one.text) for one in found.labels] == [(40, "one of them is here")]


def test_barriers_and_unwritten_memory() -> None:
    assert told(SYNCCHECK) == [("OX3001", "barrier: Divergent thread(s) in block", 61)]
    assert told(INITCHECK) == [("OX7005", "global memory is read where nothing was written", None)]
    assert external.parse("========= COMPUTE-SANITIZER\nfine\n========= ERROR SUMMARY: 0 errors\n") == ([], "fine\n")


def test_recorded_output(tmp_path: Path) -> None:
    """Files are named without their folder: those beside the program are found there."""
    program = tmp_path / "faulty.py"
    program.write_text("".join(f"    line {number}\n" for number in range(1, 30)), encoding="utf-8")
    found, output = external.parse(RECORDED, str(program))
    assert [(one.code, one.span and one.span.line) for one in found] == [("OX4001", 19), ("OX7005", 18), ("OX7001", 10)]
    assert {one.span.file for one in found if one.span} == {str(program)}
    assert found[0].labels[0].span.line == 18 and found[0].span is not None and (found[0].span.column, found[0].span.end_column) == (5, 12)
    assert found[2].notes == (
        "thread (0, 0, 0) of block (0, 0, 0)",
        "in the kernel `outside`",
        "Access to 0x48eb000000 is out of bounds",
        "and is 16,776,449 bytes after the nearest allocation at 0x48ea000200 of size 256 bytes",
    )
    assert output.splitlines() == ["error[OX7001]: index out of bounds of `y`: index 4194304, length 64", "  --> /tmp/faulty.py:10:9", ""]
    assert external.parse(RECORDED)[0][0].span == Span("faulty.py", 19, 1, 19, 2)


def test_a_call_that_the_driver_refused(tmp_path: Path) -> None:
    program = tmp_path / "faulty.py"
    program.write_text("".join(f"    line {number}\n" for number in range(1, 30)), encoding="utf-8")
    (found,), output = external.parse(REFUSED, str(program))
    assert (found.code, found.message) == ("OX7008", "the CUDA driver refused `cuFuncGetParamInfo`: CUDA_ERROR_INVALID_VALUE")
    assert found.span is not None and (found.span.file, found.span.line) == (str(program), 9)
    assert found.notes == () and output == "PASSED: a x + y of 1000 elements\n"
    assert external.parse(REFUSED)[0][0].span is None


@pytest.mark.parametrize(("code", "told"), [(86, [("OX7008", ("Error: something new", "    at step in main.py"))]), (0, [])])
def test_a_report_in_other_words_is_no_silence(monkeypatch: pytest.MonkeyPatch, code: int, told: list[object]) -> None:
    said = "========= COMPUTE-SANITIZER\n========= Error: something new\n=========     at step in main.py\n=========\nPASSED\n"
    done = subprocess.CompletedProcess([], code, said + "========= ERROR SUMMARY: 1 error\n")
    monkeypatch.setattr(external, "locate", lambda: "/opt/compute-sanitizer")
    monkeypatch.setattr(external.subprocess, "run", lambda *_, **__: done)
    outcome = external.examine("memcheck", ["main.py"])
    assert [(one.code, one.notes) for one in outcome.found] == told and outcome.output == "PASSED\n"


def test_a_tool_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(external, "PLACES", ())
    with pytest.raises(LaunchError, match="install the CUDA toolkit") as raised:
        external.locate()
    assert raised.value.code == "OX8013"


def test_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external, "locate", lambda: "/opt/compute-sanitizer")
    line = external.command("memcheck", True, ["main.py", "--device", "cuda:0"])
    assert line[:3] == ["/opt/compute-sanitizer", "--tool", "memcheck"] and line[-3:] == ["main.py", "--device", "cuda:0"]
    assert line[line.index("--error-exitcode") + 1] == "86" and "--leak-check" in line
