"""Launch compiled programs on the CPU."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

from . import refusals
from .binding import Arguments, accept
from .borrows import Borrows
from .engine import Loaded
from .expression_text import evaluate
from .faults import Faults
from .inspecting import Verdict
from .manifest import CTYPES, Manifest
from .plan import CallPlan, Plan
from .runners import RUN, CpuCall, CpuProgram, cpu_runner

_INDEX_LIMIT = 2**50


class CpuBound:
    """A program bound to host arrays."""

    def __init__(self, plan: Plan, loaded: Loaded, arguments: Arguments, borrows: Borrows | None = None) -> None:
        self._arguments = arguments
        self._plan = plan
        self._borrows = borrows
        self._faults = {n: Faults(call) for n, call in enumerate(plan.calls) if call.sites}
        self._blocks = [_block(call, arguments, self._faults.get(n)) for n, call in enumerate(plan.calls)]
        self._calls = (CpuCall * len(plan.calls))(
            *(
                CpuCall(loaded.addresses[c.symbol], ctypes.addressof(b))
                for c, b in zip(plan.calls, self._blocks, strict=True)
            )
        )
        self._program = CpuProgram(ctypes.addressof(self._calls), len(plan.calls))
        self._loaded = loaded
        self._runner, address = cpu_runner()
        self._run = RUN(address)

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Run; returns when the work is done, or raises AccessError if a tested access failed."""
        del stream, bring_back  # the CPU has neither
        if self._borrows is not None:
            self._borrows.begin(0)
        self._run(ctypes.addressof(self._program), first, repetitions, None, 0)
        for faults in self._faults.values():
            faults.check()

    @property
    def inspection_seconds(self) -> float:
        """What inspecting index arrays took so far."""
        return self._borrows.inspection_seconds if self._borrows is not None else 0.0

    def results(self) -> dict[str, float | int]:
        """Return the reduced scalars, read from the reducers' own memory."""
        values: dict[str, float | int] = {}
        for name in self._plan.manifest.returned:
            ctype = CTYPES[self._plan.manifest[name].type]
            values[name] = ctype.from_address(self._arguments.views[name].address).value
        return values


class CpuExecutable:
    """A program compiled for the CPU."""

    def __init__(
        self, target: str, plan: Plan, code: bytes, imports: list[str], inspectors: Sequence[CpuExecutable] = ()
    ) -> None:
        self.target = target
        self._inspectors = inspectors
        self._passed: dict[Verdict, None] = {}
        self.plan = plan
        self._loaded = Loaded(code, sorted({c.symbol for c in plan.calls}), imports)

    @property
    def manifest(self) -> Manifest:
        """Layout of the program's argument struct."""
        return self.plan.manifest

    def bind(self, arguments: Mapping[str, Any]) -> CpuBound:
        """Check the arguments and pack them; raises LaunchError."""
        accepted = accept(self.plan, arguments, on_gpu=False, target=self.target)
        borrows = Borrows(self.plan, accepted, self._inspectors, self._passed, on_gpu=False)
        borrows.at_bind(0)
        return CpuBound(self.plan, self._loaded, accepted, borrows)

    def launchable(self, arguments: Arguments) -> CpuBound:
        """Return arguments that need no check, packed."""
        return CpuBound(self.plan, self._loaded, arguments)


def _block(call: CallPlan, arguments: Arguments, faults: Faults | None) -> ctypes.Array[ctypes.c_char]:
    """Pack a call's slots, 8 bytes each."""
    _check_ranges(call, arguments)
    block = ctypes.create_string_buffer(8 * len(call.slots))
    for number, slot in enumerate(call.slots):
        if slot.kind in ("array", "reducer"):
            ctypes.c_void_p.from_buffer(block, 8 * number).value = arguments.views[slot.source].address
        elif slot.kind == "faults" and faults is not None:
            ctypes.c_void_p.from_buffer(block, 8 * number).value = faults.address
        else:
            CTYPES[slot.type].from_buffer(block, 8 * number).value = evaluate(slot.source, arguments.values)
    return block


def _check_ranges(call: CallPlan, arguments: Arguments) -> None:
    """Refuse thread indices whose conversion to f64 by the lowering would not be exact."""
    lower = {s.name: evaluate(s.source, arguments.values) for s in call.slots if s.kind == "lower"}
    count = {s.name: evaluate(s.source, arguments.values) for s in call.slots if s.kind == "count"}
    for name, first in lower.items():
        if count[name] > 0 and not -_INDEX_LIMIT <= first <= first + count[name] <= _INDEX_LIMIT:
            raise refusals.range_too_far(call.kernel, name, first, first + count[name], "2^50")
