"""The findings about host code, each once, none where the code expects the exception."""

from __future__ import annotations

import ast
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from oxidepy.analysis.host.model import KernelShape, Param
from oxidepy.analysis.host.places import Places
from oxidepy.diagnostics import Diagnostic, Label

_DIRECTION = {"shared": "reads", "exclusive": "writes"}


class Findings:
    def __init__(self, places: Places) -> None:
        self.places = places
        self.found: dict[tuple[str, object], Diagnostic] = {}
        self._expected = 0
        self._sites: list[ast.AST] = []

    @contextmanager
    def expecting(self, expected: bool) -> Generator[None, None, None]:
        """Inside, the code catches what a launch raises, if `expected`."""
        self._expected += expected
        yield
        self._expected -= expected

    def enter(self, site: ast.AST) -> None:
        self._sites.append(site)

    def leave(self) -> None:
        self._sites.pop()

    # ---- findings

    def aliased(self, node: ast.Call, shape: KernelShape, first: tuple[Param, ast.expr], second: tuple[Param, ast.expr]) -> None:
        both = first[0].mode == second[0].mode
        help_ = "write to a buffer of its own, or to parts that do not overlap: `b[i:j]`"
        labels = tuple(
            Label(self.places.span(place), f"`{shape.name}` {_DIRECTION[param.mode]} it as `{param.name}`")
            for param, place in (first, second)
        )
        said = "takes the same memory exclusively twice" if both else "writes memory that it also reads"
        names = f"`{first[0].name}` and `{second[0].name}`"
        self._say(
            Diagnostic(
                "OX0499" if both else "OX0502", f"`{shape.name}` {said}: {names} overlap", self.places.span(node), labels=labels, help=help_
            )
        )

    def copied(self, node: ast.Call) -> None:
        message = "the two buffers of `copy_from` overlap"
        self._say(Diagnostic("OX0502", message, self.places.span(node), help="copy by way of a third buffer"))

    def moved(self, place: ast.expr, where: ast.expr, what: str) -> None:
        self._say(
            Diagnostic(
                "OX0382",
                f"use of a moved value: {what} took it",
                self.places.span(place),
                label="used here after the move",
                labels=(Label(self.places.span(where), "moved here"),),
                help="use what the operation gives back when it has run",
            )
        )

    def used_after_free(self, place: ast.expr, where: ast.expr) -> None:
        label = Label(self.places.span(where), "released here")
        self._say(
            Diagnostic(
                "OX2007",
                "the buffer has been released",
                self.places.span(place),
                label="used here",
                labels=(label,),
                help="make a new one, or `free` later",
            )
        )

    def freed_in_use(self, node: ast.Call, where: ast.expr) -> None:
        label = Label(self.places.span(where), "this operation has it, and has not run")
        self._say(
            Diagnostic(
                "OX0505",
                "memory is released while an operation that has not run uses it",
                self.places.span(node),
                label="released here",
                labels=(label,),
                help="run the operation first: `.sync()`, `.sync_on(stream)` or `await`",
            )
        )

    def never_run(self, node: ast.expr, what: str) -> None:
        self._say(
            Diagnostic(
                "OX9001",
                f"the operation of `{what}` is never run",
                self.places.span(node),
                label="nothing runs it",
                help="run it: `.sync()`, `.sync_on(stream)` or `await`",
                severity="warning",
            )
        )

    def arity(self, node: ast.Call, shape: KernelShape, missing: Sequence[str], stranger: str | None, count: int) -> None:
        wanted = ", ".join(one.name for one in shape.params)
        if stranger is not None:
            said = f"`{shape.name}` has no parameter `{stranger}`, or has it already"
        elif missing:
            said = f"`{shape.name}` lacks an argument for {', '.join(f'`{one}`' for one in missing)}"
        else:
            said = f"`{shape.name}` takes {len(shape.params)} arguments, got {count}"
        self._say(Diagnostic("OX2007", said, self.places.span(node), help=f"it takes ({wanted})"))

    def unfit(self, place: ast.expr, shape: KernelShape, param: Param, got: str, help: str) -> None:
        kind = {"shared": "Slice", "exclusive": "exclusive slice", "pointer": "pointer", "scalar": "scalar", "other": "value"}[param.mode]
        wanted = f"{kind} of {param.element}" if param.element is not None and param.mode != "scalar" else param.element or kind
        message = f"`{param.name}` of `{shape.name}` takes a {wanted}, got {got}"
        self._say(Diagnostic("OX2007", message, self.places.span(place), help=help))

    def _say(self, diagnostic: Diagnostic) -> None:
        if self._expected:
            return
        site = next((one for one in reversed(self._sites) if isinstance(one, ast.expr)), None)
        if site is not None:
            diagnostic = replace(diagnostic, labels=(*diagnostic.labels, Label(self.places.span(site), "called from here")))
        self.found.setdefault((diagnostic.code, diagnostic.span), diagnostic)
