"""The status page of the nightly run: how the last night went, and the trend of each kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .. import ledger, quantity
from ..asv_store import Store
from ..charts.sparkline import sparkline
from ..errors import HarnessError
from ..gate.history import level
from ..recording import machine_of
from ..records import Campaign
from ..report import environment
from .profile import Profile
from .steps import Night, answer

PAGE = "status.html"
WORDS = {0: "passed", 1: "regression", 2: "cannot judge"}


@dataclass(frozen=True, slots=True)
class Trend:
    """One kernel on one target at one size, night by night; None where it failed.

    Attributes
    ----------
    checked, native : tuple of float or None
        Seconds, the oldest first.
    level : float or None
        Median of the fastest level that lasted, seconds.
    """

    kernel: str
    target: str
    size: int
    checked: tuple[float | None, ...]
    native: tuple[float | None, ...]
    level: float | None

    @property
    def latest(self) -> float | None:
        """Time of the last night."""
        return self.checked[-1] if self.checked else None

    @property
    def change(self) -> float | None:
        """Level over latest time: above 1 the last night was faster."""
        return self.level / self.latest if self.level and self.latest else None


def render(night: Night, campaign: Campaign | None, profile: Profile, gate: Sequence[str], gone: Sequence[str]) -> str:
    """Return the page.

    Parameters
    ----------
    night : Night
    campaign : Campaign or None
        The night's; None if its run did not get that far.
    profile : Profile
    gate : sequence of str
        What the gate said, line by line; empty if there was none.
    gone : sequence of str
        Nights that were removed.
    """
    found: list[Trend] = []
    problem = ""
    if campaign is not None and profile.record:
        try:
            found = trends(campaign, Path(profile.asv_config), profile.trend_nights)
        except HarnessError as error:
            problem = str(error)
    rows = [(trend, sparkline(trend.checked, trend.native, _label(trend))) for trend in found]
    return environment().get_template("nightly.html.j2").render(
        night=night, profile=profile, rows=rows, problem=problem, gate=gate, gone=gone, campaign=campaign,
        answer=_answer(night),
    )  # fmt: skip


def trends(campaign: Campaign, configuration: Path, nights: int) -> list[Trend]:
    """Return the trend of everything that asv's database holds of a campaign's machines.

    Raises
    ------
    LedgerError, StoreError
        There is no ledger, or the database cannot be read.
    """
    store = Store(configuration)
    commits = [commit for commit, _ in ledger.commits(store.repository)][-nights:]
    machines = {machine_of(campaign, record.cell.target).name for record in campaign.records}
    series: dict[tuple[str, str, int], dict[str, dict[int, float | None]]] = {}
    for machine in sorted(machines):
        for number, commit in enumerate(commits):
            for (name, (variant, target, _, size)), value in (store.read(commit, machine) or {}).items():
                if name.endswith(".time"):
                    kernel = name.split(".", 1)[1].removesuffix(".time").replace(".", "_", 1)
                    own = series.setdefault((kernel, target.strip("'"), int(size)), {}).setdefault(variant, {})
                    own[number] = min((t for t in (own.get(number), value) if t), default=None)
    return [_trend(key, series[key]) for key in sorted(series)]


def _trend(key: tuple[str, str, int], lines: dict[str, dict[int, float | None]]) -> Trend:
    numbers = sorted({number for line in lines.values() for number in line})
    checked, native = (
        tuple(lines.get(variant, {}).get(number) for number in numbers) for variant in ("'checked'", "'native'")
    )
    valid = [time for time in checked if time]
    return Trend(*key, checked, native, median(level(valid)) if valid else None)


def _answer(night: Night) -> str:
    if not night.is_over:
        return "running"
    if night.status_of("gate") is not None:
        return WORDS.get(int(answer(night)), f"the gate failed ({int(answer(night))})")
    failed = next((step for step in night.steps if step.status), None)
    return f"{failed.name} failed ({failed.status})" if failed else "done"


def _label(trend: Trend) -> str:
    return f"{trend.kernel} {trend.target} {quantity.size_text(trend.size)}, {len(trend.checked)} nights"
