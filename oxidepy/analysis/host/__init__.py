"""What can be seen of the host's code without running it: memory taken twice, given away and used, freed while in use.

Every function of a file is followed as it stands, with helpers of the file where they are called (`walk`, `expressions`, `library`);
what is told of a path holds on it for certain, but for moves, which count from one path. Where nothing is known, the checks of the launch
decide.
"""

from __future__ import annotations

import ast

from oxidepy.analysis.host.findings import Findings
from oxidepy.analysis.host.model import KernelShape, Library, Lookup, Param
from oxidepy.analysis.host.places import Places
from oxidepy.analysis.host.raw import raw_launches
from oxidepy.analysis.host.walk import Walker
from oxidepy.diagnostics import Diagnostic

__all__ = ["KernelShape", "Library", "Lookup", "Param", "analyse"]


def analyse(tree: ast.Module, source: str, file: str, lookup: Lookup) -> list[Diagnostic]:
    """The findings about a file's host functions. `lookup` says what names of the module mean."""
    places = Places(source, file)
    findings = Findings(places)
    Walker(findings, lookup).whole(tree)
    return [*raw_launches(tree, places), *findings.found.values()]
