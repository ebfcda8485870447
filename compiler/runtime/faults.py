"""What tested accesses recorded: the first one of a launch that would have left its array, as an exception."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from weakref import WeakSet

import numpy as np

from ..errors import AccessError
from ..targets.tested import FIELDS, RECORD_BYTES
from . import refusals
from .plan import CallPlan

_FIELDS_AT = 16  # behind the claim and the address
_PORTABLE, _MAPPED = 0x01, 0x02  # cudaHostAllocPortable, cudaHostAllocMapped
pending: WeakSet[GpuFaults] = WeakSet()  # records that a synchronisation looks at


class Faults:
    """The record of one call on the CPU."""

    def __init__(self, call: CallPlan) -> None:
        self.call = call
        self._block = ctypes.create_string_buffer(RECORD_BYTES)
        self.address = ctypes.addressof(self._block)
        self._fields = (ctypes.c_int64 * FIELDS).from_buffer(self._block, _FIELDS_AT)
        ctypes.c_int64.from_buffer(self._block, 8).value = ctypes.addressof(self._fields)

    def check(self) -> None:
        """Raise AccessError if an access failed since the last call."""
        written, number, dimension, index, low, high, *indices = self._fields
        if not written:
            return
        self.clear()
        site = self.call.sites[number]
        thread = dict(zip(site.indices, indices, strict=False))
        message = refusals.left_its_array(
            *(what := (self.call.kernel, site.access, site.place, thread, dimension, index, (low, high)))
        )
        raise AccessError(message, *what)

    def clear(self) -> None:
        """Forget what was recorded."""
        self._fields[0] = 0
        ctypes.c_int64.from_buffer(self._block, 0).value = 0


class GpuFaults(Faults):
    """The record of one call on a GPU: claimed in its memory, written to memory of the host that it sees."""

    def __init__(self, call: CallPlan) -> None:
        import cupy

        self.call = call
        self._host = cupy.cuda.PinnedMemory(8 * FIELDS, _PORTABLE | _MAPPED)
        self._fields = (ctypes.c_int64 * FIELDS).from_address(self._host.ptr)
        self._fields[0] = 0
        device = cupy.cuda.runtime.pointerGetAttributes(self._host.ptr).devicePointer
        self._unclaimed = np.array([0, device], np.int64)
        self._claim = cupy.asarray(self._unclaimed)
        cupy.cuda.get_current_stream().synchronize()  # launches may go to another stream
        self.address = int(self._claim.data.ptr)
        pending.add(self)

    def clear(self) -> None:
        """Forget what was recorded; nothing is in flight."""
        import cupy

        self._fields[0] = 0
        self._claim.set(self._unclaimed)
        cupy.cuda.get_current_stream().synchronize()


def check_all(records: Iterable[Faults] | None = None) -> None:
    """Raise AccessError for the first record that has a failure, after a synchronisation; of all GPU launches alive."""
    for record in list(pending) if records is None else list(records):
        record.check()
