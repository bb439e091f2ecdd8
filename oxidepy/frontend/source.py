"""The source text of a function: found, parsed, with exact places. Only the function itself is parsed, once per code object.

Works for files, `-m`, zipped packages, notebook cells, and text that `exec` ran and `linecache` knows.
"""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
import os
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.ir.record import record
from oxidepy.lang.names import STARTED, characters
from oxidepy.lang.resolve import builtins_of, closure_of

FunctionNode = ast.FunctionDef | ast.Lambda

_DEF = re.compile(r"\s*(?:async\s+)?def\b")
_ALTERED = re.compile(r"@py|_[^\W_]\w*?__\w*(?<!__)$")
_TRIES = 64  # cuts of the text that are tried before the whole file is parsed


@record
class Text:
    """A parsed function and the lines that it stands in. `shift` is added to the line numbers of the tree."""

    node: FunctionNode
    file: str
    lines: Sequence[str]  # of the whole file
    shift: int

    def span(self, node: ast.AST) -> Span:
        """The place of a node of this tree: lines of the file, columns in characters."""
        place: Any = node  # operators and contexts have none, and nobody asks for theirs
        first, last = place.lineno + self.shift, (place.end_lineno or place.lineno) + self.shift
        start, end = characters(self.line(first), place.col_offset), characters(self.line(last), place.end_col_offset or place.col_offset)
        return Span(self.file, first, start + 1, last, end + 1)

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


class Parsed:
    """A function of a running program with its syntax tree."""

    __slots__ = ("function", "text")

    def __init__(self, function: types.FunctionType, text: Text) -> None:
        self.function = function
        self.text = text

    @property
    def node(self) -> FunctionNode:
        return self.text.node

    @property
    def file(self) -> str:
        return self.text.file

    @property
    def globals(self) -> Mapping[str, Any]:
        return self.function.__globals__

    @property
    def closure(self) -> dict[str, Any]:
        """The captured variables that are bound now."""
        return closure_of(self.function)

    @property
    def name_span(self) -> Span:
        """The function's name; of a lambda its first word."""
        return name_span(self.text)

    def span(self, node: ast.AST) -> Span:
        return self.text.span(node)

    def lookup(self, name: str) -> Any:
        """What a free name of the function means now: closure, module, built-ins. KeyError if nothing."""
        captured = self.closure
        if name in captured:
            return captured[name]
        if name in self.globals:
            return self.globals[name]
        return builtins_of(self.globals)[name]


_known: dict[
    int, tuple[types.CodeType, Text]
] = {}  # by identity: equal code may differ in what no bytecode shows, and holding it keeps its number its own
_MOST = 4096


def parse(function: types.FunctionType) -> Parsed:
    """The syntax tree of a plain function or lambda. CompileError OX1005 without source, OX1008 for a lambda that is like its neighbour."""
    code = function.__code__
    known = _known.get(id(code))
    if known is None:
        if len(_known) >= _MOST:
            _known.clear()
        known = _known[id(code)] = (code, _parse(code, function.__globals__))
    return Parsed(function, known[1])


def name_span(text: Text) -> Span:
    """The name in `def name(`, or the word `lambda`."""
    node = text.node
    if isinstance(node, ast.Lambda):
        whole = text.span(node)
        return Span(whole.file, whole.line, whole.column, whole.line, whole.column + len("lambda"))
    line = node.lineno + text.shift
    words = text.line(line)
    behind = words.find("def", characters(words, node.col_offset)) + len("def")
    column = len(words) - len(words[behind:].lstrip()) + 1
    return Span(text.file, line, column, line, column + len(node.name))


def _parse(code: types.CodeType, module: dict[str, Any]) -> Text:
    lines = _lines(code.co_filename, module)
    if not lines or code.co_firstlineno > len(lines):
        raise CompileError([_unavailable(code)])
    text = _lambda(code, lines) if code.co_name == "<lambda>" else _function(code, lines)
    if text is None or not _fits(text.node, code) or _edited(text, code):
        raise CompileError([_changed(code, lines)])
    if code.co_flags & inspect.CO_COROUTINE:
        message, help = "`async def` is not supported in kernels", "write `def`; a launch is what runs asynchronously"
        raise CompileError([Diagnostic("OX0658", message, span=name_span(text), help=help)])
    return text


def _lines(file: str, module: dict[str, Any]) -> list[str]:
    """All lines of the file as they are now; text that no file holds as `linecache` knows it."""
    before = linecache.getlines(file, module)
    linecache.checkcache(file)
    return linecache.getlines(file, module) or before


# ---- functions


def _function(code: types.CodeType, lines: list[str]) -> Text | None:
    """The function whose decorators or `def` begin at the code's first line. Its end is the next line that stands no deeper;
    where such a line is inside brackets or a string the text does not parse, and the one after it is tried."""
    first = code.co_firstlineno - 1
    width = _indentation(lines[first])
    head = "if 1:\n" if width else ""  # an indented function is a block of something, which keeps its columns as they are
    seen = tries = 0
    for number in range(first, len(lines) + 1):
        line = lines[number] if number < len(lines) else ""
        ends = number == len(lines) or (line.strip() != "" and not line.lstrip().startswith("#") and _indentation(line) <= width)
        if seen and ends:
            node = _only(head + "".join(lines[first:number]))
            if node is not None:
                return Text(node, code.co_filename, lines, first - len(head and "1"))
            tries += 1
            if tries > _TRIES:
                break
        seen = seen or _DEF.match(line) is not None
    return None


def _indentation(line: str) -> int:
    """Width of the white space in front, tabs as the tokenizer takes them."""
    return len(text := line.expandtabs(8).lstrip("\f")) - len(text.lstrip())


def _only(text: str) -> ast.FunctionDef | None:
    """The one function that the text is, or None if it is something else or nothing whole."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    if len(body) == 1 and isinstance(body[0], ast.If):
        body = body[0].body
    found: Any = body[0] if len(body) == 1 else None
    return found if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)) else None  # type: ignore[return-value]  # pyright: ignore[reportReturnType] - refused by _parse


def _fits(node: FunctionNode, code: types.CodeType) -> bool:
    """Whether name and parameters are those of the code: if not, another text stands there now."""
    args = node.args
    names = [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [one.arg for one in (args.vararg, args.kwarg) if one is not None]
    mine = code.co_varnames[: len(names)]
    counts = (len(args.posonlyargs), len(args.posonlyargs) + len(args.args), len(args.kwonlyargs))
    stars = (args.vararg is not None, args.kwarg is not None)
    if counts != (code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount):
        return False
    if stars != (bool(code.co_flags & inspect.CO_VARARGS), bool(code.co_flags & inspect.CO_VARKEYWORDS)):
        return False
    plain = [
        name if not name.startswith("__") or name.endswith("__") else None for name in names
    ]  # private names are mangled inside a class
    return (
        all(name is None or name == own for name, own in zip(plain, mine, strict=True))
        and getattr(node, "name", "<lambda>") == code.co_name
    )


def _edited(text: Text, code: types.CodeType) -> bool:
    """Whether the file is younger than this process and compiles to something else now than what runs."""
    try:
        if os.stat(code.co_filename).st_mtime < STARTED:
            return False
    except (OSError, ValueError):
        return False  # not a file: a notebook cell, text of `exec`, a zipped module
    if any(_ALTERED.match(name) for name in (*code.co_varnames, *code.co_names)):
        return False  # pytest has rewritten the asserts, or a class its private names: alone it compiles to something else
    fresh = _in_file(text.lines, code)
    return bool(fresh) and not any(_same(one, code) for one in fresh)


_wholes: dict[str, tuple[Sequence[str], types.CodeType | None]] = {}


def _in_file(lines: Sequence[str], code: types.CodeType) -> list[types.CodeType]:
    """The codes of that name at that line if the file were compiled now. The file is compiled whole (once for a state of its text), since
    what Python makes of a call depends on the imports around it."""
    file = code.co_filename
    known = _wholes.get(file)
    if known is None or known[0] is not lines:
        try:
            whole = compile("".join(lines), file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            whole = None
        if len(_wholes) >= _TRIES:
            _wholes.clear()
        known = _wholes[file] = (lines, whole)
    found = () if known[1] is None else _codes(known[1])
    return [one for one in found if one.co_name == code.co_name and one.co_firstlineno == code.co_firstlineno]


def _compiled(node: FunctionNode, like: types.CodeType) -> types.CodeType | None:
    """The node compiled alone, with the free variables of `like`."""
    inner: ast.stmt
    if isinstance(node, ast.Lambda):
        inner = ast.Expr(node)
    else:
        inner = copy.copy(node)
        inner.decorator_list = []
    names = [ast.arg(name) for name in like.co_freevars]
    nothing = ast.arguments(posonlyargs=[], args=names, vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])
    outer: Any = ast.FunctionDef("outer", nothing, [inner], [], None, None)  # pyright: ignore[reportCallIssue] - it reads another version's fields
    if "type_params" in ast.FunctionDef._fields:
        outer.type_params = []
    module = ast.Module([ast.copy_location(outer, node)], [])
    flags = like.co_flags & 0x1FF0000  # the future statements of its module
    try:
        whole = compile(ast.fix_missing_locations(module), like.co_filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return next((found for found in _codes(whole) if found.co_name == like.co_name and found.co_name != "outer"), None)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _same(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand."""
    if (one.co_code, one.co_names, one.co_varnames, one.co_freevars) != (
        other.co_code,
        other.co_names,
        other.co_varnames,
        other.co_freevars,
    ):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    for left, right in zip(one.co_consts, other.co_consts, strict=True):
        if isinstance(left, types.CodeType) and isinstance(right, types.CodeType):
            if not _same(left, right):
                return False
        elif type(left) is not type(right) or (repr(left) != repr(right) and not isinstance(left, str)):
            return False  # strings are docstrings or qualified names, which say where a function stands
    return True


# ---- lambdas


def _lambda(code: types.CodeType, lines: list[str]) -> Text | None:
    """The lambda that was compiled to this code. Several may begin on its line: their places tell them apart, else what they compile to."""
    tree = _tree(code.co_filename, lines)
    found = [node for node in tree if node.lineno == code.co_firstlineno and _fits(node, code)]
    if len(found) > 1:
        placed = _at_its_place(found, code)
        found = placed or [node for node in found if (fresh := _compiled(node, code)) is not None and _same(fresh, code)]
    texts = [Text(node, code.co_filename, lines, 0) for node in found]
    if len({ast.dump(node) for node in found}) > 1:
        places = ", ".join(f"column {name_span(text).column}" for text in texts)
        message = f"{len(texts)} lambdas on this line compile to the same code"
        help = f"write them on lines of their own ({places}), or give one a name with `def`"
        raise CompileError([Diagnostic("OX1008", message, span=name_span(texts[0]), help=help)])
    return texts[0] if texts else None


_trees: dict[str, tuple[list[str], list[ast.Lambda]]] = {}


def _tree(file: str, lines: list[str]) -> list[ast.Lambda]:
    """All lambdas of a file. A lambda may begin anywhere in a statement, so the file is parsed whole, once for a state of its text."""
    known = _trees.get(file)
    if known is None or known[0] is not lines:
        try:
            nodes = [node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.Lambda)]
        except (SyntaxError, ValueError):
            nodes = []
        if len(_trees) >= _TRIES:
            _trees.clear()
        known = _trees[file] = (lines, nodes)
    return known[1]


def _at_its_place(found: list[ast.Lambda], code: types.CodeType) -> list[ast.Lambda]:
    """Those whose body is where an instruction of the code comes from (Python 3.11 and later keep places)."""
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return []
    places = set(positions())
    return [node for node in found if (node.body.lineno, node.body.end_lineno, node.body.col_offset, node.body.end_col_offset) in places]


# ---- what is said where there is no text


def _unavailable(code: types.CodeType) -> Diagnostic:
    what = "lambda" if code.co_name == "<lambda>" else f"`{code.co_name}`"
    message = f"the source text of {what} is not available ({code.co_filename}, line {code.co_firstlineno})"
    help = "put it into a file or a notebook cell; for text that `exec` runs, enter its lines into `linecache.cache` under that file name"
    return Diagnostic("OX1005", message, help=help)


def _changed(code: types.CodeType, lines: list[str]) -> Diagnostic:
    what = "the lambda" if code.co_name == "<lambda>" else f"`{code.co_name}`"
    line = code.co_firstlineno
    span = Span(code.co_filename, line, 1, line, max(len(lines[line - 1].rstrip()), 1) + 1)
    message = f"the source text of {what} is not available: the file has changed since it was imported, and something else stands here now"
    return Diagnostic("OX1005", message, span=span, help="run the program again, or reload the module")
