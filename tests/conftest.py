"""What all tests share: a cache of their own, and `gpu` tests that skip with a reason where there is no GPU."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile

import pytest

PROBE = """
import ctypes, sys
try:
    driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
except OSError as error:
    sys.exit(f"no CUDA driver: {error}")
count = ctypes.c_int()
status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
if status or not count.value:
    sys.exit(f"the CUDA driver gives no device (status {status}, {count.value} devices)")
"""


@functools.cache
def why_no_gpu() -> str | None:
    """None if a CUDA device answers; asked in a child process, so that this one stays free of the driver."""
    try:
        done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "the CUDA driver did not answer within 60 s"
    return None if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the workers of pytest-xdist inherit the folder of the main process
        config.oxidepy_cache = tempfile.mkdtemp(prefix="oxidepy-tests-")  # type: ignore[attr-defined]
        os.environ["OXIDEPY_CACHE_DIR"] = config.oxidepy_cache  # type: ignore[attr-defined]
        for name in ("OXIDEPY_DEVICE", "OXIDEPY_ARCH", "OXIDEPY_CACHE_SIZE", "OXIDEPY_LOG", "OXIDEPY_TIMEOUT", "NO_COLOR", "FORCE_COLOR"):
            os.environ.pop(name, None)


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = getattr(config, "oxidepy_cache", None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = why_no_gpu() if marked else None
    if reason is not None:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))
