"""What the sanitizer says, each thing once, with how often it happened."""

from __future__ import annotations

from oxidepy.diagnostics import Counterexample, Diagnostic, Label, Span
from oxidepy.ir.core import Kernel, Op

Triple = tuple[int, int, int]
Where = tuple[Triple, Triple, int, str]  # block and thread of the first, how many, the kernel
Side = tuple[Op, Triple, Triple]


class Findings:
    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], tuple[Diagnostic, int]] = {}

    def add(self, diagnostic: Diagnostic) -> None:
        key = (diagnostic.code, diagnostic.span, tuple(label.span for label in diagnostic.labels))
        known = self._found.get(key)
        self._found[key] = (diagnostic, 1) if known is None else (known[0], known[1] + 1)

    def all(self) -> list[Diagnostic]:
        """In the order of their places."""
        told = [
            one if count == 1 else one.with_note(f"and {count - 1} more time{'s' if count > 2 else ''}")
            for one, count in self._found.values()
        ]
        return sorted(told, key=lambda one: (one.span.file, one.span.line, one.span.column) if one.span else ("", 0, 0))


def race(name: str, first: Side, second: Side, index: int, kernel: Kernel) -> Diagnostic:
    """OX4001 or OX4002 with the two threads that raced."""
    op = second[0]
    shared = op.operands[0].memory.space != "global"
    words = [_who(place, kernel) for place in (first, second)]
    labels = (Label(first[0].span, f"{words[0]} {_verb(first[0])} it here"),) if first[0].span not in (None, op.span) else ()
    lines = tuple(one[0].span.line if one[0].span else 0 for one in (first, second))
    return Diagnostic(
        "OX4001" if shared else "OX4002",
        f"{words[0]} and {words[1]} raced on `{name}[{index}]`",
        op.span,
        label=f"{words[1]} {_verb(op)} it here",
        labels=labels,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        notes=(f"in a launch of `{kernel.name}`",),
        help="order them by a barrier, let each thread have elements of its own, or use an atomic",
        counterexample=Counterexample((first[1:], second[1:]), (lines[0], lines[1]), index),
    )


def bounds(op: Op, where: Where, about: tuple[int, int] | None) -> Diagnostic:
    told = f": index {about[0]}, length {about[1]}" if about is not None else ""
    return Diagnostic(
        "OX7001", f"{op.attrs['message']}{told}", op.span, notes=(_note(where),), help="guard the access, or `require` what makes it safe"
    )


def outside(op: Op, name: str, where: Where) -> Diagnostic:
    message = f"access outside of `{name}`"
    return Diagnostic(
        "OX7001", message, op.span, notes=(_note(where),), help="leave --unchecked-indexing out, and the kernel ends there by itself"
    )


def unwritten(op: Op, name: str, space: str, where: Where) -> Diagnostic:
    kind = {"global": "device", "cluster": "shared", "const": "constant"}.get(space, space)
    made = "`DeviceBuffer.zeros` begins with zeros, `empty` with anything" if kind == "device" else "write it before it is read"
    return Diagnostic("OX7005", f"`{name}` is read where nothing was written: {kind} memory", op.span, notes=(_note(where),), help=made)


def divergent(op: Op, where: Where, missing: int) -> Diagnostic:
    several = f"{missing} threads of the block do" if missing > 1 else "one thread of the block does"
    message = f"`{op.attrs['row']}` is passed, and {several} not come to it"
    note = f"for instance thread {where[1]} of block {where[0]}, in a launch of `{where[3]}`"
    return Diagnostic("OX3001", message, op.span, notes=(note,), help="let every thread of the block come to the barrier")


def overflow(op: Op, where: Where) -> Diagnostic:
    sign = {"add": "+", "sub": "-", "mul": "*", "neg": "-", "abs": "abs", "floordiv": "//"}[op.name]
    message = f"`{sign}` overflowed: the result does not fit `{op.result.scalar.name}` and wrapped"
    return Diagnostic(
        "OX7006", message, op.span, notes=(_note(where),), help="compute in `i64`, or in an unsigned type where wrapping is meant"
    )


def leak(span: Span | None, nbytes: int, device: str) -> Diagnostic:
    return Diagnostic(
        "OX7007",
        f"{nbytes} bytes of {device} memory are still held after the program",
        span,
        label="made here" if span is not None else "",
        help="call `free(stream)`, or let go of what refers to the buffer",
    )


def _who(side: Side, kernel: Kernel) -> str:
    _, block, thread = side
    _, y, z = kernel.block
    inside = str(thread[0]) if y == z == 1 else str(thread)
    return f"thread {inside} of block {block[0] if kernel.domain == 1 else block}"


def _verb(op: Op) -> str:
    return "updates" if op.name == "atomic" and op.attrs["kind"] != "load" else "writes" if op.name == "store" else "reads"


def _note(where: Where) -> str:
    block, thread, count, kernel = where
    rest = f" and {count - 1} more of its block" if count > 1 else ""
    return f"thread {thread} of block {block}{rest}, in a launch of `{kernel}`"
