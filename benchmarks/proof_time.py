"""The proofs of convergence and races: kernels of the examples, cold and out of the cache, and how time grows with the length of a kernel.

`OXIDEPY_PROGRAMS=folder` takes the programs of another folder.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

from common import Figure, child, main

ROOT = Path(__file__).resolve().parents[1]
NAMES = (
    "vecadd",
    "tiled_matmul",
    "tiled_transpose",
    "histogram",
    "block_reduction",
    "block_scan",
    "bitonic_sort",
    "heat_3d",
    "stencil_halo",
)
LENGTHS = (125, 250, 500, 1000, 2000)

PROGRAM = """
import json, sys, tempfile, time
from pathlib import Path
from oxidepy.cache import Cache
from oxidepy.compiler.ahead import specialisations
from oxidepy.compiler.driver import effective_options
from oxidepy.compiler.proofs import prove
from oxidepy.frontend.lower import lower
from oxidepy.runtime.program import Program
from oxidepy.settings.active import active_settings
import oxidepy.analysis.races
program = Program.read(Path({file!r}), as_main=False)
cache = Cache(Path(tempfile.mkdtemp()), 1 << 30)
found = {{}}
with program.visit():
    program.start()
    for one in program.kernels():
        definition = one.definition
        options = effective_options(definition, active_settings().options)
        for variant in specialisations(definition)[:1]:
            times = []
            for _ in range(6):
                proven = prove(lower(definition, variant, options).module, asserts=not options.no_assert, cache=cache)
                times.append(proven.milliseconds)
            found[definition.name + ", cold"], found[definition.name + ", cached"] = times[0], sorted(times[1:])[2]
print(json.dumps(found))
"""

GROWTH = """
import json, linecache, time
from oxidepy import SliceMut, Slice, block, f32, kernel, launch_contract, shared, thread
from oxidepy.analysis import races
from oxidepy.compiler.driver import effective_options
from oxidepy.frontend.lower import lower
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

def module(lines):
    body = []
    while len(body) < lines:
        number = len(body)
        body += [
            f"    s[t] = x[i] + f32({{number}})" if number % 40 < 20 else f"    s[(t + {{number}}) % 256] = x[i]",
            "    block.sync()",
            f"    v = s[(t + {{number % 97}}) % 256]",
            f"    y[i * 4 + {{number % 4}}] = v",
            "    block.sync()",
        ]
    text = "\\n".join([
        "@kernel",
        "@launch_contract(domain=1, block=(256, 1, 1))",
        "def long(x: Slice[f32], y: SliceMut[f32]) -> None:",
        "    s = shared.array(f32, 256)",
        "    t = thread.idx.x",
        "    i = thread.index_1d().get()",
        *body,
    ]) + "\\n"
    name = f"long_{{lines}}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = dict(globals())
    exec(compile(text, name, "exec"), scope)
    definition = scope["long"].definition
    return lower(definition, Specialisation(), effective_options(definition, CodegenOptions())).module

races.prove(module(125))
found = {{}}
for lines in {lengths!r}:
    made = module(lines)
    start = time.perf_counter()
    races.prove(made)
    found[str(lines)] = (time.perf_counter() - start) * 1e3
print(json.dumps(found))
"""


def measure() -> list[Figure]:
    figures: list[Figure] = []
    folder = os.environ.get("OXIDEPY_PROGRAMS")
    files = sorted(Path(folder).glob("*.py")) if folder else [ROOT / "examples" / f"{name}.py" for name in NAMES]
    for file in files:
        for name, spent in child(PROGRAM.format(file=str(file))).items():
            goal = "<= 1" if name.endswith("cached") else "<= 3" if file.stem == "vecadd" else "<= 300"
            figures.append(Figure(f"{file.stem}.{name}", spent, "ms", goal))
    times = {int(lines): spent for lines, spent in child(GROWTH.format(lengths=LENGTHS)).items()}
    figures += [Figure(f"a kernel of {lines} lines", spent, "ms") for lines, spent in times.items()]
    first, last = LENGTHS[1], LENGTHS[-1]
    power = math.log(times[last] / times[first]) / math.log(last / first)
    figures.append(Figure(f"growth: power of the length, from {first} to {last} lines", power, "", "<= 2"))
    return figures


if __name__ == "__main__":
    main(measure, "Time of the proofs")
