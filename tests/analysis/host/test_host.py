"""Host code that is wrong, with the code at its line behind `# <-`, and code beside it that is not."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from textwrap import dedent

import pytest

from oxidepy.analysis.host import KernelShape, Library, Param, analyse

X, Y = Param("x", "shared", "f32"), Param("y", "exclusive", "f32")
KNOWN: dict[tuple[str, ...], KernelShape | Library | int] = {
    ("ox",): Library(""),
    ("import:oxidepy",): Library(""),
    ("f32",): Library("f32"),
    ("i32",): Library("i32"),
    ("N",): 1024,
    ("double",): KernelShape("double", (X, Y)),
    ("swap",): KernelShape("swap", (Y, Param("z", "exclusive", "f32"))),
    ("scaled",): KernelShape("scaled", (X, Y, Param("by", "scalar", "f32"), Param("n", "scalar", "i32", optional=True))),
    ("kernels", "double"): KernelShape("double", (X, Y)),
    ("add",): KernelShape("add", (Param("z", "exclusive", "f32"), X, Param("y", "shared", "f32")), tile=True),
}
HEAD = """
stream = ox.Context().default_stream()
a, b, c = (ox.DeviceBuffer.zeros(stream, N, f32) for _ in range(3))
"""


def lookup(path: Sequence[str]) -> KernelShape | Library | int | None:
    return KNOWN.get(tuple(path))


def found(source: str) -> list[tuple[str, int]]:
    return sorted((one.code, one.span.line if one.span else 0) for one in analyse(ast.parse(source), source, "main.py", lookup))


def expected(source: str) -> list[tuple[str, int]]:
    lines = enumerate(source.splitlines(), 1)
    return sorted((code, number) for number, text in lines for code in re.findall(r"# <- (OX\d+)", text))


WRONG = {
    "one buffer twice": "double.launch(stream, a, a)  # <- OX0502",
    "by keyword": "double.launch(stream, y=a, x=a)  # <- OX0502",
    "two exclusive": "swap.launch(stream, a, a)  # <- OX0499",
    "another name": "d = a\ndouble.launch(stream, d, a)  # <- OX0502",
    "a walrus": "double.launch(stream, (d := a), d)  # <- OX0502",
    "a prepared launch": "go = double.prepare(None, N)\ngo(stream, a, a)  # <- OX0502",
    "in another module": "kernels.double.launch(stream, a, a)  # <- OX0502",
    "a reshaped buffer": "double.launch(stream, a.reshape(32, 32), a)  # <- OX0502",
    "parts that overlap": "double.launch(stream, a[0:512], a[256:1024])  # <- OX0502",
    "a part of a part": "double.launch(stream, a[512:][0:10], a[500:520])  # <- OX0502",
    "a part and the whole": "double.launch(stream, a, a[4:])  # <- OX0502",
    "from the end": "double.launch(stream, a[-10:], a[1000:])  # <- OX0502",
    "bounds that are computed": "h = N // 2\ndouble.launch(stream, a[: h + 1], a[h:])  # <- OX0502",
    "numbers that are compared": "for i in range(3):\n    if i == 1 or i > 7:\n        double.launch(stream, a, a)  # <- OX0502",
    "the same object": "for p in (a, b):\n    if p is not a:\n        continue\n    double.launch(stream, p, a)  # <- OX0502",
    "another kind of exception": "try:\n    double.launch(stream, a, a)  # <- OX0502\nexcept KeyError:\n    pass",
    "a list": "every = [a, b]\nevery.append(c)\ndouble.launch(stream, every[2], c)  # <- OX0502",
    "a dict": "every = {'in': a}\nevery['out'] = b\ndouble.launch(stream, every['out'], b)  # <- OX0502",
    "a tuple of tuples": "for (p, q), r in (((a, b), c),):\n    double.launch(stream, q, b)  # <- OX0502",
    "one round of a loop": "for p, q in zip((a, b), (b, b)):\n    double.launch(stream, p, q)  # <- OX0502",
    "both ways of a branch": "d = a if N else a\nif stream:\n    e = d\nelse:\n    e = a\ndouble.launch(stream, e, a)  # <- OX0502",
    "one way of a branch": "if stream:\n    d = a\n    double.launch(stream, d, a)  # <- OX0502\nelse:\n    d = b",
    "a loop that does not end": "while True:\n    double.launch(stream, a, a)  # <- OX0502",
    "a helper": "def run(p, q):\n    double.launch(stream, p, q)  # <- OX0502\nrun(a, a)",
    "what a helper gives": "def same(p):\n    return p\ndouble.launch(stream, same(a), a)  # <- OX0502",
    "a lambda": "go = lambda p: double.launch(stream, p, a)  # <- OX0502\ngo(a)",
    "a parameter": "def run(s, p):\n    double.launch(s, p, p)  # <- OX0502",
    "an attribute": "def run(self):\n    double.launch(self.stream, self.p, self.p)  # <- OX0502",
    "a name of another module's": "def run(s):\n    double.launch(s, BUFFER, BUFFER)  # <- OX0502",
    "parts of such a name": "def run(s):\n    double.launch(s, BUFFER[:8], BUFFER[4:])  # <- OX0502",
    "host memory twice": "def run(array):\n    double.launch(stream, ox.as_buffer(array, f32), ox.as_buffer(array, f32))  # <- OX0502",
    "a copy onto itself": "a[0:10].copy_from(stream, a[5:15])  # <- OX0502",
    "an import of its own": "def run():\n    import oxidepy as o\n    s = o.Context().new_stream()\n    p = o.DeviceBuffer.zeros(s, 4, f32)\n"
    "    double.launch(s, p, p)  # <- OX0502",
    "after an exception": "try:\n    N()\nexcept ValueError:\n    pass\ndouble.launch(stream, a, a)  # <- OX0502",
    "a freed buffer": "a.free(stream)\ndouble.launch(stream, a, b)  # <- OX2007",
    "freed twice": "a.free(stream)\na[0:4].free(stream)  # <- OX2007",
    "too few arguments": "double.launch(stream, a)  # <- OX2007",
    "another kernel's arguments": "go = double.prepare(None, N)\ngo(stream, a, b, 2.0)  # <- OX2007",
    "an unknown argument": "double.launch(stream, a, z=b)  # <- OX2007",
    "a number for a slice": "double.launch(stream, 3, b)  # <- OX2007",
    "a buffer for a number": "scaled.launch(stream, a, b, c)  # <- OX2007",
    "another dtype": "d = ox.DeviceBuffer.zeros(stream, N, i32)\ndouble.launch(stream, d, b)  # <- OX2007",
    "an operation that is dropped": "double.op(a, b)  # <- OX9001",
    "a chain that is dropped": "double.op(a, b).first().then(lambda p: double.op(p, c))  # <- OX9001",
    "an operation that nobody reads": "def run():\n    op = double.op(a, b)  # <- OX9001\nrun()",
    "what an operation took": "op = double.op(a, b)\ndouble.launch(stream, c, b)  # <- OX0382\nop.sync()",
    "freed while an operation has it": "op = double.op(a, b)\na.free(stream)  # <- OX0505\nop.sync()",
    "moved by a partition": "z = ox.zeros((N,), f32).sync()\nadd(z.partition((128,)), z, a.view((N,))).sync()  # <- OX0382",
    "moved on one path": "z = ox.zeros((N,), f32).sync()\nif stream:\n    p = z.partition((128,))\nz.partition((64,))  # <- OX0382",
    "moved in the round before": "z = ox.zeros((N,), f32).sync()\nwhile stream:\n    z.partition((64,))  # <- OX0382",
    "a partition that was taken": "z = ox.zeros((N,), f32).sync().partition((64,))\nparts = [z]\nback, _, _ = add(z, a, b).sync()\n"
    "add(parts[0], a, b).sync()  # <- OX0382",
}

RIGHT = {
    "different buffers": "double.launch(stream, a, b)\ndouble.launch(stream, b, a)",
    "shared twice": "add2 = double\nscaled.launch(stream, a, b, 2.0)\nscaled.launch(stream, a, b, 2.0, 3)",
    "parts apart": "double.launch(stream, a[0:512], a[512:])\ndouble.launch(stream, a[512:][0:10], a[0:512])\ndouble.launch(stream, a[-10:], a[:-10])",
    "parts that nobody knows": "def run(n):\n    double.launch(stream, a[0:n], a[n:])\n    double.launch(stream, a[: n // 2], a[n // 2 :])",
    "an empty part": "double.launch(stream, a[4:4], a)",
    "buffers that change places": "for _ in range(100):\n    double.launch(stream, a, b)\n    a, b = b, a",
    "changing places unseen": "while stream:\n    double.launch(stream, a, b)\n    a, b = b, a",
    "one or the other": "d = a if stream else b\ndouble.launch(stream, d, a if not stream else b)",
    "a new one each time": "def make():\n    return ox.DeviceBuffer.zeros(stream, N, f32)\ndouble.launch(stream, make(), make())",
    "a new one each round": "old = a\nfor _ in range(3):\n    new = ox.DeviceBuffer.zeros(stream, N, f32)\n"
    "    double.launch(stream, old, new)\n    old = new",
    "expected": "try:\n    double.launch(stream, a, a)\nexcept ox.BorrowError as error:\n    pass",
    "expected by a test": "with pytest.raises(BorrowError):\n    double.launch(stream, a, a)\nwith refused('OX2007'):\n    double.launch(stream)",
    "unchecked": "with unsafe('why'):\n    double.launch_unchecked(stream, None, a, a)",
    "not reached": "def run():\n    return\n    double.launch(stream, a, a)",
    "an attribute that changes": "def run(self):\n    p = self.p\n    self.swap()\n    double.launch(stream, p, self.p)",
    "one object or another": "for p in (a, b):\n    for q in (a, b):\n        if p is q:\n            continue\n"
    "        double.launch(stream, p, q)\n        double.launch(stream, a, b if p is a and not q is a else c)",
    "other numbers": "every = [a, b, c]\nfor i, p in enumerate(every):\n    for j, q in enumerate(every):\n"
    "        if i != j:\n            double.launch(stream, p, q)",
    "a default": "def run(p, q=None):\n    if q is None:\n        q = ox.DeviceBuffer.zeros(stream, N, f32)\n"
    "    double.launch(stream, p, q)\nrun(a)\nrun(a, b)",
    "expected by a class that is handed over": "def raises(kind, run):\n    try:\n        run()\n    except kind:\n        return\n"
    "raises(BorrowError, lambda: double.launch(stream, a, a))\nkinds = (BorrowError, KeyError)\n"
    "try:\n    double.launch(stream, a, a)\nexcept kinds:\n    pass",
    "a property": "class Pool:\n    @property\n    def new(self):\n        return ox.DeviceBuffer.zeros(stream, N, f32)\n"
    "    def run(self):\n        double.launch(stream, self.new, self.new)",
    "a name that others may bind anew": "def run(s):\n    p = [BUFFER[:8]]\n    N()\n    double.launch(s, p[0], BUFFER[:8])",
    "a list that others change": "every = [a, b]\nN(every)\ndouble.launch(stream, every[0], a)",
    "a name that is taken": "def run(double, s, p):\n    double.launch(s, p, p)",
    "starred": "double.launch(stream, *[a, b])\nrest = {'y': b}\ndouble.launch(stream, a, **rest)",
    "freed on one path": "if stream:\n    a.free(stream)\ndouble.launch(stream, a, b)",
    "an operation that is run": "double.op(a, b).sync()\nop = double.op(c, a)\nop.sync_on(stream)",
    "operations that go elsewhere": "ops = [double.op(a, b)]\ndef run():\n    return double.op(a, c)\nrun().sync()",
    "awaited": "async def run():\n    p, q = await double.op(a, b)\n    double.launch(stream, p, c)",
    "given back": "op = double.op(a, b)\np, q = op.sync()\ndouble.launch(stream, p, q)\nq.free(stream)",
    "moved and given back": "z = ox.zeros((N,), f32).sync()\nwhile stream:\n    z = z.partition((64,)).unpartition()",
    "one move a path": "z = ox.zeros((N,), f32).sync()\nif stream:\n    p = z.partition((64,))\nelse:\n    p = z.partition((128,))",
    "strings have partitions": "def run(text):\n    text.partition(':')\n    return text.partition(':')",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str) -> None:
    source = HEAD + WRONG[name]
    assert found(source) == expected(source) != []
    inside = HEAD.strip() + "\n" + WRONG[name]
    source = "def main():\n" + "".join(f"    {line}\n" for line in inside.splitlines())
    assert found(source) == expected(source), "inside of a function"
    assert all(one.help for one in analyse(ast.parse(source), source, "main.py", lookup))


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    assert found(HEAD + RIGHT[name]) == []


def test_the_way_to_a_helper_is_told() -> None:
    source = HEAD + dedent("""
        def run(p, q):
            double.launch(stream, p, q)

        run(a, a)
    """)
    (one,) = analyse(ast.parse(source), source, "main.py", lookup)
    assert [(label.span.line, label.text) for label in one.labels] == [
        (6, "`double` reads it as `x`"),
        (6, "`double` writes it as `y`"),
        (8, "called from here"),
    ]


def test_much_code_ends() -> None:
    deep = "".join(f"{'    ' * depth}while stream:\n" for depth in range(18)) + "    " * 18 + "double.launch(stream, a, b)\n"
    wide = "".join(f"def f{number}():\n    return f{number + 1}(), f{number + 1}()\n" for number in range(40))
    assert found(HEAD + deep) == [] and found(HEAD + wide) == []
