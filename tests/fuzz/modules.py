"""Random kernel IR, made with the builder: reaches shapes of control flow that the frontend does not write."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from fuzz.types import data, python_value

from oxidepy.ir.core import Block, Builder, Function, Kernel, Module, ParamInfo, Value
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import BOOL, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Memory, Scalar

TYPES = (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64)
ELEMENTS = 64
# made by methods of their own; copysign shows the sign of a NaN, which nothing fixes
_SKIPPED = {"const", "undef", "inbounds", "select", "table", "cast", "bitcast", "floordiv", "mod", "copysign"}
_CLASSES = {
    "any": lambda one: True,
    "int": lambda one: one.is_int,
    "float": lambda one: one.is_float,
    "number": lambda one: one.kind != "bool",
    "bool": lambda one: one.kind == "bool",
}
_CONSTANTS = (0, 1, 2, 3, 7, 31, 63, 100, -1, -2)


def _operations(type_: Scalar) -> list[str]:
    rows = [one for one in OPS.values() if one.effect == "pure" and one.result in ("same", "bool") and one.name not in _SKIPPED]
    return [one.name for one in rows if _CLASSES[one.types](type_) and not (type_.is_float and one.name in ("and", "or", "xor", "not"))]


_BY_TYPE = {type_: _operations(type_) for type_ in TYPES}


class ModuleMaker:
    """One module: in0… are read, out0… written, each of 64 elements, one thread an element."""

    def __init__(self, rng: random.Random, checks: bool) -> None:
        self.rng = rng
        self.checks = checks
        self.labels = 0
        self.module: Module
        self.scopes: list[tuple[str, list[Scalar]]] = []
        self.functions: dict[str, Function] = {}

    def make(self) -> Module:
        for number in range(self.rng.randrange(0, 3)):
            self.function(f"f{number}")
        inputs = [Value(Memory(self.rng.choice(TYPES)), f"in{number}") for number in range(3)]
        self.outs = [Value(Memory(self.rng.choice(TYPES), access="disjoint"), f"out{number}") for number in range(2)]
        params = [*inputs, *self.outs, Value(self.rng.choice(TYPES), "s")]
        infos = [ParamInfo(one.name, "memory" if isinstance(one.type, Memory) else "scalar") for one in params]
        kernel = Kernel("random", params, infos, Block(), coordinates=I32, block=(32, 1, 1))
        self.build = Builder(kernel.body)
        self.index = self.build.value("intrinsic", type=I32, row="thread.global_id.x")
        known = [self.index, params[-1]]
        known += [self.build.value("load", one, self.index, type=one.memory.element, offset=0) for one in inputs]
        self.in_kernel = True
        self.statements(known, 3)
        for out in self.outs:
            self.store(known, out)
        self.build.emit("return")
        return Module(kernel, self.functions)

    def function(self, name: str) -> None:
        params = [Value(self.rng.choice(TYPES), f"p{number}") for number in range(2)]
        body = Block()
        self.build, self.in_kernel = Builder(body), False
        known = list(params)
        self.statements(known, 1)
        results = [self.rng.choice(TYPES)]
        self.build.emit("return", [self.any(known, one) for one in results], ())
        self.functions[name] = Function(name, params, tuple(results), body)

    # ---- values

    def any(self, known: list[Value], type_: Scalar) -> Value:
        """A value of the type: one that is known, else a constant."""
        found = [one for one in known if one.type == type_]
        if found and self.rng.random() < 0.85:
            return self.rng.choice(found)
        if type_ == BOOL:
            return self.build.const(BOOL, self.rng.random() < 0.5)
        if type_.is_float:
            return self.build.const(type_, float(self.rng.choice((0.0, -0.0, 1.0, 0.5, -2.5, 1e10, float("inf"), float("nan")))))
        return self.build.const(type_, max(type_.min, self.rng.choice((*_CONSTANTS, type_.max, type_.min))))

    def step(self, known: list[Value]) -> None:
        """One operation more."""
        kind = self.rng.random()
        if kind < 0.15 and known:
            known.append(self.build.value("cast", self.rng.choice(known), type=self.rng.choice(TYPES)))
        elif kind < 0.22:
            type_ = self.rng.choice(TYPES)
            known.append(self.build.value("select", self.any(known, BOOL), self.any(known, type_), self.any(known, type_), type=type_))
        elif kind < 0.32:
            self.divide(known)
        elif kind < 0.4 and self.functions and self.in_kernel:
            function = self.rng.choice(list(self.functions.values()))
            operands = [self.any(known, one.scalar) for one in function.params]
            known += self.build.emit("call", operands, function.results, {"callee": function.name}).results
        else:
            type_ = self.rng.choice(TYPES)
            name = self.rng.choice(_BY_TYPE[type_])
            known.append(self.build.value(name, *(self.any(known, type_) for _ in range(OPS[name].operands))))

    def divide(self, known: list[Value]) -> None:
        type_ = self.rng.choice(TYPES[1:])
        a, b = self.any(known, type_), self.any(known, type_)
        if type_.is_int:
            b = self.build.value("or", b, self.build.const(type_, 1))
        known.append(self.build.value(self.rng.choice(("floordiv", "mod")), a, b))

    def store(self, known: list[Value], out: Value) -> None:
        self.build.emit("store", [out, self.index, self.any(known, out.memory.element)], (), {"offset": 0})

    # ---- control

    def statements(self, known: list[Value], depth: int) -> None:
        for _ in range(self.rng.randrange(2, 7)):
            kind = self.rng.random()
            if depth > 0 and kind < 0.4:
                self.rng.choice((self.branch, self.branch, self.count, self.repeat, self.scope))(known, depth - 1)
            elif kind < 0.45 and self.in_kernel:
                self.store(known, self.rng.choice(self.outs))
            elif kind < 0.5 and self.in_kernel and self.checks:
                self.check(known)
            else:
                self.step(known)

    def check(self, known: list[Value]) -> None:
        if self.rng.random() < 0.5:
            self.build.check(self.any(known, BOOL), "OX7002", "told")
        else:
            index, length = self.any(known, I32), self.build.const(I32, 60)
            self.build.check(self.build.value("inbounds", index, length), "OX7001", "outside", index, length)

    def types(self) -> list[Scalar]:
        return [self.rng.choice(TYPES) for _ in range(self.rng.randrange(0, 3))]

    def region(self, args: list[Scalar], known: list[Value], depth: int, results: list[Scalar], ending: str = "yield") -> Block:
        """A region that ends by passing results, or now and then by leaving a scope around it."""
        block = Block(args)
        with self.build.at(block):
            inside = [*known, *block.args]
            self.statements(inside, depth)
            if self.scopes and self.rng.random() < 0.2:
                label, types = self.rng.choice(self.scopes)
                self.build.emit("leave", [self.any(inside, one) for one in types], (), {"label": label})
            else:
                self.build.emit(ending, [self.any(inside, one) for one in results], ())
        return block

    def branch(self, known: list[Value], depth: int) -> None:
        types = self.types()
        condition = self.any(known, BOOL)
        regions = [self.region([], known, depth, types) for _ in range(2)]
        known += self.build.emit("if", [condition], types, {}, regions).results

    def count(self, known: list[Value], depth: int) -> None:
        """A for of at most four rounds."""
        types = self.types()
        type_ = self.rng.choice([one for one in TYPES if one.is_int])
        three = self.build.const(type_, 3)
        start = self.build.value("and", self.any(known, type_), three)
        down = type_.signed and self.rng.random() < 0.3
        step = self.build.const(type_, self.rng.choice((-1, -2)) if down else self.rng.choice((1, 2, 3)))
        stop = self.build.const(type_, -1 if down else 4)
        initial = [self.any(known, one) for one in types]
        body = self.region([type_, *types], known, depth, types)
        known += self.build.emit("for", [start, stop, step, *initial], types, {"positive": not down}, [body]).results

    def repeat(self, known: list[Value], depth: int) -> None:
        """A while with a counter of its own."""
        types = self.types()
        initial = [self.build.const(I32, 0), *(self.any(known, one) for one in types)]
        test = Block([I32, *types])
        with self.build.at(test):
            more = self.build.value("lt", test.args[0], self.build.const(I32, self.rng.randrange(0, 5)))
            flag = self.build.value("and", more, self.any([*known, *test.args], BOOL)) if self.rng.random() < 0.5 else more
            self.build.emit("condition", [flag, *test.args], ())
        body = self.region([I32, *types], known, depth, types)
        if body.terminator.name == "yield":
            end = body.ops.pop()
            with self.build.at(body):
                counted = self.build.value("add", body.args[0], self.build.const(I32, 1))
                self.build.emit("yield", [counted, *end.operands], ())
        known += self.build.emit("while", initial, [I32, *types], {}, [test, body]).results

    def scope(self, known: list[Value], depth: int) -> None:
        types = self.types()
        self.labels += 1
        label = f"l{self.labels}"
        self.scopes.append((label, types))
        body = self.region([], known, depth, types)
        self.scopes.pop()
        known += self.build.emit("scope", (), types, {"label": label}, [body]).results


def random_module(seed: int, checks: bool = False) -> Module:
    return ModuleMaker(random.Random(seed), checks).make()


def random_arguments(module: Module, seed: int) -> list[Any]:
    """Arguments for `interpreter.run`: bytes of memory, numbers."""
    rng = random.Random(seed)
    args: list[Any] = []
    for param in module.kernel.params:
        if isinstance(param.type, Memory):
            args.append(data(rng, str(param.type.element), ELEMENTS).view(np.uint8))
        else:
            args.append(python_value(rng, param.type.name))
    return args
