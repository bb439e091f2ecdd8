"""Functions in LLVM text that lowerings call: conversions of halves, exact float remainders. Only those that are needed go into a module.

They are our own so that all devices give the same bits: LLVM's `frem` and half conversions become library calls on some
targets, and wrong PTX on others.
"""

from __future__ import annotations

import functools

from oxidepy.ir.record import record


@record
class _Row:
    """`needs` are functions that the text calls. `inline`: small and without loops; `more`: attributes of its own."""

    signature: str  # "result (type %a, …)"
    body: str
    needs: tuple[str, ...] = ()
    inline: bool = True
    more: str = ""


class Prelude:
    """What a module needs of the prelude, in the order of first need."""

    def __init__(self, attributes: str, native_f16: bool = True) -> None:
        self._attributes = attributes
        self._native_f16 = native_f16
        self._needed: dict[str, str] = {}

    def need(self, name: str) -> None:
        if name in self._needed:
            return
        row = (_NATIVE_F16.get(name) if self._native_f16 else None) or _rows()[name]
        result, _, parameters = row.signature.partition(" ")
        inline = "alwaysinline " if row.inline else row.more
        self._needed[name] = f"define internal {result} @ox.{name}{parameters} {inline}{self._attributes} {{\n{row.body}}}\n"
        for other in row.needs:
            self.need(other)

    def text(self) -> str:
        return "".join(self._needed.values())


_NATIVE_F16 = {
    "f16_to_f32": _Row("float (i16 %x)", "  %h = bitcast i16 %x to half\n  %f = fpext half %h to float\n  ret float %f\n"),
    "f32_to_f16": _Row("i16 (float %x)", "  %h = fptrunc float %x to half\n  %b = bitcast half %h to i16\n  ret i16 %b\n"),
}

_F16_TO_F32 = """\
  %w = zext i16 %x to i32
  %m = and i32 %w, 32767
  %a = shl i32 %m, 13
  %e = and i32 %a, 260046848
  %n = add i32 %a, 939524096
  %i = add i32 %n, 939524096
  %is.inf = icmp eq i32 %e, 260046848
  %is.sub = icmp eq i32 %e, 0
  %s0 = add i32 %n, 8388608
  %s1 = bitcast i32 %s0 to float
  %s2 = fsub float %s1, 0x3F10000000000000
  %s3 = bitcast float %s2 to i32
  %r0 = select i1 %is.inf, i32 %i, i32 %n
  %r1 = select i1 %is.sub, i32 %s3, i32 %r0
  %g0 = and i32 %w, 32768
  %g1 = shl i32 %g0, 16
  %r2 = or i32 %r1, %g1
  %f = bitcast i32 %r2 to float
  ret float %f
"""

_F32_TO_F16 = """\
  %b = bitcast float %x to i32
  %a = and i32 %b, 2147483647
  %odd0 = lshr i32 %a, 13
  %odd = and i32 %odd0, 1
  %n0 = add i32 %a, -939520001
  %n1 = add i32 %n0, %odd
  %n2 = lshr i32 %n1, 13
  %af = bitcast i32 %a to float
  %t0 = fadd float %af, 5.000000e-01
  %t1 = bitcast float %t0 to i32
  %t2 = sub i32 %t1, 1056964608
  %is.sub = icmp ult i32 %a, 947912704
  %is.inf = icmp uge i32 %a, 1199566848
  %is.nan = icmp ugt i32 %a, 2139095040
  %r0 = select i1 %is.sub, i32 %t2, i32 %n2
  %r1 = select i1 %is.inf, i32 31744, i32 %r0
  %r2 = select i1 %is.nan, i32 32256, i32 %r1
  %s0 = lshr i32 %b, 16
  %s1 = and i32 %s0, 32768
  %r3 = or i32 %r2, %s1
  %h = trunc i32 %r3 to i16
  ret i16 %h
"""

_BF16_TO_F32 = """\
  %w = zext i16 %x to i32
  %s = shl i32 %w, 16
  %f = bitcast i32 %s to float
  ret float %f
"""

_F32_TO_BF16 = """\
  %b = bitcast float %x to i32
  %u = lshr i32 %b, 16
  %odd = and i32 %u, 1
  %c0 = add i32 %b, 32767
  %c1 = add i32 %c0, %odd
  %c2 = lshr i32 %c1, 16
  %q = or i32 %u, 64
  %nan = fcmp uno float %x, 0.0
  %r = select i1 %nan, i32 %q, i32 %c2
  %h = trunc i32 %r to i16
  ret i16 %h
"""

# An inexact result gets an odd last bit: rounding it again to at least two bits less is then a single rounding.
_F64_TO_F32_ODD = """\
  %f = fptrunc double %x to float
  %back = fpext float %f to double
  %inexact = fcmp one double %back, %x
  %ax = call double @llvm.fabs.f64(double %x)
  %ab = call double @llvm.fabs.f64(double %back)
  %away = fcmp ogt double %ab, %ax
  %b = bitcast float %f to i32
  %d = sext i1 %away to i32
  %b1 = add i32 %b, %d
  %b2 = or i32 %b1, 1
  %r = select i1 %inexact, i32 %b2, i32 %b
  %o = bitcast i32 %r to float
  ret float %o
"""

# a, b, c are halves: the product is exact in f64; the sum is rounded to odd by its error (two-sum).
_FMA_ODD = """\
  %p = fmul double %a, %b
  %s = fadd double %p, %c
  %bb = fsub double %s, %p
  %t0 = fsub double %s, %bb
  %e0 = fsub double %p, %t0
  %e1 = fsub double %c, %bb
  %e = fadd double %e0, %e1
  %inexact = fcmp one double %e, 0.0
  %ebits = bitcast double %e to i64
  %sum = bitcast double %s to i64
  %x = xor i64 %ebits, %sum
  %away = icmp slt i64 %x, 0
  %d = sext i1 %away to i64
  %b1 = add i64 %sum, %d
  %b2 = or i64 %b1, 1
  %r = select i1 %inexact, i64 %b2, i64 %sum
  %o = bitcast i64 %r to double
  ret double %o
"""


def _jam(signed: bool) -> str:
    """A 64-bit integer with what f64 cannot hold gathered in bit 11, where its magnitude exceeds 2**53."""
    big = (
        "  %away = icmp sgt i64 %x, 9007199254740992\n  %under = icmp slt i64 %x, -9007199254740992\n  %big = or i1 %away, %under\n"
        if signed
        else "  %big = icmp ugt i64 %x, 9007199254740992\n"
    )
    return f"""\
  %low = and i64 %x, 2047
  %some = icmp ne i64 %low, 0
  %top = and i64 %x, -2048
  %bit = select i1 %some, i64 2048, i64 0
  %jam = or i64 %top, %bit
{big}  %r = select i1 %big, i64 %jam, i64 %x
  ret i64 %r
"""


@record
class _Format:
    name: str
    type: str
    bits: int
    mantissa: int  # stored bits
    chunk: int  # bits of quotient a round of the long division may take

    @property
    def int(self) -> str:
        return f"i{self.bits}"


_FORMATS = (_Format("f32", "float", 32, 23, 40), _Format("f64", "double", 64, 52, 11))


def _to_64(f: _Format, name: str, value: str) -> str:
    return f"  %{name} = zext i32 {value} to i64\n" if f.bits == 32 else f"  %{name} = add i64 {value}, 0\n"


def _scaled(f: _Format) -> str:
    """The end of `_fmod`: the remainder in units of the divisor's last place, with the sign of x; exact, denormals too."""
    t, i, m = f.type, f.int, f.mantissa
    return f"""\
  %size = uitofp i64 %result to {t}
  %normal = icmp ugt {i} %ey, {m}
  %e0 = sub {i} %ey, {m}
  %e1 = shl {i} %e0, {m}
  %e2 = sub {i} %ey, 1
  %e3 = and {i} %e2, {f.bits - 1}
  %e4 = shl {i} 1, %e3
  %scale = select i1 %normal, {i} %e1, {i} %e4
  %unit = bitcast {i} %scale to {t}
  %magnitude = fmul {t} %size, %unit
  %bits = bitcast {t} %magnitude to {i}
  %signed = or {i} %bits, %sign
  %out = bitcast {i} %signed to {t}
  ret {t} %out
"""


def _fmod(f: _Format) -> str:
    """Remainder of truncated division, exact: long division of the mantissas, `chunk` bits a round."""
    t, i, m = f.type, f.int, f.mantissa
    inf = ((1 << (f.bits - m - 1)) - 1) << m
    hidden, low = 1 << m, (1 << m) - 1
    return f"""\
entry:
  %bx = bitcast {t} %x to {i}
  %by = bitcast {t} %y to {i}
  %ax = and {i} %bx, {(1 << (f.bits - 1)) - 1}
  %ay = and {i} %by, {(1 << (f.bits - 1)) - 1}
  %sign = xor {i} %bx, %ax
  %s0 = icmp eq {i} %ay, 0
  %s1 = icmp uge {i} %ax, {inf}
  %s2 = icmp ugt {i} %ay, {inf}
  %s3 = or i1 %s0, %s1
  %special = or i1 %s3, %s2
  br i1 %special, label %nan, label %number
nan:
  ret {t} 0x7FF8000000000000
number:
  %less = icmp ult {i} %ax, %ay
  br i1 %less, label %same, label %divide
same:
  ret {t} %x
divide:
  %fx = lshr {i} %ax, {m}
  %fy = lshr {i} %ay, {m}
  %ex = call {i} @llvm.umax.{i}({i} %fx, {i} 1)
  %ey = call {i} @llvm.umax.{i}({i} %fy, {i} 1)
  %lx = and {i} %ax, {low}
  %ly = and {i} %ay, {low}
  %nx = icmp ne {i} %fx, 0
  %ny = icmp ne {i} %fy, 0
  %hx = select i1 %nx, {i} {hidden}, {i} 0
  %hy = select i1 %ny, {i} {hidden}, {i} 0
  %ix = or {i} %lx, %hx
  %iy = or {i} %ly, %hy
{_to_64(f, "mx", "%ix")}{_to_64(f, "my", "%iy")}  %first = urem i64 %mx, %my
  %distance = sub {i} %ex, %ey
  %any = icmp ne {i} %distance, 0
  br i1 %any, label %round, label %done
round:
  %r = phi i64 [ %first, %divide ], [ %rest, %round ]
  %left = phi {i} [ %distance, %divide ], [ %remains, %round ]
  %k = call {i} @llvm.umin.{i}({i} %left, {i} {f.chunk})
{_to_64(f, "k64", "%k")}  %shifted = shl i64 %r, %k64
  %rest = urem i64 %shifted, %my
  %remains = sub {i} %left, %k
  %more = icmp ne {i} %remains, 0
  br i1 %more, label %round, label %done
done:
  %result = phi i64 [ %first, %divide ], [ %rest, %round ]
{_scaled(f)}"""


def _signs_differ(f: _Format, name: str, a: str, b: str) -> str:
    return (
        f"  %{name}.a = bitcast {f.type} {a} to {f.int}\n  %{name}.b = bitcast {f.type} {b} to {f.int}\n"
        f"  %{name}.x = xor {f.int} %{name}.a, %{name}.b\n  %{name} = icmp slt {f.int} %{name}.x, 0\n"
    )


def _mod(f: _Format) -> str:
    t = f.type
    return f"""\
  %rest = call {t} @ox.fmod_{f.name}({t} %x, {t} %y)
{_signs_differ(f, "differ", "%rest", "%y")}  %sum = fadd {t} %rest, %y
  %full = select i1 %differ, {t} %sum, {t} %rest
  %zero = fcmp oeq {t} %rest, 0.0
  %signed = call {t} @llvm.copysign.{f.name}({t} 0.0, {t} %y)
  %r = select i1 %zero, {t} %signed, {t} %full
  ret {t} %r
"""


def _floordiv(f: _Format) -> str:
    """Python's algorithm, then one step by the signs of x - q*y and x - (q + 1)*y wherever q has no more bits than the type.

    A zero has the sign of x / y.
    """
    t, n = f.type, f.name
    limit = f"{float(1 << (f.mantissa + 1)):.17e}"
    return f"""\
  %rest = call {t} @ox.fmod_{n}({t} %x, {t} %y)
{_signs_differ(f, "differ", "%rest", "%y")}  %inexact = fcmp une {t} %rest, 0.0
  %down = and i1 %differ, %inexact
  %whole = fsub {t} %x, %rest
  %q0 = fdiv {t} %whole, %y
  %q1 = fsub {t} %q0, 1.0
  %q = select i1 %down, {t} %q1, {t} %q0
  %f0 = call {t} @llvm.floor.{n}({t} %q)
  %part = fsub {t} %q, %f0
  %half = fcmp ogt {t} %part, 0.5
  %f1 = fadd {t} %f0, 1.0
  %f = select i1 %half, {t} %f1, {t} %f0
  %g = fneg {t} %f
  %excess = call {t} @llvm.fma.{n}({t} %g, {t} %y, {t} %x)
  %size = call {t} @llvm.fabs.{n}({t} %excess)
  %finite = fcmp olt {t} %size, 0x7FF0000000000000
  %fsize = call {t} @llvm.fabs.{n}({t} %f)
  %small = fcmp olt {t} %fsize, {limit}
  %near = and i1 %finite, %small
  %some = fcmp one {t} %excess, 0.0
{_signs_differ(f, "against", "%excess", "%y")}  %h0 = and i1 %near, %some
  %high = and i1 %h0, %against
  %less = fsub {t} %f, 1.0
  %more = fadd {t} %f, 1.0
  %gm = fneg {t} %more
  %beyond = call {t} @llvm.fma.{n}({t} %gm, {t} %y, {t} %x)
  %even = fcmp oeq {t} %beyond, 0.0
{_signs_differ(f, "past", "%beyond", "%y")}  %l0 = xor i1 %past, true
  %l1 = or i1 %even, %l0
  %low = and i1 %near, %l1
  %w0 = select i1 %low, {t} %more, {t} %f
  %w1 = select i1 %high, {t} %less, {t} %w0
  %plain = fdiv {t} %x, %y
  %zero = fcmp oeq {t} %w1, 0.0
  %signed = call {t} @llvm.copysign.{n}({t} 0.0, {t} %plain)
  %w2 = select i1 %zero, {t} %signed, {t} %w1
  %by.zero = fcmp oeq {t} %y, 0.0
  %r = select i1 %by.zero, {t} %plain, {t} %w2
  ret {t} %r
"""


# of numbers by which nothing is divided there is any quotient, so that it may be asked for where nobody wants it
_DIVIDE = """\
  %next = add i64 %b, {}
  %none = icmp ult i64 %next, {}
  %by = select i1 %none, i64 1, i64 %b
  %q = {} i64 %a, %by
  ret i64 %q
"""


@functools.cache
def _rows() -> dict[str, _Row]:
    rows = {
        "f16_to_f32": _Row("float (i16 %x)", _F16_TO_F32),
        "f32_to_f16": _Row("i16 (float %x)", _F32_TO_F16),
        "bf16_to_f32": _Row("float (i16 %x)", _BF16_TO_F32),
        "f32_to_bf16": _Row("i16 (float %x)", _F32_TO_BF16),
        "f64_to_f32_odd": _Row("float (double %x)", _F64_TO_F32_ODD),
        "fma_odd": _Row("double (double %a, double %b, double %c)", _FMA_ODD),
        "jam_i64": _Row("i64 (i64 %x)", _jam(True)),
        "jam_u64": _Row("i64 (i64 %x)", _jam(False)),
        "sdiv": _Row("i64 (i64 %a, i64 %b)", _DIVIDE.format(1, 2, "sdiv"), inline=False, more="noinline speculatable "),
        "udiv": _Row("i64 (i64 %a, i64 %b)", _DIVIDE.format(0, 1, "udiv"), inline=False, more="noinline speculatable "),
    }
    for f in _FORMATS:
        signature = f"{f.type} ({f.type} %x, {f.type} %y)"
        rows[f"fmod_{f.name}"] = _Row(signature, _fmod(f), inline=False)
        for name, make in (("mod", _mod), ("floordiv", _floordiv)):
            rows[f"{name}_{f.name}"] = _Row(signature, make(f), (f"fmod_{f.name}",))
    return rows
