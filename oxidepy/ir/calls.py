"""Which functions of a module call which."""

from __future__ import annotations

from oxidepy.ir.core import Module

RECURSION_LIMIT = 128  # calls of functions that call themselves that may stand in each other


def recursive_functions(module: Module) -> set[str]:
    """Names of functions that can reach themselves."""
    calls = {name: {op.attrs["callee"] for op in function.body.walk() if op.name == "call"} for name, function in module.functions.items()}
    found: set[str] = set()
    for name in calls:
        reached: set[str] = set()
        rest = list(calls[name])
        while rest:
            one = rest.pop()
            if one not in reached:
                reached.add(one)
                rest.extend(calls.get(one, ()))
        if name in reached:
            found.add(name)
    return found
