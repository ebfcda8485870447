"""Whether the measurement can be trusted here: what it says of two sides whose ratio is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from rich.table import Table

from .comparison import CLOCKS, ComparisonResult, Judgement, compare, margin_of
from .errors import UsageError
from .headline import JUDGEMENTS
from .launchpad import Mission
from .records import Campaign
from .settings import VARIANTS
from .statistics import Ratio, verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """One campaign of the checked kernels against themselves.

    Attributes
    ----------
    planted : float
        Share by which the checked side is slowed; the true speedup is `1 / (1 + planted)`.
    results : tuple of ComparisonResult
    margin : float
    """

    planted: float
    results: tuple[ComparisonResult, ...]
    margin: float

    @property
    def truth(self) -> Judgement:
        """The only verdict that is right; `undecided` is not wrong."""
        value = 1.0 / (1.0 + self.planted)
        return verdict(Ratio(value, value, value, 0.0, 1.0), self.margin)

    @property
    def counts(self) -> dict[str, Counter[str]]:
        """How often each verdict was given, by clock."""
        return {clock: Counter(result.outcomes[clock].judgement for result in self.results) for clock in CLOCKS}

    @property
    def false_claims(self) -> list[str]:
        """Verdicts that the truth contradicts, and comparisons that failed, one line each."""
        return [
            f"{result.kernel} on {result.target}, size {result.size:,}, {clock} clock: {_claim(result, clock)}"
            for result in self.results
            for clock in CLOCKS
            if result.outcomes[clock].judgement not in (self.truth, "undecided")
        ]


def trial_of(campaign: Campaign, planted: float) -> Trial:
    """Judge a campaign whose checked side was slowed by a known share."""
    return Trial(planted, tuple(compare(campaign)), margin_of(campaign))


def missions(mission: Mission, planted: float) -> list[Mission]:
    """Return the two campaigns of a self-test, in folders below the mission's own: the same twice, and one side slowed.

    Raises
    ------
    UsageError
        One side was deselected, too few walks for verdicts, or a slowdown that cannot be told from none.
    """
    settings = mission.settings
    if set(settings.variants) != set(VARIANTS):
        raise UsageError("a self-test has two sides; leave out --variants and --exclude-variants")
    if not settings.gives_verdicts:
        raise UsageError(f"--walks {settings.walks}: a verdict needs at least five")
    if planted <= settings.margin:
        raise UsageError(f"--planted {planted:g} lies within the margin of {settings.margin:g}, where all is parity")
    halves = {"same": 0.0, "slowed": planted}
    return [
        replace(
            mission, run=f"{mission.run}-{name}", folder=mission.folder / name,
            settings=replace(settings, planted=share, budget_seconds=settings.budget_seconds / len(halves)),
        )
        for name, share in halves.items()
    ]  # fmt: skip


def as_table(trials: list[Trial]) -> Table:
    """Return the verdicts of the trials as a table."""
    table = Table("checked side slowed by", "clock", "right verdict", *JUDGEMENTS)
    for trial in trials:
        for clock, counts in trial.counts.items():
            table.add_row(f"{trial.planted:.0%}", clock, trial.truth, *(str(counts[name]) for name in JUDGEMENTS))
    return table


def as_json(trials: list[Trial]) -> dict[str, Any]:
    """Return the same as JSON values."""
    return {
        "trials": [
            {
                "planted": trial.planted, "right": trial.truth, "false_claims": trial.false_claims,
                "verdicts": {clock: dict(counts) for clock, counts in trial.counts.items()},
            }
            for trial in trials
        ]
    }  # fmt: skip


def _claim(result: ComparisonResult, clock: Any) -> str:
    outcome = result.outcomes[clock]
    if outcome.ratio is None:
        return outcome.reason
    return f"{outcome.judgement}, {outcome.ratio.value:.3f} [{outcome.ratio.low:.3f}, {outcome.ratio.high:.3f}]"
