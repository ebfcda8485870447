"""The memories that owned arrays have copies in: allocation, copies between them, and the order of streams."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import LaunchError
from .device_errors import device_errors
from .devices import aligned
from .residence import HOST, Place
from .streams import stream_of

_WORTH_PINNING = 1 << 20  # bytes
_PINNED_AT = 2  # copies: locking pages takes less than another one would take longer without
_PORTABLE = 1  # cudaHostRegisterPortable: for all GPUs


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

    def pin(self, memory: np.ndarray[Any, Any]) -> None:
        """Lock pages of the host's for as long as they are there, so that this device copies them by itself."""

    def wait(self, stream: int) -> None:
        """Wait for what a stream has to do."""

    def mark(self, stream: int) -> Any:
        """Return an event behind what a stream has to do now."""

    def finish(self, event: Any) -> None:
        """Wait for an event of this memory's device."""

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
        """Return new memory, aligned to 64 bytes."""
        data = aligned(shape, dtype)
        return data, int(data.ctypes.data)

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        """Never called: what is copied to or from the host, the other memory's streams copy."""
        raise AssertionError("nothing copies on the host's behalf")

    def pin(self, memory: np.ndarray[Any, Any]) -> None:
        """Never called, like `copy`."""
        raise AssertionError("nothing copies on the host's behalf")

    def wait(self, stream: int) -> None:
        """Nothing is in flight."""

    def mark(self, stream: int) -> Any:
        """Nothing is in flight."""

    def finish(self, event: Any) -> None:
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

    def pin(self, memory: np.ndarray[Any, Any]) -> None:
        """Register it with the driver, if it is worth that; what shares a page with such memory stays as it is."""
        owner = memory
        while isinstance(owner.base, np.ndarray):
            owner = owner.base  # other views of it may live longer than this one
        if memory.nbytes < _WORTH_PINNING:
            return
        runtime = self._cupy.cuda.runtime
        try:
            runtime.hostRegister(memory.ctypes.data, memory.nbytes, _PORTABLE)
        except runtime.CUDARuntimeError:
            return
        weakref.finalize(owner, runtime.hostUnregister, memory.ctypes.data).atexit = False

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

    def finish(self, event: Any) -> None:
        """Wait on the host."""
        event.synchronize()

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


class Use:
    """Work of a stream on a copy.

    Attributes
    ----------
    event : object or None
        What is over when the work is; until it was asked for, None: all that its stream has to do stands for it.
    """

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.event: Any = None

    def finish(self) -> None:
        """Wait for it on the host."""
        memory, address = self.stream
        with device_errors(f"waiting for {memory.place}"):
            if self.event is None:
                memory.wait(address)
            else:
                memory.finish(self.event)

    def precede(self, stream: Stream) -> None:
        """Have what comes next on another stream wait for it."""
        memory, address = self.stream
        with device_errors(f"ordering streams of {memory.place}"):
            stream.memory.follow(stream.address, memory.mark(address) if self.event is None else self.event)


def leave(event: Any, uses: Iterable[Use | None]) -> None:
    """Note what is over when some work is that was just asked for."""
    for use in uses:
        if use is not None:
            use.event = event


class Copy:
    """An array's copy in one memory, and the work on it that is not known to be over."""

    def __init__(self, memory: Memory, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.memory = memory
        self.data, self.address = memory.allocate(shape, dtype)
        self._writer: Use | None = None
        self._readers: dict[Stream, Use] = {}
        self._moves = 0

    def moves(self, device: Memory) -> None:
        """Count a copy between the host and a device; what goes there and back again is pinned."""
        self._moves += 1
        if self._moves == _PINNED_AT:
            device.pin(self.data)

    @property
    def is_in_flight(self) -> bool:
        """Whether a stream may still work on it."""
        return self._writer is not None or bool(self._readers)

    def use(self, stream: Stream | None, access: str) -> Use | None:
        """Order the next work of a stream, or of the host (None), behind the work that it conflicts with.

        Returns
        -------
        Use or None
            For the stream's work: whoever asks for it leaves the event that is over with it.
        """
        writes = access != "Ref"
        before = [self._writer] if self._writer else []
        before += self._readers.values() if writes else ()
        for work in before:
            if stream is None:
                work.finish()
            elif work.stream != stream:
                work.precede(stream)
        if writes:
            self._readers.clear()
        if stream is None:
            self._writer = None
            return None
        use = Use(stream)
        if writes:
            self._writer = use
        else:
            self._readers[stream] = use
        return use
