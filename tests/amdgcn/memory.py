"""Memory of an emulated device: arrays at addresses far apart, so that no access reaches a neighbour by accident."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
REGION = 40  # bits of an address inside one region
SHARED_HIGH, PRIVATE_HIGH = 0x10000, 0x20000  # upper halves of generic addresses of a group's and a lane's memory
GUARD = 0xFF  # what lies behind the last byte of a region, up to a multiple of 16


class Fault(Exception):
    """An access that the memory refuses: where no array lies, past an end, or where nothing may be written."""


class Memory:
    """Regions of bytes by address."""

    def __init__(self) -> None:
        self.regions: list[tuple[str, Array, int, bool]] = []

    def add(self, name: str, contents: Array, writable: bool = True) -> int:
        """Copy an array in; returns its address.

        Parameters
        ----------
        name : str
            What messages call it.
        contents : array or bytes
            Any contiguous array.
        writable : bool
            Whether stores may reach it.
        """
        raw = np.frombuffer(np.ascontiguousarray(contents).tobytes(), np.uint8)
        held = np.full((len(raw) + 31) // 16 * 16, GUARD, np.uint8)
        held[: len(raw)] = raw
        return self._add(name, held, len(raw), writable)

    def share(self, name: str, held: Array) -> int:
        """Let the device see bytes of the host, a multiple of 16 of them, without a copy; returns their address."""
        return self._add(name, held, len(held), True)

    def _add(self, name: str, held: Array, size: int, writable: bool) -> int:
        self.regions.append((name, held, size, writable))
        # Higher addresses would look like those of a group's or a lane's own memory.
        assert len(self.regions) < SHARED_HIGH >> REGION - 32, "more arrays than this memory has room for"
        return len(self.regions) << REGION

    def contents(self, address: int, kind: Any, shape: Any) -> Array:
        """The array at an address, as it is now."""
        _, held, size, _ = self.regions[(address >> REGION) - 1]
        return held[:size].view(kind).reshape(shape).copy()

    def _place(self, addresses: Array, size: int, storing: bool) -> tuple[Array, Array]:
        """The region that all these addresses lie in, and their offsets in it."""
        number = int(addresses[0]) >> REGION
        if not 0 < number <= len(self.regions):
            raise Fault(f"the address {int(addresses[0]):#x} lies in no array")
        name, held, length, writable = self.regions[number - 1]
        offsets = addresses.astype(np.int64) - (number << REGION)
        outside = (offsets < 0) | (offsets + size > length)
        if outside.any():
            lane = int(np.argmax(outside))
            raise Fault(f"{size} bytes at offset {int(offsets[lane])} of {name}, which has {length} bytes")
        if storing and not writable:
            raise Fault(f"a store into {name}, which is read-only")
        return held, offsets

    def _by_region(self, addresses: Array) -> list[Array]:
        """Indices of the addresses, one array of them a region."""
        numbers = addresses >> np.uint64(REGION)
        if (numbers == numbers[0]).all():
            return [np.arange(len(addresses))]
        return [np.flatnonzero(numbers == number) for number in np.unique(numbers)]

    def load(self, addresses: Array, size: int, words: int) -> Array:
        """Read `words` items of `size` bytes at each address.

        Returns
        -------
        array of uint32, shape (words, addresses)
        """
        out = np.empty((words, len(addresses)), np.uint32)
        for chosen in self._by_region(addresses):
            held, offsets = self._place(addresses[chosen], size * words, storing=False)
            out[:, chosen] = gathered(held, offsets, size, words)
        return out

    def store(self, addresses: Array, values: Array, size: int) -> None:
        """Write the rows of `values`, shape (words, addresses), as items of `size` bytes; the last of equals wins."""
        for chosen in self._by_region(addresses):
            held, offsets = self._place(addresses[chosen], size * len(values), storing=True)
            scattered(held, offsets, size, values[:, chosen])

    def update(self, addresses: Array, kind: Any, change: Callable[[Any, int], Any]) -> Array:
        """Read, change and write one item after the other; returns what was read. `change` gets it and the index."""
        out = np.empty(len(addresses), kind)
        for chosen in self._by_region(addresses):
            held, offsets = self._place(addresses[chosen], np.dtype(kind).itemsize, storing=True)
            out[chosen] = updated(
                held, offsets, kind, lambda old, index, chosen=chosen: change(old, int(chosen[index]))
            )
        return out


def gathered(held: Array, offsets: Array, size: int, words: int) -> Array:
    """Items of `size` bytes, `words` in a row from each offset, as uint32 of shape (words, offsets)."""
    kind = np.dtype(f"u{size}")
    if not (offsets & (size - 1)).any():
        items = held.view(kind)
        first = offsets // size
        return np.stack([items[first + word] for word in range(words)]).astype(np.uint32)
    out = np.empty((words, len(offsets)), np.uint32)
    for column, offset in enumerate(offsets):
        out[:, column] = np.frombuffer(held[offset : offset + size * words].tobytes(), kind)
    return out


def scattered(held: Array, offsets: Array, size: int, values: Array) -> None:
    """Write the rows of `values` as items of `size` bytes, one row after the other from each offset."""
    kind = np.dtype(f"u{size}")
    if not (offsets & (size - 1)).any():
        items = held.view(kind)
        first = offsets // size
        for word, row in enumerate(values):
            items[first + word] = row.astype(kind)
        return
    for column, offset in enumerate(offsets):
        raw = values[:, column].astype(kind).tobytes()
        held[offset : offset + len(raw)] = np.frombuffer(raw, np.uint8)


def updated(held: Array, offsets: Array, kind: Any, change: Callable[[Any, int], Any]) -> Array:
    """Read, change and write items one after the other; returns what was read."""
    size = np.dtype(kind).itemsize
    if (offsets % size).any():
        raise Fault(f"an atomic operation on {size} bytes at an offset that is no multiple of {size}")
    items = held.view(kind)
    out = np.empty(len(offsets), kind)
    for index, place in enumerate(offsets // size):
        out[index] = items[place]
        items[place] = change(items[place], index)
    return out
