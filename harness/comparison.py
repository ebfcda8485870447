"""What a campaign says of each kernel on each target at each size: native against checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from .cell_summary import CellSummary, are_times, counts, summarize
from .records import Campaign, Record
from .statistics import (
    FEWEST_PROCESSES,
    Ratio,
    holm,
    outside_p_value,
    point_estimate,
    speedup,
    verdict,
    walk_ratio,
)

Clock = Literal["device", "wall"]
CLOCKS: tuple[Clock, ...] = ("device", "wall")
Judgement = Literal["parity", "faster", "slower", "undecided", "none"]
DEFAULT_MARGIN = 0.05


@dataclass(frozen=True, slots=True)
class Outcome:
    """A comparison on one clock.

    Attributes
    ----------
    estimate : float or None
        Speedup; None where a side has no valid time.
    ratio : Ratio or None
        The same with its interval; None with fewer than five walks.
    judgement : str
        The verdict, adjusted for all comparisons as `p_value` is, or `none`: without an interval there is no verdict,
        and `undecided` is never parity.
    reason : str
        Why there is no verdict, or not the interval's own; else empty.
    p_value : float or None
        Of "beyond the margin", adjusted for all comparisons of the same place (`by_place`) and clock (Holm).
    """

    estimate: float | None
    ratio: Ratio | None
    judgement: Judgement
    reason: str
    p_value: float | None = None


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """Native and checked side of one kernel on one target at one size.

    Attributes
    ----------
    native, checked : CellSummary or None
        The side's fastest tuning with a valid time, else one that says why there is none; None: not in the campaign.
    cells : tuple of CellSummary
        Every variant and tuning, these two included.
    outcomes : dict
        Clock -> outcome.
    returns_scalars : bool
        Whether a repetition brings values back to the host.
    bytes_moved, flops : int or None
        Declared work of one repetition.
    """

    suite: str
    kernel: str
    target: str
    size: int
    native: CellSummary | None
    checked: CellSummary | None
    cells: tuple[CellSummary, ...]
    outcomes: Mapping[Clock, Outcome]
    returns_scalars: bool
    bytes_moved: int | None
    flops: int | None

    @property
    def identity(self) -> str:
        """A word that is unique in a campaign, usable as an HTML id."""
        return f"{self.kernel}-{self.target}-{self.size}"


def compare(campaign: Campaign) -> list[ComparisonResult]:
    """Return every comparison of a campaign, in the order of kernel, target and size.

    Parameters
    ----------
    campaign : Campaign
        Its provenance may hold `margin`, fixed before the measurement, and `gives_verdicts`, false for a campaign that
        was planned without verdicts (quick mode, a check run, RAJAPerf's protocol).
    """
    groups: dict[tuple[str, str, str, int], list[CellSummary]] = {}
    for summary in summarize(campaign.records).values():
        groups.setdefault(summary.cell.comparison, []).append(summary)
    found = [_comparison(key, groups[key], campaign) for key in sorted(groups, key=_order)]
    return _adjusted(found, margin_of(campaign))


def margin_of(campaign: Campaign) -> float:
    """Return the half-width of parity that the campaign was planned with."""
    return float(campaign.provenance.get("margin") or DEFAULT_MARGIN)


def work_of(campaign: Campaign, kernel: str, size: int) -> Mapping[str, int]:
    """Return the declared work of one repetition: `bytes_read`, `bytes_written`, `bytes_atomic`, `flops`; or {}."""
    work: Mapping[Any, Mapping[str, int]] = campaign.kernels.get(kernel, {}).get("work", {})
    return work.get(str(size), work.get(size, {}))  # JSON made text of the sizes


def compile_seconds(campaign: Campaign, cell: CellSummary) -> float | None:
    """Return the longest compilation of a cell: the preparation's if it was recorded, else a walk's, maybe cached."""
    prepared = campaign.kernels.get(cell.cell.kernel, {}).get("compile_seconds", {}).get(cell.cell.target, {})
    return max(float(prepared.get(cell.cell.variant, 0.0)), cell.compile_seconds) or None


def variant_notes(comparisons: Sequence[ComparisonResult]) -> list[str]:
    """Return what a reader must know of the variants that are there."""
    there = {cell.cell.variant for comparison in comparisons for cell in comparison.cells}
    return [note for variant, note in _NOTES.items() if variant in there]


_NOTES = {
    "hip_on_cuda": "hip_on_cuda is the baselines' HIP text compiled by nvcc: it checks the logic of that text, and says"
    " nothing of the speed on AMD's GPUs."
}


def _order(key: tuple[str, str, str, int]) -> tuple[str, str, tuple[int, str], int]:
    suite, kernel, target, size = key
    return suite, kernel, target_order(target), size


class Placed(Protocol):
    """What has a kernel, a target and a size."""

    @property
    def kernel(self) -> str: ...  # noqa: D102
    @property
    def target(self) -> str: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102


P = TypeVar("P", bound=Placed)  # of rows in tables and charts


def by_place(items: Iterable[P]) -> dict[tuple[str, int | None], list[P]]:
    """Group by target and size, in the order of first appearance.

    Where the kernels of a target have different sizes, but each has one alone (a suite's default sizes), they are one
    group of size None: a mean for each size would be of one or two kernels.
    """
    sizes: dict[str, dict[str, set[int]]] = {}
    kept = list(items)
    for item in kept:
        sizes.setdefault(item.target, {}).setdefault(item.kernel, set()).add(item.size)
    own = {t for t, kernels in sizes.items() if all(len(s) == 1 for s in kernels.values())}
    several = {t for t in own if len(set.union(*sizes[t].values())) > 1}
    found: dict[tuple[str, int | None], list[P]] = {}
    for item in kept:
        found.setdefault((item.target, None if item.target in several else item.size), []).append(item)
    return found


def target_order(target: str) -> tuple[int, str]:
    """Sort key of targets: one thread, all threads, then the devices."""
    return {"cpu1": 0, "cpu": 1}.get(target, 2), target


def _comparison(key: tuple[str, str, str, int], cells: Sequence[CellSummary], campaign: Campaign) -> ComparisonResult:
    suite, kernel, target, size = key
    native, checked = _best(cells, "native"), _best(cells, "checked")
    facts = campaign.kernels.get(kernel, {})
    work = work_of(campaign, kernel, size)
    return ComparisonResult(
        suite=suite,
        kernel=kernel,
        target=target,
        size=size,
        native=native,
        checked=checked,
        cells=tuple(sorted(cells, key=lambda c: (c.cell.variant, c.cell.tuning))),
        outcomes={clock: _outcome(native, checked, clock, campaign) for clock in CLOCKS},
        returns_scalars=bool(facts.get("returned", "Reduction" in facts.get("features", ()))),
        bytes_moved=_bytes_moved(work),
        flops=work.get("flops"),
    )


def _bytes_moved(work: Mapping[str, int]) -> int | None:
    if not work:
        return None
    return work["bytes_read"] + work["bytes_written"] + 2 * work.get("bytes_atomic", 0)


def _best(cells: Sequence[CellSummary], variant: str) -> CellSummary | None:
    own = [c for c in cells if c.cell.variant == variant]
    return min(own, key=lambda c: c.device_seconds or c.wall_seconds or np.inf, default=None)


def medians(summary: CellSummary, clock: Clock) -> tuple[float, ...]:
    """Return the walks' medians on one clock, seconds."""
    return summary.device_medians if clock == "device" else summary.wall_medians


def samples(record: Record, clock: Clock) -> list[float]:
    """Return a walk's samples on one clock, seconds a repetition, in the order taken."""
    return record.device_seconds if clock == "device" else record.wall_seconds


def seconds(summary: CellSummary, clock: Clock) -> float | None:
    """Return the time of a repetition on one clock; None if there is none."""
    return summary.device_seconds if clock == "device" else summary.wall_seconds


def _outcome(native: CellSummary | None, checked: CellSummary | None, clock: Clock, campaign: Campaign) -> Outcome:
    if native is None or checked is None:
        return Outcome(None, None, "none", f"no {'native' if native is None else 'checked'} side in the campaign")
    failed = [_failure(side) for side in (native, checked) if side.status != "ok"]
    if failed:
        return Outcome(None, None, "none", "; ".join(failed))
    ratios = _walk_ratios(native, checked, clock)
    if not ratios:
        return Outcome(None, None, "none", f"the {clock} clock was not read")
    if len(ratios) < FEWEST_PROCESSES:
        walks = f"{len(ratios)} valid walk{'s' if len(ratios) > 1 else ''}"
        return Outcome(point_estimate(ratios), None, "none", f"{walks}, a verdict needs {FEWEST_PROCESSES}")
    if not campaign.provenance.get("gives_verdicts", True):
        return Outcome(point_estimate(ratios), None, "none", "the campaign was planned without verdicts")
    ratio = speedup(ratios, planned=campaign.provenance.get("settings", {}).get("walks"))
    return Outcome(ratio.value, ratio, verdict(ratio, margin_of(campaign)), "")


def _walk_ratios(native: CellSummary, checked: CellSummary, clock: Clock) -> list[float]:
    """Log ratios of the walks in which both sides count, in the order of walks."""
    mine = {r.walk: samples(r, clock) for r in checked.records if counts(r)}
    pairs = [(samples(r, clock), mine[r.walk]) for r in native.records if counts(r) and r.walk in mine]
    return [walk_ratio(a, b) for a, b in pairs if are_times(a) and are_times(b)]


def _failure(side: CellSummary) -> str:
    lines = side.message.strip().splitlines()
    return f"{side.cell.variant} {side.status.replace('_', ' ')}" + (f": {lines[0]}" if lines else "")


def _adjusted(comparisons: list[ComparisonResult], margin: float) -> list[ComparisonResult]:
    """Fill in the p-values, each adjusted within its place and clock, and judge by them."""
    filled = {id(c): dict(c.outcomes) for c in comparisons}
    for clock in CLOCKS:
        for place in by_place(comparisons).values():
            family = [c for c in place if c.outcomes[clock].ratio is not None]
            raw = [outside_p_value(r, margin) for c in family if (r := c.outcomes[clock].ratio) is not None]
            for c, p in zip(family, holm(raw), strict=True):
                filled[id(c)][clock] = _among_many(c.outcomes[clock], p)
    return [replace(c, outcomes=filled[id(c)]) for c in comparisons]


def confirmed(judgement: Judgement, p_value: float) -> Judgement:
    """Return the verdict that is left after adjusting for many kernels: faster and slower need p below 5 %."""
    return "undecided" if judgement in ("faster", "slower") and p_value >= 0.05 else judgement


def _among_many(outcome: Outcome, p_value: float) -> Outcome:
    kept = confirmed(outcome.judgement, p_value)
    reason = "" if kept == outcome.judgement else f"{outcome.judgement} by its own interval, not among all kernels"
    return replace(outcome, judgement=kept, reason=reason or outcome.reason, p_value=p_value)
