"""Shows what a campaign would run, and how much memory that needs, without running it."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from .launchpad import Mission
from .memory import gib, need_of
from .plan import Comparison
from .timing import repetition_cap


def print_plan(mission: Mission, *, as_json: bool) -> None:
    """Print every comparison: kernel, target, sizes, most repetitions of a sample, memory at the peak."""
    rows = [_row(mission, comparison) for comparison in mission.plan]
    if as_json:
        print(json.dumps({"settings": mission.settings.to_json(), "comparisons": rows}, indent=1))
        return
    table = Table("kernel", "target", box=None, pad_edge=False)
    for column in ("size", "actual size", "repetitions", "memory"):
        table.add_column(column, justify="right")
    table.add_column("variants")
    for row in rows:
        numbers = (f"{row[key]:,}" for key in ("size", "actual_size", "repetitions"))
        table.add_row(row["kernel"], row["target"], *numbers, gib(row["memory"]), " ".join(row["variants"]))
    console = Console()
    console.print(table)
    for cell, broken in mission.broken:
        console.print(f"{cell.kernel} {cell.target}: not usable: {broken}", style="red", markup=False, highlight=False)
    walks = mission.settings.walks
    console.print(f"{len(rows)} comparisons, {walks} walk{'s' if walks > 1 else ''}; nothing was run")


def _row(mission: Mission, comparison: Comparison) -> dict[str, Any]:
    entry, settings = mission.entries[comparison.kernel], mission.settings
    spec, factor = entry.spec, settings.repetition_factor
    most = repetition_cap(spec.repetitions, spec.size, comparison.size, factor)
    if settings.protocol == "rajaperf":
        most = settings.repetitions or max(1, int(spec.repetitions * factor))
    return {
        "kernel": comparison.kernel, "target": comparison.target, "size": comparison.size,
        "actual_size": spec.actual_size(comparison.size), "repetitions": most if settings.timed else 0,
        "memory": need_of(entry, comparison).device, "variants": [side.variant for side in comparison.sides],
    }  # fmt: skip
