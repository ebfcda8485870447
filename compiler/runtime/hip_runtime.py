"""Launch compiled programs on an AMD GPU: CuPy's build for ROCm, whose `cupy.cuda` is HIP."""

from __future__ import annotations

from typing import Any

from .cuda_runtime import CudaBound, CudaExecutable

# CuPy's names of attributes, and those that it has for them among the properties of a device of HIP
_PROPERTIES = {"MultiProcessorCount": "multiProcessorCount", "MaxSharedMemoryPerBlock": "sharedMemPerBlock"}


class HipBound(CudaBound):
    """A program bound to arrays of an AMD GPU."""

    target = "hip"

    @staticmethod
    def _attribute(name: str) -> int:
        """Return a number of the current device."""
        import cupy

        return int(cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)[_PROPERTIES[name]])

    def _most_shared(self) -> int:
        """Bytes of LDS that a group can have; nothing needs to be asked beforehand."""
        return self._attribute("MaxSharedMemoryPerBlock")

    def _ask(self, function: Any, most: int) -> None:
        """Every launch may have all of the LDS."""


class HipExecutable(CudaExecutable):
    """A program compiled for the current AMD GPU."""

    target = "hip"
    _bound = HipBound
