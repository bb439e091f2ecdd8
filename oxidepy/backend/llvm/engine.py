"""LLVM behind one lock: parse, optimise, emit. llvmlite is imported here, at first use, and nowhere else but in the CPU loader."""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import Any, Literal

LOCK = threading.RLock()
"""Held around every call of llvmlite: its objects share one context, which is not safe for threads."""

Vectors = Literal["loops", "straight"]
"""What LLVM makes vectors of: the rounds of loops, or operations that stand side by side."""

NVPTX_TRIPLE = "nvptx64-nvidia-cuda"
_FIRST = """
define ptx_kernel void @first(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %then, label %end
then:
  %at = getelementptr float, ptr addrspace(1) %x, i32 %t
  %v = load float, ptr addrspace(1) %at
  %w = fadd float %v, 1.0
  %to = getelementptr float, ptr addrspace(1) %y, i32 %t
  store float %w, ptr addrspace(1) %to
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


class LlvmError(RuntimeError):
    """LLVM refused text that we made: a fault of the backend, never of the user. Carries the text."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.text = text


@functools.cache
def binding() -> Any:
    """`llvmlite.binding`, with its targets initialised."""
    with LOCK:
        import llvmlite.binding

        llvm: Any = llvmlite.binding
        llvm.set_option("oxidepy", f"-pragma-unroll-threshold={1 << 24}")  # the kernel language has its own limit, and a warning (OX9002)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        return llvm


def prepare() -> None:
    """Import LLVM, and run it once for a GPU: a first run takes three times as long, for what it fetches of the library."""
    with contextlib.suppress(ImportError):  # the first use says it
        assembly(_FIRST, NVPTX_TRIPLE, "sm_80", "+ptx70", 3, "straight")


@functools.cache
def host() -> tuple[str, str, str]:
    """Triple, CPU name and features of this machine, as LLVM names them."""
    with LOCK:
        llvm = binding()
        try:
            features = llvm.get_host_cpu_features().flatten()
        except RuntimeError:  # LLVM cannot tell on this system: what the CPU's name implies
            features = ""
        return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


@functools.cache
def machine(triple: str, cpu: str, features: str) -> Any:
    """The target machine, made once. The caller has made sure that LLVM knows `cpu` and `features`: else LLVM ends the process."""
    with LOCK:
        target = binding().Target.from_triple(triple)
        return target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default")


@functools.cache
def data_layout(triple: str, cpu: str, features: str) -> str:
    with LOCK:
        return str(machine(triple, cpu, features).target_data)


def parse(text: str) -> Any:
    """A verified module of LLVM text. LlvmError if LLVM does not take it; unverified, it could end the process instead."""
    with LOCK:
        try:
            module = binding().parse_assembly(text)
            module.verify()
            return module
        except RuntimeError as error:
            raise LlvmError(str(error), text) from None


def optimise(module: Any, target_machine: Any, level: int, vectors: Vectors) -> None:
    """Run the pipeline of that level (O3) over the module, in place. `vectors`: what it makes vectors of."""
    with LOCK:
        llvm = binding()
        tuning = llvm.create_pipeline_tuning_options(level)
        tuning.loop_vectorization = vectors == "loops" and level > 1
        tuning.slp_vectorization = vectors == "straight" and level > 1
        builder = llvm.create_pass_builder(target_machine, tuning)
        builder.getModulePassManager().run(module, builder)


def assembly(text: str, triple: str, cpu: str, features: str, level: int, vectors: Vectors) -> str:
    """LLVM text → optimised assembly (PTX for nvptx)."""
    with LOCK:
        target_machine = machine(triple, cpu, features)
        module = parse(text)
        optimise(module, target_machine, level, vectors)
        return str(target_machine.emit_assembly(module))


def object_code(text: str, triple: str, cpu: str, features: str, level: int, vectors: Vectors) -> bytes:
    """LLVM text → optimised object file."""
    with LOCK:
        target_machine = machine(triple, cpu, features)
        module = parse(text)
        optimise(module, target_machine, level, vectors)
        return bytes(target_machine.emit_object(module))


def optimised(text: str, triple: str, cpu: str, features: str, level: int, vectors: Vectors) -> str:
    """LLVM text → optimised LLVM text, for people and for tests."""
    with LOCK:
        module = parse(text)
        optimise(module, machine(triple, cpu, features), level, vectors)
        return str(module)
