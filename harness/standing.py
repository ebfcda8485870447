"""What of a campaign is done, what is left, and what needs more walks: pure functions on records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .comparison import CLOCKS, ComparisonResult, compare
from .plan import Comparison
from .records import Campaign, Record
from .timing import timing_rule


def pending(order: Iterable[Comparison], records: Sequence[Record], walk: int) -> list[Comparison]:
    """Return what a walk still has to visit.

    Parameters
    ----------
    order : iterable of Comparison
        The walk's comparisons, in its order.
    records : sequence of Record
        All of the campaign so far.
    walk : int

    Returns
    -------
    list of Comparison
        Without the sides that the walk has a final record of, and those that failed in any walk: a wrong result,
        a crash or a hang once means no verdict, and trying again would cost every walk its time limit.
    """
    final = [record for record in records if is_final(record)]
    done = {record.cell for record in final if record.walk == walk}
    failed = {record.cell for record in final if record.status != "ok"}
    left = (comparison.without(done | failed) for comparison in order)
    return [comparison for comparison in left if comparison.sides]


def is_final(record: Record) -> bool:
    """Whether a record says how a cell ended, rather than that it was cut off."""
    return record.status != "interrupted"


def imprecise(plan: Iterable[Comparison], campaign: Campaign) -> list[Comparison]:
    """Return the comparisons whose interval is still wider than their target's rule aims at, on any clock.

    One without an interval, because the device was throttled in too many of its walks, is as wide as can be.
    """
    wide = {
        (result.suite, result.kernel, result.target, result.size)
        for result in compare(campaign)
        if half_width(result) > timing_rule(result.target).precise
    }
    return [c for c in plan if (c.suite, c.kernel, c.target, c.size) in wide]


def half_width(result: ComparisonResult) -> float:
    """Return the wider of the two clocks' intervals; infinite where walks are missing, 0 where more would not help."""
    outcomes = [result.outcomes[clock] for clock in CLOCKS if clock in result.outcomes]
    widths = [o.ratio.half_width if o.ratio is not None else math.inf for o in outcomes if o.estimate is not None]
    return max(widths, default=0.0)
