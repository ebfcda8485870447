"""The block through which reduced scalars come back to the host."""

from __future__ import annotations

import ctypes

from .manifest import CTYPES, RESULTS_BYTES, Manifest

_VALUES = 16  # offset of the values, behind `arrived` and `issued`
_PORTABLE, _MAPPED = 0x01, 0x02  # cudaHostAllocPortable, cudaHostAllocMapped


class Results:
    """A `kp_results` block in mapped, pinned host memory.

    Attributes
    ----------
    host, device : int
        Its address on either side.
    """

    def __init__(self, manifest: Manifest) -> None:
        import cupy

        self._manifest = manifest
        self._memory = cupy.cuda.PinnedMemory(RESULTS_BYTES, _PORTABLE | _MAPPED)
        self.host: int = self._memory.ptr
        ctypes.memset(self.host, 0, RESULTS_BYTES)
        self.device: int = cupy.cuda.runtime.pointerGetAttributes(self.host).devicePointer

    def values(self) -> dict[str, float | int]:
        """Return what the device last delivered, by reducer."""
        names = enumerate(self._manifest.returned)
        return {n: CTYPES[self._manifest[n].type].from_address(self.host + _VALUES + 8 * i).value for i, n in names}
