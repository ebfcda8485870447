"""What `kparity check` shows of a kernel that compiles: one line an obligation, with how it was discharged."""

from __future__ import annotations

import itertools
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kparity.compiler import Kernel, Program, TargetUnavailable, entry_points, generated, manifest_of

PLAIN_WIDTH = 120  # columns of a table that does not go to a terminal
_HEADINGS = ("line", "access", "obligation", "tier", "evidence, or guard before launch")


def print_kernel(kernel: Kernel, path: str, console: Console) -> None:
    """Print a kernel's obligations: access, what must hold, tier, and what was shown or is checked before launch."""
    proved = kernel.proved
    guards = len(proved.guards)
    title = f"{kernel.name} ({path}:{proved.kernel.span.line}): {_counted(len(proved.evidence), 'obligation')}"
    title += f", {_counted(guards, 'launch guard')}" if guards else ", no launch guard"
    console.print(Text(title, style="bold"), soft_wrap=True)
    phases = _phases(kernel)
    if phases:
        lines = ", ".join(f"{p['line']} (barrier)" if p["barrier"] else str(p["line"]) for p in phases)
        console.print(Text(f"phases of lines {lines}"), soft_wrap=True)
    table = Table(*_HEADINGS, box=SIMPLE_HEAD, pad_edge=False)
    table.columns[0].justify = "right"
    rows = [
        (str(e.span.line), e.access, e.obligation, f"{int(e.tier)} {e.tier.name.lower()}", e.detail)
        for e in sorted(proved.evidence, key=lambda one: one.span)
    ]
    for row in dict.fromkeys(rows):  # `y[i] += ...` reads and writes one element: one row
        table.add_row(*(Text(cell) for cell in row))
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
    try:
        artifact = generated(compiled, "cuda")
    except TargetUnavailable as reason:
        return [*tables, (f"no table for cuda: {reason}", [])]
    for call in artifact.plan.calls:
        found = next(iter(entry_points(artifact.listing, call.symbol.replace(".", "_")).values()))
        tables.append((f"{call.kernel} on cuda (PTX)", [
            (s.name, s.kind, p.size, p.alignment, p.offset, "global" if s.indirect else _space(s.kind, "global"))
            for s, p in zip(call.slots, found, strict=True)
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


def kernel_as_json(kernel: Kernel) -> dict[str, Any]:
    """Return what `print_kernel` prints, as data; lines and columns count from 1."""
    proved = kernel.proved
    return {
        "kind": "kernel",
        "name": kernel.name,
        "line": proved.kernel.span.line,
        "evidence": [
            {
                "obligation": e.obligation,
                "access": e.access,
                "tier": int(e.tier),
                "tier_name": e.tier.name.lower(),
                "detail": e.detail,
                "line": e.span.line,
            }
            for e in sorted(proved.evidence, key=lambda one: one.span)
        ],
        "guards": [{"text": g.text, "access": g.access, "line": g.span.line} for g in proved.guards],
        "noalias": sorted(proved.unaliased),
        "phases": _phases(kernel),
    }


def _phases(kernel: Kernel) -> list[dict[str, Any]]:
    """Return the phases of a team kernel: the line, and whether a barrier ends it in the compiled code."""
    proved = kernel.proved
    return [{"line": p.span.line, "barrier": p.number in proved.barriers} for p in proved.phases]


def program_as_json(program: Program) -> dict[str, Any]:
    """Return what `print_program` prints, as data."""
    typed = program.typed_program
    calls = [{"kernel": call.kernel.name, "line": call.span.line} for call in typed.calls]
    return {"kind": "program", "name": program.name, "line": typed.span.line, "calls": calls}


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"
