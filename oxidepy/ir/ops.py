"""The table of operations of kernel IR: how many operands and results, which attributes and regions, what each means.

Meaning is exact and the same on every device (see `ir/interpreter`, which is the definition). Integers wrap.
"""

from __future__ import annotations

from typing import Literal

from oxidepy.ir.record import record

Effect = Literal["pure", "read", "write", "atomic", "order", "check", "control", "allocate", "message"]


@record
class OpInfo:
    """One row. `operands` is the count, or -1 for any; `result` says how the result's type follows from the operands."""

    name: str
    operands: int
    result: Literal["same", "bool", "given", "none", "element"]
    effect: Effect = "pure"
    attrs: tuple[str, ...] = ()
    regions: int = 0
    types: Literal["any", "int", "float", "number", "bool"] = "any"
    meaning: str = ""


_ROWS = (
    OpInfo("const", 0, "given", attrs=("value",),
           meaning="a Python bool, int (in the type's range) or float (NaN and infinities included)"),
    OpInfo("undef", 0, "given",
           meaning="a value that no path reads: what a merge carries for a name not bound on that path; it reads as zero"),
    # arithmetic
    OpInfo("add", 2, "same", types="number"),
    OpInfo("sub", 2, "same", types="number"),
    OpInfo("mul", 2, "same", types="number"),
    OpInfo("div", 2, "same", types="float", meaning="IEEE division"),
    OpInfo("floordiv", 2, "same", types="number",
           meaning="Python's //: rounds down; integers: the divisor is never 0 (a `check` stands before), MIN // -1 wraps; "
           "floats: see interpreter/floats.py"),
    OpInfo("mod", 2, "same", types="number",
           meaning="Python's %: sign of the divisor; integers: the divisor is never 0; floats: fmod exactly, then the divisor "
           "added where the signs differ"),
    OpInfo("fma", 3, "same", types="float", meaning="a*b + c, rounded once"),
    OpInfo("neg", 1, "same", types="number"),
    OpInfo("abs", 1, "same", types="number", meaning="integers: abs(MIN) wraps to MIN"),
    OpInfo("min", 2, "same", types="number", meaning="floats: NaN is ignored, -0 < +0"),
    OpInfo("max", 2, "same", types="number", meaning="floats: NaN is ignored, -0 < +0"),
    OpInfo("mulhi", 2, "same", types="int", meaning="upper half of the exact product"),
    # bits
    OpInfo("and", 2, "same"),
    OpInfo("or", 2, "same"),
    OpInfo("xor", 2, "same"),
    OpInfo("not", 1, "same", meaning="all bits; logical for bool"),
    OpInfo("shl", 2, "same", types="int", meaning="count (same type) by the width or more, or negative: 0"),
    OpInfo("shr", 2, "same", types="int", meaning="arithmetic for signed; count by the width or more, or negative: 0, or the sign"),
    OpInfo("popcount", 1, "same", types="int"),
    OpInfo("clz", 1, "same", types="int", meaning="width for 0"),
    OpInfo("ctz", 1, "same", types="int", meaning="width for 0"),
    OpInfo("brev", 1, "same", types="int"),
    # comparison; floats are ordered (NaN: false) but for `ne`, which is unordered
    OpInfo("eq", 2, "bool"),
    OpInfo("ne", 2, "bool"),
    OpInfo("lt", 2, "bool", types="number"),
    OpInfo("le", 2, "bool", types="number"),
    OpInfo("gt", 2, "bool", types="number"),
    OpInfo("ge", 2, "bool", types="number"),
    OpInfo("inbounds", 2, "bool", types="int", meaning="0 <= a < b"),
    OpInfo("select", 3, "given", meaning="condition, then, else; both sides are values already"),
    OpInfo("table", 1, "given", attrs=("values",), types="int",
           meaning="the constant of that number; the last one for a number that is outside"),
    OpInfo("isnan", 1, "bool", types="float"),
    OpInfo("isinf", 1, "bool", types="float"),
    OpInfo("isfinite", 1, "bool", types="float"),
    # rounding and roots, IEEE exact
    OpInfo("sqrt", 1, "same", types="float"),
    OpInfo("floor", 1, "same", types="float"),
    OpInfo("ceil", 1, "same", types="float"),
    OpInfo("trunc", 1, "same", types="float"),
    OpInfo("rint", 1, "same", types="float", meaning="to nearest, ties to even"),
    OpInfo("copysign", 2, "same", types="float"),
    # conversion
    OpInfo("cast", 1, "given",
           meaning="int→int wraps; int→float rounds to nearest even; float→int truncates, saturates, NaN → 0; float→float "
           "rounds; bool → 0/1; →bool: != 0"),
    OpInfo("bitcast", 1, "given", meaning="same bits, same width"),
    # memory: operands are the memory object and an index in elements (i32 or i64), known to be inside
    OpInfo("load", 2, "given", "read", attrs=("offset",),
           meaning="the scalar at byte `offset` inside element [index]; `volatile`, where it is there: the access is made as it stands"),
    OpInfo("store", 3, "none", "write", attrs=("offset",), meaning="operands: memory, index, value"),
    OpInfo("alloc", -1, "given", "allocate", attrs=("name", "count", "align"),
           meaning="scratch memory, given as its result: space shared (one object a block) or local (one a thread), the same at every "
           "evaluation; `count` elements, or the operand's (shared only: dynamic, sized at the launch; equal in every thread); contents "
           "begin undefined"),
    OpInfo("map_shared", 2, "given", "pure",
           meaning="operands: shared memory, rank; the same object in the block of the cluster that has this rank, in space cluster"),
    OpInfo("atomic", -1, "given", "atomic", attrs=("kind", "order", "scope", "offset"),
           meaning="operands: memory, index, value… ; one indivisible access of shared or global memory; kinds of ATOMICS; gives the old "
           "value (`store`: nothing); min and max as the operations; compare_exchange (expected, new) compares bits; `whole`, where it is "
           "there: of a whole struct, each value as one u32, one u64, or two u64 (the lower first); kinds of WHOLE"),
    OpInfo("fence", 0, "none", "order", attrs=("scope",),
           meaning="orders this thread's accesses before and after it, for the threads of `scope`"),
    # the row of ir/intrinsics says everything about the operation
    OpInfo("intrinsic", -1, "given", attrs=("row",)),
    OpInfo("ptx", -1, "given", "order", attrs=("text", "pure"),
           meaning="PTX of the kernel's own, for GPUs: `<arg0>`… are the operands (a memory object and the index behind it are one, the "
           "address), `<out0>`… the results; `pure`: it touches no memory and the same operands give the same results"),
    OpInfo("extern", -1, "given", "order", attrs=("symbol", "files", "params", "result", "name", "stands"),
           meaning="a function from elsewhere (ir/foreign.py), called on GPUs alone: its results, and last whether it was called; "
           "operands: for each of `params` its scalars, or a memory object and an index; `files`: the digests of where it is; `stands`: "
           "what it gives elsewhere follows"),
    OpInfo("call", -1, "given", attrs=("callee",), meaning="a function of the module; scalars only, pure"),
    # a check ends the thread with a device panic when its condition is false; operands: condition [, index, length]
    OpInfo("check", -1, "none", "check", attrs=("code", "message")),
    OpInfo("panic", -1, "none", "check", attrs=("code", "message"),
           meaning="leaves the record of a failed check and goes on; operands: the block, along x, in which the thread counts as "
           "running [, index, length]; only in coarse kernels (see analysis/coarse_code.py)"),
    OpInfo("print", -1, "none", "message", attrs=("parts", "template"),
           meaning="tells the host a text: `parts` in order, each a string or (type, format, form), taking the next operand; `template` "
           "is the text of the check that it completes, or empty where it is a text of its own; compiler/messages.py writes it out"),
    # control
    OpInfo("if", 1, "given", "control", regions=2, meaning="both regions end in `yield` of the results' types, or leave"),
    OpInfo("for", -1, "given", "control", regions=1, attrs=("positive",),
           meaning="operands start, stop, step, initial…; region arguments: variable, carried…; ends in `yield carried…`; "
           "the variable goes through range(start, stop, step) exactly and never wraps; step is never 0; "
           "`positive`: step > 0 is known; `unroll`, where it is there: so many rounds in one, 1: never several"),
    OpInfo("while", -1, "given", "control", regions=2,
           meaning="operands initial…; region 0 (arguments carried…) ends in `condition(flag, passed…)`; "
           "region 1 (arguments passed…) ends in `yield carried…`; results: passed… when the flag is false"),
    OpInfo("scope", 0, "given", "control", regions=1, attrs=("label",),
           meaning="runs its region; ends by `yield` or by a `leave` to its label from anywhere inside"),
    OpInfo("leave", -1, "none", "control", attrs=("label",),
           meaning="goes to the end of the enclosing scope of that label, with its results; break, continue and early return"),
    OpInfo("yield", -1, "none", "control"),
    OpInfo("condition", -1, "none", "control"),
    OpInfo("return", -1, "none", "control", meaning="the last operation of a function's body, and only there"),
)  # fmt: skip

OPS: dict[str, OpInfo] = {row.name: row for row in _ROWS}
ATOMICS = {  # kind: how many operands stand behind memory and index
    "load": 0, "store": 1, "add": 1, "sub": 1, "min": 1, "max": 1, "and": 1, "or": 1, "xor": 1, "exchange": 1, "compare_exchange": 2,
}  # fmt: skip
WHOLE = ("load", "store", "exchange", "compare_exchange")  # what is done to a whole struct
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("block", "cluster", "device", "system")
TERMINATORS = frozenset(("yield", "condition", "leave", "return"))
EXACT = "exact"  # attribute of an integer operation: its result is known never to leave the range of its type
COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
