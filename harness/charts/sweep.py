"""A size sweep: how much a kernel gets done a second, from the smallest size to the largest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .scale import Scale, decades
from .svg import element, picture, text, title

LEFT, RIGHT, WIDTH, HEIGHT, TOP, BOTTOM = 58.0, 14.0, 380.0, 210.0, 18.0, 40.0


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One side at one size: `rate` is in the chart's unit."""

    size: int
    rate: float


def sweep_chart(sides: Mapping[str, Sequence[SweepPoint]], unit: str, label: str) -> str:
    """Return the chart; empty text if no side has two sizes.

    Parameters
    ----------
    sides : mapping
        `native`, `checked` -> points, by size.
    unit : str
        Of the rates: `GB/s`.
    label : str
        What the chart shows, in words.
    """
    points = [point for own in sides.values() for point in own]
    if max((len(own) for own in sides.values()), default=0) < 2:
        return ""
    sizes, rates = [point.size for point in points], [point.rate for point in points]
    x = Scale(min(sizes), max(sizes), LEFT, WIDTH - RIGHT, logarithmic=True)
    y = Scale(min(rates) / 1.5, max(rates) * 1.5, HEIGHT - BOTTOM, TOP, logarithmic=True)
    lines = [_line(name, own, x, y, unit) for name, own in sides.items() if own]
    return picture(WIDTH, HEIGHT, label, _grid(x, y, unit), *lines)


def _line(name: str, points: Sequence[SweepPoint], x: Scale, y: Scale, unit: str) -> str:
    path = "L".join(f"{x(point.size):.1f} {y(point.rate):.1f}" for point in points)
    marks = [
        element(
            "circle", title(f"{name}, size {point.size:,}: {point.rate:.4g} {unit}"), cx=x(point.size),
            cy=y(point.rate), r=4.2 if name == "native" else 3.2, cls=f"mark {name}",
        )
        for point in points
    ]  # fmt: skip
    return element("g", element("path", d=f"M{path}", cls=f"trend {name}"), *marks)


def _grid(x: Scale, y: Scale, unit: str) -> str:
    parts = []
    for tick in decades(x.low, x.high):
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=TOP, y2=HEIGHT - BOTTOM, cls="grid"))
        parts.append(text(x(tick), HEIGHT - BOTTOM + 15, f"{tick:g}", cls="tick", text_anchor="middle"))
    steps = (1.0,) if y.high / y.low > 1e2 else (1.0, 2.0, 5.0)
    for tick in (power * step for power in decades(y.low / 10, y.high) for step in steps):
        if y.contains(tick):
            parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(tick), y2=y(tick), cls="grid"))
            parts.append(text(LEFT - 8, y(tick) + 4, f"{tick:g}", cls="tick", text_anchor="end"))
    parts.append(text(WIDTH - RIGHT, HEIGHT - 8, "size", cls="tick", text_anchor="end"))
    parts.append(text(LEFT + 4, TOP - 6, unit, cls="tick"))
    return "".join(parts)
