"""Small integer functions, the same on the host and in kernels."""

from __future__ import annotations

from operator import index

from oxidepy.diagnostics import Diagnostic, LaunchError
from oxidepy.lang.calls import coded
from oxidepy.lang.names import caller_span, named


@coded()
@named("cdiv")
def cdiv(a: int, b: int, /) -> int:
    """`a / b` rounded up: how many pieces of `b` cover `a`."""
    count = _int(a, "cdiv")
    return -(-count // _int(b, "cdiv"))


@coded()
@named("next_power_of_2")
def next_power_of_2(n: int, /) -> int:
    """The least power of two that is at least `n`; 1 for n <= 1."""
    return 1 if (least := _int(n, "next_power_of_2")) <= 1 else 1 << (least - 1).bit_length()


def _int(value: object, name: str) -> int:
    try:
        return index(value)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    except TypeError:
        help = f"`int({value!r})` is one" if isinstance(value, float) else None
        raise LaunchError(Diagnostic("OX2007", f"`{name}` takes ints, not {value!r}", caller_span(), help=help)) from None
