"""Kernel IR → object code for this machine's CPU: the kernel's body inside loops over blocks and threads.

    i64 entry(ptr slots, ptr launch, i64 first, i64 end)

runs the linear blocks [first, end) in order and gives 0, or 1 if it stopped behind a block in which a check failed; the
record then holds the block's lowest such thread. `slots`: one of 8 bytes a parameter (an address, or a scalar's bytes at the
slot's start), then the record's address. `launch`: six i32, grid x y z and block x y z. A failed check never leaves the loop
over threads: it notes what failed in a row of scratch memory and goes on to the next thread, so that LLVM can make vectors of
threads.
"""

from __future__ import annotations

import time

from oxidepy.backend import cpu_hardware, cpu_tensor
from oxidepy.backend.abi import abi_params, checks, panic_sites, symbol
from oxidepy.backend.artefact import Artefact
from oxidepy.backend.cpu_kernel import CpuEmitter, KernelEmitter
from oxidepy.backend.cpu_plan import Plan
from oxidepy.backend.cpu_uniform import GRID, LANE, wait_of
from oxidepy.backend.cpu_warp import WarpEmitter
from oxidepy.backend.llvm import engine
from oxidepy.backend.llvm.debug import Metadata
from oxidepy.backend.llvm.emitter import ModuleText
from oxidepy.backend.llvm.functions import emit_functions
from oxidepy.backend.llvm.prelude import Prelude
from oxidepy.backend.targets import Target
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.core import Kernel, Module, Op
from oxidepy.settings.options import CodegenOptions

# LLVM would use half of the width of some CPUs for fear of a lower clock: threads are many, and a transpose takes twice the time
_ATTRIBUTES = 'nounwind "prefer-vector-width"="512"'
# LLVM 22's vectors of straight code are wrong where a shuffle's loop over few lanes was unrolled (test_cpu_simt_random)
_VECTORS: engine.Vectors = "loops"


def emit(module: Module, target: Target, options: CodegenOptions) -> Artefact:
    """Compile a checked module to an object file for this machine."""
    begin = time.perf_counter()
    found = checks(module.kernel)
    code = engine.object_code(llvm_text(module, target, options), *_machine(target), _level(options), _VECTORS)
    return Artefact(
        target=target.identity,
        entry=entry_symbol(module.kernel),
        code=code,
        params=abi_params(module.kernel),
        sites=panic_sites(found),
        panic=bool(found),
        facts={"arch": target.arch, "milliseconds": round((time.perf_counter() - begin) * 1e3, 3)},
    )


def assembly(module: Module, target: Target, options: CodegenOptions) -> str:
    """The machine code as text, for `--emit asm` and tests."""
    return engine.assembly(llvm_text(module, target, options), *_machine(target), _level(options), _VECTORS)


def optimised_llvm(module: Module, target: Target, options: CodegenOptions) -> str:
    """The LLVM text after optimisation, for `--emit llvm` and tests."""
    return engine.optimised(llvm_text(module, target, options), *_machine(target), _level(options), _VECTORS)


def entry_symbol(kernel: Kernel) -> str:
    """Of our own, so that no kernel is taken for a function of the C library."""
    return f"oxidepy_kernel_{symbol(kernel.name)}"


def _machine(target: Target) -> tuple[str, str, str]:
    return target.layout.partition(" ")[0], target.arch, target.features


def _level(options: CodegenOptions) -> int:
    return 0 if options.device_debug else 3


def llvm_text(module: Module, target: Target, options: CodegenOptions) -> str:
    """The module as LLVM text, before optimisation. Line information stays out: no debugger sees code made this way."""
    module = cpu_tensor.expanded(module)
    kernel = module.kernel
    triple, _, features = _machine(target)
    metadata = Metadata()
    native = "+f16c" in features.split(",") or triple.startswith(("aarch64", "arm64"))
    prelude = Prelude(_ATTRIBUTES, native_f16=native)
    text = ModuleText(prelude, metadata)
    bodies = emit_functions(module, lambda: CpuEmitter(text), _ATTRIBUTES)
    cpu_hardware.refuse(kernel, wide="+cx16" in features.split(",") or not triple.startswith(("x86", "amd64")))
    emitter = _emitter(module, text, metadata)
    emitter.body()
    entry = entry_symbol(kernel)
    return "\n".join(
        (
            f'target datalayout = "{engine.data_layout(*_machine(target))}"',
            f'target triple = "{triple}"',
            *(["@ox.nothing = internal global i32 0"] if emitter.hides else ()),
            *bodies,
            f"define internal i64 @{entry}.blocks(ptr noalias readonly %slots, ptr noalias readonly %launch, i64 %first, i64 %end, "
            f"ptr noalias %context) noinline {_ATTRIBUTES} {{",
            *emitter.lines,
            "}",
            _entry(entry, triple, emitter.context),
            prelude.text(),
            text.tables(),
            metadata.text(),
        )
    )


def _emitter(module: Module, text: ModuleText, metadata: Metadata) -> KernelEmitter:
    """For a kernel without waits its threads are one loop, but for loops with wide steps. CompileError OX6001: waits for other blocks."""
    kernel = module.kernel
    found = checks(kernel)
    refused = [_refused(op) for op in kernel.body.walk() if op.name == "map_shared" or wait_of(op) >= GRID]
    if refused:
        raise CompileError(refused)
    level = max((wait_of(op) for op in kernel.body.walk()), default=LANE)
    plan = Plan(module) if level == LANE and any(op.name in ("for", "while") for op in kernel.body.walk()) else None
    if level == LANE and (plan is None or not plan.strided):
        return KernelEmitter(text, kernel, metadata, found)
    return WarpEmitter(text, kernel, metadata, found, plan or Plan(module))


def _refused(op: Op) -> Diagnostic:
    row = op.attrs["row"] if op.name == "intrinsic" else "cluster.map_shared"
    return Diagnostic(
        "OX6001",
        f"`{row}` needs a CUDA device or `interp`: on the device `cpu` blocks run one after the other",
        op.span,
        help="run this kernel with `--device interp`, or on a GPU",
    )


def _entry(name: str, triple: str, context: int) -> str:
    """Rounds to nearest and keeps denormals whatever the calling thread had set; gives its setting back. `context`: bytes to allocate."""
    if triple.startswith(("x86_64", "amd64", "i686")):
        before = (
            "  %old = alloca i32\n  %own = alloca i32\n  call void @llvm.x86.sse.stmxcsr(ptr %old)\n"
            "  store i32 8064, ptr %own\n  call void @llvm.x86.sse.ldmxcsr(ptr %own)\n"
        )
        after = "  call void @llvm.x86.sse.ldmxcsr(ptr %old)\n"
    elif triple.startswith(("aarch64", "arm64")):
        before = "  %old = call i64 @llvm.aarch64.get.fpcr()\n  call void @llvm.aarch64.set.fpcr(i64 0)\n"
        after = "  call void @llvm.aarch64.set.fpcr(i64 %old)\n"
    else:
        before = after = ""
    buffer, declared = "null", ""
    if context:
        declared = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
        buffer = "%context"
        before += (
            f"  %raw = call ptr @malloc(i64 {context + 127})\n  %none = icmp eq ptr %raw, null\n"
            "  br i1 %none, label %exhausted, label %run\nexhausted:\n  call void @llvm.trap()\n  unreachable\nrun:\n"
            "  %above = getelementptr i8, ptr %raw, i64 127\n  %context = call ptr @llvm.ptrmask.p0.i64(ptr %above, i64 -128)\n"
        )
        after += "  call void @free(ptr %raw)\n"
    return (
        f"{declared}define i64 @{name}(ptr %slots, ptr %launch, i64 %first, i64 %end) {_ATTRIBUTES} {{\n{before}"
        f"  %result = call i64 @{name}.blocks(ptr %slots, ptr %launch, i64 %first, i64 %end, ptr {buffer})\n{after}  ret i64 %result\n}}\n"
    )
