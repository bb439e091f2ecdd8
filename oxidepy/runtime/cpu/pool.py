"""Threads that run the blocks of a launch. Blocks are handed out in increasing order, a chunk at a time."""

from __future__ import annotations

import ctypes
import itertools
import queue
import threading
from collections.abc import Callable

from oxidepy.backend import panic as layout
from oxidepy.runtime.driver import Loaded
from oxidepy.runtime.hosted import Background
from oxidepy.runtime.panics import Fault, Record, device_panic

Entry = Callable[[int, int, int, int], int]  # slots, launch, first block, end block → 1 after a panic


class Job(Background):
    """The blocks of one launch. Any number of threads may `work` on it."""

    def __init__(self, loaded: Loaded, entry: Entry, slots: bytes, launch: ctypes.Array[ctypes.c_char], blocks: int, chunk: int) -> None:
        super().__init__(loaded.kernel)
        self.sites = loaded.sites
        self.panics = loaded.panics
        self.entry = entry
        self.slots = slots
        self.launch = launch
        self.blocks = blocks
        self.chunk = chunk
        self.faults: list[Fault] = []
        self._starts = itertools.count(0, chunk)  # `next` is atomic
        self._lock = threading.Lock()
        self._busy = 0
        self._stopped = False

    def work(self) -> None:
        """Take chunks until none is left. After a panic no further one starts; those before it are under way already, so the lowest
        block is found."""
        with self._lock:
            self._busy += 1
        try:
            self._chunks()
        except BaseException as error:
            self.error, self._stopped = error, True
        finally:
            with self._lock:
                self._busy -= 1
                if self._busy == 0:  # every thread leaves only when no chunk is left
                    if self.faults:
                        lowest = min(self.faults, key=lambda one: one.order)
                        self.panic = device_panic(self.kernel, self.sites[lowest.site], lowest)
                    self.done.set()

    def _chunks(self) -> None:
        slots, record = _own_slots(self.slots, self.panics)
        launch, address = ctypes.addressof(self.launch), ctypes.addressof(slots)
        while not self._stopped:
            first = next(self._starts)
            if first >= self.blocks:
                return
            if self.entry(address, launch, first, min(first + self.chunk, self.blocks)):
                self._stopped = True
                fault = record.take() if record is not None else None
                if fault is not None:
                    self.faults.append(fault)


def _own_slots(slots: bytes, panics: bool) -> tuple[ctypes.Array[ctypes.c_char], Record | None]:
    """A thread's own copy of the values, with a panic record behind them that no other thread writes."""
    size = len(slots)
    start = -(-size // 8) * 8
    memory = ctypes.create_string_buffer(start + layout.SIZE)
    ctypes.memmove(memory, slots, size)
    if not panics:
        return memory, None
    record = Record(ctypes.addressof(memory) + start, 0)
    ctypes.c_uint64.from_buffer(memory, size - 8).value = record.address
    return memory, record


class Pool:
    """Worker threads, started when first needed; they run native code without the interpreter's lock."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def help(self, job: Job, helpers: int) -> None:
        """Let that many threads work on the job."""
        if not self._threads:
            self._start()
        for _ in range(min(helpers, self.workers)):
            self._jobs.put(job)

    def _start(self) -> None:
        with self._lock:
            if not self._threads:
                self._threads = [
                    threading.Thread(target=self._run, name=f"oxidepy cpu {number}", daemon=True) for number in range(self.workers)
                ]
                for thread in self._threads:
                    thread.start()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.work()

    def join(self, timeout: float) -> bool:
        """End the threads; whether all have ended (one that runs an endless kernel does not)."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(timeout)
        ended = not any(thread.is_alive() for thread in self._threads)
        self._threads = []
        return ended
