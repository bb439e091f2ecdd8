"""Families of kernels: several that compute the same, of which the host chooses one for each problem."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from oxidepy.diagnostics.names import suggest
from oxidepy.lang.calls import methods
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.runtime.config import AnyConfig
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.kernel import Kernel

T = TypeVar("T")
_NOTHING: Mapping[str, Any] = {}


def _always(_: Any) -> bool:
    return True


@methods("variant", made="__init__")
@dataclass(frozen=True)
class Variant(Generic[T]):
    """One way to compute what a family computes: a kernel, with values for some of its parameters (policies: `Const` ones), for the
    problems of which `when` holds."""

    name: str
    kernel: Kernel[...]
    values: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    when: Callable[[T], bool] = _always


@dataclass(frozen=True)
class Selection(Generic[T]):
    """The variant that was chosen for a problem. `cached`: it was known from before."""

    family: KernelFamily[T]
    variant: Variant[T]
    cached: bool

    @property
    def name(self) -> str:
        return self.variant.name

    def launch(self, stream: Any, /, *args: Any, **kwargs: Any) -> None:
        """As the kernel's own `launch`, with the variant's values in the places of their parameters."""
        self.variant.kernel.launch(stream, *args, **self._with(kwargs))

    def prepare(self, context: Context, config: AnyConfig | int, /) -> Callable[..., None]:
        """As the kernel's own `prepare`; the launch takes the arguments that the variant has no values for."""
        prepared = self.variant.kernel.prepare(context, config)

        def launch(stream: Any, /, *args: Any, **kwargs: Any) -> None:
            prepared(stream, *args, **self._with(kwargs))

        return launch

    def _with(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The keywords with the variant's values. LaunchError OX2007 for one that is given too."""
        twice = next((one for one in given if one in self.variant.values), None)
        if twice is not None:
            message = f"`{twice}` of `{self.variant.kernel.name}` has its value from the variant `{self.name}`"
            raise launch_error("OX2007", message, help=f"leave `{twice}` out of the arguments")
        return {**given, **self.variant.values}


@methods("family", "select", made="__init__")
class KernelFamily(Generic[T]):
    """Kernels that compute the same, best first: `family.select(problem).launch(stream, …)` takes the first whose `when` holds.

    A problem is a value of your own that says what matters for the choice, hashable and with a `repr` that says it all. `choose`, where it
    is given, is asked instead of taking the first, and gets the problem and the variants that hold for it: measure there, or look a table
    up. Choices are kept in `cache`, a mapping of strings of your own if you want to keep them for longer than this object; another
    `revision` of the family knows nothing of the choices of the last one. LaunchError OX2001 for two variants of one name, or none at all.
    """

    def __init__(
        self,
        name: str,
        variants: Sequence[Variant[T]],
        *,
        revision: int = 1,
        choose: Callable[[T, Sequence[Variant[T]]], Variant[T]] | None = None,
        cache: MutableMapping[str, str] | None = None,
    ) -> None:
        self.name = f"{name}@{revision}"
        self.variants = tuple(variants)
        self._choose = choose
        self._cache: MutableMapping[str, str] = {} if cache is None else cache
        self._lock = threading.RLock()  # `choose` may ask the family itself
        for one in self.variants:
            _is_variant(self.name, one)
        names = [one.name for one in self.variants]
        if not names or len(set(names)) < len(names):
            what = "has no variants" if not names else "has two variants of one name"
            raise launch_error("OX2001", f"the family `{self.name}` {what}", help="give each variant a name of its own")
        for one in self.variants:
            _known(self.name, one)

    def __getitem__(self, name: str) -> Variant[T]:
        """The variant of that name. LaunchError OX0425 if there is none."""
        for one in self.variants:
            if one.name == name:
                return one
        close = suggest(name, [one.name for one in self.variants])
        help = f"did you mean `{close}`?" if close else "its variants are " + ", ".join(f"`{one.name}`" for one in self.variants)
        raise launch_error("OX0425", f"the family `{self.name}` has no variant `{name}`", help=help)

    def select(self, problem: T, *, force: str | None = None, context: Context | None = None) -> Selection[T]:
        """The variant for a problem on a context's device (`Context()` without one); `force` names one whatever the problem is.

        LaunchError OX2008 where no variant takes the problem, OX0425 where `force` names none.
        """
        if force is not None:
            return Selection(self, self[force], False)
        if context is None:
            from oxidepy.runtime.context import Context

            context = Context()
        key = f"{self.name}/{context.description}/{problem!r}"
        with self._lock:
            known = self._cache.get(key)
            found = next((one for one in self.variants if one.name == known), None)
            if found is not None:
                return Selection(self, found, True)
            found = self._chosen(problem, context)
            self._cache[key] = found.name
        return Selection(self, found, False)

    def _chosen(self, problem: T, context: Context) -> Variant[T]:
        able = [one for one in self.variants if _runs(one.kernel, context) and one.when(problem)]
        if not able:
            raise launch_error(
                "OX2008",
                f"no variant of `{self.name}` takes {problem!r} on {context.name}",
                help="add one without a condition as the last, or name one: `select(problem, force=…)`",
            )
        if self._choose is None:
            return able[0]
        found = self._choose(problem, able)
        if found not in able:
            raise launch_error("OX2008", f"`choose` of `{self.name}` gave none of the variants that take {problem!r}")
        return found

    def __repr__(self) -> str:
        return f"<family {self.name}: {', '.join(one.name for one in self.variants)}>"


def _is_variant(family: str, one: object) -> None:
    """OX2001 for what is none, or has no kernel."""
    if not isinstance(one, Variant):
        raise launch_error(
            "OX2001", f"the family `{family}` got a {type(one).__name__} as a variant", help='write `Variant("name", kernel)`'
        )
    what = _no_kernel(one.kernel)
    if what is not None:
        message = f"the variant `{one.name}` of `{family}` has a {what} as its kernel"
        raise launch_error("OX2001", message, help="give a function under `@kernel`")


def _no_kernel(value: object) -> str | None:
    from oxidepy.runtime.kernel import Kernel

    return None if isinstance(value, Kernel) else type(value).__name__


def _known(family: str, variant: Variant[Any]) -> None:
    """OX0425 for values of parameters that the kernel does not have."""
    code = variant.kernel.definition.function.__code__
    names = code.co_varnames[: code.co_argcount]
    for one in variant.values:
        if one not in names:
            close = suggest(one, names)
            raise launch_error(
                "OX0425",
                f"the variant `{variant.name}` of `{family}` gives a value for `{one}`, which `{variant.kernel.name}` has not",
                help=f"did you mean `{close}`?" if close else None,
            )


def _runs(kernel: Kernel[...], context: Context) -> bool:
    """Whether the context's device is as capable as the kernel's contract asks."""
    wanted, given = kernel.definition.contract.min_compute_capability, context.compute_capability
    return wanted is None or given is None or given >= wanted
