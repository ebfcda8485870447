"""Joins folders with parts of one campaign into one folder; doing so again changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .errors import FolderError
from .journal import JOURNAL, KERNELS, PLAN, PROVENANCE, load, merge, open_folder, read_json, write_json, write_text
from .records import Campaign, Cell, Record


def merge_folders(folders: Sequence[Path], into: Path) -> Campaign:
    """Write what several folders hold of a campaign into one.

    Parameters
    ----------
    folders : sequence of Path
    into : Path
        Created if need be. What it holds of the same campaign stays, so that parts may come one after the other.

    Raises
    ------
    FolderError
        The folders are not of one campaign, or contradict each other; both places are named.
    """
    with open_folder(into):
        parts = [*([into] if read_json(into, PLAN) else []), *folders]
        campaigns = [load(part) for part in parts]
        plans = [read_json(part, PLAN) for part in parts]
        for part, campaign, plan in zip(parts, campaigns, plans, strict=True):
            _require_same(parts[0], _identity(campaigns[0], plans[0]), part, _identity(campaign, plan))
        placed = [(str(part), record) for part, own in zip(parts, campaigns, strict=True) for record in own.records]
        records = merge(placed)
        require_consistent(placed)
        for name in (PLAN, PROVENANCE, KERNELS):
            write_json(into, name, next((found for part in parts if (found := read_json(part, name))), {}))
        write_text(into, JOURNAL, "".join(record.to_json() + "\n" for record in records))
    return load(into)


def require_consistent(placed: Iterable[tuple[str, Record]]) -> None:
    """Raise FolderError if records of one cell differ in their number of elements or of ranks."""
    first: dict[Cell, tuple[str, Record]] = {}
    for place, record in placed:
        if not record.actual_size or record.status == "interrupted":
            continue
        where, other = first.setdefault(record.cell, (place, record))
        for what, mine, its in (
            ("elements", record.actual_size, other.actual_size),
            ("ranks", record.conditions.get("ranks", 1), other.conditions.get("ranks", 1)),
        ):
            if mine != its:
                cell = record.cell
                raise FolderError(
                    f"{place} contradicts {where}: {cell.kernel} {cell.variant} at size {cell.size}: {mine:,} {what} "
                    f"in one, {its:,} in the other; these are different experiments: see `kparity compare`"
                )


def _identity(campaign: Campaign, plan: dict[str, Any]) -> dict[str, Any]:
    """Return what parts of a campaign have in common; element types and all else are decided by the sources."""
    limits = ("walks", "most_walks", "budget_seconds", "step_seconds", "cell_seconds", "memory_limit")
    settings = {key: value for key, value in plan.get("settings", {}).items() if key not in limits}
    sources = campaign.provenance.get("sources", "")
    return {"campaign": plan.get("run", campaign.run), "sources": sources, "settings": settings}


def _require_same(first: Path, its: dict[str, Any], part: Path, own: dict[str, Any]) -> None:
    for what, value in own.items():
        if value != its[what] and value and its[what]:
            shown = f": {its[what]} and {value}" if what == "campaign" else ""
            raise FolderError(
                f"{part} and {first} differ in their {what}{shown}: only parts of one campaign can be merged; "
                "`kparity compare` sets campaigns beside each other"
            )
