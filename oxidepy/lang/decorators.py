"""The decorators that say how a kernel is launched. They stand with `kernel` in any order and change nothing but its definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.lang.calls import coded
from oxidepy.lang.definition import Contract, KernelDef
from oxidepy.lang.names import caller_span, named
from oxidepy.lang.scalars import scalar_of

if TYPE_CHECKING:
    from oxidepy.lang.scalars import i64

F = TypeVar("F")

PENDING = "__oxidepy_pending__"  # on a plain function: what `kernel` will merge into the definition that it makes


_I32 = cast("type[int]", "i32")  # the scalar type itself is what `coordinates=i32` gives


@coded("OX2001")
@named("launch_bounds")
def launch_bounds(max_threads: int, min_blocks: int = 0) -> Callable[[F], F]:
    """Promise at most `max_threads` threads a block, and ask for `min_blocks` resident blocks a multiprocessor (0: do not ask).

    The compiler chooses the number of registers by it. OX2001 unless 0 < max_threads and 0 <= min_blocks.
    """
    bounds = (_count(max_threads, "max_threads", "launch_bounds", 1), _count(min_blocks, "min_blocks", "launch_bounds", 0))
    return _store("launch_bounds", "launch_bounds", bounds)


@coded("OX2001")
@named("launch_contract")
def launch_contract(
    domain: int,
    block: int | tuple[int, ...],
    coordinates: type[int] | type[i64] = _I32,
    dynamic_shared: int | tuple[int, int] = 0,
    min_compute_capability: tuple[int, int] | None = None,
) -> Callable[[F], F]:
    """What every launch of the kernel satisfies, checked by `prepare` and known to the compiler.

    `domain`: number of axes of the launch, 1 to 3. `block`: threads of a block along x, y, z, exactly; 1 along axes beyond the domain.
    `coordinates`: `i32` (default) or `i64`, the type of indices and lengths. `dynamic_shared`: bytes of dynamic shared memory, exactly or
    (least, most).
    `min_compute_capability`: such as (9, 0). Malformed: CompileError OX2001, here.
    """
    if type(domain) is not int or not 1 <= domain <= 3:
        raise _malformed(f"`domain` of `launch_contract` is {domain!r}", "it is the number of axes of the launch: 1, 2 or 3")
    contract = Contract(
        domain=domain,
        block=_block(block, domain),
        coordinates=_coordinates(coordinates),
        dynamic_shared=_bytes(dynamic_shared),
        min_compute_capability=_capability(min_compute_capability),
    )
    return _store("contract", "launch_contract", contract)


@coded("OX2001")
@named("cluster_launch")
def cluster_launch(x: int, y: int = 1, z: int = 1) -> Callable[[F], F]:
    """Launch the blocks of the grid in clusters of x * y * z. OX2001 unless each is positive."""
    shape = tuple(_count(one, axis, "cluster_launch", 1) for one, axis in ((x, "x"), (y, "y"), (z, "z")))
    return _store("cluster", "cluster_launch", shape)


@overload
def cooperative_launch(kernel: F, /) -> F: ...
@overload
def cooperative_launch() -> Callable[[F], F]: ...
@coded("OX2001")
@named("cooperative_launch")
def cooperative_launch(kernel: Any = None, /) -> Any:
    """Launch all blocks at once, so that `grid.sync()` may be used. Written with or without parentheses."""
    apply = _store("cooperative", "cooperative_launch", True)
    return apply if kernel is None else apply(kernel)


def merge(definition: KernelDef, pending: Mapping[str, Any]) -> None:
    """Write what the decorators said into a definition."""
    for key, value in pending.items():
        setattr(definition, key, value)
        if key == "contract":
            definition.contracted = True


def pending_of(function: object) -> dict[str, Any]:
    """What decorators below `kernel` left on the function."""
    return dict(getattr(function, PENDING, None) or {})


def _store(key: str, decorator: str, value: Any) -> Callable[[F], F]:
    span = caller_span()

    @named(decorator)
    def apply(target: F) -> F:
        inner: Any = getattr(target, "__func__", target)  # of a staticmethod
        definition = getattr(inner, "definition", None)
        if isinstance(definition, KernelDef):
            given = {
                "contract": definition.contracted,
                "launch_bounds": definition.launch_bounds,
                "cluster": definition.cluster,
                "cooperative": definition.cooperative,
            }
            if given[key]:
                raise CompileError([_twice(decorator, span)])
            merge(definition, {key: value})
            return target
        if not callable(inner):
            message = f"`{decorator}` stands on {type(inner).__name__!r}, which is no kernel"
            raise CompileError([Diagnostic("OX2001", message, span=span, help="write it above `def`, beside `@kernel`")])
        pending = pending_of(inner)
        if key in pending:
            raise CompileError([_twice(decorator, span)])
        setattr(inner, PENDING, {**pending, key: value})
        return target

    return apply


def _twice(decorator: str, span: Any) -> Diagnostic:
    return Diagnostic("OX2001", f"`{decorator}` stands on the kernel twice", span=span, help="keep one of the two")


def _malformed(message: str, help: str) -> CompileError:
    return CompileError([Diagnostic("OX2001", message, span=caller_span(), help=help)])


def _count(value: Any, name: str, decorator: str, least: int) -> int:
    if type(value) is not int or not least <= value < 2**31:
        raise _malformed(f"`{name}` of `{decorator}` is {value!r}", f"it is an integer of at least {least}")
    return value


def _block(block: Any, domain: int) -> tuple[int, int, int]:
    axes: tuple[Any, ...] = (block,) if type(block) is int else tuple(cast("list[Any]", block)) if isinstance(block, (tuple, list)) else ()
    if not 1 <= len(axes) <= 3 or any(type(one) is not int or one < 1 or one >= 2**31 for one in axes):
        raise _malformed(
            f"`block` of `launch_contract` is {block!r}",
            "it is the threads of a block along x, y, z, each at least 1, such as `block=(256, 1, 1)`",
        )
    x, y, z = (*axes, 1, 1)[:3]
    beyond = [f"{axis} = {size}" for axis, size in zip("xyz", (x, y, z), strict=True) if "xyz".index(axis) >= domain and size != 1]
    if beyond:
        need = 3 if z != 1 else 2
        raise _malformed(
            f"`block` of `launch_contract` has {' and '.join(beyond)}, but the domain has {domain} axis" + "es" * (domain > 1),
            f"write 1 there, or `domain={need}`",
        )
    return x, y, z


def _coordinates(value: Any) -> Literal["i32", "i64"]:
    scalar = scalar_of(value)
    name = value if scalar is None else str(scalar)
    if name not in ("i32", "i64"):
        raise _malformed(f"`coordinates` of `launch_contract` is {value!r}", "it is `i32` or `i64`")
    return "i32" if name == "i32" else "i64"


def _bytes(value: Any) -> int | tuple[int, int]:
    help = "it is a number of bytes, or a pair (least, most)"
    if type(value) is int and value >= 0:
        return value
    if isinstance(value, (tuple, list)):
        pair: list[Any] = list(cast("list[Any]", value))
        if len(pair) == 2 and all(type(one) is int for one in pair) and 0 <= pair[0] <= pair[1]:
            return pair[0], pair[1]
    raise _malformed(f"`dynamic_shared` of `launch_contract` is {value!r}", help)


def _capability(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        pair: list[Any] = list(cast("list[Any]", value))
        if len(pair) == 2 and all(type(one) is int and one >= 0 for one in pair):
            return pair[0], pair[1]
    raise _malformed(f"`min_compute_capability` of `launch_contract` is {value!r}", "it is a pair such as (9, 0)")
