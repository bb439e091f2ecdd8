"""Runs a random module on two devices and compares what comes out, bit for bit."""

from __future__ import annotations

import dataclasses
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from fuzz.kernels import Generated, generate
from fuzz.types import Param, data, python_value
from loading import load as import_file

import oxidepy as ox
from oxidepy.lang.structs import layout_of, struct_dtype

COUNT = 70  # elements: three blocks of 32 threads, the last one not full


@dataclass(frozen=True)
class Outcome:
    """What a launch gave: outputs, or the panic."""

    outputs: tuple[np.ndarray, ...] = ()
    panic: tuple[Any, ...] | None = None


class Mismatch(AssertionError):
    """Two devices disagree, or a well-typed kernel was refused."""


def load(generated: Generated, folder: Path, name: str) -> ModuleType:
    """Write the module to a file and import it: the way of a user's kernel."""
    path = folder / f"{name}.py"
    path.write_text(generated.source)
    module = import_file(path, name)
    del sys.modules[name]
    return module


def arguments(rng: random.Random, module: ModuleType, params: tuple[Param, ...]) -> list[Any]:
    return [argument(rng, module, one) for one in params]


def argument(rng: random.Random, module: ModuleType, param: Param) -> Any:
    """A number, an instance of a struct, or an array."""
    if param.kind == "scalar":
        return python_value(rng, param.type)
    if param.kind not in ("record", "records"):
        return data(rng, param.type, COUNT)
    struct = getattr(module, param.type)
    fields = [(field.name, field.type) for field in dataclasses.fields(struct)]
    names = [(name, getattr(type_, "__name__", str(type_))) for name, type_ in fields]
    if param.kind == "record":
        return struct(*(python_value(rng, type_) for _, type_ in names))
    layout = layout_of(struct)
    assert layout is not None
    out = np.zeros(COUNT, struct_dtype(layout))
    for name, type_ in names:
        out[name] = data(rng, type_, COUNT)
    return out


def launch(kernel: Any, device: str, params: tuple[Param, ...], args: list[Any]) -> Outcome:
    """One launch on a device."""
    context = ox.Context(device)
    stream = context.default_stream()
    given = [ox.DeviceBuffer.from_host(stream, one) if isinstance(one, np.ndarray) else one for one in args]
    prepared = kernel.prepare(context, ox.LaunchConfig1D.for_num_elems(COUNT, block=32))
    try:
        prepared(stream, *given)
        stream.synchronize()
    except ox.DevicePanic as panic:
        return Outcome(panic=(panic.code, panic.line, panic.block, panic.thread, panic.index, panic.length))
    return Outcome(tuple(one.to_host(stream) for param, one in zip(params, given, strict=True) if param.written))


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Bits compared; every NaN is as good as another."""
    if a.dtype.name == "bfloat16":
        with np.errstate(invalid="ignore"):
            a, b = a.astype(np.float32), b.astype(np.float32)
    if a.dtype.kind == "f":
        return bool(np.all((np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))))
    return bool(np.all(a == b))


def compare(name: str, one: Outcome, other: Outcome, exact_panics: bool) -> str | None:
    """What differs, in words; None if nothing does. Without `exact_panics` any failing thread may be the one that is told."""
    if (one.panic is None) != (other.panic is None):
        return f"{name}: panic {one.panic} against {other.panic}"
    if one.panic is not None:
        return f"{name}: panic {one.panic} against {other.panic}" if exact_panics and one.panic != other.panic else None
    for number, (a, b) in enumerate(zip(one.outputs, other.outputs, strict=True)):
        if not same(a, b):
            at = next(index for index in range(len(a)) if not same(a[index : index + 1], b[index : index + 1]))
            return f"{name}: output {number}, element {at}: {a[at]!r} against {b[at]!r} ({a.dtype})"
    return None


def check(
    rng: random.Random, folder: Path, name: str, kernels: int, device: str, reference: str = "interp", panics: bool = True
) -> tuple[int, int]:
    """Generate, run and compare a module of kernels; gives how many of them agreed, and how many by panicking. Mismatch with the
    source on the first difference."""
    generated = generate(rng, kernels, panics)
    module = load(generated, folder, name)
    agreed = panicked = 0
    for kernel, params in generated.kernels:
        args = arguments(rng, module, params)
        try:
            outcomes = [launch(getattr(module, kernel), one, params, args) for one in (reference, device)]
        except ox.CompileError as refused:
            raise Mismatch(f"{kernel} was refused:\n{refused}") from refused
        problem = compare(kernel, *outcomes, exact_panics=not device.startswith("cuda"))
        if problem:
            raise Mismatch(f"{problem} ({reference} against {device})\n\n{_excerpt(generated.source, kernel)}")
        agreed += 1
        panicked += outcomes[0].panic is not None
    return agreed, panicked


def _excerpt(source: str, kernel: str) -> str:
    start = source.index(f"def {kernel}(")
    end = source.find("\n@kernel", start)
    return source[start : end if end > 0 else len(source)]
