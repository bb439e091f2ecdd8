"""The functions of CUDA C++, by name: what a kernel writes instead."""

from __future__ import annotations

import re


def of_cuda_cpp(name: str) -> str | None:
    """What to write for a function of CUDA C++; None for other names."""
    if (own := _NAMES.get(name)) is not None:
        return f"its name is `{own}`"
    return next((found.expand(text) for pattern, text in _PATTERNS if (found := re.fullmatch(pattern, name))), None)


def _each(own: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, own)


_NAMES: dict[str, str] = {
    **_each("bits.popcount(x)", "__popc", "__popcll"),
    **_each("bits.clz(x)", "__clz", "__clzll"),
    **_each("bits.brev(x)", "__brev", "__brevll"),
    **_each("bits.ffs(x)", "__ffs", "__ffsll"),
    **_each("bits.mul_hi(x, y)", "__mulhi", "__umulhi", "__mul64hi", "__umul64hi"),
    **_each("bits.byte_permute(x, y, selector)", "__byte_perm"),
    **_each("bits.funnel_shift_left(low, high, count)", "__funnelshift_l"),
    **_each("bits.funnel_shift_right(low, high, count)", "__funnelshift_r"),
    **_each("bits.dp4a(x, y, total)", "__dp4a"),
    **_each("bits.dp2a_low(x, y, total)", "__dp2a_lo"),
    **_each("bits.dp2a_high(x, y, total)", "__dp2a_hi"),
    **_each("bits.sad(x, y, total)", "__sad", "__usad"),
    **_each("bits.hadd(x, y)", "__uhadd"),
    **_each("bits.rhadd(x, y)", "__rhadd", "__urhadd"),
    **_each("math.saturate(x)", "__saturatef"),
    **_each("math.fast.div(x, y)", "__fdividef"),
    **_each("barrier.nanosleep(nanoseconds)", "__nanosleep"),
    **_each('fence("block")', "__threadfence_block"),
    **_each('fence("system")', "__threadfence_system"),
    **_each("warp.active.ballot(True)", "__activemask"),
    **_each("warp.match_any(value)", "__match_any_sync"),
    **_each("warp.match_all(value)", "__match_all_sync"),
    **_each("block.any(condition)", "__syncthreads_or"),
    **_each("block.all(condition)", "__syncthreads_and"),
    **_each("block.count(condition)", "__syncthreads_count"),
    **_each("debug.trap()", "__trap"),
    **_each("debug.breakpoint()", "__brkpt"),
    **_each("debug.clock()", "clock", "clock64"),
    **_each("f32(h)", "__half2float", "__bfloat162float"),
    **_each("f16(x)", "__float2half", "__float2half_rn"),
    **_each("bf16(x)", "__float2bfloat16", "__float2bfloat16_rn"),
    **_each("f16x2(x, y)", "__floats2half2_rn", "__halves2half2"),
}
_UNPACKED = "take the words apart: `bits.unpack(u8, x)`, and put them together: `bits.pack(…)`"
_OPERATORS = "halves and their pairs have operators: `a + b`, `max(a, b)`"
_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"__ldg", "write `x[i]`: what a `Slice` holds comes through the read-only cache by itself"),
    (r"__ld(c[agsv]|lu)", r'write `ptx("ld.global.\1.f32 {out}, [{0}];", (x, i), result=f32)`'),
    (r"__st(wb|cg|cs|wt)", r'write `ptx("st.global.\1.f32 [{0}], {1};", (y, i), v)`'),
    (r"__fns", 'write `ptx("fns.b32 {out}, {0}, {1}, {2};", x, base, offset, result=u32)`'),
    (r"__funnelshift_([lr])c", r'write `ptx("shf.\1.clamp.b32 {out}, {0}, {1}, {2};", low, high, count, result=u32)`'),
    (r"__v\w+[24]", _UNPACKED),
    (r"__u?mul24", "write `x * y`"),
    (r"__reduce_add_sync", "its name is `warp.reduce_sum(value)`"),
    (r"__reduce_(min|max|and|or|xor)_sync", r"its name is `warp.reduce_\1(value)`"),
    (r"__[fd](add|sub|mul|div)_(r[nzdu])", r"its name is `math.\1_\2(x, y)`"),
    (r"__(?:fmaf|fma)_(r[nzdu])", r"its name is `math.fma_\1(x, y, z)`"),
    (r"__[fd](rcp|sqrt)_(r[nzdu])", r"its name is `math.\1_\2(x)`"),
    (r"__(?:float|double|u?int|u?ll)2(?:float|double|u?int|u?ll)_(r[nzdu])", r"its name is `math.cast_\1(i32, x)`"),
    (r"__(?:float|int|uint|double|longlong|half|short|ushort)_as_\w+", "its name is `bits.cast(u32, x)`"),
    (r"__h(add|sub|mul|div|fma|neg|abs|max|min|eq|ne|lt|le|gt|ge)2?(_rn)?", _OPERATORS),
    (r"__(exp|exp10|log|log2|log10|sin|cos|tan|pow)f", r"its name is `math.fast.\1`"),
    (
        r"(sqrt|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|erf|erfc|cbrt|hypot|rsqrt"
        r"|floor|ceil|trunc|rint|fmin|fmax|fabs|fma|fmod|remainder|copysign|tgamma|lgamma)f",
        r"its name is `math.\1`",
    ),
)
