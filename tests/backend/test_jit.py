"""Loading object code: many kernels, unloading, the floating-point setting, leaving the process."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading

import numpy as np
from backend.kernels import OPTIONS, CpuKernel, parse

from oxidepy.backend import cpu, cpu_jit
from oxidepy.backend.targets import cpu_target

TEXT = """kernel @NAME(
  %a: mem<f32, global, shared> = memory "a",
  %out: mem<f32, global, disjoint> = memory "out"
) domain 1 block 32x1x1 {
  %i = intrinsic "thread.global_id.x" : i32
  %x = load %a, %i [offset = 0] : f32
  %y = mul %x, %x : f32
  store %out, %i, %y [offset = 0]
  return
}
"""


def resident() -> int:
    """Bytes of memory that this process holds."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_unloaded_code_gives_its_memory_back() -> None:
    code = cpu.emit(parse(TEXT.replace("NAME", "k")), cpu_target(), OPTIONS)

    def rounds(count: int) -> None:
        for _ in range(count):
            loaded = cpu_jit.load(code.code, code.entry)
            assert loaded.address
            loaded.unload()
            assert loaded.address == 0

    rounds(200)
    before = resident()
    rounds(600)
    assert resident() - before < 600 * 1024  # LLVM keeps 9 KB of each library that it linked, the pages of its code not counted


def test_code_with_the_same_symbol_is_kept_apart() -> None:
    first = CpuKernel(parse(TEXT.replace("NAME", "k")))
    second = CpuKernel(parse(TEXT.replace("NAME", "k").replace("mul %x, %x", "add %x, %x")))
    a, out = np.full(32, 3, np.float32), np.zeros(32, np.float32)
    first.run([a.view(np.uint8), out.view(np.uint8)])
    assert out[0] == 9
    second.run([a.view(np.uint8), out.view(np.uint8)])
    assert out[0] == 6
    second.code.unload()
    first.run([a.view(np.uint8), out.view(np.uint8)])
    assert out[0] == 9


def test_a_kernel_named_like_a_library_function() -> None:
    for name in ("exp", "memcpy", "main", "größe", "oxidepy_panic"):
        a, out = np.full(32, 3, np.float32), np.zeros(32, np.float32)
        assert CpuKernel(parse(TEXT.replace("@NAME", f'@"{name}"'))).run([a.view(np.uint8), out.view(np.uint8)])[0] == 0
        assert out[0] == 9


def test_denormals_are_kept_whatever_the_thread_had_set_and_its_setting_comes_back() -> None:
    kernel = CpuKernel(parse(TEXT.replace("NAME", "k")))
    a, out = np.full(32, 1e-20, np.float32), np.zeros(32, np.float32)
    libm = ctypes.CDLL(None)
    towards_zero = {"x86_64": 0xC00, "aarch64": 0xC00000}.get(cpu_target().layout.split("-")[0].replace("arm64", "aarch64"))
    assert towards_zero is not None
    assert libm.fesetround(towards_zero) == 0
    try:
        kernel.run([a.view(np.uint8), out.view(np.uint8)])
        assert libm.fegetround() == towards_zero
    finally:
        libm.fesetround(0)
    assert out[0] == np.float32(1e-20) * np.float32(1e-20) != 0


def test_threads_compile_and_load_at_once() -> None:
    results: list[float] = []

    def work(factor: int) -> None:
        a, out = np.full(32, factor, np.float32), np.zeros(32, np.float32)
        for _ in range(3):
            CpuKernel(parse(TEXT.replace("NAME", f"k{factor}"))).run([a.view(np.uint8), out.view(np.uint8)])
        results.append(float(out[0]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(results) == [1, 4, 9, 16, 25, 36]


def test_the_process_ends_well_while_code_is_running() -> None:
    script = f"""
import sys, threading
sys.path[:0] = {sys.path!r}
import numpy as np
from backend.kernels import CpuKernel, parse
from backend.test_jit import TEXT
kernel = CpuKernel(parse(TEXT.replace("NAME", "k")))
blocks = 1 << 16
a, out = np.ones(32 * blocks, np.float32), np.zeros(32 * blocks, np.float32)
def forever():
    while True:
        kernel.run([a.view(np.uint8), out.view(np.uint8)], (blocks, 1, 1))
threading.Thread(target=forever, daemon=True).start()
import time; time.sleep(0.1)
print("leaving")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "leaving\n"), done.stderr
