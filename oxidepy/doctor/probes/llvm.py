"""LLVM: its version, its targets, and the GPU architectures that it really emits code for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

TRIPLE = "nvptx64-nvidia-cuda"
EMPTY = f"""
target triple = "{TRIPLE}"
define ptx_kernel void @empty() {{
  ret void
}}
"""


def stages() -> Iterator[tuple[str, dict[str, Any]]]:
    llvmlite: Any = import_module("llvmlite")  # without types of its own
    llvm: Any = import_module("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    targets: dict[str, str] = {}
    for triple in (TRIPLE, llvm.get_process_triple()):
        try:
            targets[triple] = llvm.Target.from_triple(triple).name
        except RuntimeError as error:
            targets[triple] = f"missing: {error}"
    yield (
        "version",
        {
            "llvmlite": llvmlite.__version__,
            "llvm": ".".join(map(str, llvm.llvm_version_info)),
            "nvptx": not targets[TRIPLE].startswith("missing"),
            "host": not targets[llvm.get_process_triple()].startswith("missing"),
            "targets": targets,
            "path": llvmlite.__file__,
        },
    )
    yield "arches", _arches(llvm)


def _arches(llvm: Any) -> dict[str, Any]:
    """The architectures of our table that LLVM names in the PTX which it makes for them: it takes another for one that it does not know."""
    from oxidepy.backend.targets import ARCHES, nvptx_target

    found: dict[str, list[str]] = {"emitted": [], "missing": []}
    kind = llvm.Target.from_triple(TRIPLE)
    for arch in ARCHES:
        target = nvptx_target(arch)
        text = kind.create_target_machine(cpu=arch, features=target.features).emit_assembly(llvm.parse_assembly(EMPTY))
        lines = [line.split("//")[0].strip() for line in text.splitlines()]
        named = any(line == f".target {arch}" or line.startswith(f".target {arch},") for line in lines)
        found["emitted" if named else "missing"].append(arch)
    return dict(found)
