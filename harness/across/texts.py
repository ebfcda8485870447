"""Campaigns beside each other as a terminal table, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import quantity
from ..markdown_export import SIGN, markdown_table
from ..statistics import Ratio
from .comparable import Difference
from .side_by_side import Entry, Row, SideBySide

COLUMNS = (
    "suite", "kernel", "target", "size", "campaign", "variant", "tuning", "status", "message", "seconds",
    "speedup", "speedup_low", "speedup_high", "speedup_verdict",
    "change", "change_low", "change_high", "change_verdict", "change_p", "relative", "relative_low", "relative_high",
)  # fmt: skip
_STYLE = {"parity": "green", "faster": "cyan", "slower": "bold red", "undecided": "yellow", "none": "dim"}
_SAME = {"parity": "unchanged", "none": "–"}  # a change inside the margin


def explanation(table: SideBySide) -> str:
    """Return what the columns mean, in one sentence."""
    return (
        f"{table.clock} clock; speedup = native / checked in one campaign; change = time in {table.labels[0]} / time "
        f"here, above 1 this campaign is faster; 90% intervals; unchanged within {table.margin * 100:g}%"
    )


def print_table(table: SideBySide, found: Sequence[Difference], console: Console) -> None:
    """Print the table: a line a campaign, whole within 80 columns."""
    grid = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    grid.add_column("kernel", overflow="fold")
    grid.add_column("campaign", overflow="fold")
    for name in ("time", "speedup", "change", "interval"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("verdict", no_wrap=True)
    for row in table.rows:
        for i, (label, entry) in enumerate(_entries(table, row)):
            name = place(row) if i == 0 else ""
            verdict = Text("first" if i == 0 else _SAME.get(entry.judgement, entry.judgement))
            verdict.stylize("dim" if i == 0 else _STYLE[entry.judgement])
            time = quantity.seconds_text(entry.seconds) if entry.seconds else entry.cell.status
            speedup, change = quantity.ratio_text(entry.speedup.estimate), entry.change
            cells = [name, label, time, speedup, _value(change) if i else "", _interval(change) if i else ""]
            grid.add_row(*(Text(cell) for cell in cells), verdict)
    console.print(grid if table.rows else "No kernel is in every campaign at the same size.")
    for line in (*mean_lines(table), *absent_lines(table)):
        console.print(Text(line), soft_wrap=True)
    for difference in found:
        console.print(Text(f"differs, {difference.respect}: {difference_text(difference)}", style="dim"))
    console.print(Text(explanation(table), style="dim"))


def markdown(table: SideBySide, found: Sequence[Difference]) -> str:
    """Return the comparison as Markdown: what changed first, everything below."""
    head = ["kernel", "campaign", "time", "speedup", "change", "verdict"]
    changed = [row for row in table.rows if any(e and e.judgement in ("faster", "slower") for e in row.entries)]
    parts = [
        f"### {', '.join(table.labels[1:])} against {table.labels[0]}",
        explanation(table) + ".",
        *mean_lines(table),
    ]
    parts.append("#### Changed\n\n" + markdown_table(head, _lines(table, changed)) if changed else "Nothing changed.")
    if absent := absent_lines(table):
        parts.append("\n".join(f"- {line}" for line in absent))
    if found:
        rows = [[d.respect, d.name, *(value or "–" for value in d.values)] for d in found]
        parts.append("#### What differs\n\n" + markdown_table(["", "", *table.labels], rows))
    body = markdown_table(head, _lines(table, table.rows))
    parts.append(f"<details><summary>All {len(table.rows)} kernels</summary>\n\n{body}\n\n</details>")
    return "\n\n".join(parts) + "\n"


def csv_text(table: SideBySide) -> str:
    """Return one line for each row and campaign, partial rows included; an unknown field is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records(table))
    return text.getvalue()


def json_text(table: SideBySide, found: Sequence[Difference]) -> str:
    """Return strict JSON: the CSV's columns, the means and what differs."""
    means = [
        None if mean is None else {"value": mean.value, "low": mean.low, "high": mean.high} for mean in table.means
    ]
    value = {
        "campaigns": list(table.labels), "clock": table.clock, "margin": table.margin,
        "mean_change": means, "cells": list(records(table)),
        "only_in": [{"kernel": r.kernel, "target": r.target, "size": r.size, "campaigns": _where(table, r)}
                    for r in table.partial],
        "differences": [{"respect": d.respect, "name": d.name, "values": list(d.values)} for d in found],
    }  # fmt: skip
    return json.dumps(value, indent=1, allow_nan=False) + "\n"


def records(table: SideBySide) -> Iterator[dict[str, object]]:
    """Yield one dict for each row and campaign, with a value or None for each of `COLUMNS`."""
    for row in (*table.rows, *table.partial):
        for label, entry in _entries(table, row):
            found: dict[str, object] = {
                "suite": row.suite, "kernel": row.kernel, "target": entry.cell.cell.target, "size": row.size,
                "campaign": label, "variant": entry.cell.cell.variant, "tuning": entry.cell.cell.tuning,
                "status": entry.cell.status, "message": entry.cell.message, "seconds": entry.seconds,
                "speedup": entry.speedup.estimate, "speedup_verdict": entry.speedup.judgement,
                "change_verdict": entry.judgement, "change_p": entry.p_value,
            }  # fmt: skip
            ratios = (("speedup", entry.speedup.ratio), ("change", entry.change), ("relative", entry.relative))
            for name, ratio in ratios:
                if ratio:
                    found |= {name: ratio.value, f"{name}_low": ratio.low, f"{name}_high": ratio.high}
            yield dict.fromkeys(COLUMNS) | found


def mean_lines(table: SideBySide) -> list[str]:
    """Return the geometric mean of each campaign's changes."""
    counts = [sum(1 for row in table.rows if (e := row.entries[i]) and e.change) for i in range(len(table.labels))]
    return [
        f"{label}: geometric mean of changes {_value(mean)} {_interval(mean)}, {count} of {len(table.rows)} kernels"
        for label, mean, count in zip(table.labels[1:], table.means[1:], counts[1:], strict=True)
    ]


def absent_lines(table: SideBySide) -> list[str]:
    """Return which kernels some campaigns lack, by the campaigns that have them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in table.partial:
        groups.setdefault(tuple(_where(table, row)), []).append(place(row))
    return [f"only in {', '.join(where)}: {', '.join(names)}" for where, names in groups.items()]


def difference_text(difference: Difference) -> str:
    """Return `name: value in the first -> value in the next`."""
    return f"{difference.name}: {' -> '.join(value or 'not recorded' for value in difference.values)}"


def place(row: Row) -> str:
    """Return the row's name."""
    return " ".join(part for part in (row.kernel, row.target, quantity.size_text(row.size)) if part)


def _where(table: SideBySide, row: Row) -> list[str]:
    return [label for label, _ in _entries(table, row)]


def _entries(table: SideBySide, row: Row) -> list[tuple[str, Entry]]:
    return [(label, entry) for label, entry in zip(table.labels, row.entries, strict=True) if entry]


def _lines(table: SideBySide, rows: Sequence[Row]) -> list[list[str]]:
    lines = []
    for row in rows:
        for i, (label, entry) in enumerate(_entries(table, row)):
            change = f"{_value(entry.change)} {_interval(entry.change)}".strip() if i else ""
            verdict = "" if i == 0 else SIGN[entry.judgement].replace("parity", "unchanged")
            time = quantity.seconds_text(entry.seconds) if entry.seconds else entry.cell.status
            lines.append(
                [place(row) if i == 0 else "", label, time, quantity.outcome_text(entry.speedup), change, verdict]
            )
    return lines


def _value(ratio: Ratio | None) -> str:
    return quantity.ratio_text(ratio.value if ratio else None)


def _interval(ratio: Ratio | None) -> str:
    return quantity.interval_text(ratio.low, ratio.high) if ratio else ""
