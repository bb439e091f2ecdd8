"""What a kernel's place in the cache depends on: everything that its code depends on, and nothing else."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import llvmlite
import pytest

import oxidepy as ox
from oxidepy.backend.targets import Target, cpu_target, nvptx_target
from oxidepy.cache import Cache
from oxidepy.compiler import driver
from oxidepy.lang.definition import Specialisation
from oxidepy.runtime.program import Program
from oxidepy.settings.options import CodegenOptions

PLAIN = Specialisation()
SM_80 = nvptx_target("sm_80")

MAIN = """import os
from helper import twice
from oxidepy import DisjointSlice, Slice, f32, kernel, launch_bounds, launch_contract, thread

LIMIT = 3
UNUSED = 1
SWITCH = os.environ.get("SWITCH_OF_THIS_TEST") == "1"


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def k(a: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        x = twice(a[idx.get()]) * a[idx]
        if SWITCH:
            x += 1.0
        c[idx] = x + f32(LIMIT)
"""

HELPER = """from deep import FACTOR
from oxidepy import f32


def twice(x: f32) -> f32:
    return x * FACTOR


def unused(x: f32) -> f32:
    return x
"""

FILES = {"main.py": MAIN, "helper.py": HELPER, "deep.py": "FACTOR = 2.0\n", "pyproject.toml": "[project]\nname = 'demo'\n"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # an edit within one second would not be seen
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def key(folder: Path, target: Target = SM_80, **options: Any) -> str:
    """The key of the kernel as the files are now."""
    program = Program.read(folder / "main.py", as_main=False)
    chosen = CodegenOptions(**options)
    with program.visit():
        program.start()
        (kernel,) = program.kernels()
        effective = driver.effective_options(kernel.definition, chosen)
        return driver.cache_key(driver.check_kernel(kernel.definition, PLAIN, chosen).module, target, effective)


def edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert text.count(old) >= 1
    (folder / name).write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("helper.py", "x * FACTOR", "x + FACTOR"),
        ("helper.py", "x * FACTOR", "x * FACTOR + 0.0"),
        ("deep.py", "2.0", "2.5"),
        ("main.py", "LIMIT = 3", "LIMIT = 4"),
        ("main.py", "twice(a[idx.get()]) * a[idx]", "twice(a[idx.get()]) / a[idx]"),
        ("main.py", "Slice[f32], c: DisjointSlice[f32]", "Slice[f64], c: DisjointSlice[f64]"),
        ("main.py", "@kernel\n", "@kernel(fmad=False)\n"),
        ("main.py", "@kernel\n", "@kernel(lineinfo=False)\n"),
        ("main.py", "@kernel\n", "@kernel(max_registers=32)\n"),
        ("main.py", "(256, 1, 1)", "(128, 1, 1)"),
        ("main.py", "(256, 1, 1)", "(256, 1, 1), coordinates='i64'"),
        ("main.py", "@kernel\n@launch_contract", "@kernel\n@launch_bounds(256, min_blocks=2)\n@launch_contract"),
        ("main.py", "def k(", "def kk("),
    ],
)
def test_an_edit_that_changes_code_is_a_miss(name: str, old: str, new: str, project: Path) -> None:
    before = key(project)
    edit(project, name, old, new)
    if "f64" in new:
        edit(project, "main.py", "import DisjointSlice", "import f64, DisjointSlice")
        edit(project, "main.py", "f32(LIMIT)", "f64(LIMIT)")
        edit(project, "helper.py", "import f32", "import f64 as f32")
    assert key(project) != before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("main.py", "c[idx] = x + f32(LIMIT)", "c[idx]   =   x+f32( LIMIT )  # a word on it"),
        ("main.py", "UNUSED = 1", "UNUSED = 2"),
        ("main.py", "LIMIT = 3", "LIMIT = 6 // 2"),
        ("main.py", "f32(LIMIT)\n", "f32(LIMIT)\n\n\n# the end\n"),
        ("helper.py", "    return x\n", "    return x + 1.0\n"),
        ("helper.py", "x * FACTOR", "(x * FACTOR)  # twice"),
        ("deep.py", "FACTOR", "# a factor\nOTHER = 1\nFACTOR"),
    ],
)
def test_an_edit_that_moves_no_line_is_a_hit(name: str, old: str, new: str, project: Path) -> None:
    before = key(project)
    edit(project, name, old, new)
    assert key(project) == before


@pytest.mark.parametrize(("name", "old"), [("main.py", "    idx = thread"), ("helper.py", "def twice"), ("main.py", "LIMIT = 3")])
def test_a_moved_line_counts_where_lines_are_kept(name: str, old: str, project: Path) -> None:
    with_lines, without = key(project), key(project, lineinfo=False)
    edit(project, name, old, f"{' ' * (len(old) - len(old.lstrip()))}# one line more\n{old}")
    assert key(project) != with_lines
    assert key(project, lineinfo=False) == without


def test_the_environment_that_a_constant_was_made_of(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(project)
    monkeypatch.setenv("SWITCH_OF_THIS_TEST", "1")
    assert key(project) != before


@pytest.mark.parametrize("field", [one.name for one in dataclasses.fields(CodegenOptions)])
def test_every_option_counts(field: str, project: Path) -> None:
    value = getattr(CodegenOptions(), field)
    assert key(project, **{field: 64 if value is None else not value}) != key(project)


def test_versions_count(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(project)
    with monkeypatch.context() as patch:
        patch.setattr(llvmlite, "__version__", "0.0.1")
        assert key(project) != before
    with monkeypatch.context() as patch:
        patch.setattr(driver, "__version__", "0.0.1")
        assert key(project) != before
    assert key(project) == before


def test_targets_count(project: Path) -> None:
    targets = [SM_80, nvptx_target("sm_90"), nvptx_target("sm_90a"), nvptx_target("sm_120a"), cpu_target()]
    targets.append(dataclasses.replace(SM_80, isa=(8, 0)))
    targets.append(dataclasses.replace(cpu_target(), features="+other"))
    assert len({key(project, target) for target in targets}) == len(targets)


def test_where_the_project_lies_does_not_count(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(project)
    monkeypatch.chdir(project)
    assert key(Path()) == before
    monkeypatch.chdir("/")
    assert key(project) == before
    moved = tmp_path / "somewhere" / "else"
    shutil.move(project, moved)
    assert key(moved) == before
    (moved / "main.py").rename(moved / "other.py")
    (moved / "main.py").symlink_to("other.py")
    assert key(moved) == before
    shutil.copytree(moved, moved / "inner", ignore=shutil.ignore_patterns("pyproject.toml"))
    assert key(moved / "inner") != before  # another file of the same project: its lines carry another name
    (moved / "pyproject.toml").unlink()
    alone = key(moved)
    monkeypatch.chdir(moved)
    assert key(Path()) == key(shutil.move(moved, tmp_path / "alone")) == alone  # of no project: by its name


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from cache.test_keys import key
print(key(Path({folder!r})), key(Path({folder!r}), lineinfo=False))
"""


def test_the_seed_of_hashes_does_not_count(project: Path) -> None:
    """And so do neither the process nor the order in which it works."""
    script = SCRIPT.format(tests=str(Path(__file__).parents[1]), folder=str(project))
    running = [
        subprocess.Popen(
            [sys.executable, "-B", "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True
        )
        for seed in ("0", "1", "random")
    ]
    said = {process.communicate(timeout=120)[0] for process in running}
    assert said == {f"{key(project)} {key(project, lineinfo=False)}\n"}


# ---- what a kernel holds of the functions around it

ENCLOSED = """
from oxidepy import DisjointSlice, f32, kernel, thread


def half(x: f32) -> f32:
    return x * 0.5


def double(x: f32) -> f32:
    return x * 2.0


def make(number, function):
    @kernel
    def k(c: DisjointSlice[f32]) -> None:
        idx = thread.index_1d()
        if idx in c:
            c[idx] = function(c[idx] + number)

    return k


KERNELS = [make(1.0, half), make(2.0, half), make(1.0, double)]
"""


def test_numbers_of_a_closure_compile_nothing_new_and_functions_do(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(ENCLOSED)
    program = Program.read(tmp_path / "main.py", as_main=False)
    context = ox.Context("cpu")
    stream = context.default_stream()
    with program.visit():
        program.start()
        kernels = program.namespace.KERNELS
        modules = [driver.check_kernel(one.definition, PLAIN, CodegenOptions()).module for one in kernels]
        one, other, third = (driver.cache_key(module, SM_80, CodegenOptions()) for module in modules)
        assert one == other != third
        results = []
        for kernel in kernels:
            c = ox.DeviceBuffer.zeros(stream, 3, ox.f32)
            kernel.launch(stream, c)
            results.append(c.to_host(stream).tolist())
    assert results == [[0.5] * 3, [1.0] * 3, [2.0] * 3]


# ---- what comes out of the cache


def definition(folder: Path) -> Any:
    program = Program.read(folder / "main.py", as_main=False)
    with program.visit():
        program.start()
        return program.kernels()[0].definition


def test_a_second_architecture_in_the_same_cache(project: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", 1 << 30, pytest.fail)
    kernel = definition(project)
    targets = [SM_80, nvptx_target("sm_90a"), cpu_target()]
    first = [driver.compile_kernel(kernel, PLAIN, target, CodegenOptions(), cache=cache) for target in targets]
    again = [driver.compile_kernel(kernel, PLAIN, target, CodegenOptions(), cache=cache) for target in targets]
    assert [one.cached for one in first] == [False] * 3 and [one.cached for one in again] == [True] * 3
    assert [one.artefact.code for one in again] == [one.artefact.code for one in first]
    assert len({one.artefact.code for one in first}) == 3


def test_line_tables_on_and_off(project: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", 1 << 30, pytest.fail)
    kernel = definition(project)
    for _ in range(2):
        on = driver.compile_kernel(kernel, PLAIN, SM_80, CodegenOptions(), cache=cache)
        off = driver.compile_kernel(kernel, PLAIN, SM_80, CodegenOptions(lineinfo=False), cache=cache)
        assert b".loc" in on.artefact.code and b".loc" not in off.artefact.code
        assert b'"main.py"' in on.artefact.code and str(project).encode() not in on.artefact.code
    assert on.cached and off.cached


def test_columns_come_from_the_source_as_it_is(project: Path, tmp_path: Path) -> None:
    """An edit that hits may move a check within its line: a panic points at where it is now."""
    cache = Cache(tmp_path / "cache", 1 << 30, pytest.fail)
    before = driver.compile_kernel(definition(project), PLAIN, SM_80, CodegenOptions(), cache=cache)
    edit(project, "main.py", "x = twice(", "x =    twice(")
    after = driver.compile_kernel(definition(project), PLAIN, SM_80, CodegenOptions(), cache=cache)
    assert after.cached
    columns = [[site.span.column for site in one.artefact.sites if site.span] for one in (before, after)]
    assert columns[0] and [column + 3 for column in columns[0]] == columns[1]


@pytest.mark.parametrize("harm", [lambda data: data[: len(data) // 2], lambda data: b"", lambda data: data[:-1] + bytes([data[-1] ^ 1])])
def test_a_bad_entry_is_compiled_again_with_one_note(harm: Any, project: Path, tmp_path: Path) -> None:
    notes: list[str] = []
    root = tmp_path / "cache"
    kernel = definition(project)

    def compiled() -> driver.Compiled:
        return driver.compile_kernel(kernel, PLAIN, SM_80, CodegenOptions(), cache=Cache(root, 1 << 30, notes.append))

    first = compiled()
    path = Cache(root, 1 << 30, notes.append).path(key(project))
    assert path is not None
    path.write_bytes(harm(path.read_bytes()))
    again = compiled()
    assert not again.cached and again.artefact.code == first.artefact.code and len(notes) == 1
    assert compiled().cached and len(notes) == 1


def test_a_failure_is_raised_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a refused kernel, and by a code generator that fails: nothing half made is kept."""
    (tmp_path / "main.py").write_text(ENCLOSED.replace("function(c[idx] + number)", "nosuch"))
    stream = ox.Context("cpu").default_stream()
    program = Program.read(tmp_path / "main.py", as_main=False)
    with program.visit():
        program.start()
        c = ox.DeviceBuffer.zeros(stream, 3, ox.f32)
        for _ in range(2):
            with pytest.raises(ox.CompileError) as caught:
                program.namespace.KERNELS[0].launch(stream, c)
            assert caught.value.code == "OX0425"
    fine = tmp_path / "fine"
    fine.mkdir()
    (fine / "main.py").write_text(ENCLOSED)
    program = Program.read(fine / "main.py", as_main=False)
    with program.visit():
        program.start()
        kernel = program.namespace.KERNELS[0]
        with monkeypatch.context() as patch:
            patch.setenv("OXIDEPY_CACHE_DIR", str(tmp_path / "cache"))
            patch.setattr(driver, "generate", lambda *_: (_ for _ in ()).throw(MemoryError("no room")))
            for _ in range(2):
                with pytest.raises(MemoryError):
                    kernel.launch(stream, c)
        kernel.launch(stream, c)
        assert c.to_host(stream).tolist() == [0.5] * 3


# ---- end to end

EIGHT = """
from typing import TypeVar
import numpy as np
import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, i8, i16, i32, i64, kernel, thread, u32, u64

T = TypeVar("T", f32, f64, i8, i16, i32, i64, u32, u64)


@kernel
def square(a: Slice[T], c: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] * a[idx]


if __name__ == "__main__":
    stream = ox.Context("cpu").default_stream()
    right = 0
    for name in ("float32", "float64", "int8", "int16", "int32", "int64", "uint32", "uint64"):
        values = np.arange(1000).astype(name)
        c = ox.DeviceBuffer.zeros(stream, 1000, values.dtype)
        square.launch(stream, ox.DeviceBuffer.from_host(stream, values), c)
        right += bool((c.to_host(stream) == values * values).all())
    print(right)
"""


def test_eight_processes_with_eight_signatures(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(EIGHT)
    environment = {**os.environ, "OXIDEPY_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "oxidepy", "run", str(tmp_path / "main.py")]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    said = [process.communicate(timeout=300) for process in running]
    assert said == [("8\n", "")] * 8


def test_an_edited_helper_gives_its_own_result(project: Path, tmp_path: Path) -> None:
    (project / "main.py").write_text(
        MAIN + "\n\nif __name__ == '__main__':\n    import oxidepy as ox\n    stream = ox.Context('cpu').default_stream()\n"
        "    a = ox.DeviceBuffer.zeros(stream, 4, f32)\n    a.fill(stream, 1.0)\n    c = ox.DeviceBuffer.zeros(stream, 4, f32)\n"
        "    k.launch(stream, a, c)\n    print(c.to_host(stream).tolist())\n"
    )
    environment = {**os.environ, "OXIDEPY_CACHE_DIR": str(tmp_path / "cache")}

    def run() -> str:
        done = subprocess.run([sys.executable, "-B", "main.py"], cwd=project, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    assert run() == run() == "[5.0, 5.0, 5.0, 5.0]\n"
    edit(project, "deep.py", "2.0", "4.0")
    assert run() == "[7.0, 7.0, 7.0, 7.0]\n"
