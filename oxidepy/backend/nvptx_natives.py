"""Functions of the library for which a GPU has instructions: what stands in PTX instead of their body.

They give the same bits as the body, but for `math.fast`, whose approximations are the hardware's own. `$0` is the result, `$1` and on are
the arguments.
"""

from __future__ import annotations

from oxidepy.backend.targets import Isa

_CONSTRAINTS = {"i16": "h", "float": "f", "double": "d", "i32": "r", "i64": "l"}


def _rounded() -> dict[str, str]:
    rows: dict[str, str] = {}
    for type_ in ("f32", "f64"):
        for name, mode in (("rn", "rn"), ("rz", "rz"), ("rd", "rm"), ("ru", "rp")):
            rows[f"rcp_{name}_{type_}"] = f"rcp.{mode}.{type_} $0, $1;"
            if name == "rn":
                continue  # operations of the IR
            for operation in ("add", "sub", "mul", "div"):
                rows[f"{operation}_{name}_{type_}"] = f"{operation}.{mode}.{type_} $0, $1, $2;"
            rows[f"fma_{name}_{type_}"] = f"fma.{mode}.{type_} $0, $1, $2, $3;"
            rows[f"sqrt_{name}_{type_}"] = f"sqrt.{mode}.{type_} $0, $1;"
            for given in ("i32", "u32", "i64", "u64", "f64"):
                if given != type_:
                    rows[f"cast_{name}_{given}_{type_}"] = f"cvt.{mode}.{type_}.{given.replace('i', 's')} $0, $1;"
    return rows


def _fast() -> dict[str, str]:
    own = {"sin": "sin", "cos": "cos", "exp2": "ex2", "log2": "lg2", "rsqrt": "rsqrt", "rcp": "rcp", "sqrt": "sqrt"}
    rows = {f"fast_{name}_f32": f"{ptx}.approx.f32 $0, $1;" for name, ptx in own.items()}
    scaled = "{{ .reg .f32 %t; mul.f32 %t, $1, {0}; ex2.approx.f32 $0, %t; }}"
    of_logarithm = "{{ .reg .f32 %t; lg2.approx.f32 %t, $1; mul.f32 $0, %t, {0}; }}"
    return {
        **rows,
        "fast_tanh_f32": "tanh.approx.f32 $0, $1;",
        "fast_div_f32": "div.approx.f32 $0, $1, $2;",
        "fast_exp_f32": scaled.format("0f3FB8AA3B"),  # log2(e)
        "fast_exp10_f32": scaled.format("0f40549A78"),  # log2(10)
        "fast_log_f32": of_logarithm.format("0f3F317218"),  # log(2)
        "fast_log10_f32": of_logarithm.format("0f3E9A209B"),  # log10(2)
        "fast_pow_f32": "{ .reg .f32 %t; lg2.approx.f32 %t, $1; mul.f32 %t, %t, $2; ex2.approx.f32 $0, %t; }",
        "fast_tan_f32": "{ .reg .f32 %s, %c; sin.approx.f32 %s, $1; cos.approx.f32 %c, $1; div.approx.f32 $0, %s, %c; }",
    }


def _words() -> dict[str, str]:
    rows = {f"permute_{mode}": f"prmt.b32.{mode} $0, $1, $2, $3;" for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")}
    for x, first in (("i32", "s32"), ("u32", "u32")):
        rows[f"sad_{x}"] = f"sad.{first} $0, $1, $2, $3;"
        for y, second in (("i32", "s32"), ("u32", "u32")):
            rows[f"dp4a_{x}_{y}"] = f"dp4a.{first}.{second} $0, $1, $2, $3;"
            rows[f"dp2a_low_{x}_{y}"] = f"dp2a.lo.{first}.{second} $0, $1, $2, $3;"
            rows[f"dp2a_high_{x}_{y}"] = f"dp2a.hi.{first}.{second} $0, $1, $2, $3;"
    return {**rows, "add_sat_i32": "add.sat.s32 $0, $1, $2;", "sub_sat_i32": "sub.sat.s32 $0, $1, $2;"}


def _conversions() -> dict[str, tuple[str, tuple[tuple[int, Isa], ...]]]:
    """With the architectures that have each, from an ISA on."""
    rows: dict[str, tuple[str, tuple[tuple[int, Isa], ...]]] = {}
    fp8 = ((90, (7, 8)), (89, (8, 1)))
    tf32 = "{{ .reg .b32 %t; cvt.{0}.tf32.f32 %t, $1; mov.b32 $0, %t; }}"
    for relu in ("", "relu"):
        name, word = ("_relu", ".relu") if relu else ("", "")
        for code in ("e4m3x2", "e5m2x2"):
            rows[f"convert_{code}_f32{name}"] = f"cvt.rn.satfinite{word}.{code}.f32 $0, $2, $1;", fp8
            rows[f"convert_{code}_f16x2{name}"] = f"cvt.rn.satfinite{word}.{code}.f16x2 $0, $1;", fp8
            rows[f"convert_f16x2_{code}{name}"] = f"cvt.rn{word}.f16x2.{code} $0, $1;", fp8
        for finite in ("", "satfinite"):
            ending, flags = (f"{name}_satfinite", f"{word}.satfinite") if finite else (name, word)
            for pair in ("f16x2", "bf16x2"):
                for mode in ("rn", "rz"):
                    since = ((80, (8, 1)),) if finite else ((80, (7, 0)),)
                    rows[f"convert_{pair}_f32_{mode}{ending}"] = f"cvt.{mode}{flags}.{pair}.f32 $0, $2, $1;", since
            for mode in ("rn", "rz"):
                since = ((100, (8, 6)),) if finite else ((90, (7, 8)),)
                rows[f"convert_tf32_f32_{mode}{ending}"] = tf32.format(f"{mode}{flags}"), since
    # without saturation the hardware rounds a NaN's bits too, up to infinity
    whole = "setp.num.f32 %p, $1, $1; selp.f32 $0, %u, 0f7FFFE000, %p;"
    rows["convert_tf32_f32_rna"] = (
        f"{{ .reg .pred %p; .reg .b32 %t; .reg .f32 %u; cvt.rna.tf32.f32 %t, $1; mov.b32 %u, %t; {whole} }}",
        ((80, (7, 0)),),
    )
    rows["convert_tf32_f32_rna_satfinite"] = tf32.format("rna.satfinite"), ((80, (8, 1)),)
    return rows


NATIVES: dict[str, str] = {**_rounded(), **_fast(), **_words(), **{name: ptx for name, (ptx, _) in _conversions().items()}}
_SINCE = {name: since for name, (_, since) in _conversions().items()}  # what not every architecture has


def native(name: str, result: str, params: list[tuple[str, str]], compute: int, isa: Isa) -> str | None:
    """The LLVM instruction that stands for the body of a function, given the types and names of its parameters; None: its body does."""
    ptx = NATIVES.get(name)
    if ptx is None or (name in _SINCE and not any(compute >= first and isa >= least for first, least in _SINCE[name])):
        return None
    constraints = ",".join((f"={_CONSTRAINTS[result]}", *(_CONSTRAINTS[type_] for type_, _ in params)))
    return f'call {result} asm "{ptx}", "{constraints}"({", ".join(f"{type_} {value}" for type_, value in params)})'
