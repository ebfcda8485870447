"""Write a campaign for Hatchet and Thicket: one profile a walk, in the literal form that both of them read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from statistics import median
from typing import Any

from .cell_summary import counts
from .comparison import compare
from .journal import latest
from .recording import device_model
from .records import Campaign, Record

Node = dict[str, Any]  # {"frame": {"name", "type"}, "metrics": {...}, "children": [...]}
Work = dict[tuple[str, str, int], tuple[int | None, int | None]]  # bytes and operations of a repetition


def render(campaign: Campaign) -> str:
    """Return the text of `hatchet.json`: the list that `profiles` makes."""
    return json.dumps(profiles(campaign), indent=1, allow_nan=False) + "\n"


def profiles(campaign: Campaign) -> list[dict[str, Any]]:
    """Return a profile for each target, variant, size and walk.

    Returns
    -------
    list of dict
        `metadata` says what the profile is of: `run`, `suite`, `target`, `variant`, `size`, `walk`, `host`, `device`,
        and in `failed` the kernels that have no time in it. `graph` is a literal for `hatchet.GraphFrame.from_literal`
        and `thicket.Thicket.from_literal`: suite, group, kernel, tuning. A tuning's `time` is the median of its
        samples, in seconds a repetition on the device's clock, or the wall clock where the device's was not read;
        `time (inc)` adds up what is below a node. `wall_seconds`, `bytes_moved` and `flops` are there where known.
    """
    work: Work = {(c.kernel, c.target, c.size): (c.bytes_moved, c.flops) for c in compare(campaign)}
    found: dict[tuple[str, str, str, int, int], list[Record]] = {}
    for record in latest(campaign.records):
        cell = record.cell
        found.setdefault((cell.suite, cell.target, cell.variant, cell.size, record.walk), []).append(record)
    return [
        {
            "metadata": {
                "run": campaign.run, "suite": suite, "target": target, "variant": variant, "size": size, "walk": walk,
                "host": str(campaign.provenance.get("host", "")), "device": device_model(campaign, target),
                "failed": ", ".join(f"{r.cell.kernel} {r.status}" for r in records if not _is_timed(r)),
            },
            "graph": _graph(suite, [r for r in records if _is_timed(r)], work),
        }
        for (suite, target, variant, size, walk), records in found.items()
        if any(map(_is_timed, records))
    ]  # fmt: skip


def _is_timed(record: Record) -> bool:
    return counts(record) and bool(record.device_seconds or record.wall_seconds)


def _graph(suite: str, records: Iterable[Record], work: Work) -> list[Node]:
    root = _node(suite, "suite")
    for record in records:
        group = _child(root, record.cell.kernel.split("_", 1)[0], "group")
        kernel = _child(group, record.cell.kernel, "kernel")
        metrics = _metrics(record, work[record.cell.kernel, record.cell.target, record.cell.size])
        kernel["children"].append(_node(f"{record.cell.kernel}.{record.cell.tuning}", "tuning", metrics))
        for above in (kernel, group, root):
            above["metrics"]["time (inc)"] += metrics["time"]
    return [root]


def _metrics(record: Record, work: tuple[int | None, int | None]) -> dict[str, float]:
    seconds = median(record.device_seconds or record.wall_seconds)
    known = zip(("bytes_moved", "flops"), work, strict=True)
    wall = {"wall_seconds": median(record.wall_seconds)} if record.wall_seconds else {}
    return {"time": seconds, "time (inc)": seconds, **wall, **{k: float(v) for k, v in known if v is not None}}


def _node(name: str, kind: str, metrics: dict[str, float] | None = None) -> Node:
    return {
        "frame": {"name": name, "type": kind},
        "metrics": metrics or {"time": 0.0, "time (inc)": 0.0},
        "children": [],
    }


def _child(parent: Node, name: str, kind: str) -> Node:
    children: list[Node] = parent["children"]
    for child in children:
        if child["frame"]["name"] == name:
            return child
    made = _node(name, kind)
    children.append(made)
    return made
