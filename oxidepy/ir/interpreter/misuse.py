"""What a kernel under `unsafe` must not do and did."""

from __future__ import annotations

from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.state import BlockState, Triple


class Misuse(Exception):
    """`op` says where, `block` and `thread` who; `index` and `length`, of an access outside of its memory, what of which."""

    def __init__(
        self,
        op: Op,
        state: BlockState,
        thread: int,
        code: str,
        message: str,
        help: str,
        index: int | None = None,
        length: int | None = None,
    ) -> None:
        super().__init__(message)
        self.index, self.length = index, length
        self.op, self.code, self.message, self.help = op, code, message, help
        self.block = state.place
        x, y, z = (int(state.coordinates[f"tid.{axis}"][thread]) for axis in "xyz")
        self.thread: Triple = (x, y, z)

    def diagnostic(self, *notes: str) -> Diagnostic:
        return Diagnostic(self.code, self.message, self.op.span, notes=notes, help=self.help)
