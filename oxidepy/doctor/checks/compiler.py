"""LLVM and our compiler: versions, targets, architectures, a kernel to PTX, and the same kernel on the CPU device."""

from __future__ import annotations

from typing import Any

from oxidepy.doctor.checks.python import pip, version_pair
from oxidepy.doctor.child import ChildEnded
from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Finding

OLDEST_LLVMLITE = (0, 50)
LLVMLITE = "llvmlite>=0.50"
REINSTALL = "oxidepy"


def llvm(examination: Examination) -> Finding:
    try:
        facts: dict[str, Any] = examination.child("llvm").fact("version")
    except ChildEnded as ended:
        return Finding("error", f"LLVM does not load: {said(ended)}", evidence_of(ended), pip(LLVMLITE))
    name = f"LLVM {facts['llvm']} (llvmlite {facts['llvmlite']})"
    if version_pair(facts["llvmlite"]) < OLDEST_LLVMLITE:
        return Finding("error", f"llvmlite {facts['llvmlite']} is too old: oxidepy needs 0.50 or newer", facts, pip(LLVMLITE))
    for target, what in (("nvptx", "GPU code"), ("host", "code for this machine's processor")):
        if not facts[target]:
            return Finding("error", f"{name} was built without the target for {what}", facts, pip(LLVMLITE))
    return Finding("ok", f"{name} with the NVPTX target", facts)


def arches(examination: Examination) -> Finding:
    try:
        facts: dict[str, Any] = examination.child("llvm").fact("arches")
    except ChildEnded as ended:
        if ended.stage == "version":
            return blocked("OXD030", "LLVM does not load")
        return Finding("error", f"LLVM does not emit GPU code: {said(ended)}", evidence_of(ended), pip(LLVMLITE))
    emitted, missing = facts["emitted"], facts["missing"]
    if not emitted:
        return Finding("error", "LLVM emits code for none of our GPU architectures", facts, pip(LLVMLITE))
    if missing:
        return Finding("warn", f"LLVM does not know {', '.join(missing)}", facts, pip(LLVMLITE))
    return Finding("ok", f"{len(emitted)} GPU architectures, {emitted[0]} to {emitted[-1]}", facts)


def to_ptx(examination: Examination) -> Finding:
    try:
        facts: dict[str, Any] = examination.child("kernels").fact("ptx")
    except ChildEnded as ended:
        return Finding("error", f"a kernel does not compile to PTX: {said(ended)}", evidence_of(ended), pip(REINSTALL))
    if not facts["entry"] or facts["isa"] is None:
        return Finding("error", "what a kernel was compiled to is not the PTX of that kernel", facts, pip(REINSTALL))
    return Finding("ok", f"a kernel compiles to PTX {facts['isa']} for {facts['arch']} in {facts['milliseconds']} ms", facts)


def on_cpu(examination: Examination) -> Finding:
    try:
        facts: dict[str, Any] = examination.child("kernels").fact("cpu")
    except ChildEnded as ended:
        if ended.stage != "cpu":
            return blocked("OXD032", "a kernel does not compile")
        return Finding("error", f"a kernel does not run on the CPU device: {said(ended)}", evidence_of(ended), pip(REINSTALL), lacks="cpu")
    if facts["wrong"] is not None:
        message = f"the CPU device gives {facts['found']} for element {facts['wrong']} where NumPy gives {facts['expected']}"
        return Finding("error", message, facts, pip(REINSTALL), lacks="cpu")
    return Finding("ok", f"a kernel runs on the CPU device and gives what NumPy gives ({facts['launch_us']} µs a launch)", facts)


def said(ended: ChildEnded) -> str:
    """How a child ended, as the end of a sentence."""
    lines = ended.text.splitlines() or [""]
    if ended.kind == "failed":
        return lines[0] if lines[0] else "an exception without text"
    if ended.kind == "hung":
        return ended.text
    if ended.kind == "stopped":
        return ended.text
    words = f"the process that asked ended with {_status(ended.status)}"
    return f"{words}: {lines[-1]}" if lines[-1] else words


def evidence_of(ended: ChildEnded) -> dict[str, Any]:
    return {"ended": ended.kind, "stage": ended.stage, "status": ended.status, "output": ended.text}


def blocked(code: str, why: str) -> Finding:
    return Finding("info", f"not examined: {why}", blocked_by=code)


def _status(status: int | None) -> str:
    if status is None or status >= 0:
        return f"status {status}"
    import signal

    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
