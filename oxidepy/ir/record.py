"""`record`: a dataclass for what nobody prints, compares or takes apart by position.

To a type checker it is frozen. At run time only its `__init__` is made: the rest of a frozen dataclass takes five times as long, for every
class at every start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
    def record(cls: type[T], /) -> type[T]: ...

else:
    record = dataclass(repr=False, eq=False, match_args=False)
