"""What `prepare` holds a configuration against, in a fixed order: domain, block, limits, shared memory, compute capability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oxidepy.lang.definition import Contract, KernelDef
from oxidepy.runtime.config import AnyConfig, LaunchConfig
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.runtime.context import Context

_AXES = "xyz"
MOST_CLUSTER = 16  # blocks that the largest cluster of any device has


def check(definition: KernelDef, context: Context, config: AnyConfig, *, unchecked: bool = False) -> LaunchConfig:
    """The raw configuration, after all checks. Each failure names what was requested and what is allowed. `unchecked` leaves the domain
    out."""
    raw = config.raw()
    if not unchecked:
        _domain(definition, config)
    _block(definition, raw)
    limits(definition, context, raw)
    _shared(definition, raw)
    _clusters(definition, raw)
    _capability(definition, context)
    return raw


def _domain(definition: KernelDef, config: AnyConfig) -> None:
    domain = definition.contract.domain
    if config.rank == domain or (isinstance(config, LaunchConfig) and config.rank < domain):
        return
    wanted = f"LaunchConfig{domain}D"
    if isinstance(config, LaunchConfig):
        got = f"a configuration that uses {config.rank} axes"
    else:
        got = f"a {type(config).__name__}"
    raise launch_error("OX2004", f"`{definition.name}` has domain {domain}, got {got}", help=f"configure it with `{wanted}(…)`")


def _block(definition: KernelDef, raw: LaunchConfig) -> None:
    wanted = definition.contract.block
    if raw.block != wanted:
        raise launch_error(
            "OX2002",
            f"`{definition.name}` is compiled for blocks of {_times(wanted)} threads, got {_times(raw.block)}",
            help=f"configure it with block={_spelled(definition.contract)}, or change its `launch_contract`",
        )


def limits(definition: KernelDef, context: Context, raw: LaunchConfig) -> None:
    """OX2003 where the device has no room for such a grid or block."""
    most, name = context.limits, definition.name
    for axis in range(3):
        if raw.grid[axis] < 1 and not raw.nothing:
            raise launch_error(
                "OX2003",
                f"the grid of `{name}` is {_times(raw.grid)}; each axis needs at least 1",
                help="`for_num_elems(0)` launches nothing and still checks the arguments",
            )
    if definition.contract.coordinates == "i32":
        for axis in range(3):
            threads = raw.grid[axis] * raw.block[axis]
            if threads >= 1 << 31:
                raise launch_error(
                    "OX2003",
                    f"`{name}` would have {threads} threads along {_AXES[axis]}; i32 coordinates allow {(1 << 31) - 1}",
                    help="write `launch_contract(…, coordinates=i64)`",
                )
    for what, got, allowed in (("grid", raw.grid, most.max_grid), ("block", raw.block, most.max_block)):
        for axis in range(3):
            if got[axis] > allowed[axis]:
                raise launch_error(
                    "OX2003",
                    f"the {what} of `{name}` is {got[axis]} along {_AXES[axis]}; {context.name} allows {allowed[axis]}",
                    help=f"take fewer {'blocks, each with more elements' if what == 'grid' else 'threads a block'}",
                )
    threads = math.prod(raw.block)
    bound = definition.launch_bounds
    if bound is not None and threads > bound[0]:
        raise launch_error(
            "OX2003",
            f"blocks of `{name}` have {threads} threads; its `launch_bounds` allow {bound[0]}",
            help=f"write `launch_bounds({threads})`",
        )
    if threads > most.max_threads_per_block:
        raise launch_error(
            "OX2003",
            f"blocks of `{name}` have {threads} threads; {context.name} allows {most.max_threads_per_block}",
            help="take a smaller block in its `launch_contract`",
        )


def _shared(definition: KernelDef, raw: LaunchConfig) -> None:
    """A configuration that says nothing of it gets what the contract says, or what the kernel's arrays need."""
    contract, got = definition.contract.dynamic_shared, raw.dynamic_shared
    least, most = contract if isinstance(contract, tuple) else (contract, contract)
    if got and contract and not least <= got <= most:
        wanted = f"{least} bytes" if least == most else f"{least} to {most} bytes"
        raise launch_error(
            "OX2003",
            f"`{definition.name}` takes {wanted} of dynamic shared memory, got dynamic_shared={got}",
            help="leave `dynamic_shared` out of the configuration, or change the kernel's `launch_contract`",
        )


def _clusters(definition: KernelDef, raw: LaunchConfig) -> None:
    cluster = definition.cluster
    if cluster is None or raw.nothing:
        return
    if math.prod(cluster) > MOST_CLUSTER:
        raise launch_error(
            "OX2003",
            f"the clusters of `{definition.name}` have {math.prod(cluster)} blocks; no device takes more than {MOST_CLUSTER}",
            help="take smaller clusters: up to 8 blocks every device with clusters can hold",
        )
    for axis in range(3):
        if raw.grid[axis] % cluster[axis]:
            raise launch_error(
                "OX2003",
                f"the grid of `{definition.name}` is {raw.grid[axis]} along {_AXES[axis]}, no multiple of its clusters of {cluster[axis]}",
                help=f"take a grid of {-(-raw.grid[axis] // cluster[axis]) * cluster[axis]} along {_AXES[axis]}",
            )


def _capability(definition: KernelDef, context: Context) -> None:
    wanted, has = definition.contract.min_compute_capability, context.compute_capability
    if wanted is not None and has is not None and has < wanted:
        raise launch_error(
            "OX6001",
            f"`{definition.name}` needs compute capability {wanted[0]}.{wanted[1]}; {context.name} has {has[0]}.{has[1]}",
            help="run it on a newer device, or on the CPU: OXIDEPY_DEVICE=cpu",
        )
    if definition.cluster is not None and has is not None and has < (9, 0):
        raise launch_error(
            "OX6001",
            f"`{definition.name}` is launched in clusters, which need compute capability 9.0; {context.name} has {has[0]}.{has[1]}",
            help="run it on a newer device, or leave `cluster_launch` out",
        )


def _times(extents: tuple[int, int, int]) -> str:
    return " x ".join(map(str, extents))


def _spelled(contract: Contract) -> str:
    extents = contract.block[: contract.domain]
    return str(extents[0]) if contract.domain == 1 else str(extents)
