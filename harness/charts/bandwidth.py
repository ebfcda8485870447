"""The bandwidth chart: what each side moves a second, against what a copy moves on the same machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .scale import Scale, linear_ticks
from .svg import element, picture, text, title

LEFT, RIGHT, WIDTH, ROW, TOP, BOTTOM = 182.0, 108.0, 620.0, 21.0, 26.0, 34.0


@dataclass(frozen=True, slots=True)
class BandwidthRow:
    """One comparison as it is drawn; bytes a second by declared work, None for a side without a time."""

    label: str
    link: str
    native: float | None
    checked: float | None


def bandwidth_chart(rows: Sequence[BandwidthRow], copy: float | None, label: str, largest: float | None = None) -> str:
    """Return the chart.

    Parameters
    ----------
    rows : sequence of BandwidthRow
        From top to bottom.
    copy : float or None
        Bytes a second of the native copy kernel at the same size; None if it is not in the campaign.
    label : str
        What the chart shows, in words.
    largest : float, optional
        End of the axis, to make several charts comparable; by default from the rows.
    """
    largest = largest or largest_of(rows, copy)
    unit, name = (1e12, "TB/s") if largest >= 2e12 else (1e9, "GB/s")
    scale = Scale(0.0, largest * 1.04, LEFT, WIDTH - RIGHT)
    floor = TOP + ROW * len(rows) + 4
    parts = [_frame(scale, copy, unit, name, floor)]
    parts += [
        element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, cls="guide")
        for y in (TOP + ROW * (i + 0.5) for i in range(len(rows)))
    ]
    parts += [_row(row, scale, copy, unit, name, TOP + ROW * (i + 0.5)) for i, row in enumerate(rows)]
    return picture(WIDTH, floor + BOTTOM - 4, label, *parts)


def largest_of(rows: Sequence[BandwidthRow], copy: float | None) -> float:
    """Return the end of an axis that holds every row."""
    return max([v for r in rows for v in (r.native, r.checked) if v is not None] + [copy or 0.0]) or 1.0


def _frame(scale: Scale, copy: float | None, unit: float, name: str, floor: float) -> str:
    parts = []
    for tick in linear_ticks(0.0, scale.high / unit, 6):
        x = scale(tick * unit)
        parts.append(element("line", x1=x, x2=x, y1=TOP - 4, y2=floor, cls="grid"))
        parts.append(text(x, floor + 14, f"{tick:g}", cls="tick", text_anchor="middle"))
    parts.append(text(scale.end + 12, floor + 14, name, cls="tick"))
    if copy is not None:
        x = scale(copy)
        parts.append(element("line", x1=x, x2=x, y1=TOP - 4, y2=floor, cls="roof"))
        parts.append(text(x, TOP - 11, f"copy {copy / unit:.3g} {name}", cls="tick", text_anchor="middle"))
        parts.append(text(scale.end + 12, TOP - 11, "of copy", cls="tick"))
    return "".join(parts)


def _row(row: BandwidthRow, scale: Scale, copy: float | None, unit: float, name: str, y: float) -> str:
    parts = [element("a", text(LEFT - 12, y + 4, row.label, cls="label", text_anchor="end"), href=row.link)]
    if row.native is None and row.checked is None:
        parts.append(text((scale.start + scale.end) / 2, y + 4, "no time", cls="tick absent", text_anchor="middle"))
        return element("g", *parts)
    described = [f"{side} {v / unit:.4g} {name}" for side, v in (("native", row.native), ("checked", row.checked)) if v]
    parts.insert(0, title(f"{row.label}: {', '.join(described)}"))
    if row.native is not None and row.checked is not None:
        parts.append(element("line", x1=scale(row.native), x2=scale(row.checked), y1=y, y2=y, cls="link"))
    if row.native is not None:
        parts.append(element("circle", cx=scale(row.native), cy=y, r=4.6, cls="mark native"))
    if row.checked is not None:
        parts.append(element("circle", cx=scale(row.checked), cy=y, r=3.4, cls="mark checked"))
        shown = f"{row.checked / copy:.0%}" if copy else f"{row.checked / unit:.3g}"
        parts.append(text(WIDTH - RIGHT + 12, y + 4, shown, cls="value"))
    return element("g", *parts)
