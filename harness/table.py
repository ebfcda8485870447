"""The terminal's table of a campaign: a line a comparison, whole within 80 columns."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import quantity
from .cell_summary import CellSummary
from .comparison import Clock, ComparisonResult, compare, margin_of, seconds
from .headline import Headline, headlines, main_clock
from .records import Campaign

_STYLE = {"parity": "green", "faster": "cyan", "slower": "bold red", "undecided": "yellow", "none": "dim"}
_WIDE = 104  # columns from which the interval and the bandwidth have columns of their own


def render(campaign: Campaign, console: Console, clock: Clock | None = None) -> None:
    """Print a campaign's comparisons and their means.

    Parameters
    ----------
    campaign : Campaign
    console : Console
        Where to; its width decides how much is shown. Below 80 columns text is folded, never lost.
    clock : {"device", "wall"}, optional
        The device's, unless only the wall clock was read.
    """
    comparisons = compare(campaign)
    clock = clock or main_clock(comparisons)
    if not comparisons:
        console.print("No comparison has been measured.")
        return
    console.print(_results(comparisons, clock, wide=console.width >= _WIDE))
    _print_reasons(comparisons, clock, console)
    console.print()
    for headline in headlines(comparisons):
        console.print(_mean_line(headline, clock))
    console.print(
        f"{clock} clock; speedup = native / checked, 90% interval; parity within {margin_of(campaign) * 100:g}%",
        style="dim",
    )


def _results(comparisons: list[ComparisonResult], clock: Clock, *, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), header_style="dim")
    table.add_column("kernel", overflow="fold")
    table.add_column("target", no_wrap=True)
    for name in ("size", "native", "checked", "speedup"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("interval", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if wide:
        table.add_column("GB/s", justify="right", no_wrap=True)
        table.add_column("verified", no_wrap=True)
    for c in comparisons:
        table.add_row(*_cells(c, clock, wide=wide))
    return table


def _cells(c: ComparisonResult, clock: Clock, *, wide: bool) -> list[str | Text]:
    outcome = c.outcomes[clock]
    native, checked = (seconds(side, clock) if side else None for side in (c.native, c.checked))
    interval = f"±{outcome.ratio.half_width * 100:.1f}%" if outcome.ratio else ""
    verdict = Text("no verdict" if outcome.judgement == "none" else outcome.judgement, style=_STYLE[outcome.judgement])
    row: list[str | Text] = [
        c.kernel,
        c.target,
        quantity.size_text(c.size),
        _status_or_time(c.native, native),
        _status_or_time(c.checked, checked),
        quantity.ratio_text(outcome.estimate),
        quantity.interval_text(outcome.ratio.low, outcome.ratio.high) if wide and outcome.ratio else interval,
        verdict,
    ]
    if wide:
        row += [quantity.rate_text(c.bytes_moved / checked if checked and c.bytes_moved else None), _verified(c)]
    return row


def _status_or_time(side: CellSummary | None, time: float | None) -> Text:
    if side is None:
        return Text(quantity.NOTHING)
    if side.status != "ok":
        return Text(_SHORT.get(side.status, side.status), style="bold red")
    return Text(quantity.seconds_text(time))


_SHORT = {"out_of_memory": "no memory", "interrupted": "stopped"}


def _verified(c: ComparisonResult) -> Text:
    wrong = [side.cell.variant for side in (c.native, c.checked) if side and side.status != "ok"]
    return Text(f"not {', '.join(wrong)}", style="bold red") if wrong else Text("yes")


def _print_reasons(comparisons: list[ComparisonResult], clock: Clock, console: Console) -> None:
    """Print why comparisons have no verdict: each reason once, with the comparisons that it holds for."""
    reasons: dict[str, list[str]] = {}
    for c in comparisons:
        if c.outcomes[clock].reason:
            reasons.setdefault(c.outcomes[clock].reason, []).append(
                f"{c.kernel} {c.target} {quantity.size_text(c.size)}"
            )
    if reasons:
        console.print("\nno verdict:", style="dim")
    for reason, where in reasons.items():
        shown = ", ".join(where) if len(where) <= 3 else f"{len(where)} comparisons"
        console.print(Text(f"  {shown}: {reason}"), soft_wrap=False)


def _mean_line(h: Headline, clock: Clock) -> Text:
    mean = h.means[clock]
    counts = ", ".join(
        f"{h.verdicts[clock][j]} {'without verdict' if j == 'none' else j}"
        for j in ("parity", "faster", "slower", "undecided", "none")
        if h.verdicts[clock][j]
    )
    value = quantity.ratio_text(mean.value) + (f" {quantity.interval_text(mean.low, mean.high)}" if mean.low else "")
    line = Text(f"{h.target} {'own sizes' if h.size is None else quantity.size_text(h.size)}: ")
    line.append(f"geometric mean {value}", style="bold")
    return line.append(f", {mean.count} of {mean.of} kernels; {counts}")
