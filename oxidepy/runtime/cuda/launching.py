"""What a launch asks of a CUDA device beyond grid and block: shared memory, clusters, all blocks at once, the barrier of the grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oxidepy.runtime.driver import Loaded, Values
from oxidepy.runtime.refusal import launch_error
from oxidepy.runtime.shared import Shared

if TYPE_CHECKING:
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.cuda.driver import CudaDriver

PORTABLE_CLUSTER = 8  # blocks of a cluster that every device with clusters takes
BARRIER_BYTES = 8

# function, address of the pointers to the values, bytes of dynamic shared memory, stream → status
Start = Callable[[int, int, Any], Any]


class Demands:
    """The demands of one variant under one configuration. LaunchError where the device cannot meet them.

    `grid` is what the hardware runs. `size` is the dynamic shared memory of every launch, None where the values decide (`sized`).
    """

    def __init__(self, driver: CudaDriver, loaded: Loaded, config: LaunchConfig, grid: tuple[int, int, int]) -> None:
        self.driver = driver
        self.loaded = loaded
        self.grid = grid
        self.block = config.block
        self.cluster: tuple[int, ...] | None = tuple(loaded.facts["cluster"]) if "cluster" in loaded.facts else None
        self.shared = shared_of(driver, loaded, config)
        self.size = self.shared.least_bytes if self.shared.constant else None
        self.barrier = bool(loaded.facts.get("grid_barrier"))
        self.together = loaded.cooperative or self.cluster is not None
        self._prepare()
        self._known = {self.shared.least_bytes}  # sizes under which the grid was found to fit
        self._resident(self.shared.least_bytes)

    def sized(self, values: Values) -> int:
        """The dynamic shared memory of a launch with these values."""
        found = self.shared.bytes(values)
        if found not in self._known:
            self._resident(found)
            self._known.add(found)
        return found

    def start(self) -> Start:
        """The driver's function that launches."""
        cu, function, grid, block = self.driver.cu, self.loaded.handle, self.grid, self.block
        if not self.together:
            launch_kernel = cu.cuLaunchKernel
            return lambda pointers, size, stream: launch_kernel(function, *grid, *block, size, stream, pointers, 0)[0]
        launch_extended = cu.cuLaunchKernelEx
        return lambda pointers, size, stream: launch_extended(self._config(size, stream), function, pointers, 0)[0]

    # ---- inside

    def _config(self, size: int, stream: Any) -> Any:
        cu = self.driver.cu
        config = cu.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = self.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = self.block
        config.sharedMemBytes = size
        config.hStream = stream
        attributes: list[Any] = []
        if self.cluster is not None:
            one = cu.CUlaunchAttribute()
            one.id = cu.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            one.value.clusterDim.x, one.value.clusterDim.y, one.value.clusterDim.z = self.cluster
            attributes.append(one)
        if self.loaded.cooperative:
            one = cu.CUlaunchAttribute()
            one.id = cu.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            one.value.cooperative = 1
            attributes.append(one)
        config.attrs = attributes
        config.numAttrs = len(attributes)
        return config

    def _prepare(self) -> None:
        """Tell the function what it will be asked for."""
        driver, limits = self.driver, self.driver.limits
        attribute = driver.cu.CUfunction_attribute
        if self.shared.pieces or self.shared.least:
            room = limits.max_shared_memory_optin - self.shared.static
            if self.size is not None:
                room = self.size
            if room + self.shared.static > limits.max_shared_memory_per_block:
                most = attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                before = driver.call(driver.cu.cuFuncGetAttribute, most, self.loaded.handle)
                if room > before:
                    driver.call(driver.cu.cuFuncSetAttribute, self.loaded.handle, most, room)
        if self.cluster is not None and math.prod(self.cluster) > PORTABLE_CLUSTER:
            driver.call(driver.cu.cuFuncSetAttribute, self.loaded.handle, attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)

    def _resident(self, size: int) -> None:
        """Whether the device holds what must run at once: a cluster, and all blocks of a cooperative launch."""
        if not self.together:
            return
        driver, kernel = self.driver, self.loaded.kernel
        blocks = math.prod(self.grid)
        if self.cluster is not None:
            each = math.prod(self.cluster)
            config = self._config(size, driver.cu.CUstream(0))
            clusters: int = driver.call(driver.cu.cuOccupancyMaxActiveClusters, self.loaded.handle, config)
            if clusters < 1:
                shape = " x ".join(map(str, self.cluster))
                raise launch_error(
                    "OX2003",
                    f"{driver.name} cannot hold a cluster of {shape} blocks of `{kernel}`",
                    help="take smaller clusters, or blocks that need less shared memory and fewer registers",
                )
            resident = clusters * each
        else:
            resident = driver.limits.multiprocessors * int(
                driver.call(driver.cu.cuOccupancyMaxActiveBlocksPerMultiprocessor, self.loaded.handle, math.prod(self.block), size)
            )
        if self.loaded.cooperative:
            if not driver.attribute("COOPERATIVE_LAUNCH"):
                raise launch_error(
                    "OX6001", f"`{kernel}` needs cooperative launches; {driver.name} has none", help="run it on another device"
                )
            if blocks > resident:
                raise launch_error(
                    "OX2003",
                    f"the {blocks} blocks of `{kernel}` must all run at once; {driver.name} holds {resident} of them",
                    help="take fewer blocks, each with more elements (`thread.grid_stride`)",
                )


def shared_of(driver: CudaDriver, loaded: Loaded, config: LaunchConfig) -> Shared:
    """The static part is as large as the function says: behind what the code declares, it is filled up to where the dynamic part begins."""
    facts = loaded.facts
    static: int = facts.get("shared_static", 0)
    if static:
        static = max(static, driver.function(loaded, "SHARED_SIZE_BYTES"))
    return Shared(driver, loaded, config, static, facts.get("shared_dynamic", ()), facts.get("shared_moved", 0))
