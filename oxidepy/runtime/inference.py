"""The configuration of `launch`: one thread for each element of the outputs, where these leave no doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oxidepy.lang.definition import Parameter, SliceParam, TensorMapParam
from oxidepy.runtime import arguments
from oxidepy.runtime.buffer import DeviceBuffer
from oxidepy.runtime.config import LaunchConfig1D, LaunchConfig2D
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.diagnostics import LaunchError
    from oxidepy.runtime.kernel import Kernel
    from oxidepy.runtime.stream import Stream

Grid = tuple[int, ...]


class Inference:
    """What of the inference depends on the kernel alone."""

    def __init__(self, kernel: Kernel[...]) -> None:
        self.kernel = kernel
        contract = kernel.definition.contract
        self.block = contract.block
        self.outputs = [
            (number, one, one.type)
            for number, one in enumerate(kernel.parameters)
            if isinstance(one.type, SliceParam) and one.type.exclusive
        ]
        maps = [one.name for one in kernel.parameters if isinstance(one.type, TensorMapParam) and one.type.exclusive]
        if maps:
            raise self.refuse(f"`{maps[0]}` is a TensorMapMut, whose shape says nothing of the number of threads")
        shared = [one.name for _, one, wanted in self.outputs if wanted.kind != "DisjointSlice"]
        if not self.outputs:
            raise self.refuse("it has no DisjointSlice that would say how many threads to start")
        if shared:
            raise self.refuse(f"`{shared[0]}` is a SliceMut, whose length says nothing of the number of threads")
        self.simple = contract.domain == 1 and all(wanted.space is None or wanted.space.kind == "Index1D" for _, _, wanted in self.outputs)
        self.places = [number for number, _, _ in self.outputs]

    def grid(self, stream: Stream, args: Sequence[Any], kwargs: dict[str, Any]) -> Grid:
        """The grid along the axes of the domain; a 0 in it means that there is nothing to do."""
        if self.simple and not kwargs and len(args) == len(self.kernel.parameters):
            first = args[self.places[0]]
            if type(first) is DeviceBuffer and len(first.shape) == 1:
                length = first.shape[0]
                if all(type(args[place]) is DeviceBuffer and args[place].shape == first.shape for place in self.places):
                    return (-(-length // self.block[0]),)
        return self._slowly(stream, args, kwargs)

    def _slowly(self, stream: Stream, args: Sequence[Any], kwargs: dict[str, Any]) -> Grid:
        kernel = self.kernel
        given = arguments.by_name(kernel.name, kernel.parameters, args, kwargs)
        bound = arguments.Bound(kernel.name, stream.context, stream)
        domains = [
            (one.name, self.domain(one, wanted, arguments.slice_argument(bound, one, given[number])))
            for number, one, wanted in self.outputs
        ]
        first, extents = domains[0]
        for name, other in domains[1:]:
            if other != extents:
                raise self.refuse(f"`{first}` has {_spelled(extents)} and `{name}` has {_spelled(other)}")
        return tuple(-(-extent // self.block[axis]) for axis, extent in enumerate(extents))

    def domain(self, parameter: Parameter, wanted: SliceParam, buffer: DeviceBuffer[Any]) -> tuple[int, ...]:
        """The threads that an output asks for along x and y."""
        space, rank = wanted.space, self.kernel.definition.contract.domain
        kind = space.kind if space is not None else "Index1D"
        if (kind in ("Index2D", "Runtime2D")) != (rank == 2):
            raise self.refuse(f"`{parameter.name}` is indexed by {kind}, and the contract's domain is {rank}")
        if kind == "Index1D":
            return (buffer.size,)
        width = space.width if space is not None else None
        if kind == "Runtime2D":
            return buffer.shape[1], buffer.shape[0]
        if width is None:
            raise self.refuse(f"`{parameter.name}` does not say its width")
        if kind == "Runs":
            return (-(-buffer.size // width),)
        return width if buffer.size else 0, -(-buffer.size // width)

    def refuse(self, why: str) -> LaunchError:
        name, domain = self.kernel.name, self.kernel.definition.contract.domain
        extents = ("num_elems(n", "shape(rows, cols", "shape(depth, rows, cols")[domain - 1]
        config = f"LaunchConfig{domain}D.for_{extents}, block={self.block[0] if domain == 1 else self.block[:domain]})"
        return launch_error(
            "OX2008",
            f"the configuration of `{name}` cannot be inferred: {why}",
            help=f"say it: `{name}.prepare(ctx, ox.{config})(stream, …)`",
        )

    def config(self, grid: Grid) -> LaunchConfig1D | LaunchConfig2D:
        nothing = 0 in grid
        cluster = self.kernel.definition.cluster
        if cluster is not None:
            grid = tuple(-(-blocks // size) * size for blocks, size in zip(grid, cluster, strict=False))
        if len(grid) == 1:
            return LaunchConfig1D(grid[0], self.block[0], nothing=nothing)
        return LaunchConfig2D((grid[0], grid[1]), (self.block[0], self.block[1]), nothing=nothing)


def _spelled(extents: tuple[int, ...]) -> str:
    return f"{extents[0]} elements" if len(extents) == 1 else f"{extents[1]} rows of {extents[0]}"
