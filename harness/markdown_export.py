"""The summary of a campaign as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from . import quantity
from .comparison import Clock, ComparisonResult, compare, margin_of, seconds, variant_notes
from .headline import JUDGEMENTS, Headline, Mean, headlines, main_clock
from .records import Campaign

SIGN = {
    "faster": "▲ faster",
    "parity": "● parity",
    "slower": "▼ slower",
    "undecided": "○ undecided",
    "none": "– no verdict",
}


def render(campaign: Campaign) -> str:
    """Return the Markdown: means and verdicts first, then what is not at parity; all comparisons folded away below."""
    comparisons = compare(campaign)
    if not comparisons:
        return f"### Parity: {campaign.run}\n\nNothing was measured.\n"
    clock = main_clock(comparisons)
    notable = [c for c in comparisons if c.outcomes[clock].judgement != "parity"]
    parts = [
        f"### Parity: {campaign.run}",
        "Speedup = native time / checked time, above 1 the checked kernel is the faster one; "
        f"{clock} clock; parity is a 90% interval within {margin_of(campaign) * 100:g}%.",
        *variant_notes(comparisons),
        _means(headlines(comparisons), clock),
        "Every comparison is at parity." if not notable else f"#### Not at parity\n\n{_table(notable, clock)}",
        f"<details><summary>All {len(comparisons)} comparisons</summary>\n\n{_table(comparisons, clock)}\n\n</details>",
    ]
    return "\n\n".join(parts) + "\n"


def _means(summary: Sequence[Headline], clock: Clock) -> str:
    shown = [j for j in JUDGEMENTS if any(h.verdicts[clock][j] for h in summary)]
    header = ["target", "size", "geometric mean", "without scalars", "wall clock", *(SIGN[j] for j in shown)]
    rows = [
        [
            h.target,
            "own" if h.size is None else quantity.size_text(h.size),
            f"**{_mean(h.means[clock])}**",
            _mean(h.means_without_scalars[clock]),
            _mean(h.means["wall"]),
            *(str(h.verdicts[clock][j]) for j in shown),
        ]
        for h in summary
    ]
    return markdown_table(header, rows)


def _mean(mean: Mean) -> str:
    interval = f" {quantity.interval_text(mean.low, mean.high)}" if mean.low is not None else ""
    return f"{quantity.ratio_text(mean.value)}{interval} ({mean.count} of {mean.of})"


def _table(comparisons: Sequence[ComparisonResult], clock: Clock) -> str:
    header = ["kernel", "target", "size", "native", "checked", "speedup", "verdict", "why"]
    return markdown_table(header, [_row(c, clock) for c in comparisons])


def _row(c: ComparisonResult, clock: Clock) -> list[str]:
    outcome = c.outcomes[clock]
    times = [seconds(side, clock) if side else None for side in (c.native, c.checked)]
    return [
        c.kernel,
        c.target,
        quantity.size_text(c.size),
        quantity.seconds_text(times[0]),
        quantity.seconds_text(times[1]),
        quantity.outcome_text(outcome),
        SIGN[outcome.judgement],
        outcome.reason,
    ]


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; no cell can end its row or become markup."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _escaped(cell: str) -> str:
    """Keep a compiler's message from ending the cell or starting markup."""
    plain = cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")
    return " ".join(plain.split("\n"))
