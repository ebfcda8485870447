"""What both sides' code takes of a device, kernel by kernel: the largest figure of any device function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# What a figure is called by the two sides' tools: each entry lists names whose numbers are added up.
FIGURES: dict[str, tuple[tuple[str, ...], ...]] = {
    "registers": (("registers",),),
    "spilled": (("spill_bytes",), ("spill_stores", "spill_loads"), ("spills",)),
    "shared bytes": (("shared_bytes",), ("shared",)),
}


@dataclass(frozen=True, slots=True)
class StaticRow:
    """One kernel on one target.

    Attributes
    ----------
    figures : dict
        Name -> (native, checked); None where a side has no such figure.
    """

    kernel: str
    target: str
    figures: Mapping[str, tuple[int | None, int | None]]


def static_rows(kernels: Mapping[str, Mapping[str, Any]]) -> list[StaticRow]:
    """Return a row for each kernel and target whose figures both sides have; `kernels` are a campaign's facts."""
    found = []
    for kernel in sorted(kernels):
        for target, sides in kernels[kernel].get("static", {}).items():
            native, checked = sides.get("native", {}), sides.get("checked", {})
            if native and checked:
                found.append(StaticRow(kernel, target, largest_of_both(native, checked)))
    return found


def largest_of_both(native: Mapping[str, Any], checked: Mapping[str, Any]) -> dict[str, tuple[int | None, int | None]]:
    """Return (native, checked) for each of `FIGURES`."""
    return {name: (_largest(native, ways), _largest(checked, ways)) for name, ways in FIGURES.items()}


def largest_of(figures: Mapping[str, Any]) -> dict[str, int]:
    """Return those of `FIGURES` that one side has, the largest over its functions, by names without spaces."""
    found = {name.replace(" ", "_"): _largest(figures, ways) for name, ways in FIGURES.items()}
    return {name: value for name, value in found.items() if value is not None}


def no_more_than_native(rows: Iterable[StaticRow], figure: str) -> int:
    """Return in how many rows the checked side takes no more of a figure."""
    pairs = [row.figures[figure] for row in rows]
    return sum(1 for native, checked in pairs if native is not None and checked is not None and checked <= native)


def _largest(figures: Mapping[str, Any], ways: tuple[tuple[str, ...], ...]) -> int | None:
    by_function: dict[str, dict[str, Any]] = {}
    for name, number in figures.items():
        function, _, figure = name.rpartition(": ")
        by_function.setdefault(function, {})[figure] = number
    sums = [
        int(sum(own[name] for name in way))
        for own in by_function.values()
        for way in ways
        if all(name in own for name in way)
    ]
    return max(sums, default=None)
