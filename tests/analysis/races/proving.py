"""Helpers of the tests of the race prover: kernels as text, and what is said of them."""

from __future__ import annotations

from oxidepy.analysis import races
from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Module
from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import verify

PARAMS = """kernel @k(
  %x: mem<f32, global, shared> = memory "x",
  %x.len: i32 = length "x",
  %w: mem<i32, global, shared> = memory "w",
  %w.len: i32 = length "w",
  %y: mem<f32, global, exclusive> = memory "y",
  %y.len: i32 = length "y",
  %z: mem<i32, global, exclusive> = memory "z",
  %z.len: i32 = length "z",
  %n: i32 = scalar "n",
  %m: i32 = scalar "m"
)"""
HEAD = """
  %t = intrinsic "thread.idx.x" : i32
  %ty = intrinsic "thread.idx.y" : i32
  %b = intrinsic "block.idx.x" : i32
  %by = intrinsic "block.idx.y" : i32
  %g = intrinsic "thread.global_id.x" : i32
  %gy = intrinsic "thread.global_id.y" : i32
  %lane = intrinsic "warp.lane" : i32
  %warp = intrinsic "warp.id" : i32
  %s = alloc "s" [align = 16, count = 1024] : mem<f32, shared, exclusive>
  %q = alloc "q" [align = 16, count = 1024] : mem<i32, shared, exclusive>
  %full = const 4294967295 : u32
  %f = const 1.0 : f32
"""
SYNC = 'intrinsic "block.sync"'


def kernel(body: str, facts: str = "domain 1 block 256x1x1") -> Module:
    """`body` uses the parameters and values above; `#5` is the constant 5, `s[%i] = %v` stores, `%v = s[%i]` loads (also y, z, x, w, q)."""
    constants: dict[str, None] = {}
    lines: list[str] = []
    for number, line in enumerate(body.splitlines()):
        words = line.strip()
        for word in words.replace(",", " ").replace("]", " ").replace("[", " ").split():
            if word.startswith("#"):
                constants[word[1:]] = None
        place = f' loc("k.py":{number + 1}:1-{number + 1}:9)'
        memory = words.split("[")[0].split("= ")[-1]
        if "[%" in words or "[#" in words:
            if words.startswith("%"):  # a load
                name, index = words.split(" = ")[0], words[words.index("[") + 1 : words.index("]")]
                type_ = "i32" if memory in ("w", "z", "q") else "f32"
                words = f"{name} = load %{memory}, {index} [offset = 0] : {type_}{place}"
            elif "] = " in words:
                words = f"store %{memory}, {words[words.index('[') + 1 : words.index(']')]}, {words.split('] = ')[1]} [offset = 0]{place}"
        lines.append(words)
    made = "".join(f"  %c{value.replace('-', 'm')} = const {value} : i32\n" for value in constants)
    text = "\n".join(lines)
    for value in sorted(constants, key=len, reverse=True):
        text = text.replace(f"#{value}", f"%c{value.replace('-', 'm')}")
    module = parse_module(f"{PARAMS} {facts} coordinates i32 {{{HEAD}{made}{text}\nreturn\n}}\n")
    verify(module)
    return module


def guarded(index: str, memory: str) -> str:
    """A bounds check as the frontend makes it."""
    name = f"%in{abs(hash((index, memory))) % 10**8}"
    return f'{name} = inbounds {index}, %{memory}.len : bool\ncheck "OX7001" {name}, {index}, %{memory}.len [message = "m"]'


def findings(body: str, facts: str = "domain 1 block 256x1x1") -> list[Diagnostic]:
    return list(races.prove(kernel(body, facts)).diagnostics)


def codes(body: str, facts: str = "domain 1 block 256x1x1") -> list[str]:
    return sorted({one.code for one in findings(body, facts)})
