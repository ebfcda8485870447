"""What the walks of one cell add up to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import numpy as np

from .clocks import NOTICEABLE, clock_share
from .journal import latest
from .records import Cell, Record, Status, Verification


@dataclass(frozen=True, slots=True)
class CellSummary:
    """The outcome of one cell over all walks of a campaign.

    Attributes
    ----------
    cell : Cell
        What was run.
    status : Status
        `ok` if at least one walk was and none failed: a wrong result, a crash or a hang once leaves nothing to compare.
        Walks that were interrupted or skipped do not count against it.
    message : str
        Why the cell has no time; for an `ok` cell, the walks that do not count; else empty.
    records : tuple of Record
        One a walk, in the order of walks; of several attempts the last.
    device_medians, wall_medians : tuple of float
        Seconds a repetition, one entry for each walk that counts: the median of its samples. Empty unless `status` is
        `ok`; a walk during which the device was throttled does not count.
    verification : Verification
        That of the walk with the largest error, as seen from its tolerance.
    """

    cell: Cell
    status: Status
    message: str
    records: tuple[Record, ...]
    device_medians: tuple[float, ...]
    wall_medians: tuple[float, ...]
    verification: Verification

    @property
    def device_seconds(self) -> float | None:
        """Geometric mean of the walks' medians, device clock; None without a valid time."""
        return _geometric_mean(self.device_medians)

    @property
    def wall_seconds(self) -> float | None:
        """Geometric mean of the walks' medians, wall clock; None without a valid time."""
        return _geometric_mean(self.wall_medians)

    @property
    def actual_size(self) -> int:
        """Size that the kernel made of the requested one."""
        return max((r.actual_size for r in self.records), default=0) or self.cell.size

    @property
    def compile_seconds(self) -> float:
        """Longest compilation among the walks: the one that no cache served."""
        return max((r.compile_seconds for r in self.records), default=0.0)

    @property
    def inspection_seconds(self) -> float:
        """Median of what inspecting index arrays took before the first launch; 0 for a kernel without any."""
        return float(np.median([r.inspection_seconds for r in self.records])) if self.records else 0.0


def summarize(records: Iterable[Record]) -> dict[Cell, CellSummary]:
    """Group records by cell.

    Parameters
    ----------
    records : iterable of Record
        In the order written.

    Returns
    -------
    dict
        In the order of first appearance.
    """
    by_cell: dict[Cell, list[Record]] = {}
    for record in latest(records):
        by_cell.setdefault(record.cell, []).append(record)
    return {cell: _summary(cell, tuple(sorted(own, key=lambda r: r.walk))) for cell, own in by_cell.items()}


def _summary(cell: Cell, records: tuple[Record, ...]) -> CellSummary:
    status = _status(records)
    good = [r for r in records if counts(r)] if status == "ok" else []
    return CellSummary(
        cell=cell,
        status=status,
        message=_message(status, records),
        records=records,
        device_medians=_medians([r.device_seconds for r in good]),
        wall_medians=_medians([r.wall_seconds for r in good]),
        verification=max((r.verification for r in records), key=_severity),
    )


def counts(record: Record) -> bool:
    """Return whether the times of a walk are comparable: it succeeded, and the device was not throttled."""
    return record.status == "ok" and not throttle_reasons(record)


def throttle_reasons(record: Record) -> list[str]:
    """Return why the device was slower than it was asked to be, before or after the samples; empty if it was not."""
    moments = (record.conditions.get(when) or {} for when in ("before", "after"))
    return sorted({str(reason) for moment in moments for reason in moment.get("throttled", ())})


def _is_shared(record: Record) -> bool:
    """Return whether other processes used the device, before or after the samples."""
    return any((record.conditions.get(when) or {}).get("others") for when in ("before", "after"))


def _status(records: tuple[Record, ...]) -> Status:
    found = [r.status for r in records]
    if "wrong" in found:
        return "wrong"
    if failures := [status for status in found if status not in ("ok", "interrupted", "skipped")]:
        return failures[0]
    return "ok" if "ok" in found else found[-1]


def _message(status: Status, records: tuple[Record, ...]) -> str:
    if status != "ok":
        own = [r for r in records if r.status == status]
        return next((m for r in own for m in (r.message, r.verification.message) if m), "")
    absent: Counter[str] = Counter(r.status for r in records if r.status != "ok")
    absent.update(f"throttled ({', '.join(reasons)})" for r in records if (reasons := throttle_reasons(r)))
    absent.update("beside other processes on the device" for r in records if _is_shared(r))
    absent.update(
        f"with samples of which the clock's own cost is more than {100 * NOTICEABLE:g} %"
        for r in records if clock_share(r) > NOTICEABLE
    )  # fmt: skip
    return ", ".join(f"{count} of {len(records)} walks {what}" for what, count in absent.items())


def _medians(samples: list[list[float]]) -> tuple[float, ...]:
    """Median of each walk; a walk with a sample that is not a time (negative, NaN, none at all) has no median."""
    return tuple(median(s) for s in samples if are_times(s))  # NumPy's takes ten times as long for so few


def are_times(samples: list[float]) -> bool:
    """Return whether there are samples, and each is a time."""
    return bool(samples) and all(math.isfinite(x) and x > 0 for x in samples)


def _geometric_mean(seconds: tuple[float, ...]) -> float | None:
    """Of one entry a walk."""
    return float(np.exp(np.mean(np.log(seconds)))) if seconds else None


def _severity(verification: Verification) -> float:
    excess = verification.relative_difference - verification.tolerance
    error = max(excess, verification.largest_error)
    return math.inf if math.isnan(error) else error
