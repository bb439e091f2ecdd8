"""What may end or hang a process (LLVM, the CUDA driver) is asked in a child process, which reports stage by stage.

A stage that was reported counts even if a later one never returns. Each stage has its own time limit; one that passes it ends the child.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import IO, Any, Literal

# The child looks for modules where we do, not where it was started; file 1 is kept for the report, whatever a library prints.
START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from oxidepy.doctor.reporting import main
main(sys.argv[2], float(sys.argv[3]))
"""
GRACE = 2.0  # seconds that an ended child gets to be gone; one that hangs in the kernel of the system never is
KEPT = 2000  # characters of what the child wrote to stderr


class ChildEnded(Exception):
    """The child ended before the stage that was asked for. `stage` is the one it was in.

    kind: "hung" (over its limit), "failed" (a Python exception, `text`), "died" (`status` is its exit status), "stopped" (by us).
    """

    def __init__(self, kind: Literal["hung", "failed", "died", "stopped"], stage: str, text: str, status: int | None = None) -> None:
        super().__init__(f"{kind} at {stage}: {text}")
        self.kind = kind
        self.stage = stage
        self.text = text
        self.status = status


class Child:
    """A probe in a process of its own. `limits`: its stages in their order, with the seconds that each may take."""

    def __init__(self, probe: str, limits: Mapping[str, float], environment: Mapping[str, str] | None = None) -> None:
        self.probe = probe
        self.limits = dict(limits)
        self._environment = dict(os.environ if environment is None else environment)
        self._news = threading.Condition()
        self._facts: dict[str, Any] = {}
        self._ended: ChildEnded | None = None
        self._complaints: list[str] = []
        self._process: subprocess.Popen[str] | None = None

    def fact(self, stage: str) -> Any:
        """What the child reported for `stage`; waits for it. ChildEnded if it will never come."""
        with self._news:
            if self._process is None and self._ended is None:
                self._start()
            while stage not in self._facts and self._ended is None:
                self._news.wait()
            if stage in self._facts:
                return self._facts[stage]
            assert self._ended is not None
            raise self._ended

    def stop(self) -> None:
        """End the child if it still runs."""
        self._end("stopped", "the examination was over")

    def _start(self) -> None:
        """The lock is held."""
        command = [sys.executable, "-c", START, json.dumps(sys.path), self.probe, str(sum(self.limits.values()) + GRACE)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=self._environment,
                start_new_session=True,  # what the child starts ends with it
            )
        except OSError as error:
            self._ended = ChildEnded("failed", self._stage(), f"{type(error).__name__}: no child process can be started: {error}")
            return
        assert self._process.stdout is not None and self._process.stderr is not None
        for target, arguments in ((self._listen, (self._process.stdout,)), (self._overhear, (self._process.stderr,)), (self._watch, ())):
            threading.Thread(target=target, args=arguments, daemon=True, name=f"doctor-{self.probe}").start()

    def _stage(self) -> str:
        """The first stage that was not reported yet."""
        return next((stage for stage in self.limits if stage not in self._facts), "end")

    def _listen(self, stream: IO[str]) -> None:
        failure: str | None = None
        for line in stream:
            report: dict[str, Any] = json.loads(line)
            if "failed" in report:
                failure = str(report["failed"])
                break
            with self._news:
                self._facts[str(report["stage"])] = report["facts"]
                self._news.notify_all()
        if failure is not None:
            self._end("failed", failure)
            return
        assert self._process is not None
        status = self._process.wait()
        # an ended process may have left words that the other thread has not read yet
        time.sleep(0.05 if status else 0)
        self._end("died", "".join(self._complaints)[-KEPT:].strip(), status)

    def _overhear(self, stream: IO[str]) -> None:
        for line in stream:
            self._complaints.append(line)

    def _watch(self) -> None:
        with self._news:
            stage, began = self._stage(), time.monotonic()
            while self._ended is None:
                if self._stage() != stage:
                    stage, began = self._stage(), time.monotonic()
                limit = self.limits.get(stage, GRACE)
                left = began + limit - time.monotonic()
                if left <= 0:
                    break
                self._news.wait(left)
            else:
                return
        self._end("hung", f"no answer within {limit:g} s")

    def _end(self, kind: Literal["hung", "failed", "died", "stopped"], text: str, status: int | None = None) -> None:
        with self._news:
            if self._ended is not None:
                return
            self._ended = ChildEnded(kind, self._stage(), text, status)
            self._news.notify_all()
            process = self._process
        if process is not None and process.poll() is None:
            _kill(process)


def _kill(process: subprocess.Popen[str]) -> None:
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            import signal

            os.killpg(process.pid, signal.SIGKILL)
        process.wait(GRACE)
    except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
        return  # gone already, or stuck inside a driver: the watchdog of the child, or the system, ends it
