"""The one cold function of a kernel with checks: it writes the panic record and ends the thread.

In PTX as it stands: made by LLVM it would cost as much time as the kernel. In coarse kernels, where one thread does the work of several,
it takes the number of the block for which the thread works, and returns.
"""

from __future__ import annotations

import re

from oxidepy.backend import panic

DECLARATION = "declare void @oxidepy_panic(i32, i64, i64, ptr addrspace(1)) noreturn cold convergent nounwind"
RETURNING = "declare void @oxidepy_report(i32, i64, i64, ptr addrspace(1), i32) cold convergent nounwind"

_EXTERN = re.compile(r"^\.extern (\.func oxidepy_(panic|report)\s*\(.*?\)\s*(?:\.noreturn)?)\s*;\n", re.DOTALL | re.MULTILINE)


def _coordinates(block: tuple[str, str, str]) -> str:
    lines: list[str] = []
    thread = ("%tid.x", "%tid.y", "%tid.z")
    for base, sources in ((panic.BLOCK, block), (panic.THREAD, thread)):
        for number, source in enumerate(sources):
            read = "ld.param.b32" if source.startswith("[") else "mov.u32"
            lines.append(f"\t{read} \t%r2, {source};")
            lines.append(f"\tst.volatile.global.b32 \t[%rd1+{base + 4 * number}], %r2;")
    return "\n".join(lines)


def _body(name: str, end: str, block: tuple[str, str, str]) -> str:
    """The first thread claims the record by compare-and-swap; a null record (launched by a foreign host) is a trap.

    The swap is among the threads of one device, which has records of its own; the host reads only what the fence before READY publishes.
    """
    return f"""{{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<4>;

	ld.param.b64 	%rd1, [{name}_param_3];
	setp.eq.b64 	%p1, %rd1, 0;
	@%p1 trap;
	atom.relaxed.gpu.global.cas.b32 	%r1, [%rd1+{panic.CLAIM}], 0, 1;
	setp.ne.b32 	%p2, %r1, 0;
	@%p2 {end};
	ld.param.b32 	%r3, [{name}_param_0];
	ld.param.b64 	%rd2, [{name}_param_1];
	ld.param.b64 	%rd3, [{name}_param_2];
	st.volatile.global.b32 	[%rd1+{panic.SITE}], %r3;
	st.volatile.global.b64 	[%rd1+{panic.INDEX}], %rd2;
	st.volatile.global.b64 	[%rd1+{panic.LENGTH}], %rd3;
{_coordinates(block)}
	fence.acq_rel.sys;
	mov.b32 	%r2, 1;
	st.relaxed.sys.global.b32 	[%rd1+{panic.READY}], %r2;
	{end};
}}
"""


_BODIES = {
    "panic": _body("oxidepy_panic", "exit", ("%ctaid.x", "%ctaid.y", "%ctaid.z")),
    "report": _body("oxidepy_report", "ret", ("[oxidepy_report_param_4]", "%ctaid.y", "%ctaid.z")),
}


def define(ptx: str) -> str:
    """Put the functions in the places of their declarations. Optimised away, they are not there."""
    return _EXTERN.sub(lambda found: f"{found[1]}\n{_BODIES[found[2]]}", ptx)
