"""Kernels as text that execute rows of the table which are instructions, each argument a value of its type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from oxidepy.ir.core import Module
from oxidepy.ir.intrinsics import Address, Intrinsic
from oxidepy.ir.parser import parse_module
from oxidepy.ir.verifier import verify

_PLACE = re.compile(r"@@(\d+)")
_FLOATS = ("f16", "bf16", "f32", "f64")


def calls(row: Intrinsic, most: int = 4) -> list[str]:
    """The row with the choices of its immediates (at most so many of each), its results stored where they can be seen."""
    assert row.assembly is not None
    code = row.assembly
    chosen = [[(one.name, value) for value in _few(one.choices, most)] for one in code.immediates]
    operands: list[str] = []
    for one in code.arguments:
        if isinstance(one, Address):
            element = one.elements[0] if one.elements else "u32"
            operands += [f"%{one.spaces[0]}.{element}", "%zero"]
        else:
            operands += [f"%a.{one.type}"] * one.count
    out: list[str] = []
    for attrs in product(*chosen):
        shown = ", ".join(f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in attrs)
        call = f'intrinsic "{row.name}" ' + ", ".join(operands) + (f" [{shown}]" if shown else "")
        if not row.results():
            out.append(call)
            continue
        types = row.results()
        names = ", ".join(f"@{number}" for number in range(len(types)))
        stores = "".join(f"@c{number} = const @@{number} : i32\n@at{number} = add %tid, @c{number} : i32\n" for number in range(len(types)))
        stores += "\n".join(f"store %out.{type_}, @at{number}, @{number} [offset = 0]" for number, type_ in enumerate(types))
        out.append(f"{names} = {call} : {', '.join(types)}\n{stores}")
    return out


def _few(values: Sequence[int | str], most: int) -> list[int | str]:
    return list(values) if len(values) <= most else [*values[: most - 1], values[-1]]


def module_of(texts: Sequence[str], threads: int = 128) -> Module:
    """A kernel of these calls. `@n` in a text is a name of its own."""
    names = ("bool", "i32", "u32", "i64", "u64", *_FLOATS, "u16", "i16")
    params = [f'%out.{one}: mem<{one}, global, exclusive> = memory "out {one}"' for one in names]
    params += [f'%given.{one}: {one} = scalar "given {one}"' for one in names]
    params += [f'%global.{one}: mem<{one}, global, exclusive> = memory "global {one}"' for one in names]
    params += ['%param.u32: mem<u32, param, shared> = tensor_map "map"'] if any("%param." in text for text in texts) else []
    lines = ['%tid = intrinsic "thread.idx.x" : i32', "%zero = const 0 : i32"]
    for one in names:
        attrs = f'[align = 1024, count = 64, name = "{one}"]'
        lines.append(f"%shared.{one} = alloc {attrs} : mem<{one}, shared, exclusive>")
        lines.append(f"%a.{one} = load %global.{one}, %tid [offset = 0] : {one}")
    for number, text in enumerate(texts):
        text = _PLACE.sub(lambda found, number=number: str(1024 * (256 * number + int(found[1]))), text)
        lines.append(text.replace("@", f"%r{number}_"))
    facts = f"domain 1 block {threads}x1x1 coordinates i32"
    if any("%cluster." in text for text in texts):
        facts += " cluster 2x1x1"
        lines[2:2] = [f"%cluster.{one} = map_shared %shared.{one}, %zero : mem<{one}, cluster, exclusive>" for one in names]
        lines[2:2] = [line for line in lines if line.startswith("%shared.")]
        lines = list(dict.fromkeys(lines))
    body = "\n".join(lines)
    module = parse_module(f"kernel @k({', '.join(params)}) {facts} {{\n{body}\nreturn\n}}\n")
    verify(module)
    return module
