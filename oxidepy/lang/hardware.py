"""The hardware layer: barriers in memory, asynchronous copies, tensor cores. Under `unsafe` unless its protocol is proven."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxidepy.lang.names import host_error
from oxidepy.lang.scopes import _Scope


class Layer(_Scope):
    """One part of the hardware layer. What it holds is named by what a kernel writes, since it differs between architectures."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    else:

        def __init__(self, name):
            self.__oxidepy__ = name

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            return Layer(f"{self.__oxidepy__}.{name}")

        def __call__(self, *args, **kwargs):
            raise host_error(self.__oxidepy__)


clc = Layer("clc")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
