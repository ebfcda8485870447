"""Where arrays live and clocks tick: one class a kind of device."""

from __future__ import annotations

import functools
import math
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..errors import TargetUnavailable


class Device(Protocol):
    """Memory, clock and identity of the machine part that a target runs on."""

    target: str
    stream: int  # address of the stream that launches go to; 0 on the CPU

    def upload(self, host: np.ndarray[Any, Any]) -> Any:
        """Copy a host array into new device memory (64-byte aligned on the CPU)."""

    def download(self, array: Any) -> np.ndarray[Any, Any]:
        """Copy a device array back into a new host array."""

    def copy(self, destination: Any, source: Any) -> None:
        """Copy between device arrays of one shape, ordered on `stream`."""

    def synchronize(self) -> None:
        """Wait for everything on `stream`; raises DeviceError if something failed."""

    def elapsed(self, call: Callable[[], None]) -> float:
        """Seconds that the device spends on what `call` launches (events on a GPU, a monotonic clock on the CPU)."""

    def free_memory(self) -> int:
        """Bytes that can still be allocated."""

    def describe(self) -> dict[str, str]:
        """Model, driver, clocks, threads: what a reader needs to compare two runs."""


_ALIGNMENT = 64


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return new host memory, aligned to 64 bytes; whatever it holds."""
    size = math.prod(shape) * dtype.itemsize
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + size].view(dtype).reshape(shape)


def memory_order(array: np.ndarray[Any, Any]) -> tuple[list[int], list[int]]:
    """Return the dimensions of an array, the slowest first, and the transposition that puts them back."""
    order = np.argsort(array.strides, kind="stable")[::-1]
    return [int(d) for d in order], [int(d) for d in np.argsort(order)]


class CpuDevice:
    """The host's memory and processor."""

    stream = 0

    def __init__(self, target: str) -> None:
        self.target = target

    def upload(self, host: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Copy into new memory of the same layout, aligned to 64 bytes as RAJAPerf aligns it."""
        order, back = memory_order(host)
        array = aligned(tuple(host.shape[d] for d in order), host.dtype).transpose(back)
        array[...] = host
        return array

    def download(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Copy into a new array."""
        return np.array(array)

    def copy(self, destination: np.ndarray[Any, Any], source: np.ndarray[Any, Any]) -> None:
        """Copy elements."""
        np.copyto(destination, source)

    def synchronize(self) -> None:
        """Nothing is in flight on a CPU."""

    def elapsed(self, call: Callable[[], None]) -> float:
        """Seconds of wall time."""
        start = time.perf_counter_ns()
        call()
        return (time.perf_counter_ns() - start) * 1e-9

    def free_memory(self) -> int:
        """Bytes that the operating system can hand out without swapping."""
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    def describe(self) -> dict[str, str]:
        """Processor model, cores, threads of the OpenMP runtime."""
        from ..targets.llvm import VERSION, host_machine

        threads = 1
        if self.target == "cpu":
            from .engine import openmp_runtime

            threads = openmp_runtime().omp_get_max_threads()
        return {
            "model": _cpu_model(), "cores": str(os.cpu_count()), "threads": str(threads),
            "processor": host_machine().cpu, "compiler": VERSION,
        }  # fmt: skip


@functools.cache
def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        return platform.processor() or platform.machine()
    return platform.processor() or platform.machine()


@functools.cache
def device_of(target: str) -> Device:
    """Return the device of a target; raises TargetUnavailable with the reason and the remedy."""
    if target == "cpu1":
        return CpuDevice(target)
    if target == "cpu":
        from .engine import openmp_runtime

        openmp_runtime()
        return CpuDevice(target)
    if target == "cuda":
        from .cuda_device import CudaDevice

        return CudaDevice()
    if target == "hip":
        from .hip_device import HipDevice

        return HipDevice()
    if target.startswith("hip:"):
        raise TargetUnavailable(f"target `{target}` is code for an architecture, to be looked at: `hip` runs it")
    raise TargetUnavailable(f"unknown target `{target}`: choose one of cpu1, cpu, cuda, hip")
