"""The device `interp`: kernels run as their IR says, operation by operation. Slow, and the meaning of every other device."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from oxidepy.backend.artefact import AbiParam
from oxidepy.compiler.messages import SOURCE as MESSAGES
from oxidepy.diagnostics import DevicePanic
from oxidepy.ir.types import Memory
from oxidepy.runtime.driver import Attributes, Launcher, Loaded, Values
from oxidepy.runtime.hosted import Background, HostedDriver, bytes_at, run_aside
from oxidepy.runtime.panics import Fault, device_panic
from oxidepy.runtime.scalars import of_bf16_bits
from oxidepy.runtime.settled import time_limit

if TYPE_CHECKING:
    from oxidepy.compiler.driver import Checked
    from oxidepy.ir.core import Kernel, Module
    from oxidepy.ir.interpreter import Program
    from oxidepy.lang.definition import KernelDef, Specialisation
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.stream import Stream
    from oxidepy.runtime.tma import HostMap
    from oxidepy.settings.options import CodegenOptions


_NAN = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8000000000000}  # its bits


def _wholes(kernel: Kernel) -> tuple[AbiParam, ...]:
    pairs = zip(kernel.params, kernel.infos, strict=True)
    return tuple(AbiParam("whole", "", info.source) for one, info in pairs if isinstance(one.type, Memory) and one.type.access == "raw")


class InterpDriver(HostedDriver):
    kind = "interp"
    name = "interp"
    description = "the reference interpreter"

    def target(self) -> None:
        return None

    def load(
        self, definition: KernelDef, specialisation: Specialisation, options: CodegenOptions, *, usual: bool = True
    ) -> tuple[Loaded, tuple[Any, ...]]:
        import time

        from oxidepy.backend.abi import abi_params, checks, panic_sites

        start = time.perf_counter()
        # nothing is gained here by code for the usual launches only
        checked = self.checked(definition, specialisation, options)
        kernel = checked.module.kernel
        found = checks(kernel)
        loaded = Loaded(
            kernel=definition.name,
            params=(*abi_params(kernel), *_wholes(kernel)),
            sites=panic_sites(found),
            panics=bool(found),
            module=checked.module,
            handle=(self.program(checked.module), {id(op): number for number, op in enumerate(found)}),
            milliseconds=(time.perf_counter() - start) * 1e3,
            contract=definition.contract,
            cooperative=definition.cooperative,
        )
        return loaded, checked.diagnostics

    def checked(self, definition: KernelDef, specialisation: Specialisation, options: CodegenOptions) -> Checked:
        from oxidepy.cache import default_cache
        from oxidepy.compiler.driver import check_kernel

        return check_kernel(definition, specialisation, options, cache=default_cache())

    def program(self, module: Module) -> Program:
        from oxidepy.ir.interpreter import Program

        return Program(module)

    def launcher(self, loaded: Loaded, config: LaunchConfig) -> Launcher:
        from oxidepy.ir.interpreter import Deadlock, Misuse

        grid, block, shared = config.grid, config.block, self.shared(loaded, config)
        sized = not shared.constant
        program: Program = loaded.handle[0]
        numbers: dict[int, int] = loaded.handle[1]

        def launch(stream: Stream, values: Values) -> None:
            self.check()
            self.wait(stream)
            self.faults(stream)
            if sized:
                shared.bytes(values)
            stream.last_kernel = loaded.kernel
            arrays = self._arrays(stream, loaded, values)
            work = Background(loaded.kernel)

            def body() -> None:
                try:
                    panic = program.run(arrays, grid, block)
                except Deadlock as dead:
                    first = dead.waiters[0]
                    note = f"kernel `{loaded.kernel}`, first block {first.block}, thread {first.thread}"
                    work.panic = DevicePanic(dead.diagnostic(note), kernel=loaded.kernel, block=first.block, thread=first.thread)
                    return
                except Misuse as wrong:
                    note = f"kernel `{loaded.kernel}`, block {wrong.block}, thread {wrong.thread}"
                    at, length = wrong.index, wrong.length
                    work.panic = DevicePanic(
                        wrong.diagnostic(note), kernel=loaded.kernel, block=wrong.block, thread=wrong.thread, index=at, length=length
                    )
                    return
                if panic is not None:
                    site = numbers[id(panic.site)]
                    fault = Fault(site, panic.block, panic.thread, panic.index or 0, panic.length or 0)
                    work.panic = device_panic(loaded.kernel, loaded.sites[site], fault)

            with stream.handle.lock:
                if self._limited():
                    run_aside(work, body)
                    self.finish(stream, work)
                else:
                    body()
                    stream.handle.panic = work.panic

        return launch

    def tensor_map(self, map: HostMap) -> tuple[Any, Any]:
        from oxidepy.ir.interpreter.tma import Map

        fill = _NAN[map.element.name] if map.fill == "nan" else 0
        buffer = bytes_at(map.buffer.address, map.buffer.nbytes)
        return Map(buffer, map.element, map.shape, map.strides, map.box, map.steps, map.corners, map.swizzle, fill), map

    @staticmethod
    def _limited() -> bool:
        # Python code answers to Ctrl-C by itself; only a time limit needs a thread that can be left alone
        return time_limit() is not None

    @staticmethod
    def _arrays(stream: Stream, loaded: Loaded, values: Values) -> list[Any]:
        kernel = loaded.module.kernel
        extents: dict[str, int] = {}
        wholes: dict[str, tuple[int, int]] = {}
        for param, value in zip(loaded.params, values, strict=True):
            if param.kind == "whole":
                wholes[param.source] = value
            if param.kind == "length":
                extents[param.source] = extents.get(param.source, 1) * value
        out: list[Any] = []
        for param, value, typed in zip(loaded.params, values, kernel.params, strict=False):
            if param.source in wholes:
                start, nbytes = wholes[param.source]
                out.append(bytes_at(start, nbytes)[value - start :])
            elif isinstance(typed.type, Memory) and param.kind != "tensor_map":
                size = extents.get(param.source, 0) * typed.type.element.size
                out.append(bytes_at(value, stream.messages.nbytes if param.source == MESSAGES else size))
            else:
                out.append(of_bf16_bits(value) if param.type == "bf16" else value)
        return out

    def attributes(self, loaded: Loaded, config: LaunchConfig) -> Attributes:
        threads, most, shared = math.prod(config.block), self.limits.max_threads_per_multiprocessor, self.shared(loaded, config)
        return Attributes(None, None, shared.static + shared.least_bytes, 0, (most // threads * threads) / most)
