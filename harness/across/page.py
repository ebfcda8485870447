"""Campaigns beside each other as one HTML page that opens offline."""

from __future__ import annotations

from collections.abc import Sequence

from .. import quantity
from ..charts.ratio import RatioRow, limits_of, ratio_chart
from ..comparison import by_place
from ..report import environment
from ..report_charts import Chart, by_group
from .comparable import Difference
from .side_by_side import Row, SideBySide
from .texts import absent_lines, explanation, mean_lines, place


def render(table: SideBySide, found: Sequence[Difference], objections: Sequence[str] = ()) -> str:
    """Return the page.

    Parameters
    ----------
    table : SideBySide
    found : sequence of Difference
        What the campaigns differ in.
    objections : sequence of str
        Why they should not be compared, if somebody compares them anyway.
    """
    return environment().get_template("compare.html.j2").render(
        table=table, differences=found, objections=objections, explanation=explanation(table),
        charts=_charts(table), means=mean_lines(table), absent=absent_lines(table), place=place,
        judgements=("faster", "slower", "parity", "undecided", "none"),
    )  # fmt: skip


def _charts(table: SideBySide) -> list[tuple[str, list[Chart]]]:
    """Return, for each campaign but the first, a chart of its changes for each target and size."""
    charts = []
    every = [_drawn(row, i) for i in range(1, len(table.labels)) for row in table.rows]
    limits = limits_of(every, table.margin)
    for i, label in enumerate(table.labels[1:], start=1):
        drawn = []
        for (target, size), rows in by_place(table.rows).items():
            words = f"Change from {table.labels[0]} to {label}, {target} {quantity.place_text(size)}"
            for group, part in by_group(rows):
                changes = [_drawn(row, i) for row in part]
                svg = ratio_chart(changes, table.margin, f"{words} {group}".rstrip(), limits, ("slower", "faster"))
                drawn.append(Chart(target, size, svg, group))
        charts.append((label, drawn))
    return charts


def _drawn(row: Row, column: int) -> RatioRow:
    entry, name = row.entries[column], row.kernel.split("_", 1)[-1]
    change = entry.change if entry else None
    if entry is None or change is None:
        return RatioRow(name, "#table", "none", None, note="no interval: fewer than five valid walks")
    return RatioRow(name, "#table", entry.judgement, change.value, change.low, change.high)
