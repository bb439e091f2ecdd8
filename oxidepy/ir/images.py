"""Device code from elsewhere, as it lies in a file: what kind it is, and what PTX says of its functions. Plain bytes, never run here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Literal

from oxidepy.diagnostics.names import suggest
from oxidepy.ir.record import record

Kind = Literal["ptx", "cubin", "fatbin", "object", "library", "ltoir"]
KINDS = "PTX, a cubin, a fatbin, a relocatable object, a library or LTOIR"

_CUDA = 190  # the machine of an ELF file for GPUs
_STARTS: tuple[tuple[bytes, Kind], ...] = ((b"\x50\xed\x55\xba", "fatbin"), (b"!<arch>\n", "library"), (b"\xedCN\x7f", "ltoir"))
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FUNCTION = re.compile(r"\.(?:visible|weak)\s+\.func\s*(?:\.\w+\s*)*(?:\(([^)]*)\))?\s*([\w$]+)\s*(?:\(([^)]*)\))?", re.DOTALL)
_ENTRY = re.compile(r"\.(?:visible|weak)\s+\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?")
_ARRAY = re.compile(r"\.align\s+(\d+)\s+\.b8\s+[\w$]+\s*\[\s*(\d+)\s*\]")
_WORD = re.compile(r"\.[busf](\d+)\s")

Slot = tuple[int, int]  # of a parameter in PTX: bytes, and the alignment of an array of bytes, 0 for a number


@record
class Image:
    """A file of device code. `name` is what the program calls it, `digest` what tells one content from another."""

    name: str
    kind: Kind
    data: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@record
class Prototype:
    """What a function of PTX gives and takes."""

    result: Slot | None
    params: tuple[Slot, ...]


def kind_of(data: bytes) -> Kind | None:
    """What the bytes are, by how they begin; None for what no linker of device code takes."""
    for start, kind in _STARTS:
        if data.startswith(start):
            return kind
    if data.startswith(b"\x7fELF") and len(data) >= 64:
        return "cubin" if int.from_bytes(data[18:20], "little") == _CUDA else "object"
    head = _COMMENT.sub("", data[: 1 << 16].decode("utf-8", "replace")).lstrip("\ufeff \t\r\n")
    return "ptx" if head.startswith(".version") else None


def functions(ptx: bytes) -> dict[str, Prototype]:
    """The functions of PTX that other code may call."""
    text = _COMMENT.sub("", ptx.decode("utf-8", "replace"))
    return {
        found[2]: Prototype(next(iter(_slots(found[1])), None), _slots(found[3]))
        for found in _FUNCTION.finditer(text)
    }  # fmt: skip


def entries(ptx: bytes) -> dict[str, int]:
    """The kernels of PTX, and how many parameters each takes."""
    text = _COMMENT.sub("", ptx.decode("utf-8", "replace"))
    return {found[1]: (found[2] or "").count(".param") for found in _ENTRY.finditer(text)}


def meant(symbol: str, names: Iterable[str]) -> str | None:
    """What helps who asks for a name that is not there: the same as C++ mangles it, or one much like it."""
    mangled = next((one for one in names if one.startswith(f"_Z{len(symbol)}{symbol}")), None)
    if mangled is not None:
        return f'write `symbol="{mangled}"`, the name that C++ makes of it, or `extern "C"` there'
    close = suggest(symbol, names)
    return f"did you mean `{close}`?" if close else None


def _slots(text: str | None) -> tuple[Slot, ...]:
    out: list[Slot] = []
    for one in (text or "").split(","):
        if (array := _ARRAY.search(one)) is not None:
            out.append((int(array[2]), int(array[1])))
        elif (word := _WORD.search(one)) is not None:
            out.append((int(word[1]) // 8, 0))
    return tuple(out)
