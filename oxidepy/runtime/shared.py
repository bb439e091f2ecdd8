"""How much shared memory the blocks of a launch get: what the kernel declares, what its contract and the configuration say of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oxidepy.backend.shared_size import dynamic_bytes
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.driver import Driver, Loaded


class Shared:
    """The shared memory of one variant under one configuration, in bytes a block.

    `static`: what the code itself declares. `pieces`: the objects of the dynamic part, as the fact "shared_dynamic" has them; the first
    `moved` are of constant size and were put there for want of room. OX2003 where the device has not enough, here if that is known already.
    """

    def __init__(
        self, driver: Driver, loaded: Loaded, config: LaunchConfig, static: int, pieces: Sequence[Sequence[Any]], moved: int = 0
    ) -> None:
        self.driver = driver
        self.kernel = loaded.kernel
        self.grid = config.grid
        self.static = static
        self.pieces = pieces
        self.moved = dynamic_bytes(pieces[:moved], (), config.grid)
        self.arrays = pieces[moved:]
        contract = loaded.contract.dynamic_shared
        self.most: int | None  # None: nobody says
        if config.dynamic_shared:
            self.least = self.most = config.dynamic_shared
        elif isinstance(contract, tuple):
            self.least, self.most = contract
        else:
            self.least, self.most = contract, contract or None
        self.constant = all(isinstance(count, int) for count, _, _ in pieces)
        self.least_bytes = self.bytes(()) if self.constant else self._fit(self._total(0, 0))

    def bytes(self, values: Sequence[Any]) -> int:
        """What a launch with these values asks the device for. OX2003 if it is more than contract, configuration or device allow."""
        need = dynamic_bytes(self.arrays, values, self.grid)
        if self.most is not None and need > self.most:
            raise launch_error(
                "OX2003",
                f"the dynamic arrays of `{self.kernel}` take {need} bytes of shared memory a block; the launch gives {self.most}",
                help="raise `dynamic_shared` in its `launch_contract` and configuration, or leave it out: then it follows from the arrays",
            )
        return self._fit(self._total(dynamic_bytes(self.pieces, values, self.grid), need))

    def _total(self, whole: int, need: int) -> int:
        asked = -(-self.moved // 16) * 16 + self.least if self.least > need else 0
        return max(whole, asked, self.moved)

    def _fit(self, size: int) -> int:
        allowed = self.driver.limits.max_shared_memory_optin
        if self.static + size > allowed:
            raise launch_error(
                "OX2003",
                f"blocks of `{self.kernel}` take {self.static + size} bytes of shared memory; {self.driver.name} allows {allowed}",
                help="take smaller shared arrays, or smaller blocks that need less of it",
            )
        return size
