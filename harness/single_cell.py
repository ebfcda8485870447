"""One cell verified and timed in this process: what a benchmark runner calls that brings processes of its own."""

from __future__ import annotations

from collections.abc import Sequence

from kparity.compiler import targets

from .errors import HarnessError, NotPossibleHere
from .kernel_facts import checked_facts, native_facts
from .plan import Comparison
from .records import Cell, Record
from .settings import Settings
from .static_parity import largest_of
from .walk import Walk
from .workshop import SuiteWorkshop


class CellFailed(HarnessError):
    """The cell has no time: it is wrong, or it failed; the message says how."""


class _Collector:
    """Keeps the records of a walk."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        """Nobody watches."""

    def record(self, record: Record) -> None:
        self.records.append(record)


def need_target(cell: Cell) -> None:
    """Raise NotPossibleHere unless a cell's target works on this machine."""
    if reason := targets().get(cell.target, f"no target {cell.target}"):
        raise NotPossibleHere(f"target `{cell.target}` does not work here: {reason}")


def verify(cell: Cell) -> Record:
    """Verify a cell thoroughly, without timing it.

    Raises
    ------
    NotPossibleHere
        Its target does not work on this machine.
    CellFailed
        The result is wrong, or there is none.
    """
    need_target(cell)
    return _visit(cell, walk=0, timed=False)


def measure(cell: Cell) -> Record:
    """Verify a cell briefly and time it: one walk's samples on both clocks.

    Raises
    ------
    CellFailed
        As `verify`.
    """
    return _visit(cell, walk=1, timed=True)


def figures(cell: Cell) -> dict[str, int]:
    """Return what the code of a cell uses of a GPU, by asv's names; empty for a CPU.

    Raises
    ------
    NotPossibleHere
        Its target does not work on this machine.
    """
    need_target(cell)
    workshop = SuiteWorkshop(cell.suite)
    if cell.variant == "checked":
        facts = checked_facts(cell, workshop.checked(cell.kernel, cell.target))
    else:
        facts = native_facts(cell, workshop.baseline(cell.kernel, cell.target))
    return largest_of(facts["static"][cell.target][cell.variant])


def _visit(cell: Cell, *, walk: int, timed: bool) -> Record:
    settings = Settings(suite=cell.suite, kernels=(cell.kernel,), targets=(cell.target,), timed=timed)
    collector = _Collector()
    comparison = Comparison(cell.suite, cell.kernel, cell.target, cell.size, (cell,))
    Walk("single", walk, settings, SuiteWorkshop(cell.suite), collector).visit([comparison])
    record = collector.records[-1]
    if record.status != "ok":
        raise CellFailed(f"{cell.kernel} {cell.variant} on {cell.target} is {record.status}: {record.message}")
    return record
