"""What CUDA's libdevice has, function by function, and how a kernel says it: nothing of it is missing, and nothing of it is needed."""

from __future__ import annotations

import pytest
from frontend.running import findings
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import bits, f16, f64, i8, i64, u32, u64

# name without `__nv_` and the letter of its type → an expression over f: f32, n: i32
SAID: dict[str, str] = {
    **{
        name: f"math.{name}(f)"
        for name in (
            "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs floor ilogb "
            "isnan j0 j1 lgamma log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt rint rsqrt saturate sin sinh sinpi "
            "sqrt tan tanh tgamma trunc y0 y1 cyl_bessel_i0 cyl_bessel_i1"
        ).split()
    },
    **{name: f"math.{name}(f, f)" for name in "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot".split()},
    **{name: f"math.{name}(f, n)" for name in ("ldexp", "scalbn")},
    **{name: f"math.{name}(n, f)" for name in ("jn", "yn")},
    **{name: f"math.{name}(f)[0]" for name in ("frexp", "modf", "sincos", "sincospi")},
    **{name: f"bits.{name}(n, n)" for name in ("hadd", "rhadd")},
    **{f"u{name}": f"bits.{name}(u32(n), u32(n))" for name in ("hadd", "rhadd")},
    "remquo": "math.remquo(f, f)[1]",
    "fma": "math.fma(f, f, f)",
    "isinf": "math.isinf(f)",
    "finite": "math.isfinite(f)",
    "signbit": "math.signbit(f)",
    "round": "math.round_away(f)",
    "llround": "i64(math.round_away(f))",
    "llrint": "i64(math.rint(f))",
    "powi": "math.pow(f64(f), f64(n))",
    "nan": "math.nan + f",
    "abs": "abs(n)",
    "max": "max(n, n)",
    "min": "min(n, n)",
    "umax": "max(u32(n), u32(n))",
    "ullmin": "min(u64(n), u64(n))",
    "brev": "bits.brev(n)",
    "clz": "bits.clz(n)",
    "popc": "bits.popcount(n)",
    "ffs": "bits.ffs(n)",
    "byte_perm": "bits.byte_permute(u32(n), u32(n), u32(n))",
    "mulhi": "bits.mul_hi(n, n)",
    "umul64hi": "bits.mul_hi(u64(n), u64(n))",
    "mul24": "(n << 8 >> 8) * (n << 8 >> 8)",
    "umul24": "(u32(n) & 0xFFFFFF) * (u32(n) & 0xFFFFFF)",
    "sad": "bits.sad(n, n, n)",
    "usad": "bits.sad(u32(n), u32(n), u32(n))",
    **{
        f"{letter}{name}_{mode}": f"math.{name}_{mode}({', '.join([argument] * count)})"
        for letter, argument in (("f", "f"), ("d", "f64(f)"))
        for name, count in (("add", 2), ("sub", 2), ("mul", 2), ("div", 2), ("rcp", 1), ("sqrt", 1))
        for mode in ("rn", "rz", "rd", "ru")
    },
    **{f"fma_{mode}": f"math.fma_{mode}(f, f, f)" for mode in ("rn", "rz", "rd", "ru")},
    "frsqrt_rn": "math.rsqrt(f)",
    **{f"fast_{name}f": f"math.fast.{name}(f)" for name in ("cos", "sin", "tan", "exp", "exp10", "log", "log2", "log10")},
    "fast_powf": "math.fast.pow(f, f)",
    "fast_fdividef": "math.fast.div(f, f)",
    "fast_sincosf": "math.fast.sin(f) + math.fast.cos(f)",
    **{
        f"{given}2{target}_{mode}": f"math.cast_{mode}({kind}, {value})"
        for given, value in (("double", "f64(f)"), ("float", "f"))
        for target, kind in (("int", "i32"), ("uint", "u32"), ("ll", "i64"), ("ull", "u64"))
        for mode in ("rn", "rz", "rd", "ru")
    },
    **{
        f"{given}2{target}_{mode}": f"math.cast_{mode}({kind}, {value})"
        for given, value in (("int", "n"), ("uint", "u32(n)"), ("ll", "i64(n)"), ("ull", "u64(n)"))
        for target, kind in (("float", "f32"), ("double", "f64"))
        for mode in ("rn", "rz", "rd", "ru")
    },
    **{f"double2float_{mode}": f"math.cast_{mode}(f32, f64(f))" for mode in ("rn", "rz", "rd", "ru")},
    "half2float": "f32(f16(f))",
    "float2half_rn": "f16(f)",
    "float_as_int": "bits.cast(i32, f)",
    "int_as_float": "bits.cast(f32, n)",
    "double_as_longlong": "bits.cast(i64, f64(f))",
    "longlong_as_double": "bits.cast(f64, i64(n))",
    "double2hiint": "i32(bits.cast(i64, f64(f)) >> 32)",
    "double2loint": "i32(bits.cast(i64, f64(f)))",
    "hiloint2double": "bits.cast(f64, i64(n) << 32 | i64(u32(n)))",
    "norm3d": "math.norm3d(f, f, f)",
    "norm4d": "math.norm4d(f, f, f, f)",
    "rnorm3d": "math.rnorm3d(f, f, f)",
    "rnorm4d": "math.rnorm4d(f, f, f, f)",
}


def test_all_of_libdevice_can_be_said() -> None:
    assert len(SAID) > 230
    names = {
        "math": ox.math,
        "bits": bits,
        "f16": f16,
        "f64": f64,
        "i8": i8,
        "i64": i64,
        "u32": u32,
        "u64": u64,
        "i32": ox.i32,
        "f32": ox.f32,
    }
    body = "\n".join(f"v{number} = {text}" for number, text in enumerate(SAID.values()))
    found = findings(compiled(body, **names))
    assert not found, [(one.code, one.message) for one in found]


@pytest.mark.parametrize("text", ["math.bessel(f)", "math.erfi(f)"])
def test_what_is_not_there_is_said_so(text: str) -> None:
    (found,) = findings(compiled(f"a = {text}", math=ox.math))
    assert found.code == "OX0425"
