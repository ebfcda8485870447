"""An NVIDIA GPU through CuPy: memory, stream, events, identity."""

from __future__ import annotations

import functools
import importlib.util
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import TargetUnavailable
from .device_errors import device_errors
from .devices import memory_order
from .faults import check_all

_PIP = "pip install 'kparity[cuda]'"


def _cupy() -> Any:
    """Import CuPy and see that a device answers; raises TargetUnavailable with the remedy."""
    if importlib.util.find_spec("cupy") is None:
        raise TargetUnavailable(f"target `cuda` needs CuPy: {_PIP}")
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except ImportError as error:
        raise TargetUnavailable(f"target `cuda`: CuPy does not load ({error}); install it again: {_PIP}") from error
    except Exception as error:  # CUDARuntimeError: its type lives in the module that may not have loaded
        raise TargetUnavailable(
            f"target `cuda`: no NVIDIA GPU answers ({error}); check the driver with nvidia-smi"
        ) from error
    if cupy.cuda.runtime.is_hip:
        raise TargetUnavailable("target `cuda`: CuPy's build here is for AMD GPUs, whose target is `hip`")
    if count == 0:
        raise TargetUnavailable("target `cuda`: this machine has no NVIDIA GPU")
    return cupy


class CudaDevice:
    """The current GPU, with a stream of its own."""

    target = "cuda"

    def __init__(self) -> None:
        self._cp = self._library()
        self._stream = self._cp.cuda.Stream(non_blocking=True)
        self.stream: int = self._stream.ptr

    @staticmethod
    def _library() -> Any:
        return _cupy()

    def upload(self, host: np.ndarray[Any, Any]) -> Any:
        """Copy to the GPU in the same layout; a value with its location is one element of 16 bytes there.

        CuPy has no structured types, and keeps no order of dimensions but the two that C and Fortran have.
        """
        plain = host.view(np.complex128) if host.dtype.fields else host
        order, back = memory_order(plain)
        with device_errors(f"copying {host.nbytes:,} bytes to the GPU"), self._stream:
            dense = self._cp.asarray(np.ascontiguousarray(plain.transpose(order)))
        self._stream.synchronize()
        return dense.transpose(back)

    def download(self, array: Any) -> np.ndarray[Any, Any]:
        """Copy to the host."""
        with self._stream:
            host = self._cp.asnumpy(array)
        self._stream.synchronize()
        return np.asarray(host)

    def copy(self, destination: Any, source: Any) -> None:
        """Copy on the GPU, ordered on the stream."""
        destination.data.copy_from_device_async(source.data, source.nbytes, self._stream)

    def synchronize(self) -> None:
        """Wait for the stream; raises AccessError if a tested access failed."""
        with device_errors("waiting for the GPU"):
            self._stream.synchronize()
        check_all()

    def elapsed(self, call: Callable[[], None]) -> float:
        """Seconds between two events around what `call` launches."""
        start, stop = self._cp.cuda.Event(), self._cp.cuda.Event()
        start.record(self._stream)
        call()
        stop.record(self._stream)
        with device_errors("waiting for the GPU"):
            stop.synchronize()
        milliseconds: float = self._cp.cuda.get_elapsed_time(start, stop)
        return milliseconds * 1e-3

    def captured(self, call: Callable[[], None]) -> Callable[[], None]:
        """Capture what `call` launches on the device's stream, unlaunched; return what launches all of it at once."""
        self._stream.begin_capture()
        try:
            call()
        finally:
            graph = self._stream.end_capture()
        return lambda: graph.launch(self._stream)

    def free_memory(self) -> int:
        """Bytes of GPU memory that are free, CuPy's unused pool included."""
        free: int = self._cp.cuda.runtime.memGetInfo()[0]
        pool: int = self._cp.get_default_memory_pool().free_bytes()
        return free + pool

    @functools.cached_property
    def uuid(self) -> str:
        """The driver's name of the GPU, 32 hexadecimal digits; empty where CuPy does not tell."""
        found = self._cp.cuda.runtime.getDeviceProperties(self._cp.cuda.Device().id).get("uuid", "")
        return found.hex() if isinstance(found, bytes) else str(found)

    def describe(self) -> dict[str, str]:
        """Model, architecture, driver, clocks and throttle reasons."""
        cp = self._cp
        properties = cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)
        described = {
            "model": properties["name"].decode(),
            "architecture": f"sm_{cp.cuda.Device().compute_capability}",
            "multiprocessors": str(properties["multiProcessorCount"]),
            "uuid": self.uuid,
            "memory_bytes": str(properties["totalGlobalMem"]),
            "cuda": str(cp.cuda.runtime.runtimeGetVersion()),
            "cupy": cp.__version__,
        }
        return described | _driver_state()


_QUERY = {
    "driver": "driver_version", "sm_clock": "clocks.sm", "memory_clock": "clocks.mem",
    "throttle_reasons": "clocks_event_reasons.active", "temperature": "temperature.gpu", "power": "power.draw",
}  # fmt: skip


def _driver_state() -> dict[str, str]:
    """Return what nvidia-smi says; empty where it is not there."""
    command = ["nvidia-smi", f"--query-gpu={','.join(_QUERY.values())}", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if answer.returncode:
        return {}
    values = [v.strip() for v in answer.stdout.splitlines()[0].split(",")]
    return dict(zip(_QUERY, values, strict=False))
