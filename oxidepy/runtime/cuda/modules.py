"""Code of other compilers in the CUDA driver: loaded as it is, given back once nothing runs in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxidepy.runtime.cuda import api
from oxidepy.runtime.cuda.link import LOG_BYTES, accept, text_of

if TYPE_CHECKING:
    from oxidepy.ir.images import Image
    from oxidepy.runtime.cuda.driver import CudaDriver

_NOT_FOUND = "CUDA_ERROR_NOT_FOUND"


class CudaModule:
    """A module, which is unloaded when it is collected."""

    def __init__(self, driver: CudaDriver, image: Image) -> None:
        cu = driver.cu
        self.driver = driver
        errors, option = bytearray(LOG_BYTES), cu.CUjit_option
        options = {option.CU_JIT_ERROR_LOG_BUFFER: errors, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: LOG_BYTES}
        data = image.data + b"\0" if image.kind == "ptx" else image.data
        driver.check()
        with driver.current():
            status, self.handle = cu.cuModuleLoadDataEx(data, len(options), list(options), list(options.values()))
        accept(status, image.name, text_of(errors))
        driver.modules.append(self.handle)
        driver.track(self, _unload, driver, self.handle)

    def function(self, symbol: str) -> Any:
        """The driver's handle of a kernel; None if there is none of that name."""
        self.driver.check()
        with self.driver.current():
            status, found = self.driver.cu.cuModuleGetFunction(self.handle, symbol.encode())
        if api.error_name(status) == _NOT_FOUND:
            return None
        if int(status):
            raise self.driver.fail(status, f"the kernel `{symbol}`")
        return found

    def sizes(self, function: Any, count: int | None = None) -> list[int] | None:
        """The bytes of each parameter of a kernel, of which there are `count` if that is known; None where the driver does not say."""
        out: list[int] = []
        with self.driver.current():
            if count is None:
                count = self._count(function)
            while count is None or len(out) < count:
                status, _, size = self.driver.cu.cuFuncGetParamInfo(function, len(out))
                if int(status):  # CUDA_ERROR_INVALID_VALUE behind the last one
                    return out if api.error_name(status) == "CUDA_ERROR_INVALID_VALUE" else None
                out.append(int(size))
        return out

    def _count(self, function: Any) -> int | None:
        """The number of parameters; None from bindings and drivers before 13.3, whose answer is the refusal behind the last one:
        compute-sanitizer reports that one."""
        try:
            status, count = self.driver.cu.cuFuncGetParamCount(function)
        except (AttributeError, RuntimeError):
            return None
        return None if int(status) else int(count)

    def static(self, function: Any) -> int:
        """Bytes of shared memory that the kernel declares itself."""
        which = self.driver.cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
        return int(self.driver.call(self.driver.cu.cuFuncGetAttribute, which, function))


def _unload(driver: CudaDriver, handle: Any) -> None:
    """Once all that was launched of it is done."""
    driver.modules.remove(handle)
    with driver.current():
        driver.cu.cuCtxSynchronize()
        driver.cu.cuModuleUnload(handle)
