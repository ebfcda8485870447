"""How often intervals cover the truth: simulated campaigns under the rules that real ones stop by.

`python -m kparity.harness.coverage` prints the table of docs/measuring.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from .campaign import CampaignRun
from .comparison import CLOCKS, Outcome, compare
from .crew import Step
from .journal import Journal
from .messages import comparison_from_json
from .plan import Comparison
from .preparation_run import Prepared
from .records import Campaign, Cell, Record
from .settings import Settings
from .supervisor import Ending, Event


@dataclass(frozen=True, slots=True)
class Noise:
    """What makes times differ, as standard deviations of their logarithm.

    Attributes
    ----------
    target : str
        Whose rules apply: precision aimed at, clocks.
    process : float
        Of a side, from one fresh process to the next: placement, code layout, clocks.
    sample : float
        Of a side, from sample to sample.
    slow, slower : float
        Share of samples that something slows, and by how much on average (exponential).
    shared : float
        Random walk of what both sides of a process suffer alike: a neighbour's load.
    """

    target: str
    process: float
    sample: float
    slow: float = 0.0
    slower: float = 0.0
    shared: float = 0.0


# The H200 as its campaigns show it: the median comparison, the noisiest tenth, and twice that. The CPU: alone, and as a
# small virtual machine that others share.
MACHINES = {
    "H200, typical": Noise("cuda", process=0.005, sample=0.0025, slow=0.015, slower=0.1),
    "H200, noisy": Noise("cuda", process=0.02, sample=0.013, slow=0.015, slower=0.1),
    "H200, worst": Noise("cuda", process=0.03, sample=0.013, slow=0.05, slower=0.3),
    "CPU, quiet": Noise("cpu", process=0.01, sample=0.01, slow=0.05, slower=0.2, shared=0.05),
    "CPU, busy": Noise("cpu", process=0.05, sample=0.05, slow=0.1, slower=0.5, shared=0.2),
    "CPU, shared": Noise("cpu", process=0.13, sample=0.1, slow=0.2, slower=1.0, shared=0.5),
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of many simulated comparisons.

    Attributes
    ----------
    share : float
        Of the intervals that hold the true speedup.
    walks : float
        Mean number of fresh processes.
    verdicts : dict
        Judgement -> share.
    """

    share: float
    walks: float
    verdicts: Mapping[str, float]


@dataclass(slots=True)
class SimulatedCrew:
    """Stands in for worker processes: hands over records of invented times.

    Attributes
    ----------
    settings : Settings
    noise : Noise
    speedup : float
        The truth.
    rng : numpy.random.Generator
    """

    settings: Settings
    noise: Noise
    speedup: float
    rng: np.random.Generator
    run: str = "simulated"
    step: Step = field(default_factory=Step)
    watcher: Any = field(default_factory=lambda: _Nobody())

    def listen(self, job: Mapping[str, Any], name: str, hear: Callable[[Event], None]) -> Ending:
        """Measure the comparisons of a job, as a worker would tell of them."""
        for raw in job["comparisons"]:
            for record in self._measured(comparison_from_json(raw), job["walk"]):
                hear({"event": "record", "record": record.to_json()})
        return Ending("finished")

    def _measured(self, comparison: Comparison, walk: int) -> list[Record]:
        noise, rng = self.noise, self.rng
        shared = np.cumsum(rng.normal(0.0, noise.shared, 20))
        found: list[Record] = []
        for cell in comparison.sides:
            times = rng.normal(0.0, noise.process) + shared[_PLACES[not found]] + rng.normal(0.0, noise.sample, 10)
            times += np.where(rng.random(10) < noise.slow, rng.exponential(noise.slower, 10), 0.0)
            seconds = list(np.exp(times) * 1e-3 * (1.0 if cell.variant == "checked" else self.speedup))
            found.append(Record(self.run, cell, walk, 0, "ok", device_seconds=seconds, wall_seconds=seconds))
        return found


class _Nobody:
    """Watches nothing."""

    def begin(self, title: str, total: int) -> None: ...

    def advance(self, line: str, *, alarming: bool = False) -> None: ...


class _Nowhere:
    """Keeps no journal."""

    def append(self, record: Record) -> None: ...


_ABBA = np.arange(20).reshape(5, 4)
_PLACES = {True: np.sort(_ABBA[:, [0, 3]].ravel()), False: np.sort(_ABBA[:, [1, 2]].ravel())}  # of A's and B's samples


def simulate(noise: Noise, series: int, seed: int, speedup: float = 1.03) -> Coverage:
    """Run one campaign of `series` comparisons with a known speedup, by the rules of real ones.

    Parameters
    ----------
    noise : Noise
    series : int
        Comparisons.
    seed : int
    speedup : float
        The truth of every comparison.

    Returns
    -------
    Coverage
    """
    settings = Settings(budget_seconds=float("inf"))
    crew = SimulatedCrew(settings, noise, speedup, np.random.default_rng(seed))
    plan = [_comparison(f"Simulated_{number}", noise.target) for number in range(series)]
    campaign = CampaignRun(plan, cast(Any, crew), cast(Journal, _Nowhere()))
    campaign.execute(Prepared())
    results = compare(Campaign("simulated", {"settings": settings.to_json()}, campaign.records, {}))
    return _coverage([result.outcomes[CLOCKS[0]] for result in results], len(campaign.records), speedup)


def _comparison(kernel: str, target: str) -> Comparison:
    sides = tuple(Cell("simulated", kernel, target, 1, variant) for variant in ("checked", "native"))
    return Comparison("simulated", kernel, target, 1, sides)


def _coverage(outcomes: Sequence[Outcome], records: int, truth: float) -> Coverage:
    covered = [ratio.low <= truth <= ratio.high for outcome in outcomes if (ratio := outcome.ratio) is not None]
    found = [outcome.judgement for outcome in outcomes]
    verdicts: dict[str, float] = {judgement: found.count(judgement) / len(found) for judgement in sorted(set(found))}
    return Coverage(float(np.mean(covered)), records / 2 / len(outcomes), verdicts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print, for each kind of machine, how often the intervals cover the truth, and what they cost."""
    parser = argparse.ArgumentParser(prog="python -m kparity.harness.coverage", description=__doc__)
    parser.add_argument("--series", type=int, default=2000, help="comparisons of each kind (default: 2000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speedup", type=float, default=1.03, help="the truth (default: 1.03)")
    options = parser.parse_args(arguments)
    table = Table("machine", "covered, %", "walks", "verdicts, %")
    for name, noise in MACHINES.items():
        found = simulate(noise, options.series, options.seed, options.speedup)
        verdicts = ", ".join(f"{judgement} {100 * share:.1f}" for judgement, share in found.verdicts.items())
        table.add_row(name, f"{100 * found.share:.1f}", f"{found.walks:.1f}", verdicts)
    Console().print(table)


if __name__ == "__main__":
    main()
