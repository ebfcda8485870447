"""Launch compiled programs on the CPU."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import refusals
from .binding import Arguments, accept
from .borrows import Borrows
from .engine import Loaded
from .exchange import exchange_of
from .expression_text import evaluate
from .faults import Faults, check_all
from .inspecting import Verdict
from .library_calls import library_function
from .manifest import Manifest, put
from .packing import pack_slots
from .plan import CallPlan, Plan
from .results import Result, read_result
from .runners import RUN, CpuCall, cpu_runner
from .schedule import Schedule

_INDEX_LIMIT = 2**50


class CpuBound:
    """A program bound to host arrays."""

    on_gpu = False

    def __init__(
        self, plan: Plan, loaded: Loaded, arguments: Arguments, target: str, borrows: Borrows | None = None
    ) -> None:
        self._arguments, self._plan, self._loaded, self._borrows = arguments, plan, loaded, borrows
        self._target = target
        self._scratch: dict[tuple[str, int], Any] = {}
        self._faults: dict[str, Faults] = {}
        exchange = exchange_of(plan.manifest, arguments)
        messages = (CpuCall(exchange.on_host, exchange.address), exchange) if exchange else None
        checked = borrows is not None
        self._schedule = Schedule(plan, arguments, CpuCall, self._packed, checked=checked, exchange=messages)
        if borrows is not None:
            borrows.at_bind(0, self._schedule.inspected)
        self._runner, address = cpu_runner()
        self._run = RUN(address)

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Run; returns when the work is done, or raises AccessError if a tested access failed."""
        del stream, bring_back  # the CPU has neither
        table = self._schedule.table(first, repetitions)
        if self._borrows is not None:
            self._borrows.begin(0, self._schedule.inspected, self._schedule.used(first, repetitions))
        self._run(ctypes.addressof(table), first, repetitions, None, 0)
        check_all(self._faults.values())

    def forget_arrays(self) -> bool:
        """Hold the arrays given no longer, if nothing but their addresses is needed; says whether."""
        return self._borrows is not None and self._borrows.forget(self._arguments, self._schedule)

    @property
    def borrows(self) -> Borrows:
        """What its launches borrow; of a program whose arguments are checked."""
        assert self._borrows is not None
        return self._borrows

    @property
    def inspection_seconds(self) -> float:
        """What inspecting index arrays took so far."""
        return self._borrows.inspection_seconds if self._borrows is not None else 0.0

    def _packed(self, call: CallPlan, arguments: Arguments) -> tuple[CpuCall, object] | None:
        if call.library:
            function = library_function(*call.library, target=self._target)
            passed = function.block(call, arguments, self._memory)
            return CpuCall(function.on_host, ctypes.addressof(passed)), passed
        if _does_nothing(call, arguments):
            return None
        if call.sites and call.symbol not in self._faults:
            self._faults[call.symbol] = Faults(call)
        block = _block(call, arguments, self._faults.get(call.symbol))
        return CpuCall(self._loaded.addresses[call.symbol], ctypes.addressof(block)), block

    def _memory(self, purpose: str, size: int) -> int:
        """Return the address of scratch memory, one for all launches of a purpose: they follow each other."""
        if (purpose, size) not in self._scratch:
            self._scratch[purpose, size] = np.empty(size, np.uint8)
        address: int = self._scratch[purpose, size].ctypes.data
        return address

    def results(self) -> dict[str, Result]:
        """Return the reduced scalars, read from the reducers' own memory."""
        manifest, views = self._plan.manifest, self._arguments.views
        return {name: read_result(manifest[name], views[name].address) for name in manifest.returned}


class CpuExecutable:
    """A program compiled for the CPU."""

    def __init__(
        self, target: str, plan: Plan, code: bytes, imports: list[str], inspectors: Sequence[CpuExecutable] = ()
    ) -> None:
        self.target = target
        self._inspectors = inspectors
        self._passed: dict[Verdict, None] = {}
        self.plan = plan
        self._loaded = Loaded(code, sorted({c.symbol for c in plan.calls if not c.library}), imports)
        for c in (c for c in plan.calls if c.library):
            library_function(*c.library, target=target)  # says what is missing

    @property
    def manifest(self) -> Manifest:
        """Layout of the program's argument struct."""
        return self.plan.manifest

    def bind(self, arguments: Mapping[str, Any]) -> CpuBound:
        """Check the arguments and pack them; raises LaunchError."""
        accepted = accept(self.plan, arguments, on_gpu=False, target=self.target)
        borrows = Borrows(self.plan, accepted, self._inspectors, self._passed, on_gpu=False)
        return CpuBound(self.plan, self._loaded, accepted, self.target, borrows)

    def launchable(self, arguments: Arguments) -> CpuBound:
        """Return arguments that need no check, packed."""
        return CpuBound(self.plan, self._loaded, arguments, self.target)


def _does_nothing(call: CallPlan, arguments: Arguments) -> bool:
    """Whether a call has no threads, and no reducer that starts afresh."""
    counts = [evaluate(s.source, arguments.values) for s in call.slots if s.kind == "count"]
    return min(counts) <= 0 and all(s.source == "0" for s in call.slots if s.kind == "fresh")


def _block(call: CallPlan, arguments: Arguments, faults: Faults | None) -> ctypes.Array[ctypes.c_char]:
    """Pack a call's slots."""
    _check_ranges(call, arguments)
    block, starts = pack_slots(call, arguments.addresses, arguments.blobs, arguments.values)
    if faults is not None:
        put(block, starts[-1], "pointer", faults.address)
    return block


def _check_ranges(call: CallPlan, arguments: Arguments) -> None:
    """Refuse thread indices whose conversion to f64 by the lowering would not be exact."""
    lower = {s.name: evaluate(s.source, arguments.values) for s in call.slots if s.kind == "lower"}
    count = {s.name: evaluate(s.source, arguments.values) for s in call.slots if s.kind == "count"}
    for name, first in lower.items():
        if count[name] > 0 and not -_INDEX_LIMIT <= first <= first + count[name] <= _INDEX_LIMIT:
            raise refusals.range_too_far(call.kernel, name, first, first + count[name], "2^50")
