"""`ptx`: PTX of the kernel's own with typed operands, and what is refused of it."""

# pyright: basic
from __future__ import annotations

import re

import pytest
from backend.assembler import ARCHES, assemble, ptxas
from frontend.running import refused, text
from loading import defined

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DisjointSlice,
    Slice,
    SliceMut,
    barrier,
    f16,
    f32,
    kernel,
    launch_contract,
    ptx,
    shared,
    thread,
    u8,
    u32,
    u64,
    unsafe,
)
from oxidepy.backend.assembler import blamed
from oxidepy.compiler.driver import check_kernel
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def everything(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    s = shared.array(f32, 64)
    s[thread.idx.x] = 1.0
    if idx in y:
        with unsafe("registers, and an element that this thread wrote"):
            a = ptx("add.rn.f32 {out}, {0}, {1};", x[idx], 2.5, result=f32)
            low, high = ptx(
                """{{
                .reg .u64 t<2>;
                mul.wide.u32 t0, {0}, {1};
                mov.b64 {{{out0}, {out1}}}, t0;
                }}""",
                u32(idx.get()),
                u32(3),
                result=(u32, u32),
                pure=True,
            )
            b = ptx("ld.shared.f32 {out}, [{0}];", (s, thread.idx.x), result=f32)
            c = ptx("ld.global.f32 {out}, [{0}];", (x, idx.get()), result=f32)
            h = ptx("add.f16 {out}, {0}, {0};", f16(a), result=f16)
            c += ptx('{{ add.f32 {out}, {0}, {0}; /* }} " */ }} // {{', c, result=f32)
            flag = ptx("selp.u32 {out}, 1, 0, 1;", result=bool)
            ptx("membar.gl;")
        y[idx] = a + b + c + f32(low) + f32(high) + f32(h) if flag else 0.0


@kernel
def wrong(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        with unsafe("to be refused"):
            y[idx] = ptx("add.rn.f32 {out}, {0}, {0};", y[idx], result=f32)
            y[idx] = ptx("addd.rn.f32 {out}, {0}, {0};", y[idx], result=f32)


@pytest.mark.parametrize("arch", ARCHES)
def test_it_assembles(arch: str) -> None:
    made = everything.ptx(arch)
    assert "add.rn.f32" in made and "/* ptx 0 */" in made and "/* ptx 6 */" in made
    assert made.index("membar.gl") > made.index("ld.shared.f32")
    assemble(made, arch)


def test_it_prints_and_parses() -> None:
    printed = text(everything)
    assert 'pure = true, text = "{\\n' in printed and "<arg0>, <arg1>" in printed
    assert print_module(parse_module(printed)) == printed


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_other_devices_refuse_it(device: str) -> None:
    stream = ox.Context(device).default_stream()
    y = DeviceBuffer.zeros(stream, 4, f32)
    with pytest.raises(ox.CompileError, match="`ptx` needs a CUDA device") as caught:
        wrong.launch(stream, y)
    assert [one.code for one in caught.value.diagnostics] == ["OX6001"]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def writing(y: SliceMut[f32]) -> None:
    with unsafe("one thread of the grid"):
        ptx("st.global.f32 [{0}], {1};", (y, 0), 1.0)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def other_forms(y: SliceMut[u32]) -> None:
    """An instruction over a barrier for which there is no name."""
    bars = barrier.array(2)
    with unsafe("one thread of the grid"):
        barrier.init(bars, 1, 2)
        token = ptx("mbarrier.arrive_drop.noComplete.shared.b64 {out}, [{0}], 1;", (bars, 1), result=u64)
        y[0] = barrier.pending_count(token)


def test_the_address_of_a_barrier() -> None:
    assert "arrive_drop.noComplete" in other_forms.ptx("sm_80")
    assemble(other_forms.ptx("sm_80"), "sm_80")


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def carried(y: DisjointSlice[u32], n: u32) -> None:
    idx = thread.index_1d()
    if idx in y:
        v = y[idx]
        with unsafe("it reads a register and writes one"):
            for _ in range(n):
                v = ptx("mov.u32 {out}, 7; add.u32 {out}, {out}, {0};", v, result=u32)
        y[idx] = v


def test_a_result_has_a_register_of_its_own() -> None:
    """What is carried around a loop is both: the first instruction must not change what the second one reads."""
    found = re.search(r"mov.u32 (%r\d+), 7; add.u32 \1, \1, (%r\d+);", carried.ptx("sm_90a"))
    assert found is not None and found[1] != found[2]


@pytest.mark.gpu
def test_a_result_has_a_register_of_its_own_on_a_gpu() -> None:
    stream = ox.Context("cuda:0").default_stream()
    y = DeviceBuffer.zeros(stream, 32, u32)
    carried.prepare(stream.context, 32)(stream, y, 5)
    assert y.to_host(stream).tolist() == [35] * 32


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def computing(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        v = y[idx]
        with unsafe("it reads a register and writes one"):
            twice = ptx("add.f32 {out}, {0}, {0};", v, result=f32, pure=True)
        y[idx] = twice


def test_what_it_does_to_memory_is_not_proven() -> None:
    found = {one.name: check_kernel(one.definition, Specialisation(), CodegenOptions()) for one in (writing, computing)}
    assert {name: one.module.kernel.raceless for name, one in found.items()} == {"writing": False, "computing": True}
    assert not any(one.diagnostics for one in found.values())


def _line(text: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line and "_line" not in line)


def test_the_assembler_names_the_line() -> None:
    if ptxas() is None:
        pytest.skip("no ptxas on this machine to refuse the PTX")
    with pytest.raises(ox.CompileError) as caught:
        wrong.ptx("sm_90a")
    (found,) = caught.value.diagnostics
    assert found.code == "OX6001" and "'addd'" in found.message and found.span is not None
    assert found.span.line == _line('ptx("addd.rn')


def test_the_log_of_the_driver_names_the_line() -> None:
    made = "\n".join(
        ["// begin inline asm", "add; /* ptx 0 */", "// end inline asm", "ret;", "// begin inline asm", "addd;", "x; /* ptx 1 */"]
    )
    checked = check_kernel(wrong.definition, Specialisation(), CodegenOptions())
    log = "ptxas application ptx input, line 6; error   : Not a name\nptxas application ptx input, line 7; error   : another\n"
    (found,) = blamed(log, made, checked.module.kernel, "sm_80")
    assert found.span is not None and found.span.line == _line('ptx("addd.rn') and found.message.endswith("sm_80: Not a name")
    assert blamed("ptxas application ptx input, line 4; error : ours", made, checked.module.kernel, "sm_80") == []


BAD = [
    ('y[0] = ptx("add {out}, {0}, {0};", f, result=f32)', "OX0133", "`unsafe`", False),
    ('y[0] = ptx("add {out}, {1};", f, result=f32)', "OX0425", "`{1}` names no operand", True),
    ('y[0] = ptx("mov {out}, 0;", f, result=f32)', "OX0308", "does not use `{0}`", True),
    ('y[0] = ptx("mov x, {0};", f, result=f32)', "OX0308", "does not use `{out}`", True),
    ('y[0] = ptx("{ mov {out}, {0}; }", f, result=f32)', "OX0308", "is no format", True),
    ('y[0] = ptx("mov {out}, {0}; }", f, result=f32)', "OX0308", "is no format", True),
    ('y[0] = ptx("mov {out}, {0};", y, result=f32)', "OX0308", "takes scalars and addresses", True),
    ('y[0] = ptx("mov {out}, {0};", u8(3), result=f32)', "OX0308", "16 bits or more", True),
    ('y[0] = f32(ptx("mov {out}, 3;", result=u8))', "OX0308", "16 bits or more", True),
    ('y[0] = ptx("mov {out}, 3;", result=3)', "OX0308", "`result` of `ptx` is a scalar type", True),
    ('y[0] = ptx("mov.f32 {out}, {0}; // caf\u00e9", f, result=f32)', "OX0308", "the character 'é'", True),
    ('y[0] = ptx("mov.f32 {out}, {0}; \\0", f, result=f32)', "OX0308", "the character '\\x00'", True),
    ('y[0] = ptx("/* mov.f32 {out}, {0};", f, result=f32)', "OX0308", "has `/*` without its end", True),
    ("y[0] = ptx('mov.f32 {out}, {0}; \"', f, result=f32)", "OX0308", 'has `"` without its end', True),
    ('y[0] = ptx("mov.f32 {out}, {0}; }}", f, result=f32)', "OX0308", "has a `}` without its other half", True),
    ('y[0] = ptx("{{ mov.f32 {out}, {0};", f, result=f32)', "OX0308", "has a `{` without its other half", True),
    ('y[0] = ptx("}} mov.f32 {out}, {0}; {{", f, result=f32)', "OX0308", "has a `}` without its other half", True),
    ('y[0] = ptx("mov.f32 {out}, <arg0>; // {0}", f, result=f32)', "OX0308", "`<arg0>` is no PTX", True),
    ("ptx(f, pure=True)", "OX0308", "the text of `ptx` is a constant string", True),
    ('ptx("membar.gl;", pure=f)', "OX0308", "`pure` is True or False", True),
]


@pytest.mark.parametrize(("line", "code", "part", "inside"), BAD)
def test_refused(line: str, code: str, part: str, inside: bool) -> None:
    body = f'    with unsafe("a test"):\n        {line}\n' if inside else f"    {line}\n"
    source = f"@kernel\ndef k(y: SliceMut[f32], f: f32) -> None:\n{body}"
    names = {"kernel": kernel, "SliceMut": SliceMut, "f32": f32, "u8": u8, "ptx": ptx, "unsafe": unsafe}
    found = refused(defined(source, names)["k"])
    assert found.code == code and part in found.message, found
