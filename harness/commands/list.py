"""`kparity list`: what can be run, and where."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from ..errors import ExitCode
from ..selection import select_kernels

if TYPE_CHECKING:
    from kparity.suites import Entries, Entry


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser("list", help="show kernels, groups, features, sizes and targets")
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels or groups (default: all)")
    parser.add_argument("--suite", default="rajaperf", metavar="NAME", help="suite by name, or a folder")
    parser.add_argument("-f", "--features", nargs="+", default=(), metavar="NAME", help="kernels with one of these")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def execute(options: argparse.Namespace) -> int:
    """Print the kernels of a suite and the targets of this machine."""
    from kparity.compiler import targets

    from ..launchpad import kernels_of

    found = kernels_of(options.suite)
    chosen = select_kernels(found, kernels=options.names, features=options.features)
    where = dict(targets())
    if options.json:
        print(json.dumps(_as_json(chosen, found, where), indent=1))
    else:
        _print_tables(Console(), chosen, found, where)
    return int(ExitCode.OK)


def _as_json(chosen: list[Entry], found: Entries, where: dict[str, str | None]) -> dict[str, Any]:
    return {
        "kernels": [_row(entry) for entry in chosen],
        "broken": [{"path": str(b.path), "line": b.line, "message": b.message} for b in found.broken],
        "targets": {name: {"works": reason is None, "reason": reason or ""} for name, reason in where.items()},
    }


def _row(entry: Entry) -> dict[str, Any]:
    spec = entry.spec
    return {
        "kernel": entry.full_name, "group": entry.group, "size": spec.size, "repetitions": spec.repetitions,
        "features": list(spec.features), "suite": entry.suite, "path": str(entry.path),
    }  # fmt: skip


def _print_tables(console: Console, chosen: list[Entry], found: Entries, where: dict[str, str | None]) -> None:
    table = Table("kernel", "group", "features", box=None, pad_edge=False)
    table.add_column("size", justify="right")
    table.add_column("repetitions", justify="right")
    for entry in chosen:
        spec = entry.spec
        table.add_row(spec.name, entry.group, ", ".join(spec.features), f"{spec.size:,}", f"{spec.repetitions:,}")
    console.print(table)
    for broken in found.broken:
        console.print(f"\nnot usable: {broken}", style="red", markup=False, highlight=False)
    console.print()
    for name, reason in where.items():
        console.print(f"target {name}: {reason or 'works here'}", markup=False, highlight=False)
