"""The interpreter with a watch over its kernels and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxidepy.runtime.interp import InterpDriver

if TYPE_CHECKING:
    from oxidepy.compiler.driver import Checked
    from oxidepy.ir.core import Module
    from oxidepy.ir.interpreter import Program
    from oxidepy.lang.definition import KernelDef, Specialisation
    from oxidepy.runtime.sanitize.findings import Findings
    from oxidepy.runtime.sanitize.memory import Written
    from oxidepy.runtime.stream import Stream
    from oxidepy.settings.options import CodegenOptions


HARDWARE = "uses the hardware layer, so neither races nor unwritten memory were looked for in it"
FULL = "made more accesses in one launch than are kept, so races were looked for among the first of them: run it on less data"


class WatchedDriver(InterpDriver):
    """Kernels run even if the compiler found, or could not exclude, that their threads race or diverge: that is what is looked for."""

    def __init__(self, found: Findings, written: Written, tools: frozenset[str]) -> None:
        super().__init__()
        self.found, self.written, self.tools = found, written, tools
        self.launches = 0
        self.partly: dict[str, str] = {}  # kernels in which not all was looked for, and why

    def checked(self, definition: KernelDef, specialisation: Specialisation, options: CodegenOptions) -> Checked:
        from oxidepy.compiler.driver import check_kernel

        return check_kernel(definition, specialisation, options, prove=False)

    def program(self, module: Module) -> Program:
        from oxidepy.ir.interpreter import Deadlock, Fault, Misuse, Program
        from oxidepy.runtime.sanitize.watch import Watch

        driver, watch = self, Watch(module.kernel, self.found, self.written, self.tools)

        class Watched(Program):
            def run(self, args: Any, grid: Any, block: Any) -> Any:
                driver.launches += 1
                if watch.tools != driver.tools:
                    driver.partly[module.kernel.name] = HARDWARE
                watch.launch(grid, block)
                try:
                    return super().run(args, grid, block)
                except Deadlock as dead:
                    if "synccheck" in driver.tools:
                        driver.found.add(dead.diagnostic(f"in a launch of `{module.kernel.name}`"))
                    raise
                except Misuse as wrong:
                    if ("memcheck" if wrong.code == "OX7001" else "synccheck") in driver.tools:
                        driver.found.add(wrong.diagnostic(f"in a launch of `{module.kernel.name}`"))
                    raise
                except Fault:
                    if not driver.found.all():
                        raise
                    return None  # what was outside has been told
                finally:
                    watch.end()
                    if watch.full:
                        driver.partly[module.kernel.name] = FULL

        return Watched(module, watch)

    # ---- memory

    def allocate(self, stream: Stream, nbytes: int) -> int:
        address = super().allocate(stream, nbytes)
        self.written.made(address, nbytes)
        return address

    def release(self, stream: Stream, address: int) -> None:
        self.written.gone(address)
        super().release(stream, address)

    def upload(self, stream: Stream, address: int, host: int, nbytes: int) -> None:
        super().upload(stream, address, host, nbytes)
        self.written.write(address, nbytes)

    def copy(self, stream: Stream, to: int, source: int, nbytes: int) -> None:
        super().copy(stream, to, source, nbytes)
        self.written.write(to, nbytes, source)

    def fill(self, stream: Stream, address: int, pattern: bytes, count: int) -> None:
        super().fill(stream, address, pattern, count)
        self.written.write(address, len(pattern) * count)
