"""erf and erfc. |x| < 1/2: erf(x) = x + x * E(x*x). Beyond, erfc(x) = e**(-x*x) * (1 + G(q)) / (1 + 2*x) with q = (x - k) / (x + k)."""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
# A literal takes the type of what it meets in kernels; to a checker it stays a float, which is no f64.
# pyright: reportReturnType=false, reportAssignmentType=false
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.functions.doubles import divided, ordered_sum, polynomial, two_product, two_sum
from oxidepy.lang.functions.exp import exp_pair_f32, exp_pair_f64
from oxidepy.lang.scalars import f32, f64, i32, i64

_E_32 = (0.004718892, -0.02675765, 0.1128283, -0.37612608, 0.12837917)
INNER_64 = (
    -1.4620256114391553e-07, 1.6371164552892836e-06, -1.4923000283850108e-05, 0.00012055286128871108,
    -0.0008548326509718547, 0.005223977622008845, -0.026866170644999358, 0.11283791670954868,
    -0.3761263890318375, 0.1283791670955126,
)  # fmt: skip
_G_32 = (
    0.00023561607, -0.0003217109, -0.0014867393, 0.0012239357, 0.008732491, -0.0080263065,
    -0.05422128, 0.16405076, -0.16603035, -0.09276382, 0.27697837,
)  # fmt: skip
_G_64 = (
    -1.5222025637772783e-08, 2.2774267839701138e-08, 1.1127734169226099e-07, -1.213102988983268e-07,
    -6.293459334344532e-07, 3.444108762239737e-07, 3.481322939397903e-06, -7.26811549277523e-07,
    -2.0104310198668072e-05, 4.948363416769064e-06, 0.00012510033643753853, -0.00010515963207757524,
    -0.0007798324339671984, 0.0018886903438635823, 0.002529391832094415, -0.02377051491782318,
    0.06830802734310261, -0.1192736634153327, 0.12964515870278268, -0.04756229435345045,
    -0.13562110612458134, 0.25300805826972966,
)  # fmt: skip


def _tail(a, k, g):
    """e**(a*a) * erfc(a) as a pair, for a >= 1/2."""
    p, pl = ordered_sum(1.0, polynomial((a - k) / (a + k), g))
    d, dl = two_sum(1.0, 2.0 * a)
    return divided(p, pl, d, dl)


def tail_pair_f64(a: f64):
    return _tail(a, 3.0, _G_64)


def _product(high, low, e, el):
    p, pl = two_product(high, e)
    return p + (pl + math.fma(high, el, low * e))


def _tail_f32(a: f32):
    """erfc(a), for a >= 1/2."""
    a = 10.1 if a > 10.1 else a
    square, rest = two_product(a, a)
    n = math.rint(square * -1.442695)
    e, el = exp_pair_f32(n, -square, -rest)
    high, low = _tail(a, 2.0, _G_32)
    k = i32(n)
    half = k >> 1
    return _product(high, low, e, el) * bits.cast(f32, (half + 127) << 23) * bits.cast(f32, (k - half + 127) << 23)


def _tail_f64(a: f64):
    a = 27.3 if a > 27.3 else a
    square, rest = two_product(a, a)
    n = math.rint(square * -1.4426950408889634)
    e, el = exp_pair_f64(n, -square, -rest)
    high, low = _tail(a, 3.0, _G_64)
    k = i64(n)
    half = k >> 1
    return _product(high, low, e, el) * bits.cast(f64, (half + 1023) << 52) * bits.cast(f64, (k - half + 1023) << 52)


def _erf(x, tail, e):
    inside = math.fma(x, polynomial(x * x, e), x)
    return math.copysign(1.0 - tail, x) if math.fabs(x) >= 0.5 else inside


def _erfc(x, tail, e):
    s, rest = two_sum(1.0, -x)
    inside = s + math.fma(-x, polynomial(x * x, e), rest)
    outside = 2.0 - tail if x < 0.0 else tail
    return outside if math.fabs(x) >= 0.5 else inside


def erf_f32(x: f32) -> f32:
    return _erf(x, _tail_f32(math.fabs(x)), _E_32)


def erf_f64(x: f64) -> f64:
    return _erf(x, _tail_f64(math.fabs(x)), INNER_64)


def erfc_f32(x: f32) -> f32:
    return _erfc(x, _tail_f32(math.fabs(x)), _E_32)


def erfc_f64(x: f64) -> f64:
    return _erfc(x, _tail_f64(math.fabs(x)), INNER_64)
