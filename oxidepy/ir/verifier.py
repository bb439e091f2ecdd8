"""Checks that kernel IR is well formed: what passes and backends rely on. A finding is a fault of the compiler, never of the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oxidepy.ir.core import Block, Function, Kernel, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS, Address, Assembly
from oxidepy.ir.intrinsics.row import Argument
from oxidepy.ir.ops import ATOMICS, OPS, ORDERS, SCOPES, WHOLE
from oxidepy.ir.printer import print_op
from oxidepy.ir.types import BOOL, I32, I64, SCALARS, Memory, Scalar, Struct, Type, words

_CLASSES: dict[str, Callable[[Scalar], bool]] = {
    "any": lambda type_: True,
    "int": lambda type_: type_.is_int,
    "float": lambda type_: type_.is_float,
    "number": lambda type_: type_.kind != "bool",
    "bool": lambda type_: type_.kind == "bool",
}
_BITWISE = frozenset(("and", "or", "xor", "not"))
_ENDINGS: dict[str, tuple[frozenset[str], ...]] = {
    "if": (frozenset(("yield", "leave")),) * 2,
    "for": (frozenset(("yield", "leave")),),
    "while": (frozenset(("condition", "leave")), frozenset(("yield", "leave"))),
    "scope": (frozenset(("yield", "leave")),),
}
_RETURN = frozenset(("return",))
_ATOMIC_CLASSES = {"add": "number", "sub": "number", "min": "number", "max": "number", "and": "int", "or": "int", "xor": "int"}
# a load has nothing to release, a store nothing to acquire
_ATOMIC_ORDERS = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst")}
_ROW_VALUES = {"mask": ("full", "tile", "active"), "width": (1, 2, 4, 8, 16, 32)}


class InvalidIR(Exception):
    """The IR of a module is broken. `findings` lists every fault, each with the text of its operation."""

    def __init__(self, findings: Sequence[str]) -> None:
        self.findings = tuple(findings)
        super().__init__("kernel IR is not well formed:\n" + "\n".join(f"  {one}" for one in findings))


def verify(module: Module) -> None:
    """InvalidIR unless the module is well formed: operands, types, dominance, terminators, regions, leaves and calls."""
    findings: list[str] = []
    for key, function in module.functions.items():
        if key != function.name:
            findings.append(f"function {function.name!r} is filed under {key!r}")
        _Verifier(module, findings).function(function)
    _Verifier(module, findings).kernel(module.kernel)
    if findings:
        raise InvalidIR(findings)


class _Verifier:
    """One kernel or function: which values are visible, which scopes enclose."""

    def __init__(self, module: Module, findings: list[str]) -> None:
        self.module = module
        self.findings = findings
        self.visible: set[Value] = set()
        self.defined: set[Value] = set()
        self.scopes: dict[str, Op] = {}
        self.results: tuple[Type, ...] = ()
        self.pure = False
        self.checkers: dict[str, Callable[[Op], None]] = {
            "const": self._const,
            "undef": self._undef,
            "select": self._select,
            "table": self._table,
            "cast": self._cast,
            "bitcast": self._bitcast,
            "load": self._access,
            "store": self._access,
            "alloc": self._alloc,
            "map_shared": self._map_shared,
            "atomic": self._atomic,
            "fence": lambda op: self._one_of(op, "scope", SCOPES),
            "intrinsic": self._intrinsic,
            "call": self._call,
            "check": self._check,
            "panic": self._panic,
            "print": self._print,
            "ptx": self._ptx,
            "if": self._if,
            "for": self._for,
            "while": self._while,
            "scope": self._scope,
            "leave": self._leave,
            "return": lambda op: self.types(op, "operands", op.operands, self.results),
        }

    def say(self, op: Op, text: str) -> None:
        self.findings.append(f"{print_op(op)}: {text}" + (f" ({op.span})" if op.span else ""))

    def types(self, op: Op, what: str, values: Sequence[Value], wanted: Sequence[Type]) -> None:
        found = [one.type for one in values]
        if found != list(wanted):
            self.say(op, f"{what} are ({', '.join(map(str, found))}), wanted ({', '.join(map(str, wanted))})")

    # ---- the wholes

    def kernel(self, kernel: Kernel) -> None:
        if len(kernel.params) != len(kernel.infos):
            self.findings.append(f"kernel {kernel.name!r} has {len(kernel.params)} parameters and {len(kernel.infos)} infos")
        for param, info in zip(kernel.params, kernel.infos):  # noqa: B905 - the count is checked above
            if (info.role in ("memory", "tensor_map")) != isinstance(param.type, Memory):
                self.findings.append(f"parameter {param.name!r} of type {param.type} has the role {info.role!r}")
            if info.role == "length" and param.type != (kernel.coordinates or I32):
                self.findings.append(f"length {param.name!r} is {param.type}, not of the coordinate type")
        self._body(kernel.params, kernel.body, kernel.exported.results() if kernel.exported is not None else ())

    def function(self, function: Function) -> None:
        self.pure = True
        for param in function.params:
            if not isinstance(param.type, Scalar):
                self.findings.append(f"function {function.name!r} takes a {param.type}")
        self._body(function.params, function.body, function.results)

    def _body(self, params: list[Value], body: Block, results: tuple[Type, ...]) -> None:
        self.results = results
        self.visible.update(params)
        if body.args:
            self.findings.append("the body of a kernel or function has arguments")
        self.block(body, _RETURN, "the body")

    def block(self, block: Block, endings: frozenset[str], what: str) -> None:
        before = set(self.visible)
        self._define(block.args, what)
        for number, op in enumerate(block.ops):
            last = number == len(block.ops) - 1
            if op.is_terminator and not last:
                self.say(op, "is followed by other operations")
            self.op(op)
            if last and op.name not in endings:
                self.say(op, f"{what} must end in {' or '.join(sorted(endings))}")
        if not block.ops:
            self.findings.append(f"{what} is empty, it must end in {' or '.join(sorted(endings))}")
        self.visible = before

    def _define(self, values: Sequence[Value], what: str) -> None:
        for value in values:
            if value in self.defined:
                self.findings.append(f"{value} is defined twice ({what})")
        self.defined.update(values)
        self.visible.update(values)

    def op(self, op: Op) -> None:
        info = OPS.get(op.name)
        if info is None:
            self.say(op, "is no operation of the table")
            return
        fine = len(self.findings)
        for operand in op.operands:
            if operand not in self.visible:
                self.say(op, f"uses {operand}, which is not defined on every path to it")
        if info.operands >= 0 and len(op.operands) != info.operands:
            self.say(op, f"has {len(op.operands)} operands, wanted {info.operands}")
        missing = [key for key in info.attrs if key not in op.attrs]
        if missing:
            self.say(op, f"lacks {', '.join(missing)}")
        if len(op.regions) != info.regions:
            self.say(op, f"has {len(op.regions)} regions, wanted {info.regions}")
        if self.pure and info.effect not in ("pure", "control"):
            self.say(op, "is not allowed in a function, which is pure")
        if len(self.findings) == fine:
            if info.result in ("same", "bool"):
                self._uniform(op)
            if op.name in self.checkers:
                self.checkers[op.name](op)
        self._define(op.results, op.name)

    # ---- rules by operation

    def _uniform(self, op: Op) -> None:
        """All operands of one scalar type of the right class, the result as the table says."""
        info, type_ = OPS[op.name], op.operands[0].type
        if not isinstance(type_, Scalar) or not _CLASSES[info.types](type_) or (op.name in _BITWISE and type_.is_float):
            self.say(op, f"does not take {type_}")
            return
        self.types(op, "operands", op.operands, [type_] * info.operands)
        self.types(op, "results", op.results, [type_ if info.result == "same" else BOOL])

    def _const(self, op: Op) -> None:
        value = op.attrs["value"]
        if len(op.results) != 1 or not isinstance(op.results[0].type, Scalar):
            self.say(op, "gives one scalar")
            return
        type_ = op.results[0].scalar
        wanted = bool if type_.kind == "bool" else float if type_.is_float else int
        if type(value) is not wanted:
            self.say(op, f"holds a {type(value).__name__}, wanted {wanted.__name__}")
        elif type_.is_int and not type_.min <= value <= type_.max:
            self.say(op, f"does not fit {type_}")

    def _undef(self, op: Op) -> None:
        if len(op.results) != 1 or not isinstance(op.results[0].type, Scalar):
            self.say(op, "gives one scalar")

    def _select(self, op: Op) -> None:
        type_ = op.operands[1].type
        if not isinstance(type_, Scalar):
            self.say(op, f"cannot choose between two {type_}")
        self.types(op, "operands", op.operands, (BOOL, type_, type_))
        self.types(op, "results", op.results, (type_,))

    def _table(self, op: Op) -> None:
        if len(op.results) != 1 or not isinstance(op.results[0].type, Scalar) or not op.operands[0].scalar.is_int:
            self.say(op, "gives one scalar by an integer")
            return
        wanted = bool if op.result.scalar == BOOL else float if op.result.scalar.is_float else int
        if not op.attrs["values"] or any(type(one) is not wanted for one in op.attrs["values"]):
            self.say(op, f"wants values of {wanted.__name__}")

    def _cast(self, op: Op) -> None:
        if len(op.results) != 1 or not isinstance(op.results[0].type, Scalar) or not isinstance(op.operands[0].type, Scalar):
            self.say(op, "turns one scalar into one scalar")

    def _bitcast(self, op: Op) -> None:
        types = [one.type for one in (*op.operands, *op.results)]
        if len(types) != 2 or not all(isinstance(one, Scalar) and one.bits > 1 for one in types):
            self.say(op, "turns one number into one number")
        elif op.operands[0].scalar.bits != op.results[0].scalar.bits:
            self.say(op, "changes the width")

    def _leaf(self, op: Op) -> tuple[Memory, Scalar] | None:
        """The memory that an access is to and the type of the scalar there; None, with a finding, if there is no such."""
        memory, index = op.operands[0].type, op.operands[1].type
        if not isinstance(memory, Memory):
            self.say(op, f"accesses a {memory}, not memory")
            return None
        if index not in (I32, I64):
            self.say(op, f"is indexed by {index}, wanted i32 or i64")
        offset = op.attrs["offset"]
        element = memory.element
        leaves = {at: leaf for _, leaf, at in element.leaves()} if isinstance(element, Struct) else {0: element}
        if offset not in leaves:
            self.say(op, f"has no field at byte {offset}")
            return None
        return memory, leaves[offset]

    def _writes(self, op: Op, memory: Memory) -> None:
        if memory.access == "shared" or memory.space == "const":
            self.say(op, "writes read-only memory")

    def _access(self, op: Op) -> None:
        found = self._leaf(op)
        if found is None:
            return
        memory, type_ = found
        if op.name == "load":
            self.types(op, "results", op.results, (type_,))
            return
        self.types(op, "values", op.operands[2:], (type_,))
        self.types(op, "results", op.results, ())
        self._writes(op, memory)

    def _one_of(self, op: Op, key: str, known: Sequence[object]) -> None:
        if op.attrs[key] not in known:
            self.say(op, f"has the {key} {op.attrs[key]!r}, wanted one of {', '.join(map(str, known))}")

    def _alloc(self, op: Op) -> None:
        memory = op.results[0].type if len(op.results) == 1 else None
        if not isinstance(memory, Memory) or memory.space not in ("shared", "local") or memory.access != "exclusive":
            self.say(op, "gives one exclusive memory object, shared or local")
            return
        count, align = op.attrs["count"], op.attrs["align"]
        if op.operands:
            if len(op.operands) > 1 or op.operands[0].type not in (I32, I64) or count != 0 or memory.space != "shared":
                self.say(op, "takes its count as an operand, one i32 or i64, only for shared memory and where the attribute is 0")
        elif type(count) is not int or count < 1:
            self.say(op, f"holds {count!r} elements")
        if type(align) is not int or align & (align - 1) or align < memory.element.align:
            self.say(op, f"is aligned to {align!r}; wanted a power of two from {memory.element.align} on")

    def _map_shared(self, op: Op) -> None:
        memory = op.operands[0].type
        if not isinstance(memory, Memory) or memory.space != "shared" or self.module.kernel.cluster is None:
            self.say(op, "takes shared memory, in a kernel with clusters")
            return
        self.types(op, "rank", op.operands[1:], (I32,))
        self.types(op, "results", op.results, (Memory(memory.element, "cluster", "exclusive"),))

    def _atomic(self, op: Op) -> None:
        kind = op.attrs["kind"]
        whole = words(op.operands[0].memory.element) if "whole" in op.attrs else ()
        if kind not in (WHOLE if "whole" in op.attrs else ATOMICS) or len(op.operands) != 2 + max(len(whole), 1) * ATOMICS[kind]:
            self.say(op, "is no atomic access of the table, or has another count of operands than that")
            return
        self._one_of(op, "order", _ATOMIC_ORDERS.get(kind, ORDERS))
        self._one_of(op, "scope", SCOPES)
        found = self._leaf(op)
        if found is None:
            return
        memory, type_ = found
        types = whole or (type_,)
        if "whole" in op.attrs and (not whole or op.attrs["offset"]):
            self.say(op, f"accesses {memory.element} at byte {op.attrs['offset']} in one piece")
        if memory.space == "local":
            self.say(op, "accesses local memory, which no other thread sees")
        if kind != "load":
            self._writes(op, memory)
        if not whole and (type_.kind == "bool" or not _CLASSES[_ATOMIC_CLASSES.get(kind, "any")](type_)):
            self.say(op, f"does not take {type_}")
        self.types(op, "values", op.operands[2:], types * ATOMICS[kind])
        self.types(op, "results", op.results, () if kind == "store" else types)

    def _intrinsic(self, op: Op) -> None:
        row = ROWS.get(op.attrs["row"])
        if row is None:
            self.say(op, "names no row of the table of intrinsics")
            return
        if self.pure and row.effect != "pure":
            self.say(op, "is not allowed in a function, which is pure")
        if row.assembly is not None:
            self._instruction(op, row.assembly)
            return
        known: dict[str, Type] = {**SCALARS, "coord": self.module.kernel.coordinates or I32}
        if "T" in row.operands:
            generic = op.operands[row.operands.index("T")].type if len(op.operands) == len(row.operands) else None
            if not isinstance(generic, Scalar):
                self.say(op, f"takes {len(row.operands)} scalars")
                return
            known["T"] = generic
        self.types(op, "operands", op.operands, [known[one] for one in row.operands])
        self.types(op, "results", op.results, [] if row.result == "none" else [known[row.result]])
        wanted = [key for key, _ in row.attrs]
        if sorted(wanted) != sorted(key for key in op.attrs if key not in ("row", "unsafe")):
            self.say(op, f"wants the attributes ({', '.join(wanted)})")
            return
        for key in wanted:
            self._one_of(op, key, _ROW_VALUES[key])

    def _instruction(self, op: Op, code: Assembly) -> None:
        """Operands and results as the instruction has them: an address is a memory object and an index in elements."""
        wanted = [type_ for one in code.arguments for type_ in self._of_argument(one)]
        places = [one for one in op.operands if isinstance(one.type, Memory)]
        for one, value in zip((one for one in code.arguments if isinstance(one, Address)), places):  # noqa: B905 - the types are checked
            if value.memory.space not in one.spaces or (one.elements and str(value.memory.element) not in one.elements):
                self.say(op, f"takes no {value.memory} as `{one.name}`")
            elif one.writes:
                self._writes(op, value.memory)
        found = ["memory" if isinstance(one.type, Memory) else str(one.type) for one in op.operands]
        if len(found) != len(wanted) or any(have not in want for have, want in zip(found, wanted, strict=True)):
            self.say(op, f"operands are ({', '.join(found)}), wanted ({', '.join('|'.join(one) for one in wanted)})")
        self.types(op, "results", op.results, [SCALARS[one.type] for one in code.gives for _ in range(one.count)])
        if sorted(one.name for one in code.immediates) != sorted(key for key in op.attrs if key != "row"):
            self.say(op, f"wants the attributes ({', '.join(one.name for one in code.immediates)})")
            return
        for immediate in code.immediates:
            self._one_of(op, immediate.name, immediate.choices)

    @staticmethod
    def _of_argument(one: Argument) -> list[tuple[str, ...]]:
        return [("memory",), ("i32", "i64")] if isinstance(one, Address) else [(one.type,)] * one.count

    def _call(self, op: Op) -> None:
        function = self.module.functions.get(op.attrs["callee"])
        if function is None:
            self.say(op, "calls no function of the module")
            return
        self.types(op, "operands", op.operands, [one.type for one in function.params])
        self.types(op, "results", op.results, function.results)

    def _check(self, op: Op) -> None:
        self.types(op, "condition", op.operands[:1], (BOOL,))
        rest = op.operands[1:]
        if len(rest) not in (0, 2) or not all(isinstance(one.type, Scalar) and one.type.is_int for one in rest):
            self.say(op, "takes a condition, or a condition, an index and a length")
        self.types(op, "results", op.results, ())

    def _panic(self, op: Op) -> None:
        if len(op.operands) not in (1, 3) or not all(isinstance(one.type, Scalar) and one.type.is_int for one in op.operands):
            self.say(op, "takes a block, or a block, an index and a length")
        self.types(op, "results", op.results, ())

    def _ptx(self, op: Op) -> None:
        values = [*op.operands, *op.results]
        if any(isinstance(one.type, Scalar) and one.type.kind != "bool" and one.type.bits < 16 for one in values):
            self.say(op, "takes registers of less than 16 bits")
        places = [number for number, one in enumerate(op.operands) if isinstance(one.type, Memory)]
        if any(number + 1 == len(op.operands) or op.operands[number + 1].type not in (I32, I64) for number in places):
            self.say(op, "takes a memory object without an index")

    def _print(self, op: Op) -> None:
        wanted = [SCALARS[one[0]] for one in op.attrs["parts"] if not isinstance(one, str)]
        self.types(op, "operands", op.operands, wanted)
        self.types(op, "results", op.results, ())

    # ---- control

    def _regions(self, op: Op, wanted: Sequence[tuple[Sequence[Type], Sequence[Type]]]) -> None:
        """Each region against the types of its arguments and of what its terminator passes."""
        for number, (region, (args, passed)) in enumerate(zip(op.regions, wanted, strict=True)):
            self.types(op, f"arguments of region {number}", region.args, args)
            self.block(region, _ENDINGS[op.name][number], f"region {number} of {op.name}")
            if region.ops and region.ops[-1].name in ("yield", "condition"):
                self.types(region.ops[-1], "operands", region.ops[-1].operands, passed)

    def _result_types(self, op: Op) -> list[Type]:
        for value in op.results:
            if not isinstance(value.type, Scalar):
                self.say(op, f"gives a {value.type}; only scalars pass through control flow")
        return [one.type for one in op.results]

    def _if(self, op: Op) -> None:
        self.types(op, "condition", op.operands, (BOOL,))
        results = self._result_types(op)
        self._regions(op, [((), results), ((), results)])

    def _for(self, op: Op) -> None:
        if len(op.operands) < 3:
            self.say(op, "takes start, stop, step")
            return
        type_ = op.operands[0].type
        if not isinstance(type_, Scalar) or not type_.is_int:
            self.say(op, f"counts in {type_}")
        results = self._result_types(op)
        self.types(op, "operands", op.operands, [type_] * 3 + results)
        self._regions(op, [([type_, *results], results)])

    def _while(self, op: Op) -> None:
        results = self._result_types(op)
        initial = [one.type for one in op.operands]
        self._regions(op, [(initial, [BOOL, *results]), (results, initial)])

    def _scope(self, op: Op) -> None:
        label = op.attrs["label"]
        results = self._result_types(op)
        if label in self.scopes:
            self.say(op, "has the label of a scope around it")
            return
        self.scopes[label] = op
        self._regions(op, [((), results)])
        del self.scopes[label]

    def _leave(self, op: Op) -> None:
        scope = self.scopes.get(op.attrs["label"])
        if scope is None:
            self.say(op, "leaves no scope around it")
        else:
            self.types(op, "operands", op.operands, [one.type for one in scope.results])
