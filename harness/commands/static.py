"""`kparity static`: registers, spills, memory, occupancy and instructions of both sides, without a GPU."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ..errors import ExitCode, UsageError
from ..progress import watcher
from ..selection import select_kernels
from ..static.rows import Row, as_json, rows

TARGETS = ("hip:gfx90a", "hip:gfx942", "cuda:sm_90")
WIDTH = 150  # columns where no terminal says
_COLOURS = {"better": "green", "same": "", "worse": "red", None: "dim"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser("static", help="compare the code of both sides for GPUs, without one")
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels or groups (default: all)")
    parser.add_argument("--suite", default="rajaperf", metavar="NAME", help="suite by name, or a folder")
    parser.add_argument(
        "--targets", nargs="+", default=["hip:gfx90a"], metavar="TARGET",
        help=f"target and architecture: {', '.join(TARGETS)}, ... (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the JSON object to a file, too")


def execute(options: argparse.Namespace) -> int:
    """Compare, and print a row a kernel and the kernels whose code is worse."""
    from ..launchpad import kernels_of

    chosen = select_kernels(kernels_of(options.suite), kernels=options.names)
    wanted = [word.partition(":") for word in options.targets]
    for target, _, architecture in wanted:
        if target not in ("hip", "cuda") or not architecture:
            raise UsageError(f"--targets {target}: name a GPU and its architecture, such as {' or '.join(TARGETS)}")
    found: list[Row] = []
    shown = watcher()
    try:
        for target, _, architecture in wanted:
            shown.begin(f"compiling both sides for {target}:{architecture}", len(chosen))
            for row in rows(chosen, target, architecture):
                found.append(row)
                shown.advance(f"{row.kernel}: {row.verdict or row.message}", alarming=row.verdict == "worse")
    finally:
        shown.end()
    record = {"kernels": [as_json(row) for row in found], "summary": _summary(found)}
    if options.output:
        options.output.write_text(json.dumps(record, indent=1), encoding="utf-8")
    if options.json:
        print(json.dumps(record, indent=1))
    else:
        _print(found, Console(width=None if sys.stdout.isatty() else WIDTH))
    return int(ExitCode.OK)


def _summary(found: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Return verdict -> kernels, for each target."""
    targets = dict.fromkeys(row.target for row in found)
    return {t: dict(Counter(str(row.verdict or "none") for row in found if row.target == t)) for t in targets}


def _print(found: Sequence[Row], console: Console) -> None:
    for target, counts in _summary(found).items():
        own = [row for row in found if row.target == target]
        compilers = ", ".join(sorted({row.compiler for row in own if row.compiler}))
        table = Table("kernel", "verdict", "in what", box=None, pad_edge=False)
        for title in ("registers", "waves", "instructions", "loop"):
            table.add_column(title, justify="right")
        for row in own:
            last = [f"{_text(a)} {_text(b)}" for a, b in _numbers(row)]
            what = ", ".join(map(str, row.found)) or row.message
            table.add_row(row.kernel, row.verdict or "none", what, *last, style=_COLOURS[row.verdict])
        console.print(f"{target}: native (by {compilers}), then checked\n", highlight=False, markup=False)
        console.print(table)
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        console.print(f"\n{target}: {told}\n", highlight=False, markup=False)


def _numbers(row: Row) -> list[tuple[int | None, int | None]]:
    """Return native and checked figures of the program's largest kernel."""
    if not row.parts:
        return [(None, None)] * 4
    _, native, checked = max(row.parts, key=lambda part: part[1].code.total)
    return [
        (native.numbers["registers"], checked.numbers["registers"]), (native.waves, checked.waves),
        (native.code.total, checked.code.total), (native.code.loop, checked.code.loop),
    ]  # fmt: skip


def _text(number: int | None) -> str:
    return "" if number is None else str(number)
