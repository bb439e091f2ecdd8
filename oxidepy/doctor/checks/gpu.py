"""The CUDA driver and its devices. All that touches the driver is asked in one child process, so a driver that hangs hangs only that.

A machine without a GPU is a fine machine: what is missing is told as information, and is an error only where CUDA is required.
"""

from __future__ import annotations

import os
import sys
from importlib import metadata
from typing import Any

from oxidepy.doctor.checks import places
from oxidepy.doctor.checks.compiler import blocked, evidence_of, said
from oxidepy.doctor.checks.python import pip
from oxidepy.doctor.child import ChildEnded
from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Finding

LIBRARY, DRIVER, DEVICES = "OXD040", "OXD043", "OXD045"
WSL_FOLDER = "/usr/lib/wsl"
INSTALL_DRIVER = "sudo ubuntu-drivers install" if sys.platform == "linux" else "https://www.nvidia.com/drivers"
INSTALL_BINDINGS = "cuda-python>=12.8"
# status of cuInit → what it means here, and the command that mends it
MEANINGS: dict[int, tuple[str, str]] = {
    3: ("the driver is not initialised", "nvidia-smi"),
    34: ("the loaded library is a stub to link with, and no driver", "unset LD_LIBRARY_PATH"),
    46: ("all devices are busy or unavailable", "nvidia-smi"),
    100: ("the driver sees no device", "nvidia-smi -L"),
    101: ("the driver sees no such device", "nvidia-smi -L"),
    304: ("the system refused something that the driver needs", "ls -l /dev/nvidia*"),
    802: ("the system is not ready: the fabric manager does not run", "sudo systemctl start nvidia-fabricmanager"),
    803: ("the library and the driver of the system have different versions", "sudo reboot"),
    804: ("the compatibility library does not work with this device and driver", "unset LD_LIBRARY_PATH"),
    999: (
        "an unknown error; mostly its kernel module or /dev/nvidia-uvm is missing, or the wrong library was loaded",
        "sudo nvidia-modprobe -u -c=0",
    ),
}
NO_DEVICE = 100
# stage of the driver's child → what it means that it fails, and the command that tells more or mends it
FAILURES = {
    "devices": ("the driver does not list its devices", "nvidia-smi"),
    "isa": ("the driver takes no PTX", INSTALL_DRIVER),
    "launch": ("a kernel does not run on the GPU", "oxidepy doctor -v --only OXD048"),
}
ASKED = {"version": "cuDriverGetVersion", "init": "cuInit"}
# stage that was not answered → the check that tells so
BLOCKERS = {"library": LIBRARY, "version": DRIVER, "init": DRIVER, "devices": DEVICES, "isa": "OXD046"}


def library(examination: Examination) -> Finding:
    candidates = places.candidates()
    evidence: dict[str, Any] = {"candidates": candidates}
    try:
        facts: dict[str, Any] = examination.child("driver").fact("library")
    except ChildEnded as ended:
        evidence.update(evidence_of(ended))
        return Finding(
            "error", f"loading the CUDA driver's library does not end well: {said(ended)}", evidence, INSTALL_DRIVER, lacks="cuda"
        )
    evidence.update(facts)
    if not facts["found"]:
        return _no_library(facts, candidates, evidence)
    path = str(facts["path"])
    evidence["wsl"] = places.in_wsl()
    if places.in_wsl() and not path.startswith(WSL_FOLDER):
        message = f"{path} shadows the driver of WSL, which is {WSL_FOLDER}/lib/libcuda.so.1"
        return Finding("error", message, evidence, f"export LD_LIBRARY_PATH={WSL_FOLDER}/lib:$LD_LIBRARY_PATH", lacks="cuda")
    if "/stubs/" in path:
        return Finding("error", f"{path} is a stub to link with, and no driver", evidence, "unset LD_LIBRARY_PATH", lacks="cuda")
    others = [one for one in candidates if os.path.realpath(one) != os.path.realpath(path) and "/stubs/" not in one]
    if others:
        message = f"{path} is loaded, and there {'is another' if len(others) == 1 else 'are others'}: {', '.join(others)}"
        return Finding("info", message, evidence, f"ls -l {' '.join(others)}")
    return Finding("ok", path, evidence)


def _no_library(facts: dict[str, Any], candidates: list[str], evidence: dict[str, Any]) -> Finding:
    usable = [one for one in candidates if "/stubs/" not in one]
    if usable:
        message = f"{usable[0]} is there and cannot be loaded: {facts['error']}"
        return Finding("error", message, evidence, f"export LD_LIBRARY_PATH={os.path.dirname(usable[0])}:$LD_LIBRARY_PATH", lacks="cuda")
    if places.kernel_module():
        message = "the system runs an NVIDIA driver, and its library libcuda.so.1 is not to be found"
        if places.container():  # which may have been started without a GPU on purpose, unless it has the devices
            return Finding("warn" if places.device_files() else "info", message, evidence, places.CONTAINER_RUN, lacks="cuda")
        return Finding("warn", message, evidence, INSTALL_DRIVER, lacks="cuda")
    return Finding("info", "no CUDA driver on this machine: kernels run on the CPU device", evidence, INSTALL_DRIVER, lacks="cuda")


def container(examination: Examination) -> Finding:
    """Inside of a container the driver comes in through a hook of its runtime."""
    kind = places.container()
    names = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
    evidence: dict[str, Any] = {"container": kind, **{name: os.environ.get(name) for name in names}, "devices": places.device_files()}
    if kind is None:
        return Finding("ok", "not in a container", evidence)
    visible, abilities = os.environ.get(names[0]), os.environ.get(names[1])
    asked = visible is not None and visible not in ("", "void", "none")
    if asked and abilities and not {"all", "compute"} & set(abilities.split(",")):
        message = f"NVIDIA_DRIVER_CAPABILITIES is {abilities!r}, which leaves CUDA out: compute is missing"
        return Finding("warn", message, evidence, places.CONTAINER_RUN + " -e NVIDIA_DRIVER_CAPABILITIES=compute,utility", lacks="cuda")
    if asked and not places.device_files() and not places.in_wsl():
        message = f"this {kind} container asks for GPUs (NVIDIA_VISIBLE_DEVICES={visible}) and has none: it runs without NVIDIA's runtime"
        return Finding("warn", message, evidence, places.CONTAINER_RUN, lacks="cuda")
    if not places.device_files() and not places.in_wsl():
        return Finding("info", f"this {kind} container was started without a GPU", evidence, places.CONTAINER_RUN, lacks="cuda")
    return Finding("ok", f"in a {kind} container that has GPU devices", evidence)


def permissions(examination: Examination) -> Finding:
    files = places.device_files()
    if not files:
        where = "WSL hands the GPU over as /dev/dxg" if places.in_wsl() else "no /dev/nvidia* here"
        return Finding("ok" if places.in_wsl() else "info", where, {"files": files}, blocked_by=None if places.in_wsl() else LIBRARY)
    closed = [one for one in files if places.NUMBERED.fullmatch(one) or one.endswith(("ctl", "-uvm"))]
    closed = [one for one in closed if not os.access(one, os.R_OK | os.W_OK)]
    evidence = {"files": files, "closed": closed}
    if closed:
        message = f"this user may not open {', '.join(closed)}"
        return Finding("error", message, evidence, places.permit(closed[0]), lacks="cuda")
    for needed in ("/dev/nvidiactl", "/dev/nvidia-uvm"):
        if needed not in files:
            message = f"{needed} is missing, without which CUDA does not start"
            return Finding("warn", message, evidence, "sudo nvidia-modprobe -u -c=0", lacks="cuda")
    return Finding("ok", f"{len(files)} files /dev/nvidia* can be opened", evidence)


def driver(examination: Examination) -> Finding:
    child = examination.child("driver")
    try:
        if not child.fact("library")["found"]:
            return blocked(LIBRARY, "no CUDA driver")
        version: dict[str, Any] = child.fact("version")
        init: dict[str, Any] = child.fact("init")
    except ChildEnded as ended:
        if ended.stage == "library":
            return blocked(LIBRARY, "the driver's library does not load")
        path = places.loaded(child)
        evidence = {"path": path, **evidence_of(ended)}
        fix = _instead(path, "sudo nvidia-smi --gpu-reset" if ended.kind == "hung" else INSTALL_DRIVER)
        asked = ASKED.get(ended.stage, "it")
        # an error and no warning: whatever asks this driver hangs or dies as well
        return Finding("error", f"the CUDA driver {path} does not answer {asked}: {said(ended)}", evidence, fix, lacks="cuda")
    cuda = "unknown" if version["cuda"] is None else "{}.{}".format(*version["cuda"])
    evidence = {"driver": version["driver"], "cuda": cuda, "path": places.loaded(child), "status": init["status"], "name": init["name"]}
    if init["status"] == 0:
        return Finding("ok", f"driver {version['driver'] or 'of unknown release'}, for CUDA up to {cuda}", evidence)
    if init["status"] == NO_DEVICE:
        return blocked(DEVICES, "the driver sees no device")
    meaning, fix = MEANINGS.get(init["status"], ("see the documentation of the CUDA driver", "nvidia-smi"))
    named = f"{init['status']} ({init['name']})" if init["name"] else str(init["status"])
    message = f"the CUDA driver does not start: cuInit of {evidence['path']} gives {named}: {meaning}"
    return Finding("warn", message, evidence, _instead(evidence["path"], fix), lacks="cuda")


def _instead(path: str | None, fix: str) -> str:
    """The command that mends a bad driver: where the library came from LD_LIBRARY_PATH, that is the first thing to undo."""
    folders = [os.path.realpath(one) for one in os.environ.get("LD_LIBRARY_PATH", "").split(":") if one]
    return "unset LD_LIBRARY_PATH" if path is not None and os.path.dirname(os.path.realpath(path)) in folders else fix


def visible(examination: Examination) -> Finding:
    text = os.environ.get("CUDA_VISIBLE_DEVICES")
    there = [one for one in places.device_files() if places.NUMBERED.fullmatch(one)]
    order = os.environ.get("CUDA_DEVICE_ORDER")
    evidence: dict[str, Any] = {"CUDA_VISIBLE_DEVICES": text, "CUDA_DEVICE_ORDER": order, "device_files": len(there)}
    if text is None:
        return Finding("ok", "CUDA_VISIBLE_DEVICES is not set: every device can be used", evidence)
    chosen = _chosen(text, len(there) or None)
    evidence["chosen"] = chosen
    unset = "set CUDA_VISIBLE_DEVICES=" if os.name == "nt" else "unset CUDA_VISIBLE_DEVICES"
    if not chosen:
        return Finding(
            "warn" if there else "info", f"CUDA_VISIBLE_DEVICES is {text!r}, which hides every device", evidence, unset, lacks="cuda"
        )
    if there and len(chosen) < len(there):
        return Finding("info", f"CUDA_VISIBLE_DEVICES is {text!r}: {len(chosen)} of {len(there)} devices can be used", evidence, unset)
    return Finding("ok", f"CUDA_VISIBLE_DEVICES is {text!r}", evidence)


def _chosen(text: str, count: int | None) -> list[str]:
    """The devices that the driver takes from the variable: those before the first that is none."""
    chosen: list[str] = []
    for one in (part.strip() for part in text.split(",")):
        if one.startswith(("GPU-", "MIG-")):
            chosen.append(one)
        elif one.isdecimal() and (count is None or int(one) < count) and one not in chosen:
            chosen.append(one)
        else:
            break
    return chosen


def devices(examination: Examination) -> Finding:
    found = _reported(examination, "devices")
    if isinstance(found, Finding):
        return found
    listed: list[dict[str, Any]] = found["devices"]
    if not listed:
        return _no_device()
    texts = [f"{one['name']} (sm_{''.join(map(str, one['capability']))}, {one['memory_bytes'] / (1 << 30):.0f} GiB)" for one in listed]
    old = [one["name"] for one in listed if one["capability"] < [7, 5]]
    if old:
        message = f"{', '.join(old)}: older than sm_75, the oldest that kernels are compiled for"
        return Finding("warn", message, found, "export OXIDEPY_DEVICE=cpu", lacks="cuda")
    closed = [one["name"] for one in listed if one["compute_mode"] == 2]
    if closed:
        return Finding("warn", f"{', '.join(closed)}: the compute mode prohibits CUDA", found, "sudo nvidia-smi -c DEFAULT", lacks="cuda")
    return Finding("ok", _grouped(texts), found)


def isa(examination: Examination) -> Finding:
    facts = _reported(examination, "isa")
    if isinstance(facts, Finding):
        return facts
    accepted, emitted = facts["accepted"], facts["emitted"]
    if accepted is None:
        return Finding("warn", f"the driver takes no PTX at all (status {facts['status']})", facts, INSTALL_DRIVER, lacks="cuda")
    takes = "the driver takes PTX up to {}.{}".format(*accepted)
    if emitted is None:
        return Finding("warn", f"{takes}; kernels cannot be compiled for {facts['arch']} yet", facts, pip("oxidepy"), lacks="cuda")
    need = "kernels for {} need {}.{}".format(facts["arch"], *emitted)
    if accepted < emitted:
        return Finding("warn", f"{takes}, and {need}: the driver is too old", facts, INSTALL_DRIVER, lacks="cuda")
    return Finding("ok", f"{takes}; {need}", facts)


def bindings(examination: Examination) -> Finding:
    """The Python package through which our runtime speaks to the driver."""
    if sys.platform not in ("linux", "win32"):
        return Finding("info", f"there is no CUDA for {sys.platform}", lacks="cuda")
    try:
        version = metadata.version("cuda-bindings")
    except metadata.PackageNotFoundError:
        # of no use without a driver, so without one nothing is amiss
        return Finding("warn" if places.device_files() else "info", "cuda-python is not installed", {}, pip(INSTALL_BINDINGS), lacks="cuda")
    return Finding("ok", f"cuda-bindings {version}", {"version": version})


def launch(examination: Examination) -> Finding:
    facts = _reported(examination, "launch")
    if isinstance(facts, Finding):
        return facts
    launches: list[dict[str, Any]] = facts["launches"]
    for one in launches:
        if one["wrong"] is not None:
            message = f"{one['device']} gives {one['found']} for element {one['wrong']} where NumPy gives {one['expected']}"
            return Finding("error", message, facts, "nvidia-smi -q -d ECC", lacks="cuda")
    overheads = " ".join(f"{one['launch_us']:.1f}" for one in launches)
    on = launches[0]["device"] if len(launches) == 1 else f"each of {len(launches)} devices"
    return Finding("ok", f"a kernel runs on {on} and gives what NumPy gives; a launch takes {overheads} µs", facts)


def _reported(examination: Examination, stage: str) -> dict[str, Any] | Finding:
    """What the driver's child says of a stage, or why there is nothing to say."""
    child = examination.child("driver")
    try:
        if not child.fact("library")["found"]:
            return blocked(LIBRARY, "no CUDA driver")
        status = child.fact("init")["status"]
        if status == NO_DEVICE:
            return _no_device() if stage == "devices" else blocked(DEVICES, "no device")
        if status != 0:
            return blocked(DRIVER, "the CUDA driver does not start")
        if stage != "devices" and not child.fact("devices")["devices"]:
            return blocked(DEVICES, "no device")
        facts: dict[str, Any] = child.fact(stage)
        return facts
    except ChildEnded as ended:
        if ended.stage == stage:
            what, fix = FAILURES[stage]
            return Finding("error", f"{what}: {said(ended)}", evidence_of(ended), fix, lacks="cuda")
        return blocked(BLOCKERS.get(ended.stage, DRIVER), "an earlier question to the driver was not answered")


def _no_device() -> Finding:
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    evidence = {"CUDA_VISIBLE_DEVICES": hidden, "device_files": places.device_files()}
    if hidden is not None:
        message = f"the driver shows no device, with CUDA_VISIBLE_DEVICES={hidden!r}"
        return Finding("info", message, evidence, "unset CUDA_VISIBLE_DEVICES", lacks="cuda")
    return Finding("info", "the driver is there, and no device: kernels run on the CPU device", evidence, "nvidia-smi -L", lacks="cuda")


def _grouped(texts: list[str]) -> str:
    """The same devices once, with their number."""
    counts = {text: texts.count(text) for text in texts}
    return ", ".join(f"{count} × {text}" if count > 1 else text for text, count in counts.items())
