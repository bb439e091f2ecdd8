"""`oxidepy sanitize` on the interpreter: each fault is found as it happens, told with its line, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.programs import UNKNOWN
from cli.test_run import write

HEAD = """import numpy as np
import oxidepy as ox
from oxidepy import DeviceBuffer, DisjointSlice, Slice, SliceMut, atomic, block, f32, grid, i32, kernel, launch_contract
from oxidepy import cooperative_launch, i64, local, shared, thread, u32, unsafe, warp


def run(k, *args, n=128):
    s = ox.Context().default_stream()
    given = [DeviceBuffer.from_host(s, one) if isinstance(one, np.ndarray) else one for one in args]
    k.prepare(ox.Context(), n)(s, *given)
    s.synchronize()


X = np.zeros(128, np.float32)
N = np.zeros(128, np.int32)

"""
KERNEL = "@kernel\n@launch_contract(domain=1, block=(64, 1, 1))\ndef k("
# arguments of the kernel, body, call, code; `# <-` stands at the line of the finding
FAULTS = {
    "shared memory": (
        "x: SliceMut[f32]",
        "s = shared.array(f32, 64)\nt = thread.idx.x\ns[t] = 1.0\nx[t] = s[63 - t]  # <-",
        "run(k, X)",
        {"OX4001", "OX4002"},
    ),
    "a missing barrier in a loop": (
        "x: DisjointSlice[f32]",
        "s = shared.array(f32, 64)\nt = thread.idx.x\nv = f32(0)\nfor i in range(3):\n    s[t] = f32(i)  # <-\n"
        "    block.sync()\n    v += s[63 - t]",
        "run(k, X)",
        {"OX4001"},
    ),
    "lanes of one warp": (
        "x: DisjointSlice[f32]",
        "s = shared.array(f32, 64)\nl = warp.lane\nw = thread.idx.x - l\ns[w + l] = 1.0\nif l < 16:\n    s[w + l] += s[w + l + 16]  # <-",
        "run(k, X)",
        {"OX4001"},
    ),
    "blocks": ("x: SliceMut[f32]", "x[thread.idx.x] = f32(block.idx.x)  # <-", "run(k, X)", {"OX4002"}),
    "loaded indices": (
        "x: SliceMut[f32], at: Slice[i32]",
        'i = thread.index_1d().get()\nwith unsafe("distinct"):\n    x[at[i]] = 1.0  # <-',
        "run(k, X, N)",
        {"OX4002"},
    ),
    "an atomic and a plain read": (
        "x: SliceMut[i32]",
        "atomic.add(x, 0, 1)\nif thread.index_1d().get() == 100:\n    x[1] = x[0]  # <-",
        "run(k, N)",
        {"OX4002"},
    ),
    "an atomic of the block, from two": ("x: SliceMut[i32]", 'atomic.add(x, 0, 1, scope="block")  # <-', "run(k, N)", {"OX4002"}),
    "outside": (
        "x: Slice[f32], y: DisjointSlice[f32]",
        "idx = thread.index_1d()\nif idx in y:\n    y[idx] = x[idx.get() + 1]  # <-",
        "run(k, X, X)",
        {"OX7001"},
    ),
    "shared memory that nobody wrote": (
        "y: DisjointSlice[f32]",
        "s = shared.array(f32, 64)\nt = thread.idx.x\nif t > 0:\n    s[t] = 1.0\nblock.sync()\n"
        "idx = thread.index_1d()\nif idx in y:\n    y[idx] = s[63 - t]  # <-",
        "run(k, X)",
        {"OX7005"},
    ),
    "local memory that nobody wrote": (
        "y: DisjointSlice[f32]",
        "s = local.array(f32, 4)\ns[1] = 1.0\nidx = thread.index_1d()\nif idx in y:\n    y[idx] = s[idx.get() % 4]  # <-",
        "run(k, X)",
        {"OX7005"},
    ),
    "an empty buffer": (
        "y: DisjointSlice[f32]",
        "idx = thread.index_1d()\nif idx in y:\n    y[idx] += 1.0  # <-",
        "s = ox.Context().default_stream()\nb = DeviceBuffer.empty(s, 128, f32)\nb[64:].fill(s, 0.0)\nc = DeviceBuffer.empty_like(s, b)\n"
        "c.copy_from(s, b)\nrun(k, c)",
        {"OX7005"},
    ),
    "threads that have left": ("x: Slice[f32]", "if thread.idx.x > 40:\n    return\nblock.sync()  # <-", "run(k, X)", {"OX3001"}),
    "a sum": (
        "x: DisjointSlice[i32], n: i32",
        "idx = thread.index_1d()\nif idx in x:\n    x[idx] = n + idx.get()  # <-",
        "run(k, N, 2**31 - 10)",
        {"OX7006"},
    ),
    "a product of 64 bits": (
        "x: Slice[f32], n: i64",
        "v = n * 3  # <-\nif v == 1:\n    block.sync()",
        "run(k, X, 2**62)",
        {"OX7006"},
    ),
}
SOUND = {
    "barriers": (
        "x: DisjointSlice[f32]",
        "s = shared.array(f32, 64)\nt = thread.idx.x\nfor i in range(3):\n    s[t] = f32(i)\n    block.sync()\n"
        "    v = s[63 - t]\n    block.sync()\n"
        "idx = thread.index_1d()\nif idx in x:\n    x[idx] = s[t]",
        "run(k, X)",
    ),
    "barriers of warps": (
        "x: DisjointSlice[f32]",
        "s = shared.array(f32, 64)\nt = thread.idx.x\ns[t] = 1.0\nwarp.sync()\nv = s[t ^ 1]\nwarp.sync()\ns[t ^ 1] = v",
        "run(k, X)",
    ),
    "atomics": ("x: SliceMut[i32]", "atomic.add(x, thread.idx.x % 3, 1)", "run(k, N)"),
    "unsigned numbers wrap": (
        "x: SliceMut[i32], n: u32",
        "v = n * n + n\nif v == u32(1):\n    x[thread.index_1d().get()] = 1",
        "run(k, N, 2**32 - 1)",
    ),
    "threads that are not there": (
        "x: DisjointSlice[i32], n: i32",
        "idx = thread.index_1d()\nif idx in x and n < 100:\n    x[idx] = n * n * n * n * n",
        "run(k, N, 100000)",
    ),
    "failed threads do not come to barriers": (
        "x: Slice[f32]",
        "if thread.idx.x == 3:\n    assert len(x) == 0\nblock.sync()",
        "try:\n    run(k, X)\nexcept ox.DevicePanic:\n    pass",
    ),
}  # fmt: skip


def program(parameters: str, body: str, call: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    main = "".join(f"    {line}\n" for line in call.splitlines())
    return f'{HEAD}{KERNEL}{parameters}) -> None:\n{lines}\n\ndef main():\n{main}\n\nif __name__ == "__main__":\n    main()\n'


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, command: Command, tmp_path: Path) -> None:
    parameters, body, call, codes = FAULTS[name]
    text = program(parameters, body, call)
    write(tmp_path, text)
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "# <-" in one)
    done = command("sanitize", "main.py", "--message-format", "json")
    found = [json.loads(one) for one in done.out.splitlines() if one.startswith("{")]
    assert done.code == 86
    assert {one["code"] for one in found} == codes
    assert line in {place for one in found for place in (one["line"], *(label["line"] for label in one["labels"]))}


@pytest.mark.parametrize("name", SOUND)
def test_nothing_else_is(name: str, command: Command, tmp_path: Path) -> None:
    write(tmp_path, program(*SOUND[name]))
    done = command("sanitize", "main.py")
    assert (done.code, done.err) == (0, "") and done.out == "sanitize: nothing found\n"


def test_the_two_threads_of_a_race(command: Command, tmp_path: Path) -> None:
    write(tmp_path, program(*FAULTS["blocks"][:3]))
    (found,) = map(json.loads, command("sanitize", "main.py", "--message-format", "json", "--tool", "racecheck").out.splitlines())
    one, two = found["counterexample"]["threads"]
    assert {one["block"][0], two["block"][0]} == {0, 1} and one["thread"] == two["thread"] == [found["counterexample"]["index"], 0, 0]
    sarif = json.loads(command("sanitize", "main.py", "--message-format", "sarif").out)
    assert [len(one["relatedLocations"]) for one in sarif["runs"][0]["results"]] == [2]


def test_a_tool_finds_its_own(command: Command, tmp_path: Path) -> None:
    write(tmp_path, program(*FAULTS["blocks"][:3]))
    assert command("sanitize", "main.py", "--tool", "memcheck", "--tool", "overflow").code == 0
    assert command("sanitize", "main.py", "--tool", "all").code == 86
    assert command("sanitize", "main.py", "--tool", "nosuch").code == 2
    assert command("sanitize", "main.py", "--device", "cpu").code == 2


def test_a_deadlock(command: Command, tmp_path: Path) -> None:
    body = "if thread.idx.x < 32:\n    block.sync()\nelse:\n    grid.sync()  # <-"
    write(tmp_path, program("x: Slice[f32]", body, "run(k, X)").replace("@kernel\n", "@kernel\n@cooperative_launch\n"))
    done = command("sanitize", "main.py", "--message-format", "json")
    codes = [json.loads(one)["code"] for one in done.out.splitlines() if one.startswith("{")]
    assert done.code == 86 and "OX7004" in codes and "OX7004" in done.err


def test_leaks(command: Command, tmp_path: Path) -> None:
    call = (
        "s = ox.Context().default_stream()\nkept = DeviceBuffer.zeros(s, 10, f32)\nnp.kept = DeviceBuffer.zeros(s, 11, f32)\nrun(k, kept)"
    )
    text = program("x: Slice[f32]", "v = x[0]", call)
    write(tmp_path, text)
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "np.kept" in one)
    try:
        done = command("sanitize", "main.py", "--message-format", "json")
    finally:
        import numpy

        del numpy.kept  # type: ignore[attr-defined]  # pyright: ignore
    found = [json.loads(one) for one in done.out.splitlines() if one.startswith("{")]
    assert [(one["code"], one["line"]) for one in found] == [("OX7007", line)] and "44 bytes" in found[0]["message"]


def test_what_the_program_says_and_gives(command: Command, tmp_path: Path) -> None:
    """Arguments, output, exit code and exceptions are the program's own where there is no finding."""
    write(tmp_path, HEAD + "import sys\nprint(sys.argv[1:], ox.Context().name)\nsys.exit(7)\n")
    done = command("sanitize", "main.py", "--", "a", "--tool")
    assert (done.code, done.out.splitlines()[0]) == (7, "['a', '--tool'] interp") and "nothing to watch" in done.err
    write(tmp_path, HEAD + "1 / 0\n")
    done = command("sanitize", "main.py")
    assert done.code == 1 and "ZeroDivisionError" in done.err
    write(tmp_path, HEAD + UNKNOWN + "run(unknown, X, X)\n")
    done = command("sanitize", "main.py")
    assert done.code == 1 and "error[OX0425]" in done.err


def test_the_hardware_layer_is_not_followed(command: Command, tmp_path: Path) -> None:
    """What an asynchronous copy writes is no unwritten memory, and the user is told that it is not looked at."""
    body = (
        "s = shared.array(f32, 64)\nt = thread.idx.x\ni = thread.index_1d().get()\n"
        'with unsafe("each thread copies an element of its own"):\n    async_copy.copy(s, t, x, i, count=1)\n    async_copy.wait_all()\n'
        "block.sync()\nidx = thread.index_1d()\nif idx in y:\n    y[idx] = s[t]"
    )
    text = program("x: Slice[f32], y: DisjointSlice[f32]", body, "run(k, X, X)").replace("cooperative_launch, i64", "async_copy, i64")
    write(tmp_path, text)
    done = command("sanitize", "main.py")
    assert done.code == 0 and done.err.startswith("note: `k` uses the hardware layer") and done.err.count("\n") == 1


def test_outside_where_the_checks_were_left_out(command: Command, tmp_path: Path) -> None:
    body = "s = local.array(f32, 4)\ns[len(x) - 100] = 1.0  # <-"
    text = program("x: Slice[f32]", body, "run(k, X)")
    write(tmp_path, text)
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "# <-" in one)
    done = command("sanitize", "main.py", "--unchecked-indexing", "--message-format", "json")
    assert done.code == 86 and [(one["code"], one["line"]) for one in map(json.loads, done.out.splitlines())] == [("OX7001", line)]


def test_shared_memory_of_a_cluster(command: Command, tmp_path: Path) -> None:
    """What one block writes and another reads, with the barrier of the cluster between them, and without."""
    head = HEAD.replace("cooperative_launch, i64", "cluster, cluster_launch, i64") + KERNEL.replace(
        "@kernel\n", "@kernel\n@cluster_launch(2, 1, 1)\n"
    )
    body = (
        "s = shared.array(f32, 64)\nt = thread.idx.x\ncluster.sync()\ns[t] = 1.0\nBARRIER\nidx = thread.index_1d()\n"
        'with unsafe("the barrier orders it"):\n    v = cluster.map_shared(s, 1 - cluster.rank)[t]\n'
        "cluster.sync()\nif idx in y:\n    y[idx] = v"
    )
    for barrier, code in (("cluster.sync()", 0), ("block.sync()", 86)):
        lines = "".join(f"    {line}\n" for line in body.replace("BARRIER", barrier).splitlines())
        write(tmp_path, f'{head}y: DisjointSlice[f32]) -> None:\n{lines}\n\nif __name__ == "__main__":\n    run(k, X)\n')
        done = command("sanitize", "main.py")
        assert done.code == code and ("OX4001" in done.err) == bool(code), done.err


@pytest.mark.parametrize(
    "name", ["block_scan", "cluster_reduction", "compaction", "grid_barrier", "histogram", "stencil_halo", "tiled_transpose", "warp_scan"]
)
def test_sound_examples_are_silent(name: str, command: Command) -> None:
    done = command("sanitize", Path(__file__).parents[2] / "examples" / f"{name}.py")
    assert (done.code, done.err) == (0, "") and "PASSED" in done.out and "sanitize: nothing found" in done.out


def test_more_accesses_than_are_kept(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxidepy.runtime.sanitize.races.ROWS", 100)
    write(tmp_path, program(*SOUND["barriers"]))
    done = command("sanitize", "main.py")
    assert done.code == 0 and "note: `k` made more accesses in one launch than are kept" in done.err
