"""`kparity plan FILE...`: what the programs in a file move to a GPU and back, with bytes and reasons."""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kparity.compiler import (
    CompileError,
    Kernel,
    KparityError,
    Program,
    Size,
    Transfer,
    Transfers,
    planned_transfers,
    total_size,
)

from ..checked_rows import counted
from ..checked_tables import LAYOUT, PLAIN_WIDTH, print_plainly
from ..errors import ExitCode, UsageError
from ..kernel_files import kernels_in

SCHEMA = 1
MOST_TERMS = 3  # of a formula that is shown
_WHEN = {"before": "to the GPU", "never": "no copy", "after": "to the host"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "plan",
        help="show what programs move to a GPU and back",
        description="For every kernel and program that the files define: which of its arrays are copied to a GPU "
        "before the first launch, which come back when the host asks, how many bytes that is, and why; beside it "
        "what copying in and out around each launch would come to. Arrays are owned by kparity and on the host at "
        "first. No GPU is needed. Exit status 0; 1 if a kernel does not compile, 2 if a value is missing.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="Python file with `@kernel` or `@program` functions")
    parser.add_argument("--only", metavar="NAME", help="this kernel or program alone")
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="values of scalars and extents; those that loops and conditions depend on are needed",
    )  # fmt: skip
    parser.add_argument("--repetitions", type=int, default=1, metavar="R", help="repetitions of each (1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Print the plan of each program; returns the exit status."""
    if options.repetitions < 1:
        raise UsageError(f"--repetitions {options.repetitions}: a run has at least one")
    given = dict(_value(text) for text in options.set)
    found: list[tuple[str, Transfers]] = []
    failed = False
    for path in options.files:
        try:
            programs = [p for p in kernels_in(Path(path)) if options.only in (None, p.name)]
            found += [(path, _planned(p, given, options.repetitions)) for p in programs]
        except CompileError as error:
            failed = True
            print(error)
    if not found and not failed:
        named = f" named `{options.only}`" if options.only else ""
        raise UsageError(f"no kernel or program{named} in {', '.join(options.files)}")
    if options.json:
        print(json.dumps({"schema": SCHEMA, "programs": [_as_json(path, plan) for path, plan in found]}, indent=2))
    else:
        console = Console()
        console = console if console.is_terminal else Console(width=PLAIN_WIDTH)
        for path, plan in found:
            _print(path, plan, options.repetitions, console)
    return ExitCode.FAILED if failed else ExitCode.OK


def _planned(program: Kernel | Program, given: dict[str, Any], repetitions: int) -> Transfers:
    try:
        return planned_transfers(program, given, repetitions)
    except KparityError as error:
        raise UsageError(str(error)) from error


def _value(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    try:
        found = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        found = None
    if not equals or not name.isidentifier() or not isinstance(found, (bool, int, float)):
        raise UsageError(f"--set {text}: write a name and a number, as in `--set n=1000`")
    return name, found


def _print(path: str, plan: Transfers, repetitions: int, console: Console) -> None:
    console.print(Text(f"{plan.program} ({path})", style="bold"), soft_wrap=True)
    table = Table("array", "copied", "bytes", "reason", "line", **LAYOUT)
    table.columns[2].justify = table.columns[4].justify = "right"
    for when, heading in _WHEN.items():
        for (_, reason, line), group in groupby((t for t in plan.transfers if t.when == when), key=_alike):
            alike = list(group)
            why = reason + ("; if the host asks" if when == "after" else "")
            size = "0" if when == "never" else _shown(total_size(t.size for t in alike))
            table.add_row(*map(Text, (_named(alike), heading, size, why, str(line or ""))))
    print_plainly(table, console)
    moved = sum(t.when != "never" for t in plan.transfers)
    runs = f"{counted(plan.launches, 'launch', 'launches')} in {counted(repetitions, 'repetition')}"
    console.print(Text(f"planned: {_shown(plan.total)} bytes in {_copies(moved)}, for {runs}"), soft_wrap=True)
    around = f"around each launch: {_shown(plan.naive)} bytes in {_copies(plan.naive_copies)}"
    console.print(Text(f"copied in and out {around}\n"), soft_wrap=True)


def _alike(transfer: Transfer) -> tuple[str, str, int]:
    """Return what members of a pack have in common when one row is enough for them."""
    return transfer.array.partition("[")[0], transfer.reason, transfer.line


def _named(transfers: Sequence[Transfer]) -> str:
    first, last = transfers[0].array, transfers[-1].array
    return first if first == last else f"{first} .. {last.partition('[')[2].rstrip(']')}"


def _shown(size: Size) -> str:
    if size.bytes is not None:
        return f"{size.bytes:,}"
    terms = size.text.split(" + ")
    return size.text if len(terms) <= MOST_TERMS else f"{' + '.join(terms[:MOST_TERMS])} + ..."


def _copies(count: int) -> str:
    return "1 copy" if count == 1 else f"{count:,} copies"


def _as_json(path: str, plan: Transfers) -> dict[str, Any]:
    raw = asdict(plan)
    transfers = [{**asdict(t), "size": _size_json(t.size)} for t in plan.transfers]
    return {"path": path, **raw, "transfers": transfers, "total": _size_json(plan.total),
            "naive": _size_json(plan.naive)}  # fmt: skip


def _size_json(size: Size) -> dict[str, Any]:
    return {"formula": size.text, "bytes": size.bytes}
