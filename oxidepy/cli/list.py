"""`oxidepy list`: the programs that there are to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from oxidepy.cli.output import fail


def list_(
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="a folder with programs; without one, the examples", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON: name, title, path and kernels of each")] = False,
) -> int:
    """List programs with kernels and what each shows: the examples, or those of a folder.

    Examples: oxidepy list  ·  oxidepy run examples/vecadd.py
    """
    from oxidepy.runtime.catalogue import catalogue, shipped

    folder = path if path is not None else shipped()
    if folder is None:
        return fail("the examples did not come with this installation", "give a folder: `oxidepy list PATH`")
    entries = catalogue(folder)
    if as_json:
        rows = [{"name": one.name, "title": one.title, "path": str(one.path), "kernels": list(one.kernels)} for one in entries]
        print(json.dumps({"schema_version": 1, "programs": rows}, indent=2))
        return 0
    width = max((len(one.name) for one in entries), default=0)
    for one in entries:
        print(f"{one.name:<{width}}  {one.title}".rstrip())
    print(f"\n{len(entries)} programs in {folder}" + (": run one with `oxidepy run PATH`" if entries else ""))
    return 0
