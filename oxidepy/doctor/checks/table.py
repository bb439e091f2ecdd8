"""The table of all checks, in the order in which a report lists them. Their titles stand in the registry of codes."""

from __future__ import annotations

from oxidepy.doctor.checks import cache, compiler, gpu, project, python, tools
from oxidepy.doctor.examination import PROBES
from oxidepy.doctor.model import Check

QUICK = 10.0  # seconds for what only looks at files and variables


def _until(probe: str, stage: str) -> float:
    """The seconds that a stage of a probe may take with all that comes before it, and some for the process around it."""
    stages = list(PROBES[probe])
    return sum(PROBES[probe][one] for one in stages[: stages.index(stage) + 1]) + 5


CHECKS: dict[str, Check] = {
    one.code: one
    for one in (
        Check("OXD001", "Python", QUICK, python.interpreter),
        Check("OXD002", "Python", QUICK, python.packages),
        Check("OXD003", "Python", _until("numbers", "numpy"), python.numpy),
        Check("OXD004", "Python", _until("imports", "import"), python.import_time),
        Check("OXD005", "Python", QUICK, python.source),
        Check("OXD010", "Project", QUICK, project.variables),
        Check("OXD011", "Project", QUICK, project.project_file),
        Check("OXD020", "Cache", QUICK, cache.folder),
        Check("OXD021", "Cache", QUICK, cache.lock),
        Check("OXD022", "Cache", QUICK, cache.space),
        Check("OXD023", "Cache", QUICK, cache.file_system),
        Check("OXD030", "Compiler", _until("llvm", "version"), compiler.llvm),
        Check("OXD031", "Compiler", _until("llvm", "arches"), compiler.arches),
        Check("OXD032", "Compiler", _until("kernels", "ptx"), compiler.to_ptx),
        Check("OXD033", "Compiler", _until("kernels", "cpu"), compiler.on_cpu, ("cpu",)),
        Check("OXD040", "GPU", _until("driver", "library"), gpu.library, ("cuda",)),
        Check("OXD041", "GPU", QUICK, gpu.container),
        Check("OXD042", "GPU", QUICK, gpu.permissions),
        Check("OXD043", "GPU", _until("driver", "init"), gpu.driver, ("cuda",)),
        Check("OXD044", "GPU", QUICK, gpu.visible),
        Check("OXD045", "GPU", _until("driver", "devices"), gpu.devices, ("cuda",)),
        Check("OXD046", "GPU", _until("driver", "isa"), gpu.isa, ("cuda",)),
        Check("OXD047", "GPU", QUICK, gpu.bindings, ("cuda",)),
        Check("OXD048", "GPU", _until("driver", "launch"), gpu.launch, ("cuda",)),
        Check("OXD060", "Tools", QUICK * 2, tools.toolkit, ("toolkit",)),
    )
}
