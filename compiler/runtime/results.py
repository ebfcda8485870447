"""The block through which reduced scalars come back to the host."""

from __future__ import annotations

import ctypes
import functools
from collections import namedtuple
from typing import NamedTuple, TypeAlias

from .manifest import CTYPES, RESULTS_BYTES, Manifest, Parameter

_VALUES = 16  # offset of the values, behind `arrived` and `issued`
_PORTABLE, _MAPPED = 0x01, 0x02  # cudaHostAllocPortable, cudaHostAllocMapped


class Located(NamedTuple):
    """The result of a `MinLoc` or `MaxLoc`."""

    value: float | int
    location: int


Result: TypeAlias = float | int | tuple[float | int, ...]
"""A number; a named tuple of a value and its location, or of a struct's fields."""


@functools.cache
def _tuple_of(name: str, fields: tuple[str, ...]) -> type[tuple[float | int, ...]]:
    return namedtuple(name, fields, rename=True)


def read_result(parameter: Parameter, address: int, step: int = 0) -> Result:
    """Return what stands at an address, its fields as they lie in the reducer's buffer, or `step` bytes apart."""
    if not parameter.held:
        value: float | int = CTYPES[parameter.type].from_address(address).value
        return value
    offsets = [number * step if step else at for number, (_, _, at) in enumerate(parameter.held)]
    values = [CTYPES[t].from_address(address + at).value for (_, t, _), at in zip(parameter.held, offsets, strict=True)]
    if parameter.is_located:
        return Located(*values)
    return _tuple_of(parameter.type, tuple(name for name, _, _ in parameter.held))(*values)


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
        return {n: read_result(self._manifest[n], self.host + _VALUES + 8 * slot, 8) for n, slot in slots.items()}
