"""What README and the language page say is missing is refused, with a code: where it has come, the pages must say so."""

# mypy: ignore-errors
from __future__ import annotations

from pathlib import Path

import pytest
from command_line import oxidepy

import oxidepy as ox
from oxidepy import (
    DisjointSlice,
    Runs,
    SliceMut,
    atomic,
    bf16,
    block,
    cluster_launch,
    cooperative_launch,
    debug,
    f16,
    f32,
    i32,
    kernel,
    launch_contract,
    local,
    math,
    random,
    shared,
    thread,
    u32,
    warp,
)

ROOT = Path(__file__).parents[2]
PAGES = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/language.md")]


@kernel
def shared_memory(y: SliceMut[f32]) -> None:
    s = shared.array(f32, 8)
    y[0] = s[0]


@kernel
def local_memory(y: SliceMut[f32]) -> None:
    s = local.array(f32, 8)
    y[0] = s[0]


@kernel
def barriers(y: SliceMut[f32]) -> None:
    block.sync()
    y[0] = 1


@kernel
def atomics(y: SliceMut[f32]) -> None:
    atomic.add(y, 0, 1)


@kernel
def warp_operations(y: SliceMut[i32]) -> None:
    y[0] = warp.reduce_sum(1)


@kernel
def printing(y: SliceMut[f32]) -> None:
    print(y[0])


@kernel
def random_numbers(y: SliceMut[u32]) -> None:
    y[0], _, _, _ = random.philox((u32(1), u32(2)), (u32(0), u32(0), u32(0), u32(0)))


@kernel
def debugging(y: SliceMut[f32]) -> None:
    debug.trap()
    y[0] = 1


@kernel
def fast_math(y: SliceMut[f32]) -> None:
    y[0] = math.fast.exp(y[0])


@kernel
def most_of_math(y: SliceMut[f32]) -> None:
    y[0] = math.sin(y[0])


@kernel
def half(y: SliceMut[f32]) -> None:
    y[0] = f32(f16(y[0]))


@kernel
def brain_half(y: SliceMut[f32]) -> None:
    y[0] = f32(bf16(y[0]))


@kernel
def runs(y: DisjointSlice[f32, Runs[4]]) -> None:
    thread.index_run(4)


def factorial(n: i32) -> i32:
    return 1 if n < 2 else n * factorial(n - 1)


@kernel
def recursion(y: SliceMut[i32]) -> None:
    y[0] = factorial(5)


# kernel → the words of the pages that it stands for
LANGUAGE = {
    "shared": shared_memory,
    "local memory": local_memory,
    "barriers": barriers,
    "atomics": atomics,
    "warp operations": warp_operations,
    "`print`": printing,
    "`random`": random_numbers,
    "`debug`": debugging,
    "`math.fast`": fast_math,
    "functions of\n`math`": most_of_math,
    "`f16`": half,
    "`bf16`": brain_half,
    "`Runs`": runs,
    "recursion": recursion,
}


@pytest.mark.parametrize("words", LANGUAGE)
def test_language(words: str) -> None:
    assert words in PAGES[1]
    with pytest.raises(ox.CompileError) as refused:
        LANGUAGE[words].ptx("sm_80")
    assert refused.value.code == "OX0658" and refused.value.diagnostics[0].help, refused.value


@kernel
@cluster_launch(2, 1, 1)
def clusters(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 1


@kernel
@cooperative_launch
def cooperative(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 1


@kernel
@launch_contract(domain=1, block=(256, 1, 1), dynamic_shared=1024)
def dynamic_shared(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 1


LAUNCHES = {"`cluster_launch`": clusters, "`cooperative_launch`": cooperative, "dynamic shared memory": dynamic_shared}


@pytest.mark.parametrize("words", LAUNCHES)
def test_launches(words: str) -> None:
    assert words in PAGES[0]
    with pytest.raises(ox.LaunchError) as refused:
        LAUNCHES[words].prepare(ox.Context("cpu"), 100)
    assert refused.value.code == "OX6001"


@pytest.mark.parametrize("name", ["tile"])
def test_missing_names(name: str) -> None:
    assert f"the {name} track" in PAGES[0]
    assert not hasattr(ox, name)


def test_races_are_a_warning(tmp_path: Path) -> None:
    program = """from oxidepy import Slice, SliceMut, f32, i32, kernel, thread

@kernel
def scatter(to: Slice[i32], y: SliceMut[f32]) -> None:
    y[to[thread.index_1d().get()]] = 1
"""
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    done = oxidepy("check", "main.py", cwd=tmp_path)
    assert done.returncode == 0 and "warning[OX4003]" in done.stderr, done.stderr
    assert all("OX4003" in page for page in PAGES)
