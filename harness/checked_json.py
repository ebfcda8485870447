"""What `kparity check` says of kernels and programs that compile, as data; lines and columns count from 1."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Protocol

from kparity.compiler import Kernel, Program

from .checked_rows import counts_of


class _Span(Protocol):
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_column(self) -> int: ...


def kernel_as_json(kernel: Kernel) -> dict[str, Any]:
    """Return everything that was found about a kernel: each obligation, guard, inspection and phase, and the counts."""
    proved = kernel.proved
    counts = asdict(counts_of(kernel))
    return {
        "kind": "kernel",
        "name": kernel.name,
        "line": proved.kernel.span.line,
        "counts": {**counts, "accesses": {str(tier): count for tier, count in counts["accesses"].items()}},
        "evidence": [
            {
                "obligation": e.obligation,
                "access": e.access,
                "tier": int(e.tier),
                "tier_name": e.tier.name.lower(),
                "detail": e.detail,
                **_place(e.span),
            }
            for e in sorted(proved.evidence, key=lambda one: one.span)
        ],
        "guards": [
            {
                "text": g.text,
                "access": g.access,
                "holds_if_any": [
                    [{"constant": form.constant, "terms": dict(form.terms)} for form in forms]
                    for forms in g.alternatives
                ],
                **_place(g.span),
            }
            for g in proved.guards
        ],
        "inspections": [
            {
                "index_arrays": list(inspection.lists),
                "passes": 2 if inspection.second_pass else 1,
                "checks": [
                    {"obligation": c.obligation, "access": c.access, "array": c.array.name, **_place(c.span)}
                    for c in inspection.checks
                ],
            }
            for inspection in proved.inspections
        ],
        "noalias": sorted(proved.unaliased),
        "phases": phases_of(kernel),
    }


def phases_of(kernel: Kernel) -> list[dict[str, Any]]:
    """Return the phases of a team kernel: the line, and whether a barrier ends it in the compiled code."""
    proved = kernel.proved
    return [{"line": p.span.line, "barrier": p.number in proved.barriers} for p in proved.phases]


def program_as_json(program: Program) -> dict[str, Any]:
    """Return a program's calls, in stream order."""
    typed = program.typed_program
    calls = [{"kernel": call.kernel.name, "line": call.span.line} for call in typed.calls]
    return {"kind": "program", "name": program.name, "line": typed.span.line, "calls": calls}


def _place(span: _Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column + 1,
        "end_line": span.end_line,
        "end_column": span.end_column + 1,
    }
