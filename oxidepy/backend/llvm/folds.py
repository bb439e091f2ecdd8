"""Reductions of 32-bit integers: by which instruction, and what threads that are not there give to it."""

from __future__ import annotations

from oxidepy.backend.llvm.emitter import Emitter

# operation and whether it is of signed numbers → the instruction or function of LLVM, the number that changes nothing
FOLDS: dict[tuple[str, bool], tuple[str, str]] = {
    **{(name, sign): (name if name != "sum" else "add", "0") for name in ("sum", "or", "xor") for sign in (True, False)},
    **{("and", sign): ("and", "-1") for sign in (True, False)},
    ("min", True): ("@llvm.smin.i32", str(2**31 - 1)),
    ("min", False): ("@llvm.umin.i32", "-1"),
    ("max", True): ("@llvm.smax.i32", str(-(2**31))),
    ("max", False): ("@llvm.umax.i32", "0"),
}


def fold(emitter: Emitter, instruction: str, a: str, b: str) -> str:
    return emitter.ins(f"call i32 {instruction}(i32 {a}, i32 {b})" if instruction[0] == "@" else f"{instruction} i32 {a}, {b}")
