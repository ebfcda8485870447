"""What `kparity check` shows of a kernel that compiles: one line an obligation, with how it was discharged."""

from __future__ import annotations

import itertools
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kparity.compiler import (
    Kernel,
    Program,
    TargetUnavailable,
    entry_points,
    generated,
    kernel_objects,
    manifest_of,
)

from .checked_json import phases_of
from .checked_rows import counts_of, rows_of

PLAIN_WIDTH = 80  # columns of a table that does not go to a terminal

LAYOUT: dict[str, Any] = {"box": SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
_COLOURS = {"1": "green", "2": "cyan", "3": "blue", "4": "yellow", "5": "red"}


def print_kernel(kernel: Kernel, path: str, console: Console) -> None:
    """Print what was found about a kernel: the counts, a row an obligation, then the guards by their numbers."""
    proved = kernel.proved
    title = f"{kernel.name} ({path}:{proved.kernel.span.line})"
    console.print(Text(title, style="bold"), soft_wrap=True)
    table = Table("line", "access", "obligation", "tier", "evidence", "guard", **LAYOUT)
    table.columns[0].justify = table.columns[-1].justify = "right"
    for row in rows_of(kernel):
        tier = Text(row.tier, style=_COLOURS[row.tier[0]])
        guards = " ".join(map(str, row.guards))
        table.add_row(str(row.line), Text(row.access), row.obligation, tier, Text(row.evidence), guards)
    print_plainly(table, console)
    if proved.guards:
        guards_table = Table("guard", "before each launch", **LAYOUT)
        guards_table.columns[0].justify = "right"
        for number, guard in enumerate(proved.guards, start=1):
            guards_table.add_row(str(number), Text(guard.text))
        print_plainly(guards_table, console)
    phases = phases_of(kernel)
    if phases:
        lines = ", ".join(f"{p['line']} (barrier)" if p["barrier"] else str(p["line"]) for p in phases)
        console.print(Text(f"phases of lines {lines}"))
    console.print(Text(f"{kernel.name}: {counts_of(kernel).text}\n"), soft_wrap=True)


def print_plainly(table: Table, console: Console) -> None:
    """Print a table without blanks at the ends of its lines."""
    with console.capture() as captured:
        console.print(table)
    console.file.writelines(line.rstrip() + "\n" for line in captured.get().splitlines())


AbiRow = tuple[str, str, int, int, int, str]  # name, kind, size, alignment, offset, space


def abi_tables(compiled: Kernel | Program) -> list[tuple[str, list[AbiRow]]]:
    """Return the argument lists of a program: the host's struct, then its kernels on each target.

    Those of a GPU are read back from the generated code, which needs no GPU.
    """
    members = manifest_of(compiled).parameters
    host: list[AbiRow] = [(p.name, p.kind, p.size, p.alignment, p.offset, _space(p.kind, "host")) for p in members]
    tables: list[tuple[str, list[AbiRow]]] = [(f"{compiled.name}_args (manifest)", host)]
    for call in generated(compiled, "cpu").plan.calls:
        starts = itertools.accumulate((-(-s.bytes // 8) * 8 for s in call.slots), initial=0)
        rows = [
            (s.name, s.kind, s.bytes, 8, at, _space(s.kind, "host")) for s, at in zip(call.slots, starts, strict=False)
        ]
        tables.append((f"{call.kernel} on cpu (argument block)", rows))
    return [*tables, *_gpu_tables(compiled, "cuda"), *_gpu_tables(compiled, "hip")]


def _gpu_tables(compiled: Kernel | Program, target: str) -> list[tuple[str, list[AbiRow]]]:
    """Return the argument lists of a GPU's kernels, as the generated code has them."""
    try:
        artifact = generated(compiled, target)
    except TargetUnavailable as reason:
        return [(f"no table for {target}: {reason}", [])]
    objects = kernel_objects(artifact.code) if target == "hip" else {}
    tables = []
    for call in (c for c in artifact.plan.calls if not c.library):
        symbol = call.symbol.replace(".", "_")
        if target == "hip":
            arguments = objects[symbol + call.versions[0][0]].arguments
            found = [(a.size, a.alignment, a.offset) for a in arguments]
        else:
            parameters = next(iter(entry_points(artifact.listing, symbol).values()))
            found = [(p.size, p.alignment, p.offset) for p in parameters]
        tables.append((f"{call.kernel} on {target} ({'code object' if target == 'hip' else 'PTX'})", [
            (s.name, s.kind, *where, "global" if s.indirect else _space(s.kind, "global"))
            for s, where in zip(call.slots, found, strict=True)
        ]))  # fmt: skip
    return tables


def _space(kind: str, memory: str) -> str:
    by_value = kind in ("scalar", "extent", "table", "pack", "struct", "lengths", "lower", "count", "fresh", "initial")
    return "param" if by_value or kind == "sequence" else memory


def print_abi(compiled: Kernel | Program, console: Console) -> None:
    """Print the argument lists of a program: name, kind, size, alignment, offset, and where addresses lead."""
    for title, rows in abi_tables(compiled):
        console.print(Text(title, style="bold"), soft_wrap=True)
        table = Table("name", "kind", "size", "alignment", "offset", "space", box=SIMPLE_HEAD, pad_edge=False)
        for row in dict.fromkeys(rows):
            table.add_row(*map(str, row))
        console.print(table)


def print_program(program: Program, path: str, console: Console) -> None:
    """Print a program's calls, in stream order."""
    typed = program.typed_program
    calls = ", ".join(call.kernel.name for call in typed.calls)
    console.print(
        Text(f"{program.name} ({path}:{typed.span.line}): program that launches {calls}\n", style="bold"),
        soft_wrap=True,
    )
