"""Empty caches before a launch: everything is driven out by a sweep over more memory than they hold."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

LAUNCHES = 10  # of a sample at most: each costs a sweep

_DEVICE_BYTES = 256 << 20  # copied to as many: twice the last-level cache of the largest devices
_OWN_CACHE = 4 << 20  # bytes of each core, at least what its own caches hold
_FALLBACK = 64 << 20  # of the shared cache, where the system does not tell
# Read when this is imported: once OpenMP has bound its threads, the process sees one core.
_CORES = sorted(os.sched_getaffinity(0))


def sweep_of(device: Any) -> Callable[[], None]:
    """Return what sweeps a device's caches; asynchronous on a GPU, ordered on its stream."""
    if device.target.startswith("cpu"):
        return _host_sweep(_CORES, 2 * _shared_cache() // len(_CORES) + _OWN_CACHE)
    source, destination = (device.upload(np.zeros(_DEVICE_BYTES, np.uint8)) for _ in range(2))
    return lambda: device.copy(destination, source)


def _host_sweep(cores: list[int], each: int) -> Callable[[], None]:
    """Return what reads and writes `each` bytes on every core, all cores at once."""
    pool = ThreadPoolExecutor(len(cores))
    buffers = [np.zeros(each, np.uint8) for _ in cores]

    def sweep_on(core: int, buffer: np.ndarray[Any, Any]) -> None:
        os.sched_setaffinity(0, {core})  # of this thread: its own caches are those of its core
        np.add(buffer, 1, out=buffer)

    return lambda: [None for _ in pool.map(sweep_on, cores, buffers)].clear()


def _shared_cache(caches: Path = Path("/sys/devices/system/cpu/cpu0/cache")) -> int:
    """Return the bytes of the last-level cache."""
    sizes = [path.read_text().strip() for path in caches.glob("index*/size")]
    return max((int(size.removesuffix("K")) << 10 for size in sizes), default=_FALLBACK)
