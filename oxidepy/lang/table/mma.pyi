# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any, Literal, TypeAlias

from oxidepy.lang.index import ThreadIndex
from oxidepy.lang.scalars import f64, u32
from oxidepy.lang.slices import AnyInt, SliceMut

__all__ = [
    "ldmatrix_x1",
    "ldmatrix_x1_trans",
    "ldmatrix_x2",
    "ldmatrix_x2_trans",
    "ldmatrix_x4",
    "ldmatrix_x4_trans",
    "m8n8k4",
    "m8n8k16",
    "m8n8k32",
    "m8n8k128",
    "m16n8k4",
    "m16n8k8",
    "m16n8k16",
    "m16n8k32",
    "m16n8k64",
    "m16n8k128",
    "m16n8k256",
    "movmatrix_trans",
    "sparse",
    "stmatrix_x1",
    "stmatrix_x1_trans",
    "stmatrix_x2",
    "stmatrix_x2_trans",
    "stmatrix_x4",
    "stmatrix_x4_trans",
    "tf32",
]
Index: TypeAlias = AnyInt | ThreadIndex[Any] | tuple[AnyInt, ...]

class _m8n8k4_f16:
    def f16(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        /,
        a_order: Literal["row", "col"] = "row",
        b_order: Literal["row", "col"] = "col",
    ) -> tuple[u32, u32, u32, u32]:
        """a · b + c, four products at once, each of 8 lanes: f16 8×4 by f16 4×N, sums in f16; slow from sm_80 on."""
        ...

class _m8n8k4_f32:
    def f16(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float, float, float, float, float],
        /,
        a_order: Literal["row", "col"] = "row",
        b_order: Literal["row", "col"] = "col",
    ) -> tuple[float, float, float, float, float, float, float, float]:
        """a · b + c, four products at once, each of 8 lanes: f16 8×4 by f16 4×N, sums in f32; slow from sm_80 on."""
        ...

class _m8n8k4_f64:
    def f64(self, a: f64 | float, b: f64 | float, c: tuple[f64 | float, f64 | float], /) -> tuple[f64, f64]:
        """a · b + c: f64 8×4 by f64 4×N, sums in f64; the last bits are the hardware's."""
        ...

class _m8n8k4:
    f16: _m8n8k4_f16
    f32: _m8n8k4_f32
    f64: _m8n8k4_f64

class _m8n8k16_i32_i8_u8:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i8 8×16 by u8 16×N, sums in i32."""
        ...
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i8 8×16 by u8 16×N, sums in i32, clamped where it overflows."""
        ...

class _m8n8k16_i32_i8:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i8 8×16 by i8 16×N, sums in i32."""
        ...
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i8 8×16 by i8 16×N, sums in i32, clamped where it overflows."""
        ...
    u8: _m8n8k16_i32_i8_u8

class _m8n8k16_i32_u8_i8:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u8 8×16 by i8 16×N, sums in i32."""
        ...
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u8 8×16 by i8 16×N, sums in i32, clamped where it overflows."""
        ...

class _m8n8k16_i32_u8:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u8 8×16 by u8 16×N, sums in i32."""
        ...
    i8: _m8n8k16_i32_u8_i8
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u8 8×16 by u8 16×N, sums in i32, clamped where it overflows."""
        ...

class _m8n8k16_i32:
    i8: _m8n8k16_i32_i8
    u8: _m8n8k16_i32_u8

class _m8n8k16:
    i32: _m8n8k16_i32

class _m8n8k32_i32_i4_u4:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i4 8×32 by u4 32×N, sums in i32."""
        ...
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i4 8×32 by u4 32×N, sums in i32, clamped where it overflows."""
        ...

class _m8n8k32_i32_i4:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i4 8×32 by i4 32×N, sums in i32."""
        ...
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: i4 8×32 by i4 32×N, sums in i32, clamped where it overflows."""
        ...
    u4: _m8n8k32_i32_i4_u4

class _m8n8k32_i32_u4_i4:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u4 8×32 by i4 32×N, sums in i32."""
        ...
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u4 8×32 by i4 32×N, sums in i32, clamped where it overflows."""
        ...

class _m8n8k32_i32_u4:
    def __call__(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u4 8×32 by u4 32×N, sums in i32."""
        ...
    i4: _m8n8k32_i32_u4_i4
    def sat(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: u4 8×32 by u4 32×N, sums in i32, clamped where it overflows."""
        ...

class _m8n8k32_i32:
    i4: _m8n8k32_i32_i4
    u4: _m8n8k32_i32_u4

class _m8n8k32:
    i32: _m8n8k32_i32

class _m8n8k128_i32_b1:
    def and_(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: b1 8×128 by b1 128×N, combined by `and`, whose bits are counted, sums in i32."""
        ...
    def xor(self, a: u32 | int, b: u32 | int, c: tuple[int, int], /) -> tuple[int, int]:
        """a · b + c: b1 8×128 by b1 128×N, combined by `xor`, whose bits are counted, sums in i32."""
        ...

class _m8n8k128_i32:
    b1: _m8n8k128_i32_b1

class _m8n8k128:
    i32: _m8n8k128_i32

class _m16n8k4_f32:
    def tf32(
        self,
        a: tuple[u32 | int, u32 | int],
        b: u32 | int,
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: tf32 16×4 by tf32 4×N, sums in f32; the last bits are the hardware's."""
        ...

class _m16n8k4_f64:
    def f64(
        self,
        a: tuple[f64 | float, f64 | float],
        b: f64 | float,
        c: tuple[f64 | float, f64 | float, f64 | float, f64 | float],
        /,
    ) -> tuple[f64, f64, f64, f64]:
        """a · b + c: f64 16×4 by f64 4×N, sums in f64; the last bits are the hardware's."""
        ...

class _m16n8k4:
    f32: _m16n8k4_f32
    f64: _m16n8k4_f64

class _m16n8k8_f16:
    def f16(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[u32 | int, u32 | int], /) -> tuple[u32, u32]:
        """a · b + c: f16 16×8 by f16 8×N, sums in f16; the last bits are the hardware's."""
        ...

class _m16n8k8_f32:
    def bf16(
        self,
        a: tuple[u32 | int, u32 | int],
        b: u32 | int,
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: bf16 16×8 by bf16 8×N, sums in f32; the last bits are the hardware's."""
        ...
    def f16(
        self,
        a: tuple[u32 | int, u32 | int],
        b: u32 | int,
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: f16 16×8 by f16 8×N, sums in f32; the last bits are the hardware's."""
        ...
    def tf32(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: tf32 16×8 by tf32 8×N, sums in f32; the last bits are the hardware's."""
        ...

class _m16n8k8_f64:
    def f64(
        self,
        a: tuple[f64 | float, f64 | float, f64 | float, f64 | float],
        b: tuple[f64 | float, f64 | float],
        c: tuple[f64 | float, f64 | float, f64 | float, f64 | float],
        /,
    ) -> tuple[f64, f64, f64, f64]:
        """a · b + c: f64 16×8 by f64 8×N, sums in f64; the last bits are the hardware's."""
        ...

class _m16n8k8:
    f16: _m16n8k8_f16
    f32: _m16n8k8_f32
    f64: _m16n8k8_f64

class _m16n8k16_f16_e4m3:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[u32 | int, u32 | int], /) -> tuple[u32, u32]:
        """a · b + c: e4m3 16×16 by e4m3 16×N, sums in f16; the last bits are the hardware's."""
        ...
    def e5m2(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[u32 | int, u32 | int], /) -> tuple[u32, u32]:
        """a · b + c: e4m3 16×16 by e5m2 16×N, sums in f16; the last bits are the hardware's."""
        ...

class _m16n8k16_f16_e5m2:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[u32 | int, u32 | int], /) -> tuple[u32, u32]:
        """a · b + c: e5m2 16×16 by e5m2 16×N, sums in f16; the last bits are the hardware's."""
        ...
    def e4m3(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[u32 | int, u32 | int], /) -> tuple[u32, u32]:
        """a · b + c: e5m2 16×16 by e4m3 16×N, sums in f16; the last bits are the hardware's."""
        ...

class _m16n8k16_f16:
    e4m3: _m16n8k16_f16_e4m3
    e5m2: _m16n8k16_f16_e5m2
    def f16(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int],
        /,
    ) -> tuple[u32, u32]:
        """a · b + c: f16 16×16 by f16 16×N, sums in f16; the last bits are the hardware's."""
        ...

class _m16n8k16_f32_e4m3:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: u32 | int,
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e4m3 16×16 by e4m3 16×N, sums in f32; the last bits are the hardware's."""
        ...
    def e5m2(
        self,
        a: tuple[u32 | int, u32 | int],
        b: u32 | int,
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e4m3 16×16 by e5m2 16×N, sums in f32; the last bits are the hardware's."""
        ...

class _m16n8k16_f32_e5m2:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: u32 | int,
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e5m2 16×16 by e5m2 16×N, sums in f32; the last bits are the hardware's."""
        ...
    def e4m3(
        self,
        a: tuple[u32 | int, u32 | int],
        b: u32 | int,
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e5m2 16×16 by e4m3 16×N, sums in f32; the last bits are the hardware's."""
        ...

class _m16n8k16_f32:
    def bf16(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: bf16 16×16 by bf16 16×N, sums in f32; the last bits are the hardware's."""
        ...
    e4m3: _m16n8k16_f32_e4m3
    e5m2: _m16n8k16_f32_e5m2
    def f16(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: f16 16×16 by f16 16×N, sums in f32; the last bits are the hardware's."""
        ...

class _m16n8k16_f64:
    def f64(
        self,
        a: tuple[f64 | float, f64 | float, f64 | float, f64 | float, f64 | float, f64 | float, f64 | float, f64 | float],
        b: tuple[f64 | float, f64 | float, f64 | float, f64 | float],
        c: tuple[f64 | float, f64 | float, f64 | float, f64 | float],
        /,
    ) -> tuple[f64, f64, f64, f64]:
        """a · b + c: f64 16×16 by f64 16×N, sums in f64; the last bits are the hardware's."""
        ...

class _m16n8k16_i32_i8_u8:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×16 by u8 16×N, sums in i32."""
        ...
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×16 by u8 16×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k16_i32_i8:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×16 by i8 16×N, sums in i32."""
        ...
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×16 by i8 16×N, sums in i32, clamped where it overflows."""
        ...
    u8: _m16n8k16_i32_i8_u8

class _m16n8k16_i32_u8_i8:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×16 by i8 16×N, sums in i32."""
        ...
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×16 by i8 16×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k16_i32_u8:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×16 by u8 16×N, sums in i32."""
        ...
    i8: _m16n8k16_i32_u8_i8
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×16 by u8 16×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k16_i32:
    i8: _m16n8k16_i32_i8
    u8: _m16n8k16_i32_u8

class _m16n8k16:
    f16: _m16n8k16_f16
    f32: _m16n8k16_f32
    f64: _m16n8k16_f64
    i32: _m16n8k16_i32

class _m16n8k32_f16_e4m3:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int],
        /,
    ) -> tuple[u32, u32]:
        """a · b + c: e4m3 16×32 by e4m3 32×N, sums in f16; the last bits are the hardware's."""
        ...
    def e5m2(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int],
        /,
    ) -> tuple[u32, u32]:
        """a · b + c: e4m3 16×32 by e5m2 32×N, sums in f16; the last bits are the hardware's."""
        ...

class _m16n8k32_f16_e5m2:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int],
        /,
    ) -> tuple[u32, u32]:
        """a · b + c: e5m2 16×32 by e5m2 32×N, sums in f16; the last bits are the hardware's."""
        ...
    def e4m3(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int],
        /,
    ) -> tuple[u32, u32]:
        """a · b + c: e5m2 16×32 by e4m3 32×N, sums in f16; the last bits are the hardware's."""
        ...

class _m16n8k32_f16:
    e4m3: _m16n8k32_f16_e4m3
    e5m2: _m16n8k32_f16_e5m2

class _m16n8k32_f32_e4m3:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e4m3 16×32 by e4m3 32×N, sums in f32; the last bits are the hardware's."""
        ...
    def e5m2(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e4m3 16×32 by e5m2 32×N, sums in f32; the last bits are the hardware's."""
        ...

class _m16n8k32_f32_e5m2:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e5m2 16×32 by e5m2 32×N, sums in f32; the last bits are the hardware's."""
        ...
    def e4m3(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        /,
    ) -> tuple[float, float, float, float]:
        """a · b + c: e5m2 16×32 by e4m3 32×N, sums in f32; the last bits are the hardware's."""
        ...

class _m16n8k32_f32:
    e4m3: _m16n8k32_f32_e4m3
    e5m2: _m16n8k32_f32_e5m2

class _m16n8k32_i32_i4_u4:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×32 by u4 32×N, sums in i32."""
        ...
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×32 by u4 32×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k32_i32_i4:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×32 by i4 32×N, sums in i32."""
        ...
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×32 by i4 32×N, sums in i32, clamped where it overflows."""
        ...
    u4: _m16n8k32_i32_i4_u4

class _m16n8k32_i32_i8_u8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×32 by u8 32×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×32 by u8 32×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k32_i32_i8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×32 by i8 32×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i8 16×32 by i8 32×N, sums in i32, clamped where it overflows."""
        ...
    u8: _m16n8k32_i32_i8_u8

class _m16n8k32_i32_u4_i4:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×32 by i4 32×N, sums in i32."""
        ...
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×32 by i4 32×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k32_i32_u4:
    def __call__(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×32 by u4 32×N, sums in i32."""
        ...
    i4: _m16n8k32_i32_u4_i4
    def sat(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×32 by u4 32×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k32_i32_u8_i8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×32 by i8 32×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×32 by i8 32×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k32_i32_u8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×32 by u8 32×N, sums in i32."""
        ...
    i8: _m16n8k32_i32_u8_i8
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u8 16×32 by u8 32×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k32_i32:
    i4: _m16n8k32_i32_i4
    i8: _m16n8k32_i32_i8
    u4: _m16n8k32_i32_u4
    u8: _m16n8k32_i32_u8

class _m16n8k32:
    f16: _m16n8k32_f16
    f32: _m16n8k32_f32
    i32: _m16n8k32_i32

class _m16n8k64_i32_i4_u4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×64 by u4 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×64 by u4 64×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k64_i32_i4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×64 by i4 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: i4 16×64 by i4 64×N, sums in i32, clamped where it overflows."""
        ...
    u4: _m16n8k64_i32_i4_u4

class _m16n8k64_i32_u4_i4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×64 by i4 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×64 by i4 64×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k64_i32_u4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×64 by u4 64×N, sums in i32."""
        ...
    i4: _m16n8k64_i32_u4_i4
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: u4 16×64 by u4 64×N, sums in i32, clamped where it overflows."""
        ...

class _m16n8k64_i32:
    i4: _m16n8k64_i32_i4
    u4: _m16n8k64_i32_u4

class _m16n8k64:
    i32: _m16n8k64_i32

class _m16n8k128_i32_b1:
    def and_(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: b1 16×128 by b1 128×N, combined by `and`, whose bits are counted, sums in i32."""
        ...
    def xor(self, a: tuple[u32 | int, u32 | int], b: u32 | int, c: tuple[int, int, int, int], /) -> tuple[int, int, int, int]:
        """a · b + c: b1 16×128 by b1 128×N, combined by `xor`, whose bits are counted, sums in i32."""
        ...

class _m16n8k128_i32:
    b1: _m16n8k128_i32_b1

class _m16n8k128:
    i32: _m16n8k128_i32

class _m16n8k256_i32_b1:
    def and_(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: b1 16×256 by b1 256×N, combined by `and`, whose bits are counted, sums in i32."""
        ...
    def xor(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        /,
    ) -> tuple[int, int, int, int]:
        """a · b + c: b1 16×256 by b1 256×N, combined by `xor`, whose bits are counted, sums in i32."""
        ...

class _m16n8k256_i32:
    b1: _m16n8k256_i32_b1

class _m16n8k256:
    i32: _m16n8k256_i32

class _sparse_m16n8k8_f32:
    def tf32(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a one of two neighbours along k being there: tf32 16×8 by tf32 8×N, sums in f32."""
        ...

class _sparse_m16n8k8:
    f32: _sparse_m16n8k8_f32

class _sparse_m16n8k16_f16:
    def f16(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[u32, u32]:
        """a · b + c, of each row of a two of four neighbours along k being there: f16 16×16 by f16 16×N, sums in f16."""
        ...

class _sparse_m16n8k16_f32:
    def bf16(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: bf16 16×16 by bf16 16×N, sums in f32."""
        ...
    def f16(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: f16 16×16 by f16 16×N, sums in f32."""
        ...
    def tf32(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a one of two neighbours along k being there: tf32 16×16 by tf32 16×N, sums in f32."""
        ...

class _sparse_m16n8k16:
    f16: _sparse_m16n8k16_f16
    f32: _sparse_m16n8k16_f32

class _sparse_m16n8k32_f16:
    def f16(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[u32 | int, u32 | int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[u32, u32]:
        """a · b + c, of each row of a two of four neighbours along k being there: f16 16×32 by f16 32×N, sums in f16."""
        ...

class _sparse_m16n8k32_f32:
    def bf16(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: bf16 16×32 by bf16 32×N, sums in f32."""
        ...
    def f16(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: f16 16×32 by f16 32×N, sums in f32."""
        ...

class _sparse_m16n8k32_i32_i8_u8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×32 by u8 32×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×32 by u8 32×N, sums in i32."""
        ...

class _sparse_m16n8k32_i32_i8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×32 by i8 32×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×32 by i8 32×N, sums in i32."""
        ...
    u8: _sparse_m16n8k32_i32_i8_u8

class _sparse_m16n8k32_i32_u8_i8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×32 by i8 32×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×32 by i8 32×N, sums in i32."""
        ...

class _sparse_m16n8k32_i32_u8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×32 by u8 32×N, sums in i32."""
        ...
    i8: _sparse_m16n8k32_i32_u8_i8
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×32 by u8 32×N, sums in i32."""
        ...

class _sparse_m16n8k32_i32:
    i8: _sparse_m16n8k32_i32_i8
    u8: _sparse_m16n8k32_i32_u8

class _sparse_m16n8k32:
    f16: _sparse_m16n8k32_f16
    f32: _sparse_m16n8k32_f32
    i32: _sparse_m16n8k32_i32

class _sparse_m16n8k64_f32_e4m3:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: e4m3 16×64 by e4m3 64×N, sums in f32."""
        ...
    def e5m2(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: e4m3 16×64 by e5m2 64×N, sums in f32."""
        ...

class _sparse_m16n8k64_f32_e5m2:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: e5m2 16×64 by e5m2 64×N, sums in f32."""
        ...
    def e4m3(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[float, float, float, float],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[float, float, float, float]:
        """a · b + c, of each row of a two of four neighbours along k being there: e5m2 16×64 by e4m3 64×N, sums in f32."""
        ...

class _sparse_m16n8k64_f32:
    e4m3: _sparse_m16n8k64_f32_e4m3
    e5m2: _sparse_m16n8k64_f32_e5m2

class _sparse_m16n8k64_i32_i4_u4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×64 by u4 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×64 by u4 64×N, sums in i32."""
        ...

class _sparse_m16n8k64_i32_i4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×64 by i4 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×64 by i4 64×N, sums in i32."""
        ...
    u4: _sparse_m16n8k64_i32_i4_u4

class _sparse_m16n8k64_i32_i8_u8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×64 by u8 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×64 by u8 64×N, sums in i32."""
        ...

class _sparse_m16n8k64_i32_i8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×64 by i8 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: i8 16×64 by i8 64×N, sums in i32."""
        ...
    u8: _sparse_m16n8k64_i32_i8_u8

class _sparse_m16n8k64_i32_u4_i4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×64 by i4 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×64 by i4 64×N, sums in i32."""
        ...

class _sparse_m16n8k64_i32_u4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×64 by u4 64×N, sums in i32."""
        ...
    i4: _sparse_m16n8k64_i32_u4_i4
    def sat(
        self,
        a: tuple[u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×64 by u4 64×N, sums in i32."""
        ...

class _sparse_m16n8k64_i32_u8_i8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×64 by i8 64×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×64 by i8 64×N, sums in i32."""
        ...

class _sparse_m16n8k64_i32_u8:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×64 by u8 64×N, sums in i32."""
        ...
    i8: _sparse_m16n8k64_i32_u8_i8
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two of four neighbours along k being there: u8 16×64 by u8 64×N, sums in i32."""
        ...

class _sparse_m16n8k64_i32:
    i4: _sparse_m16n8k64_i32_i4
    i8: _sparse_m16n8k64_i32_i8
    u4: _sparse_m16n8k64_i32_u4
    u8: _sparse_m16n8k64_i32_u8

class _sparse_m16n8k64:
    f32: _sparse_m16n8k64_f32
    i32: _sparse_m16n8k64_i32

class _sparse_m16n8k128_i32_i4_u4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×128 by u4 128×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×128 by u4 128×N, sums in i32."""
        ...

class _sparse_m16n8k128_i32_i4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×128 by i4 128×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: i4 16×128 by i4 128×N, sums in i32."""
        ...
    u4: _sparse_m16n8k128_i32_i4_u4

class _sparse_m16n8k128_i32_u4_i4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×128 by i4 128×N, sums in i32."""
        ...
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×128 by i4 128×N, sums in i32."""
        ...

class _sparse_m16n8k128_i32_u4:
    def __call__(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×128 by u4 128×N, sums in i32."""
        ...
    i4: _sparse_m16n8k128_i32_u4_i4
    def sat(
        self,
        a: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        b: tuple[u32 | int, u32 | int, u32 | int, u32 | int],
        c: tuple[int, int, int, int],
        metadata: u32 | int,
        /,
        selector: int = 0,
    ) -> tuple[int, int, int, int]:
        """a · b + c, of each row of a two pairs of four neighbours along k being there: u4 16×128 by u4 128×N, sums in i32."""
        ...

class _sparse_m16n8k128_i32:
    i4: _sparse_m16n8k128_i32_i4
    u4: _sparse_m16n8k128_i32_u4

class _sparse_m16n8k128:
    i32: _sparse_m16n8k128_i32

class _sparse:
    m16n8k8: _sparse_m16n8k8
    m16n8k16: _sparse_m16n8k16
    m16n8k32: _sparse_m16n8k32
    m16n8k64: _sparse_m16n8k64
    m16n8k128: _sparse_m16n8k128

def ldmatrix_x1(p: SliceMut[Any, Any], index: Index, /) -> u32:
    """Load 1 matrix of 8 × 8 elements of 16 bits: lanes 0 to 7 name the rows of 16 bytes; lane l gets row l // 4, word l % 4."""
    ...
def ldmatrix_x1_trans(p: SliceMut[Any, Any], index: Index, /) -> u32:
    """Load 1 matrix of 8 × 8 elements of 16 bits, each transposed: lanes 0 to 7 name the rows of 16 bytes; lane l gets row l // 4, word
    l % 4."""
    ...
def ldmatrix_x2(p: SliceMut[Any, Any], index: Index, /) -> tuple[u32, u32]:
    """Load 2 matrices of 8 × 8 elements of 16 bits: lanes 0 to 15 name the rows of 16 bytes; lane l gets row l // 4, word l % 4."""
    ...
def ldmatrix_x2_trans(p: SliceMut[Any, Any], index: Index, /) -> tuple[u32, u32]:
    """Load 2 matrices of 8 × 8 elements of 16 bits, each transposed: lanes 0 to 15 name the rows of 16 bytes; lane l gets row l // 4,
    word l % 4."""
    ...
def ldmatrix_x4(p: SliceMut[Any, Any], index: Index, /) -> tuple[u32, u32, u32, u32]:
    """Load 4 matrices of 8 × 8 elements of 16 bits: the lanes name the rows of 16 bytes; lane l gets row l // 4, word l % 4."""
    ...
def ldmatrix_x4_trans(p: SliceMut[Any, Any], index: Index, /) -> tuple[u32, u32, u32, u32]:
    """Load 4 matrices of 8 × 8 elements of 16 bits, each transposed: the lanes name the rows of 16 bytes; lane l gets row l // 4, word l
    % 4."""
    ...
m8n8k4: _m8n8k4
m8n8k16: _m8n8k16
m8n8k32: _m8n8k32
m8n8k128: _m8n8k128
m16n8k4: _m16n8k4
m16n8k8: _m16n8k8
m16n8k16: _m16n8k16
m16n8k32: _m16n8k32
m16n8k64: _m16n8k64
m16n8k128: _m16n8k128
m16n8k256: _m16n8k256
def movmatrix_trans(a: u32 | int, /) -> u32:
    """Transpose a matrix of 8 × 8 elements of 16 bits that the warp holds, lane l row l // 4, word l % 4."""
    ...
sparse: _sparse
def stmatrix_x1(p: SliceMut[Any, Any], index: Index, a: u32 | int, /) -> None:
    """Store 1 matrix of 8 × 8 elements of 16 bits: the inverse of `mma.ldmatrix_x1`."""
    ...
def stmatrix_x1_trans(p: SliceMut[Any, Any], index: Index, a: u32 | int, /) -> None:
    """Store 1 matrix of 8 × 8 elements of 16 bits, each transposed: the inverse of `mma.ldmatrix_x1_trans`."""
    ...
def stmatrix_x2(p: SliceMut[Any, Any], index: Index, a: tuple[u32 | int, u32 | int], /) -> None:
    """Store 2 matrices of 8 × 8 elements of 16 bits: the inverse of `mma.ldmatrix_x2`."""
    ...
def stmatrix_x2_trans(p: SliceMut[Any, Any], index: Index, a: tuple[u32 | int, u32 | int], /) -> None:
    """Store 2 matrices of 8 × 8 elements of 16 bits, each transposed: the inverse of `mma.ldmatrix_x2_trans`."""
    ...
def stmatrix_x4(p: SliceMut[Any, Any], index: Index, a: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 4 matrices of 8 × 8 elements of 16 bits: the inverse of `mma.ldmatrix_x4`."""
    ...
def stmatrix_x4_trans(p: SliceMut[Any, Any], index: Index, a: tuple[u32 | int, u32 | int, u32 | int, u32 | int], /) -> None:
    """Store 4 matrices of 8 × 8 elements of 16 bits, each transposed: the inverse of `mma.ldmatrix_x4_trans`."""
    ...
def tf32(x: float, /) -> u32:
    """An f32 as the register of a product in tf32: rounded to 10 bits of fraction, to nearest, ties away from zero."""
    ...
