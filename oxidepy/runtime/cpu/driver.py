"""The driver of the device `cpu`."""

from __future__ import annotations

import ctypes
import math
import platform
import struct
import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any

from oxidepy.backend import panic as layout
from oxidepy.ir.calls import recursive_functions
from oxidepy.ir.depth import deep
from oxidepy.runtime import packing
from oxidepy.runtime.cpu.pool import Job, Pool
from oxidepy.runtime.driver import Attributes, Launcher, Loaded, Values
from oxidepy.runtime.hosted import HostedDriver, cpu_count
from oxidepy.runtime.panics import Record, device_panic
from oxidepy.runtime.settled import time_limit

if TYPE_CHECKING:
    from oxidepy.backend.targets import Target
    from oxidepy.ir.core import Block, Op
    from oxidepy.lang.definition import KernelDef, Specialisation
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.stream import Stream
    from oxidepy.settings.options import CodegenOptions

INLINE_SECONDS = 60e-6  # a launch that takes less is done before another thread would have begun
INLINE_THREADS = 4096  # the same, as long as nothing has been measured
CHUNK_SECONDS = 5e-3  # Ctrl-C is answered between two chunks
CHUNKS_A_WORKER = 8
FIRST_CHUNKS = 64  # of a worker, as long as nothing has been measured
MANY_ROUNDS = 1 << 16  # a loop of more takes its time

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


class Native:
    """Loaded code of one kernel. `seconds` is what a block took lately, None before the first launch; `long_loops` how many loops that may
    take long stand in each other, of which a `while` counts for two."""

    __slots__ = ("entry", "keep", "long_loops", "seconds")

    def __init__(self, address: int, keep: Any, long_loops: int) -> None:
        self.entry = _ENTRY(address)
        self.keep = keep
        self.long_loops = long_loops
        self.seconds: float | None = None

    @property
    def may_hang(self) -> bool:
        """Whether the next launch must run in other threads than the one that waits for it, which Ctrl-C then still reaches."""
        unknown = self.seconds is None or self.seconds > CHUNK_SECONDS
        return self.long_loops > 1 or (self.long_loops == 1 and unknown)

    def chunk(self, blocks: int, helpers: int) -> int:
        """How many blocks a worker takes at once: short enough for Ctrl-C, else as many as leave each worker some chunks."""
        if self.seconds is None:
            return max(1, blocks // (helpers * FIRST_CHUNKS))
        fair = blocks // (helpers * CHUNKS_A_WORKER) if helpers > 1 else blocks
        return max(1, min(fair, int(CHUNK_SECONDS / self.seconds)) if self.seconds else fair)

    def took(self, seconds: float) -> None:
        """Note what a block took; a launch that was held up by something else counts little."""
        self.seconds = seconds if self.seconds is None else min(seconds, 1.25 * self.seconds)


class _Own(packing.Arguments):
    """Memory for the values of a launch in the calling thread, with the panic record that belongs to them."""

    __slots__ = ("_memory", "record", "tail")

    def __init__(self, size: int, panics: bool) -> None:
        super().__init__(size)
        self._memory = (ctypes.c_char * layout.SIZE)()
        self.record = Record(ctypes.addressof(self._memory), 0) if panics else None
        self.tail = (ctypes.addressof(self._memory),) if panics else ()


class CpuDriver(HostedDriver):
    kind = "cpu"
    name = "cpu"

    def __init__(self) -> None:
        super().__init__()
        self.description = _processor()
        self.workers = cpu_count()
        self.pool = Pool(self.workers)
        self._target: Target | None = None

    def target(self) -> Target:
        if self._target is None:
            from oxidepy.backend.targets import cpu_target

            self._target = cpu_target()
        return self._target

    def load(
        self, definition: KernelDef, specialisation: Specialisation, options: CodegenOptions, *, usual: bool = True
    ) -> tuple[Loaded, tuple[Any, ...]]:
        from oxidepy.backend import cpu_jit
        from oxidepy.cache import default_cache
        from oxidepy.compiler.driver import compile_kernel

        compiled = compile_kernel(definition, specialisation, self.target(), options, cache=default_cache(), usual=usual)
        artefact = compiled.artefact
        code = cpu_jit.load(artefact.code, artefact.entry)
        with deep():
            # nobody knows how many calls one makes that calls itself
            long_loops = 2 if recursive_functions(compiled.module) else _long_loops(compiled.module.kernel.body)
        loaded = Loaded(
            kernel=definition.name,
            params=artefact.params,
            sites=artefact.sites,
            panics=artefact.panic,
            module=compiled.module,
            handle=Native(code.address, code, long_loops),
            cached=compiled.cached,
            milliseconds=compiled.milliseconds,
            facts=artefact.facts,
            contract=definition.contract,
            cooperative=definition.cooperative,
            relations=compiled.checked.relations if usual else (),
        )
        return loaded, compiled.diagnostics

    def launcher(self, loaded: Loaded, config: LaunchConfig) -> Launcher:
        native: Native = loaded.handle
        shared = self.shared(loaded, config)
        sized = not shared.constant  # only the values of a launch tell how much it needs
        packer = packing.packer(loaded.params, loaded.panics)
        launch_words = ctypes.create_string_buffer(struct.pack("<6i", *config.grid, *config.block), 24)
        launch_address, entry = ctypes.addressof(launch_words), native.entry
        blocks, threads = math.prod(config.grid), math.prod(config.grid) * math.prod(config.block)
        few = threads <= INLINE_THREADS
        free: list[_Own] = []  # list operations are atomic

        def launch(stream: Stream, values: Values) -> None:
            queue = stream.handle
            if self.lost is not None or queue.running is not None or queue.panic is not None:
                self.wait(stream)
                self.faults(stream)
            if sized:
                shared.bytes(values)
            stream.last_kernel = loaded.kernel
            own = free.pop() if free else _Own(packer.size, loaded.panics)
            packer.pack_into(own.buffer, 0, *values, *own.tail)
            seconds = native.seconds
            aside = native.may_hang or time_limit() is not None
            with queue.lock:
                if (few if seconds is None else seconds * blocks <= INLINE_SECONDS) and not aside:
                    start = perf_counter()
                    failed = entry(own.slots, launch_address, 0, blocks)
                    native.took((perf_counter() - start) / blocks)
                    fault = own.record.take() if failed and own.record is not None else None
                    if fault is not None:
                        queue.panic = device_panic(loaded.kernel, loaded.sites[fault.site], fault)
                else:
                    self._spread(stream, loaded, own.buffer.raw, launch_words, blocks, aside)
            free.append(own)

        return launch

    def _spread(self, stream: Stream, loaded: Loaded, slots: bytes, launch: Any, blocks: int, aside: bool) -> None:
        """Run a launch on several threads, this one among them unless it must be able to give up waiting."""
        native: Native = loaded.handle
        helpers = min(self.workers, blocks)
        job = Job(loaded, native.entry, slots, launch, blocks, native.chunk(blocks, helpers))
        start = perf_counter()
        self.pool.help(job, helpers if aside else helpers - 1)
        try:
            if not aside:
                job.work()
        except KeyboardInterrupt:
            stream.handle.running, stream.abandoned = job, True
            raise
        if not job.done.is_set():
            self.finish(stream, job)
        native.took((perf_counter() - start) * helpers / blocks)
        if job.error is not None:
            raise job.error
        stream.handle.panic = job.panic

    def attributes(self, loaded: Loaded, config: LaunchConfig) -> Attributes:
        shared = self.shared(loaded, config)
        return Attributes(None, None, shared.static + shared.least_bytes, 0, 1.0)

    def after_fork(self) -> None:
        self.pool = Pool(self.workers)  # threads do not live on in the child

    def close(self) -> None:
        self.pool.join(1.0)  # before the code that its threads run goes away
        super().close()


def _long_loops(block: Block) -> int:
    """How deep loops stand in each other whose rounds only a launch tells, or are many. Of a `while` nobody knows whether it ends."""
    return max((_long_loop(op) + max(map(_long_loops, op.regions), default=0) for op in block.ops), default=0)


def _long_loop(op: Op) -> int:
    if op.name != "for":
        return 2 if op.name == "while" else 0
    start, stop, step = (one.constant for one in op.operands[:3])
    return int(start is None or stop is None or step is None or abs(stop - start) > MANY_ROUNDS * abs(step))


def _processor() -> str:
    if sys.platform == "linux":
        try:
            with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
                for line in file:
                    if line.startswith("model name"):
                        return line.partition(":")[2].strip()
        except OSError:
            return platform.processor() or platform.machine()
    return platform.processor() or platform.machine()
