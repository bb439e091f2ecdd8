"""Element types between Python and the IR: dtypes of NumPy, scalar names, structs."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, cast

from oxidepy.ir.types import Element, Field, Scalar, Struct
from oxidepy.lang.scalars import numpy_dtype as scalar_dtype
from oxidepy.lang.scalars import scalar_of
from oxidepy.lang.structs import enum_type
from oxidepy.lang.structs import layout_of as struct_of
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    import numpy


def element_of(dtype: Any) -> Element:
    """The element that a dtype means: a scalar name, a NumPy dtype (structured ones too), a `@struct` class, an enum of integers.
    LaunchError OX2007 otherwise."""
    found = scalar_of(dtype) or struct_of(dtype) or enum_type(dtype)
    if found is not None:
        return found
    if dtype is int or dtype is float:
        names = "i32 or i64" if dtype is int else "f32 or f64"
        raise launch_error("OX2007", f"the dtype `{dtype.__name__}` has no width", help=f"say {names}")
    import numpy

    try:
        described: Any = numpy.dtype(dtype)
    except TypeError:
        described = None
    if described is not None and described.names is not None:
        return _structured(described)
    help = "take one of bool, i8 … u64, f16, bf16, f32, f64 (or NumPy's), or a `@struct` class"
    name = "" if described is None else described.name
    if described is not None and not described.isnative:
        help = f"convert to the order of bytes that this machine has: `array.astype(np.{described.newbyteorder('=').name})`"
    elif name in _INSTEAD:
        help = _INSTEAD[name]
    raise launch_error("OX2007", f"the dtype `{getattr(dtype, '__name__', dtype)}` is no element type", help=help)


_BYTES = "hand over the bytes, `array.view(np.uint8)`: `convert.from_{0}` reads numbers out of them, `convert.to_{0}` makes them"
_INSTEAD = {  # a dtype of NumPy's or of ml_dtypes → what arrays of it are here
    "float8_e4m3fn": _BYTES.format("e4m3"),
    "float8_e5m2": _BYTES.format("e5m2"),
    "complex64": 'hand over pairs: `array.view([("re", "f4"), ("im", "f4")])`, a `@struct` of two f32',
    "complex128": 'hand over pairs: `array.view([("re", "f8"), ("im", "f8")])`, a `@struct` of two f64',
    "object": "give the array a type of numbers: `array.astype(np.float32)`",
}


@functools.lru_cache(maxsize=512)
def _structured(dtype: numpy.dtype[Any]) -> Struct:
    """A structured dtype as a struct, at NumPy's own offsets."""
    if not dtype.names:
        raise launch_error("OX2007", f"the dtype {dtype!r} has no fields", help="give the struct at least one")
    names, fields_of = dtype.names, cast("dict[str, tuple[Any, ...]]", cast("Any", dtype).fields)
    fields: list[Field] = []
    for name in names:
        inner, offset = fields_of[name][:2]
        fields.append(Field(name, _field(inner), offset))
    return Struct("NumPy's structured dtype", tuple(fields), dtype.itemsize, max(one.type.align for one in fields))


def _field(dtype: numpy.dtype[Any]) -> Element:
    """A field of a structured dtype, which may be an array of one or several axes."""
    if dtype.subdtype is None:
        return element_of(dtype)
    base, shape = dtype.subdtype
    found = _field(base)
    for extent in shape[::-1]:
        found = Struct.array(found, extent)
    return found


@functools.lru_cache(maxsize=512)
def dtype_of(element: Element) -> numpy.dtype[Any]:
    """NumPy's dtype of an element. bf16 needs ml_dtypes (LaunchError OX2007 without)."""
    if isinstance(element, Scalar):
        dtype: numpy.dtype[Any] = scalar_dtype(element)
        return dtype
    import numpy

    if element.is_array:
        return numpy.dtype((dtype_of(element.fields[0].type), (len(element.fields),)))
    return numpy.dtype(
        {
            "names": [field.name for field in element.fields],
            "formats": [dtype_of(field.type) for field in element.fields],
            "offsets": [field.offset for field in element.fields],
            "itemsize": element.size,
        }
    )


@functools.lru_cache(maxsize=512)
def layout_of(element: Element) -> object:
    """What two elements must share for a kernel to take one for the other: a scalar's type, a struct's names, types and offsets, not its
    own name."""
    return element if isinstance(element, Scalar) else (element.size, element.leaves())


def class_of(element: Element) -> type | None:
    """The `@struct` class that an element was named by."""
    return element.python if isinstance(element, Struct) else None


def scalars(element: Element) -> tuple[Scalar, ...]:
    """The types of all numbers in an element."""
    return (element,) if isinstance(element, Scalar) else tuple(scalar for _, scalar, _ in element.leaves())


def same_layout(first: Element, second: Element) -> bool:
    return first == second or layout_of(first) == layout_of(second)


def element_name(element: Element) -> str:
    return element.name if isinstance(element, Scalar) else f"struct {element.name}" if element.name.isidentifier() else element.name
