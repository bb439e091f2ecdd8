"""`oxidepy build`: kernels into the cache and into files, in worker processes where there are many."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.programs import HEAD, ROLLED, UNGUARDED, UNKNOWN, good, guard
from cli.test_run import write

from oxidepy.backend.artefact import Artefact
from oxidepy.compiler import batch
from oxidepy.settings.version import __version__


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def rows(text: str) -> list[list[str]]:
    """The lines of the table without its head: kernel, arch, PTX ISA, cached or compiled, milliseconds."""
    return [line.split() for line in text.splitlines() if len(line.split()) == 5 and line.split()[3] in ("cached", "compiled")]


def test_the_cache_comes_first(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good("one") + good("two", 2) + guard("print('reached')"))
    arches = ("--arch", "sm_80", "--arch", "sm_90a", "--arch", "sm_80")
    first = command("build", "main.py", *arches)
    assert (first.code, first.err) == (0, "") and "reached" not in first.out
    expected = [[kernel, arch] for kernel in ("one", "two") for arch in ("sm_80", "sm_90a")]
    assert [row[:2] for row in rows(first.out)] == expected and {row[3] for row in rows(first.out)} == {"compiled"}
    second = command("build", "main.py", *arches, "--arch", "sm_120a")
    assert [row[3] for row in rows(second.out)] == ["cached", "cached", "compiled"] * 2
    assert list(tmp_path.iterdir()) == [tmp_path / "main.py"]  # no files without --emit or --out
    assert command("-q", "build", "main.py").out == ""


def test_files_and_their_manifest(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    done = command("build", "main.py", "--arch", "sm_80", "--arch", "sm_100a", "--emit", "ptx,llvm, ir", "--out", "made/here")
    assert done.code == 0 and "6 files and manifest.json in made/here" in done.out
    folder = tmp_path / "made" / "here"
    assert sorted(one.name for one in folder.iterdir()) == sorted(
        ["manifest.json", *(f"good.{arch}{suffix}" for arch in ("sm_80", "sm_100a") for suffix in (".ptx", ".ll", ".ir"))]
    )
    assert ".target sm_100a" in (folder / "good.sm_100a.ptx").read_text()
    assert 'target triple = "nvptx64-nvidia-cuda"' in (folder / "good.sm_80.ll").read_text()
    assert (folder / "good.sm_80.ir").read_text().startswith("kernel @good(")
    document = json.loads((folder / "manifest.json").read_text())
    assert document["schema_version"] == 1 and [one["arch"] for one in document["kernels"]] == ["sm_80", "sm_100a"]
    about = document["kernels"][0]
    assert (about["kernel"], about["entry"], about["block"], about["domain"], about["panic"]) == ("good", "good", [256, 1, 1], 1, True)
    assert about["files"] == {"ptx": "good.sm_80.ptx", "llvm": "good.sm_80.ll", "ir": "good.sm_80.ir"}
    assert [(site["code"], site["line"]) for site in about["sites"]] == [("OX7001", 9)]
    assert about["isa"] == [7, 0] and len(about["params"]) == 4
    before = (folder / "manifest.json").read_bytes(), (folder / "good.sm_80.ptx").read_bytes()
    assert command("build", "main.py", "--arch", "sm_80", "--arch", "sm_100a", "--emit", "ptx,llvm,ir", "--out", "made/here").code == 0
    assert before == ((folder / "manifest.json").read_bytes(), (folder / "good.sm_80.ptx").read_bytes())


def test_emit_alone_writes_into_build(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    assert command("build", "main.py", "--emit", "ir").code == 0
    assert sorted(one.name for one in (tmp_path / "build" / "oxidepy").iterdir()) == ["good.sm_80.ir", "manifest.json"]


@pytest.mark.parametrize("forms", ["cubin2", "ptx,,ir", ""])
def test_unknown_forms(forms: str, command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    done = command("build", "main.py", "--emit", forms)
    assert done.code == 2 and done.err.startswith("error[OX8003]: --emit does not know")


def test_an_unknown_architecture(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    assert command("build", "main.py", "--arch", "sm_1").code in (1, 2)
    assert command("build", "main.py", "--arch", "pink").code == 2


def test_a_folder_that_cannot_be_written(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good())
    write(tmp_path, "", "taken")
    done = command("build", "main.py", "--out", "taken")
    assert done.code == 2 and done.err.startswith("error: cannot write to taken: ") and "Traceback" not in done.err


def test_one_kernels_errors_are_its_own(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNKNOWN + good() + UNGUARDED + ROLLED)
    done = command("build", "main.py", "--arch", "sm_80", "--arch", "sm_90a", "--out", "made")
    assert done.code == 1
    assert done.err.count("error[") == 2 and done.err.count("warning[OX9002]") == 1  # once, not for each architecture
    assert [row[0] for row in rows(done.out)] == ["good", "good", "rolled", "rolled"]
    assert (tmp_path / "made" / "good.sm_90a.ptx").exists() and not (tmp_path / "made" / "unknown.sm_80.ptx").exists()
    as_json = command("build", "main.py", "--message-format", "json")
    assert as_json.code == 1 and [json.loads(line)["code"] for line in as_json.out.splitlines()] == ["OX0425", "OX5002", "OX9002"]


def test_many_misses_go_to_processes(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten kernels, beside a file that is called like a module of Python's: the same bytes as one process makes."""
    write(tmp_path, HEAD + "".join(good(f"k{number}", number) for number in range(10)) + UNKNOWN)
    write(tmp_path, "raise SystemExit('this is not Python's json')\n", "json.py")
    started: list[int] = []
    real = batch._in_worker

    def counted(share: list[tuple[int, batch._Miss]]) -> list[tuple[int, Artefact, float]]:
        started.append(len(share))
        return real(share)

    monkeypatch.setattr(batch, "_in_worker", counted)
    many = command("build", "main.py", "--arch", "sm_80", "--out", "many")
    assert many.code == 1 and many.err.count("error[") == 1
    assert sum(started) == 10 and len(started) == min(os.cpu_count() or 1, 10)
    assert [row[0] for row in rows(many.out)] == [f"k{number}" for number in range(10)]
    monkeypatch.setenv("OXIDEPY_CACHE_SIZE", "0")
    monkeypatch.setattr(batch, "WORKERS_FROM", 100)
    assert {row[3] for row in rows(command("build", "main.py", "--arch", "sm_80", "--out", "one").out)} == {"compiled"}
    for number in range(10):
        name = f"k{number}.sm_80.ptx"
        assert (tmp_path / "many" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_worker_results_are_kept(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + "".join(good(f"k{number}", number) for number in range(9)))
    assert {row[3] for row in rows(command("build", "main.py").out)} == {"compiled"}
    assert {row[3] for row in rows(command("build", "main.py").out)} == {"cached"}


def test_kernels_of_one_name_keep_their_files(command: Command, tmp_path: Path) -> None:
    holders = ""
    for number, name in enumerate(("One", "Two")):
        body = ("@staticmethod" + good("same", number)).splitlines()
        holders += f"\nclass {name}:\n" + "".join(f"    {line}\n" for line in body)
    write(tmp_path, HEAD + holders)
    assert command("build", "main.py", "--out", "made").code == 0
    document = json.loads((tmp_path / "made" / "manifest.json").read_text())
    names = [one["files"]["ptx"] for one in document["kernels"]]
    assert len(names) == len(set(names)) == 2
    assert len({(tmp_path / "made" / name).read_bytes() for name in names}) == 2


def test_variants_and_kernels_of_the_launch(command: Command, tmp_path: Path) -> None:
    generic = """
from typing import Callable, TypeVar
T = TypeVar("T", f32, i32)

@kernel
def copy(x: Slice[T], y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]

@kernel
def map_(f: Callable[[f32], f32], x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])
"""
    write(tmp_path, HEAD + generic)
    done = command("build", "main.py", "--out", "made")
    assert [row[0] for row in rows(done.out)] == ["copy[T=f32]", "copy[T=i32]"] and "note: map_ takes a function" in done.out
    assert (tmp_path / "made" / "copy_T_f32.sm_80.ptx").exists()


def test_compile_time_parameters_have_their_defaults(command: Command, tmp_path: Path) -> None:
    policy = """
from oxidepy import Const

@kernel
def scaled(x: Slice[f32], y: DisjointSlice[f32], BY: Const[int] = 3) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = BY * x[idx]

@kernel
def shifted(x: Slice[f32], y: DisjointSlice[f32], BY: Const[int]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = BY + x[idx]
"""
    write(tmp_path, HEAD + policy)
    done = command("build", "main.py", "--out", "made")
    assert [row[0] for row in rows(done.out)] == ["scaled[BY=3]"] and "note: shifted takes" in done.out
    assert "mul.rn.f32" in (tmp_path / "made" / "scaled_BY_3.sm_80.ptx").read_text()


def test_a_file_without_kernels(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "x = 1\n")
    done = command("build", "main.py")
    assert (done.code, done.out) == (0, "there are no kernels in this file\n")


def test_flags_reach_the_code(command: Command, tmp_path: Path) -> None:
    product = good().replace("a[idx] + f32(1)", "a[idx] * a[idx] + f32(1)")
    write(tmp_path, HEAD + product)
    assert command("build", "main.py", "--out", "a").code == 0
    assert command("build", "main.py", "--out", "b", "--no-fmad", "--no-lineinfo", "--unchecked-indexing").code == 0
    with_all, without = ((tmp_path / name / "good.sm_80.ptx").read_text() for name in "ab")
    assert "fma.rn.f32" in with_all and "fma.rn.f32" not in without
    assert ".loc" in with_all and ".loc" not in without
    assert "oxidepy_panic" in with_all and "oxidepy_panic" not in without
    assert __version__ in with_all or "oxidepy" in with_all
