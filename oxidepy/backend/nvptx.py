"""Kernel IR → PTX."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from oxidepy.backend import assembler, nvptx_assembly, nvptx_foreign
from oxidepy.backend.abi import abi_params, checks, panic_sites, symbol
from oxidepy.backend.artefact import Artefact
from oxidepy.backend.llvm import engine
from oxidepy.backend.llvm.arithmetic import TABLE, lengths
from oxidepy.backend.llvm.debug import DebugInfo, Metadata
from oxidepy.backend.llvm.emitter import Emitter, ModuleText, Place
from oxidepy.backend.llvm.functions import emit_functions
from oxidepy.backend.llvm.prelude import Prelude
from oxidepy.backend.llvm.values import memory_type
from oxidepy.backend.nvptx_atomics import Atomics
from oxidepy.backend.nvptx_natives import native
from oxidepy.backend.nvptx_needs import raised, refuse
from oxidepy.backend.nvptx_packed import Packed
from oxidepy.backend.nvptx_panic import DECLARATION, RETURNING, define
from oxidepy.backend.nvptx_phases import lowerings, waits_for_phases
from oxidepy.backend.nvptx_respell import respell
from oxidepy.backend.nvptx_scratch import Scratch
from oxidepy.backend.nvptx_sync import GRID_PARAMETER, Barriers, look, waits
from oxidepy.backend.nvptx_warp import Warp
from oxidepy.backend.targets import Target
from oxidepy.ir.calls import RECURSION_LIMIT, recursive_functions
from oxidepy.ir.core import Kernel, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.intrinsics.inline import inline_ops
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import Memory, Scalar
from oxidepy.settings.options import CodegenOptions
from oxidepy.settings.version import __version__

MAP_BYTES, MAP_ALIGN = 128, 64  # of a tensor map
_ATTRIBUTES = "convergent nounwind"
_CALLS = re.compile(r"callseq \d+")  # LLVM numbers calls over the life of the process
# a thread's own loops gain nothing by vectors, of which LLVM would think for as long as all else takes
_VECTORS: engine.Vectors = "straight"
_SPACES = {"global": "ptr addrspace(1)", "shared": "ptr addrspace(3)", "const": "ptr addrspace(4)", "local": "ptr"}


def emit(module: Module, target: Target, options: CodegenOptions, align: int = 0) -> Artefact:
    """Compile a checked module to PTX. CompileError OX6001: the target lacks what the kernel asks for.

    `align`: bytes to whose multiples the launcher holds memory arguments; LLVM then makes wide accesses of neighbouring ones.
    """
    begin = time.perf_counter()
    target = raised(module.kernel, target)
    found = checks(module.kernel)
    text = llvm_text(module, target, options, align)
    ptx = engine.assembly(text, *_machine(target), _level(options), _VECTORS)
    ptx = _CALLS.sub("callseq", ptx)
    ptx = respell(ptx)
    if found:
        ptx = define(ptx)
    if inline_ops(module.kernel):
        assembler.verify(ptx, target, module.kernel)
    return Artefact(
        target=target.identity,
        entry=symbol(module.kernel.name),
        code=ptx.encode(),
        params=abi_params(module.kernel),
        sites=panic_sites(found),
        panic=bool(found),
        facts={
            "arch": target.arch,
            "isa": list(target.isa or ()),
            **Scratch(module.kernel).facts(),
            **({"aligned": align} if align else {}),
            **({"cluster": list(module.kernel.cluster)} if module.kernel.cluster is not None else {}),
            **({"recursion": RECURSION_LIMIT} if recursive_functions(module) else {}),
            **({"grid_barrier": True} if _waits_for_grid(module.kernel) else {}),
            "milliseconds": round((time.perf_counter() - begin) * 1e3, 3),
        },
    )


def optimised_llvm(module: Module, target: Target, options: CodegenOptions) -> str:
    """The LLVM text after optimisation, for `--emit llvm` and tests."""
    target = raised(module.kernel, target)
    return engine.optimised(llvm_text(module, target, options), *_machine(target), _level(options), _VECTORS)


def _machine(target: Target) -> tuple[str, str, str]:
    return engine.NVPTX_TRIPLE, target.arch, target.features


def _level(options: CodegenOptions) -> int:
    return 0 if options.device_debug else 3


def llvm_text(module: Module, target: Target, options: CodegenOptions, align: int = 0) -> str:
    """The module as LLVM text, before optimisation."""
    kernel = module.kernel
    target = raised(kernel, target)
    refuse(kernel, target)
    metadata = Metadata()
    span = next((op.span for op in kernel.body.walk() if op.span is not None), None)
    file = span.file if span else "kernel"
    debug = DebugInfo(metadata, file, f"oxidepy {__version__}") if options.lineinfo else None
    prelude = Prelude(_ATTRIBUTES)
    text = ModuleText(prelude, metadata, debug)
    found = checks(kernel)
    bodies = emit_functions(module, lambda: _NvptxEmitter(text, target), _ATTRIBUTES)
    emitter = _KernelEmitter(text, target, kernel, metadata, {id(op): number for number, op in enumerate(found)}, align)
    tail = debug.function(kernel.name, span, file) if debug is not None else ""
    parameters = emitter.parameters(bool(found))
    head = f"define {_face(kernel, parameters)} {_ATTRIBUTES} {_bounds(kernel, options)}{tail} {{"
    emitter.body()
    return "\n".join(
        (
            f'target datalayout = "{engine.data_layout(*_machine(target))}"',
            f'target triple = "{engine.NVPTX_TRIPLE}"',
            *emitter.scratch.variables,
            *bodies,
            head,
            *emitter.lines,
            "}",
            "\n".join({"check": DECLARATION, "panic": RETURNING}[name] for name in dict.fromkeys(op.name for op in found)),
            prelude.text(),
            *text.declared.values(),
            text.tables(),
            metadata.text(),
        )
    )


def _face(kernel: Kernel, parameters: str) -> str:
    if kernel.exported is not None:
        return f"{nvptx_foreign.gives(kernel.exported.result)} @{symbol(kernel.name)}({parameters})"
    return f"ptx_kernel void @{symbol(kernel.name)}({parameters})"


def _bounds(kernel: Kernel, options: CodegenOptions) -> str:
    """Launch facts as attributes. The block is exact, so `.reqntid` stands and `.maxntid` must not."""
    if kernel.exported is not None:
        return ""
    x, y, z = kernel.block
    out = [f'"nvvm.reqntid"="{x},{y},{z}"']
    if kernel.launch_bounds is not None and kernel.launch_bounds[1]:
        out.append(f'"nvvm.minctasm"="{kernel.launch_bounds[1]}"')
    if options.max_registers is not None:
        out.append(f'"nvvm.maxnreg"="{options.max_registers}"')
    if kernel.cluster is not None:
        out.append('"nvvm.cluster_dim"="{},{},{}"'.format(*kernel.cluster))
    return " ".join(out)


def _waits_for_grid(kernel: Kernel) -> bool:
    """Whether the entry takes the address of a barrier of the whole grid."""
    return any(op.name == "intrinsic" and op.attrs["row"] == "grid.sync" for op in kernel.body.walk())


class _NvptxEmitter(Emitter):
    """What is the GPU's own in arithmetic."""

    extrema_native = True
    table_space = " addrspace(1)"
    halves_native = True

    def __init__(self, text: ModuleText, target: Target) -> None:
        super().__init__(text, TABLE)
        self.target = target

    def native(self, name: str, result: str, params: list[tuple[str, str]]) -> str | None:
        return native(name, result, params, self.target.compute, self.target.isa or (0, 0))

    def fma_native(self, scalar: Scalar) -> bool:
        return scalar.name == "f16" or self.target.compute >= 80

    def shift64(self, instruction: str, value: str, count: str) -> str | None:
        """As inline PTX: LLVM 22 takes the comparison of the count away, since PTX clamps, but PTX takes the low half of the count."""
        ptx = "shl.b64" if instruction == "shl" else "shr.u64"
        text = f"{{ .reg .b64 %count; .reg .b32 %low; min.u64 %count, $2, 64; cvt.u32.u64 %low, %count; {ptx} $0, $1, %low; }}"
        return self.ins(f'call i64 asm "{text}", "=l,l,l"(i64 {value}, i64 {count})')

    def saturate(self, source: Scalar, target: Scalar, value: str) -> str:
        """`cvt.rzi` saturates by itself; NaN gives 0 from f32 to 32 bits only. Narrow integers are clamped from 32 bits."""
        wide = max(target.bits, 32)
        sign = "" if target.signed else "u"
        letter = "f" if source.name == "f32" else "d"
        from_type = self.type(source)
        found = self.ins(f"call i{wide} @llvm.nvvm.{letter}2{sign}{'i' if wide == 32 else 'll'}.rz({from_type} {value})")
        if letter == "d" or wide == 64:
            number = self.ins(f"fcmp ord {from_type} {value}, 0.0")
            found = self.ins(f"select i1 {number}, i{wide} {found}, i{wide} 0")
        if target.bits == wide:
            return found
        kind = "s" if target.signed else "u"
        found = self.ins(f"call i32 @llvm.{kind}min.i32(i32 {found}, i32 {target.max})")
        if target.signed:
            found = self.ins(f"call i32 @llvm.smax.i32(i32 {found}, i32 {target.min})")
        return self.ins(f"trunc i32 {found} to i{target.bits}")


class _KernelEmitter(_NvptxEmitter):
    """The entry: its parameters, the coordinates of its threads, its panics."""

    def __init__(self, text: ModuleText, target: Target, kernel: Kernel, metadata: Metadata, sites: dict[int, int], align: int) -> None:
        super().__init__(text, target)
        self.kernel = kernel
        self.metadata = metadata
        self.sites = sites
        self.align = f" align {align}" if align else ""
        self.panics: list[tuple[str, str, str, str]] = []  # block, site, index, length
        self.likely = ", !prof " + metadata.add('!{!"branch_weights", i32 1048575, i32 1}')
        x, y, z = kernel.block
        self.record = "%record"
        self.lent = {one for op in kernel.body.walk() if op.name == "extern" for one in op.operands}  # whose addresses others get
        self.rounds = ""  # where the rounds of waiting loops are counted
        self.scratch = Scratch(kernel)
        self.atomics = Atomics(self, target.compute)
        self.packed = Packed(self, self.atomics, target.compute)
        self.inline = {op: number for number, op in enumerate(inline_ops(kernel))}
        self.rows: dict[str, Callable[[Op], str]] = {
            **Warp(self, self._lane, x * y * z % 32 == 0, target.compute >= 80).rows,
            **Barriers(self, self._origin, self._blocks, bool(sites)).rows,
            "lane": lambda op: self._lane(),
            "warp_id": lambda op: self._warp_id(),
            "assembly": self._instruction,
        }

        self.phases = lowerings(self, target.compute, kernel.cluster is not None, lambda: self.rounds)

    def _instruction(self, op: Op) -> str:
        own = self.phases.get(op.attrs["row"])
        return nvptx_assembly.lower(self, op) if own is None else own(op)

    # ---- parameters

    def parameters(self, record: bool) -> str:
        kernel = self.kernel
        self.nonnegative = lengths(kernel.params, kernel.infos)
        if kernel.exported is not None:
            self.record = "null"  # whose caller takes no record: a failed check is a trap
            self.start("entry")
            params = nvptx_foreign.parameters(self, kernel)
            self.scratch.place(self, {})
            return params
        out: list[str] = []
        self.start("entry")
        written = self._tails()
        for number, value in enumerate(kernel.params):
            name = f"%p{number}"
            if isinstance(value.type, Memory):
                out.append(f"{self._memory(value, name, written)} {name}")
                continue
            scalar = value.type
            if scalar.kind == "bool":
                out.append(f"i8 {name}")
                self.values[value] = self.ins(f"icmp ne i8 {name}, 0")
                continue
            known = f" range({self.type(scalar)} 0, {scalar.min})" if value in self.nonnegative and scalar.signed else ""
            out.append(f"{memory_type(scalar)}{known} {name}")
            self.values[value] = name
        if record:
            out.append("ptr addrspace(1) %record")
        if _waits_for_grid(kernel):
            out.append(f"ptr addrspace(1) {GRID_PARAMETER}")
        self.scratch.place(self, written)
        if record and (waits_for_phases(kernel) or any(op.name == "while" and waits(op) for op in kernel.body.walk())):
            self.rounds = self.ins("alloca i32, align 4")
            self.do(f"store i32 0, ptr {self.rounds}")
        return ", ".join(out)

    def _tails(self) -> dict[Value, str]:
        """What the accesses of each memory object that may be written carry: these do not overlap, which the launch has made sure of.

        Nothing for memory that is accessed atomically, where other threads meet, or volatile, where anybody may, and for no parameter
        where one is a bare pointer, which may point at any of the others.
        """
        ops = list(self.kernel.body.walk())
        volatile = {op.operands[0] for op in ops if "volatile" in op.attrs}
        atomic = {op.operands[0] for op in ops if op.name == "atomic"} | volatile
        shared = [op.result for op in ops if op.name == "alloc" and op.result.memory.space == "shared"]
        pointed = self.kernel.pointed()
        given = [one for one in self.kernel.params if isinstance(one.type, Memory) and one.type.space != "param"]
        written = [one for one in given if pointed or one.memory.access != "shared" or one in volatile] + shared
        private = [one for one in written if one not in atomic and not (pointed and one in given)]
        tails = dict.fromkeys(written, "")
        if len(private) < 2:
            return tails
        number = self.metadata.reserve()
        domain = self.metadata.set(number, f"distinct !{{!{number}}}")
        scopes: dict[Value, str] = {}
        for one in private:
            number = self.metadata.reserve()
            scopes[one] = self.metadata.set(number, f"distinct !{{!{number}, {domain}}}")
        for one, own in scopes.items():
            others = ", ".join(scope for other, scope in scopes.items() if other is not one)
            tails[one] = f", !alias.scope {self.metadata.add(f'!{{{own}}}')}, !noalias {self.metadata.add(f'!{{{others}}}')}"
        return tails

    def _memory(self, value: Value, name: str, written: dict[Value, str]) -> str:
        """Note the place of a memory parameter; its type and attributes in the head.

        `noalias` is said of read-only memory only: said of written memory, LLVM drops the reload after a barrier. Constant memory is global
        memory where a pointer may reach it.
        """
        if value.memory.space == "param":
            self.places[value] = Place(name, "ptr")
            return f'ptr byval([{MAP_BYTES} x i8]) align {MAP_ALIGN} "nvvm.grid_constant"'
        type_ = _SPACES["global" if value in written or value in self.lent else value.memory.space]
        if value not in written:
            self.places[value] = Place(name, type_, f", !invariant.load {self.metadata.add('!{}')}")
            return f"{type_} noalias readonly{self.align}"
        tail = written[value]
        self.places[value] = Place(name, type_, tail, tail)
        return type_ + self.align

    # ---- body

    def body(self) -> None:
        debug = self.text.debug
        first = next((op.span for op in self.kernel.body.walk() if op.span is not None), None)
        found = self.region(self.kernel.body)
        if found is not None:
            self.do(nvptx_foreign.returned(self, self.kernel) if self.kernel.exported is not None else "ret void")
        else:
            self.do("unreachable")
        if self.panics:
            if debug is not None:
                self.location = debug.location(first)
            self.start("panic")
            site, index, length = (
                self.ins(f"phi {type_} " + ", ".join(f"[ {one[column]}, %{one[0]} ]" for one in self.panics))
                for column, type_ in ((1, "i32"), (2, "i64"), (3, "i64"))
            )
            self.do(f"call void @oxidepy_panic(i32 {site}, i64 {index}, i64 {length}, ptr addrspace(1) {self.record})")
            self.do("unreachable")

    def check(self, op: Op) -> None:
        condition, *where = op.operands
        fail, on = self.fresh("fail"), self.fresh("on")
        self.do(f"br i1 {self.values[condition]}, label %{on}, label %{fail}{self.likely}")
        self.start(fail)
        index, length = (self._wide(one) for one in where) if where else ("0", "0")
        self.panics.append((fail, str(self.sites[id(op)]), index, length))
        self.do("br label %panic")
        self.start(on)

    def panic(self, op: Op) -> None:
        block, *where = op.operands
        index, length = (self._wide(one) for one in where) if where else ("0", "0")
        number = self.values[block]
        if block.scalar.bits == 64:
            number = self.ins(f"trunc i64 {number} to i32")
        self.do(f"call void @oxidepy_report(i32 {self.sites[id(op)]}, i64 {index}, i64 {length}, ptr addrspace(1) %record, i32 {number})")

    def _wide(self, value: Value) -> str:
        text, scalar = self.values[value], value.scalar
        if scalar.bits == 64 or text.lstrip("-").isdigit():
            return text
        return self.ins(f"{'sext' if scalar.signed else 'zext'} {self.type(scalar)} {text} to i64")

    # ---- coordinates

    def intrinsic(self, op: Op) -> str:
        lowering = ROWS[op.attrs["row"]].nvptx
        if lowering in self.rows:
            return self.rows[lowering](op)
        wide = op.result.scalar.bits == 64
        if lowering == "grid_size":
            return self._grid_size(wide)
        if lowering.startswith("global_id."):
            return self._global_id("xyz".index(lowering[-1]), wide)
        register, axis = lowering.removeprefix("llvm.nvvm.read.ptx.sreg.").split(".")
        return self._coordinate(register, "xyz".index(axis), wide)

    def _coordinate(self, register: str, axis: int, wide: bool) -> str:
        """A special register; a constant where the contract fixes it."""
        size = self.kernel.block[axis]
        if register == "ntid":
            return str(size)
        if register == "tid" and size == 1:
            return "0"
        if axis >= self.kernel.domain and register in ("ctaid", "nctaid"):
            return "0" if register == "ctaid" else "1"
        limit = 2147483647 if axis == 0 else 65535
        bounds = {"tid": (0, size), "ctaid": (0, limit), "nctaid": (1, limit + 1)}[register]
        high = bounds[1] if bounds[1] < 1 << 31 else -(1 << 31)
        found = self.ins(f"call range(i32 {bounds[0]}, {high}) i32 @llvm.nvvm.read.ptx.sreg.{register}.{'xyz'[axis]}()")
        return self.ins(f"zext nneg i32 {found} to i64") if wide else found

    def _global_id(self, axis: int, wide: bool) -> str:
        """The host refuses launches in which it would not fit its type."""
        type_ = "i64" if wide else "i32"
        block, thread = self._coordinate("ctaid", axis, wide), self._coordinate("tid", axis, wide)
        start = self.ins(f"mul nuw nsw {type_} {block}, {self.kernel.block[axis]}")
        return self.ins(f"add nuw nsw {type_} {start}, {thread}")

    def round(self, op: Op) -> None:
        if self.rounds and waits(op):
            look(self, self.rounds)

    def alloc(self, op: Op) -> None:
        assert op.result in self.places  # made at the entry

    def map_shared(self, op: Op) -> None:
        memory, rank = op.operands
        place = self.places[memory]
        call = f"call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster({place.type} {place.pointer}, i32 {self.value(rank)})"
        self.places[op.result] = Place(self.ins(call), "ptr addrspace(7)")

    def pair(self, op: Op, mate: Op) -> tuple[str, str] | None:
        return self.packed.lower(op, mate)

    def atomic(self, op: Op) -> str:
        return self.atomics.access(op)

    def fence(self, op: Op) -> None:
        self.atomics.fence(op)

    def together(self, op: Op) -> bool:
        """What is written as convergent PTX: all but arithmetic, plain memory and control."""
        if op.name == "intrinsic":
            row = ROWS[op.attrs["row"]]
            return row.convergence != "none" or row.effect != "pure"
        return op.name == "ptx" or OPS[op.name].effect in ("atomic", "order", "message")

    def ptx(self, op: Op) -> None:
        nvptx_assembly.inline(self, op, self.inline[op])

    def extern(self, op: Op) -> None:
        nvptx_foreign.call(self, op, _ATTRIBUTES)

    def _linear(self) -> str:
        """The number of the thread in its block."""
        x, y, z = self.kernel.block
        total = self._coordinate("tid", 0, False)
        for axis, size, stride in ((1, y, x), (2, z, x * y)):
            if size > 1:
                part = self.ins(f"mul nuw nsw i32 {self._coordinate('tid', axis, False)}, {stride}")
                total = self.ins(f"add nuw nsw i32 {total}, {part}")
        return total

    def _lane(self) -> str:
        return self.ins(f"and i32 {self._linear()}, 31")

    def _warp_id(self) -> str:
        return self.ins(f"lshr i32 {self._linear()}, 5")

    def _origin(self, register: str) -> str:
        """Whether all coordinates of the thread or block are 0."""
        total = "0"
        for axis in range(3):
            total = self.ins(f"or i32 {total}, {self._coordinate(register, axis, False)}")
        return self.ins(f"icmp eq i32 {total}, 0")

    def _blocks(self) -> str:
        total = "1"
        for axis in range(self.kernel.domain):
            total = self.ins(f"mul i32 {total}, {self._coordinate('nctaid', axis, False)}")
        return total

    def _grid_size(self, wide: bool) -> str:
        type_ = "i64" if wide else "i32"
        x, y, z = self.kernel.block
        total = str(x * y * z)
        for axis in range(self.kernel.domain):
            total = self.ins(f"mul {type_} {total}, {self._coordinate('nctaid', axis, wide)}")
        return total
