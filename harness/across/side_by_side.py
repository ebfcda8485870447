"""Kernels in rows, campaigns in columns: the time of each, its speedup, and both against the first campaign."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..cell_summary import CellSummary
from ..comparison import (
    Clock,
    ComparisonResult,
    Judgement,
    Outcome,
    compare,
    confirmed,
    medians,
    seconds,
    target_order,
)
from ..statistics import FEWEST_PROCESSES, Ratio, change, geometric_mean, holm, outside_p_value, quotient, verdict
from .places import Side

Key = tuple[str, str, str, int]  # suite, kernel, target, size


@dataclass(frozen=True, slots=True)
class Entry:
    """What one campaign has of one row.

    Attributes
    ----------
    cell : CellSummary
        The checked side; in a campaign without one (RAJAPerf's own) its fastest cell.
    native : CellSummary or None
        The C++ baseline's side.
    seconds : float or None
        Time of a repetition of `cell`.
    speedup : Outcome
        Against the native side of the same campaign.
    change : Ratio or None
        Time in the first campaign over the time here, above 1 this one is faster; None for the first, and where either
        has fewer than five valid walks.
    judgement : str
        Of `change`, by the margin; `none` without one.
    p_value : float or None
        Of "`change` lies beyond the margin", adjusted for all rows of the column (Holm).
    relative : Ratio or None
        Speedup here over the speedup in the first campaign.
    """

    cell: CellSummary
    native: CellSummary | None
    seconds: float | None
    speedup: Outcome
    change: Ratio | None = None
    judgement: Judgement = "none"
    p_value: float | None = None
    relative: Ratio | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel on one target at one size; `entries` has one place a campaign, None where it has nothing."""

    suite: str
    kernel: str
    target: str
    size: int
    entries: tuple[Entry | None, ...]

    @property
    def is_shared(self) -> bool:
        """Whether every campaign has it."""
        return None not in self.entries


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Campaigns beside each other.

    Attributes
    ----------
    labels : tuple of str
    clock : {"device", "wall"}
    margin : float
        Of the first campaign, unless given.
    rows : tuple of Row
        Those that every campaign has.
    partial : tuple of Row
        Those that some campaigns lack.
    means : tuple of (Ratio or None)
        Geometric mean of the changes, one a campaign; None for the first, and without any.
    """

    labels: tuple[str, ...]
    clock: Clock
    margin: float
    rows: tuple[Row, ...]
    partial: tuple[Row, ...]
    means: tuple[Ratio | None, ...]


def side_by_side(sides: Sequence[Side], *, margin: float, clock: Clock | None = None) -> SideBySide:
    """Match the comparisons of several campaigns.

    Parameters
    ----------
    sides : sequence of Side
        The first is what the others are compared with.
    margin : float
        Relative difference that counts as none.
    clock : {"device", "wall"}, optional
        By default the device's, unless some campaign has read the wall clock only.
    """
    tables = [_table(side) for side in sides]
    clock = clock or ("device" if all(_reads_device(table.values()) for table in tables) else "wall")
    keys = sorted(dict.fromkeys(key for table in tables for key in table), key=_order)
    rows = [_row(key, tables, clock, margin) for key in keys]
    shared = [row for row in rows if row.is_shared]
    for column in range(1, len(sides)):
        shared = _adjusted(shared, column, margin)
    return SideBySide(
        labels=tuple(side.label for side in sides),
        clock=clock,
        margin=margin,
        rows=tuple(shared),
        partial=tuple(row for row in rows if not row.is_shared),
        means=tuple(_mean(shared, column) for column in range(len(sides))),
    )


def _table(side: Side) -> dict[Key, ComparisonResult]:
    return {(c.suite, c.kernel, "" if side.target else c.target, c.size): c for c in compare(side.campaign)}


def _reads_device(results: Iterable[ComparisonResult]) -> bool:
    """Return whether a campaign has times of the device clock, or no times at all."""
    cells = [cell for result in results for cell in result.cells if cell.wall_medians or cell.device_medians]
    return not cells or any(cell.device_medians for cell in cells)


def _order(key: Key) -> tuple[str, str, tuple[int, str], int]:
    suite, kernel, target, size = key
    return suite, kernel, target_order(target), size


def _row(key: Key, tables: Sequence[Mapping[Key, ComparisonResult]], clock: Clock, margin: float) -> Row:
    entries = [_entry(table[key], clock) if key in table else None for table in tables]
    first = entries[0]
    if first is not None:
        entries[1:] = [e and _against(first, e, clock, margin) for e in entries[1:]]
    return Row(*key, tuple(entries))


def _entry(result: ComparisonResult, clock: Clock) -> Entry:
    cell = result.checked or min(result.cells, key=lambda c: seconds(c, clock) or np.inf)
    return Entry(cell, result.native, seconds(cell, clock), result.outcomes[clock])


def _against(first: Entry, entry: Entry, clock: Clock, margin: float) -> Entry:
    before, now = medians(first.cell, clock), medians(entry.cell, clock)
    found = change(before, now) if min(len(before), len(now)) >= FEWEST_PROCESSES else None
    mine, theirs = entry.speedup.ratio, first.speedup.ratio
    return replace(
        entry,
        change=found,
        judgement=verdict(found, margin) if found else "none",
        relative=quotient(mine, theirs) if mine and theirs else None,
    )


def _adjusted(rows: Sequence[Row], column: int, margin: float) -> list[Row]:
    """Fill in the p-values of a column; what is beyond the margin only before the adjustment is undecided."""
    changes = [(i, entry) for i, row in enumerate(rows) if (entry := row.entries[column]) and entry.change]
    raw = [outside_p_value(entry.change, margin) for _, entry in changes if entry.change]
    adjusted = list(rows)
    for (i, entry), p in zip(changes, holm(raw), strict=True):
        kept: Judgement = confirmed(entry.judgement, p)
        entries = list(rows[i].entries)
        entries[column] = replace(entry, p_value=p, judgement=kept)
        adjusted[i] = replace(adjusted[i], entries=tuple(entries))
    return adjusted


def _mean(rows: Sequence[Row], column: int) -> Ratio | None:
    changes = [entry.change for row in rows if (entry := row.entries[column]) and entry.change]
    return geometric_mean(changes) if changes else None
