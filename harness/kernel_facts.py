"""What a report shows of a kernel: sources, proofs, generated code, figures; as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from kparity.baselines import Baseline
from kparity.compiler import Compiled, KernelReport
from kparity.suites import Entry

from .records import Cell


def suite_facts(entry: Entry, sizes: Iterable[int]) -> dict[str, Any]:
    """Return what the kernel file says: source, features, the declared work at some sizes."""
    work = {str(size): asdict(entry.spec.work(size)) for size in sizes}
    return {"source": entry.path.read_text(encoding="utf-8"), "features": list(entry.spec.features), "work": work}


def checked_facts(cell: Cell, compiled: Compiled) -> dict[str, Any]:
    """Return what the compiler proved and generated for one target."""
    return {
        "evidence": [proof for report in compiled.reports for proof in _evidence(report)],
        "guards": [guard.text for report in compiled.reports for guard in report.guards],
        "code": {cell.target: compiled.listing},
        "static": {cell.target: {"checked": _flat(compiled.figures)}},
    }


def native_facts(cell: Cell, baseline: Baseline) -> dict[str, Any]:
    """Return the source and the figures of a baseline for one target."""
    return {"baseline_source": baseline.source, "static": {cell.target: {cell.variant: _flat(baseline.figures)}}}


def compiler_of(baseline: Baseline) -> str:
    """Return the compiler of a baseline with its flags."""
    return " ".join([str(baseline.compiler), *baseline.flags])


def _evidence(report: KernelReport) -> list[dict[str, Any]]:
    return [
        {
            "kernel": report.kernel, "obligation": proof.obligation, "access": proof.access, "tier": int(proof.tier),
            "detail": proof.detail, "line": proof.span.line,
        }
        for proof in report.evidence
    ]  # fmt: skip


def _flat(figures: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Name each figure; with the kernel it is of, where a program has several."""
    several = len(figures) > 1
    return {
        f"{kernel}: {figure}" if several else figure: number
        for kernel, numbers in figures.items()
        for figure, number in numbers.items()
    }
