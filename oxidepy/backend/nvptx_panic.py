"""The one cold function of a kernel with checks: it writes the panic record and ends the thread.

In PTX as it stands: made by LLVM it would cost as much time as the kernel.
"""

from __future__ import annotations

import re

from oxidepy.backend import panic

DECLARATION = "declare void @oxidepy_panic(i32, i64, i64, ptr addrspace(1)) noreturn cold convergent nounwind"

_EXTERN = re.compile(r"^\.extern (\.func oxidepy_panic\s*\(.*?\)\s*(?:\.noreturn)?)\s*;\n", re.DOTALL | re.MULTILINE)


def _coordinates() -> str:
    lines: list[str] = []
    for base, register in ((panic.BLOCK, "ctaid"), (panic.THREAD, "tid")):
        for number, axis in enumerate("xyz"):
            lines.append(f"\tmov.u32 \t%r2, %{register}.{axis};")
            lines.append(f"\tst.volatile.global.b32 \t[%rd1+{base + 4 * number}], %r2;")
    return "\n".join(lines)


# The first thread claims the record by compare-and-swap, for the host to see; a null record (launched by a foreign host) is a trap.
_BODY = f"""{{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<4>;

	ld.param.b64 	%rd1, [oxidepy_panic_param_3];
	setp.eq.b64 	%p1, %rd1, 0;
	@%p1 trap;
	atom.relaxed.sys.global.cas.b32 	%r1, [%rd1+{panic.CLAIM}], 0, 1;
	setp.ne.b32 	%p2, %r1, 0;
	@%p2 exit;
	ld.param.b32 	%r3, [oxidepy_panic_param_0];
	ld.param.b64 	%rd2, [oxidepy_panic_param_1];
	ld.param.b64 	%rd3, [oxidepy_panic_param_2];
	st.volatile.global.b32 	[%rd1+{panic.SITE}], %r3;
	st.volatile.global.b64 	[%rd1+{panic.INDEX}], %rd2;
	st.volatile.global.b64 	[%rd1+{panic.LENGTH}], %rd3;
{_coordinates()}
	fence.acq_rel.sys;
	mov.b32 	%r2, 1;
	st.relaxed.sys.global.b32 	[%rd1+{panic.READY}], %r2;
	exit;
}}
"""


def define(ptx: str) -> str:
    """Put the function in the place of its declaration. Optimised away, it is not there."""
    return _EXTERN.sub(lambda found: f"{found[1]}\n{_BODY}", ptx)
