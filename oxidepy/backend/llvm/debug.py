"""Line information in LLVM text, and the numbered metadata of a module."""

from __future__ import annotations

import functools
import os

from oxidepy.diagnostics import Span


class Metadata:
    """Numbered metadata nodes of one module; equal nodes are one, but for `distinct` ones."""

    def __init__(self) -> None:
        self._nodes: list[str] = []
        self._known: dict[str, int] = {}
        self.named: list[str] = []

    def add(self, text: str) -> str:
        """A node, as `!7`."""
        found = self._known.get(text)
        if found is None:
            found = self.reserve()
            self._nodes[found] = text
            if not text.startswith("distinct"):
                self._known[text] = found
        return f"!{found}"

    def reserve(self) -> int:
        """A number whose node is set later, for nodes that name themselves."""
        self._nodes.append("")
        return len(self._nodes) - 1

    def set(self, number: int, text: str) -> str:
        self._nodes[number] = text
        return f"!{number}"

    def text(self) -> str:
        return "\n".join((*self.named, *(f"!{number} = {node}" for number, node in enumerate(self._nodes)), ""))


_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@functools.cache
def shown_path(file: str) -> str:
    """The file's name relative to its project (the nearest folder above with a pyproject.toml), without one its name alone: code is the
    same wherever its source lies."""
    if file.startswith("<"):
        return file  # a notebook cell, `exec`
    path = os.path.abspath(file)
    folder = os.path.dirname(path)
    if path.startswith(_PACKAGE + os.sep):  # a function of our own: the same text wherever we are installed
        return os.path.relpath(path, os.path.dirname(_PACKAGE)).replace(os.sep, "/")
    while folder != os.path.dirname(folder):
        if os.path.isfile(os.path.join(folder, "pyproject.toml")):
            return os.path.relpath(path, folder).replace(os.sep, "/")
        folder = os.path.dirname(folder)
    return os.path.basename(path)


class DebugInfo:
    """`.loc` lines only (DebugDirectivesOnly): the other kinds would make the driver treat the code as a debug build.

    Lines and not columns: the key of the cache holds lines.
    """

    def __init__(self, metadata: Metadata, file: str, producer: str) -> None:
        self._metadata = metadata
        self._unit = metadata.add(
            f"distinct !DICompileUnit(language: DW_LANG_Python, file: {self._file(file)}, producer: {_quoted(producer)}, "
            "isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)"
        )
        version = metadata.add('!{i32 2, !"Debug Info Version", i32 3}')
        metadata.named += [f"!llvm.dbg.cu = !{{{self._unit}}}", f"!llvm.module.flags = !{{{version}}}"]
        self._type = metadata.add(f"!DISubroutineType(types: {metadata.add('!{}')})")
        self._scope = ""
        self._own_file = ""
        self._fallback = ""
        self._locations: dict[tuple[str, int], str] = {}

    def function(self, name: str, span: Span | None, file: str) -> str:
        """Begin a function; what is appended to its head. Operations without a place get its first line."""
        own = span.file if span else file
        line = span.line if span else 0
        self._scope = self._metadata.add(
            f"distinct !DISubprogram(name: {_quoted(name)}, scope: {self._file(own)}, file: {self._file(own)}, line: {line}, "
            f"type: {self._type}, scopeLine: {line}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {self._unit})"
        )
        self._own_file = own
        self._locations = {}
        self._fallback = f", !dbg {self._metadata.add(f'!DILocation(line: {line}, scope: {self._scope})')}"
        return f" !dbg {self._scope}"

    def location(self, span: Span | None) -> str:
        """What is appended to an instruction of that place."""
        if span is None:
            return self._fallback
        key = (span.file, span.line)
        found = self._locations.get(key)
        if found is None:
            scope = self._scope
            if span.file != self._own_file:  # code of a helper in another file, compiled into this function
                scope = self._metadata.add(f"!DILexicalBlockFile(scope: {self._scope}, file: {self._file(span.file)}, discriminator: 0)")
            found = self._locations[key] = f", !dbg {self._metadata.add(f'!DILocation(line: {span.line}, scope: {scope})')}"
        return found

    def _file(self, file: str) -> str:
        return self._metadata.add(f'!DIFile(filename: {_quoted(shown_path(file))}, directory: "")')


def _quoted(text: str) -> str:
    """A string of LLVM text: bytes outside of printable ASCII as hexadecimal."""
    plain = (chr(one) if 32 <= one < 127 and one not in (34, 92) else f"\\{one:02X}" for one in text.encode("utf-8", "surrogatepass"))
    return '"' + "".join(plain) + '"'
