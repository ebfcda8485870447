"""The strip plot: every sample of a comparison, a row a walk, so that drift and outliers show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .scale import Scale, linear_ticks
from .svg import element, picture, text, title

LEFT, RIGHT, WIDTH, ROW, TOP, BOTTOM, GAP = 118.0, 16.0, 620.0, 10.0, 8.0, 34.0, 8.0


@dataclass(frozen=True, slots=True)
class Side:
    """Samples of one side: seconds a repetition, one sequence a walk; the walks' medians (None: does not count)."""

    name: str
    walks: Sequence[Sequence[float]]
    medians: Sequence[float | None]


def sample_strips(sides: Sequence[Side], label: str) -> str:
    """Return the plot; empty text if there is no sample at all."""
    everything = [s for side in sides for walk in side.walks for s in walk]
    if not everything:
        return ""
    low, high = min(everything), max(everything)
    room = (high - low) * 0.04 or high * 0.02
    scale = Scale(low - room, high + room, LEFT, WIDTH - RIGHT)
    parts, y = [], TOP
    for side in sides:
        middle = y + ROW * len(side.walks) / 2
        parts.append(text(LEFT - 12, middle + 4, side.name, cls="label", text_anchor="end"))
        for number, (walk, median) in enumerate(zip(side.walks, side.medians, strict=True)):
            kind = "checked" if side.name.startswith("checked") else "native"
            parts.append(_walk(walk, median, number, scale, y + ROW / 2, kind))
            y += ROW
        y += GAP
    return picture(WIDTH, y + BOTTOM - GAP, label, _axis(scale, y), *parts)


def _walk(walk: Sequence[float], median: float | None, number: int, scale: Scale, y: float, kind: str) -> str:
    # Strokes of no length with round caps are dots, at a tenth of the text that circles need.
    dots = (
        [element("path", d="".join(f"M{scale(s):.1f} {y:.1f}h0" for s in walk), cls=f"sample {kind}")] if walk else []
    )
    if median is not None:
        x = scale(median)
        dots.append(element("line", x1=x, x2=x, y1=y - 4, y2=y + 4, cls=f"median {kind}"))
    described = f"walk {number}: {len(walk)} samples" + (f", median {median:.4g} s" if median is not None else "")
    return element("g", title(described), *dots)


def _axis(scale: Scale, y: float) -> str:
    unit, name = next(
        (u, n) for u, n in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")) if scale.high >= u or u == 1e-9
    )
    parts = []
    for tick in linear_ticks(scale.low / unit, scale.high / unit):
        x = scale(tick * unit)
        parts.append(element("line", x1=x, x2=x, y1=TOP, y2=y - GAP + 4, cls="grid"))
        parts.append(text(x, y + 8, f"{tick:g}", cls="tick", text_anchor="middle"))
    parts.append(text(scale.end, y + 22, f"{name} a repetition", cls="tick", text_anchor="end"))
    return "".join(parts)
