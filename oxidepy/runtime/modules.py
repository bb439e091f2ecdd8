"""Modules of device code that another compiler made: loaded on a context, their kernels launched with our buffers on our streams."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, cast, overload

from oxidepy.diagnostics.sources import shown_path
from oxidepy.ir.images import Image, entries, kind_of, meant
from oxidepy.ir.types import Element, Scalar
from oxidepy.lang.calls import methods
from oxidepy.lang.definition import Contract, KernelDef, KernelOptions, Parameter, SliceParam
from oxidepy.lang.foreign import is_place
from oxidepy.lang.names import named
from oxidepy.runtime import packing
from oxidepy.runtime.prepared import Prepared
from oxidepy.runtime.refusal import device_error, launch_error
from oxidepy.runtime.stream import as_stream

if TYPE_CHECKING:
    from oxidepy.lang.definition import Specialisation
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.driver import Loaded

P = ParamSpec("P")
_LOADABLE = ("ptx", "cubin", "fatbin")


@methods("module", "kernel", made="__init__", help="load it: `ctx.load_module(file)`")
class LoadedModule:
    """Device code from elsewhere on one device, from `Context.load_module`. It stays as long as a kernel of it, or a launch under way."""

    def __init__(self, context: Context, source: str | os.PathLike[str] | bytes) -> None:
        self.context = context
        self.image = _read(source)
        self.handle = context.driver.load_module(self.image)

    @overload
    def kernel(self, function: Callable[P, None], /) -> LoadedKernel[P]: ...
    @overload
    def kernel(self, /, *, symbol: str) -> Callable[[Callable[P, None]], LoadedKernel[P]]: ...
    @named("kernel")
    def kernel(self, function: Any = None, /, *, symbol: str | None = None) -> Any:
        """A kernel of the module: `@module.kernel` above a `def` of its name with its parameters and `...` for a body.

        Parameters are scalars, `@struct` classes by value and `Ptr[T]`, in the order of C; `symbol` is its name in the module, if it is
        another one (in CUDA C++ `extern "C" __global__`, or the mangled name). OX0425 if the module has no such kernel, OX0308 if the
        driver says that its parameters are others.
        """

        def declare(stub: Any) -> LoadedKernel[Any]:
            if not isinstance(stub, FunctionType):
                message = f"`module.kernel` stands on {type(stub).__name__}, which is no plain function"
                raise launch_error("OX1007", message, help="write it above a `def`")
            return LoadedKernel(self, stub, stub.__name__ if symbol is None else symbol)

        if symbol is not None and not (isinstance(cast("object", symbol), str) and symbol.isascii() and symbol.isprintable() and symbol):
            raise launch_error("OX1007", f"{symbol!r} is no symbol of a kernel", help='write `symbol="name"` with its name in the module')

        return declare if function is None else declare(function)

    def __repr__(self) -> str:
        return f"<module {self.image.name} on {self.context.name}>"


@methods("kernel", "launch_unchecked", made="__init__", help="declare it: `@module.kernel` above a `def`")
class LoadedKernel(Generic[P]):
    """A kernel of a loaded module. Nothing of it is proven or checked, so it is launched under `unsafe` alone."""

    def __init__(self, module: LoadedModule, function: FunctionType, symbol: str) -> None:
        from oxidepy.compiler.signature import declared

        self.module = module
        self.symbol = symbol
        options = KernelOptions(unsafe="it is declared, and compiled elsewhere")  # so that it takes pointers
        self.definition = KernelDef(function, function.__name__, Contract(coordinates="i64"), options=options)
        self.parameters: tuple[Parameter, ...] = declared(self.definition)
        self._loaded = self._find()
        self._prepared: dict[LaunchConfig, Prepared[P]] = {}

    @property
    def name(self) -> str:
        return self.definition.name

    def launch_unchecked(self, stream: Any, config: LaunchConfig, /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Launch with a grid and blocks: `k.launch_unchecked(stream, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), n, x, y)`.

        Arguments are held against the signature (OX2007), the configuration against the device (OX2003); what the kernel does with them,
        nobody sees. Only inside `with unsafe("…")` (OX0133).
        """
        from oxidepy.lang.control import in_unsafe
        from oxidepy.runtime import checks
        from oxidepy.runtime.config import AnyConfig
        from oxidepy.runtime.kernel import REMEMBERED

        if not in_unsafe():
            raise launch_error(
                "OX0133",
                f"`{self.name}.launch_unchecked` launches code of which nothing is proven and needs an unsafe block",
                help='write `with unsafe("why this holds"):` around it',
            )
        context = self.module.context
        stream = as_stream(stream, context)
        if not isinstance(cast("object", config), AnyConfig):
            message = f"`{self.name}.launch_unchecked` takes a launch configuration behind the stream, got {type(config).__name__}"
            raise launch_error("OX2007", message, help="`ox.LaunchConfig(grid=(x, y, z), block=(x, y, z))`")
        prepared = self._prepared.get(config)
        if prepared is None:
            if len(self._prepared) >= REMEMBERED:
                self._prepared.clear()
            raw = config.raw()
            checks.limits(self.definition, context, raw)
            prepared = self._prepared[config] = Prepared(self, context, raw, unchecked=True)
        prepared(stream, *args, **kwargs)

    if not TYPE_CHECKING:  # to a checker such a kernel is neither called nor subscripted

        def __call__(self, *_, **__):
            raise launch_error("OX2009", f"the kernel `{self.name}` is not called", help=self._line())

        def __getitem__(self, _):
            raise launch_error("OX2009", f"the kernel `{self.name}` is not subscripted", help=self._line())

    def _line(self) -> str:
        names = (one.name for one in self.parameters)
        return f'write `with unsafe("why"): {self.name}.launch_unchecked(stream, LaunchConfig(grid, block), {", ".join(names)})`'

    def load(self, context: Context, specialisation: Specialisation, key: Any, *, usual: bool = True) -> Loaded:
        """The one variant that there is."""
        return self._loaded

    def __repr__(self) -> str:
        return f"<kernel {self.symbol} of {self.module.image.name}>"

    # ---- inside

    def _find(self) -> Loaded:
        from oxidepy.backend.artefact import AbiParam
        from oxidepy.ir.core import Block, Kernel, Module
        from oxidepy.runtime.driver import Loaded

        handle, image = self.module.handle, self.module.image
        there = entries(image.data) if image.kind == "ptx" else {}
        function = handle.function(self.symbol)
        if function is None:
            way = 'in CUDA C++ write `extern "C" __global__`, or give the mangled name as `symbol`'
            help = meant(self.symbol, there) or way
            raise launch_error("OX0425", f"`{image.name}` has no kernel `{self.symbol}`", help=help)
        numbers = [(one.name, *_numbers(one.type)) for one in self.parameters]
        params = tuple(
            AbiParam("memory" if type_ == "ptr" else "scalar", "u64" if type_ == "ptr" else type_, name, path=path)
            for name, _, parts in numbers
            for type_, path, _ in parts
        )
        wanted = [size for _, size, _ in numbers]
        sizes = handle.sizes(function, there.get(self.symbol))
        if sizes is not None and sizes != wanted:
            raise _others(self.symbol, image.name, sizes, wanted)
        facts = {"shared_static": handle.static(function)}
        layout = packing.layout([(size, [(type_, offset) for type_, _, offset in parts]) for _, size, parts in numbers])
        return Loaded(self.name, params, (), False, Module(Kernel(self.name, [], [], Block())), function, facts=facts, layout=layout)


def _others(symbol: str, name: str, sizes: list[int], wanted: list[int]) -> Exception:
    told, here = (", ".join(map(str, one)) or "none" for one in (sizes, wanted))
    help = "write the parameters of its C declaration, pointers as `Ptr[T]`"
    if sizes[:-1] == wanted and sizes[-1] == 8:
        help = "a kernel of oxidepy with checks takes the address of a record last: write `record: u64` there, and give 0"
    message = f"mismatched types: `{symbol}` of `{name}` takes parameters of {told} bytes, and is declared with {here}"
    return launch_error("OX0308", message, help=help)


def _numbers(wanted: Any) -> tuple[int, list[tuple[str, str, int]]]:
    """The bytes of a parameter, and its numbers: type, path in the struct, offset."""
    if isinstance(wanted, SliceParam):
        return 8, [("ptr", "", 0)]
    element: Element = wanted.type
    if isinstance(element, Scalar):
        return element.size, [(element.name, "", 0)]
    return element.size, [(scalar.name, path, offset) for path, scalar, offset in element.leaves()]


def _read(source: str | os.PathLike[str] | bytes) -> Image:
    """OX2007 for what is no file, OX8010 for a file that cannot be read, OX6001 for what no driver loads."""
    given = os.fspath(source) if isinstance(cast("object", source), (str, os.PathLike)) else source
    if isinstance(source, bytes):
        name, data = "the bytes", source
    else:
        if not isinstance(given, str) or not is_place(given):
            told = repr(given) if isinstance(given, str) else type(source).__name__
            raise launch_error("OX2007", f"`load_module` takes a file or bytes, not {told}", help="`ctx.load_module(path)`")
        name = shown_path(given)
        try:
            data = Path(given).read_bytes()
        except OSError as error:
            help = f"its place counts from {Path.cwd()}"
            raise launch_error("OX8010", f"cannot read `{name}`: {error.strerror or error}", help=help) from None
    kind = kind_of(data)
    if kind not in _LOADABLE:
        what = {"object": "a relocatable object", "library": "a library", "ltoir": "code for link-time optimisation"}.get(str(kind))
        message = f"`{name}` is {what or 'no device code'}, which no driver loads"
        raise device_error("OX6001", message, help="give PTX, a cubin or a fatbin: `nvcc -ptx` makes the first")
    assert kind is not None
    return Image(name, kind, data)
