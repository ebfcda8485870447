"""Runs a campaign: walks, walks again where intervals are wide, and keeps every result as it comes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from .crew import Crew
from .errors import Terminated
from .journal import Journal
from .messages import comparison_to_json
from .plan import Comparison, walk_order, with_tunings
from .preparation_run import Prepared
from .progress import line_of
from .records import Campaign, Cell, Record, Status
from .settings import Settings
from .signals import uninterrupted
from .standing import imprecise, is_final, pending
from .supervisor import Event


@dataclass(slots=True)
class CampaignRun:
    """A campaign in progress.

    Attributes
    ----------
    plan : list of Comparison
        With a native side a tuning.
    crew : Crew
    journal : Journal
    records : list of Record
        All so far; those of an earlier session if the campaign is resumed.
    clock : callable
        Seconds, for the budget.
    check_sources : callable
        Raises SourcesChanged if a walk would not measure what the walks before it did.
    """

    plan: list[Comparison]
    crew: Crew
    journal: Journal
    records: list[Record] = field(default_factory=list)
    clock: Callable[[], float] = time.monotonic
    check_sources: Callable[[], None] = lambda: None
    _expected: dict[tuple[str, int], Event] = field(default_factory=dict, init=False)  # for later walks
    _attempts: Counter[tuple[Cell, int]] = field(init=False)
    _final: set[tuple[Cell, int]] = field(init=False)

    def __post_init__(self) -> None:
        self._attempts = Counter((r.cell, r.walk) for r in self.records)
        self._final = {(r.cell, r.walk) for r in self.records if is_final(r)}

    @property
    def settings(self) -> Settings:
        """What was asked for."""
        return self.crew.settings

    def execute(self, prepared: Prepared) -> None:
        """Run everything that is left.

        Parameters
        ----------
        prepared : Prepared
            Sides that do not compile are recorded as such, the others walk.

        Raises
        ------
        DiskFull, FolderError
            Results cannot be kept; those written before are.
        WorkerCannotStart
            Worker processes die before they reach any work.
        SourcesChanged
            Someone edits what is measured.
        KeyboardInterrupt, Terminated
            After the cells in flight were recorded as interrupted.
        """
        start = self.clock()
        self.plan = with_tunings(self.plan, prepared.tunings, self.settings)
        for comparison in self.plan:
            for cell in comparison.sides:
                if fault := prepared.fault_of(cell):
                    self.fail(cell, *fault)
        self._walks(range(self.settings.walks), self.plan)
        self._walk_on(start)

    def fail(self, cell: Cell, status: Status, message: str, walk: int = 0) -> None:
        """Record a fault, unless the final outcome of the cell in that walk is known."""
        if (cell, walk) not in self._final:
            self._append(Record(self.crew.run, cell, walk, 0, status, message, started=_now()))

    def _walks(self, walks: Sequence[int], comparisons: Sequence[Comparison]) -> None:
        """Visit comparisons in several walks."""
        for walk in walks:
            self._walk(walk, comparisons)

    def _walk(self, walk: int, comparisons: Sequence[Comparison]) -> None:
        """Visit comparisons in fresh processes: one, and one more after each that died."""
        order = walk_order(comparisons, self.settings.seed, walk)
        left = pending(order, self.records, walk)
        if left:
            self.check_sources()
            self.crew.watcher.begin(self._title(walk), sum(len(comparison.sides) for comparison in left))
        while left:
            known = len(self.records)
            try:
                ending = self.crew.listen(self._job(walk, left), f"walk-{walk}", self._hear)
            except (KeyboardInterrupt, Terminated):
                self._blame(walk, "interrupted", f"stopped by the user while {self.crew.step.what}")
                raise
            if ending.kind != "finished":
                self._blame(walk, ending.kind, f"{ending.message} while {self.crew.step.what}")
            if len(self.records) == known:
                raise self.crew.cannot_start(ending, f"walk-{walk}")
            left = pending(order, self.records, walk)

    def _job(self, walk: int, comparisons: Sequence[Comparison]) -> dict[str, Any]:
        """Return what a worker is told to do."""
        return {
            "kind": "walk", "walk": walk, "comparisons": [comparison_to_json(c) for c in comparisons],
            "expected": list(self._expected.values()),
        }  # fmt: skip

    def _walk_on(self, start: float) -> None:
        """Add walks for wide intervals, as long as the budget is expected to last for one more."""
        if not self.settings.gives_verdicts:
            return
        for walk in range(self.settings.walks, self.settings.most_walks):
            provenance = {"margin": self.settings.margin, "settings": self.settings.to_json()}
            campaign = Campaign(self.crew.run, provenance, self.records, {})
            wide = imprecise(self.plan, campaign)
            spent = self.clock() - start
            expected = spent / walk * len(wide) / max(1, len(self.plan))
            if not wide or spent + expected > self.settings.budget_seconds:
                return
            self._walks([walk], wide)

    def _title(self, walk: int) -> str:
        if walk >= self.settings.walks:
            return f"walk {walk + 1}, additional for wide intervals"
        return f"walk {walk + 1} of {self.settings.walks}"

    def _hear(self, event: Event) -> None:
        if event["event"] == "record":
            self._append(Record.from_json(event["record"]))
        elif event["event"] == "expected":
            self._expected[event["kernel"], event["size"]] = event

    def _blame(self, walk: int, status: Status, message: str) -> None:
        """Record what happened as the fault of the cells that the worker was busy with."""
        for cell in self.crew.step.cells:
            self.fail(cell, status, message, walk)

    def _append(self, record: Record) -> None:
        key = record.cell, record.walk
        record = replace(record, attempt=self._attempts[key])
        with uninterrupted():  # a record that is on the disk and not in the list would be written twice
            self.journal.append(record)
            self.records.append(record)
            self._attempts[key] += 1
            self._final |= {key} if is_final(record) else set()
        self.crew.watcher.advance(line_of(record), alarming=record.status != "ok")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
