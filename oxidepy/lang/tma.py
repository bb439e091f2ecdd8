"""Tensor maps, as kernels take them."""

from __future__ import annotations

from oxidepy.lang.generic import Generic, TypeVar
from oxidepy.lang.index import D1

__oxidepy__ = "tma"

T = TypeVar("T")
D = TypeVar("D", default=D1)


class D4:
    """Four axes, of a tensor map."""

    __oxidepy__ = "D4"


class D5:
    """Five axes, of a tensor map."""

    __oxidepy__ = "D5"


class TensorMap(Generic[T, D]):
    """An array in global memory and the shape of its boxes, as a kernel reads them: `tma.TensorMap[f32, D2]`. Made on the host by
    `tma.tensor_map`; a launch that takes it shares the array."""

    __oxidepy__ = "TensorMap"


class Im2colMap(Generic[T, D]):
    """Images in global memory (N, then depth, height and width as far as there are, then channels) and how columns of their pixels are
    taken, as a kernel reads them: `tma.Im2colMap[f16, tma.D4]` of N, H, W, C. Made on the host by `tma.im2col_map`."""

    __oxidepy__ = "Im2colMap"


class TensorMapMut(TensorMap[T, D]):
    """The same, and the kernel writes boxes too: a launch has the array for itself."""

    __oxidepy__ = "TensorMapMut"
