"""Names that a piece of source binds and reads."""

from __future__ import annotations

import ast
from functools import cache


def assigned(node: ast.AST) -> frozenset[str]:
    """The names that are bound inside, not counting what is inside of functions there."""
    found: set[str] = set()
    free: set[str] = set()
    waiting: list[ast.AST] = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(one.name)
            continue
        if isinstance(one, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            found.add(one.id)
        elif isinstance(one, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and one.name:
            found.add(one.name)
        elif isinstance(one, ast.MatchMapping) and one.rest:
            found.add(one.rest)
        elif isinstance(one, ast.alias):
            found.add(one.asname or one.name.partition(".")[0])
        elif isinstance(one, ast.Global | ast.Nonlocal):
            free.update(one.names)
        waiting.extend(ast.iter_child_nodes(one))
    if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
        found.add(node.name)
    return frozenset(found - free)


def computed(tree: ast.AST) -> frozenset[str]:
    """The methods under decorators in classes: an attribute of that name may be another object whenever it is read."""
    members = (one for holder in ast.walk(tree) if isinstance(holder, ast.ClassDef) for one in holder.body)
    return frozenset(one.name for one in members if isinstance(one, ast.FunctionDef) and one.decorator_list)


@cache
def _read(function: ast.AST) -> frozenset[str]:
    return frozenset(one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))


def never_read(function: ast.AST, name: str) -> bool:
    """Whether nothing in the function, nor in those inside of it, reads the name; and it is the function's own."""
    shared = (one for one in ast.walk(function) if isinstance(one, ast.Global | ast.Nonlocal))
    return name not in _read(function) and not any(name in one.names for one in shared)
