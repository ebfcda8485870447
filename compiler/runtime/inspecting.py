"""Run a program's inspections before its launches, once for each version of the index arrays."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..errors import LaunchError
from . import refusals
from .arguments import view_of
from .binding import Arguments, call_values
from .buffers import OwnedArray
from .device_errors import device_errors
from .executable import Bound
from .expression_text import evaluate
from .inspection_plan import MEMBER, CheckPlan, InspectionPlan
from .packing import pack_words
from .plan import CallPlan, Plan
from .streams import stream_at

MARK_LIMIT = 2**31 - 2  # of threads: a shadow holds their numbers in 32 bits
_FAULTS = "kp.faults"
_MOST_VERDICTS = 4096
_DTYPES = {"i32": "int32", "i64": "int64"}


class Inspector(Protocol):
    """An inspection's code on one target."""

    plan: Plan

    def launchable(self, arguments: Arguments) -> Bound:
        """Return arguments that need no check, packed."""


Inspected: TypeAlias = list[tuple[CallPlan, Arguments]]
"""Launches with inspections, each with its own values and arrays."""

Verdict = tuple[Any, ...]  # number of the slice, scalars and extents that it reads, versions of the index arrays


class Inspections:
    """The inspections of a bound program.

    Parameters
    ----------
    inspectors : sequence of Inspector
        Code, by number.
    passed : dict
        Verdicts of the program so far, shared by everything that is bound to it.

    Attributes
    ----------
    seconds : float
        What inspecting took so far.
    """

    def __init__(self, inspectors: Sequence[Inspector], passed: dict[Verdict, None], on_gpu: bool) -> None:
        self._inspectors, self._passed, self._on_gpu = inspectors, passed, on_gpu
        self._of: Inspected = []
        self._due: list[_Inspection] = []
        self.seconds = 0.0

    def lists(self, launches: Inspected) -> list[Any]:
        """Return the index arrays of launches."""
        self._prepare(launches)
        return [array for one in self._due for array in one.lists]

    def run(self, stream: int, launches: Inspected, *, versioned_only: bool = False) -> None:
        """Inspect what has no verdict yet, ordered on a stream; raises LaunchError if a fault is found."""
        self._prepare(launches)
        for inspection in self._due:
            verdict = inspection.verdict()
            if verdict in self._passed or (verdict is None and versioned_only):
                continue
            start = time.perf_counter()
            inspection.run(stream)
            self.seconds += time.perf_counter() - start
            if verdict is not None:
                if len(self._passed) >= _MOST_VERDICTS:
                    self._passed.clear()
                self._passed[verdict] = None

    def _prepare(self, launches: Inspected) -> None:
        if launches is not self._of:
            every = [
                _Inspection(call, i, self._inspectors[i.number], arguments, self._on_gpu)
                for call, arguments in launches if _has_threads(call, arguments) for i in call.inspections
            ]  # fmt: skip
            self._of, self._due = launches, list({i.subject: i for i in every}.values())


def _has_threads(call: CallPlan, arguments: Arguments) -> bool:
    return all(evaluate(s.source, arguments.values) > 0 for s in call.slots if s.kind == "count")


def _argument(call: CallPlan, parameter: str) -> str:
    return next(argument for name, argument, _ in call.arrays if name == parameter)


def _slots(inspector: Inspector, *kinds: str) -> list[Any]:
    return [s for s in inspector.plan.calls[0].slots if s.kind in kinds]


class _Inspection:
    """One inspection of one call."""

    def __init__(
        self, call: CallPlan, plan: InspectionPlan, inspector: Inspector, arguments: Arguments, on_gpu: bool
    ) -> None:
        self.call, self.plan, self.inspector, self.arguments, self.on_gpu = call, plan, inspector, arguments, on_gpu
        self.own = own = call_values(call, arguments.values)
        self.first = {s.name: evaluate(s.source, own) for s in _slots(inspector, "lower")}
        self.count = {s.name: evaluate(s.source, own) for s in _slots(inspector, "count")}
        self.lists = [arguments.owners[_argument(call, name)] for name in plan.lists]
        self._used = tuple((s.name, own[s.name]) for s in _slots(inspector, "scalar", "extent") if s.name in own)
        self._used += tuple((s.name, tuple(evaluate(s.source, own))) for s in _slots(inspector, "lengths"))

    @property
    def subject(self) -> tuple[Any, ...]:
        """What is inspected: launches that agree in it need one inspection."""
        return self.plan.number, self._used, tuple(map(id, self.lists))

    def verdict(self) -> Verdict | None:
        """Return what the outcome depends on; None if an index array has no version."""
        identities = tuple(a.identity for a in self.lists if isinstance(a, OwnedArray) and a.has_versions)
        return (self.plan.number, self._used, identities) if len(identities) == len(self.lists) else None

    def run(self, stream: int) -> None:
        threads = prod(self.count.values())
        if threads > MARK_LIMIT:
            raise refusals.too_many_threads(f"inspection of {self.call.kernel}", threads, MARK_LIMIT)
        scratch = {a.name: self._zeros(a.dims, a.type, stream)
                   for a in self.inspector.plan.arrays if a.name.startswith("kp.")}  # fmt: skip
        views = {name: self.arguments.views[_argument(self.call, name)] for name in self.plan.lists}
        views |= {name: view_of(name, memory) for name, memory in scratch.items()}
        for is_second in (0, 1) if self.plan.second_pass else (0,):
            values = {**self.own, self.plan.second_pass: is_second}
            blobs = pack_words(self.inspector.plan.manifest, views)
            self.inspector.launchable(Arguments(views, values, scratch, blobs)).run(stream=stream)
            found = self._fetched(scratch[_FAULTS], stream).tolist()
            faults = [(check, row) for check, row in zip(self.plan.checks, found, strict=True) if row[0]]
            if any(check.obligation not in ("race", "teams") for check, _ in faults):
                break  # loops over wrong bounds need not end
        if faults:  # where teams meet, what their threads left behind is told last: it is of either team
            raise self._refusal(*min(faults, key=lambda fault: fault[0].obligation != "teams"))

    def _zeros(self, dims: Sequence[tuple[str, str, str]], type_: str, stream: int) -> Any:
        shape = tuple(evaluate(upper, self.own) - evaluate(lower, self.own) for lower, upper, _ in dims)
        if not self.on_gpu:
            return np.zeros(shape, _DTYPES[type_])
        import cupy

        with device_errors(f"memory to inspect `{self.call.kernel}`"), stream_at(stream):
            return cupy.zeros(shape, _DTYPES[type_])

    def _fetched(self, memory: Any, stream: int) -> np.ndarray[Any, Any]:
        if not self.on_gpu:
            return np.asarray(memory)
        with stream_at(stream):
            return np.asarray(memory.get())

    # -- what a row of faults says ------------------------------------------------------------------------------------

    def _refusal(self, check: CheckPlan, row: list[int]) -> LaunchError:
        shown = self._shown(check, self._thread(row[0]))
        tested = [d for d, _, _ in check.limits]
        index = [str(row[2 + d]) if d in tested else text for d, text in enumerate(check.index)]
        lists = (
            " and ".join(f"`{name}`" for name in dict.fromkeys(name for name, _ in check.lists)) or "the index arrays"
        )
        if check.obligation in ("race", "teams"):
            who = "teams" if check.obligation == "teams" else "threads"
            fault = f"two {who} meet in {check.array}[{', '.join(index)}], one of them writing"
            other = self._shown(check, self._thread(row[1]))
            if self.call.team and check.obligation == "race":
                other = f"threads {row[-1]} and {row[1]} of the phase, counted from 1"
            cause = f"`{check.access}`: {shown}, {other}{self._places(check, row)}"
            help_ = (
                f"remove the duplicates from {lists}; or declare `{check.array}: Atomic[...]` and update it atomically"
            )
            return refusals.index_arrays_refused(self.call.kernel, fault, check.place, cause, help_)
        values = {**self.own, MEMBER: row[2]}
        limits = ((d, evaluate(lo, values), evaluate(hi, values)) for d, lo, hi in check.limits)
        d, low, high = next((d, lo, hi) for d, lo, hi in limits if not lo <= row[2 + d] < hi)
        if check.obligation == "overflow":
            fault = f"`{check.access}` is {row[2]}, beyond `{check.array}`"
        else:
            which = f" in dimension {d + 1}" if len(index) > 1 else ""
            element = f"{check.array}[{', '.join(index)}]"
            fault = f"`{check.access}` {check.verb} {element}, but {low} <= index < {high}{which}"
        who = shown + (f", thread {row[-1]} of the phase, counted from 1" if self.call.team and row[-1] else "")
        return refusals.index_arrays_refused(
            self.call.kernel, fault, check.place, who, f"correct {lists}, or test the index first"
        )

    def _places(self, check: CheckPlan, row: list[int]) -> str:
        """Say where a list names the element twice, if the index is what the list holds: threads may not tell."""
        for name, array in zip(self.plan.lists if self.call.team else (), self.lists, strict=False):
            for d in (d for d, _, _ in check.limits if check.index[d].startswith(f"{name}[")):
                with array.read() if isinstance(array, OwnedArray) else nullcontext(array) as held:
                    found = np.argwhere(np.asarray(held.get() if hasattr(held, "get") else held) == row[2 + d])
                if len(found) > 1:
                    first, second = (", ".join(map(str, place)) for place in found[:2].tolist())
                    return f"; `{name}` holds {row[2 + d]} at [{first}] and [{second}]"
        return ""

    def _thread(self, number: int) -> dict[str, int]:
        """Return the indices of a thread by its number, which counts from 1."""
        rest, found = number - 1, {}
        for name, count in reversed(self.count.items()):
            found[name] = self.first[name] + rest % count
            rest //= count
        return found

    def _shown(self, check: CheckPlan, thread: Mapping[str, int]) -> str:
        indices = ", ".join(f"{name} = {thread[name]}" for name in self.count)
        values = {**self.own, **thread}
        lists = [f"{name}[{', '.join(str(evaluate(p, values)) for p in place)}]"
                 for name, place in check.lists if all(_is_known(p, values) for p in place)]  # fmt: skip
        who = f"{'team' if self.call.team else 'thread'} {indices}"
        return who + (f" by {' and '.join(dict.fromkeys(lists))}" if lists else "")


def _is_known(expression: str, values: Mapping[str, Any]) -> bool:
    """Whether an expression has no index in it that the inspection left out."""
    return all(name in values for name in compile(expression, "<index>", "eval").co_names)
