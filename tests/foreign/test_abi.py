"""Random structs by value: their place in PTX is what nvcc makes of them, and LLVM's calls are linked with nvcc's functions."""

# pyright: basic
from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from foreign.test_extern import link

from oxidepy.backend.llvm import engine
from oxidepy.backend.nvptx_foreign import face, gives
from oxidepy.ir.foreign import c_name, shape_of, slot
from oxidepy.ir.images import functions
from oxidepy.ir.types import SCALARS, Scalar, Struct

COUNT = 40


def drawn(generator: random.Random, number: int, known: list[Struct]) -> Struct:
    members: list[tuple[str, Scalar | Struct]] = []
    for place in range(generator.randint(1, 5)):
        nested = known and generator.random() < 0.2
        type_: Scalar | Struct = generator.choice(known) if nested else generator.choice(list(SCALARS.values()))
        if generator.random() < 0.2:
            type_ = Struct.array(type_, generator.randint(1, 3))
        members.append((f"m{place}", type_))
    return Struct.of(f"S{number}", tuple(members))


def declared(struct: Struct) -> str:
    out = []
    for field in struct.fields:
        count = f"[{len(field.type.fields)}]" if isinstance(field.type, Struct) and field.type.is_array else ""
        element = field.type.fields[0].type if isinstance(field.type, Struct) and count else field.type
        out.append(f"{c_name(element)} {field.name}{count};")
    return f"struct {struct.name} {{ {' '.join(out)} }};"


@pytest.mark.parametrize("seed", [1, 2])
def test_structs_go_as_nvcc_passes_them(seed: int, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    generator, structs = random.Random(seed), list[Struct]()
    for number in range(COUNT):
        structs.append(drawn(generator, number, structs))
    source, out = tmp_path / "structs.cu", tmp_path / "structs.ptx"
    text = ["#include <cuda_fp16.h>\n#include <cuda_bf16.h>"]
    calls = ['target triple = "nvptx64-nvidia-cuda"']
    body: list[str] = []
    for number, one in enumerate(structs):
        text += [declared(one), f'extern "C" __device__ {c_name(one)} f{number}({c_name(one)} a, char c) {{ return a; }}']
        shape = shape_of(one)
        calls.append(f"declare {gives(shape)} @f{number}({face(shape)}, {face('i8')})")
        body.append(f"  %v{number} = call {gives(shape)} @f{number}({face(shape)} zeroinitializer, {face('i8')} 3)")
    source.write_text("\n".join(text))
    subprocess.run([nvcc, "-rdc=true", "-ptx", "-arch=sm_80", str(source), "-o", str(out)], check=True)
    there = functions(out.read_bytes())
    for number, one in enumerate(structs):
        found = there[f"f{number}"]
        assert (found.result, found.params) == (slot(one), (slot(one), (4, 0))), declared(one)
    calls += ["define ptx_kernel void @calls() {", *body, "  ret void", "}"]
    ours = engine.assembly("\n".join(calls), engine.NVPTX_TRIPLE, "sm_80", "+ptx70", 3, "straight")
    link(tmp_path, "sm_80", ours, out.read_text())
