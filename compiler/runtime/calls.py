"""Calls that were checked before: arrays of the same place and form with the same numbers need no second look.

Guards, overlaps and places depend on nothing else, so what was found of a launch holds again, for whatever arrays.
Owned arrays are borrowed anew each time; what a launch inspects or copies (index arrays, tables, structs) takes the
long way.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from .buffers import OwnedArray

MOST_CALLS = 256


def signature(arguments: Iterable[Any]) -> tuple[Hashable, ...] | None:
    """Return what makes a call the same as another; None if an argument has a state that this cannot see."""
    parts: list[Hashable] = []
    for value in arguments:
        kind = type(value)
        if kind is np.ndarray:
            address = value.__array_interface__["data"][0]
            parts.append((address, value.shape, value.strides, value.dtype, value.flags.writeable))
        elif kind is float:
            parts.append((kind, value, math.copysign(1.0, value)))  # the two zeros are equal
        elif kind is int or kind is bool:
            parts.append((kind, value))
        elif kind is OwnedArray:
            parts.append((kind, value.form))
        elif kind.__name__ == "ndarray" and kind.__module__.partition(".")[0] == "cupy":
            memory = value.data
            parts.append((memory.ptr, memory.device_id, value.shape, value.strides, value.dtype))
        else:
            return None
    return tuple(parts)


class Calls(threading.local):
    """The latest calls of each thread, bound; they hold none of their arrays."""

    def __init__(self) -> None:
        self._bound: dict[Hashable, Any] = {}

    def get(self, key: Hashable) -> Any:
        """Return the bound program of a call that was made before, or None."""
        return self._bound.get(key)

    def keep(self, key: Hashable, bound: Any) -> None:
        """Remember a call, if nothing but the places of its arrays is needed to make it again."""
        if bound.forget_arrays():
            if len(self._bound) >= MOST_CALLS:
                del self._bound[next(iter(self._bound))]
            self._bound[key] = bound
