"""A kernel made ready for one context and configuration, and its launches."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol

from oxidepy.compiler.messages import SOURCE as MESSAGES
from oxidepy.ir.types import SCALARS
from oxidepy.lang.definition import KernelDef, Parameter, SliceParam, Specialisation, TensorMapParam
from oxidepy.runtime import alignment, arguments, fast, relations, scalars
from oxidepy.runtime.arguments import Bound
from oxidepy.runtime.buffer import BIG
from oxidepy.runtime.functions import FunctionValue, enclosed
from oxidepy.runtime.refusal import launch_error
from oxidepy.runtime.stream import Stream, as_stream

if TYPE_CHECKING:
    from oxidepy.backend.artefact import AbiParam
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.driver import Attributes, Launcher, Loaded

P = ParamSpec("P")
MOST_QUICK = 8  # quick functions made for one variant: arguments whose types change all the time go the slow way


@dataclass(eq=False)
class _Ready:
    """One compiled variant with the configuration: `quick` is the fast way for arguments like those of its first launch."""

    loaded: Loaded
    launch: Launcher
    quick: fast.Fast | None
    made: int = 0


def _nothing(_: Stream, __: Sequence[Any]) -> None:
    """The launch over zero elements: everything was checked, and there is nothing to run."""


class Launchable(Protocol):
    """A kernel: ours, or one of a module that was loaded."""

    definition: KernelDef

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    def load(self, context: Context, specialisation: Specialisation, key: Any, *, usual: bool = True) -> Loaded: ...


class Prepared(Generic[P]):
    """A kernel with a context and a launch configuration, checked once. Call it to launch: `prepared(stream, a, b, c)`.

    Reusable, from any thread. Arguments follow OX2007's rules; overlapping ones are OX0499 or OX0502; `require` is evaluated at each
    launch (OX2005).
    """

    def __init__(self, kernel: Launchable, context: Context, config: LaunchConfig, *, unchecked: bool = False) -> None:
        self.kernel = kernel
        self.context = context
        self.config = config
        self._unchecked = unchecked
        self._variants: dict[Any, _Ready] = {}
        self._last: _Ready | None = None

    def __call__(self, stream: Any, /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Launch on `stream`. Gives back at once on a GPU; failures of the kernel come with the next synchronisation."""
        ready = self._last
        if ready is not None and ready.quick is not None and not kwargs and type(stream) is Stream:
            values = ready.quick(stream, args)
            if values is not None:
                ready.launch(stream, values)
                return
        self._slowly(stream, args, kwargs)

    if not TYPE_CHECKING:
        __call__.__defaults__ = (None,)  # who forgets the stream is told so

    @property
    def attributes(self) -> Attributes | None:
        """Registers, spills, shared memory and occupancy of the variant launched last; None before the first launch of a kernel
        whose types or functions only a launch tells."""
        ready = self._last
        return self.context.driver.attributes(ready.loaded, self.config) if ready is not None else None

    def __repr__(self) -> str:
        return f"<{self.kernel.name} prepared for {self.context.name}, grid {self.config.grid}, block {self.config.block}>"

    # ---- inside

    def compile(self, specialisation: Specialisation, key: Any, *, usual: bool = True) -> _Ready:
        """The variant, compiled and loaded if it is not yet. Not `usual`: the one that takes any launch."""
        key = key if usual else (key, "any launch")
        ready = self._variants.get(key)
        if ready is None:
            loaded = self.kernel.load(self.context, specialisation, key, usual=usual)
            launch = _nothing if self.config.nothing else self.context.driver.launcher(loaded, self.config)
            ready = self._variants[key] = _Ready(loaded, launch, None if self._unchecked else loaded.quick)
        self._last = ready
        return ready

    def _slowly(self, stream: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        parameters, kernel = self.kernel.parameters, self.kernel.name
        stream = as_stream(stream, self.context)
        stream.driver.check()
        call = "launch_unchecked(stream, config" if self._unchecked else "launch(stream"
        given = arguments.by_name(kernel, parameters, args, kwargs, call)
        bound = Bound(kernel, self.context, stream)
        arguments.bind(bound, parameters, given)
        self._lengths(bound, parameters)
        if not self._unchecked:
            arguments.borrow(bound, parameters)
        specialisation, key = bound.specialisation(parameters)
        ready = self.compile(specialisation, key)
        requires = () if self._unchecked else ready.loaded.module.kernel.requires
        relations.check(requires, bound.values, self.config, kernel)
        alignment.check(ready.loaded.copied, bound, parameters)
        choice = self._choice(bound, parameters, ready.loaded)
        if not choice.usual:
            ready = self.compile(specialisation, key, usual=False)
        bound.messages = ready.loaded.messages
        values = [value_of(one, bound, self.kernel.definition.function) for one in ready.loaded.params]  # pyright: ignore[reportArgumentType] - it takes the field for a method
        for parameter in parameters:
            if isinstance(parameter.type, SliceParam):
                bound.values[parameter.name]._memory.use(stream)
            elif isinstance(parameter.type, TensorMapParam):
                bound.values[parameter.name].buffer._memory.use(stream)
        if ready.made < MOST_QUICK:
            ready.made += 1
            ready.quick = fast.make(bound, parameters, given, ready.loaded, requires, self.config, choice, borrows=not self._unchecked)
            if not self._unchecked and not any(relations.of_grid(one.expr) for one in (*requires, *choice.relations)):
                ready.loaded.quick = ready.quick  # other configurations take it too
        ready.launch(stream, values)

    def _choice(self, bound: Bound, parameters: Sequence[Parameter], loaded: Loaded) -> fast.Choice:
        """Whether this launch is one of those for which the code was made."""
        align = loaded.facts.get("aligned", 1)
        odd = align > 1 and any(bound.values[one.name].address % align for one in parameters if isinstance(one.type, SliceParam))
        return fast.Choice(align, loaded.relations, not odd and relations.hold(loaded.relations, bound.values, self.config))

    def _lengths(self, bound: Bound, parameters: Sequence[Parameter]) -> None:
        if self.kernel.definition.contract.coordinates != "i32":
            return
        for parameter in parameters:
            counted = isinstance(parameter.type, SliceParam) and not parameter.type.pointer
            size = bound.values[parameter.name].size if counted else 0
            if size >= BIG:
                raise launch_error(
                    "OX2003",
                    f"`{parameter.name}` of `{self.kernel.name}` has {size} elements; i32 coordinates allow {BIG - 1}",
                    help="write `launch_contract(…, coordinates=i64)`, or hand over views `b[i:j]`",
                )


def value_of(param: AbiParam, bound: Bound, function: types.FunctionType) -> Any:
    """The number that goes to the device for one parameter of the compiled entry."""
    if param.source == MESSAGES:
        return bound.stream.messages.device if param.kind == "memory" else bound.stream.messages.launch(bound.messages)
    if not param.source:
        return _enclosed(param, bound, function)
    value = bound.values[param.source]
    if param.kind == "memory":
        return value.address
    if param.kind == "whole":
        return value._memory.address, value._memory.nbytes
    if param.kind == "tensor_map":
        return value.given(bound.context.driver)
    if param.kind == "length":
        return value.shape[param.axis]
    number = value
    if isinstance(value, FunctionValue):
        scalar = SCALARS[param.type]
        captured = value.captured[param.path]
        try:
            # a captured Python number is a literal to the kernel: it takes whatever type it met there
            number = scalars.fit(scalar, captured)
        except scalars.Unfit as error:
            raise bound.refuse(f"{param.path}`, captured by `{param.source}", scalar.name, error.got, error.help) from None
    elif param.path:
        number = value[param.path]
    return scalars.bf16_bits(number) if param.type == "bf16" else number


def _enclosed(param: AbiParam, bound: Bound, function: types.FunctionType) -> Any:
    """A number of the function around the kernel: a run-time value like any other, so another one compiles nothing new."""
    try:
        number = scalars.fit(SCALARS[param.type], enclosed(function, param.path))
    except scalars.Unfit as error:
        raise bound.refuse(f"{param.path}`, captured by `{bound.kernel}", param.type, error.got, error.help) from None
    return scalars.bf16_bits(number) if param.type == "bf16" else number
