"""The checks of LLVM and of our compiler."""

from __future__ import annotations

from typing import Any

import pytest

from oxidepy.doctor.checks import compiler
from oxidepy.doctor.child import ChildEnded

VERSION = {"llvmlite": "0.50.0", "llvm": "22.1.0", "nvptx": True, "host": True, "targets": {}, "path": "llvmlite"}
PTX = {"arch": "sm_80", "isa": "7.0", "entry": True, "bytes": 100, "milliseconds": 5.0}
CPU = {"device": "cpu", "first_ms": 5.0, "launch_us": 9.0, "wrong": None}


def test_llvm(visit: Any) -> None:
    found = compiler.llvm(visit("llvm", {"version": VERSION}))
    assert found.severity == "ok" and found.message == "LLVM 22.1.0 (llvmlite 0.50.0) with the NVPTX target"


@pytest.mark.parametrize(
    ("change", "said"),
    [({"llvmlite": "0.44.0"}, "too old"), ({"nvptx": False}, "target for GPU code"), ({"host": False}, "this machine's processor")],
)
def test_bad_llvm(visit: Any, change: dict[str, Any], said: str) -> None:
    found = compiler.llvm(visit("llvm", {"version": {**VERSION, **change}}))
    assert found.severity == "error" and said in found.message and found.fix is not None and "llvmlite>=0.50" in found.fix


def test_llvm_that_does_not_load(visit: Any) -> None:
    examination = visit("llvm", {}, ChildEnded("failed", "version", "ImportError: No module named 'llvmlite'"))
    assert "ImportError: No module named 'llvmlite'" in compiler.llvm(examination).message
    assert compiler.arches(examination).blocked_by == "OXD030"


def test_arches(visit: Any) -> None:
    def found(emitted: list[str], missing: list[str]) -> tuple[str, str]:
        one = compiler.arches(visit("llvm", {"version": VERSION, "arches": {"emitted": emitted, "missing": missing}}))
        return one.severity, one.message

    assert found(["sm_75", "sm_80"], []) == ("ok", "2 GPU architectures, sm_75 to sm_80")
    assert found(["sm_75"], ["sm_130"]) == ("warn", "LLVM does not know sm_130")
    assert found([], ["sm_75"])[0] == "error"


def test_llvm_ends_its_process(visit: Any) -> None:
    ended = ChildEnded("died", "arches", "LLVM ERROR: Cannot select: intrinsic", -6)
    found = compiler.arches(visit("llvm", {"version": VERSION}, ended))
    assert found.severity == "error" and found.message.endswith("signal SIGABRT: LLVM ERROR: Cannot select: intrinsic")
    assert found.evidence["stage"] == "arches"


def test_to_ptx(visit: Any) -> None:
    assert compiler.to_ptx(visit("kernels", {"ptx": PTX})).message == "a kernel compiles to PTX 7.0 for sm_80 in 5.0 ms"
    assert compiler.to_ptx(visit("kernels", {"ptx": {**PTX, "entry": False}})).severity == "error"
    assert compiler.to_ptx(visit("kernels", {}, ChildEnded("failed", "ptx", "CompileError: no"))).severity == "error"


def test_on_cpu(visit: Any) -> None:
    assert compiler.on_cpu(visit("kernels", {"cpu": CPU})).severity == "ok"
    wrong = compiler.on_cpu(visit("kernels", {"cpu": {**CPU, "wrong": 7, "expected": 1.0, "found": 2.0, "count": 1}}))
    assert wrong.severity == "error" and wrong.message == "the CPU device gives 2.0 for element 7 where NumPy gives 1.0"
    assert compiler.on_cpu(visit("kernels", {}, ChildEnded("died", "cpu", "", -11))).message.endswith("signal SIGSEGV")
    assert compiler.on_cpu(visit("kernels", {}, ChildEnded("failed", "ptx", "x"))).blocked_by == "OXD032"


def test_real_llvm(visit: Any) -> None:
    from oxidepy.backend.targets import ARCHES

    examination = visit()
    assert compiler.llvm(examination).severity == "ok"
    found = compiler.arches(examination)
    assert found.severity == "ok" and list(found.evidence["emitted"]) == list(ARCHES)


def test_real_kernel(visit: Any) -> None:
    examination = visit()
    ptx = compiler.to_ptx(examination)
    assert ptx.severity == "ok", ptx
    assert ptx.evidence["isa"] == "7.0"
    cpu = compiler.on_cpu(examination)
    assert cpu.severity == "ok", cpu
