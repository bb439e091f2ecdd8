"""Make the checks, all at once, each within its time limit."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Capability, Check, Finding, Result


def select(
    checks: Iterable[Check], only: Collection[str] = (), skip: Collection[str] = (), require: Collection[Capability] = ()
) -> tuple[Check, ...]:
    """The checks to make. `only` (empty: all) and `skip` are codes; what a required capability needs is made in any case.

    ValueError on an unknown code, and where one is to be skipped that a required capability needs.
    """
    from oxidepy.diagnostics.names import suggest

    table = {one.code: one for one in checks}
    for code in (*only, *skip):
        if code not in table:
            close = suggest(code, table)
            raise ValueError(f"there is no check {code!r}" + (f"; did you mean {close}?" if close else "; --list-checks lists them"))
    needed = {code: capability for capability in require for code, one in table.items() if capability in one.needed_for}
    for code in skip:
        if code in needed:
            raise ValueError(f"{code} cannot be skipped where {needed[code]} is required")
    return tuple(one for code, one in table.items() if code in needed or (code in (only or table) and code not in skip))


def examine(checks: Sequence[Check], examination: Examination, progress: Callable[[Result], None] | None = None) -> tuple[Result, ...]:
    """Make the checks, each in a thread of its own; gives the results in the order of `checks`. One that passes its limit is an error.

    `progress` is called in this thread with each result as it comes.
    """
    done: queue.SimpleQueue[Result] = queue.SimpleQueue()
    began = time.monotonic()
    for one in checks:
        # daemons: a check that never returns does not keep this process alive
        threading.Thread(target=_make, args=(one, examination, done), daemon=True, name=one.code).start()
    pending = {one.code: one for one in checks}
    results: dict[str, Result] = {}
    try:
        while pending:
            first = min(pending.values(), key=lambda one: one.limit)
            try:
                result = done.get(timeout=max(0.0, began + first.limit - time.monotonic()))
            except queue.Empty:
                result = Result(first, _late(first, examination), (time.monotonic() - began) * 1e3)
            if pending.pop(result.check.code, None) is None:
                continue  # it was late, and has come after all
            results[result.check.code] = replace(result, finding=_required(result.finding, examination))
            if progress is not None:
                progress(results[result.check.code])
    finally:
        examination.close()
    made = {one.code for one in checks}
    return tuple(_unblocked(results[one.code], made, examination) for one in checks)


def _make(check: Check, examination: Examination, done: queue.SimpleQueue[Result]) -> None:
    began = time.perf_counter()
    try:
        finding = check.function(examination)
    except Exception as error:
        # a fault of the check is a finding of its own: the others are of use all the same
        name = type(error).__name__
        finding = Finding("error", f"this check itself failed: {name}: {error}", {"exception": name}, _again(check))
    done.put(Result(check, finding, (time.perf_counter() - began) * 1e3))


def _late(check: Check, examination: Examination) -> Finding:
    return Finding("error", f"this check was not done within its {check.limit:g} s", {"limit_s": check.limit}, _again(check))


def _again(check: Check) -> str:
    return f"oxidepy doctor -v --only {check.code}"


def _required(finding: Finding, examination: Examination) -> Finding:
    """What lacks a required capability is an error."""
    if finding.lacks in examination.require and finding.severity != "error":
        return replace(finding, severity="error")
    return finding


def _unblocked(result: Result, made: Collection[str], examination: Examination) -> Result:
    """A finding counts as blocked only where the check that blocked it is in the report and tells why."""
    finding = result.finding
    if finding.blocked_by is None or finding.blocked_by in made:
        return result
    required = examination.require & set(result.check.needed_for)
    return replace(result, finding=replace(finding, severity="error" if required else finding.severity, blocked_by=None))
