"""Tests whether a phase of a barrier in shared memory is over, and waits for that: a loop around the test, in which a thread looks at the
panic record."""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import Emitter
from oxidepy.backend.nvptx_assembly import location
from oxidepy.backend.nvptx_sync import assembler, look
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics.barrier import TESTS, WAITS


def waits_for_phases(kernel: Kernel) -> bool:
    return any(op.name == "intrinsic" and op.attrs["row"] in WAITS for op in kernel.body.walk())


def lowerings(emitter: Emitter, compute: int, clusters: bool, rounds: Callable[[], str]) -> dict[str, Callable[[Op], str]]:
    """By row. `rounds`: where rounds of waiting are counted, "" in a kernel without a panic record. With `clusters` what threads of other
    blocks did before they arrived is seen too."""

    def over(op: Op, kind: str) -> str:
        """Whether the phase is over."""
        memory, index, which = op.operands
        letter, address = location(emitter, memory, index)
        parity = op.attrs["row"].endswith("_parity")
        words = f"{kind}{'.parity' * parity}{'.acquire.cluster' * clusters}.shared{'::cta' * (compute >= 90)}.b64"
        text = f"{{ .reg .pred over; mbarrier.{words} over, [$1], $2; selp.b32 $0, 1, 0, over; }}"
        number = f"{emitter.type(which.scalar)} {emitter.value(which)}"
        done = assembler(emitter, text, f"=r,{letter},{'r' if parity else 'l'}", (address, number), "i32")
        return emitter.ins(f"icmp ne i32 {done}, 0")

    def wait(op: Op) -> str:
        head, on = emitter.fresh("phase"), emitter.fresh("over")
        emitter.do(f"br label %{head}")
        emitter.start(head)
        done = over(op, "try_wait" if compute >= 90 else "test_wait")
        again = emitter.fresh("again") if rounds() else head
        emitter.do(f"br i1 {done}, label %{on}, label %{again}")
        if rounds():
            emitter.start(again)
            look(emitter, rounds())
            emitter.do(f"br label %{head}")
        emitter.start(on)
        return ""

    def test(op: Op) -> str:
        return over(op, op.attrs["row"].removeprefix("barrier.").removesuffix("_parity"))

    return {**dict.fromkeys(WAITS, wait), **dict.fromkeys(TESTS, test)}
