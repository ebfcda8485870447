"""Host arrays that end at a page nobody may touch: what a kernel writes beyond them is seen, not suffered."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

from kparity.compiler import memory_order

_ALIGNMENT = 64  # bytes; the alignment that kernels may rely on
_CANARY = 0xA5
_NO_ACCESS = 0  # PROT_NONE
_LIBC = ctypes.CDLL(None, use_errno=True)


class GuardedArrays:
    """Makes copies of arrays between two pages without access.

    Reading or writing a page or more beyond an array ends the process (SIGSEGV). The last bytes before the page, where
    an array's size is no multiple of the alignment, hold a pattern that `overwritten` looks at.
    """

    def __init__(self) -> None:
        self._slack: list[tuple[str, Any]] = []

    def copy(self, name: str, host: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return a copy of `host`, its layout kept, that ends within `_ALIGNMENT` bytes of the forbidden page."""
        order, back = memory_order(host)
        used = -(-host.nbytes // _ALIGNMENT) * _ALIGNMENT
        inner = -(-max(used, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
        memory = mmap.mmap(-1, inner + 2 * mmap.PAGESIZE)
        raw = np.frombuffer(memory, np.uint8)  # keeps the mapping alive
        start = mmap.PAGESIZE + inner - used
        raw[start : start + used] = _CANARY
        for page in (raw.ctypes.data, raw.ctypes.data + mmap.PAGESIZE + inner):
            _forbid(page)
        self._slack.append((name, raw[start + host.nbytes : start + used]))
        dense = raw[start : start + host.nbytes].view(host.dtype).reshape([host.shape[d] for d in order])
        array: np.ndarray[Any, Any] = dense.transpose(back)
        array[...] = host
        return array

    def overwritten(self) -> str:
        """Return what was written just behind an array; empty if nothing was."""
        names = (name for name, slack in self._slack if (slack != _CANARY).any())
        return next((f"something was written behind the end of `{name}`" for name in names), "")


def _forbid(page: int) -> None:
    if _LIBC.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), _NO_ACCESS):
        raise OSError(ctypes.get_errno(), "a page cannot be protected")
