"""Every row of the target table: LLVM makes PTX of it, in a child process because LLVM ends the process on what it does not know."""

from __future__ import annotations

import subprocess
import sys

import pytest

from oxidepy.backend.targets import ARCHES, RELEASES, arch_of, cpu_target, driver_isa, nvptx_target
from oxidepy.diagnostics import CompileError

CHILD = """
import sys
from backend.kernels import NO_LINES, batch
from oxidepy.backend import nvptx
from oxidepy.backend.targets import Target
from oxidepy.ir.types import F32
for row in sys.argv[1:]:
    arch, major, minor = row.split()
    module, _ = batch(F32)
    target = Target("nvptx", arch, (int(major), int(minor)), f"+ptx{major}{minor}")
    print(nvptx.emit(module, target, NO_LINES).code.decode().rstrip("\\0"), "// next", flush=True)
"""


def child(*rows: tuple[str, tuple[int, int]]) -> subprocess.CompletedProcess[str]:
    """The PTX of each row, one after the other, up to one with which LLVM ends the process."""
    import backend.kernels

    path = [str(backend.kernels.__file__).rsplit("/", 2)[0], *sys.path]
    return subprocess.run(
        [sys.executable, "-c", CHILD, *(f"{arch} {isa[0]} {isa[1]}" for arch, isa in rows)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(one for one in path if one)},
    )


def test_llvm_makes_ptx_for_every_row() -> None:
    done = child(*ARCHES.items())
    *texts, _ = done.stdout.split("// next")
    assert done.returncode == 0, f"after {len(texts)} of {list(ARCHES)}: {done.stderr}"
    for text, (arch, isa) in zip(texts, ARCHES.items(), strict=True):
        assert f".target {arch}\n" in text
        assert f".version {isa[0]}.{isa[1]}\n" in text


def test_llvm_refuses_what_is_not_in_the_table() -> None:
    assert child(("sm_90a", (7, 8))).returncode != 0  # why the table must be right


def test_an_unknown_architecture_is_refused_with_a_suggestion() -> None:
    with pytest.raises(CompileError) as caught:
        nvptx_target("sm_90b")
    (found,) = caught.value.diagnostics
    assert found.code == "OX6001"
    assert found.help == "did you mean `sm_90`?" or found.help == "did you mean `sm_90a`?"


def test_a_driver_that_is_too_old_is_named_with_the_one_that_does() -> None:
    with pytest.raises(CompileError) as caught:
        nvptx_target("sm_90a", (7, 8))
    (found,) = caught.value.diagnostics
    assert found.code == "OX6002"
    assert "525.60" in str(found.help)
    assert nvptx_target("sm_90a", (8, 0)).isa == (8, 0)


def test_the_lowest_isa_is_taken_whatever_the_driver_can() -> None:
    assert nvptx_target("sm_80", (9, 0)).isa == (7, 0)


@pytest.mark.parametrize(
    ("version", "isa"),
    [(13000, (9, 0)), (12080, (8, 7)), (12060, (8, 5)), (11080, (7, 8)), (10000, (6, 3)), (9020, (6, 0)), (13010, (9, 0))],
)
def test_the_isa_of_a_driver(version: int, isa: tuple[int, int]) -> None:
    assert driver_isa(version) == isa


def test_releases_are_in_order() -> None:
    assert list(RELEASES) == sorted(RELEASES, key=lambda one: (one[0], one[1]))
    assert all(any(isa <= offered for _, offered, _ in RELEASES) for isa in ARCHES.values())


@pytest.mark.parametrize(
    ("capability", "arch"),
    [((9, 0), "sm_90a"), ((8, 6), "sm_86"), ((7, 5), "sm_75"), ((12, 0), "sm_120a"), ((8, 2), "sm_80"), ((13, 0), "sm_121")],
)
def test_the_architecture_for_a_device(capability: tuple[int, int], arch: str) -> None:
    assert arch_of(*capability) == arch


def test_a_device_that_is_too_old() -> None:
    with pytest.raises(CompileError) as caught:
        arch_of(7, 0)
    assert caught.value.code == "OX6001"


def test_identities_tell_targets_apart() -> None:
    assert nvptx_target("sm_90a").identity == "nvptx sm_90a ptx8.0"
    host = cpu_target()
    assert host.arch in host.identity and host.features in host.identity and host.layout in host.identity
