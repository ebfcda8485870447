"""One walk: every comparison once, in a fresh process; data, verification, timing, records."""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from kparity.compiler import CompileError, DeviceError, Executable, KparityError

from .clocks import ClockCost, clock_cost
from .cold import LAUNCHES as COLD_LAUNCHES
from .cold import sweep_of
from .conditions import conditions
from .plan import RAJAPERF, Comparison
from .planted import Slowed, whole_repetitions
from .rajaperf_run import RajaperfFailed, measure_rajaperf
from .ranks import Ranks, over_ranks
from .records import Cell, Record, Status, Verification
from .replay import NotReplayable, Replayed
from .resident import Resident, upload_initial
from .settings import Settings
from .timing import (
    Launchable,
    Samples,
    Side,
    SideFailed,
    Stopwatch,
    measure,
    measure_passes,
    repetition_cap,
    timing_rule,
)
from .verify import Expected, KernelData, Verifier

if TYPE_CHECKING:
    from kparity.suites import Entry


class Workshop(Protocol):
    """Where a walk gets what it measures."""

    def entry(self, kernel: str) -> Entry:
        """Return a kernel of the suite by its full name."""

    def device(self, target: str) -> Any:
        """Return the device of a target."""

    def executable(self, cell: Cell) -> Executable:
        """Compile, or fetch from the cache, what a cell runs."""


class Reporter(Protocol):
    """Who is told what happens in a walk."""

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        """Tell what begins; a crash or a hang from here on is charged to `cells`."""

    def record(self, record: Record) -> None:
        """Hand over a finished record."""


class DeviceSpoiled(Exception):
    """A fault left the device's context unusable: the process must end, a new one goes on."""


@dataclass(slots=True)
class Ready:
    """A verified side with its arguments on the device."""

    cell: Cell
    resident: Resident
    verification: Verification
    compile_seconds: float


@dataclass(slots=True)
class Walk:
    """What the comparisons of a walk have in common.

    Attributes
    ----------
    run : str
        Campaign id.
    number : int
        Of the walk; the first one verifies thoroughly.
    settings : Settings
    workshop : Workshop
    reporter : Reporter
    expected : dict
        (kernel, size) -> expected checksums, as earlier walks found them: the reference runs once in a campaign.
    on_expected : callable
        Told of new ones: kernel, size, and the checksums by number of repetitions.
    ranks : Ranks
        Processes that do the same at the same time.
    """

    run: str
    number: int
    settings: Settings
    workshop: Workshop
    reporter: Reporter
    expected: dict[tuple[str, int], dict[int, Expected]] = field(default_factory=dict)
    on_expected: Callable[[str, int, Mapping[int, Expected]], None] = lambda *_: None
    ranks: Ranks = field(default_factory=Ranks)
    _data: KernelData | None = field(default=None, init=False)
    _sweeps: dict[str, Callable[[], None]] = field(default_factory=dict, init=False)
    _costs: dict[str, ClockCost] = field(default_factory=dict, init=False)

    def visit(self, comparisons: Sequence[Comparison]) -> None:
        """Measure comparisons in the order given, handing over each record as soon as it is complete.

        Raises
        ------
        DeviceSpoiled
            After the record of the side that broke the device; what is left needs a new process.
        """
        gc.freeze()  # modules and what else stays: the collections below need not look at it again
        for comparison in comparisons:
            before = dict(self._known(comparison))
            self._compare(comparison)
            if self._known(comparison) != before:
                self.on_expected(comparison.kernel, comparison.size, self._known(comparison))
            gc.collect()  # device memory of this comparison, before the next one needs its own

    def _compare(self, comparison: Comparison) -> None:
        """Measure the sides in turn; RAJAPerf's before and after ours, as the walk's order has them."""
        theirs = [cell for cell in comparison.sides if cell.variant.startswith(RAJAPERF)]
        ours = comparison.without(theirs)
        middle = comparison.sides.index(ours.sides[0]) if ours.sides else 0
        for cell in comparison.sides[:middle]:
            self._run_rajaperf(cell)
        if ours.sides:
            self._compare_ours(ours)
        for cell in comparison.sides[middle:]:
            if cell in theirs:
                self._run_rajaperf(cell)

    def _run_rajaperf(self, cell: Cell) -> None:
        self.reporter.step("RAJAPerf", [cell])
        size = self.workshop.entry(cell.kernel).spec.actual_size(cell.size)
        try:
            record = measure_rajaperf(self.settings, cell, size, self.run, self.number)
        except RajaperfFailed as error:
            self._record(cell, error.status, str(error))
        else:
            self.reporter.record(replace(record, started=datetime.now(UTC).isoformat(timespec="seconds")))

    def _compare_ours(self, comparison: Comparison) -> None:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        before = self._conditions(comparison.target)
        ready: list[Ready] = []
        for cell in comparison.sides:
            side = self._prepare(comparison, cell)
            if side is not None:
                ready.append(side)
                side.resident.move_to(ready[0].resident.arrays)
        taken = self._time(comparison, ready) if self.settings.timed else {}
        weather = {"before": before, "after": self._conditions(comparison.target)}
        for side in ready:
            if side.cell in taken or not self.settings.timed:
                samples = taken.get(side.cell, Samples(0))
                if samples.repetitions:
                    intervals = samples.repetitions if self.settings.protocol == "cold" else 1
                    weather["clock"] = self._cost(comparison.target).to_json(intervals)
                samples, spread = self._joined(samples)
                own = {**weather, **spread}
                self._record(side.cell, "ok", side=side, samples=samples, started=started, conditions=own)

    def _joined(self, samples: Samples) -> tuple[Samples, dict[str, Any]]:
        """Return the means over all ranks, and for the record the least and the greatest."""
        if self.ranks.count == 1:
            return samples, {}
        device, of_device = over_ranks(self.ranks.gathered(samples.device_seconds))
        wall, of_wall = over_ranks(self.ranks.gathered(samples.wall_seconds))
        spread = {"ranks": self.ranks.count, "over_ranks": {"device": of_device, "wall": of_wall}}
        return Samples(samples.repetitions, device, wall), spread

    def _conditions(self, target: str) -> dict[str, Any]:
        """Read the state of a target's device; one that cannot be opened fails where it is used, with its reason."""
        try:
            uuid = getattr(self.workshop.device(target), "uuid", "")
        except KparityError:
            uuid = ""
        return conditions(target, uuid)

    def _prepare(self, comparison: Comparison, cell: Cell) -> Ready | None:
        """Compile and verify one side; a side that fails, on any rank, is recorded and left out."""
        fault, resident = None, None
        try:
            self.reporter.step("compiling", [cell])
            executable = self.workshop.executable(cell)
            data = self._data_of(comparison, executable)
            device = self.workshop.device(cell.target)
            verifier = Verifier(device, executable, data, lambda what: self.reporter.step(what, [cell]))
            verification, resident = verifier.thorough() if self.number == 0 else verifier.quick()
        except Exception as error:
            fault = error
        elsewhere = self.ranks.fault_elsewhere(str(fault) or "failed" if fault else "" if resident else "wrong")
        if fault is not None:
            self._failed(cell, fault)
            return None
        if resident is None:
            self._record(cell, "wrong", verification.message, verification=verification)
            return None
        if elsewhere:
            self._record(cell, "failed", elsewhere)
            return None
        return Ready(cell, resident, verification, getattr(executable, "compile_seconds", 0.0))

    def _data_of(self, comparison: Comparison, executable: Executable) -> KernelData:
        known = self._data
        if known is None or (known.entry.full_name, known.size) != comparison.data_key:
            self._data = known = None
            gc.collect()
            self.reporter.step("making data", comparison.sides)
            entry = self.workshop.entry(comparison.kernel)
            seed, checksums = self.settings.seed, self._known(comparison)
            known = KernelData(entry, comparison.size, executable.manifest, seed, checksums)
            self._data = known
        return known

    def _known(self, comparison: Comparison) -> dict[int, Expected]:
        return self.expected.setdefault(comparison.data_key, {})

    def _time(self, comparison: Comparison, ready: list[Ready]) -> Mapping[Cell, Samples]:
        """Time the verified sides; one that breaks is recorded, and the others start again without it."""
        while ready:
            try:
                return self._measure(comparison, ready)
            except SideFailed as failure:
                self._leave(failure.__cause__ or failure)
                ready[:] = [side for side in ready if side.cell != failure.cell]
                self._failed(failure.cell, failure.__cause__ or failure)
            except Exception as error:
                self._leave(error)
                for side in ready:
                    self._failed(side.cell, error)
                ready.clear()
        return {}

    def _leave(self, error: BaseException) -> None:
        """End all ranks if there are others: they wait for this one, and the supervisor charges what they are at."""
        if self.ranks.count > 1:
            print(f"rank {self.ranks.rank}: {error}", file=sys.stderr, flush=True)
            self.ranks.give_up()

    def _measure(self, comparison: Comparison, ready: list[Ready]) -> Mapping[Cell, Samples]:
        assert self._data is not None
        settings, spec = self.settings, self._data.entry.spec
        device = self.workshop.device(comparison.target)
        initial = upload_initial(device, ready[0].resident.manifest, self._data.arguments)
        sides = [self._side(r, device, initial) for r in ready]
        rule = timing_rule(comparison.target)
        watch = Stopwatch(
            device, rule, lambda what, cell: self.reporter.step(what, [cell]), cost=self._cost(comparison.target),
            ranks=self.ranks,
        )  # fmt: skip
        fixed = settings.repetitions or max(1, int(spec.repetitions * settings.repetition_factor))
        if settings.protocol == "rajaperf":
            return measure_passes(sides, watch, settings.passes, fixed)
        cap = repetition_cap(spec.repetitions, spec.size, comparison.size, settings.repetition_factor)
        if settings.protocol == "cold":
            watch.sweep, cap = self._sweep(comparison.target), min(cap, COLD_LAUNCHES)
        return measure(sides, watch, cap, whole_repetitions(settings.planted or 0.0))

    def _side(self, ready: Ready, device: Any, initial: Mapping[str, Any]) -> Side:
        bound, scalars = self._bound(ready), ready.resident.returns_scalars
        if self.settings.protocol != "graph":
            return Side(ready.cell, bound, _restorer(ready, initial), scalars)
        if scalars:
            raise NotReplayable("a replayed graph brings no scalars back to the host; measure it without --graph")
        replayed = Replayed(bound, device)
        return Side(ready.cell, replayed, _restorer(ready, initial), prepare=replayed.prepare)

    def _sweep(self, target: str) -> Callable[[], None]:
        if target not in self._sweeps:
            self._sweeps[target] = sweep_of(self.workshop.device(target))
        return self._sweeps[target]

    def _cost(self, target: str) -> ClockCost:
        if target not in self._costs:
            self._costs[target] = clock_cost(self.workshop.device(target))
        return self._costs[target]

    def _bound(self, ready: Ready) -> Launchable:
        """Return what is timed: in a self-test the checked side is slowed on purpose."""
        bound, planted = ready.resident.bound, self.settings.planted
        return Slowed(bound, planted) if planted and ready.cell.variant == "checked" else bound

    def _failed(self, cell: Cell, error: BaseException) -> None:
        status, message = diagnose(error)
        if not isinstance(error, KparityError | CompileError | MemoryError | NotReplayable):
            traceback.print_exception(error, file=sys.stderr)  # the walk's log has it; the record has one line
        self._record(cell, status, message)
        if self._is_spoiled(error, cell.target):
            raise DeviceSpoiled from error

    def _is_spoiled(self, error: BaseException, target: str) -> bool:
        """Whether the device is beyond use: it said so, or what nobody foresaw happened and it no longer answers."""
        if isinstance(error, KparityError | CompileError | MemoryError):
            return isinstance(error, DeviceError) and not isinstance(error, MemoryError)
        try:
            self.workshop.device(target).synchronize()
        except Exception:
            return True
        return False

    def _record(
        self, cell: Cell, status: Status, message: str = "", *, side: Ready | None = None,
        samples: Samples | None = None, verification: Verification | None = None, started: str = "",
        conditions: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        record = Record(
            self.run, cell, self.number, attempt=0, status=status, message=message,
            actual_size=self.workshop.entry(cell.kernel).spec.actual_size(cell.size),
            verification=verification or Verification(),
            started=started or datetime.now(UTC).isoformat(timespec="seconds"), conditions=conditions or {},
        )  # fmt: skip
        if side is not None:
            record = replace(
                record,
                verification=side.verification,
                compile_seconds=side.compile_seconds,
                inspection_seconds=side.resident.inspection_seconds,
            )
        if samples is not None:
            record = replace(
                record, repetitions=samples.repetitions, device_seconds=samples.device_seconds,
                wall_seconds=samples.wall_seconds,
            )  # fmt: skip
        self.reporter.record(record)


def diagnose(error: BaseException) -> tuple[Status, str]:
    """Return the status of a cell that raised `error`, and the message for its record."""
    if isinstance(error, RajaperfFailed):
        return error.status, str(error)
    if isinstance(error, NotReplayable):
        return "skipped", str(error)
    if isinstance(error, MemoryError):
        return "out_of_memory", str(error) or "out of memory"
    if isinstance(error, DeviceError):
        return "device_fault", str(error)
    if isinstance(error, KparityError | CompileError):
        return "failed", str(error).strip("\n")
    return "failed", f"{type(error).__name__}: {error}"


def _restorer(ready: Ready, initial: Mapping[str, Any]) -> Callable[[], None]:
    return lambda: ready.resident.restore(initial)
