"""Tensor maps in the driver's form: 128 bytes, aligned to 64, which a launch takes by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oxidepy.runtime.cuda.driver import CudaDriver
    from oxidepy.runtime.tma import HostMap

_TYPES = {
    "bool": "UINT8", "u8": "UINT8", "i8": "UINT8", "u16": "UINT16", "i16": "UINT16", "u32": "UINT32", "i32": "INT32", "u64": "UINT64",
    "i64": "INT64", "f16": "FLOAT16", "bf16": "BFLOAT16", "f32": "FLOAT32", "f64": "FLOAT64",
}  # fmt: skip
_SWIZZLES = {0: "NONE", 32: "32B", 64: "64B", 128: "128B"}
_PROMOTIONS = {0: "NONE", 64: "L2_64B", 128: "L2_128B", 256: "L2_256B"}


def encode(driver: CudaDriver, map: HostMap) -> tuple[int, Any]:
    """The address of the driver's form, and what keeps it there. The hardware counts axes from the last one."""
    cu = driver.cu
    axes = len(map.shape)
    strides = map.strides[:-1] or (16,)  # of one axis none is looked at, but some must be there
    box: list[Any]
    if map.corners is None:
        reach = [one * step for one, step in zip(map.box, map.steps, strict=True)]
        call, box = cu.cuTensorMapEncodeTiled, [[cu.cuuint32_t(one) for one in reversed(reach)]]
    else:
        call, box = cu.cuTensorMapEncodeIm2col, [*([*reversed(one)] for one in map.corners), map.box[1], map.box[0]]
    encoded = driver.call(
        call,
        getattr(cu.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{_TYPES[map.element.name]}"),
        axes,
        map.buffer.address,
        [cu.cuuint64_t(one) for one in reversed(map.shape)],
        [cu.cuuint64_t(one) for one in reversed(strides)],
        *box,
        [cu.cuuint32_t(one) for one in reversed(map.steps)],
        cu.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        getattr(cu.CUtensorMapSwizzle, f"CU_TENSOR_MAP_SWIZZLE_{_SWIZZLES[map.swizzle]}"),
        getattr(cu.CUtensorMapL2promotion, f"CU_TENSOR_MAP_L2_PROMOTION_{_PROMOTIONS[map.promotion]}"),
        cu.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
        if map.fill == "nan"
        else cu.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    return int(encoded.getPtr()), encoded
