"""`Generic` and `TypeVar` for the types of kernel parameters: typing's own to a checker; at run time aliases with defaults filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Generic as Generic

    from typing_extensions import TypeVar as TypeVar
else:
    import types
    import typing

    def TypeVar(name, *constraints, default=None, **keywords):
        """typing's TypeVar; Python before 3.13 does not take `default`, which only checkers read."""
        return typing.TypeVar(name, *constraints, **keywords)

    class Generic:
        """Base of classes whose `C[a]` is `types.GenericAlias(C, (a, *defaults))`, defaults from `_defaults_`. There are no instances."""

        _defaults_ = ()

        def __class_getitem__(cls, items):
            given = items if isinstance(items, tuple) else (items,)
            missing = len(getattr(cls, "_parameters_", given)) - len(given)
            if missing > 0:
                given += cls._defaults_[len(cls._defaults_) - missing :]
            return types.GenericAlias(cls, given)

        def __init_subclass__(cls) -> None:
            for base in cls.__dict__.get("__orig_bases__", ()):
                cls._parameters_ = base.__args__

        def __new__(cls, *args, **kwargs):
            from oxidepy.lang.names import host_error

            raise host_error(cls.__oxidepy__)
