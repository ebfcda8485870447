"""An AMD GPU through CuPy's build for ROCm, whose `cupy.cuda` is HIP."""

from __future__ import annotations

import importlib.util
from typing import Any

from ..errors import TargetUnavailable
from .cuda_device import CudaDevice

_INSTALL = "install ROCm and CuPy's build for it: pip install 'kparity[rocm]'"


class HipDevice(CudaDevice):
    """The current AMD GPU, with a stream of its own."""

    target = "hip"

    @staticmethod
    def _library() -> Any:
        """Import CuPy and see that an AMD GPU answers; raises TargetUnavailable with the remedy."""
        if importlib.util.find_spec("cupy") is None:
            raise TargetUnavailable(f"target `hip` runs through CuPy, which is not here: {_INSTALL}")
        try:
            import cupy

            if not cupy.cuda.runtime.is_hip:
                raise TargetUnavailable(f"target `hip`: CuPy's build here is for NVIDIA GPUs; {_INSTALL}")
            count = cupy.cuda.runtime.getDeviceCount()
        except ImportError as error:
            raise TargetUnavailable(f"target `hip`: CuPy does not load ({error}); {_INSTALL}") from error
        except TargetUnavailable:
            raise
        except Exception as error:  # CUDARuntimeError: its type lives in the module that may not have loaded
            raise TargetUnavailable(f"target `hip`: no AMD GPU answers ({error}); does rocminfo show one?") from error
        if count == 0:
            raise TargetUnavailable("target `hip`: this machine has no AMD GPU that ROCm knows")
        return cupy

    def describe(self) -> dict[str, str]:
        """Model, architecture, ROCm's version."""
        runtime = self._cp.cuda.runtime
        properties = runtime.getDeviceProperties(self._cp.cuda.Device().id)
        name, architecture = (_text(properties[key]) for key in ("name", "gcnArchName"))
        return {
            "model": name, "architecture": architecture, "multiprocessors": str(properties["multiProcessorCount"]),
            "uuid": self.uuid, "memory_bytes": str(properties["totalGlobalMem"]),
            "rocm": str(runtime.runtimeGetVersion()), "cupy": self._cp.__version__,
        }  # fmt: skip


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
