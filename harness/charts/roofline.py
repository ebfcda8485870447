"""The roofline: operations a second over operations a byte, under the roof that the measured copy bandwidth makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .scale import Scale, decades, tick_text
from .svg import element, picture, text, title

LEFT, RIGHT, WIDTH, HEIGHT, TOP, BOTTOM = 58.0, 20.0, 620.0, 330.0, 16.0, 44.0
WIDE, HIGH = 1264.0, 560.0


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """One kernel: declared floating-point operations a byte, and a second on each side (None: no time)."""

    label: str
    link: str
    intensity: float
    native: float | None
    checked: float | None


def roofline_chart(points: Sequence[RooflinePoint], copy: float | None, label: str, is_wide: bool = False) -> str:
    """Return the chart; empty text if no kernel with floating-point operations has a time.

    Parameters
    ----------
    points : sequence of RooflinePoint
        Those without operations must be left out by the caller.
    copy : float or None
        Bytes a second of the native copy kernel; the slope of the roof.
    label : str
        What the chart shows, in words.
    is_wide : bool
        Whether it takes the width of the page: for many points.
    """
    drawn = [p for p in points if p.native or p.checked]
    if not drawn:
        return ""
    width, height = (WIDE, HIGH) if is_wide else (WIDTH, HEIGHT)
    x, y = _scales(drawn, copy, width, height)
    parts = [_grid(x, y)]
    if copy is not None:
        parts.append(element("path", d=_roof(x, y, copy), cls="roof"))
    ordered = sorted(drawn, key=lambda p: (p.intensity, -(p.checked or p.native or 0.0)))
    spots = [_Box(*_center(p, x, y)).grown(5.0) for p in ordered]
    taken = list(spots)
    parts += [_point(point, x, y, spot, taken) for point, spot in zip(ordered, spots, strict=True)]
    return picture(width, height, label, *parts)


def _scales(points: Sequence[RooflinePoint], copy: float | None, width: float, height: float) -> tuple[Scale, Scale]:
    intensities = [p.intensity for p in points]
    left, right = min(intensities) / 1.6, max(intensities) * 3.0  # room for the labels on the right
    rates = [v for p in points for v in (p.native, p.checked) if v]
    rates += [min(intensities) * copy] if copy else []  # where the roof begins; it ends where the points do
    bottom, top = min(rates) / 1.8, max(rates) * 1.8
    horizontal = Scale(left, right, LEFT, width - RIGHT, logarithmic=True)
    return horizontal, Scale(bottom, top, height - BOTTOM, TOP, logarithmic=True)


def _roof(x: Scale, y: Scale, copy: float) -> str:
    low, high = max(x.low, y.low / copy), min(x.high, y.high / copy)
    return f"M{x(low):.1f} {y(low * copy):.1f}L{x(high):.1f} {y(high * copy):.1f}"


def _grid(x: Scale, y: Scale) -> str:
    parts = []
    for tick in _ticks(x):
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=TOP, y2=y.start, cls="grid"))
        parts.append(text(x(tick), y.start + 15, tick_text(tick), cls="tick", text_anchor="middle"))
    for tick in _ticks(y):
        parts.append(element("line", x1=LEFT, x2=x.end, y1=y(tick), y2=y(tick), cls="grid"))
        parts.append(text(LEFT - 8, y(tick) + 4, tick_text(tick / 1e9), cls="tick", text_anchor="end"))
    parts.append(text(x.end, y.start + 34, "operations a byte", cls="tick", text_anchor="end"))
    parts.append(text(LEFT + 6, TOP + 10, "GFLOP/s", cls="tick"))
    return "".join(parts)


def _ticks(scale: Scale) -> list[float]:
    """Powers of ten, with their 2 and 5 where the axis is short."""
    powers = decades(scale.low / 10, scale.high * 10)
    steps = (1.0,) if scale.high / scale.low > 1e3 else (1.0, 2.0, 5.0)
    return [p * s for p in powers for s in steps if scale.contains(p * s)]


@dataclass(frozen=True, slots=True)
class _Box:
    """A rectangle that is taken: a mark, or a label."""

    left: float
    top: float
    width: float = 0.0
    height: float = 0.0

    def grown(self, by: float) -> _Box:
        return _Box(self.left - by, self.top - by, self.width + 2 * by, self.height + 2 * by)

    def meets(self, other: _Box) -> bool:
        beside = self.left >= other.left + other.width or other.left >= self.left + self.width
        return not (beside or self.top >= other.top + other.height or other.top >= self.top + self.height)


def _center(point: RooflinePoint, x: Scale, y: Scale) -> tuple[float, float]:
    return x(point.intensity), y(point.checked or point.native or y.low)


def _point(point: RooflinePoint, x: Scale, y: Scale, spot: _Box, taken: list[_Box]) -> str:
    """Return one kernel's marks with its label, and add the label to what is `taken`."""
    at, height = _center(point, x, y)
    parts = [title(f"{point.label}: {point.intensity:.3g} operations a byte")]
    place = _label_place(point.label, (at, height), (x, y), spot, taken)
    if place:
        label, anchor = place
        taken.append(label)
        near = label.left if anchor == "start" else label.left + label.width
        middle = label.top + label.height / 2
        if abs(middle - height) > 9:  # too far away to be read as the point's own
            parts.append(element("line", x1=at, y1=height, x2=near, y2=middle, cls="link leader"))
    if point.native:
        parts.append(element("circle", cx=at, cy=y(point.native), r=4.6, cls="mark native"))
    if point.checked:
        parts.append(element("circle", cx=at, cy=y(point.checked), r=3.4, cls="mark checked"))
    if place:
        parts.append(text(near, middle + 4, point.label, cls="tick", text_anchor=anchor))
    return element("g", element("a", *parts, href=point.link))


def _label_place(
    label: str, center: tuple[float, float], scales: tuple[Scale, Scale], spot: _Box, taken: list[_Box]
) -> tuple[_Box, str] | None:
    """Return the nearest free place right of and below the point, or left of and above it, and the text's anchor.

    Kernels limited by memory lie on a rising diagonal, so these two corners are the free ones. None if there is no
    room: the tooltip has the name, too.
    """
    (at, height), (x, y) = center, scales
    width = 6.4 * len(label)
    for step in range(12 if x.end < WIDTH else 5):  # a long leader among many says little
        away = 12.0 * step
        right = _Box(at + 9 + away / 2, height - 6 + away, width, 12.0)
        left = _Box(at - 9 - away / 2 - width, height - 6 - away, width, 12.0)
        for box, anchor in ((right, "start"), (left, "end")):
            inside = box.left > LEFT and box.left + box.width < x.end + RIGHT and TOP < box.top < y.start - 12
            if inside and not any(box.meets(other) for other in taken if other is not spot):
                return box, anchor
    return None
