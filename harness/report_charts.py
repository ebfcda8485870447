"""Which charts the report shows of each target and size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import quantity
from .charts.bandwidth import BandwidthRow, bandwidth_chart, largest_of
from .charts.ratio import RatioRow, limits_of, ratio_chart
from .charts.roofline import RooflinePoint, roofline_chart
from .charts.sweep import SweepPoint, sweep_chart
from .comparison import Clock, ComparisonResult, P, seconds
from .headline import Headline

COPY = "Stream_COPY"
FEWEST_SIZES = 3  # of a kernel, that make a sweep
MANY = 30  # rows of a chart; points of a roofline from which it is as wide as the page


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its heading; empty text where there is nothing to draw."""

    target: str
    size: int | None
    svg: str
    group: str = ""  # of the kernels, where each has a chart of its own
    is_wide: bool = False


def ratio_charts(summary: Sequence[Headline], clock: Clock, margin: float) -> list[Chart]:
    """Return one ratio chart a headline, or one a group of its kernels where these are many; all on one axis."""
    limits = limits_of([_ratio_row(c, clock) for h in summary for c in h.comparisons], margin)
    charts = []
    for h in summary:
        for group, comparisons in by_group(h.comparisons):
            words = _label("Speedup of the checked kernels", h, group)
            svg = ratio_chart([_ratio_row(c, clock) for c in comparisons], margin, words, limits)
            charts.append(Chart(h.target, h.size, svg, group))
    return charts


def bandwidth_charts(summary: Sequence[Headline]) -> list[Chart]:
    """Return bandwidth charts, device clock, divided as the ratio charts; what moves no declared bytes is left out."""
    charts = []
    for h in summary:
        parts = [
            (group, [_bandwidth_row(c) for c in found if c.bytes_moved]) for group, found in by_group(h.comparisons)
        ]
        largest = largest_of([row for _, rows in parts for row in rows], copy_rate(h))
        for group, rows in parts:
            if any(row.native or row.checked for row in rows):
                svg = bandwidth_chart(rows, copy_rate(h), _label("Bytes moved a second", h, group), largest)
                charts.append(Chart(h.target, h.size, svg, group))
    return charts


def _bandwidth_row(comparison: ComparisonResult) -> BandwidthRow:
    rates = (_rate(comparison, variant) for variant in ("native", "checked"))
    return BandwidthRow(_name(comparison), _link(comparison), *rates)


def by_group(items: Sequence[P]) -> list[tuple[str, list[P]]]:
    """Return what a chart has rows of by the kernels' group, if one chart of all would be longer than a screen."""
    if len(items) <= MANY:
        return [("", list(items))]
    groups: dict[str, list[P]] = {}
    for item in items:
        groups.setdefault(item.kernel.split("_", 1)[0], []).append(item)
    return list(groups.items())


def rooflines(summary: Sequence[Headline]) -> list[Chart]:
    """Return one roofline a headline, device clock, of the kernels with floating-point operations and moved bytes."""
    charts = []
    for h in summary:
        points = [
            RooflinePoint(_name(c), _link(c), c.flops / c.bytes_moved, _flops(c, "native"), _flops(c, "checked"))
            for c in h.comparisons
            if c.flops and c.bytes_moved
        ]
        svg = roofline_chart(points, copy_rate(h), _label("Roofline", h), is_wide=len(points) > MANY)
        if svg:
            charts.append(Chart(h.target, h.size, svg, is_wide=len(points) > MANY))
    return charts


@dataclass(frozen=True, slots=True)
class Sweep:
    """The picture of one kernel over its sizes on one target."""

    kernel: str
    target: str
    svg: str


def sweeps(comparisons: Sequence[ComparisonResult], clock: Clock) -> list[Sweep]:
    """Return one chart for each kernel and target with at least three sizes: bytes a second, else elements."""
    groups: dict[tuple[str, str], list[ComparisonResult]] = {}
    for c in comparisons:
        groups.setdefault((c.kernel, c.target), []).append(c)
    found = []
    for (kernel, target), own in groups.items():
        own.sort(key=lambda c: c.size)
        moves = all(c.bytes_moved for c in own)
        unit = "GB/s" if moves else "10⁹ elements/s"
        sides = {
            variant: [SweepPoint(c.size, done / 1e9 / s) for c in own if (s := _time(c, variant, clock))
                      and (done := (c.bytes_moved if moves else c.size) or 0)]
            for variant in ("native", "checked")
        }  # fmt: skip
        svg = sweep_chart(sides, unit, f"{kernel} over its sizes, target {target}") if len(own) >= FEWEST_SIZES else ""
        if svg:
            found.append(Sweep(kernel, target, svg))
    return found


def copy_rate(headline: Headline) -> float | None:
    """Return what the native copy kernel moves, bytes a second; None if it is not there or has no time."""
    return next((_rate(c, "native") for c in headline.comparisons if c.kernel == COPY), None)


def _ratio_row(comparison: ComparisonResult, clock: Clock) -> RatioRow:
    outcome = comparison.outcomes[clock]
    low, high = (outcome.ratio.low, outcome.ratio.high) if outcome.ratio else (None, None)
    return RatioRow(
        _name(comparison), _link(comparison), outcome.judgement, outcome.estimate, low, high, outcome.reason
    )  # fmt: skip


def _rate(comparison: ComparisonResult, variant: str) -> float | None:
    seconds = _device_seconds(comparison, variant)
    return comparison.bytes_moved / seconds if seconds and comparison.bytes_moved else None


def _flops(comparison: ComparisonResult, variant: str) -> float | None:
    seconds = _device_seconds(comparison, variant)
    return comparison.flops / seconds if seconds and comparison.flops else None


def _time(comparison: ComparisonResult, variant: str, clock: Clock) -> float | None:
    side = comparison.native if variant == "native" else comparison.checked
    return seconds(side, clock) if side else None


def _device_seconds(comparison: ComparisonResult, variant: str) -> float | None:
    side = comparison.native if variant == "native" else comparison.checked
    return side.device_seconds if side else None


def _name(comparison: ComparisonResult) -> str:
    return comparison.kernel.split("_", 1)[-1]


def _link(comparison: ComparisonResult) -> str:
    return f"#{comparison.kernel}"


def _label(what: str, headline: Headline, group: str = "") -> str:
    kernels = f", kernels of {group}" if group else ""
    return f"{what}, target {headline.target}, {quantity.place_text(headline.size)}{kernels}"
