"""The number of axes of a launch, which every index maker has to agree with."""

from __future__ import annotations

import ast

from oxidepy.frontend.convert import source
from oxidepy.frontend.frame import Frame


def domain_is(frame: Frame, node: ast.Call, rank: int) -> None:
    """OX2004 where the launch has another number of dimensions than the index."""
    definition = frame.lowering.definition
    domain = definition.contract.domain
    if domain == rank:
        return
    other = {1: "`thread.index_1d()`", 2: "`thread.index_2d(width)`"}.get(domain)
    what = (
        {1: "names every element several times", 2: "has no second coordinate"}.get(rank, "")
        if domain != 3
        else "does not name one thread an element"
    )
    block = "(16, 16, 1)" if rank == 2 else "256"
    way = f"set `domain={rank}` in the contract" if definition.contracted else f"write `@launch_contract(domain={rank}, block={block})`"
    help = way + (f", or use {other}" if other else "")
    label = f"in a launch of {domain} dimension{'s' * (domain > 1)} it {what}" if what else ""
    message = f"`{source(node.func)}` is of {rank} dimension{'s' * (rank > 1)}, and the domain of the launch has {domain}"
    raise frame.refuse(node, "OX2004", message, label=label, help=help)
