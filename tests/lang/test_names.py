"""The names of the kernel language: all there, lazily, known to the frontend, refused on the host."""

from __future__ import annotations

import subprocess
import sys
import threading
import types

import pytest

import oxidepy
from oxidepy import D1, D2, Const, DisjointSlice, Index1D, Index2D, OxideError, Slice, SliceMut, cdiv, f32, next_power_of_2, thread, unsafe
from oxidepy.lang.control import in_unsafe
from oxidepy.lang.names import name_of

NAMES = """
atomic.add atomic.compare_exchange atomic.load atomic.store bits.cast bits.popcount block.any block.dim block.idx block.sync
block.reduce_sum cdiv cluster.sync debug.clock fence grid.dim grid.sync local.array math.exp math.fast.exp math.fma math.sqrt
random.philox require shared.array shared.dynamic static_assert thread.grid_stride thread.idx thread.index_1d thread.index_2d
thread.index_2d_runtime thread.index_run unroll unsafe warp.active warp.shuffle_up warp.sync warp.tiled_partition tma wgmma
tcgen05 mma barrier async_copy launch_bounds launch_contract cluster_launch cooperative_launch f32 Slice DisjointSlice SliceMut
ConstantSlice Ptr Const D1 Index2D
""".split()


def find(dotted):
    value = oxidepy
    for part in dotted.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("dotted", NAMES)
def test_the_frontend_knows_the_name(dotted):
    assert name_of(find(dotted)) == dotted


def test_other_objects_have_no_name():
    assert [name_of(one) for one in (3, None, len, object(), f32.dtype, types)] == [None] * 6


@pytest.mark.parametrize(
    ("use", "name"),
    [(lambda: thread.index_1d(), "thread.index_1d"), (lambda: thread.idx.x, "thread.idx.x"), (lambda: oxidepy.grid.size, "grid.size"),
     (lambda: oxidepy.warp.lane, "warp.lane"), (lambda: oxidepy.math.exp(1.0), "math.exp"), (lambda: Slice(), "Slice"),
     (lambda: oxidepy.tma.load(1), "tma.load"), (lambda: oxidepy.require(True), "require"),
     (lambda: oxidepy.shared.array(f32, 3), "shared.array")],
)  # fmt: skip
def test_on_the_host_a_name_of_kernels_says_so(use, name):
    with pytest.raises(OxideError) as caught:
        use()
    assert caught.value.code == "OX1010"
    assert caught.value.diagnostic.message == f"`{name}` exists only in kernels"
    assert caught.value.diagnostic.help
    span = caught.value.diagnostic.span
    assert span is not None and span.file == __file__ and span.line == use.__code__.co_firstlineno


def test_a_misspelt_name_is_an_attribute_error_with_a_suggestion():
    with pytest.raises(AttributeError, match="did you mean 'index_1d'"):
        thread.indx_1d  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="did you mean 'Slice'"):
        oxidepy.Slise  # type: ignore[attr-defined]


def test_aliases_have_their_defaults_filled_in():
    assert Slice[f32] == types.GenericAlias(Slice, (f32, D1))
    assert Slice[f32, D2] == types.GenericAlias(Slice, (f32, D2))
    assert SliceMut[f32].__args__ == (f32, D1)
    assert DisjointSlice[f32] == types.GenericAlias(DisjointSlice, (f32, Index1D))
    assert DisjointSlice[f32, Index2D[128]].__args__ == (f32, types.GenericAlias(Index2D, (128,)))
    assert Const[int] == types.GenericAlias(Const, (int,))
    assert type(Slice[f32]) is types.GenericAlias


def test_unsafe_is_seen_inside_and_only_there():
    assert not in_unsafe()
    seen = []
    with unsafe("this test looks at it"):
        assert in_unsafe()
        with unsafe("again"):
            assert in_unsafe()
        assert in_unsafe()
        other = threading.Thread(target=lambda: seen.append(in_unsafe()))
        other.start()
        other.join()
    assert not in_unsafe() and seen == [False]
    with pytest.raises(ZeroDivisionError), unsafe("it fails"):
        1 / 0
    assert not in_unsafe()


@pytest.mark.parametrize("reason", ["", "  ", None, 3])
def test_unsafe_without_a_reason(reason):
    with pytest.raises(OxideError) as caught:
        unsafe(reason)
    assert caught.value.code == "OX0133"


def test_integer_functions_of_both_worlds():
    assert [cdiv(a, 4) for a in (0, 1, 4, 5, -1)] == [0, 1, 1, 2, 0]
    assert [next_power_of_2(n) for n in (0, 1, 2, 3, 1024, 1025)] == [1, 1, 2, 4, 1024, 2048]


def test_the_names_of_kernels_import_nothing_heavy():
    program = """if True:
        import sys, oxidepy
        from oxidepy import DisjointSlice, Slice, f32, launch_contract, math, shared, struct, thread, unsafe
        heavy = {"numpy", "llvmlite", "cuda", "typer", "rich", "jinja2"} & set(sys.modules)
        sys.exit(f"imported {heavy}" if heavy else 0)"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_face_lists_and_gives_every_name():
    for name in (*oxidepy._NAMES, *oxidepy._MODULES):
        assert name in dir(oxidepy)
        assert getattr(oxidepy, name) is not None


def test_everything_can_be_imported_at_once():
    space = {}
    exec("from oxidepy import *", space)
    assert space["thread"] is thread and space["cdiv"] is cdiv and {*oxidepy._NAMES, *oxidepy._MODULES} <= set(space)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("to_device", "from_host"), ("cuda", "'thread'"), ("jit", "'kernel'"), ("float32", "'f32'"), ("Slize", "did you mean 'Slice'")],
)
def test_names_of_other_libraries(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=f"no name '{name}'; .*{hint}"):
        getattr(oxidepy, name)
