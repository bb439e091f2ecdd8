"""The checks of the CUDA driver, with made-up drivers, and with libraries that pretend to be one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oxidepy.doctor.checks import gpu, places
from oxidepy.doctor.checks.table import CHECKS
from oxidepy.doctor.child import ChildEnded
from oxidepy.doctor.examination import PROBES, Examination
from oxidepy.doctor.model import Finding
from oxidepy.doctor.runner import examine

PATH = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06"
CARD = {"index": 0, "name": "NVIDIA H200", "capability": [9, 0], "memory_bytes": 140 << 30, "multiprocessors": 132, "compute_mode": 0}
LAUNCH = {"device": "cuda:0", "first_ms": 20.0, "launch_us": 4.6, "wrong": None}
GOOD: dict[str, Any] = {
    "library": {"found": True, "path": PATH},
    "version": {"cuda": [13, 0], "driver": "580.65.06"},
    "init": {"status": 0, "name": None},
    "devices": {"devices": [CARD]},
    "isa": {"accepted": [9, 0], "status": 0, "tried": "sm_75", "arch": "sm_90a", "emitted": [8, 0]},
    "launch": {"launches": [LAUNCH]},
}
DRIVER_CHECKS = (gpu.library, gpu.driver, gpu.devices, gpu.isa, gpu.launch)


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A machine with one card and no container; a test changes what it looks at."""
    there: dict[str, Any] = {
        "files": ["/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidiactl"],
        "candidates": [PATH],
        "wsl": False,
        "container": None,
        "module": True,
    }
    monkeypatch.setattr(places, "device_files", lambda: list(there["files"]))
    monkeypatch.setattr(places, "candidates", lambda: list(there["candidates"]))
    monkeypatch.setattr(places, "in_wsl", lambda: there["wsl"])
    monkeypatch.setattr(places, "container", lambda: there["container"])
    monkeypatch.setattr(places, "kernel_module", lambda: there["module"])
    return there


def told(visit: Any, **changes: Any) -> Examination:
    """The driver's child of a good machine, with some stages changed; what is None was not told."""
    facts = {stage: facts for stage, facts in {**GOOD, **changes}.items() if facts is not None}
    return visit("driver", facts, ChildEnded("died", "end", "", 0))


def ending(visit: Any, stage: str, kind: Any = "hung", text: str = "no answer within 20 s", status: int | None = None) -> Examination:
    before = list(GOOD)[: list(GOOD).index(stage)]
    return visit("driver", {one: GOOD[one] for one in before}, ChildEnded(kind, stage, text, status))


def test_good_machine(visit: Any) -> None:
    examination = told(visit)
    messages = [check(examination).message for check in DRIVER_CHECKS]
    assert [check(examination).severity for check in DRIVER_CHECKS] == ["ok"] * 5
    assert messages == [
        PATH,
        "driver 580.65.06, for CUDA up to 13.0",
        "NVIDIA H200 (sm_90, 140 GiB)",
        "the driver takes PTX up to 9.0; kernels for sm_90a need 8.0",
        "a kernel runs on cuda:0 and gives what NumPy gives; a launch takes 4.6 µs",
    ]


def test_no_driver(visit: Any, machine: dict[str, Any]) -> None:
    machine.update(files=[], candidates=[], module=False)
    examination = told(visit, library={"found": False, "error": "no such file"})
    found = [check(examination) for check in DRIVER_CHECKS]
    assert found[0].severity == "info" and found[0].lacks == "cuda" and "on the CPU device" in found[0].message
    assert [one.blocked_by for one in found[1:]] == ["OXD040"] * 4


def test_library_that_does_not_load(visit: Any) -> None:
    found = gpu.library(told(visit, library={"found": False, "error": "wrong ELF class"}))
    assert found.severity == "error" and "cannot be loaded: wrong ELF class" in found.message
    assert found.fix == "export LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu:$LD_LIBRARY_PATH"


def test_driver_without_library(visit: Any, machine: dict[str, Any]) -> None:
    machine.update(candidates=[])
    nothing = {"found": False, "error": "no such file"}
    assert gpu.library(told(visit, library=nothing)).severity == "warn"
    machine.update(container="docker")
    assert gpu.library(told(visit, library=nothing)).fix == "docker run --gpus all"
    machine.update(files=[])
    assert gpu.library(told(visit, library=nothing)).severity == "info"


def test_other_candidates(visit: Any, machine: dict[str, Any]) -> None:
    machine.update(candidates=[PATH, "/opt/old/libcuda.so.1"])
    found = gpu.library(told(visit))
    assert found.severity == "info" and found.message == f"{PATH} is loaded, and there is another: /opt/old/libcuda.so.1"
    machine.update(candidates=[PATH, "/usr/local/cuda/lib64/stubs/libcuda.so.1"])
    assert gpu.library(told(visit)).severity == "ok"


def test_stub(visit: Any) -> None:
    found = gpu.library(told(visit, library={"found": True, "path": "/usr/local/cuda/lib64/stubs/libcuda.so"}))
    assert found.severity == "error" and "stub" in found.message


def test_wsl_shadowing(visit: Any, machine: dict[str, Any]) -> None:
    machine.update(wsl=True)
    found = gpu.library(told(visit))
    assert found.severity == "error" and f"{PATH} shadows the driver of WSL" in found.message
    assert found.fix == "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH"
    good = "/usr/lib/wsl/lib/libcuda.so.1"
    machine.update(candidates=[good])
    assert gpu.library(told(visit, library={"found": True, "path": good})).severity == "ok"


@pytest.mark.parametrize(
    ("variables", "files", "severity", "said"),
    [
        ({}, True, "ok", "has GPU devices"),
        ({}, False, "info", "started without a GPU"),
        ({"NVIDIA_VISIBLE_DEVICES": "void"}, False, "info", "started without a GPU"),
        ({"NVIDIA_VISIBLE_DEVICES": "all"}, False, "warn", "runs without NVIDIA's runtime"),
        ({"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "utility"}, True, "warn", "compute is missing"),
        ({"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}, True, "ok", "has GPU devices"),
    ],
)
def test_containers(
    monkeypatch: pytest.MonkeyPatch, machine: dict[str, Any], variables: dict[str, str], files: bool, severity: str, said: str
) -> None:
    machine.update(container="docker", files=machine["files"] if files else [])
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = gpu.container(Examination())
    assert found.severity == severity and said in found.message
    assert (found.fix or "docker run --gpus all").startswith("docker run --gpus all")


def test_no_container() -> None:
    assert gpu.container(Examination()).message == "not in a container"


def test_permissions(machine: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    assert gpu.permissions(Examination()).severity == "ok"
    monkeypatch.setattr(os, "access", lambda path, mode: path != "/dev/nvidia0")
    monkeypatch.setattr(places, "permit", lambda path: f"permit {path}")
    found = gpu.permissions(Examination())
    assert found.severity == "error" and found.message == "this user may not open /dev/nvidia0" and found.fix == "permit /dev/nvidia0"
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    machine.update(files=["/dev/nvidia0", "/dev/nvidiactl"])
    assert "/dev/nvidia-uvm is missing" in gpu.permissions(Examination()).message
    machine.update(files=[])
    assert gpu.permissions(Examination()).blocked_by == "OXD040"
    machine.update(wsl=True)
    assert gpu.permissions(Examination()).severity == "ok"


@pytest.mark.skipif(os.name != "posix", reason="groups are a matter of POSIX")
def test_permit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import grp
    from types import SimpleNamespace

    monkeypatch.setattr(grp, "getgrgid", lambda number: SimpleNamespace(gr_name="video"))
    assert places.permit(str(tmp_path)) == "sudo usermod -aG video $USER"
    monkeypatch.setattr(grp, "getgrgid", lambda number: SimpleNamespace(gr_name="root"))
    assert places.permit(str(tmp_path)) == "sudo chmod a+rw /dev/nvidia*"


@pytest.mark.parametrize(
    ("status", "severity", "said"),
    [
        (999, "warn", f"cuInit of {PATH} gives 999 (CUDA_ERROR): an unknown error"),
        (803, "warn", "different versions"),
        (34, "warn", "a stub to link with"),
        (12345, "warn", "gives 12345"),
        (100, "info", "not examined"),
    ],
)
def test_init_fails(visit: Any, status: int, severity: str, said: str) -> None:
    examination = told(visit, init={"status": status, "name": "CUDA_ERROR"}, devices=None, isa=None, launch=None)
    found = gpu.driver(examination)
    assert found.severity == severity and said in found.message
    assert gpu.launch(examination).blocked_by == ("OXD045" if status == 100 else "OXD043")


def test_bad_library_is_undone_first(visit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes: dict[str, Any] = {"library": {"found": True, "path": str(tmp_path / "libcuda.so.1")}, "init": {"status": 999, "name": None}}
    assert gpu.driver(told(visit, **changes)).fix == "sudo nvidia-modprobe -u -c=0"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/elsewhere:{tmp_path}")
    assert gpu.driver(told(visit, **changes)).fix == "unset LD_LIBRARY_PATH"


def test_driver_hangs(visit: Any) -> None:
    examination = ending(visit, "init")
    found = gpu.driver(examination)
    assert found.severity == "error" and found.message == f"the CUDA driver {PATH} does not answer cuInit: no answer within 20 s"
    assert gpu.library(examination).severity == "ok"
    assert [check(examination).blocked_by for check in (gpu.devices, gpu.isa, gpu.launch)] == ["OXD043"] * 3


def test_driver_dies(visit: Any) -> None:
    found = gpu.driver(ending(visit, "init", "died", "", -11))
    assert found.severity == "error" and found.message.endswith("the process that asked ended with signal SIGSEGV")
    assert gpu.library(ending(visit, "library", "died", "", -11)).severity == "error"


@pytest.mark.parametrize(
    ("value", "cards", "severity", "said"),
    [
        (None, 2, "ok", "is not set"),
        ("0,1", 2, "ok", "'0,1'"),
        ("1", 2, "info", "1 of 2 devices"),
        ("1,9,0", 2, "info", "1 of 2 devices"),
        ("", 2, "warn", "hides every device"),
        ("-1", 2, "warn", "hides every device"),
        ("99", 2, "warn", "hides every device"),
        ("0,0", 1, "ok", "'0,0'"),
        ("GPU-8932f937", 1, "ok", "GPU-8932f937"),
        ("", 0, "info", "hides every device"),
    ],
)
def test_visible(monkeypatch: pytest.MonkeyPatch, machine: dict[str, Any], value: str | None, cards: int, severity: str, said: str) -> None:
    machine.update(files=[f"/dev/nvidia{number}" for number in range(cards)] + ["/dev/nvidiactl"])
    if value is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    found = gpu.visible(Examination())
    assert found.severity == severity and said in found.message


def test_devices(visit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*cards: dict[str, Any]) -> Finding:
        return gpu.devices(told(visit, devices={"devices": list(cards)}))

    assert found(CARD, {**CARD, "index": 1}).message == "2 × NVIDIA H200 (sm_90, 140 GiB)"
    assert "older than sm_75" in found({**CARD, "name": "Tesla P100", "capability": [6, 0]}).message
    assert "prohibits CUDA" in found({**CARD, "compute_mode": 2}).message
    none = found()
    assert none.severity == "info" and none.lacks == "cuda" and "no device" in none.message
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    assert found().fix == "unset CUDA_VISIBLE_DEVICES"
    assert gpu.launch(told(visit, devices={"devices": []})).blocked_by == "OXD045"


def test_isa(visit: Any) -> None:
    def found(**changes: Any) -> Finding:
        return gpu.isa(told(visit, isa={**GOOD["isa"], **changes}))

    assert found(accepted=[7, 8]).message == "the driver takes PTX up to 7.8, and kernels for sm_90a need 8.0: the driver is too old"
    assert found(accepted=[7, 8]).severity == "warn"
    assert found(accepted=None, status=222).message == "the driver takes no PTX at all (status 222)"
    assert "cannot be compiled for sm_60" in found(arch="sm_60", emitted=None).message
    failed = gpu.isa(ending(visit, "isa", "failed", "RuntimeError: cuDevicePrimaryCtxRetain gave 2"))
    assert failed.severity == "error" and "cuDevicePrimaryCtxRetain gave 2" in failed.message


def test_bindings(monkeypatch: pytest.MonkeyPatch, machine: dict[str, Any]) -> None:
    if sys.platform not in ("linux", "win32"):
        assert gpu.bindings(Examination()).severity == "info"
        return
    monkeypatch.setattr(gpu.metadata, "version", lambda name: "13.0.1")
    assert gpu.bindings(Examination()).message == "cuda-bindings 13.0.1"

    def missing(name: str) -> str:
        raise gpu.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(gpu.metadata, "version", missing)
    found = gpu.bindings(Examination())
    assert found.severity == "warn" and found.fix is not None and "cuda-python>=12.8" in found.fix
    machine.update(files=[])
    assert gpu.bindings(Examination()).severity == "info"


def test_launch(visit: Any) -> None:
    wrong = {**LAUNCH, "wrong": 5, "expected": 1.0, "found": 0.0, "count": 3}
    found = gpu.launch(told(visit, launch={"launches": [LAUNCH, {**wrong, "device": "cuda:1"}]}))
    assert found.severity == "error" and found.message == "cuda:1 gives 0.0 for element 5 where NumPy gives 1.0"
    failed = gpu.launch(ending(visit, "launch", "failed", "DeviceError: out of memory"))
    assert failed.severity == "error" and failed.message == "a kernel does not run on the GPU: DeviceError: out of memory"
    two = gpu.launch(told(visit, launch={"launches": [LAUNCH, {**LAUNCH, "device": "cuda:1"}]}))
    assert "each of 2 devices" in two.message and "4.6 4.6 µs" in two.message


# ---- libraries that pretend to be the driver

FAKE = """
#include <unistd.h>
int cuInit(unsigned flags) { %s }
int cuDriverGetVersion(int *version) { *version = 12040; return 0; }
int cuGetErrorName(int error, const char **text) { *text = "CUDA_ERROR_FAKE"; return 0; }
int cuDeviceGetCount(int *count) { *count = 0; return 0; }
"""
needs_gcc = pytest.mark.skipif(sys.platform != "linux" or shutil.which("gcc") is None, reason="gcc on Linux makes the library")


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> Path:
    (folder / "fake.c").write_text(source)
    library = folder / "libcuda.so.1"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(folder / "fake.c")], check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    return library


def examined(**limits: float) -> dict[str, Finding]:
    examination = Examination(probes={"driver": {**PROBES["driver"], **limits}})
    checks = [CHECKS[code] for code in ("OXD040", "OXD043", "OXD045", "OXD046", "OXD048")]
    return {one.check.code: one.finding for one in examine(checks, examination)}


@needs_gcc
def test_fake_driver_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: dict[str, Any]) -> None:
    library = pretend(tmp_path, monkeypatch, FAKE % "return 999;")
    found = examined()
    assert found["OXD040"].evidence["path"] == str(library)
    assert found["OXD043"].severity == "warn" and found["OXD043"].fix == "unset LD_LIBRARY_PATH"
    assert found["OXD043"].message.startswith(f"the CUDA driver does not start: cuInit of {library} gives 999 (CUDA_ERROR_FAKE)")
    assert found["OXD043"].evidence["cuda"] == "12.4"
    assert found["OXD048"].blocked_by == "OXD043"


@needs_gcc
def test_fake_driver_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = pretend(tmp_path, monkeypatch, FAKE % "for (;;) pause();")
    found = examined(init=0.5)
    assert found["OXD040"].evidence["path"] == str(library)
    assert found["OXD043"].severity == "error"
    assert found["OXD043"].message == f"the CUDA driver {library} does not answer cuInit: no answer within 0.5 s"
    assert [found[code].blocked_by for code in ("OXD045", "OXD046", "OXD048")] == ["OXD043"] * 3


@needs_gcc
def test_fake_driver_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, FAKE % "*(volatile int *)8 = 1; return 0;")
    assert "SIGSEGV" in examined()["OXD043"].message


@needs_gcc
def test_fake_driver_without_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, FAKE % "return 0;")
    found = examined()
    assert found["OXD043"].message.endswith("for CUDA up to 12.4") and found["OXD045"].severity == "info"


@needs_gcc
def test_another_library_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, "int something_else(void) { return 0; }\n")
    found = examined()["OXD043"]
    assert found.severity == "error" and "has no function cuInit: it is not the CUDA driver" in found.message


CARDS = (
    FAKE.replace("*count = 0", "*count = 2") % "return 0;"
    + r"""
#include <stdio.h>
#include <stddef.h>
static int retained;
int cuDeviceGet(int *device, int number) { *device = number; return 0; }
int cuDeviceGetName(char *name, int size, int device) { snprintf(name, size, "Card %d", device); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)8 << 30; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) { *value = attribute == 75 ? 8 : attribute == 76 ? 6 : 0; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { retained++; *context = &retained; return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { retained--; return 0; }
int cuCtxPushCurrent_v2(void *context) { return context != &retained; }
int cuCtxPopCurrent_v2(void **context) { *context = &retained; return 0; }
int cuModuleUnload(void *module) { return module != &retained; }
int cuModuleLoadData(void **module, const char *text) {
  int major, minor;
  if (sscanf(text, ".version %d.%d", &major, &minor) != 2) return 218;
  if (major * 10 + minor > NEWEST) return 222;
  *module = &retained;
  return 0;
}
"""
)


@needs_gcc
@pytest.mark.parametrize(
    ("newest", "severity", "said"),
    [("84", "ok", "up to 8.4; kernels for sm_86 need 7.1"), ("70", "warn", "too old"), ("0", "warn", "no PTX")],
)
def test_fake_driver_with_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newest: str, severity: str, said: str) -> None:
    pretend(tmp_path, monkeypatch, CARDS.replace("NEWEST", newest))
    found = examined()
    assert found["OXD045"].message == "Card 0 (sm_86, 8 GiB), Card 1 (sm_86, 8 GiB)"
    assert found["OXD046"].severity == severity and said in found["OXD046"].message
    # it runs no kernel, and the report survives that
    assert found["OXD048"].severity == "error" and found["OXD048"].message.startswith("a kernel does not run on the GPU: ")


@needs_gcc
def test_real_candidates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: dict[str, Any]) -> None:
    monkeypatch.undo()  # the machine as it is
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        pretend(folder, monkeypatch, FAKE % "return 0;")
    third = tmp_path / "third"
    third.mkdir()
    (third / "libcuda.so.1").write_text("no library")
    (tmp_path / "same").symlink_to(first)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{first}:{tmp_path / 'same'}:{third}:{second}")
    assert places.candidates()[:2] == [str(first / "libcuda.so.1"), str(second / "libcuda.so.1")]


@pytest.mark.gpu
def test_real_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    examination = Examination(require=["cuda"])
    checks = [one for one in CHECKS.values() if one.group == "GPU"]
    found = {one.check.code: one.finding for one in examine(checks, examination)}
    assert all(one.severity in ("ok", "info") for one in found.values()), found
    assert 0 < found["OXD048"].evidence["launches"][0]["launch_us"] < 1000
