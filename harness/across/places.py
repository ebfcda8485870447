"""Names of campaigns on the command line: a folder, or a name under `results/campaigns`; a target may follow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import UsageError
from ..journal import load
from ..records import Campaign
from ..selection import unknown_name

PUBLISHED = Path("results/campaigns")


@dataclass(frozen=True, slots=True)
class Side:
    """One campaign of a comparison.

    Attributes
    ----------
    label : str
        Short and unique among the sides.
    campaign : Campaign
        With the records of `target` alone, if one was named.
    target : str
        The one target to look at, whatever it is called elsewhere (`cuda` here, `hip` there); empty for all of them.
    """

    label: str
    campaign: Campaign
    target: str = ""


def find_sides(names: Sequence[str]) -> list[Side]:
    """Load campaigns by `FOLDER` or `FOLDER:TARGET`.

    Raises
    ------
    UsageError
        No such folder (the nearest published names are offered), a target that the campaign does not have, or a target
        named for some of the campaigns only.
    FolderError
        A folder holds no campaign.
    """
    split = [_split(name) for name in names]
    if len({bool(target) for _, target in split}) > 1:
        raise UsageError("name a target for every campaign (A:cuda B:hip) or for none")
    labels = _labels([(folder_of(name), target) for name, target in split])
    return [_side(label, name, target) for label, (name, target) in zip(labels, split, strict=True)]


def folder_of(name: str) -> Path:
    """Return the folder that a name stands for; raises UsageError with the nearest names if there is none."""
    for folder in (Path(name), PUBLISHED / name):
        if folder.is_dir():
            return folder
    if os.sep in name or not PUBLISHED.is_dir():
        raise UsageError(f"{name} is neither a folder nor the name of a campaign under {PUBLISHED}")
    raise unknown_name(name, sorted(path.name for path in PUBLISHED.iterdir() if path.is_dir()), "campaign")


def _split(name: str) -> tuple[str, str]:
    if Path(name).is_dir() or ":" not in name:
        return name, ""
    head, _, target = name.rpartition(":")
    return head, target


def _labels(places: Sequence[tuple[Path, str]]) -> list[str]:
    """Return the shortest ends of the paths that tell the sides apart."""
    paths = [path.resolve() for path, _ in places]
    depth = 1
    while len({p.parts[-depth:] for p in paths}) < len(set(paths)):
        depth += 1
    labels = ["/".join(path.parts[-depth:]) for path in paths]
    labels = [f"{label}:{target}" if target else label for label, (_, target) in zip(labels, places, strict=True)]
    return [f"{label} ({i})" if labels.count(label) > 1 else label for i, label in enumerate(labels, start=1)]


def _side(label: str, name: str, target: str) -> Side:
    campaign = load(folder_of(name))
    if not target:
        return Side(label, campaign)
    records = [record for record in campaign.records if record.cell.target == target]
    if not records:
        raise unknown_name(target, sorted({r.cell.target for r in campaign.records}), f"target of {name}")
    return Side(label, replace(campaign, records=records), target)
