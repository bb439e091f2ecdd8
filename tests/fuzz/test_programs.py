"""Random functions give in kernels what Python gives: structs, enums, patterns, closures, loops written out in part."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import pytest
from fuzz.programs import HEAD, Program
from loading import defined

import oxidepy as ox
from oxidepy import LaunchConfig1D, i32

IMPORTS = (
    "import enum\nfrom dataclasses import dataclass, replace\nfrom oxidepy import SliceMut, i32, kernel, launch_contract, struct, unroll\n"
)
KERNEL = """

@kernel(unsafe="one thread writes")
@launch_contract(domain=1, block=(1, 1, 1))
def k(out: SliceMut[i32], a: i32, b: i32, p: P) -> None:
    out[0] = f(a, b, p)
"""
INPUTS = ((1, 2, 0, 0, "R"), (-3, 7, 5, 2, "B"), (4, 0, -1, 3, "G"), (9, 9, 2, 1, "B"))
SEEDS = 10


@pytest.mark.parametrize("seed", range(SEEDS))
def test_programs(seed: int) -> None:
    check(seed, ("interp", "cpu"))


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(SEEDS, 3 * SEEDS))
def test_programs_on_a_gpu(seed: int) -> None:
    check(seed, ("cuda:0",))


def check(seed: int, devices: tuple[str, ...]) -> None:
    function = Program(seed).text
    space = defined(IMPORTS + HEAD + function + KERNEL, {"__name__": f"program_{seed}"})
    plain = {**space, "unroll": lambda items, _=1: items}
    exec(compile("from __future__ import annotations\n" + function, "<python>", "exec", dont_inherit=True), plain)
    for device in devices:
        stream = ox.Context(device).new_stream()
        out = ox.DeviceBuffer.zeros(stream, 1, i32)
        launched = space["k"].prepare(stream.context, LaunchConfig1D(grid=1, block=1))
        for a, b, x, y, c in INPUTS:
            p = space["P"](x, y, space["C"][c])
            launched(stream, out, a, b, p)
            assert out.to_host(stream)[0] == plain["f"](a, b, p), (device, a, b, p, function)
