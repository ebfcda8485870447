"""The ratio chart: a row a kernel, its speedup with the interval, and the margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .scale import Scale, ratio_limits, ratio_ticks
from .svg import element, picture, text, title

LEFT, RIGHT, WIDTH, ROW, TOP, BOTTOM = 182.0, 132.0, 620.0, 21.0, 26.0, 34.0


@dataclass(frozen=True, slots=True)
class RatioRow:
    """One comparison as it is drawn.

    Attributes
    ----------
    label, link : str
        Kernel, and the address of its section.
    verdict : str
        `parity`, `faster`, `slower`, `undecided` or `none`: colour and shape of the mark.
    value, low, high : float or None
        Speedup and the ends of its interval; `value` is None where there is no ratio, the ends where no interval.
    note : str
        Why there is no ratio, or what the tooltip adds.
    """

    label: str
    link: str
    verdict: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


def ratio_chart(
    rows: Sequence[RatioRow],
    margin: float,
    label: str,
    limits: tuple[float, float] | None = None,
    ends: tuple[str, str] = ("checked slower", "checked faster"),
) -> str:
    """Return the chart.

    Parameters
    ----------
    rows : sequence of RatioRow
        From top to bottom.
    margin : float
        Half-width of parity; drawn as the band from 1/(1+margin) to 1+margin.
    label : str
        What the chart shows, in words.
    limits : (float, float), optional
        Of the axis, to make several charts comparable; by default from the rows.
    ends : (str, str)
        What a ratio below and above 1 means.
    """
    low, high = limits or limits_of(rows, margin)
    scale = Scale(low, high, LEFT, WIDTH - RIGHT, logarithmic=True)
    height = TOP + ROW * len(rows) + BOTTOM
    floor = TOP + ROW * len(rows) + 4
    parts = [_frame(scale, margin, floor, ends), *(_guide(scale, TOP + ROW * (i + 0.5)) for i in range(len(rows)))]
    parts += [_row(row, scale, TOP + ROW * (i + 0.5)) for i, row in enumerate(rows)]
    return picture(WIDTH, height, label, *parts)


def limits_of(rows: Sequence[RatioRow], margin: float) -> tuple[float, float]:
    """Return axis limits that hold every row."""
    return ratio_limits([v for r in rows for v in (r.value, r.low, r.high) if v is not None], margin)


def _frame(scale: Scale, margin: float, floor: float, ends: tuple[str, str]) -> str:
    left, right = scale(1 / (1 + margin)), scale(1 + margin)
    parts = [element("rect", x=left, y=TOP - 4, width=right - left, height=floor - TOP + 4, cls="band")]
    for tick in ratio_ticks(scale.low, scale.high, scale.end - scale.start):
        x = scale(tick)
        parts.append(element("line", x1=x, x2=x, y1=TOP - 4, y2=floor, cls="one" if tick == 1 else "grid"))
        parts.append(text(x, floor + 14, f"{tick:g}×", cls="tick", text_anchor="middle"))
    parts.append(text(scale.start, TOP - 11, f"◂ {ends[0]}", cls="tick"))
    parts.append(text(scale.end, TOP - 11, f"{ends[1]} ▸", cls="tick", text_anchor="end"))
    return "".join(parts)


def _guide(scale: Scale, y: float) -> str:
    """Return a faint line that leads the eye from name to value."""
    return element("line", x1=scale.start, x2=scale.end, y1=y, y2=y, cls="guide")


def _row(row: RatioRow, scale: Scale, y: float) -> str:
    name = element("a", text(LEFT - 12, y + 4, row.label, cls="label", text_anchor="end"), href=row.link)
    if row.value is None:
        reason = row.note if len(row.note) <= 44 else row.note[:43].rstrip() + "…"
        x = (scale.start + scale.end) / 2
        return element("g", title(row.note), name, text(x, y + 4, reason, cls="tick absent", text_anchor="middle"))
    described = f"{row.label}: {_interval(row)}, {row.verdict}" + (f"; {row.note}" if row.note else "")
    parts = [title(described), name]
    if row.low is not None and row.high is not None:
        parts.append(element("line", x1=scale(row.low), x2=scale(row.high), y1=y, y2=y, cls=f"whisker {row.verdict}"))
    parts.append(mark(scale(row.value), y, row.verdict))
    parts.append(text(WIDTH - RIGHT + 12, y + 4, _interval(row), cls=f"value {row.verdict}"))
    return element("g", *parts)


def mark(x: float, y: float, verdict: str) -> str:
    """Return the sign of a verdict: its shape says what its colour says."""
    shapes = {"faster": f"M{x - 5:.1f} {y + 4:.1f}h10l-5 -9z", "slower": f"M{x - 5:.1f} {y - 4:.1f}h10l-5 9z"}
    if verdict in shapes:
        return element("path", d=shapes[verdict], cls=f"mark {verdict}")
    return element("circle", cx=x, cy=y, r=4.2, cls=f"mark {verdict}")


def _interval(row: RatioRow) -> str:
    if row.low is None or row.high is None:
        return _number(row.value)
    return f"{_number(row.value)}  [{_number(row.low)}, {_number(row.high)}]"


def _number(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}" if ratio < 10 else f"{ratio:.1f}"
