# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any

from oxidepy.lang.scalars import u32, u64

__all__ = [
    "commit_group",
    "fence",
    "fewer_registers",
    "m64n8k8",
    "m64n8k16",
    "m64n8k32",
    "m64n8k256",
    "m64n16k8",
    "m64n16k16",
    "m64n16k32",
    "m64n16k256",
    "m64n24k8",
    "m64n24k16",
    "m64n24k32",
    "m64n24k256",
    "m64n32k8",
    "m64n32k16",
    "m64n32k32",
    "m64n32k256",
    "m64n40k8",
    "m64n40k16",
    "m64n40k32",
    "m64n48k8",
    "m64n48k16",
    "m64n48k32",
    "m64n48k256",
    "m64n56k8",
    "m64n56k16",
    "m64n56k32",
    "m64n64k8",
    "m64n64k16",
    "m64n64k32",
    "m64n64k256",
    "m64n72k8",
    "m64n72k16",
    "m64n72k32",
    "m64n80k8",
    "m64n80k16",
    "m64n80k32",
    "m64n80k256",
    "m64n88k8",
    "m64n88k16",
    "m64n88k32",
    "m64n96k8",
    "m64n96k16",
    "m64n96k32",
    "m64n96k256",
    "m64n104k8",
    "m64n104k16",
    "m64n104k32",
    "m64n112k8",
    "m64n112k16",
    "m64n112k32",
    "m64n112k256",
    "m64n120k8",
    "m64n120k16",
    "m64n120k32",
    "m64n128k8",
    "m64n128k16",
    "m64n128k32",
    "m64n128k256",
    "m64n136k8",
    "m64n136k16",
    "m64n136k32",
    "m64n144k8",
    "m64n144k16",
    "m64n144k32",
    "m64n144k256",
    "m64n152k8",
    "m64n152k16",
    "m64n152k32",
    "m64n160k8",
    "m64n160k16",
    "m64n160k32",
    "m64n160k256",
    "m64n168k8",
    "m64n168k16",
    "m64n168k32",
    "m64n176k8",
    "m64n176k16",
    "m64n176k32",
    "m64n176k256",
    "m64n184k8",
    "m64n184k16",
    "m64n184k32",
    "m64n192k8",
    "m64n192k16",
    "m64n192k32",
    "m64n192k256",
    "m64n200k8",
    "m64n200k16",
    "m64n200k32",
    "m64n208k8",
    "m64n208k16",
    "m64n208k32",
    "m64n208k256",
    "m64n216k8",
    "m64n216k16",
    "m64n216k32",
    "m64n224k8",
    "m64n224k16",
    "m64n224k32",
    "m64n224k256",
    "m64n232k8",
    "m64n232k16",
    "m64n232k32",
    "m64n240k8",
    "m64n240k16",
    "m64n240k32",
    "m64n240k256",
    "m64n248k8",
    "m64n248k16",
    "m64n248k32",
    "m64n256k8",
    "m64n256k16",
    "m64n256k32",
    "m64n256k256",
    "more_registers",
    "sparse",
    "wait_group",
]

class _m64n8k8_f32_tf32:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): tf32 64×8 from shared memory by tf32 8×N from shared memory, sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): tf32 64×8 from registers by tf32 8×N from shared memory, sums in f32."""
        ...

class _m64n8k8_f32:
    tf32: _m64n8k8_f32_tf32

class _m64n8k8:
    f32: _m64n8k8_f32

class _m64n8k16_f16_f16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): f16 64×16 from shared memory by f16 16×N from shared memory, sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): f16 64×16 from registers by f16 16×N from shared memory, sums in f16."""
        ...

class _m64n8k16_f16:
    f16: _m64n8k16_f16_f16

class _m64n8k16_f32_bf16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): bf16 64×16 from shared memory by bf16 16×N from shared memory, sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): bf16 64×16 from registers by bf16 16×N from shared memory, sums in f32."""
        ...

class _m64n8k16_f32_f16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): f16 64×16 from shared memory by f16 16×N from shared memory, sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): f16 64×16 from registers by f16 16×N from shared memory, sums in f32."""
        ...

class _m64n8k16_f32:
    bf16: _m64n8k16_f32_bf16
    f16: _m64n8k16_f32_f16

class _m64n8k16:
    f16: _m64n8k16_f16
    f32: _m64n8k16_f32

class _m64n8k32_f16_e4m3_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from shared memory by e5m2 32×N from shared memory, sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from registers by e5m2 32×N from shared memory, sums in f16."""
        ...

class _m64n8k32_f16_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from shared memory by e4m3 32×N from shared memory, sums in f16."""
        ...
    e5m2: _m64n8k32_f16_e4m3_e5m2
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from registers by e4m3 32×N from shared memory, sums in f16."""
        ...

class _m64n8k32_f16_e5m2_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from shared memory by e4m3 32×N from shared memory, sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from registers by e4m3 32×N from shared memory, sums in f16."""
        ...

class _m64n8k32_f16_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from shared memory by e5m2 32×N from shared memory, sums in f16."""
        ...
    e4m3: _m64n8k32_f16_e5m2_e4m3
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from registers by e5m2 32×N from shared memory, sums in f16."""
        ...

class _m64n8k32_f16:
    e4m3: _m64n8k32_f16_e4m3
    e5m2: _m64n8k32_f16_e5m2

class _m64n8k32_f32_e4m3_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from shared memory by e5m2 32×N from shared memory, sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from registers by e5m2 32×N from shared memory, sums in f32."""
        ...

class _m64n8k32_f32_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from shared memory by e4m3 32×N from shared memory, sums in f32."""
        ...
    e5m2: _m64n8k32_f32_e4m3_e5m2
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×32 from registers by e4m3 32×N from shared memory, sums in f32."""
        ...

class _m64n8k32_f32_e5m2_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from shared memory by e4m3 32×N from shared memory, sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from registers by e4m3 32×N from shared memory, sums in f32."""
        ...

class _m64n8k32_f32_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from shared memory by e5m2 32×N from shared memory, sums in f32."""
        ...
    e4m3: _m64n8k32_f32_e5m2_e4m3
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×32 from registers by e5m2 32×N from shared memory, sums in f32."""
        ...

class _m64n8k32_f32:
    e4m3: _m64n8k32_f32_e4m3
    e5m2: _m64n8k32_f32_e5m2

class _m64n8k32_i32_i8_sat:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from shared memory by i8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from registers by i8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...

class _m64n8k32_i32_i8_u8_sat:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from shared memory by u8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from registers by u8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...

class _m64n8k32_i32_i8_u8:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from shared memory by u8 32×N from shared memory, sums in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from registers by u8 32×N from shared memory, sums in i32."""
        ...
    sat: _m64n8k32_i32_i8_u8_sat

class _m64n8k32_i32_i8:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from shared memory by i8 32×N from shared memory, sums in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×32 from registers by i8 32×N from shared memory, sums in i32."""
        ...
    sat: _m64n8k32_i32_i8_sat
    u8: _m64n8k32_i32_i8_u8

class _m64n8k32_i32_u8_i8_sat:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from shared memory by i8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from registers by i8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...

class _m64n8k32_i32_u8_i8:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from shared memory by i8 32×N from shared memory, sums in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from registers by i8 32×N from shared memory, sums in i32."""
        ...
    sat: _m64n8k32_i32_u8_i8_sat

class _m64n8k32_i32_u8_sat:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from shared memory by u8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from registers by u8 32×N from shared memory, sums in i32, clamped where they
        overflow."""
        ...

class _m64n8k32_i32_u8:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from shared memory by u8 32×N from shared memory, sums in i32."""
        ...
    i8: _m64n8k32_i32_u8_i8
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×32 from registers by u8 32×N from shared memory, sums in i32."""
        ...
    sat: _m64n8k32_i32_u8_sat

class _m64n8k32_i32:
    i8: _m64n8k32_i32_i8
    u8: _m64n8k32_i32_u8

class _m64n8k32:
    f16: _m64n8k32_f16
    f32: _m64n8k32_f32
    i32: _m64n8k32_i32

class _m64n8k256_i32_b1:
    def __call__(self, a: u64 | int, b: u64 | int, d: tuple[int, ...], /, accumulate: bool = True) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): b1 64×256 from shared memory by b1 256×N from shared memory, sums in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        /,
        accumulate: bool = True,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): b1 64×256 from registers by b1 256×N from shared memory, sums in i32."""
        ...

class _m64n8k256_i32:
    b1: _m64n8k256_i32_b1

class _m64n8k256:
    i32: _m64n8k256_i32

class _m64n40k32:
    f16: _m64n8k32_f16
    f32: _m64n8k32_f32

class _sparse_m64n8k16_f32_tf32:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): tf32 64×16, one of two neighbours kept, from shared memory by tf32 16×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): tf32 64×16, one of two neighbours kept, from registers by tf32 16×N from shared memory, sums
        in f32."""
        ...

class _sparse_m64n8k16_f32:
    tf32: _sparse_m64n8k16_f32_tf32

class _sparse_m64n8k16:
    f32: _sparse_m64n8k16_f32

class _sparse_m64n8k32_f16_f16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from shared memory by f16 32×N from shared memory,
        sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from registers by f16 32×N from shared memory, sums in
        f16."""
        ...

class _sparse_m64n8k32_f16:
    f16: _sparse_m64n8k32_f16_f16

class _sparse_m64n8k32_f32_bf16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): bf16 64×32, two of four neighbours kept, from shared memory by bf16 32×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): bf16 64×32, two of four neighbours kept, from registers by bf16 32×N from shared memory, sums
        in f32."""
        ...

class _sparse_m64n8k32_f32_f16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from shared memory by f16 32×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from registers by f16 32×N from shared memory, sums in
        f32."""
        ...

class _sparse_m64n8k32_f32:
    bf16: _sparse_m64n8k32_f32_bf16
    f16: _sparse_m64n8k32_f32_f16

class _sparse_m64n8k32:
    f16: _sparse_m64n8k32_f16
    f32: _sparse_m64n8k32_f32

class _sparse_m64n8k64_f16_e4m3_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory, sums
        in f16."""
        ...

class _sparse_m64n8k64_f16_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f16."""
        ...
    e5m2: _sparse_m64n8k64_f16_e4m3_e5m2
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory, sums
        in f16."""
        ...

class _sparse_m64n8k64_f16_e5m2_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory, sums
        in f16."""
        ...

class _sparse_m64n8k64_f16_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f16."""
        ...
    e4m3: _sparse_m64n8k64_f16_e5m2_e4m3
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory, sums
        in f16."""
        ...

class _sparse_m64n8k64_f16:
    e4m3: _sparse_m64n8k64_f16_e4m3
    e5m2: _sparse_m64n8k64_f16_e5m2

class _sparse_m64n8k64_f32_e4m3_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory, sums
        in f32."""
        ...

class _sparse_m64n8k64_f32_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f32."""
        ...
    e5m2: _sparse_m64n8k64_f32_e4m3_e5m2
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory, sums
        in f32."""
        ...

class _sparse_m64n8k64_f32_e5m2_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory, sums
        in f32."""
        ...

class _sparse_m64n8k64_f32_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f32."""
        ...
    e4m3: _sparse_m64n8k64_f32_e5m2_e4m3
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory, sums
        in f32."""
        ...

class _sparse_m64n8k64_f32:
    e4m3: _sparse_m64n8k64_f32_e4m3
    e5m2: _sparse_m64n8k64_f32_e5m2

class _sparse_m64n8k64_i32_i8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory, sums
        in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n8k64_i32_i8_u8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory, sums
        in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n8k64_i32_i8_u8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory, sums
        in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n8k64_i32_i8_u8_sat

class _sparse_m64n8k64_i32_i8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory, sums
        in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n8k64_i32_i8_sat
    u8: _sparse_m64n8k64_i32_i8_u8

class _sparse_m64n8k64_i32_u8_i8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory, sums
        in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n8k64_i32_u8_i8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory, sums
        in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n8k64_i32_u8_i8_sat

class _sparse_m64n8k64_i32_u8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory, sums
        in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n8k64_i32_u8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory, sums
        in i32."""
        ...
    i8: _sparse_m64n8k64_i32_u8_i8
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n8k64_i32_u8_sat

class _sparse_m64n8k64_i32:
    i8: _sparse_m64n8k64_i32_i8
    u8: _sparse_m64n8k64_i32_u8

class _sparse_m64n8k64:
    f16: _sparse_m64n8k64_f16
    f32: _sparse_m64n8k64_f32
    i32: _sparse_m64n8k64_i32

class _sparse_m64n16k32_f16_f16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from shared memory by f16 32×N from shared memory,
        sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from registers by f16 32×N from shared memory, sums
        in f16."""
        ...

class _sparse_m64n16k32_f16:
    f16: _sparse_m64n16k32_f16_f16

class _sparse_m64n16k32_f32_f16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from shared memory by f16 32×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): f16 64×32, two of four neighbours kept, from registers by f16 32×N from shared memory, sums
        in f32."""
        ...

class _sparse_m64n16k32_f32:
    bf16: _sparse_m64n8k32_f32_bf16
    f16: _sparse_m64n16k32_f32_f16

class _sparse_m64n16k32:
    f16: _sparse_m64n16k32_f16
    f32: _sparse_m64n16k32_f32

class _sparse_m64n40k64:
    f16: _sparse_m64n8k64_f16
    f32: _sparse_m64n8k64_f32

class _sparse_m64n104k32_f32_bf16:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_a: int = 0,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): bf16 64×32, two of four neighbours kept, from shared memory by bf16 32×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        trans_b: int = 0,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): bf16 64×32, two of four neighbours kept, from registers by bf16 32×N from shared memory,
        sums in f32."""
        ...

class _sparse_m64n104k32_f32:
    bf16: _sparse_m64n104k32_f32_bf16
    f16: _sparse_m64n16k32_f32_f16

class _sparse_m64n104k32:
    f16: _sparse_m64n16k32_f16
    f32: _sparse_m64n104k32_f32

class _sparse_m64n104k64_f16_e4m3_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory,
        sums in f16."""
        ...

class _sparse_m64n104k64_f16_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f16."""
        ...
    e5m2: _sparse_m64n104k64_f16_e4m3_e5m2
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory,
        sums in f16."""
        ...

class _sparse_m64n104k64_f16_e5m2_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f16."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory,
        sums in f16."""
        ...

class _sparse_m64n104k64_f16_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f16."""
        ...
    e4m3: _sparse_m64n104k64_f16_e5m2_e4m3
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[u32 | int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[u32, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory,
        sums in f16."""
        ...

class _sparse_m64n104k64_f16:
    e4m3: _sparse_m64n104k64_f16_e4m3
    e5m2: _sparse_m64n104k64_f16_e5m2

class _sparse_m64n104k64_f32_e4m3_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory,
        sums in f32."""
        ...

class _sparse_m64n104k64_f32_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f32."""
        ...
    e5m2: _sparse_m64n104k64_f32_e4m3_e5m2
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e4m3 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory,
        sums in f32."""
        ...

class _sparse_m64n104k64_f32_e5m2_e4m3:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e4m3 64×N from shared memory,
        sums in f32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e4m3 64×N from shared memory,
        sums in f32."""
        ...

class _sparse_m64n104k64_f32_e5m2:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from shared memory by e5m2 64×N from shared memory,
        sums in f32."""
        ...
    e4m3: _sparse_m64n104k64_f32_e5m2_e4m3
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[float, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        scale_a: int = 1,
        scale_b: int = 1,
        selector: int = 0,
    ) -> tuple[float, ...]:
        """Begin d = a · b + d (or a · b): e5m2 64×64, two of four neighbours kept, from registers by e5m2 64×N from shared memory,
        sums in f32."""
        ...

class _sparse_m64n104k64_f32:
    e4m3: _sparse_m64n104k64_f32_e4m3
    e5m2: _sparse_m64n104k64_f32_e5m2

class _sparse_m64n104k64:
    f16: _sparse_m64n104k64_f16
    f32: _sparse_m64n104k64_f32

class _sparse_m64n112k64_i32_i8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory,
        sums in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n112k64_i32_i8_u8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory,
        sums in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n112k64_i32_i8_u8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory,
        sums in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n112k64_i32_i8_u8_sat

class _sparse_m64n112k64_i32_i8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory,
        sums in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): i8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n112k64_i32_i8_sat
    u8: _sparse_m64n112k64_i32_i8_u8

class _sparse_m64n112k64_i32_u8_i8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory,
        sums in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n112k64_i32_u8_i8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by i8 64×N from shared memory,
        sums in i32."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by i8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n112k64_i32_u8_i8_sat

class _sparse_m64n112k64_i32_u8_sat:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory,
        sums in i32, clamped where they overflow."""
        ...
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32, clamped where they overflow."""
        ...

class _sparse_m64n112k64_i32_u8:
    def __call__(
        self,
        a: u64 | int,
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from shared memory by u8 64×N from shared memory,
        sums in i32."""
        ...
    i8: _sparse_m64n112k64_i32_u8_i8
    def registers(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: u64 | int,
        d: tuple[int, ...],
        metadata: u32 | int,
        /,
        accumulate: bool = True,
        selector: int = 0,
    ) -> tuple[int, ...]:
        """Begin d = a · b + d (or a · b): u8 64×64, two of four neighbours kept, from registers by u8 64×N from shared memory, sums in
        i32."""
        ...
    sat: _sparse_m64n112k64_i32_u8_sat

class _sparse_m64n112k64_i32:
    i8: _sparse_m64n112k64_i32_i8
    u8: _sparse_m64n112k64_i32_u8

class _sparse_m64n112k64:
    f16: _sparse_m64n104k64_f16
    f32: _sparse_m64n104k64_f32
    i32: _sparse_m64n112k64_i32

class _sparse:
    m64n8k16: _sparse_m64n8k16
    m64n8k32: _sparse_m64n8k32
    m64n8k64: _sparse_m64n8k64
    m64n16k16: _sparse_m64n8k16
    m64n16k32: _sparse_m64n16k32
    m64n16k64: _sparse_m64n8k64
    m64n24k16: _sparse_m64n8k16
    m64n24k32: _sparse_m64n16k32
    m64n24k64: _sparse_m64n8k64
    m64n32k16: _sparse_m64n8k16
    m64n32k32: _sparse_m64n16k32
    m64n32k64: _sparse_m64n8k64
    m64n40k16: _sparse_m64n8k16
    m64n40k32: _sparse_m64n16k32
    m64n40k64: _sparse_m64n40k64
    m64n48k16: _sparse_m64n8k16
    m64n48k32: _sparse_m64n16k32
    m64n48k64: _sparse_m64n8k64
    m64n56k16: _sparse_m64n8k16
    m64n56k32: _sparse_m64n16k32
    m64n56k64: _sparse_m64n40k64
    m64n64k16: _sparse_m64n8k16
    m64n64k32: _sparse_m64n16k32
    m64n64k64: _sparse_m64n8k64
    m64n72k16: _sparse_m64n8k16
    m64n72k32: _sparse_m64n16k32
    m64n72k64: _sparse_m64n40k64
    m64n80k16: _sparse_m64n8k16
    m64n80k32: _sparse_m64n16k32
    m64n80k64: _sparse_m64n8k64
    m64n88k16: _sparse_m64n8k16
    m64n88k32: _sparse_m64n16k32
    m64n88k64: _sparse_m64n40k64
    m64n96k16: _sparse_m64n8k16
    m64n96k32: _sparse_m64n16k32
    m64n96k64: _sparse_m64n8k64
    m64n104k16: _sparse_m64n8k16
    m64n104k32: _sparse_m64n104k32
    m64n104k64: _sparse_m64n104k64
    m64n112k16: _sparse_m64n8k16
    m64n112k32: _sparse_m64n104k32
    m64n112k64: _sparse_m64n112k64
    m64n120k16: _sparse_m64n8k16
    m64n120k32: _sparse_m64n104k32
    m64n120k64: _sparse_m64n104k64
    m64n128k16: _sparse_m64n8k16
    m64n128k32: _sparse_m64n104k32
    m64n128k64: _sparse_m64n112k64
    m64n136k16: _sparse_m64n8k16
    m64n136k32: _sparse_m64n104k32
    m64n136k64: _sparse_m64n104k64
    m64n144k16: _sparse_m64n8k16
    m64n144k32: _sparse_m64n104k32
    m64n144k64: _sparse_m64n112k64
    m64n152k16: _sparse_m64n8k16
    m64n152k32: _sparse_m64n104k32
    m64n152k64: _sparse_m64n104k64
    m64n160k16: _sparse_m64n8k16
    m64n160k32: _sparse_m64n104k32
    m64n160k64: _sparse_m64n112k64
    m64n168k16: _sparse_m64n8k16
    m64n168k32: _sparse_m64n104k32
    m64n168k64: _sparse_m64n104k64
    m64n176k16: _sparse_m64n8k16
    m64n176k32: _sparse_m64n104k32
    m64n176k64: _sparse_m64n112k64
    m64n184k16: _sparse_m64n8k16
    m64n184k32: _sparse_m64n104k32
    m64n184k64: _sparse_m64n104k64
    m64n192k16: _sparse_m64n8k16
    m64n192k32: _sparse_m64n104k32
    m64n192k64: _sparse_m64n112k64
    m64n200k16: _sparse_m64n8k16
    m64n200k32: _sparse_m64n104k32
    m64n200k64: _sparse_m64n104k64
    m64n208k16: _sparse_m64n8k16
    m64n208k32: _sparse_m64n104k32
    m64n208k64: _sparse_m64n112k64
    m64n216k16: _sparse_m64n8k16
    m64n216k32: _sparse_m64n104k32
    m64n216k64: _sparse_m64n104k64
    m64n224k16: _sparse_m64n8k16
    m64n224k32: _sparse_m64n104k32
    m64n224k64: _sparse_m64n112k64
    m64n232k16: _sparse_m64n8k16
    m64n232k32: _sparse_m64n104k32
    m64n232k64: _sparse_m64n104k64
    m64n240k16: _sparse_m64n8k16
    m64n240k32: _sparse_m64n104k32
    m64n240k64: _sparse_m64n112k64
    m64n248k16: _sparse_m64n8k16
    m64n248k32: _sparse_m64n104k32
    m64n248k64: _sparse_m64n104k64
    m64n256k16: _sparse_m64n8k16
    m64n256k32: _sparse_m64n104k32
    m64n256k64: _sparse_m64n112k64

def commit_group() -> None:
    """Make a group of the products begun since the last one."""
    ...
def fence() -> None:
    """Order registers and shared memory before the products behind it: the first ones, and after sums were written."""
    ...
def fewer_registers(count: int) -> None:
    """Give registers back, for other warpgroups: the threads need only so many from here on."""
    ...
m64n8k8: _m64n8k8
m64n8k16: _m64n8k16
m64n8k32: _m64n8k32
m64n8k256: _m64n8k256
m64n16k8: _m64n8k8
m64n16k16: _m64n8k16
m64n16k32: _m64n8k32
m64n16k256: _m64n8k256
m64n24k8: _m64n8k8
m64n24k16: _m64n8k16
m64n24k32: _m64n8k32
m64n24k256: _m64n8k256
m64n32k8: _m64n8k8
m64n32k16: _m64n8k16
m64n32k32: _m64n8k32
m64n32k256: _m64n8k256
m64n40k8: _m64n8k8
m64n40k16: _m64n8k16
m64n40k32: _m64n40k32
m64n48k8: _m64n8k8
m64n48k16: _m64n8k16
m64n48k32: _m64n8k32
m64n48k256: _m64n8k256
m64n56k8: _m64n8k8
m64n56k16: _m64n8k16
m64n56k32: _m64n40k32
m64n64k8: _m64n8k8
m64n64k16: _m64n8k16
m64n64k32: _m64n8k32
m64n64k256: _m64n8k256
m64n72k8: _m64n8k8
m64n72k16: _m64n8k16
m64n72k32: _m64n40k32
m64n80k8: _m64n8k8
m64n80k16: _m64n8k16
m64n80k32: _m64n8k32
m64n80k256: _m64n8k256
m64n88k8: _m64n8k8
m64n88k16: _m64n8k16
m64n88k32: _m64n40k32
m64n96k8: _m64n8k8
m64n96k16: _m64n8k16
m64n96k32: _m64n8k32
m64n96k256: _m64n8k256
m64n104k8: _m64n8k8
m64n104k16: _m64n8k16
m64n104k32: _m64n40k32
m64n112k8: _m64n8k8
m64n112k16: _m64n8k16
m64n112k32: _m64n8k32
m64n112k256: _m64n8k256
m64n120k8: _m64n8k8
m64n120k16: _m64n8k16
m64n120k32: _m64n40k32
m64n128k8: _m64n8k8
m64n128k16: _m64n8k16
m64n128k32: _m64n8k32
m64n128k256: _m64n8k256
m64n136k8: _m64n8k8
m64n136k16: _m64n8k16
m64n136k32: _m64n40k32
m64n144k8: _m64n8k8
m64n144k16: _m64n8k16
m64n144k32: _m64n8k32
m64n144k256: _m64n8k256
m64n152k8: _m64n8k8
m64n152k16: _m64n8k16
m64n152k32: _m64n40k32
m64n160k8: _m64n8k8
m64n160k16: _m64n8k16
m64n160k32: _m64n8k32
m64n160k256: _m64n8k256
m64n168k8: _m64n8k8
m64n168k16: _m64n8k16
m64n168k32: _m64n40k32
m64n176k8: _m64n8k8
m64n176k16: _m64n8k16
m64n176k32: _m64n8k32
m64n176k256: _m64n8k256
m64n184k8: _m64n8k8
m64n184k16: _m64n8k16
m64n184k32: _m64n40k32
m64n192k8: _m64n8k8
m64n192k16: _m64n8k16
m64n192k32: _m64n8k32
m64n192k256: _m64n8k256
m64n200k8: _m64n8k8
m64n200k16: _m64n8k16
m64n200k32: _m64n40k32
m64n208k8: _m64n8k8
m64n208k16: _m64n8k16
m64n208k32: _m64n8k32
m64n208k256: _m64n8k256
m64n216k8: _m64n8k8
m64n216k16: _m64n8k16
m64n216k32: _m64n40k32
m64n224k8: _m64n8k8
m64n224k16: _m64n8k16
m64n224k32: _m64n8k32
m64n224k256: _m64n8k256
m64n232k8: _m64n8k8
m64n232k16: _m64n8k16
m64n232k32: _m64n40k32
m64n240k8: _m64n8k8
m64n240k16: _m64n8k16
m64n240k32: _m64n8k32
m64n240k256: _m64n8k256
m64n248k8: _m64n8k8
m64n248k16: _m64n8k16
m64n248k32: _m64n40k32
m64n256k8: _m64n8k8
m64n256k16: _m64n8k16
m64n256k32: _m64n8k32
m64n256k256: _m64n8k256
def more_registers(count: int) -> None:
    """Wait until the warpgroup's threads may have so many registers: 24 to 256 in steps of 8, in a kernel with `max_registers`."""
    ...
sparse: _sparse
def wait_group(pending: int, /, *sums: Any) -> Any:
    """Wait until at most so many groups (0 to 7, known at compile time) are under way; hands the sums on, which may be read then."""
    ...
