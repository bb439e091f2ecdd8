"""`print` and f-strings in kernels: the same text on every device, block by block, thread by thread."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
import telling
from backend.assembler import ARCHES, assemble

import oxidepy as ox
from oxidepy import DeviceBuffer, DevicePanic, f32, i32
from oxidepy.compiler.driver import check_kernel
from oxidepy.compiler.messages import SOURCE
from oxidepy.ir import interpreter
from oxidepy.ir.interpreter.values import dtype_of
from oxidepy.ir.types import BF16, F16, F32, SCALARS
from oxidepy.lang.definition import Specialisation
from oxidepy.runtime.messages import formatted, shortest
from oxidepy.settings.options import CodegenOptions


def test_the_same_text_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    telling.told("interp")
    wanted = capsys.readouterr().out
    telling.told("cpu")
    assert capsys.readouterr().out == wanted


def half(value: float) -> int:
    """The bits of the nearest bf16."""
    bits = int(np.array(value, np.float32).view(np.uint32))
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def test_texts_are_those_of_python(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.linspace(0, 1e8, 200).astype(np.float32) / np.float32(3)
    telling.values.launch(stream, DeviceBuffer.from_host(stream, x), DeviceBuffer.zeros(stream, 200, f32), True, 7)
    stream.synchronize()
    wanted: list[str] = []
    for i in (1, 51, 101, 151):
        v, w = float(x[i]), float(str(x[i]))  # exactly, and the float whose text is that of the f32
        third = shortest(F16, float(np.float16(np.float32(v) / np.float32(1e4)) / np.float16(3)))
        wanted += [
            f"thread {i} value {w} True",
            f"{v:.3f}|{v:12.4e}|{v:g}|{w:>14}|{w:+}|{v:010.2f}|{i:5d}|{i:x}|{i:#010b}|{i:<4}|  True|{w!s:>12}|{v:%}|{i:,}",
            f"n=7 {float(x[i] + np.float32(1)):.1f} \"it's\"   it's 0.1 1,099,511,627,776 {telling.Color.RED} {{}} {i:4};",
            f"{(i, w, True)} / {(i,)} / Point(x={w}, n={i})",
            f"{i - 100} {i} {-i} 40000 {-i << 40} {(1 << 64) - 1} {1 << 31} {v / 3.0} -0.0",
            f"{third} {formatted(BF16, half(v), '', '')} 0.09998 0.1",
            f"{'big' if v > 1e7 else 'small'} [  odd] 1 a",
            "",
        ]
    assert capsys.readouterr().out.splitlines() == wanted


def test_floats_are_shortest_in_their_type(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    host = np.array(telling.SPECIAL, np.float32)
    telling.special.launch(stream, DeviceBuffer.from_host(stream, host), DeviceBuffer.zeros(stream, len(host), f32))
    stream.synchronize()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:7] == ["0.0", "-0.0", "1.0", "0.1", "0.33333334", "10000000000.0", "1e+16"]
    assert lines == [str(float(np.format_float_scientific(one))) for one in host]


@pytest.mark.parametrize(("scalar", "dtype"), [(F32, np.float32), (F16, np.float16)])
def test_shortest_against_numpy(scalar: Any, dtype: Any) -> None:
    bits = np.random.default_rng(1).integers(0, 1 << scalar.bits, 1500, dtype=np.uint64).astype(f"u{scalar.bits // 8}")
    bits[:40] = np.arange(40)
    powers = (2.0 ** np.arange(-14, 15)).astype(dtype)
    for one in (*bits.view(dtype), *powers):
        if np.isfinite(one):
            found = shortest(scalar, float(one))
            assert found == float(np.format_float_scientific(one, unique=True)), one
            assert dtype(repr(found)) == one


def test_bfloat16_comes_back() -> None:
    """Each text lies nearer to its number than to the next ones, and is short."""
    for bits in range(1, 0x7F80, 7):
        text = formatted(BF16, bits, "", "")
        below, exact, above = (float(np.array(one << 16, np.uint32).view(np.float32)) for one in (bits - 1, bits, bits + 1))
        assert (below + exact) / 2 <= float(text) <= (exact + above) / 2 and len(text.partition("e")[0].replace(".", "").strip("0")) <= 4


@pytest.mark.parametrize("name", [one for one in SCALARS if one not in ("bf16", "f16", "f32")])
def test_numbers_of_each_type(name: str) -> None:
    scalar = SCALARS[name]
    dtype = dtype_of(scalar)
    word = 0x8123456789ABCDEF & ((1 << scalar.bits) - 1)
    value = np.array([word], np.uint64).view(np.uint8)[: dtype.itemsize].view(dtype)[0]
    assert formatted(scalar, word, "", "") == str(value.item())


def test_order_in_two_dimensions(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    y = DeviceBuffer.zeros(stream, 27, i32)
    telling.plane.prepare(stream.context, ox.LaunchConfig2D.for_shape(3, 9, block=(4, 2)))(stream, y)
    stream.synchronize()
    lines = capsys.readouterr().out.splitlines()
    blocks = [(by, bx) for by in range(2) for bx in range(3)]
    places = [(by * 2 + ty, bx * 4 + tx) for by, bx in blocks for ty in range(2) for tx in range(4)]
    rest = ["odd" if col % 2 else "".join(f"{k}," for k in range(row)) + "even" for row, col in places]
    assert lines == [f"row {row} col {col} {end}" for (row, col), end in zip(places, rest, strict=True) if row < 3 and col < 9]


def test_between_barriers(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    y = DeviceBuffer.zeros(stream, 128, i32)
    telling.together.launch(stream, y)
    first = int(y.to_host(stream)[0])
    squares = np.arange(64)[::-1] ** 2
    assert first == squares[:32].sum()
    wanted = [
        [f"block {b} warp 0 total {squares[:32].sum()}", "3364 at 5", f"block {b} warp 1 total {squares[32:].sum()}"] for b in range(2)
    ]
    assert capsys.readouterr().out.splitlines() == [*wanted[0], *wanted[1]]


def test_nothing_comes_before_the_stream_is_synchronised(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    y = DeviceBuffer.zeros(stream, 3, i32)
    telling.every.launch(stream, y)
    telling.every.launch(stream, y)
    assert capsys.readouterr().out == ""
    stream.context.synchronize()
    assert capsys.readouterr().out == "here is thread 0\nhere is thread 1\nhere is thread 2\n" * 2
    stream.synchronize()
    assert capsys.readouterr().out == ""


def test_a_stream_that_is_collected_tells_before(ctx: ox.Context, capsys: pytest.CaptureFixture[str]) -> None:
    stream = ctx.new_stream()
    y = DeviceBuffer.zeros(ctx.default_stream(), 1, i32)
    telling.every.launch(stream, y)
    del stream
    gc.collect()
    y.to_host(ctx.default_stream())
    del y
    gc.collect()
    assert capsys.readouterr().out == "here is thread 0\n"


def test_a_full_buffer_says_how_many_lines_were_lost(ctx: ox.Context, monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OXIDEPY_PRINT_BUFFER", "800")  # 25 records of four words
    stream = ctx.new_stream()
    y = DeviceBuffer.zeros(stream, 100, i32)
    for _ in range(2):
        telling.every.launch(stream, y)
        stream.synchronize()
        *lines, last = capsys.readouterr().out.splitlines()
        assert len(lines) == 25 and all(one.startswith("here is thread ") for one in lines)
        assert last == "oxidepy: 75 printed lines lost: 800 bytes were full (OXIDEPY_PRINT_BUFFER)"


def test_launches_one_after_the_other_lose_nothing(ctx: ox.Context, monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What one launch tells finds room, however many there were before without a wait."""
    monkeypatch.setenv("OXIDEPY_PRINT_BUFFER", "800")
    stream = ctx.new_stream()
    y = DeviceBuffer.zeros(stream, 10, i32)
    for _ in range(30):
        telling.every.launch(stream, y)
    assert capsys.readouterr().out == ""
    stream.synchronize()
    assert capsys.readouterr().out.splitlines() == [f"here is thread {number}" for number in range(10)] * 30


def test_a_malformed_size_is_refused(ctx: ox.Context, monkeypatch: Any) -> None:
    monkeypatch.setenv("OXIDEPY_PRINT_BUFFER", "much")
    stream = ctx.new_stream()
    y = DeviceBuffer.zeros(stream, 1, i32)
    with pytest.raises(ox.LaunchError, match="OXIDEPY_PRINT_BUFFER"):
        telling.every.launch(stream, y)


def test_an_assertion_tells_its_values(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    y = DeviceBuffer.zeros(stream, 100, f32)
    telling.judged.launch(stream, y, 41)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    panic = caught.value
    assert (panic.code, panic.block, panic.thread) == ("OX7002", (1, 0, 0), (9, 0, 0))
    assert panic.diagnostic.message == "item 41 has 20.50, and bad=41" and "judged" in str(panic)
    assert capsys.readouterr().out == "before 41\n"  # what the thread told before it failed is there
    telling.judged.launch(stream, y, -1)
    assert (y.to_host(stream) == -1).all()


def test_an_assertion_whose_values_found_no_room(ctx: ox.Context, monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OXIDEPY_PRINT_BUFFER", "0")  # 64 words, whatever is asked for
    stream = ctx.new_stream()
    telling.doubted.launch(stream, DeviceBuffer.zeros(stream, 64, i32))
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert caught.value.diagnostic.message == "item {i} has {y[idx]}" and caught.value.thread == (63, 0, 0)
    assert "49 printed lines lost" in capsys.readouterr().out


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_the_end_of_the_program_tells_the_rest(device: str, tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import oxidepy as ox
            from oxidepy import DisjointSlice, i32, kernel, thread

            @kernel
            def hello(y: DisjointSlice[i32]) -> None:
                idx = thread.index_1d()
                if idx in y:
                    print("hello from", idx.get())

            stream = ox.Context().default_stream()
            hello.launch(stream, ox.DeviceBuffer.zeros(stream, 2, i32))
            print("the end")
            """
        )
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env={**os.environ, "OXIDEPY_DEVICE": device})
    assert (done.stdout, done.stderr) == ("the end\nhello from 0\nhello from 1\n", "")


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("kernel", [telling.values, telling.plane, telling.together, telling.judged], ids=lambda kernel: kernel.name)
def test_it_assembles(kernel: ox.Kernel[...], arch: str) -> None:
    assemble(kernel.ptx(arch), arch)


def test_code_that_others_launch_takes_a_null_buffer() -> None:
    """Two parameters more, and no access of the buffer where the launch has no number."""
    module = check_kernel(telling.every.definition, Specialisation(), CodegenOptions()).module
    names = [(one.source, one.role, one.path) for one in module.kernel.infos]
    assert names[-2:] == [(SOURCE, "memory", ""), (SOURCE, "scalar", "launch")]
    y = np.zeros(5, np.int32)
    nowhere = np.zeros(0, np.uint8)
    assert interpreter.run(module, [y.view(np.uint8), 5, nowhere, 0], (1, 1, 1), (32, 1, 1)) is None
    assert (y == 1).all()
    with pytest.raises((interpreter.Fault, IndexError)):  # an access would be told
        interpreter.run(module, [y.view(np.uint8), 5, nowhere, 1], (1, 1, 1), (32, 1, 1))


def test_a_kernel_that_tells_nothing_has_no_such_parameters() -> None:
    module = check_kernel(telling.judged.definition, Specialisation(), CodegenOptions(no_assert=True)).module
    assert any(one.source == SOURCE for one in module.kernel.infos)  # it prints
    ptx = telling.silent.ptx("sm_80")
    assert ptx.count(".param .u") == 2 and "atom" not in ptx


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_what_a_child_of_a_fork_has_not_told_itself(tmp_path: Any) -> None:
    """Each line comes once, from the process that launched."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import os
            import oxidepy as ox
            from oxidepy import DisjointSlice, i32, kernel, thread

            @kernel
            def hello(y: DisjointSlice[i32], who: i32) -> None:
                idx = thread.index_1d()
                if idx in y:
                    print("hello", who)

            stream = ox.Context("interp").default_stream()
            y = ox.DeviceBuffer.zeros(stream, 1, i32)
            hello.launch(stream, y, 1)
            child = os.fork()
            if child == 0:
                hello.launch(stream, y, 2)
            else:
                os.waitpid(child, 0)
            """
        )
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert (sorted(done.stdout.splitlines()), done.stderr) == (["hello 1", "hello 2"], "")


def test_threads_of_the_host_that_share_a_stream(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """No line is lost or mangled where one launches while another one waits."""
    telling.by_threads_of_the_host(stream, 4, 3, 30, lambda: capsys.readouterr().out)


def test_numbers_that_are_no_characters() -> None:
    texts = [formatted(SCALARS["i32"], word, "c", "") for word in (65, 0x1F600, 0xD800, 0x110000, 0xFFFF_FFFF)]
    assert texts == ["A", "\U0001f600", *"\ufffd" * 3]
    assert formatted(SCALARS["u64"], (1 << 64) - 1, ">3c", "") == "  \ufffd"


WORD = "word"


@ox.kernel(unsafe="one thread")
@ox.launch_contract(domain=1, block=(1, 1, 1))
def put_together(y: ox.SliceMut[i32], n: i32) -> None:
    assert n != 1, "it is " + f"{n}, " + WORD + "-" * 3
    assert n != 2, WORD + "!"
    assert n != 3, f"{n:04d} {y[0]}"


@pytest.mark.parametrize(("n", "wanted"), [(1, "it is 1, word---"), (2, "word!"), (3, "0003 0")])
def test_messages_put_together(stream: Any, n: int, wanted: str) -> None:
    put_together.prepare(stream.context, 1)(stream, DeviceBuffer.zeros(stream, 1, i32), n)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert caught.value.diagnostic.message == wanted


def labelled(n: i32) -> str:
    said = f"n={n}"
    return said + "!"


@ox.kernel(unsafe="one thread")
@ox.launch_contract(domain=1, block=(1, 1, 1))
def texts_in_names(y: ox.SliceMut[i32], n: i32) -> None:
    plain, said = "abc", f"{n} {y[0]}"
    print(plain, said, labelled(n), len(plain))
    for k in range(3):
        said = f"{k} {y[0]}"
        y[0] += 1
    print("behind", said)
    if n > 2:
        part = f"<{n}>"
    else:
        part = f"<{n + 1}>"
    print(part, y[0])
    for one in ("p", "q"):
        print(one, end=";")
    plain += "d" * 2
    print(plain, plain == "abcdd")


def test_texts_in_names(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A text is what it was where it was made."""
    launched = texts_in_names.prepare(stream.context, 1)
    for n in (3, 1):
        launched(stream, DeviceBuffer.zeros(stream, 1, i32), n)
        stream.synchronize()
        part = n if n > 2 else n + 1
        wanted = [f"abc {n} 0 n={n}! 3", "behind 2 2", f"<{part}> 3", "p;q;abcdd True"]
        assert capsys.readouterr().out.splitlines() == wanted


def test_texts_are_not_chosen_at_run_time() -> None:
    def chosen(y: ox.SliceMut[i32], n: i32) -> None:
        said = "a"
        for _ in range(n):
            said += "x"
        print(said)

    with pytest.raises(ox.CompileError, match="choosing between two strings at run time"):
        ox.kernel(chosen).ptx("sm_80")


@ox.kernel
@ox.launch_contract(domain=1, block=(8, 1, 1))
def chosen_texts(n: i32) -> None:
    i = ox.thread.idx.x
    print(f"odd {i}" if i % 2 == 1 else "even", i, "big" if i > 5 else f"small {n}", sep="|")
    print(f"a{i}" if n == n else f"b{i}", f"{i}" if i > 2 else f"{n:.2f}" if i > 1 else "none", n if i > 3 else 0)


def test_texts_with_numbers_are_chosen_where_they_are_told(stream: Any, capsys: pytest.CaptureFixture[str]) -> None:
    chosen_texts.prepare(stream.context, ox.LaunchConfig1D(1, 8))(stream, 7)
    stream.synchronize()
    wanted = ""
    for i in range(8):
        wanted += f"{f'odd {i}' if i % 2 == 1 else 'even'}|{i}|{'big' if i > 5 else 'small 7'}\n"
        wanted += f"a{i} {i if i > 2 else '7.00' if i > 1 else 'none'} {7 if i > 3 else 0}\n"
    assert capsys.readouterr().out == wanted
