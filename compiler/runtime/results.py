"""The block through which reduced scalars come back to the host."""

from __future__ import annotations

import ctypes
from typing import NamedTuple, TypeAlias

from .manifest import CTYPES, RESULTS_BYTES, Manifest, Parameter

_VALUES = 16  # offset of the values, behind `arrived` and `issued`
_PORTABLE, _MAPPED = 0x01, 0x02  # cudaHostAllocPortable, cudaHostAllocMapped


class Located(NamedTuple):
    """The result of a `MinLoc` or `MaxLoc`."""

    value: float | int
    location: int


Result: TypeAlias = float | int | Located


def read_result(parameter: Parameter, address: int) -> Result:
    """Return the value at an address; its location, if it has one, stands 8 bytes behind."""
    value: float | int = CTYPES[parameter.type].from_address(address).value
    return Located(value, ctypes.c_int64.from_address(address + 8).value) if parameter.is_located else value


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

    def values(self) -> dict[str, Result]:
        """Return what the device last delivered, by name."""
        slots = self._manifest.result_slots
        return {n: read_result(self._manifest[n], self.host + _VALUES + 8 * slot) for n, slot in slots.items()}
