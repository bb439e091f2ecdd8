"""A family of kernels for one task: the host picks a variant for each problem, by size, by force, or by a measurement that is kept."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import oxidepy as ox
from oxidepy import D2, Const, DisjointSlice, KernelFamily, Slice, Variant, f32, kernel, launch_contract, thread, unroll


@dataclass(frozen=True)
class Problem:
    rows: int
    columns: int


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def row_sums(x: Slice[f32, D2], y: DisjointSlice[f32], WIDTH: Const[int]) -> None:
    """Each thread adds up a row, WIDTH elements at a time in as many sums."""
    idx = thread.index_1d()
    if idx in y:
        i, columns, total = idx.get(), x.shape[1], f32(0)
        for k in range(0, columns - WIDTH + 1, WIDTH):
            part = f32(0)
            for j in unroll(range(WIDTH)):
                part += x[i, k + j]
            total += part
        for k in range(columns - columns % WIDTH, columns):
            total += x[i, k]
        y[idx] = total


VARIANTS: list[Variant[Problem]] = [
    Variant("wide", row_sums, {"WIDTH": 8}, when=lambda problem: problem.columns >= 64),
    Variant("narrow", row_sums, {"WIDTH": 2}),
]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    family = KernelFamily("row_sums", VARIANTS)
    rng = np.random.default_rng(11)

    def run(problem: Problem, force: str | None = None) -> tuple[str, bool]:
        host = rng.integers(-8, 8, (problem.rows, problem.columns)).astype(np.float32)
        y = ox.DeviceBuffer.zeros(stream, problem.rows, f32)
        chosen = family.select(problem, force=force, context=ctx)
        chosen.launch(stream, ox.DeviceBuffer.from_host(stream, host), y)
        np.testing.assert_array_equal(y.to_host(stream), host.sum(axis=1))
        return chosen.name, chosen.cached

    assert run(Problem(100, 130)) == ("wide", False)
    assert run(Problem(100, 7)) == ("narrow", False)
    assert run(Problem(100, 130)) == ("wide", True)
    assert run(Problem(100, 130), force="narrow") == ("narrow", False)

    def fastest(problem: Problem, able: Sequence[Variant[Problem]]) -> Variant[Problem]:
        """Measure each variant that takes the problem, once."""
        x, y = ox.DeviceBuffer.zeros(stream, (problem.rows, problem.columns), f32), ox.DeviceBuffer.zeros(stream, problem.rows, f32)
        times: list[float] = []
        for one in able:
            one.kernel.launch(stream, x, y, **one.values)  # the first launch compiles
            before = stream.record()
            one.kernel.launch(stream, x, y, **one.values)
            times.append(stream.record().elapsed_ms(before))
        return able[times.index(min(times))]

    choices: dict[str, str] = {}
    family = KernelFamily("row_sums", VARIANTS, choose=fastest, cache=choices)
    names = {run(Problem(64, 96))[0] for _ in range(3)}
    assert len(names) == 1 and names == set(choices.values()), choices
    print(f"PASSED: two variants, four choices, and `{names.pop()}` measured to be the faster one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
