"""Instructions that ptxas compiles wrongly, said in others that it compiles rightly.

Found by the differential fuzzer on an H200 (ptxas 13.0, driver 580).
"""

from __future__ import annotations

import re

# -x and |x| of 16 bits are taken for numbers of 17 bits: -(-32768) >> 15 gives 1. Also for `sub.s16 0, x`, so that neither serves.
_NEGATE = re.compile(r"\tneg\.s16 \t(%rs\d+), (%rs\d+);")
_ABSOLUTE = re.compile(r"\tabs\.s16 \t(%rs\d+), (%rs\d+);")
_NEGATED = r"\tnot.b16 \t%negated, \2;\n\tadd.s16 \t%negated, %negated, 1;\n"
_RULES = (
    ("neg.s16", _NEGATE, r"\tnot.b16 \t\1, \2;\n\tadd.s16 \t\1, \1, 1;"),
    ("abs.s16", _ABSOLUTE, r"\t{\n\t.reg .b16 \t%negated;\n" + _NEGATED + r"\tmax.s16 \t\1, \2, %negated;\n\t}"),
)


def respell(ptx: str) -> str:
    """The same program."""
    for word, pattern, text in _RULES:
        if word in ptx:
            ptx = pattern.sub(text, ptx)
    return ptx
