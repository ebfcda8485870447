"""The sparkline: a time for each night, small enough for a cell of a table."""

from __future__ import annotations

from collections.abc import Sequence

from .scale import Scale
from .svg import element, picture, title

WIDTH, HEIGHT, MARGIN = 240.0, 34.0, 4.0


def sparkline(checked: Sequence[float | None], native: Sequence[float | None], label: str) -> str:
    """Return the picture: the checked kernel's line, the native one's behind it; a gap where a night has no time.

    Parameters
    ----------
    checked, native : sequence of float or None
        Seconds, the oldest first, equally many; the vertical axis begins at 0.8 of the least.
    label : str
    """
    times = [time for line in (checked, native) for time in line if time]
    if not times:
        return picture(WIDTH, HEIGHT, label, title(label), cls="chart spark")
    low, high = min(times) * 0.8, max(times) * 1.05
    across = Scale(0, max(1, len(checked) - 1), MARGIN, WIDTH - MARGIN)
    up = Scale(low, high, HEIGHT - MARGIN, MARGIN)
    parts = [title(label), *_line(native, across, up, "native"), *_line(checked, across, up, "checked")]
    return picture(WIDTH, HEIGHT, label, *parts, cls="chart spark")


def _line(times: Sequence[float | None], across: Scale, up: Scale, kind: str) -> list[str]:
    path, pen_is_up = "", True
    for number, time in enumerate(times):
        if time is None:
            pen_is_up = True
            continue
        path += f"{'M' if pen_is_up else 'L'}{across(number):.1f} {up(time):.1f}"
        pen_is_up = False
    last = len(times) - 1
    parts = [element("path", d=path, cls=f"trend {kind}")] if path else []
    if times and (end := times[last]) is not None:
        parts.append(element("circle", cx=across(last), cy=up(end), r=2.4, cls=f"end {kind}"))
    return parts
