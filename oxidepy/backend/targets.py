"""The table of targets: the GPU architectures that we compile for, the PTX ISA that each needs, drivers; and the host CPU."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from oxidepy.diagnostics import CompileError, Diagnostic

Isa = tuple[int, int]

# Which PTX ISA a driver takes follows from its CUDA release (`cuDriverGetVersion`). The first driver of each is for messages.
RELEASES: tuple[tuple[Isa, Isa, str], ...] = (
    # CUDA, PTX ISA, first driver
    ((10, 0), (6, 3), "410.48"),
    ((10, 1), (6, 4), "418.39"),
    ((10, 2), (6, 5), "440.33"),
    ((11, 0), (7, 0), "450.36"),
    ((11, 1), (7, 1), "455.23"),
    ((11, 2), (7, 2), "460.27"),
    ((11, 3), (7, 3), "465.19"),
    ((11, 4), (7, 4), "470.42"),
    ((11, 5), (7, 5), "495.29"),
    ((11, 6), (7, 6), "510.39"),
    ((11, 7), (7, 7), "515.43"),
    ((11, 8), (7, 8), "520.61"),
    ((12, 0), (8, 0), "525.60"),
    ((12, 1), (8, 1), "530.30"),
    ((12, 2), (8, 2), "535.54"),
    ((12, 3), (8, 3), "545.23"),
    ((12, 4), (8, 4), "550.54"),
    ((12, 5), (8, 5), "555.42"),
    ((12, 6), (8, 5), "560.28"),
    ((12, 7), (8, 6), "565.57"),
    ((12, 8), (8, 7), "570.26"),
    ((12, 9), (8, 8), "575.51"),
    ((13, 0), (9, 0), "580.65"),
)

# Architecture → the lowest PTX ISA that has it. Only what LLVM 22 lowers: on another name or a lower ISA it ends the process.
ARCHES: dict[str, Isa] = {
    "sm_75": (6, 3),
    "sm_80": (7, 0),
    "sm_86": (7, 1),
    "sm_87": (7, 4),
    "sm_88": (9, 0),
    "sm_89": (7, 8),
    "sm_90": (7, 8),
    "sm_90a": (8, 0),
    "sm_100": (8, 6),
    "sm_100a": (8, 6),
    "sm_100f": (8, 8),
    "sm_103": (8, 8),
    "sm_103a": (8, 8),
    "sm_103f": (8, 8),
    "sm_110": (9, 0),
    "sm_110a": (9, 0),
    "sm_110f": (9, 0),
    "sm_120": (8, 7),
    "sm_120a": (8, 7),
    "sm_120f": (8, 8),
    "sm_121": (8, 8),
    "sm_121a": (8, 8),
    "sm_121f": (8, 8),
}


@dataclass(frozen=True)
class Target:
    """What code is made for. `arch` is the GPU's architecture or the CPU's name, `features` are LLVM's.

    `layout` is the CPU's triple and data layout. `isa` is what a kernel without wishes is written in, `newest` the newest PTX ISA that the
    driver takes, None where no driver is asked.
    """

    kind: Literal["nvptx", "cpu"]
    arch: str
    isa: Isa | None = None
    features: str = ""
    layout: str = ""
    newest: Isa | None = None

    @property
    def identity(self) -> str:
        """All of it, for the key of the cache."""
        if self.isa is not None:
            return f"{self.kind} {self.arch} ptx{self.isa[0]}.{self.isa[1]}"
        return f"{self.kind} {self.arch} {self.features} {self.layout}"

    @property
    def compute(self) -> int:
        """The number of a GPU architecture: 90 for sm_90a."""
        return int("".join(one for one in self.arch if one.isdigit()) or 0)


def driver_isa(version: int) -> Isa:
    """The PTX ISA that a driver takes, from the number of `cuDriverGetVersion` (12080: CUDA 12.8)."""
    release = (version // 1000, version % 1000 // 10)
    fitting = [isa for cuda, isa, _ in RELEASES if cuda <= release]
    return fitting[-1] if fitting else (6, 0)


def first_driver(isa: Isa) -> tuple[Isa, str]:
    """The CUDA release and driver from which on PTX of that ISA is taken."""
    return next((cuda, driver) for cuda, offered, driver in RELEASES if offered >= isa)


def nvptx_target(arch: str, driver_isa: Isa | None = None) -> Target:
    """A GPU target with the lowest PTX ISA that it needs. CompileError OX6001: unknown architecture; OX6002: driver too old."""
    isa = ARCHES.get(arch)
    if isa is None:
        near = get_close_matches(str(arch), [*ARCHES, *(one[3:] for one in ARCHES)], 1, 0.5)
        raise CompileError(
            [
                Diagnostic(
                    "OX6001",
                    f"`{arch}` is no architecture that oxidepy compiles for",
                    notes=("known: " + " ".join(ARCHES),),
                    help=f"did you mean `sm_{near[0].removeprefix('sm_')}`?" if near else None,
                )
            ]
        )
    if driver_isa is not None and driver_isa < isa:
        (major, minor), driver = first_driver(isa)
        raise CompileError(
            [
                Diagnostic(
                    "OX6002",
                    f"code for {arch} needs PTX ISA {isa[0]}.{isa[1]}; this driver takes {driver_isa[0]}.{driver_isa[1]}",
                    help=f"install driver {driver} or later (CUDA {major}.{minor})",
                )
            ]
        )
    return Target("nvptx", arch, isa, f"+ptx{isa[0]}{isa[1]}", newest=driver_isa)


def arch_of(major: int, minor: int) -> str:
    """The architecture to compile for on a device of that compute capability: its own with all features, else the newest that it runs."""
    number = major * 10 + minor
    for name in (f"sm_{number}a", f"sm_{number}"):
        if name in ARCHES:
            return name
    plain = [int(one[3:]) for one in ARCHES if one[3:].isdigit()]
    older = [one for one in plain if one <= number]
    if not older:
        raise CompileError(
            [
                Diagnostic(
                    "OX6001",
                    f"a device of compute capability {major}.{minor} is older than any that oxidepy compiles for",
                    help="sm_75 (Turing) is the first",
                )
            ]
        )
    return f"sm_{max(older)}"


def cpu_target() -> Target:
    """This machine's CPU."""
    from oxidepy.backend.llvm import engine

    triple, cpu, features = engine.host()
    return Target("cpu", cpu, None, features, f"{triple} {engine.data_layout(triple, cpu, features)}")
