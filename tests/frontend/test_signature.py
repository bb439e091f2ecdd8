"""Annotations become parameter types in every way that Python lets them be written; the others have a code, a place and a way out."""

# ruff: noqa: F401, F841 - annotations that are text use these names
from __future__ import annotations

import functools
import linecache
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    D2,
    D3,
    CompileError,
    Const,
    ConstantSlice,
    DisjointSlice,
    Index2D,
    Ptr,
    Runs,
    Runtime2D,
    Slice,
    SliceMut,
    Width,
    bf16,
    f32,
    i32,
    launch_bounds,
    launch_contract,
    struct,
    u8,
)
from oxidepy import f32 as single
from oxidepy.frontend.signature import helper_signature, parameters
from oxidepy.ir.types import BF16, BOOL, F32, F64, I32, U8, U64, Struct
from oxidepy.lang.definition import (
    ConstParam,
    FunctionParam,
    IndexSpace,
    KernelDef,
    KernelOptions,
    ScalarParam,
    SliceParam,
    StructParam,
    TupleParam,
    TypeVariable,
)

if TYPE_CHECKING:
    import oxidepy.lang.scalars
    from oxidepy.lang.scalars import u64 as big
    from oxidepy.lang.slices import Slice as Borrowed

T = TypeVar("T", f32, i32)
Free = TypeVar("Free")
Bound = TypeVar("Bound", bound=float)
Image = Slice[f32, D2]
WIDTH = 64


@struct
@dataclass(frozen=True)
class Params:
    dt: f32
    wrap: bool


def kernel(function, unsafe=None):
    frame = dict(sys._getframe(1).f_locals)
    return KernelDef(function, function.__name__, options=KernelOptions(unsafe=unsafe), frame=frame)


kernel.__oxidepy__ = "kernel"

SCALAR_PARAM = ScalarParam(F32)
VARIABLE = TypeVariable("T", (F32, I32))
LAYOUT = Struct.of("Params", (("dt", F32), ("wrap", BOOL)))

# annotation as text → the parameter type
KNOWN = {
    "f32": SCALAR_PARAM,
    "single": SCALAR_PARAM,
    "ox.f32": SCALAR_PARAM,
    "np.float32": SCALAR_PARAM,
    "np.dtype('f8')": ScalarParam(F64),
    "bool": ScalarParam(BOOL),
    "np.bool_": ScalarParam(BOOL),
    "bf16": ScalarParam(BF16),
    "big": ScalarParam(U64),  # imported under TYPE_CHECKING
    "oxidepy.lang.scalars.u8": ScalarParam(U8),
    "Borrowed[big]": SliceParam("Slice", U64),
    "'f32'": SCALAR_PARAM,  # text inside of text
    "Slice['f32']": SliceParam("Slice", F32),
    "T": ScalarParam(VARIABLE),
    "Slice[f32]": SliceParam("Slice", F32),
    "ox.Slice[np.float32]": SliceParam("Slice", F32),
    "Slice[T]": SliceParam("Slice", VARIABLE),
    "Slice[bool]": SliceParam("Slice", BOOL),
    "Slice[Params]": SliceParam("Slice", LAYOUT),
    "Image": SliceParam("Slice", F32, 2),
    "SliceMut[f32]": SliceParam("SliceMut", F32),
    "SliceMut[u8, D3]": SliceParam("SliceMut", U8, 3),
    "ConstantSlice[f32]": SliceParam("ConstantSlice", F32),
    "DisjointSlice[f32]": SliceParam("DisjointSlice", F32, 1, IndexSpace()),
    "DisjointSlice[f32, Index2D[128]]": SliceParam("DisjointSlice", F32, 1, IndexSpace("Index2D", 128)),
    "DisjointSlice[f32, Index2D[WIDTH * 2]]": SliceParam("DisjointSlice", F32, 1, IndexSpace("Index2D", 128)),
    "DisjointSlice[f32, Index2D[np.int64(128)]]": SliceParam("DisjointSlice", F32, 1, IndexSpace("Index2D", 128)),
    "DisjointSlice[f32, Runtime2D]": SliceParam("DisjointSlice", F32, 2, IndexSpace("Runtime2D")),
    "DisjointSlice[f32, Runs[4]]": SliceParam("DisjointSlice", F32, 1, IndexSpace("Runs", 4)),
    "Annotated[DisjointSlice[f32, Index2D], Width(128)]": SliceParam("DisjointSlice", F32, 1, IndexSpace("Index2D", 128)),
    "Annotated[DisjointSlice[f32, Index2D[128]], Width(128), 'more']": SliceParam("DisjointSlice", F32, 1, IndexSpace("Index2D", 128)),
    "Annotated[f32, 'seconds']": SCALAR_PARAM,
    "Params": StructParam(LAYOUT),
    "tuple[f32, i32]": TupleParam((SCALAR_PARAM, ScalarParam(I32))),
    "typing.Tuple[f32, Params]": TupleParam((SCALAR_PARAM, StructParam(LAYOUT))),
    "Callable[[T], T]": FunctionParam((ScalarParam(VARIABLE),), ScalarParam(VARIABLE)),
    "typing.Callable[[f32, Slice[f32]], None]": FunctionParam((SCALAR_PARAM, SliceParam("Slice", F32)), None),
    "Callable[[], 'f32']": FunctionParam((), SCALAR_PARAM),
    "Const[int]": ConstParam("int"),
    "Const[bool]": ConstParam("bool"),
    "Const[u8]": ConstParam("u8"),
    "Const[str]": ConstParam("str"),
    "Const[tuple[int, ...]]": ConstParam("tuple[int, ...]", items=(ConstParam("int"),), open=True),
    "Const[tuple[int, bool]]": ConstParam("tuple[int, bool]", items=(ConstParam("int"), ConstParam("bool"))),
}


def compiled(annotation, future=True):
    """A kernel with one parameter of that annotation, defined in this module's names."""
    text = f"def k(p: {annotation}) -> None: ...\n"
    file = f"<{annotation} {future}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    flags = __import__("__future__").annotations.compiler_flag if future else 0
    space = dict(globals())
    if not future:
        space |= {"big": ox.u64, "Borrowed": Slice, "oxidepy": ox}
    exec(compile(text, file, "exec", flags=flags, dont_inherit=True), space)
    return KernelDef(space["k"], "k")


@pytest.mark.parametrize("future", [True, False], ids=["text", "object"])
@pytest.mark.parametrize("annotation", KNOWN)
def test_known(annotation, future):
    (found,) = parameters(compiled(annotation, future))
    assert found.type == KNOWN[annotation]
    assert (found.span.line, found.span.column) == (1, 7)


# annotation → part of message, part of help
UNKNOWN = {
    "int": ("`int`", "`i32` or `i64`"),
    "float": ("`float`", "`f32` or `f64`"),
    "str": ("`str`", "no strings"),
    "list[f32]": ("`list", "Slice[f32]"),
    "dict": ("`dict`", "@struct"),
    "np.ndarray": ("numpy.ndarray", "Slice[f32]"),
    "Any": ("Any", "TypeVar"),
    "f32 | i32": ("f32 | i32", "constrained"),
    "None": ("None", "scalars"),
    "3": ("`3`", "scalars"),
    "Free": ("no constraints", 'Free = TypeVar("Free", f32, f64)'),
    "Bound": ("bound to `float`", 'TypeVar("Bound", f32'),
    "Slice[Free]": ("no constraints", "Free"),
    "Slice": ("does not say what it holds", "Slice[f32]"),
    "Slice[int]": ("no element type", "`i32` or `i64`"),
    "Slice[Slice[f32]]": ("no element type", "scalars"),
    "Slice[f32, Index2D[4]]": ("no rank", "DisjointSlice"),
    "Slice[f32, 2]": ("no rank", "D2"),
    "DisjointSlice[f32, D2]": ("no index space", "SliceMut"),
    "DisjointSlice[f32, Index2D[0]]": ("positive", "128"),
    "DisjointSlice[f32, Index2D[2.5]]": ("positive", "128"),
    "DisjointSlice[f32, Runtime2D[3]]": ("takes no number", "Runtime2D"),
    "DisjointSlice[f32, Index2D]": ("row width", "Index2D[128]"),
    "Annotated[f32, Width(3)]": ("Width", "Index2D"),
    "Annotated[DisjointSlice[f32, Index2D[64]], Width(128)]": ("two numbers", "leave"),
    "tuple[f32, ...]": ("fixed number", "Slice"),
    "tuple[Slice[f32], f32]": ("scalars, structs or tuples", "parameter of its own"),
    "Callable[..., f32]": ("not named", "Callable[[f32], f32]"),
    "Callable": ("not understood", "Callable[[f32], f32]"),
    "Const[bytes]": ("compile-time", "Const[int]"),
    "Slice[f32] | None": ("the annotation `Slice[f32, D1] | None` is", "a launch gives every parameter"),
    "Slize[f32]": ("`Slize`, which is not defined", "did you mean `Slice`?"),
    "i64": ("`i64`, which is not defined", "from oxidepy import i64"),
    "ox.f23": ("f23", "did you mean `f32`?"),
    "1 +": ("does not evaluate", "f32"),
    "Slice[f32][3]": ("does not evaluate", "f32"),
}


@pytest.mark.parametrize("annotation", UNKNOWN)
def test_unknown(annotation):
    definition = compiled("0")
    definition.function.__annotations__["p"] = annotation
    with pytest.raises(CompileError) as caught:
        parameters(definition)
    (found,) = caught.value.diagnostics
    message, help = UNKNOWN[annotation]
    assert found.code == "OX1002"
    assert message in found.message and help in (found.help or ""), (found.message, found.help)
    assert (found.span.line, found.span.column, found.span.end_column) == (1, 10, 11)


def test_a_pointer_needs_unsafe():
    def k(p: Ptr[f32]) -> None: ...

    def bare(p: Ptr) -> None: ...

    assert raised(kernel(k)) == ["OX0133"]
    assert raised(kernel(bare, unsafe="it is a test")) == ["OX1002"]
    (p,) = parameters(kernel(k, unsafe="it is a test"))
    assert p.type == SliceParam("Ptr", F32) and p.type.writes and not p.type.exclusive


def raised(definition):
    with pytest.raises(CompileError) as caught:
        parameters(definition)
    return [one.code for one in caught.value.diagnostics]


def test_names_of_the_closure_and_of_the_decorating_frame():
    Local = Slice[i32]
    f32 = ox.f64  # hides the module's, as in Python

    @kernel
    def k(a: Local, b: f32) -> None: ...

    assert [one.type for one in parameters(k)] == [SliceParam("Slice", I32), ScalarParam(F64)]

    def make(Element):
        def inner(a: Slice[Element]) -> None:
            Element  # captured

        return KernelDef(inner, "inner")

    assert parameters(make(u8))[0].type == SliceParam("Slice", U8)


def test_parameters_have_defaults_and_are_resolved_once():
    @kernel
    def k(a: f32, b: i32 = 3, c: bool = True) -> None: ...

    found = parameters(k)
    assert [one.default for one in found[1:]] == [3, True] and found[0].default is __import__("inspect").Parameter.empty
    assert parameters(k) is found


def test_every_finding_is_reported_in_order():
    @kernel
    def k(self, a, b: int, *rest, c: f32 = 0, **more) -> f32: ...

    assert raised(k) == ["OX1006", "OX1001", "OX1002", "OX1004", "OX1004", "OX1004", "OX1003"]


@pytest.mark.parametrize("result", ["None", "'None'", "type(None)"])
def test_results_that_are_none(result):
    definition = compiled("f32")
    assert parameters(definition)
    text = f"def k(p: f32) -> {result}: ...\n"
    linecache.cache["<result>"] = (len(text), None, text.splitlines(True), "<result>")
    space = dict(globals())
    exec(compile(text, "<result>", "exec", dont_inherit=True), space)
    assert parameters(KernelDef(space["k"], "k"))


def foreign(function):
    return function


def test_decorators():
    @kernel
    @launch_bounds(64)
    @launch_contract(domain=1, block=(64, 1, 1))
    @ox.cooperative_launch
    def good(a: f32) -> None: ...

    @kernel
    @foreign
    def bad(a: f32) -> None: ...

    class Holder:
        @staticmethod
        @kernel
        def inside(a: f32) -> None: ...

    @functools.wraps(good.function)
    def wrapper(a: f32) -> None: ...

    assert len(parameters(good)) == len(parameters(Holder.inside)) == 1
    assert raised(bad) == ["OX1007"]
    assert raised(kernel(wrapper)) == ["OX1007"]  # what the text of the wrapper says beside that helps nobody


def test_decorators_under_other_names():
    from oxidepy import kernel as k

    contract, fused = launch_contract(domain=1, block=(64, 1, 1)), k(fmad=False)

    @k
    @contract
    def one(a: f32) -> None: ...

    @fused
    def two(a: f32) -> None: ...

    def made(gone):
        @gone
        @ox.launch_bounds(64)
        def three(a: f32) -> None: ...

        return three

    three = made(ox.kernel)
    three.definition.frame = {}  # what the name meant is not known any more
    assert [len(parameters(one.definition)), len(parameters(two.definition)), len(parameters(three.definition))] == [1, 1, 1]


def test_helpers_need_no_annotations():
    def helper(a, b: f32, c: int = 4, /, d: tuple[f32, f32] = (0, 0), *, e: Slice[T]) -> float: ...

    found = helper_signature(helper)
    assert found.names == ("a", "b", "c", "d", "e")
    assert found.types == (None, SCALAR_PARAM, None, TupleParam((SCALAR_PARAM, SCALAR_PARAM)), SliceParam("Slice", VARIABLE))
    assert (found.defaults, found.result, found.positional, found.positional_only) == ({"c": 4, "d": (0, 0)}, None, 4, 3)
    assert helper_signature(lambda x, y=2: x).defaults == {"y": 2}

    def result(a) -> tuple[f32, i32]: ...

    assert helper_signature(result).result == KNOWN["tuple[f32, i32]"]


def test_helpers_that_are_refused():
    def helper(a: list, *b) -> Slize[f32]: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(CompileError) as caught:
        helper_signature(helper)
    assert [one.code for one in caught.value.diagnostics] == ["OX1004", "OX1002", "OX1002"]


def test_a_struct_field_that_is_wrong_is_said_of_the_kernel():
    @struct
    @dataclass(frozen=True)
    class Bad:
        n: int

    @kernel
    def k(p: Bad, q: str) -> None: ...

    assert raised(k) == ["OX1002", "OX1002"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax of type parameters came with Python 3.12")
def test_type_parameters():
    text = "def k[U: (f32, i32)](a: Slice[U]) -> None: ...\n"
    linecache.cache["<parameters>"] = (len(text), None, text.splitlines(True), "<parameters>")
    space = dict(globals())
    exec(compile(text, "<parameters>", "exec"), space)
    assert parameters(KernelDef(space["k"], "k"))[0].type == SliceParam("Slice", TypeVariable("U", (F32, I32)))
