"""The memories that owned arrays have copies in: allocation, copies between them, and the order of streams."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import LaunchError
from .device_errors import device_errors
from .devices import aligned, pinned
from .residence import HOST, Place
from .streams import stream_of


class Memory(Protocol):
    """One memory, and the streams that work on it. Tests have one of their own."""

    place: Place

    @property
    def copier(self) -> int:
        """Stream that copies to and from this memory are made on."""

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, int]:
        """Return new memory, whatever it holds, and its address."""

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        """Copy bytes between addresses of this memory, another one's, or the host's, ordered on a stream."""

    def wait(self, stream: int) -> None:
        """Wait for what a stream has to do."""

    def mark(self, stream: int) -> Any:
        """Return an event behind what a stream has to do now."""

    def follow(self, stream: int, event: Any) -> None:
        """Have what comes next on a stream wait for an event, of whatever device."""


class Stream(NamedTuple):
    """A stream of one memory's device."""

    memory: Memory
    address: int


class Host:
    """The host's memory; no work is in flight on it but that of other memories' streams."""

    place = HOST
    copier = 0

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, int]:
        """Return new memory, aligned to 64 bytes; pages that a GPU copies from by itself, if the process uses one."""
        data = pinned(shape, dtype) if any(isinstance(m, Gpu) for m in _memories.values()) else aligned(shape, dtype)
        return data, int(data.ctypes.data)

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        """Never called: what is copied to or from the host, the other memory's streams copy."""
        raise AssertionError("nothing copies on the host's behalf")

    def wait(self, stream: int) -> None:
        """Nothing is in flight."""

    def mark(self, stream: int) -> Any:
        """Nothing is in flight."""

    def follow(self, stream: int, event: Any) -> None:
        """Never called: the host waits itself."""
        raise AssertionError("the host has no streams")


class Gpu:
    """A GPU's memory, through CuPy."""

    def __init__(self, number: int) -> None:
        import cupy

        self.place, self._number, self._cupy = f"gpu:{number}", number, cupy

    def _current(self) -> AbstractContextManager[Any]:
        """Make it the current device, if it is not."""
        device = self._cupy.cuda.Device
        return nullcontext() if device().id == self._number else device(self._number)

    @functools.cached_property
    def _copying(self) -> Any:
        with self._current():
            return self._cupy.cuda.Stream(non_blocking=True)

    @property
    def copier(self) -> int:
        """A stream of its own, so that copies and launches overlap."""
        return int(self._copying.ptr)

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, int]:
        """Return memory of CuPy's pool."""
        with self._current():
            data = self._cupy.empty(shape, dtype)
        return data, int(data.data.ptr)

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        """Copy; from and to pageable memory of the host, the call returns when that is free again."""
        runtime = self._cupy.cuda.runtime
        with self._current():
            runtime.memcpyAsync(target, source, size, runtime.memcpyDefault, stream)

    def wait(self, stream: int) -> None:
        """Wait for a stream; for the whole device if it is gone, for its work need not be over."""
        with self._current():
            try:
                stream_of(self._cupy, stream).synchronize()
            except self._cupy.cuda.runtime.CUDARuntimeError:  # of what failed, or of a stream that is gone
                self._cupy.cuda.Device().synchronize()

    def mark(self, stream: int) -> Any:
        """Record an event."""
        with self._current():
            event = self._cupy.cuda.Event(disable_timing=True)
            try:
                event.record(stream_of(self._cupy, stream))
            except self._cupy.cuda.runtime.CUDARuntimeError:  # the stream is gone
                self._cupy.cuda.Device().synchronize()
        return event

    def follow(self, stream: int, event: Any) -> None:
        """Have a stream wait for an event."""
        with self._current():
            stream_of(self._cupy, stream).wait_event(event)


_memories: dict[Place, Memory] = {HOST: Host()}


def memory_at(place: Place) -> Memory:
    """Return the memory of a place."""
    if place not in _memories:
        _memories[place] = Gpu(int(place.rpartition(":")[2]))
    return _memories[place]


def place_here(on_gpu: bool) -> Place:
    """Return the place that a launch works in: the host, or the current GPU."""
    if not on_gpu:
        return HOST
    import cupy

    return f"gpu:{cupy.cuda.Device().id}"


def place_named(target: str) -> Place:
    """Return the place that a target works in, or a place by its own name; raises LaunchError for anything else."""
    if target in _memories:
        return target
    kind, _, number = target.partition(":")
    if kind == "gpu" and number.isdigit():
        return target
    if target in ("cpu", "cpu1", "cuda", "hip"):
        return place_here(target in ("cuda", "hip"))
    raise LaunchError(f"`{target}` is no place: write `cpu`, `cuda`, `hip`, or a GPU by its number, as in `gpu:1`")


class Copy:
    """An array's copy in one memory, and the streams whose work on it is not known to be over."""

    def __init__(self, memory: Memory, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.memory = memory
        self.data, self.address = memory.allocate(shape, dtype)
        self._writer: Stream | None = None
        self._readers: set[Stream] = set()

    @property
    def is_in_flight(self) -> bool:
        """Whether a stream may still work on it."""
        return self._writer is not None or bool(self._readers)

    def use(self, stream: Stream | None, access: str) -> None:
        """Order the next work of a stream, or of the host (None), behind the work that it conflicts with."""
        writes = access != "Ref"
        before = ({self._writer} if self._writer else set()) | (self._readers if writes else set())
        for other in before - {stream}:
            with device_errors(f"waiting for {other.memory.place}"):
                if stream is None:
                    other.memory.wait(other.address)
                else:
                    stream.memory.follow(stream.address, other.memory.mark(other.address))
        if stream is None or writes:
            self._writer = stream
            self._readers = set() if writes else self._readers - before
        else:
            self._readers.add(stream)
