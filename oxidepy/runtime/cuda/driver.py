"""The driver of the devices `cuda:N`."""

from __future__ import annotations

import ctypes
import functools
import math
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from oxidepy.backend import panic as layout
from oxidepy.runtime import packing
from oxidepy.runtime.cuda import ahead, api, waiting
from oxidepy.runtime.cuda.launching import BARRIER_BYTES, Demands, shared_of
from oxidepy.runtime.cuda.link import cubin_key, link, link_cached
from oxidepy.runtime.driver import Attributes, Driver, Launcher, Limits, Loaded, Values
from oxidepy.runtime.hosted import unseen
from oxidepy.runtime.panics import Record, device_panic
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.backend.targets import Target
    from oxidepy.compiler.driver import Compiled
    from oxidepy.ir.images import Image
    from oxidepy.lang.definition import KernelDef, Specialisation
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.cuda.modules import CudaModule
    from oxidepy.runtime.messages import Messages
    from oxidepy.runtime.stream import Stream
    from oxidepy.runtime.tma import HostMap
    from oxidepy.settings.options import CodegenOptions

T = TypeVar("T")

RECORDS_A_PAGE = 64
CALL_BYTES, UNKNOWN_FRAME = 48, 256  # what a call takes beside its function's frame; a frame of which the linker's log says nothing


def _taken(free: deque[T]) -> T | None:
    """The first of them, or None; of several threads that ask at once each gets another."""
    try:
        return free.popleft()
    except IndexError:
        return None


class CudaDriver(Driver):
    """One CUDA device and its primary context, which is shared with other libraries of this process."""

    kind = "cuda"

    def __init__(self, number: int) -> None:
        super().__init__()
        self.name = f"cuda:{number}"
        cu = self.cu = api.started()
        self.device = api.call(cu.cuDeviceGet, number)
        self.primary = api.call(cu.cuDevicePrimaryCtxRetain, self.device)
        self._alone = api.device_count() == 1
        self._here = threading.local()
        self.modules: list[Any] = []
        self._pages: list[int] = []
        self._records: deque[Record] = deque()  # free ones
        self._limbo: deque[tuple[Any, Any, dict[Any, Record], list[Messages]]] = deque()  # event; until it happens, these are kept
        self._message_memory: dict[int, deque[tuple[int, int]]] = {}  # free buffers for what kernels print, by their bytes
        self._handles: dict[int, tuple[Any, Any]] = {}  # streams and events that are open: id → (function that ends it, handle)
        with self.current():
            self.description = api.call(cu.cuDeviceGetName, 256, self.device).split(b"\0")[0].decode()
            self.version: int = api.call(cu.cuDriverGetVersion)
            attribute = cu.CUdevice_attribute
            self.compute_capability = (
                self._attribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                self._attribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
            )
            self.limits = self._limits()
            self.pool = self._make_pool(number)

    # ---- the device

    def _attribute(self, which: Any) -> int:
        value: int = api.call(self.cu.cuDeviceGetAttribute, which, self.device)
        return value

    def attribute(self, name: str) -> int:
        """An attribute of the device by its name without CU_DEVICE_ATTRIBUTE_."""
        return self._attribute(getattr(self.cu.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}"))

    def _limits(self) -> Limits:
        read = self.attribute
        return Limits(
            max_grid=(read("MAX_GRID_DIM_X"), read("MAX_GRID_DIM_Y"), read("MAX_GRID_DIM_Z")),
            max_block=(read("MAX_BLOCK_DIM_X"), read("MAX_BLOCK_DIM_Y"), read("MAX_BLOCK_DIM_Z")),
            max_threads_per_block=read("MAX_THREADS_PER_BLOCK"),
            max_shared_memory_per_block=read("MAX_SHARED_MEMORY_PER_BLOCK"),
            max_shared_memory_optin=read("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            max_registers_per_block=read("MAX_REGISTERS_PER_BLOCK"),
            max_threads_per_multiprocessor=read("MAX_THREADS_PER_MULTIPROCESSOR"),
            multiprocessors=read("MULTIPROCESSOR_COUNT"),
            warp_size=read("WARP_SIZE"),
            total_memory=int(api.call(self.cu.cuDeviceTotalMem, self.device)),
        )

    def _make_pool(self, number: int) -> Any:
        """A pool of our own, which keeps what was freed for the next allocation; None where the device has no ordered allocation."""
        cu = self.cu
        if not self._attribute(cu.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED):
            return None
        wanted = cu.CUmemPoolProps()
        wanted.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        wanted.location.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        wanted.location.id = number
        pool = api.call(cu.cuMemPoolCreate, wanted)
        api.call(cu.cuMemPoolSetAttribute, pool, cu.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, cu.cuuint64_t((1 << 64) - 1))
        return pool

    def current(self) -> _Current:
        """Our context is the thread's current one inside, and what was current before is so again after."""
        return _Current(self)

    def _enter(self) -> bool:
        """Make our context current. True if that can stay so: with one device there is no other context to give back."""
        if self._alone:
            if not getattr(self._here, "done", False):
                api.call(self.cu.cuCtxSetCurrent, self.primary)
                self._here.done = True
            return True
        api.call(self.cu.cuCtxPushCurrent, self.primary)
        return False

    def call(self, function: Any, *args: Any, what: str = "") -> Any:
        """Call the driver with our context current. DeviceError OX6004; after an error that ends the context it is lost."""
        self.check()
        with self.current():
            answer = function(*args)
        if int(answer[0]):
            raise self.fail(answer[0], what or getattr(function, "__name__", "a call"))
        return answer[1] if len(answer) == 2 else answer[1:] or None

    def fail(self, status: Any, what: str) -> Exception:
        error = api.failed(status, what)
        if api.error_name(status) in api.STICKY:
            self.lost = f"{self.name} was lost by {api.error_name(status)} before; this process cannot use it any more"
        return error

    # ---- code

    def target(self) -> Target:
        from oxidepy.backend.targets import arch_of, driver_isa, nvptx_target

        assert self.compute_capability is not None
        return nvptx_target(arch_of(*self.compute_capability), driver_isa(self.version))

    def load(
        self, definition: KernelDef, specialisation: Specialisation, options: CodegenOptions, *, usual: bool = True
    ) -> tuple[Loaded, tuple[Any, ...]]:
        from oxidepy.cache import default_cache
        from oxidepy.compiler.driver import compile_kernel

        self.check()
        cache = default_cache()
        missed = functools.partial(ahead.compiler, self)
        compiled = compile_kernel(definition, specialisation, self.target(), options, cache=cache, coarsen=True, usual=usual, missed=missed)
        artefact = compiled.artefact
        lineinfo = options.lineinfo and definition.options.lineinfo
        assert self.compute_capability is not None
        images = compiled.module.kernel.images
        key = cubin_key(artefact.code, self.description, self.compute_capability, self.version, lineinfo, images)
        with self.current():
            blame = functools.partial(_blame, compiled)
            linked = link_cached(artefact.code, key, lineinfo, cache, blame, images)
            status, module = self.cu.cuModuleLoadData(linked.cubin)
            if int(status) and linked.cached:  # kept code that this driver does not take is made anew
                linked = link(artefact.code, lineinfo, blame, images)
                status, module = self.cu.cuModuleLoadData(linked.cubin)
            if int(status):
                raise self.fail(status, f"the code of `{definition.name}`")
            self.modules.append(module)
            if "recursion" in artefact.facts:
                self._stack(artefact.facts["recursion"], linked.facts.get("frame", UNKNOWN_FRAME))
            status, function = self.cu.cuModuleGetFunction(module, artefact.entry.encode())
        if int(status):
            _left_out(compiled)
            raise self.fail(status, f"the entry of `{definition.name}`")
        loaded = Loaded(
            kernel=definition.name,
            params=artefact.params,
            sites=artefact.sites,
            panics=artefact.panic,
            module=compiled.module,
            handle=function,
            cached=compiled.cached and linked.cached,
            milliseconds=compiled.milliseconds,
            facts={**artefact.facts, **linked.facts},
            contract=definition.contract,
            cooperative=definition.cooperative,
            relations=compiled.checked.relations if usual else (),
        )
        return loaded, compiled.diagnostics

    def load_module(self, image: Image) -> CudaModule:
        from oxidepy.runtime.cuda.modules import CudaModule

        return CudaModule(self, image)

    def _stack(self, depth: int, frame: int) -> None:
        """Give threads room for calls in each other, where the context has less; functions' frames have `frame` bytes."""
        limit = self.cu.CUlimit.CU_LIMIT_STACK_SIZE
        wanted = (depth + 4) * (frame + CALL_BYTES) + 1024
        if int(api.call(self.cu.cuCtxGetLimit, limit)) < wanted:
            api.call(self.cu.cuCtxSetLimit, limit, wanted)

    def tensor_map(self, map: HostMap) -> tuple[Any, Any]:
        if (self.compute_capability or (0, 0)) < (9, 0):
            return super().tensor_map(map)
        from oxidepy.runtime.cuda.tensor_maps import encode

        return encode(self, map)

    def launcher(self, loaded: Loaded, config: LaunchConfig) -> Launcher:
        self._fits(loaded, config)
        grid, panics, name = config.grid, loaded.panics, loaded.kernel
        hidden: tuple[int, ...] = ()
        if "coarsen" in loaded.facts:  # the kernel is told the grid, the hardware gets fewer blocks
            hidden, grid = (grid[0],), (-(-grid[0] // loaded.facts["coarsen"]), *grid[1:])
        demands = Demands(self, loaded, config, grid)
        packer = loaded.layout.packer if loaded.layout else packing.packer(loaded.params, panics, bool(hidden), demands.barrier)
        places = loaded.layout.places if loaded.layout else None
        free: list[packing.Arguments] = []  # list operations are atomic; the driver copies the values before it returns
        maps = [number for number, one in enumerate(loaded.params) if one.kind == "tensor_map"]
        size, sized, start, enter, pop = demands.size, demands.sized, demands.start(), self._enter, self.cu.cuCtxPopCurrent

        def launch(stream: Stream, values: Values, barrier: tuple[int, ...] = ()) -> None:
            if self.lost is not None:
                self.check()
            records = stream.records
            for record in records.values():
                if record.ready:
                    self.faults(stream)
            asked = sized(values) if size is None else size
            arguments = free.pop() if free else packing.Arguments(packer.size, places)
            if panics:
                record = records.get(loaded)
                if record is None:
                    record = records[loaded] = self._record()
                packer.pack_into(arguments.buffer, 0, *values, *hidden, record.device, *barrier)
            else:
                packer.pack_into(arguments.buffer, 0, *values, *hidden, *barrier)
            for number in maps:
                arguments.point(number, values[number])
            stream.last_kernel = name
            stays = enter()
            status = start(arguments.pointers, asked, stream.handle)
            if not stays:
                pop()
            free.append(arguments)
            if status:
                raise self.fail(status, f"the launch of `{name}`")

        made = self._with_barrier(launch) if demands.barrier else launch
        return made if loaded.messages < 0 else _telling(made)

    def _with_barrier(self, launch: Callable[..., None]) -> Launcher:
        """Each launch has a barrier of its own, zeroed before and given back behind it, in the order of the stream."""

        def wrapped(stream: Stream, values: Values) -> None:
            address = self.allocate(stream, BARRIER_BYTES)
            try:
                self.fill(stream, address, b"\0", BARRIER_BYTES)
                launch(stream, values, (address,))
            finally:
                self.release(stream, address)

        return wrapped

    def _fits(self, loaded: Loaded, config: LaunchConfig) -> None:
        """What only the compiled function tells: how many threads its registers allow."""
        allowed = self.function(loaded, "MAX_THREADS_PER_BLOCK")
        threads = math.prod(config.block)
        if threads > allowed:
            raise launch_error(
                "OX2003",
                f"blocks of `{loaded.kernel}` have {threads} threads; its registers allow {allowed}",
                help=f"write `launch_bounds({threads})` or `kernel(max_registers=…)`",
            )

    def function(self, loaded: Loaded, which: str) -> int:
        """What the driver says of a loaded kernel: `NUM_REGS` and the like."""
        value: int = self.call(
            self.cu.cuFuncGetAttribute, getattr(self.cu.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{which}"), loaded.handle
        )
        return value

    def attributes(self, loaded: Loaded, config: LaunchConfig) -> Attributes:
        threads = math.prod(config.block)
        dynamic = shared_of(self, loaded, config).least_bytes
        resident: int = self.call(self.cu.cuOccupancyMaxActiveBlocksPerMultiprocessor, loaded.handle, threads, dynamic)
        return Attributes(
            registers=self.function(loaded, "NUM_REGS"),
            spills=loaded.facts.get("spills"),
            shared=self.function(loaded, "SHARED_SIZE_BYTES") + dynamic,
            local=self.function(loaded, "LOCAL_SIZE_BYTES"),
            occupancy=resident * threads / self.limits.max_threads_per_multiprocessor,
        )

    # ---- streams and events

    def new_stream(self) -> Any:
        # A stream that also orders with the legacy default stream, on which other libraries work unless told otherwise.
        handle = self.call(self.cu.cuStreamCreate, self.cu.CUstream_flags.CU_STREAM_DEFAULT)
        self._handles[int(handle)] = (self.cu.cuStreamDestroy, handle)
        return handle

    def adopt_stream(self, handle: int) -> Any:
        return self.cu.CUstream(handle)

    def close_stream(self, handle: Any, records: dict[Any, Any], told: list[Messages]) -> None:
        if records or told:
            with self.current():
                event = self.cu.cuEventCreate(self.cu.CUevent_flags.CU_EVENT_DISABLE_TIMING)[1]
                self.cu.cuEventRecord(event, handle)
            self._limbo.append((event, None, records, told))
        self._close(handle)

    def _close(self, handle: Any) -> None:
        """End a stream or an event; the driver lets work that is under way finish first."""
        found = self._handles.pop(int(handle), None)
        if found is not None:
            with self.current():
                found[0](handle)

    def wait(self, stream: Stream) -> None:
        self.check()
        stream.abandoned = True
        with self.current():
            status = waiting.until_done(
                lambda: self.cu.cuStreamQuery(stream.handle)[0], lambda: self.cu.cuStreamSynchronize(stream.handle)[0], stream.last_kernel
            )
        stream.abandoned = False
        if int(status):
            raise self.fail(status, f"to finish `{stream.last_kernel}`" if stream.last_kernel else "to finish the work of the stream")
        self._empty_limbo()

    def order(self, later: Stream, earlier: Stream) -> None:
        if later is earlier:
            return
        self.check()
        cu = self.cu
        with self.current():
            event = api.call(cu.cuEventCreate, cu.CUevent_flags.CU_EVENT_DISABLE_TIMING)
            try:
                api.call(cu.cuEventRecord, event, earlier.handle)
                api.call(cu.cuStreamWaitEvent, later.handle, event, 0)
            finally:
                cu.cuEventDestroy(event)  # it goes away once it has happened

    def order_event(self, later: Stream, handle: Any) -> None:
        self.call(self.cu.cuStreamWaitEvent, later.handle, handle, 0)

    def record_event(self, stream: Stream) -> Any:
        event = self.call(self.cu.cuEventCreate, self.cu.CUevent_flags.CU_EVENT_DEFAULT)
        self._handles[int(event)] = (self.cu.cuEventDestroy, event)
        self.call(self.cu.cuEventRecord, event, stream.handle)
        return event

    def elapsed_ms(self, since: Any, until: Any) -> float:
        return float(self.call(self.cu.cuEventElapsedTime, since, until))

    def wait_event(self, handle: Any, stream: Stream) -> None:
        self.check()
        with self.current():
            status = waiting.until_done(
                lambda: self.cu.cuEventQuery(handle)[0], lambda: self.cu.cuEventSynchronize(handle)[0], stream.last_kernel
            )
        if int(status):
            raise self.fail(status, "to wait for an event")

    def close_event(self, handle: Any) -> None:
        self._close(handle)

    # ---- memory

    def allocate(self, stream: Stream, nbytes: int) -> int:
        self.check()
        cu = self.cu
        with self.current():
            status: Any = 0
            address = 0
            for attempt in range(2):
                if self.pool is None:
                    status, address = cu.cuMemAlloc(nbytes)
                else:
                    status, address = cu.cuMemAllocFromPoolAsync(nbytes, self.pool, stream.handle)
                if api.error_name(status) != "CUDA_ERROR_OUT_OF_MEMORY" or attempt:
                    break
                self._give_room()
        if int(status):
            raise self.fail(status, f"{nbytes} bytes of memory")
        return int(address)

    def _give_room(self) -> None:
        """Before memory is said to be short: let frees that were put in happen, and give the pool's reserve back."""
        for stream in self.streams():
            self.wait(stream)
        if self.pool is not None:
            self.cu.cuMemPoolTrimTo(self.pool, 0)

    def release(self, stream: Stream, address: int) -> None:
        with self.current():
            if self.pool is None:
                self.cu.cuStreamSynchronize(stream.handle)
                self.cu.cuMemFree(address)
            else:
                self.cu.cuMemFreeAsync(address, stream.handle)

    def retire(self, stream: Stream, owner: Any) -> None:
        with self.current():
            status, event = self.cu.cuEventCreate(self.cu.CUevent_flags.CU_EVENT_DISABLE_TIMING)
            if not int(status):
                self.cu.cuEventRecord(event, stream.handle)
                self._limbo.append((event, owner, {}, []))

    def _empty_limbo(self) -> None:
        with self.current():
            while (first := _taken(self._limbo)) is not None:
                event, _, records, told = first
                if int(self.cu.cuEventQuery(event)[0]):
                    self._limbo.appendleft(first)
                    return
                self.cu.cuEventDestroy(event)
                self._reclaim(records)
                for messages in told:
                    messages.flush()
                    self._message_memory.setdefault(messages.nbytes, deque()).append((messages.host, messages.device))

    def _reclaim(self, records: dict[Loaded, Record]) -> None:
        """Records of a stream that is gone, once its work is done."""
        for loaded, record in records.items():
            fault = record.take()
            if fault is not None:
                unseen(device_panic(loaded.kernel, loaded.sites[fault.site], fault))
            self._records.append(record)

    def upload(self, stream: Stream, address: int, host: int, nbytes: int) -> None:
        self.call(self.cu.cuMemcpyHtoDAsync, address, host, nbytes, stream.handle)
        if self._pinned(host):  # only pageable memory has been copied aside when the call returns
            self.wait(stream)

    def _pinned(self, host: int) -> bool:
        # the plural form: memory that the driver does not know is no error to it, and no finding of compute-sanitizer
        kind = self.cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        (found,) = self.call(self.cu.cuPointerGetAttributes, 1, [kind], host)
        return int(found) == int(self.cu.CUmemorytype.CU_MEMORYTYPE_HOST)

    def download(self, stream: Stream, host: int, address: int, nbytes: int) -> None:
        self.wait(stream)  # the copy itself cannot be interrupted: let nothing stand before it
        self.call(self.cu.cuMemcpyDtoHAsync, host, address, nbytes, stream.handle)
        self.call(self.cu.cuStreamSynchronize, stream.handle)

    def copy(self, stream: Stream, to: int, source: int, nbytes: int) -> None:
        self.call(self.cu.cuMemcpyDtoDAsync, to, source, nbytes, stream.handle)

    def fill(self, stream: Stream, address: int, pattern: bytes, count: int) -> None:
        cu = self.cu
        if len(set(pattern)) == 1:
            self.call(cu.cuMemsetD8Async, address, pattern[0], len(pattern) * count, stream.handle)
        elif len(pattern) == 2:
            self.call(cu.cuMemsetD16Async, address, int.from_bytes(pattern, "little"), count, stream.handle)
        elif len(pattern) == 4:
            self.call(cu.cuMemsetD32Async, address, int.from_bytes(pattern, "little"), count, stream.handle)
        else:
            # one column of bytes at a time, or of words where the pattern is made of them
            step = 4 if len(pattern) % 4 == 0 and address % 4 == 0 else 1
            memset = cu.cuMemsetD2D32Async if step == 4 else cu.cuMemsetD2D8Async
            for place in range(0, len(pattern), step):
                value = int.from_bytes(pattern[place : place + step], "little")
                self.call(memset, address + place, len(pattern), value, 1, count, stream.handle)

    # ---- faults, end

    def _record(self) -> Record:
        """A free panic record in host memory that the device writes."""
        free = _taken(self._records)
        if free is not None:
            return free
        host, device = self._pinned_pages(RECORDS_A_PAGE * layout.SIZE)
        first, *others = (Record(host + start, device + start) for start in range(0, RECORDS_A_PAGE * layout.SIZE, layout.SIZE))
        self._records.extend(others)
        return first

    def _pinned_pages(self, nbytes: int) -> tuple[int, int]:
        """Empty memory of the host that the device writes: its address here and there."""
        host = int(self.call(self.cu.cuMemHostAlloc, nbytes, self.cu.CU_MEMHOSTALLOC_DEVICEMAP | self.cu.CU_MEMHOSTALLOC_PORTABLE))
        self._pages.append(host)
        ctypes.memset(host, 0, nbytes)
        return host, int(self.call(self.cu.cuMemHostGetDevicePointer, host, 0))

    def tell(self, stream: Stream) -> None:
        messages = stream.told[0]
        with messages.lock:
            if self.lost is None and self._busy(stream):
                return
            messages.flush()

    def _busy(self, stream: Stream) -> bool:
        with self.current():
            return bool(int(self.cu.cuStreamQuery(stream.handle)[0]))

    def message_memory(self, nbytes: int) -> tuple[int, int, Any]:
        free = _taken(self._message_memory.get(nbytes, deque()))
        return (*(free or self._pinned_pages(nbytes)), None)

    def faults(self, stream: Stream) -> None:
        if not any(record.ready for record in stream.records.values()):
            return
        self.wait(stream)  # so that no thread that runs now fails into a record that has been emptied
        found = [(loaded, fault) for loaded, record in stream.records.items() if (fault := record.take()) is not None]
        loaded, fault = found[0]
        panic = device_panic(loaded.kernel, loaded.sites[fault.site], fault, others=len(found) - 1)
        raise stream.told[0].completed(panic) if stream.told else panic

    def after_fork(self) -> None:
        from oxidepy.runtime.context import FORKED

        self.lost = FORKED

    def close(self) -> None:
        if self.lost is not None:
            return
        running = any(stream.abandoned for stream in self.streams())
        self.lost = f"{self.name} has been closed: the interpreter is about to exit"
        if running:
            return  # giving back would wait for a launch that the user has given up; the process's end takes all with it
        cu = self.cu
        with self.current():
            cu.cuCtxSynchronize()
            self._empty_limbo()
            for end, handle in self._handles.values():
                end(handle)
            self._handles.clear()
            for module in self.modules:
                cu.cuModuleUnload(module)
            for page in self._pages:
                cu.cuMemFreeHost(page)
            if self.pool is not None:
                cu.cuMemPoolDestroy(self.pool)
        cu.cuDevicePrimaryCtxRelease(self.device)


def _telling(launch: Launcher) -> Launcher:
    """Nobody empties the buffer while a kernel that writes it is on its way."""

    def wrapped(stream: Stream, values: Values) -> None:
        with stream.told[0].lock:
            launch(stream, values)

    return wrapped


def _blame(compiled: Compiled, log: str) -> None:
    """CompileError where the driver's linker refuses PTX that the kernel holds, or does not find a function from elsewhere."""
    from oxidepy.backend.assembler import blamed, missing
    from oxidepy.diagnostics import CompileError

    artefact = compiled.artefact
    if found := blamed(log, artefact.code.decode(), compiled.module.kernel, artefact.facts["arch"]):
        raise CompileError(found)
    if found := missing(log, compiled.module.kernel):
        raise CompileError(found)


def _left_out(compiled: Compiled) -> None:
    """CompileError where the linker has dropped the kernel for a function from elsewhere."""
    from oxidepy.backend.assembler import dropped
    from oxidepy.diagnostics import CompileError

    if found := dropped(compiled.module.kernel):
        raise CompileError(found)


class _Current:
    """The body of `with driver.current():`."""

    __slots__ = ("_driver", "_stays")

    def __init__(self, driver: CudaDriver) -> None:
        self._driver = driver

    def __enter__(self) -> None:
        self._stays = self._driver._enter()

    def __exit__(self, *_: object) -> None:
        if not self._stays:
            self._driver.cu.cuCtxPopCurrent()
