"""The source of a function is found wherever Python can run one, and every place in it is exact."""

from __future__ import annotations

import ast
import importlib
import linecache
import os
import subprocess
import sys
import time
import zipfile

import pytest

from oxidepy.diagnostics import CompileError
from oxidepy.frontend import source
from oxidepy.frontend.source import parse


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def load(path, monkeypatch):
    """Import a file as a module of its own."""
    monkeypatch.syspath_prepend(str(path.parent))
    importlib.invalidate_caches()
    module = importlib.import_module(path.stem)
    monkeypatch.delitem(sys.modules, path.stem)
    return module


def piece(parsed, node):
    """What stands in the file at the span of a node, cut out by lines and characters."""
    span = parsed.span(node)
    lines = [parsed.text.line(number) for number in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "".join(lines)


def names(parsed, name):
    return [node for node in ast.walk(parsed.node) if isinstance(node, ast.Name) and node.id == name]


FUNCTIONS = '''
def plain(x): return x

def wide(x):
    """ä dedented
string"""
    s = "äöü€😀" + str(x)
    return (s,
x)

class Holder:
\t@staticmethod
\tdef tabbed(x):
\t\tif x:
# a comment at the margin
\t\t\treturn x
\t\t# the end

\t\treturn 2 * x

    # after it
def after(
    x,
):

    return x  # last

def outer(n):
    def inner(x):
        return x * n

    return inner

def deco(f):
    return f

@deco
@deco
def decorated(x): return (
    x
)
last = 1
def at_the_end(x):
    return x'''


@pytest.fixture
def functions(tmp_path, monkeypatch):
    return load(write(tmp_path / "functions_of_test.py", FUNCTIONS), monkeypatch)


@pytest.mark.parametrize("name", ["plain", "wide", "after", "decorated", "at_the_end", "tabbed", "inner"])
def test_a_function_of_a_file(functions, name):
    function = {"tabbed": functions.Holder.tabbed, "inner": functions.outer(3)}.get(name) or getattr(functions, name)
    parsed = parse(function)
    assert isinstance(parsed.node, ast.FunctionDef) and parsed.node.name == name
    whole = ast.parse(FUNCTIONS)
    (want,) = (node for node in ast.walk(whole) if isinstance(node, ast.FunctionDef) and node.name == name)
    assert ast.dump(parsed.node) == ast.dump(want)
    assert parsed.span(parsed.node).line == want.lineno
    assert piece(parsed, parsed.node.body[-1]) == ast.get_source_segment(FUNCTIONS, want.body[-1])
    for node in names(parsed, "x"):
        assert piece(parsed, node) == "x"
    span = parsed.name_span
    assert parsed.text.line(span.line)[span.column - 1 : span.end_column - 1] == name
    assert parse(function).text is parsed.text  # parsed once


def test_closure_and_globals(functions):
    parsed = parse(functions.outer(3))
    assert parsed.lookup("n") == 3 and parsed.lookup("Holder") is functions.Holder and parsed.lookup("len") is len
    with pytest.raises(KeyError):
        parsed.lookup("nothing")
    assert parse(functions.outer(4)).lookup("n") == 4


def test_a_declared_encoding(tmp_path, monkeypatch):
    path = write(tmp_path / "latin_of_test.py", "# -*- coding: latin-1 -*-\ndef f(x):\n    é = 'àéî'; return x + é\n", "latin-1")
    parsed = parse(load(path, monkeypatch).f)
    (x,) = names(parsed, "x")
    assert parsed.span(x).column == 23 and piece(parsed, x) == "x"


def test_a_zipped_package(tmp_path, monkeypatch):
    archive = tmp_path / "zipped.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped_of_test/__init__.py", "")
        file.writestr("zipped_of_test/kernels.py", "\n\ndef f(x):\n    return x\ng = lambda x: x + 1\n")
    monkeypatch.syspath_prepend(str(archive))
    module = importlib.import_module("zipped_of_test.kernels")
    assert parse(module.f).span(parse(module.f).node).line == 3
    assert piece(parse(module.g), parse(module.g).node) == "lambda x: x + 1"


def test_text_run_by_exec(monkeypatch):
    text = "def f(x):\n    return x\n"
    space = {}
    exec(compile(text, "<made of test>", "exec"), space)
    with pytest.raises(CompileError) as caught:
        parse(space["f"])
    assert caught.value.code == "OX1005" and "linecache" in caught.value.diagnostic.help
    monkeypatch.setitem(linecache.cache, "<made of test>", (len(text), None, text.splitlines(True), "<made of test>"))
    assert parse(space["f"]).span(parse(space["f"]).node.body[0]).line == 2


def test_a_notebook_cell_that_runs_again(monkeypatch):
    for version, text in enumerate(("def f(x):\n    return x\n", "def f(x):\n    return x + 1\n", "def f(x):\n    return x\n")):
        name = f"/tmp/ipykernel_1/{hash(text)}.py"
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
        space = {"__name__": "__main__"}
        exec(compile(text, name, "exec"), space)
        assert isinstance(parse(space["f"]).node.body[0].value, ast.BinOp) == (version == 1)


def test_the_main_program_and_a_module_run_by_name(tmp_path):
    path = write(
        tmp_path / "program_of_test.py",
        "from oxidepy.frontend.source import parse\ndef f(x):\n    return x\nprint(parse(f).span(parse(f).node.body[0]).line)\n",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((os.getcwd(), str(tmp_path)))}
    for command in ([str(path)], ["-m", path.stem]):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment)
        assert done.stdout.strip() == "3", done.stderr


LAMBDAS = """
pair = lambda a: a + 1, lambda a: a + 2
mixed = [lambda x: x * 2, lambda x, y: x * 2, (lambda x: (x *
    3)), lambda: 0]
nested = lambda x: (lambda y: y + x)
def make(k):
    return (lambda v: v * k, lambda v: v - k, lambda v: k)
call = sorted([1], key=lambda ä: -ä)
either = [(lambda x: x) if n else (lambda x: -x) for n in (0, 1)]
"""


def test_lambdas_are_told_apart(tmp_path, monkeypatch):
    module = load(write(tmp_path / "lambdas_of_test.py", LAMBDAS), monkeypatch)
    want = {
        module.pair[0]: "lambda a: a + 1",
        module.pair[1]: "lambda a: a + 2",
        module.mixed[0]: "lambda x: x * 2",
        module.mixed[1]: "lambda x, y: x * 2",
        module.mixed[2]: "lambda x: (x *\n    3)",
        module.mixed[3]: "lambda: 0",
        module.nested: "lambda x: (lambda y: y + x)",
        module.nested(1): "lambda y: y + x",
        module.make(1)[0]: "lambda v: v * k",
        module.make(1)[1]: "lambda v: v - k",
        module.make(1)[2]: "lambda v: k",
        module.either[0]: "lambda x: -x",
        module.either[1]: "lambda x: x",
    }
    for function, text in want.items():
        assert piece(parse(function), parse(function).node) == text
    monkeypatch.setattr(source, "_at_its_place", lambda found, code: [])  # as on Python 3.10, which keeps no columns
    source._known.clear()
    for function, text in want.items():
        assert piece(parse(function), parse(function).node) == text


def test_lambdas_that_nothing_tells_apart(tmp_path, monkeypatch):
    module = load(
        write(tmp_path / "same_of_test.py", "both = lambda a: a + 3, lambda a: a + (1 + 2)\nsame = lambda a: a, lambda a: a\n"), monkeypatch
    )
    monkeypatch.setattr(source, "_at_its_place", lambda found, code: [])
    with pytest.raises(CompileError) as caught:
        parse(module.both[1])
    assert caught.value.code == "OX1008" and "column 8, column 25" in caught.value.diagnostic.help
    assert isinstance(parse(module.same[1]).node, ast.Lambda)  # which of two equal ones it is makes no difference


@pytest.mark.parametrize(
    "text",
    [
        "def other(x):\n    return x\n",  # another name
        "def f(y):\n    return y\n",  # another parameter
        "def f(x):\n    return x + 1\n",  # another body
        "def f(x):\n    return 3\n",
        "\n\n\ndef f(x):\n    return x\n",  # moved away
        "def f(x:\n",
        "",
    ],
)
def test_a_file_that_changed_since_its_import(tmp_path, monkeypatch, text):
    path = write(tmp_path / f"changed_{abs(hash(text))}_of_test.py", "def f(x):\n    return x\n")
    module = load(path, monkeypatch)
    write(path, text)
    os.utime(path, (time.time() + 5, time.time() + 5))
    with pytest.raises(CompileError) as caught:
        parse(module.f)
    assert caught.value.code == "OX1005"


def test_a_file_that_changed_elsewhere(tmp_path, monkeypatch):
    path = write(tmp_path / "edited_of_test.py", "def f(x):\n    '''one'''\n    return x\n")
    module = load(path, monkeypatch)
    write(path, "def f(x):\n    '''two'''\n    return x\n\nmore = 1\n")
    os.utime(path, (time.time() + 5, time.time() + 5))
    assert isinstance(parse(module.f).node, ast.FunctionDef)


def test_an_assert_that_pytest_rewrote():
    def rewritten(x):
        assert x > 0
        return x

    assert isinstance(parse(rewritten).node.body[0], ast.Assert)


def test_async_is_refused():
    async def f(x):
        return x

    with pytest.raises(CompileError) as caught:
        parse(f)
    assert caught.value.code == "OX0658" and caught.value.diagnostic.span.line == f.__code__.co_firstlineno


def test_only_the_function_is_parsed(tmp_path, monkeypatch):
    """Decides the time from source to PTX: a kernel in a long file costs no more than in a short one."""
    filler = "".join(f"def filler_{number}(x):\n    return [x, {number}]\n" for number in range(2000))
    module = load(write(tmp_path / "long_of_test.py", filler + "def f(x):\n    return x\n" + filler), monkeypatch)
    sizes = []
    real = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text, *more, **named: sizes.append(len(text)) or real(text, *more, **named))
    parse(module.f)
    assert sizes and max(sizes) < 100


def test_private_names_of_a_class(tmp_path, monkeypatch):
    text = "class Holder:\n    @staticmethod\n    def f(__x):\n        __y = __x\n        return __y\n"
    path = write(tmp_path / "private_of_test.py", text)
    os.utime(path, (time.time() + 5, time.time() + 5))
    assert parse(load(path, monkeypatch).Holder.f).node.name == "f"
