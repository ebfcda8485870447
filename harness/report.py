"""The parity report: a campaign as one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from . import quantity
from .comparison import CLOCKS, Clock, ComparisonResult, compare, compile_seconds, margin_of, seconds, variant_notes
from .headline import JUDGEMENTS, Headline, headlines, main_clock
from .kernel_section import KernelSection, kernel_sections
from .records import Campaign
from .report_charts import bandwidth_charts, ratio_charts, rooflines, sweeps
from .static_parity import FIGURES, StaticRow, no_more_than_native, static_rows
from .statistics import FEWEST_PROCESSES

TIERS = ("static", "guard", "inspected", "checked", "unsafe")
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One line of the results table: a comparison on one clock, bytes a second by declared work."""

    comparison: ComparisonResult
    clock: Clock
    native_seconds: float | None
    checked_seconds: float | None
    native_rate: float | None
    checked_rate: float | None


def render(campaign: Campaign) -> str:
    """Return the page.

    Parameters
    ----------
    campaign : Campaign
        Finished or not; an empty one gives a page that says so.

    Returns
    -------
    str
        HTML with its styles, scripts and pictures inside.
    """
    comparisons = compare(campaign)
    summary = headlines(comparisons)
    margin = margin_of(campaign)
    sections = kernel_sections(campaign, comparisons)
    return environment().get_template("report.html.j2").render(
        campaign=campaign,
        comparisons=comparisons,
        headlines=summary,
        totals=_totals(comparisons),
        margin=margin,
        walks=_walks(campaign),
        fewest=FEWEST_PROCESSES,
        planned_without_verdicts=not campaign.provenance.get("gives_verdicts", True),
        compiled=lambda cell: compile_seconds(campaign, cell),
        judgements=JUDGEMENTS,
        clocks=CLOCKS,
        main_clock=main_clock(comparisons),
        tiers=TIERS,
        failures=[c for c in comparisons if _is_failure(c)],
        missing_walks=[(c, cell) for c in comparisons for cell in c.cells if cell.status == "ok" and cell.message],
        ratios={clock: ratio_charts(summary, clock, margin) for clock in CLOCKS},
        bandwidths=bandwidth_charts(summary),
        rooflines=rooflines(summary),
        sweeps=sweeps(comparisons, main_clock(comparisons)),
        rows=[result_row(c, clock) for c in comparisons for clock in CLOCKS],
        sections=sections,
        tier_totals=sum((s.tiers for s in sections), Counter()),
        static=(static := static_rows(campaign.kernels)),
        static_figures=tuple(FIGURES),
        no_more=no_more_than_native,
        spilling=sum(map(_spills_alone, static)),
        notes=variant_notes(comparisons),
        unsafe=[(s, e) for s in sections for e in s.evidence if e.tier == 5],
        provenance=list(_flattened(campaign.provenance)),
    )  # fmt: skip


def result_row(comparison: ComparisonResult, clock: Clock) -> ResultRow:
    """Return the times and rates of a comparison on one clock."""
    native, checked = (seconds(side, clock) if side else None for side in (comparison.native, comparison.checked))
    moved = comparison.bytes_moved
    rates = [moved / s if moved and s else None for s in (native, checked)]
    return ResultRow(comparison, clock, native, checked, rates[0], rates[1])


def _totals(comparisons: list[ComparisonResult]) -> dict[Clock, dict[str, int]]:
    return {
        clock: {j: sum(c.outcomes[clock].judgement == j for c in comparisons) for j in JUDGEMENTS} for clock in CLOCKS
    }


def _is_failure(comparison: ComparisonResult) -> bool:
    return any(
        side is not None and side.status not in ("ok", "skipped") for side in (comparison.native, comparison.checked)
    )


def _spills_alone(row: StaticRow) -> bool:
    native, checked = row.figures["spilled"]
    return bool(checked) and not native


def _walks(campaign: Campaign) -> int:
    return len({record.walk for record in campaign.records})


def _flattened(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, inner in value.items():
        name = f"{prefix}{key}".replace("_", " ")
        if isinstance(inner, Mapping):
            yield from _flattened(inner, f"{name} · ")
        elif isinstance(inner, (list, tuple)):
            if inner:
                yield name, " ".join(str(item) for item in inner)
        elif inner not in ("", None):
            yield name, str(inner)


def _breakable(name: str) -> Markup:
    """Let a narrow column break a kernel's name behind an underscore."""
    return Markup("_<wbr>").join(name.split("_"))


def environment() -> jinja2.Environment:
    """Return what renders the pages: their templates, and how numbers are written in them."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "seconds": quantity.seconds_text,
        "count": quantity.count_text,
        "size": quantity.size_text,
        "place": quantity.place_text,
        "rate": quantity.rate_text,
        "ratio": quantity.ratio_text,
        "breakable": _breakable,
        "picture": Markup,  # the charts escape their own text
    }
    environment.globals["interval"] = quantity.interval_text
    return environment


__all__ = ["Headline", "KernelSection", "ResultRow", "render", "result_row"]
