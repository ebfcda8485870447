"""A device with a simulated clock, executables that are Python functions, and a workshop that deals in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from kparity.compiler import Manifest, Parameter
from kparity.harness.records import Cell, Record
from kparity.suites import Entry, Spec, Work

Function = Callable[..., None]


class FakeDevice:
    """Time passes only when something is launched, or copied."""

    target = "cuda"
    stream = 7

    def __init__(self, copy_seconds: float = 0.0) -> None:
        self.now = 100.0
        self.copy_seconds = copy_seconds
        self.uploads = 0

    def upload(self, host: Any) -> Any:
        self.uploads += 1
        return np.array(host)

    def download(self, array: Any) -> Any:
        return np.array(array)

    def copy(self, destination: Any, source: Any) -> None:
        self.now += self.copy_seconds
        np.copyto(destination, source)

    def synchronize(self) -> None:
        """Everything is done at once."""

    def elapsed(self, call: Callable[[], None]) -> float:
        start = self.now
        call()
        return self.now - start

    def free_memory(self) -> int:
        return 1 << 30

    def describe(self) -> dict[str, str]:
        return {"model": "fake"}


@dataclass
class FakeBound:
    inspection_seconds = 0.0
    device: FakeDevice
    executable: FakeExecutable
    arguments: Mapping[str, Any]
    launches: list[tuple[int, bool]] = field(default_factory=list)

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        assert stream == self.device.stream
        self.launches.append((repetitions, bring_back))
        self.device.now += repetitions * self.executable.pace()
        for _ in range(repetitions):
            self.executable.function(**self.arguments)

    def results(self) -> dict[str, float | int]:
        delivered = {name: self.arguments[name][0] for name in self.executable.manifest.returned}
        return {name: value + self.executable.delivery_error for name, value in delivered.items()}


@dataclass
class FakeExecutable:
    manifest: Manifest
    function: Function
    device: FakeDevice
    seconds: Sequence[float] = (1e-4,)  # a repetition takes these, in turn
    delivery_error: float = 0.0
    target: str = "cuda"
    compile_seconds: float = 0.25
    _runs: int = 0

    def pace(self) -> float:
        self._runs += 1
        return self.seconds[self._runs % len(self.seconds)]

    def bind(self, arguments: Mapping[str, Any]) -> FakeBound:
        return FakeBound(self.device, self, arguments)


def daxpy(y: Any, x: Any, a: float) -> None:
    y += a * x


def daxpy_manifest() -> Manifest:
    return Manifest.build(
        "daxpy",
        [
            Parameter("y", "array", "f64", "Mut", ("n",)),
            Parameter("x", "array", "f64", "Ref", ("n",)),
            Parameter("a", "scalar", "f64", "", ()),
            Parameter("n", "extent", "i64", "", ()),
        ],
    )


def daxpy_entry(**changes: Any) -> Entry:
    values: dict[str, Any] = {
        "name": "DAXPY", "program": None, "reference": daxpy, "checksum": ("y",), "tolerance": 1e-10,
        "data": lambda n, fill: {"y": np.ones(n), "x": np.arange(1.0, n + 1), "a": 0.5},
        "size": 1000, "repetitions": 50, "work": lambda n: Work(16 * n, 8 * n, 2 * n), "features": ("Forall",),
    }  # fmt: skip
    published = changes.pop("published", lambda name, size, repetitions: None)
    spec = Spec(**cast(Any, {**values, **changes}))
    return Entry(spec, "fake", "Basic", Path("fake/basic/daxpy.py"), lambda: None, published)


@dataclass
class FakeWorkshop:
    """Executables by variant; an exception in place of one is raised when it is asked for."""

    entries: Mapping[str, Entry]
    executables: Mapping[str, FakeExecutable | Exception]
    fake_device: FakeDevice

    def entry(self, kernel: str) -> Entry:
        return self.entries[kernel]

    def device(self, target: str) -> FakeDevice:
        return self.fake_device

    def executable(self, cell: Cell) -> FakeExecutable:
        found = self.executables[cell.variant]
        if isinstance(found, Exception):
            raise found
        return found


@dataclass
class FakeReporter:
    steps: list[tuple[str, tuple[Cell, ...]]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    checksums: dict[tuple[str, int], dict[int, Any]] = field(default_factory=dict)

    def expected(self, kernel: str, size: int, checksums: Mapping[int, Any]) -> None:
        self.checksums[kernel, size] = dict(checksums)

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        self.steps.append((what, tuple(cells)))

    def record(self, record: Record) -> None:
        self.records.append(record)


@dataclass
class FakeWatcher:
    lines: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)

    def begin(self, title: str, total: int) -> None:
        self.titles.append(f"{title}: {total}")

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        pass

    def advance(self, line: str, *, alarming: bool = False) -> None:
        self.lines.append(("! " if alarming else "") + line)

    def end(self) -> None:
        self.titles.append("end")
