"""Values of which nothing is known, looked at so that a type checker learns what they are."""

from __future__ import annotations

from typing import Any, cast


def type_of(value: Any) -> type[Any]:
    """The class of a value."""
    return cast("type[Any]", type(value))


def tuple_of(value: Any) -> tuple[Any, ...] | None:
    """The value if it is a tuple."""
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else None
