"""What the report shows of one kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .cell_summary import CellSummary, counts
from .charts.samples import Side, sample_strips
from .comparison import ComparisonResult
from .highlight import highlighted
from .records import Campaign
from .static_parity import FIGURES, largest_of_both

MATCHED = {name for ways in FIGURES.values() for way in ways for name in way}


@dataclass(frozen=True, slots=True)
class Proof:
    """One discharged obligation, as the compiler recorded it; `line` is 0 if unknown."""

    obligation: str
    access: str
    tier: int
    detail: str
    line: int


@dataclass(frozen=True, slots=True)
class Strip:
    """The samples of one comparison, as a picture."""

    comparison: ComparisonResult
    svg: str


@dataclass(frozen=True, slots=True)
class KernelSection:
    """One kernel on every target at every size.

    Attributes
    ----------
    source, baseline : str
        HTML.
    code : dict
        Target -> HTML of the generated code.
    static : tuple of (target, figure, native, checked)
        Read from the code objects; empty text where one has no such figure.
    tiers : Counter
        Tier -> obligations discharged in it.
    problems : list of CellSummary
        Cells that are not `ok`, with their messages.
    """

    name: str
    group: str
    kernel: str
    features: tuple[str, ...]
    comparisons: tuple[ComparisonResult, ...]
    source: str
    baseline: str
    evidence: tuple[Proof, ...]
    guards: tuple[str, ...]
    code: Mapping[str, str]
    static: tuple[tuple[str, str, str, str], ...]
    tiers: Counter[int]
    strips: tuple[Strip, ...]
    problems: tuple[CellSummary, ...]


def kernel_sections(campaign: Campaign, comparisons: Sequence[ComparisonResult]) -> list[KernelSection]:
    """Return a section for every kernel that was run or that has something recorded about it, by name."""
    names = sorted({c.kernel for c in comparisons} | set(campaign.kernels))
    return [_section(n, campaign.kernels.get(n, {}), [c for c in comparisons if c.kernel == n]) for n in names]


def _section(kernel: str, facts: Mapping[str, Any], comparisons: Sequence[ComparisonResult]) -> KernelSection:
    evidence = tuple(_proof(entry) for entry in facts.get("evidence", ()))
    group, _, name = kernel.partition("_")
    return KernelSection(
        name=name or kernel,
        group=group,
        kernel=kernel,
        features=tuple(facts.get("features", ())),
        comparisons=tuple(comparisons),
        source=highlighted(facts.get("source", ""), "python"),
        baseline=highlighted(facts.get("baseline_source", ""), "cpp"),
        evidence=evidence,
        guards=tuple(_guard(guard) for guard in facts.get("guards", ())),
        code={t: highlighted(c, "ptx" if t == "cuda" else "gas") for t, c in facts.get("code", {}).items() if c},
        static=tuple(_static(facts.get("static", {}))),
        tiers=Counter(proof.tier for proof in evidence),
        strips=tuple(Strip(c, svg) for c in comparisons if (svg := _strips(c))),
        problems=tuple(cell for c in comparisons for cell in c.cells if cell.status != "ok" or cell.message),
    )


def _proof(entry: Mapping[str, Any]) -> Proof:
    span = entry.get("span") or {}
    line = entry.get("line", span.get("line", 0) if isinstance(span, Mapping) else 0)
    return Proof(str(entry["obligation"]), str(entry["access"]), int(entry["tier"]), str(entry["detail"]), int(line))


def _guard(guard: Any) -> str:
    return str(guard["text"]) if isinstance(guard, Mapping) else str(guard)


def _static(figures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[tuple[str, str, str, str]]:
    rows = []
    for target, variants in figures.items():
        native, checked = variants.get("native", {}), variants.get("checked", {})
        for figure, pair in largest_of_both(native, checked).items():
            if pair != (None, None):
                rows.append((target, figure, _figure(pair[0]), _figure(pair[1])))
        for name in dict.fromkeys([*checked, *native]):
            if name not in MATCHED:  # of a program of one function these stand above already
                rows.append((target, name.replace("_", " "), _figure(native.get(name)), _figure(checked.get(name))))
    return rows


def _figure(number: Any) -> str:
    if number is None:
        return ""
    return f"{number:.4g}" if isinstance(number, float) else str(number)


def _strips(comparison: ComparisonResult) -> str:
    sides = [_side(cell) for cell in comparison.cells]
    return sample_strips(sides, f"Samples of {comparison.kernel}, target {comparison.target}, size {comparison.size}")


def _side(cell: CellSummary) -> Side:
    """Return the samples on the device clock, or on the wall clock where the device's was not read."""
    tuning = "" if cell.cell.tuning == "default" else f" {cell.cell.tuning}"
    on_device = any(r.device_seconds for r in cell.records)
    walks = [r.device_seconds if on_device else r.wall_seconds for r in cell.records]
    left = iter(cell.device_medians if on_device else cell.wall_medians)
    medians = [next(left, None) if counts(r) and s else None for r, s in zip(cell.records, walks, strict=True)]
    return Side(f"{cell.cell.variant}{tuning}", walks, medians)
