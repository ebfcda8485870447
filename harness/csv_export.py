"""The tidy CSV of a campaign: one row a cell, and what it was compared with."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from .cell_summary import CellSummary
from .comparison import CLOCKS, ComparisonResult, compare, compile_seconds
from .records import Campaign

COLUMNS = (
    "run", "suite", "kernel", "target", "size", "actual_size", "variant", "tuning", "status", "message", "walks",
    "device_seconds", "wall_seconds", "bytes_moved", "flops", "bytes_per_second", "flops_per_second",
    "checksum", "expected_checksum", "relative_difference", "tolerance", "largest_error", "compile_seconds",
    "inspection_seconds", "compared",
    "device_speedup", "device_low", "device_high", "device_verdict",
    "wall_speedup", "wall_low", "wall_high", "wall_verdict",
)  # fmt: skip


def render(campaign: Campaign) -> str:
    """Return the CSV text: a header line, then one line a cell; lines end in a line feed alone.

    Notes
    -----
    Times are seconds a repetition: the geometric mean over walks of the walks' medians. The rates are of the device
    clock. The speedup columns stand in the rows of both sides that were compared (`compared` is `yes`), and are empty
    elsewhere. A field that is not known is empty; there is no NaN and no infinity.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(campaign))
    return text.getvalue()


def rows(campaign: Campaign) -> Iterator[dict[str, object]]:
    """Yield one dict a cell, with a value or None for each of `COLUMNS`."""
    for comparison in compare(campaign):
        for cell in comparison.cells:
            yield dict.fromkeys(COLUMNS) | _row(campaign, comparison, cell)


def _row(campaign: Campaign, comparison: ComparisonResult, cell: CellSummary) -> dict[str, object]:
    c, v, seconds = cell.cell, cell.verification, cell.device_seconds
    row: dict[str, object] = {
        "run": campaign.run,
        "suite": c.suite,
        "kernel": c.kernel,
        "target": c.target,
        "size": c.size,
        "actual_size": cell.actual_size,
        "variant": c.variant,
        "tuning": c.tuning,
        "status": cell.status,
        "message": cell.message,
        "walks": len(cell.records),
        "device_seconds": seconds,
        "wall_seconds": cell.wall_seconds,
        "bytes_moved": comparison.bytes_moved,
        "flops": comparison.flops,
        "compile_seconds": compile_seconds(campaign, cell),
        "inspection_seconds": cell.inspection_seconds or None,
        "compared": "yes" if cell in (comparison.native, comparison.checked) else "no",
    }
    if seconds and comparison.bytes_moved is not None:
        row["bytes_per_second"] = comparison.bytes_moved / seconds
    if seconds and comparison.flops is not None:
        row["flops_per_second"] = comparison.flops / seconds
    if v.checksum:
        row |= {
            "checksum": v.checksum,
            "expected_checksum": v.expected,
            "relative_difference": v.relative_difference,
            "tolerance": v.tolerance,
            "largest_error": v.largest_error,
        }
    return row | (_outcomes(comparison) if row["compared"] == "yes" else {})


def _outcomes(comparison: ComparisonResult) -> dict[str, object]:
    found: dict[str, object] = {}
    for clock in CLOCKS:
        outcome = comparison.outcomes[clock]
        found[f"{clock}_speedup"] = outcome.estimate
        found[f"{clock}_verdict"] = outcome.judgement
        if outcome.ratio:
            found[f"{clock}_low"], found[f"{clock}_high"] = outcome.ratio.low, outcome.ratio.high
    return found
