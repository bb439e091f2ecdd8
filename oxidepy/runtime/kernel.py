"""`@kernel` and what it makes of a function: something that is prepared and launched."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, overload

from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.lang.calls import methods
from oxidepy.lang.decorators import merge, pending_of
from oxidepy.lang.definition import KernelDef, KernelOptions, Parameter, Specialisation
from oxidepy.lang.names import caller_span, named
from oxidepy.runtime.inference import Inference
from oxidepy.runtime.prepared import Prepared
from oxidepy.runtime.refusal import launch_error
from oxidepy.runtime.stream import Stream, as_stream
from oxidepy.settings.options import REGISTERS

if TYPE_CHECKING:
    from oxidepy.runtime.config import AnyConfig, LaunchConfig
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.driver import Loaded
    from oxidepy.runtime.inspection import Report

P = ParamSpec("P")
REMEMBERED = 256  # grids for which `launch` keeps the preparation


@overload
def kernel(function: Callable[P, None], /) -> Kernel[P]: ...
@overload
def kernel(
    *,
    unsafe: str | None = None,
    deny_checks: bool = False,
    fmad: bool = True,
    lineinfo: bool = True,
    max_registers: int | None = None,
    name: str | None = None,
) -> Callable[[Callable[P, None]], Kernel[P]]: ...
@named("kernel")
def kernel(function: Any = None, /, **options: Any) -> Any:
    """Make a kernel of a function. Bare, or with keywords.

    `unsafe`: the reason why what the compiler does not prove of the whole kernel holds. `deny_checks`: a bounds check that is neither
    proven nor hoisted is an error (OX5004). `fmad`: fuse `a * b + c`. `lineinfo`: keep lines for profilers. `max_registers` a thread.
    `name`: the symbol in PTX. Compiles nothing; raises only OX1xxx.
    """
    frame = _decorating_names(sys._getframe(1))
    if function is not None:
        return _make(function, KernelOptions(), frame)
    chosen = _options(options)

    @named("kernel")
    def decorate(decorated: Any) -> Any:
        return _make(decorated, chosen, frame)

    return decorate


def _decorating_names(frame: types.FrameType) -> dict[str, Any]:
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


_KINDS: dict[str, type] = {"deny_checks": bool, "fmad": bool, "lineinfo": bool, "max_registers": int, "name": str}
_EXAMPLES: dict[type, str] = {bool: "True", int: "64", str: '"scale_f32"'}
_WITHIN: dict[str, tuple[Callable[[Any], bool], str]] = {
    "max_registers": (lambda value: value in REGISTERS, f"no number of registers from {REGISTERS[0]} to {REGISTERS[-1]}"),
    "name": (str.isidentifier, "no identifier"),
}


def _options(given: dict[str, Any]) -> KernelOptions:
    known = KernelOptions.__dataclass_fields__
    for name in given:
        if name not in known:
            raise CompileError(
                [Diagnostic("OX2001", f"`kernel` has no option `{name}`", caller_span(), help=f"its options are {', '.join(known)}")]
            )
    for name, value in given.items():
        kind = _KINDS.get(name, object) if value is not None else object
        within, range_ = _WITHIN.get(name, (lambda _: True, ""))
        fits = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
        if not fits or (value is not None and not within(value)):
            message = f"`{name}` of `kernel` is {value!r}, which is {range_ if fits else f'no {kind.__name__}'}"
            raise CompileError([Diagnostic("OX2001", message, caller_span(), help=f"write `kernel({name}={_EXAMPLES[kind]})`")])
    chosen = KernelOptions(**given)
    if chosen.unsafe is not None and not (isinstance(chosen.unsafe, str) and chosen.unsafe.strip()):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise CompileError(
            [
                Diagnostic(
                    "OX0133",
                    "`kernel(unsafe=…)` needs a reason that is not empty",
                    caller_span(),
                    help='say why it holds: `kernel(unsafe="p and q come from one allocation")`',
                )
            ]
        )
    return chosen


def _make(function: Any, options: KernelOptions, frame: dict[str, Any]) -> Kernel[...]:
    if isinstance(function, staticmethod):
        function = function.__func__
    if not isinstance(function, types.FunctionType):
        what = "a class" if isinstance(function, type) else f"{type(function).__name__}"
        raise CompileError(
            [
                Diagnostic(
                    "OX1007",
                    f"`@kernel` stands on {what}, which is no plain function",
                    caller_span(),
                    help="put `@kernel` next to `def`, with no decorators but oxidepy's and staticmethod",
                )
            ]
        )
    definition = KernelDef(function=function, name=options.name or function.__name__, options=options, frame=frame)
    merge(definition, pending_of(function))
    made: Kernel[...] = Kernel(definition)
    made.__doc__ = function.__doc__
    return made


@methods("kernel", "prepare", "ptx", "report")
class Kernel(Generic[P]):
    """A kernel. `prepare` checks a configuration once, `launch` infers it from the outputs. It is no function: calling it is OX2009."""

    def __init__(self, definition: KernelDef) -> None:
        self.definition = definition
        self.__name__ = definition.function.__name__
        self.__qualname__ = definition.function.__qualname__
        self.__module__ = definition.function.__module__
        self.__wrapped__ = definition.function  # for `inspect`: the parameters and the source
        self._parameters: tuple[Parameter, ...] | None = None
        self._loaded: dict[tuple[Context, Any], Loaded] = {}
        self._specialisations: dict[Any, Specialisation] = {}
        self._prepared: dict[tuple[Context, tuple[int, ...]], Prepared[P]] = {}
        self._raw: dict[tuple[Context, LaunchConfig], Prepared[P]] = {}
        self._inference: Inference | None = None
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters as the annotations say. CompileError OX1001 to OX1006."""
        if self._parameters is None:
            from oxidepy.compiler.signature import parameters

            self._parameters = parameters(self.definition)
        return self._parameters

    # ---- launching

    def prepare(self, context: Context, config: AnyConfig | int, /) -> Prepared[P]:
        """Check a configuration and make the kernel ready for it. An int is a number of elements (domain 1).

        Checks in this order: domain (OX2004), block (OX2002), limits (OX2003), shared memory and compute capability (OX6001).
        Compiles at once where the argument types are known without arguments, else at the first launch.
        """
        from oxidepy.runtime import checks

        config = self._config(context, config)
        made: Prepared[P] = Prepared(self, context, checks.check(self.definition, context, config))
        if (plain := self._plain()) is not None:
            made.compile(plain, _key(plain))
        return made

    def launch(self, stream: Any, /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Launch with one thread for each element of the outputs.

        OX2008 unless every exclusive parameter is a DisjointSlice and all give the same domain: then `prepare`, with a configuration.
        """
        if type(stream) is not Stream:
            stream = as_stream(stream)
        inference = self._inference
        if inference is None:
            inference = self._inference = Inference(self)
        key = (stream.context, inference.grid(stream, args, kwargs))
        prepared = self._prepared.get(key)
        if prepared is None:
            if len(self._prepared) >= REMEMBERED:  # lengths that change all the time
                self._prepared.clear()
            prepared = self._prepared[key] = self.prepare(stream.context, inference.config(key[1]))
        prepared(stream, *args, **kwargs)

    def launch_unchecked(self, stream: Any, config: LaunchConfig, /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Launch with any grid: the domain is not checked, nor that arguments do not overlap, nor `require`, on all of
        which the proofs rest that left bounds checks out. Only inside `with unsafe("…")` (OX0133)."""
        from oxidepy.lang.control import in_unsafe
        from oxidepy.runtime import checks

        if not in_unsafe():
            raise launch_error(
                "OX0133",
                f"`{self.name}.launch_unchecked` checks neither domain nor borrows and needs an unsafe block",
                help='write `with unsafe("why this holds"):` around it',
            )
        stream = as_stream(stream)
        key = (stream.context, config)
        prepared = self._raw.get(key)
        if prepared is None:
            checked = checks.check(self.definition, stream.context, self._config(stream.context, config), unchecked=True)
            if len(self._raw) >= REMEMBERED:
                self._raw.clear()
            prepared = self._raw[key] = Prepared(self, stream.context, checked, unchecked=True)
        prepared(stream, *args, **kwargs)

    if not TYPE_CHECKING:  # to a checker a kernel is neither called nor subscripted
        launch.__defaults__ = (None,)  # who forgets the stream is told so
        launch_unchecked.__defaults__ = (None, None)

        def __call__(self, *_, **__):
            raise launch_error("OX2009", f"the kernel `{self.name}` is not called", help=self._line())

        def __getitem__(self, _):
            raise launch_error(
                "OX2009",
                f"the kernel `{self.name}` is not subscripted",
                help=f"grid and block go to `prepare`: `{self.name}.prepare(ctx, config)(stream, …)`; or {self._line()}",
            )

    def _line(self) -> str:
        names = self.definition.function.__code__.co_varnames[: self.definition.function.__code__.co_argcount]
        return f"write `{self.name}.launch({', '.join(('stream', *names))})`"

    # ---- looking

    def ptx(self, arch: str | None = None) -> str:
        """The PTX for an architecture such as "sm_90a"; without one for that of the first CUDA device, else OXIDEPY_ARCH, else sm_80.

        OX0282 for a kernel whose types or functions only a launch tells and that has not been launched yet.
        """
        from oxidepy.runtime.inspection import ptx

        return ptx(self, arch)

    def report(self) -> Report:
        """Contract, parameters, what was proven and what that rests on, and of each loaded variant device, types, time, registers, spills.
        Printed, a table. CompileError if the kernel is refused."""
        from oxidepy.runtime.inspection import report

        return report(self)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def __reduce__(self) -> str:
        """Pickled by its name, as a function is: a process that takes it imports it."""
        return self.__qualname__

    # ---- inside

    def load(self, context: Context, specialisation: Specialisation, key: Any, *, usual: bool = True) -> Loaded:
        """The variant on a context's device, compiled if it is not yet. Warnings of the compiler are shown once.

        Not `usual`: one that takes any launch, under a key of its own.
        """
        found = self._loaded.get((context, key))
        if found is not None:
            return found
        from oxidepy.runtime.settled import settings

        with self._lock:
            found = self._loaded.get((context, key))
            if found is None:
                chosen = settings()
                found, warnings = context.driver.load(self.definition, specialisation, chosen.options, usual=usual)
                if warnings and usual and key not in self._specialisations and chosen.log not in ("off", "error"):
                    from oxidepy.diagnostics.render import emit

                    emit(warnings, ignore=chosen.ignore)
                self._specialisations[key] = specialisation
                self._loaded[(context, key)] = found
        return found

    def loaded(self) -> list[tuple[Context, Specialisation, Loaded]]:
        """Every variant that is on a device."""
        return [(context, self._specialisations[key], loaded) for (context, key), loaded in self._loaded.items()]

    def _plain(self) -> Specialisation | None:
        """The one specialisation, if no argument is needed to know it."""
        from oxidepy.compiler.ahead import specialisations

        found = specialisations(self.definition)
        return found[0] if len(found) == 1 and not found[0].types else None

    def _config(self, context: Any, config: Any) -> AnyConfig:
        from oxidepy.runtime.config import LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchConfig3D
        from oxidepy.runtime.context import Context

        if not isinstance(context, Context):
            raise launch_error(
                "OX2007", f"`prepare` takes a Context first, got {type(context).__name__}", help=f"`{self.name}.prepare(ox.Context(), …)`"
            )
        if isinstance(config, (LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchConfig3D)):
            return config
        domain = self.definition.contract.domain
        if isinstance(config, int) and not isinstance(config, bool):
            if domain == 1:
                found = LaunchConfig1D.for_num_elems(config, block=self.definition.contract.block[0])
                size = (self.definition.cluster or (1, 1, 1))[0]
                return replace(found, grid=-(-found.grid // size) * size)  # whole clusters
            raise launch_error(
                "OX2004",
                f"`{self.name}` has domain {domain}, and a number of elements says one axis",
                help=f"configure it with `LaunchConfig{domain}D.for_shape(…)`",
            )
        raise launch_error(
            "OX2007",
            f"`prepare` takes a launch configuration or a number of elements, got {type(config).__name__}",
            help=f"`ox.LaunchConfig{domain}D.{'for_num_elems(n' if domain == 1 else 'for_shape(…'}, block=…)`, "
            f"or `ox.LaunchConfig{domain}D(grid=…, block=…)`",
        )


def _key(specialisation: Specialisation) -> Any:
    """The key that a launch of a kernel without functions and constants comes to (`Bound.specialisation`)."""
    return specialisation.types, (), ()
