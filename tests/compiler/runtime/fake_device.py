"""A device for tests: memory of its own, streams that do nothing until they are waited for, kernels of the CPU target.

A copy or launch that nothing waits for never happens, so a forgotten wait or event gives wrong numbers, every time.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from kparity.compiler import Kernel, Program, compile_program
from kparity.compiler.runtime import memories
from kparity.compiler.runtime.binding import accept, member_of
from kparity.compiler.runtime.borrows import Borrows
from kparity.compiler.runtime.cpu_runtime import CpuBound, CpuExecutable
from kparity.compiler.runtime.device_errors import launched
from kparity.compiler.runtime.devices import aligned
from kparity.compiler.runtime.schedule import borrows_of, messages_of
from kparity.compiler.runtime.steps import EXCHANGE, launches

Event = tuple["FakeDevice", int, int]  # how much of a stream has to be over
LAUNCHES, COPIES = 0, 1  # streams


class DriverError(RuntimeError):
    """What CuPy raises for an answer of the driver."""

    def __init__(self, status: int) -> None:
        super().__init__(f"error {status} of the fake driver")
        self.status = status


class FakeDevice:
    """A `Memory` that counts.

    Attributes
    ----------
    moved : list of int
        Bytes of each copy that was asked for.
    naive : int
        Bytes that the same launches would move if each copied its arguments in and what it changes out again.
    """

    copier = COPIES

    def __init__(self, number: int = 0) -> None:
        self.place = f"fake:{number}"
        self.moved: list[int] = []
        self.naive = 0
        self.pinned: list[int] = []
        self.capacity: int | None = None  # bytes
        self.failure = 0  # what the driver answers from now on
        self._work: dict[int, list[Callable[[], object]]] = {LAUNCHES: [], COPIES: []}
        self._done = {LAUNCHES: 0, COPIES: 0}
        self._alive: dict[int, int] = {}

    @property
    def bytes_alive(self) -> int:
        """Memory that was not given back."""
        return sum(self._alive.values())

    @property
    def is_busy(self) -> bool:
        """Whether anything is left to do."""
        return any(self._done[s] < len(work) for s, work in self._work.items())

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, int]:
        """Return memory full of rubbish; what is given back becomes rubbish again."""
        memory = aligned(shape, dtype)
        if self.capacity is not None and self.bytes_alive + memory.nbytes > self.capacity:
            raise MemoryError
        self._answer()
        address = int(memory.ctypes.data)
        ctypes.memset(address, 0xEE, memory.nbytes)
        self._alive[address] = memory.nbytes
        weakref.finalize(memory, self._alive.pop, address)
        return memory, address

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        """Copy once the stream comes to it."""
        self._answer()
        self.moved.append(size)
        self.enqueue(stream, lambda: ctypes.memmove(target, source, size))

    def _answer(self) -> None:
        if self.failure:
            raise DriverError(self.failure)

    def pin(self, memory: np.ndarray[Any, Any]) -> None:
        """Note what would be locked."""
        self.pinned.append(memory.nbytes)

    def enqueue(self, stream: int, work: Callable[[], object]) -> None:
        """Have a stream do something later."""
        self._work[stream].append(work)

    def wait(self, stream: int) -> None:
        """Do all of a stream's work."""
        self._answer()
        self._catch_up(stream, len(self._work[stream]))

    def mark(self, stream: int) -> Event:
        """Return how far a stream has to be."""
        return self, stream, len(self._work[stream])

    def finish(self, event: Event) -> None:
        """Do a stream's work as far as an event."""
        self._answer()
        _, stream, until = event
        self._catch_up(stream, until)

    def follow(self, stream: int, event: Event) -> None:
        """Do another stream's work before what comes next on this one."""
        device, other, until = event
        self.enqueue(stream, lambda: device._catch_up(other, until))

    def _catch_up(self, stream: int, until: int) -> None:
        while self._done[stream] < until:
            self._done[stream] += 1
            self._work[stream][self._done[stream] - 1]()

    def bind(self, program: Kernel | Program, **arguments: Any) -> FakeBound:
        """Bind a program to owned arrays, to run on this device."""
        executable = compile_program(program, "cpu1").executable
        assert isinstance(executable, CpuExecutable)
        return FakeBound(self, executable, arguments)

    def launch(self, program: Kernel | Program, **arguments: Any) -> None:
        """Bind and run once."""
        self.bind(program, **arguments).run()


class _Borrows(Borrows):
    """Inspections run at once, so what they read has to be there."""

    device: FakeDevice | None = None

    def _lend(self, *borrows: Any) -> None:
        super()._lend(*borrows)
        if self.device is not None:
            self.device.wait(COPIES)


class FakeBound(CpuBound):
    """A program bound to a device's copies; it runs when the device's stream of launches does."""

    def __init__(self, device: FakeDevice, executable: CpuExecutable, given: Mapping[str, Any]) -> None:
        plan = executable.plan
        accepted = accept(plan, given, on_gpu=False, target="cpu1", place=device.place)
        borrows = _Borrows(plan, accepted, executable._inspectors, {}, on_gpu=False, place=device.place)
        borrows.device = device if executable._inspectors else None
        super().__init__(plan, executable._loaded, accepted, "cpu1", borrows)
        self._device = device
        native = self._run
        self._run = lambda *passed: device.enqueue(LAUNCHES, lambda: native(*passed))  # type: ignore[assignment]

    def run(self, repetitions: int = 1, **options: Any) -> None:
        """Enqueue, and add up what copying for each launch would cost."""
        super().run(repetitions, **options)
        launched.append(self._plan.manifest.program)
        # A driver copies what a launch is given; here it stays alive until then. The arrays do not.
        schedule = self._schedule
        given = (
            schedule._table,
            schedule._sequences,
            dict(schedule._packed),
            self._loaded,
            self._scratch,
            schedule._exchange,
        )
        self._device.enqueue(LAUNCHES, lambda: given)
        assert self._borrows is not None
        self._borrows.end(LAUNCHES)
        sizes = {name: view.bytes for name, view in self._arguments.views.items()}
        for r in range(repetitions):
            for access in self._launched(r):
                self._device.naive += sum(sizes[n] for n, a in access if a != "Out")
                self._device.naive += sum(sizes[n] for n, a in access if a != "Ref")

    def _launched(self, repetition: int) -> Iterator[list[tuple[str, str]]]:
        values = {**self._arguments.values, "repetition": repetition}
        for number, known, roles in launches(self._plan.manifest.program, self._plan.steps, values):
            if number == EXCHANGE:
                yield messages_of(self._plan)
                continue
            call = self._plan.calls[number]
            taken = {**roles, **{m.name: member_of(call, m, known) for m in call.members}}
            yield [(taken.get(a, a), access) for a, access in borrows_of(call)]


def devices(count: int, monkeypatch: Any) -> list[FakeDevice]:
    """Return fake devices, known by their places."""
    made = [FakeDevice(number) for number in range(count)]
    for device in made:
        monkeypatch.setitem(memories._memories, device.place, device)
    return made
