"""The names of the language that are rows of the table of intrinsics, made from it: functions of modules and methods of scopes.

The `.pyi` files beside this one declare the same names to type checkers and editors. They are written by `scripts/stubs.py`, which says
what comes from the table and what is written by hand.
"""

from __future__ import annotations
import __future__

from collections.abc import Callable
from typing import Any

from oxidepy.ir.intrinsics.form import below, forms, members, of_method
from oxidepy.ir.intrinsics.row import Form
from oxidepy.lang.names import device, host_error, name_of

Derived = Callable[..., Any]
_DEFERRED = __future__.annotations.compiler_flag


def module(part: str, space: dict[str, Any], *, layers: bool = False) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of the module whose names these are: one is made when it is first asked for.

    `layers`: names have several parts, of which the compiler knows which go together; what is no name is said where a kernel is compiled.
    """

    def get(name: str) -> Any:
        known = forms(part) if not name.startswith("_") else {}
        found = derived(known, f"{part}.{name}", space["__name__"])
        if found is not None:
            space[name] = found
            return found
        if layers and not name.startswith("_"):
            return Layer(f"{part}.{name}", space["__name__"])
        from difflib import get_close_matches

        close = get_close_matches(name, listed(), n=1)
        raise AttributeError(f"`{part}` has no {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))

    def listed() -> list[str]:
        here = (name for name, value in space.items() if _offered(name, value, space["__name__"]))
        return sorted({*here, *below(forms(part), part)})

    return get, listed


def _offered(name: str, value: object, home: str) -> bool:
    """Whether a module offers a name to its users: what it defines, or takes from the kernel language to hand it on."""
    own = getattr(value, "__module__", None) == home and callable(value)
    return name.startswith("__") or (not name.startswith("_") and (own or name_of(value) is not None))


class Layer:
    """What stands before the last part of a name, as `mma.m16n8k16`."""

    def __init__(self, name: str, home: str) -> None:
        self.__oxidepy__ = name
        self.__module__ = home

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        whole = f"{self.__oxidepy__}.{name}"
        found = derived(forms(whole.partition(".")[0]), whole, self.__module__) or Layer(whole, self.__module__)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return below(forms(self.__oxidepy__.partition(".")[0]), self.__oxidepy__)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        raise host_error(self.__oxidepy__)

    def __repr__(self) -> str:
        return f"<oxidepy.{self.__oxidepy__}>"


def derived(known: dict[str, Form], name: str, home: str) -> Any:
    """What a name of the table is at run time: a function that the frontend knows, or a `Layer` of such; None for no name of it."""
    parts = below(known, name)
    if name not in known:
        return Layer(name, home) if parts else None
    made = function(known[name], home)
    for one in parts:  # m16n8k16.i32.i8 is a product, and so is m16n8k16.i32.i8.u8
        setattr(made, one, derived(known, f"{name}.{one}", home))
    return made


def function(form: Form, home: str, *, method: bool = False) -> Derived:
    """A function with the form's parameters and text."""
    name = form.name.rpartition(".")[2]
    taken = of_method(form.parameters) if method else form.parameters
    space: dict[str, Any] = {"__name__": home}
    text = f"def {name}({taken}) -> {form.result}: ...\n"
    exec(compile(text, f"<{form.name} of the table of intrinsics>", "exec", _DEFERRED, dont_inherit=True), space)
    made: Derived = space[name]
    made.__doc__ = form.doc
    return device(form.name)(made)


class Method:
    """A method of a scope, made when it is first asked for."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def __get__(self, instance: object, owner: type) -> Any:
        name = self.form.name.rpartition(".")[2]
        home = next(one for one in owner.__mro__ if vars(one).get(name) is self)
        setattr(home, name, function(self.form, home.__module__, method=True))
        return getattr(owner if instance is None else instance, name)


def scope(name: str, coordinates: Callable[[str], object]) -> type:
    """A class of `SCOPES`: functions as methods, coordinates as triples, and in `_read_` the names of values."""
    names: dict[str, Any] = {"_read_": ()}
    for form in members(name):
        part, short, *axis = form.name.split(".")
        if not form.property:
            names[short] = Method(form)
        elif axis:
            names[short] = coordinates(f"{part}.{short}")
        else:
            names["_read_"] = (*names["_read_"], short)
    return type(name, (), names)
