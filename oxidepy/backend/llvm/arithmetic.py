"""Operation → LLVM, as a table. `sdiv srem shl lshr ashr fptosi frem` reach LLVM only where it defines them."""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import LOADS, Emitter, Lowering
from oxidepy.backend.llvm.values import llvm_type
from oxidepy.ir.core import Op, ParamInfo, Value
from oxidepy.ir.ops import EXACT
from oxidepy.ir.types import F32, F64, Scalar

Split = Callable[[Emitter, Op], str]


def _by_kind(integer: Split | None, floating: Split | None) -> Lowering:
    def lower(self: Emitter, op: Op) -> str:
        chosen = floating if op.operands[0].scalar.kind == "float" else integer
        assert chosen is not None, op.name
        return chosen(self, op)

    return lower


# ---- integers


def _binary(instruction: str) -> Split:
    def lower(self: Emitter, op: Op) -> str:
        a, b = op.operands
        exact = " nsw" if op.attrs.get(EXACT) else ""
        return self.ins(f"{instruction}{exact} {self.type(a.scalar)} {self.values[a]}, {self.values[b]}")

    return lower


def _signed(signed: str, unsigned: str) -> Split:
    """A call of one of two intrinsics by sign."""

    def lower(self: Emitter, op: Op) -> str:
        a, b = op.operands
        type_ = self.type(a.scalar)
        name = signed if a.scalar.signed else unsigned
        return self.ins(f"call {type_} @llvm.{name}.{type_}({self.typed(a)}, {self.typed(b)})")

    return lower


def _unary(intrinsic: str, flag: str = "") -> Split:
    def lower(self: Emitter, op: Op) -> str:
        (a,) = op.operands
        type_ = self.type(a.scalar)
        return self.ins(f"call {type_} @llvm.{intrinsic}.{type_}({self.typed(a)}{flag})")

    return lower


def _int_neg(self: Emitter, op: Op) -> str:
    return self.ins(f"sub {self.type(op.operands[0].scalar)} 0, {self.values[op.operands[0]]}")


def _int_abs(self: Emitter, op: Op) -> str:
    (a,) = op.operands
    return _unary("abs", ", i1 false")(self, op) if a.scalar.signed else self.values[a]


def _not(self: Emitter, op: Op) -> str:
    (a,) = op.operands
    return self.ins(f"xor {self.type(a.scalar)} {self.values[a]}, {'true' if a.scalar.kind == 'bool' else '-1'}")


def _power_of_two(value: Value) -> int | None:
    number = value.constant
    if not isinstance(number, int) or number <= 0 or number & (number - 1):
        return None
    return number.bit_length() - 1


def _quotient(self: Emitter, a: Value, b: Value) -> tuple[str, str]:
    """Truncated quotient and remainder of signed integers; MIN / -1 wraps."""
    type_ = self.type(a.scalar)
    x, y = self.values[a], self.values[b]
    if b.constant is not None and b.constant != -1:
        quotient = self.ins(f"sdiv {type_} {x}, {y}")
    else:
        negates = self.ins(f"icmp eq {type_} {y}, -1")
        safe = self.ins(f"select i1 {negates}, {type_} 1, {type_} {y}")
        divided = self.divide("sdiv", type_, x, safe)
        negated = self.ins(f"sub {type_} 0, {x}")
        quotient = self.ins(f"select i1 {negates}, {type_} {negated}, {type_} {divided}")
    product = self.ins(f"mul {type_} {quotient}, {y}")
    return quotient, self.ins(f"sub {type_} {x}, {product}")


def _unsigned(self: Emitter, instruction: str, a: Value, b: Value) -> str:
    type_, x, y = self.type(a.scalar), self.values[a], self.values[b]
    return self.divide(instruction, type_, x, y) if b.constant is None else self.ins(f"{instruction} {type_} {x}, {y}")


def _rounds_down(self: Emitter, type_: str, remainder: str, divisor: str) -> str:
    """Whether the floor lies one below the truncated quotient: the remainder is not 0 and its sign is not the divisor's."""
    inexact = self.ins(f"icmp ne {type_} {remainder}, 0")
    signs = self.ins(f"xor {type_} {remainder}, {divisor}")
    differ = self.ins(f"icmp slt {type_} {signs}, 0")
    return self.ins(f"and i1 {inexact}, {differ}")


def _int_floordiv(self: Emitter, op: Op) -> str:
    a, b = op.operands
    type_, shift = self.type(a.scalar), _power_of_two(b)
    if not a.scalar.signed:
        return _unsigned(self, "udiv", a, b)
    if shift is not None:
        return self.ins(f"ashr {type_} {self.values[a]}, {shift}")
    quotient, remainder = _quotient(self, a, b)
    down = _rounds_down(self, type_, remainder, self.values[b])
    step = self.ins(f"sext i1 {down} to {type_}")
    return self.ins(f"add {type_} {quotient}, {step}")


def _int_mod(self: Emitter, op: Op) -> str:
    a, b = op.operands
    type_, shift = self.type(a.scalar), _power_of_two(b)
    if shift is not None:
        return self.ins(f"and {type_} {self.values[a]}, {(1 << shift) - 1}")
    if not a.scalar.signed:
        return _unsigned(self, "urem", a, b)
    _, remainder = _quotient(self, a, b)
    down = _rounds_down(self, type_, remainder, self.values[b])
    step = self.ins(f"select i1 {down}, {type_} {self.values[b]}, {type_} 0")
    return self.ins(f"add {type_} {remainder}, {step}")


def _mulhi(self: Emitter, op: Op) -> str:
    a, b = op.operands
    bits = a.scalar.bits
    narrow, wide, extend = f"i{bits}", f"i{2 * bits}", "sext" if a.scalar.signed else "zext"
    x, y = (self.ins(f"{extend} {narrow} {self.values[one]} to {wide}") for one in (a, b))
    product = self.ins(f"mul {wide} {x}, {y}")
    upper = self.ins(f"lshr {wide} {product}, {bits}")
    return self.ins(f"trunc {wide} {upper} to {narrow}")


def _shift(self: Emitter, op: Op) -> str:
    """Counts as unsigned numbers: a negative one is beyond the width as well."""
    a, b = op.operands
    type_, bits = self.type(a.scalar), a.scalar.bits
    x, count = self.values[a], self.values[b]
    arithmetic = op.name == "shr" and a.scalar.signed
    instruction = "shl" if op.name == "shl" else "ashr" if arithmetic else "lshr"
    number = b.constant
    if number is not None:
        if 0 <= number < bits:
            return self.ins(f"{instruction} {type_} {x}, {int(number)}")
        return self.ins(f"ashr {type_} {x}, {bits - 1}") if arithmetic else "0"
    if arithmetic:
        clamped = self.ins(f"call {type_} @llvm.umin.{type_}({type_} {count}, {type_} {bits - 1})")
        return self.ins(f"ashr {type_} {x}, {clamped}")
    if bits == 64 and (native := self.shift64(instruction, x, count)) is not None:
        return native
    shifted = self.ins(f"{instruction} {type_} {x}, {count}")
    fits = self.ins(f"icmp ult {type_} {count}, {bits}")
    return self.ins(f"select i1 {fits}, {type_} {shifted}, {type_} 0")


# ---- comparison

_INT_PREDICATES = {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
_FLOAT_PREDICATES = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


def _int_compare(self: Emitter, op: Op) -> str:
    a, b = op.operands
    predicate = op.name if op.name in ("eq", "ne") else ("s" if a.scalar.signed else "u") + _INT_PREDICATES[op.name]
    return self.ins(f"icmp {predicate} {self.type(a.scalar)} {self.values[a]}, {self.values[b]}")


def _float_compare(self: Emitter, op: Op) -> str:
    a, b = op.operands
    x, y = self.values[a], self.values[b]
    if a.scalar.bits == 16:
        x, y = widen(self, a.scalar, x), widen(self, a.scalar, y)
    return self.ins(f"fcmp {_FLOAT_PREDICATES[op.name]} {_wide_type(a.scalar)} {x}, {y}")


def _inbounds(self: Emitter, op: Op) -> str:
    index, length = op.operands
    type_ = self.type(index.scalar)
    x, n = self.values[index], self.values[length]
    if not index.scalar.signed or length in self.nonnegative or (length.constant is not None and length.constant >= 0):
        return self.ins(f"icmp ult {type_} {x}, {n}")  # a negative index is a large unsigned one
    above = self.ins(f"icmp sge {type_} {x}, 0")
    below = self.ins(f"icmp slt {type_} {x}, {n}")
    return self.ins(f"and i1 {above}, {below}")


def _table(self: Emitter, op: Op) -> str:
    """Constants in memory, read by a number that is made to be inside."""
    (index,) = op.operands
    scalar, numbers, type_ = op.result.scalar, op.attrs["values"], self.type(index.scalar)
    element = self.stored_type(scalar)
    items = (f"{element} {int(one) if scalar.kind == 'bool' else self.constant(scalar, one)}" for one in numbers)
    name = self.text.table(f"[{len(numbers)} x {element}]", ", ".join(items), self.table_space)
    place = self.values[index]
    if len(numbers) - 1 < 1 << index.scalar.bits:
        place = self.ins(f"call {type_} @llvm.umin.{type_}({type_} {place}, {type_} {len(numbers) - 1})")
    wide = place if type_ == "i64" else self.ins(f"zext {type_} {place} to i64")
    pointer = f"ptr{self.table_space}"
    at = self.ins(f"getelementptr inbounds {element}, {pointer} {name}, i64 {wide}")
    found = self.ins(f"load {element}, {pointer} {at}, !invariant.load {self.text.metadata.add('!{}')}")
    return self.ins(f"trunc i8 {found} to i1") if scalar.kind == "bool" else found


def _select(self: Emitter, op: Op) -> str:
    condition, a, b = op.operands
    return self.ins(f"select i1 {self.values[condition]}, {self.typed(a)}, {self.typed(b)}")


# ---- floats. Halves: an operation in f32 rounded to 16 bits is rounded once from the exact value, except for fma.


def _wide_type(scalar: Scalar) -> str:
    return llvm_type(F32 if scalar.bits == 16 else scalar)


def widen(self: Emitter, scalar: Scalar, value: str) -> str:
    """A half as f32: exact."""
    if self.halves_native:
        return self.ins(f"fpext {self.type(scalar)} {value} to float")
    return self.helper(f"{scalar.name}_to_f32", "float", f"i16 {value}")


def narrow(self: Emitter, scalar: Scalar, value: str) -> str:
    """f32 → half, to nearest even."""
    if self.halves_native:
        return self.ins(f"fptrunc float {value} to {self.type(scalar)}")
    return self.helper(f"f32_to_{scalar.name}", "i16", f"float {value}")


def _floating(emit: Callable[[Emitter, str, list[str]], str]) -> Split:
    """An operation on f32 and f64, and on halves by way of f32. `emit` gets the LLVM type and the operands."""

    def lower(self: Emitter, op: Op) -> str:
        scalar = op.operands[0].scalar
        values = [self.values[one] for one in op.operands]
        if scalar.bits != 16:
            return emit(self, self.type(scalar), values)
        return narrow(self, scalar, emit(self, "float", [widen(self, scalar, one) for one in values]))

    return lower


def _native(emit: Callable[[Emitter, str, list[str]], str]) -> Split:
    """As `_floating`, but the target's own half operations are taken where it has them."""

    def lower(self: Emitter, op: Op) -> str:
        if self.halves_native:
            return emit(self, self.type(op.operands[0].scalar), [self.values[one] for one in op.operands])
        return _floating(emit)(self, op)

    return lower


def _instruction(name: str) -> Callable[[Emitter, str, list[str]], str]:
    return lambda self, type_, values: self.ins(f"{name} {type_} {', '.join(values)}")


EXTREMA = {"min": ("olt", "or"), "max": ("ogt", "and")}  # the better one of two; what orders two zeros, done to their bits


def _extremum(name: str, better: str, of_zeros: str) -> Callable[[Emitter, str, list[str]], str]:
    """minimumnum or maximumnum. Spelt out where the target has no instruction for it: LLVM 22's code for x86 gives NaN for a NaN and
    a number which it knows to be none. Of two equal ones the bits are joined: that orders the zeros."""

    def lower(self: Emitter, type_: str, values: list[str]) -> str:
        if self.extrema_native:
            return _intrinsic(name)(self, type_, values)
        a, b = values
        return extremum(self, (type_, "i32" if type_ == "float" else "i64", "i1"), a, b, better, of_zeros)

    return lower


def extremum(self: Emitter, types: tuple[str, str, str], a: str, b: str, better: str, of_zeros: str) -> str:
    """minimumnum or maximumnum spelt out. `types`: of the numbers, which may be vectors, of their bits, of a comparison."""
    type_, bits, flag = types
    first = self.ins(f"select {flag} {self.ins(f'fcmp {better} {type_} {a}, {b}')}, {type_} {a}, {type_} {b}")
    number = self.ins(f"select {flag} {self.ins(f'fcmp uno {type_} {b}, {b}')}, {type_} {a}, {type_} {first}")
    left, right = (self.ins(f"bitcast {type_} {one} to {bits}") for one in (a, b))
    joint = self.ins(f"bitcast {bits} {self.ins(f'{of_zeros} {bits} {left}, {right}')} to {type_}")
    return self.ins(f"select {flag} {self.ins(f'fcmp oeq {type_} {a}, {b}')}, {type_} {joint}, {type_} {number}")


_SUFFIX = {"float": "f32", "double": "f64", "half": "f16", "bfloat": "bf16"}


def _intrinsic(name: str) -> Callable[[Emitter, str, list[str]], str]:
    return lambda self, type_, values: self.ins(
        f"call {type_} @llvm.{name}.{_SUFFIX[type_]}({', '.join(f'{type_} {one}' for one in values)})"
    )


def _prelude(name: str) -> Callable[[Emitter, str, list[str]], str]:
    return lambda self, type_, values: self.helper(f"{name}_{_SUFFIX[type_]}", type_, ", ".join(f"{type_} {one}" for one in values))


def _fma(self: Emitter, op: Op) -> str:
    scalar = op.operands[0].scalar
    values = [self.values[one] for one in op.operands]
    type_ = self.type(scalar)
    if scalar.bits != 16 or self.fma_native(scalar):
        return _intrinsic("fma")(self, type_, values)
    a, b, c = (self.ins(f"fpext float {widen(self, scalar, one)} to double") for one in values)
    return _from_odd(self, scalar, self.helper("fma_odd", "double", f"double {a}, double {b}, double {c}"))


def _from_odd(self: Emitter, scalar: Scalar, double: str) -> str:
    """f64 → half by way of an f32 that is rounded to odd: the result is rounded once."""
    return narrow(self, scalar, self.helper("f64_to_f32_odd", "float", f"double {double}"))


def _float_floordiv(self: Emitter, op: Op) -> str:
    """Quotients of halves may have more bits than f32 holds: they go by f64."""
    scalar = op.operands[0].scalar
    if scalar.bits != 16:
        return _floating(_prelude("floordiv"))(self, op)
    a, b = (self.ins(f"fpext float {widen(self, scalar, self.values[one])} to double") for one in op.operands)
    return _from_odd(self, scalar, self.helper("floordiv_f64", "double", f"double {a}, double {b}"))


def _sign_bit(instruction: str, mask: str) -> Split:
    """abs and neg of halves kept as integers; else fabs and fneg."""

    def lower(self: Emitter, op: Op) -> str:
        (a,) = op.operands
        type_ = self.type(a.scalar)
        if type_ == "i16":
            return self.ins(f"{instruction} i16 {self.values[a]}, {mask}")
        if op.name == "neg":
            return self.ins(f"fneg {type_} {self.values[a]}")
        return self.ins(f"call {type_} @llvm.fabs.{_SUFFIX[type_]}({type_} {self.values[a]})")

    return lower


def _classify(self: Emitter, op: Op) -> str:
    (a,) = op.operands
    scalar = a.scalar
    value = widen(self, scalar, self.values[a]) if scalar.bits == 16 else self.values[a]
    type_ = _wide_type(scalar)
    if op.name == "isnan":
        return self.ins(f"fcmp uno {type_} {value}, 0.0")
    size = self.ins(f"call {type_} @llvm.fabs.{_SUFFIX[type_]}({type_} {value})")
    return self.ins(f"fcmp {'oeq' if op.name == 'isinf' else 'one'} {type_} {size}, 0x7FF0000000000000")


# ---- conversion


def _cast(self: Emitter, op: Op) -> str:
    (a,) = op.operands
    source, target = a.scalar, op.result.scalar
    value = self.values[a]
    if source.name == target.name:
        return value
    if target.kind == "bool":
        return _to_bool(self, source, value)
    if target.is_int:
        return _float_to_int(self, source, target, value) if source.is_float else _int_to_int(self, source, target, value)
    return _float_to_float(self, source, target, value) if source.is_float else _int_to_float(self, source, target, value)


def _to_bool(self: Emitter, source: Scalar, value: str) -> str:
    if source.is_int:
        return self.ins(f"icmp ne {self.type(source)} {value}, 0")
    wide = widen(self, source, value) if source.bits == 16 else value
    return self.ins(f"fcmp une {_wide_type(source)} {wide}, 0.0")


def _int_to_int(self: Emitter, source: Scalar, target: Scalar, value: str) -> str:
    if source.bits == target.bits:
        return value
    instruction = "trunc" if target.bits < source.bits else "sext" if source.signed else "zext"
    return self.ins(f"{instruction} {self.type(source)} {value} to {self.type(target)}")


def _float_to_int(self: Emitter, source: Scalar, target: Scalar, value: str) -> str:
    if source.bits == 16:
        source, value = F32, widen(self, source, value)
    return self.saturate(source, target, value)


def _int_to_float(self: Emitter, source: Scalar, target: Scalar, value: str) -> str:
    instruction = "sitofp" if source.signed else "uitofp"
    if target.bits != 16:
        return self.ins(f"{instruction} {self.type(source)} {value} to {self.type(target)}")
    if target.name == "f16" or source.bits <= 16:
        # to f32 first: exact up to 2**24, and far beyond the largest f16 above
        return narrow(self, target, self.ins(f"{instruction} {self.type(source)} {value} to float"))
    if source.bits == 64:
        value = self.helper("jam_i64" if source.signed else "jam_u64", "i64", f"i64 {value}")
    return _from_odd(self, target, self.ins(f"{instruction} {self.type(source)} {value} to double"))


def _float_to_float(self: Emitter, source: Scalar, target: Scalar, value: str) -> str:
    if source.bits == 16:
        source, value = F32, widen(self, source, value)
    if source == target:
        return value
    if target.bits == 16:
        return _from_odd(self, target, value) if source == F64 else narrow(self, target, value)
    return self.ins(f"{'fpext' if target == F64 else 'fptrunc'} {self.type(source)} {value} to {self.type(target)}")


def _bitcast(self: Emitter, op: Op) -> str:
    (a,) = op.operands
    source, target = self.type(a.scalar), self.type(op.result.scalar)
    return self.values[a] if source == target else self.ins(f"bitcast {source} {self.values[a]} to {target}")


def _const(self: Emitter, op: Op) -> str:
    return self.constant(op.result.scalar, op.attrs["value"])


def _undef(self: Emitter, op: Op) -> str:
    return self.constant(op.result.scalar, 0)


def _compare(self: Emitter, op: Op) -> str:
    return (_float_compare if op.operands[0].scalar.is_float else _int_compare)(self, op)


def _read_intrinsic(self: Emitter, op: Op) -> str:
    return self.intrinsic(op)


def _atomic(self: Emitter, op: Op) -> str:
    return self.atomic(op)


TABLE: dict[str, Lowering] = {
    **LOADS,
    "const": _const,
    "undef": _undef,
    "intrinsic": _read_intrinsic,
    "atomic": _atomic,
    "add": _by_kind(_binary("add"), _native(_instruction("fadd"))),
    "sub": _by_kind(_binary("sub"), _native(_instruction("fsub"))),
    "mul": _by_kind(_binary("mul"), _native(_instruction("fmul"))),
    "div": _floating(_instruction("fdiv")),
    "floordiv": _by_kind(_int_floordiv, _float_floordiv),
    "mod": _by_kind(_int_mod, _floating(_prelude("mod"))),
    "fma": _fma,
    "neg": _by_kind(_int_neg, _sign_bit("xor", "-32768")),
    "abs": _by_kind(_int_abs, _sign_bit("and", "32767")),
    "min": _by_kind(_signed("smin", "umin"), _floating(_extremum("minimumnum", *EXTREMA["min"]))),
    "max": _by_kind(_signed("smax", "umax"), _floating(_extremum("maximumnum", *EXTREMA["max"]))),
    "mulhi": _mulhi,
    "and": _binary("and"),
    "or": _binary("or"),
    "xor": _binary("xor"),
    "not": _not,
    "shl": _shift,
    "shr": _shift,
    "popcount": _unary("ctpop"),
    "clz": _unary("ctlz", ", i1 false"),
    "ctz": _unary("cttz", ", i1 false"),
    "brev": _unary("bitreverse"),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _compare),
    "inbounds": _inbounds,
    "select": _select,
    "table": _table,
    **dict.fromkeys(("isnan", "isinf", "isfinite"), _classify),
    "sqrt": _floating(_intrinsic("sqrt")),
    "floor": _floating(_intrinsic("floor")),
    "ceil": _floating(_intrinsic("ceil")),
    "trunc": _floating(_intrinsic("trunc")),
    "rint": _floating(_intrinsic("roundeven")),
    "copysign": _floating(_intrinsic("copysign")),
    "cast": _cast,
    "bitcast": _bitcast,
}


def lengths(params: list[Value], infos: list[ParamInfo]) -> set[Value]:
    """Parameters that are never negative: the host checks them."""
    return {value for value, info in zip(params, infos, strict=True) if info.role == "length"}
