"""Whether a side computes the right thing: RAJAPerf's checksum, and random data element by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np

from kparity.compiler import Executable, Manifest
from kparity.suites import Entry, arrays_in, each, judge

from .elementwise import WORST, bits, compare_arrays, compare_inputs
from .guarded import GuardedArrays
from .random_data import random_arguments
from .records import Verification
from .resident import Resident, changed, poisoned, unchanged

Expected: TypeAlias = tuple[Decimal, str]  # checksum, origin

SMALL = 1003  # odd, so that tails of vectors, blocks and teams are reached
SEVERAL = 3  # repetitions after which the checksum is taken, beside one


@dataclass(frozen=True, slots=True)
class Case:
    """Arguments before some repetitions, and after them by the NumPy reference."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(slots=True)
class KernelData:
    """Host data of one kernel at one size, made once in a walk and shared by every side of every comparison.

    Attributes
    ----------
    entry : Entry
    size : int
    manifest : Manifest
        Of the kernel's program.
    seed : int
        Of the random data.
    known : dict
        Repetitions -> expected checksum and its origin, as far as known; what is found is added.
    arguments : mapping
        RAJAPerf's initial data, `Out` arrays poisoned.
    """

    entry: Entry
    size: int
    manifest: Manifest
    seed: int
    known: dict[int, Expected] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(init=False)
    _random: dict[int, Case] = field(default_factory=dict, init=False)
    _summed: list[tuple[dict[str, Any], int, Decimal]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.arguments = poisoned(self.entry.arguments(self.size), self.manifest)

    def expected(self, repetitions: int) -> Expected:
        """Return the checksum after some repetitions, and where it is from: `published` or `reference`."""
        if repetitions not in self.known:
            self.known[repetitions] = self._look_up(repetitions)
        return self.known[repetitions]

    def random_case(self, size: int) -> Case:
        """Return seeded random arguments, and what the reference makes of them in one repetition."""
        if size not in self._random:
            rng = np.random.default_rng([self.seed, size])
            template = self.arguments if size == self.size else None
            before = poisoned(random_arguments(self.entry, size, rng, template), self.manifest)
            self._random[size] = Case(before, self._reference(before, 1))
        return self._random[size]

    def checksum(self, outputs: Mapping[str, Any], repetitions: int) -> Decimal:
        """Return the suite's checksum after some repetitions; of arrays equal bit by bit it is computed once."""
        values = {name: outputs[name] for name in self.entry.spec.checksum}
        flat = arrays_in(values)
        for known, after, total in self._summed:
            if after == repetitions and all(_identical(array, flat[name]) for name, array in arrays_in(known).items()):
                return total
        total = self.entry.checksum(values, repetitions)
        self._summed = [*self._summed[-1:], (values, repetitions, total)]
        return total

    def _look_up(self, repetitions: int) -> Expected:
        published = self.entry.expected_checksum(self.size, repetitions)
        if published is not None:
            return published, "published"
        return self.checksum(self._reference(self.arguments, repetitions), repetitions), "reference"

    def _reference(self, before: Mapping[str, Any], repetitions: int) -> dict[str, Any]:
        after = {
            name: each(np.array, value) if name in changed(self.manifest) else value for name, value in before.items()
        }
        self.entry.spec.repeat(after, repetitions)
        return after


def _identical(a: Any, b: Any) -> bool:
    """Compare type, shape and bits; NaN equals itself, and the zeros differ."""
    return a.dtype == b.dtype and a.shape == b.shape and bool(np.array_equal(bits(a), bits(b)))


@dataclass(slots=True)
class Verifier:
    """Runs one side on checked data, before it is timed.

    Attributes
    ----------
    device : Device
    executable : Executable
    data : KernelData
    progress : callable
        Told before each run what it is.
    """

    device: Any
    executable: Executable
    data: KernelData
    progress: Callable[[str], None]

    def thorough(self) -> tuple[Verification, Resident | None]:
        """Checksum of 3 repetitions, random data at a small odd size and at the timed one, checksum of one repetition.

        All but the last, whose arguments are kept, run on guarded arrays where the device is the host: a write beyond
        an array is seen before it can spoil another one.

        Returns
        -------
        Verification
            Its `message` is empty if the side is right.
        Resident or None
            The arguments of the last checksum run, for timing; None if the side is wrong.
        """
        found, _ = self._checksum(SEVERAL, Verification(tolerance=self.data.entry.spec.tolerance), is_kept=False)
        for size in dict.fromkeys((min(SMALL, self.data.size), self.data.size)):
            if not found.message:
                found = self._random(size, found)
        return (found, None) if found.message else self._last(found)

    def quick(self) -> tuple[Verification, Resident | None]:
        """Checksum of one run alone: what every walk does before it times anything."""
        return self._last(Verification(tolerance=self.data.entry.spec.tolerance))

    def _last(self, found: Verification) -> tuple[Verification, Resident | None]:
        found, resident = self._checksum(1, found, is_kept=True)
        return found, None if found.message else resident

    def _checksum(self, repetitions: int, found: Verification, *, is_kept: bool) -> tuple[Verification, Resident]:
        self.progress(f"verifying {repetitions} repetitions")
        guards = None if is_kept else self._guards()
        resident = self._run(self.data.arguments, repetitions, guards)
        outputs = resident.download(changed(resident.manifest))
        fault = (
            (guards.overwritten() if guards else "")
            or self._faulty_inputs(resident, self.data.arguments)
            or _not_finite(outputs)
            or _not_delivered(resident, outputs)
        )
        if fault:
            return replace(found, message=f"{fault} (RAJAPerf's data, {repetitions} repetitions)"), resident
        expected, origin = self.data.expected(repetitions)
        checksum = self.data.checksum(outputs, repetitions)
        judgement = judge(checksum, expected, found.tolerance)
        difference = min(judgement.relative_difference, WORST)
        message = ""
        if not judgement.passed:
            message = (
                f"checksum {checksum} differs from the {_ORIGINS[origin]} {expected} by {difference:.3g} relative, "
                f"more than {found.tolerance:g} ({repetitions} repetitions)"
            )
        worse = bool(message) or difference >= found.relative_difference
        if worse or not found.checksum:
            found = replace(
                found, checksum=str(checksum), expected=str(expected), relative_difference=difference, against=origin
            )
        return replace(found, message=message), resident

    def _random(self, size: int, found: Verification) -> Verification:
        self.progress(f"verifying random data, size {size}")
        case = self.data.random_case(size)
        guards = self._guards()
        resident = self._run(case.before, 1, guards)
        outputs = resident.download(changed(resident.manifest))
        fault = guards.overwritten() if guards else ""
        fault = fault or self._faulty_inputs(resident, case.before) or _not_delivered(resident, outputs)
        after, before = arrays_in(case.after), arrays_in(case.before)
        for name, got in arrays_in(outputs).items():
            spec = self.data.entry.spec
            mine, want, old = (spec.result(name, array) for array in (got, after[name], before[name]))
            difference = compare_arrays(name, mine, want, old, spec.rtol)
            found = replace(found, largest_error=max(found.largest_error, difference.error))
            fault = fault or difference.message
        return replace(found, message=f"{fault} (random data, size {size})" if fault else "")

    def _guards(self) -> GuardedArrays | None:
        return GuardedArrays() if self.device.target.startswith("cpu") else None

    def _run(self, arguments: Mapping[str, Any], repetitions: int, guards: GuardedArrays | None) -> Resident:
        resident = Resident(self.device, self.executable, arguments, guards)
        resident.bound.run(repetitions, stream=self.device.stream, bring_back=True)
        self.device.synchronize()
        return resident

    def _faulty_inputs(self, resident: Resident, before: Mapping[str, Any]) -> str:
        names = unchanged(resident.manifest)
        return compare_inputs(arrays_in({name: before[name] for name in names}), arrays_in(resident.download(names)))


_ORIGINS = {"published": "published value", "reference": "NumPy reference's"}


def _not_finite(outputs: Mapping[str, Any]) -> str:
    for name, array in arrays_in(outputs).items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            where = np.unravel_index(int(np.argmin(np.isfinite(array))), array.shape)
            return f"`{name}` at {[int(i) for i in where]} is {array[where]}"
    return ""


def _not_delivered(resident: Resident, outputs: Mapping[str, Any]) -> str:
    """Scalars that came back to the host must be those that the device holds."""
    for name, value in resident.bound.results().items() if resident.returns_scalars else ():
        held = np.ravel(outputs[name])[0].item()
        if value != held:
            return f"`{name}` came back as {value}, the device holds {held}"
    return ""
