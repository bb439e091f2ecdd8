"""Names that are rows of the table of intrinsics: declared to checkers, made at run time, and written nowhere else."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import oxidepy as ox
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.intrinsics.form import INTERNAL, SCOPES, forms
from oxidepy.ir.intrinsics.row import Form
from oxidepy.ir.intrinsics.table import PARTS
from oxidepy.lang.names import name_of

ROOT = Path(__file__).parents[2]
NAMES = sorted({*PARTS, *SCOPES.values()})
FORMS = {name: form for part in NAMES for name, form in forms(part).items()}


def stubs() -> Any:
    spec = importlib.util.spec_from_file_location("stubs", ROOT / "scripts" / "stubs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def found(name: str) -> Any:
    value: Any = ox
    for part in name.split("."):
        value = getattr(value, part)
    return value


def test_the_declarations_are_those_of_the_table() -> None:
    files: dict[Path, str] = stubs().files()
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, "run `python scripts/stubs.py`"
    assert {*files} == {*(ROOT / "oxidepy" / "lang" / "table").glob("*.pyi")}


def test_every_row_is_something_that_a_kernel_writes() -> None:
    written = {row for form in FORMS.values() for row in form.rows}
    assert {name for name in ROWS if not name.startswith(INTERNAL)} == written
    assert {one.partition(".")[0] for one in ROWS} == {*NAMES}


@pytest.mark.parametrize("part", NAMES)
def test_every_name_is_there_with_its_parameters_and_text(part: str) -> None:
    for name, form in forms(part).items():
        if form.property:
            with pytest.raises(ox.OxideError, match=f"`{name}` exists only in kernels"):
                found(name)
            continue
        function = found(name)
        assert (name_of(function), function.__name__, function.__doc__) == (name, name.rpartition(".")[2], form.doc)
        assert inspect.signature(function) == inspect.signature(plain(form))
        with pytest.raises(ox.OxideError) as caught:
            function()
        assert caught.value.code == "OX1010"
        owner = found(name.rpartition(".")[0])
        assert function.__name__ in dir(owner)


def plain(form: Form) -> Any:
    space: dict[str, Any] = {}
    exec(f"from __future__ import annotations\ndef one({form.parameters}) -> {form.result}: ...", space)
    return space["one"]


def test_no_row_is_written_by_hand_too() -> None:
    """What the table says stands in no module of `lang`: there would be two answers."""
    for path in sorted((ROOT / "oxidepy" / "lang").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name, form in FORMS.items():
            assert form.property or f'@device("{name}")' not in text, path


def test_a_tile_has_no_number_of_its_warp() -> None:
    assert "id" in dir(ox.warp) and "id" not in dir(ox.warp.active)
    assert {"lane", "shuffle", "sync", "reduce_sum"} <= {*dir(ox.warp)} & {*dir(ox.warp.active)}
    assert ox.warp.active.shuffle.__doc__ == ox.warp.shuffle.__doc__


def test_help_shows_them() -> None:
    program = "import oxidepy; help(oxidepy.warp); help(oxidepy.barrier); help(oxidepy.mma.m16n8k16.i32.i8.u8)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", check=True).stdout
    for text in ("shuffle_xor(self, value", "lane `lane ^ mask`", "wait_parity(bars", "0 for the first phase", "u8(a:", "16×16 by u8 16×8"):
        assert text in shown, text


def test_a_misspelt_name_has_a_suggestion() -> None:
    for part, wrong, right in ((ox.barrier, "wiat", "wait"), (ox.warp, "shufle", "shuffle"), (ox.async_copy, "comit", "commit")):
        with pytest.raises(AttributeError, match=f"did you mean '{right}'"):
            getattr(part, wrong)


def test_rows_of_a_part_are_made_when_a_name_of_it_is_used() -> None:
    program = "import sys; from oxidepy import thread, warp, barrier, wgmma; thread.idx; warp.shuffle; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {f"oxidepy.ir.intrinsics.{one}" for one in ("wgmma", "barrier", "mma", "tcgen05")} & {*loaded}


def test_modules_list_what_they_offer() -> None:
    for module in (ox.wgmma, ox.tcgen05, ox.mma, ox.tma, ox.barrier, ox.async_copy, ox.debug):
        public = {name for name in dir(module) if not name.startswith("_")}
        assert not public & {"Any", "TYPE_CHECKING", "TypeVar", "annotations", "cast", "device", "launch_error"}
        assert all(getattr(module, name) is not None for name in public)
    assert {"Barriers", "array", "wait"} <= set(dir(ox.barrier)) and {"TensorMap", "tensor_map", "load"} <= set(dir(ox.tma))


def test_what_is_read_in_kernels_is_not_there_on_the_host() -> None:
    """So that `hasattr` and `inspect` can look at the names; the message says where it exists."""
    for scope, name in ((ox.warp, "lane"), (ox.block, "rank"), (ox.thread.idx, "x")):
        assert name in dir(scope) and not hasattr(scope, name)
        with pytest.raises(ox.OxideError, match="exists only in kernels"):
            getattr(scope, name)
        inspect.getmembers(scope)
