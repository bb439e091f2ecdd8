"""Which bytes of device memory were written, and where each piece was made."""

from __future__ import annotations

import bisect
import sys
from dataclasses import dataclass
from typing import Any

from oxidepy.diagnostics import Span
from oxidepy.diagnostics.sources import line_of


@dataclass
class Piece:
    """Memory of `nbytes` at `address`; `written` has a truth value a byte."""

    address: int
    nbytes: int
    written: Any
    made: Span | None


class Written:
    """The pieces of a device's memory. What is not among them belongs to somebody else and counts as written."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.pieces: dict[int, Piece] = {}
        self._order: list[int] = []

    def made(self, address: int, nbytes: int) -> None:
        import numpy

        self.pieces[address] = Piece(address, nbytes, numpy.zeros(nbytes, numpy.bool_), self._caller())
        bisect.insort(self._order, address)

    def gone(self, address: int) -> None:
        if self.pieces.pop(address, None) is not None:
            self._order.remove(address)

    def of(self, address: int) -> tuple[int, Any]:
        """The begin of the piece around an address, and its `written`; None where there is none."""
        at = bisect.bisect_right(self._order, address) - 1
        if at >= 0:
            piece = self.pieces[self._order[at]]
            if address < piece.address + piece.nbytes:
                return piece.address, piece.written
        return address, None

    def write(self, address: int, nbytes: int, source: int | None = None) -> None:
        """Bytes were written by the host, or copied from `source` on the device, where some may never have been."""
        start, written = self.of(address)
        if written is None:
            return
        from_start, known = self.of(source) if source is not None else (0, None)
        values: Any = True
        if known is not None and source is not None:
            values = known[source - from_start : source - from_start + nbytes]
        written[address - start : address - start + nbytes] = values

    def all(self) -> None:
        """Any of the bytes may have been written."""
        for piece in self.pieces.values():
            piece.written[:] = True

    def _caller(self) -> Span | None:
        """The line of the program that asks for memory."""
        frame: Any = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != self.program:
            frame = frame.f_back
        if frame is None:
            return None
        text = line_of(self.program, frame.f_lineno) or ""
        start = len(text) - len(text.lstrip()) + 1
        return Span(self.program, frame.f_lineno, start, frame.f_lineno, max(len(text.rstrip()) + 1, start + 1))
