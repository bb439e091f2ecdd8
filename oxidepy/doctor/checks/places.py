"""Where a system keeps what belongs to a GPU: libraries, device files, the marks of containers and of WSL."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from oxidepy.doctor.child import Child, ChildEnded

LIBRARY = "libcuda.so.1"
NUMBERED = re.compile(r"/dev/nvidia\d+")
CONTAINER_RUN = "docker run --gpus all"
# where drivers, container runtimes and toolkits put the library, beside what the loader's own table says
USUAL = (
    "/usr/lib/wsl/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/usr/local/cuda/compat",
    "/usr/local/cuda/lib64/stubs",
    "/run/opengl-driver/lib",
)


def candidates() -> list[str]:
    """Every libcuda.so.1 that a loader might take, in the order of its search; one file once, however many names it has."""
    if sys.platform == "win32":
        path = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "nvcuda.dll")
        return [str(path)] if path.is_file() else []
    folders = [one for one in os.environ.get("LD_LIBRARY_PATH", "").split(":") if one]
    found = [os.path.join(one, LIBRARY) for one in folders] + _in_loader_table() + [os.path.join(one, LIBRARY) for one in USUAL]
    distinct: dict[str, str] = {}
    for path in found:
        if os.path.isfile(path) and _loadable(path):
            distinct.setdefault(os.path.realpath(path), os.path.abspath(path))
    return list(distinct.values())


def _loadable(path: str) -> bool:
    """Whether the file is a library for as many bits as this Python has; systems keep one of 32 bits beside that of 64."""
    elf, narrow, wide = b"\x7fELF", 1, 2
    try:
        with open(path, "rb") as file:
            head = file.read(5)
    except OSError:
        return True  # that it cannot be read is for the loader to say
    return head[:4] == elf and head[4] == (wide if sys.maxsize > 1 << 32 else narrow)


def _in_loader_table() -> list[str]:
    """What `ldconfig -p` lists; nothing where there is no such command."""
    command = shutil.which("ldconfig") or shutil.which("ldconfig", path="/sbin:/usr/sbin")
    if command is None:
        return []
    try:
        done = subprocess.run([command, "-p"], capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = (line.strip() for line in done.stdout.splitlines())
    return [line.rpartition("=> ")[2] for line in lines if line.startswith(LIBRARY + " ") and "=> " in line]


def loaded(child: Child) -> str | None:
    """The path of the library that the driver's child has loaded."""
    try:
        path = child.fact("library").get("path")
    except ChildEnded:
        return None
    return None if path is None else str(path)


def device_files() -> list[str]:
    """The files /dev/nvidia*, sorted."""
    return sorted(one for one in glob.glob("/dev/nvidia*") if not os.path.isdir(one))


def kernel_module() -> bool:
    """Whether the system's kernel runs NVIDIA's driver."""
    return os.path.exists("/proc/driver/nvidia/version") or bool(device_files())


def in_wsl() -> bool:
    if os.path.exists("/dev/dxg"):
        return True
    try:
        return "microsoft" in Path("/proc/version").read_text(encoding="utf-8", errors="replace").lower()
    except OSError:
        return False


def container() -> str | None:
    """The kind of container that we are in, or None."""
    for path, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman"), ("/.singularity.d", "apptainer")):
        if os.path.exists(path):
            return kind
    if os.environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    return os.environ.get("container") or None


def permit(path: str) -> str:
    """The command that lets this user open a device file."""
    if os.name == "posix":
        import grp

        try:
            group = grp.getgrgid(os.stat(path).st_gid).gr_name
        except (OSError, KeyError):
            group = "root"
        if group != "root":
            return f"sudo usermod -aG {group} $USER"
    return "sudo chmod a+rw /dev/nvidia*"
