"""Intervals of speedups from one ratio a process: pure functions on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median  # NumPy's takes fifty times as long for ten numbers
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special  # not scipy.stats, which takes most of a second to import

LEVEL = 0.90
FEWEST_PROCESSES = 5  # below it a 90 % interval is too wide to be of use, so no verdict hangs on it
ADDED_FREEDOM = 1 / 8  # degrees of freedom of a process that was added because the interval was still wide

Verdict = Literal["parity", "faster", "slower", "undecided"]
Samples: TypeAlias = NDArray[np.float64]


class NotVerified(ValueError):
    """A side failed verification: a wrong result has no speed."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two times with its interval; above 1 the checked kernel is the faster one.

    Attributes
    ----------
    value, low, high : float
        Point estimate and ends of the interval; dimensionless, positive.
    error : float
        Standard error of `log(value)`.
    freedom : float
        Degrees of freedom of the t distribution behind the interval.
    """

    value: float
    low: float
    high: float
    error: float
    freedom: float

    @property
    def half_width(self) -> float:
        """Relative half width of the interval: 0.02 means that it ends about 2 % away from `value`."""
        return float(np.sqrt(self.high / self.low)) - 1.0


def walk_ratio(baseline: Sequence[float], checked: Sequence[float]) -> float:
    """Return the logarithm of the speedup that one process saw.

    Parameters
    ----------
    baseline, checked : (m,) and (k,) float, seconds
        Samples in the order taken, the sides interleaved; positive, finite. NaN is refused, not dropped.

    Returns
    -------
    float
        Median of the log ratios of samples taken next to each other, if there are equally many; else the log ratio of
        the medians. What slows a shared machine for a while slows both samples of a pair.

    Raises
    ------
    ValueError
        A side without samples, or an entry that is not positive and finite.
    """
    a, b = _logs(baseline, "baseline"), _logs(checked, "checked")
    if a.size == b.size:
        return float(median((a - b).tolist()))
    return float(median(a.tolist()) - median(b.tolist()))


def speedup(
    walk_ratios: Sequence[float], *, verified: bool = True, planned: int | None = None, level: float = LEVEL
) -> Ratio:
    """Time of the baseline over that of the checked kernel, with an interval.

    Parameters
    ----------
    walk_ratios : (m,) float
        One log ratio a fresh process, of `walk_ratio`; finite.
    verified : bool
        Whether both sides passed verification.
    planned : int, optional
        Processes that were planned beforehand; those beyond were added because the interval was still wide.
    level : float
        Coverage of the interval.

    Returns
    -------
    Ratio
        Dimensionless, geometric mean over processes; above 1 the checked kernel is the faster one.

    Raises
    ------
    NotVerified
        Either side failed verification: a wrong result has no speed.
    ValueError
        Fewer than five processes, or an entry that is not finite.

    Notes
    -----
    Student's interval on the processes' log ratios. Samples of one process are never pooled: the replicate is the
    process (Kalibera and Jones, arXiv 2007.10899). The two sides share their process, so they are paired: what a
    process has of its own (placement, neighbours) cancels in its ratio.

    Stopping once the interval is narrow favours series whose spread looks smaller than it is: with all degrees of
    freedom a 90 % interval covers 86 % in the worst case. So of an added process an eighth of a degree counts, which
    brings the worst case to 89 % and costs little width (`python -m kparity.harness.coverage`).

    Examples
    --------
    >>> import numpy as np
    >>> ratio = speedup(np.log([2.0, 2.02, 1.98, 2.0, 2.01]))
    >>> round(ratio.value, 2), ratio.low < ratio.value < ratio.high
    (2.0, True)
    """
    if not verified:
        raise NotVerified("a side failed verification: a wrong result has no speed")
    logs = np.asarray(walk_ratios, dtype=np.float64)
    if logs.size < FEWEST_PROCESSES:
        raise ValueError(f"{logs.size} processes, at least {FEWEST_PROCESSES} are needed for an interval")
    if not np.isfinite(logs).all():
        raise ValueError("log ratios must be finite")
    added = max(0, logs.size - max(planned or logs.size, FEWEST_PROCESSES))
    freedom = float(logs.size - 1 - added * (1 - ADDED_FREEDOM))
    return _ratio(float(logs.mean()), float(logs.std(ddof=1) / np.sqrt(logs.size)), freedom, level)


def change(before: Sequence[float], now: Sequence[float], level: float = LEVEL) -> Ratio:
    """Time of one cell in one campaign over its time in another, with an interval.

    Parameters
    ----------
    before, now : (m,) and (k,) float, seconds
        One median a fresh process, of `before` and of `now`; positive, finite; at least five each.
    level : float
        Coverage of the interval.

    Returns
    -------
    Ratio
        Dimensionless, geometric mean of `before` over that of `now`; above 1 it became faster.

    Raises
    ------
    ValueError
        Fewer than five processes on a side, or an entry that is not positive and finite.

    Notes
    -----
    Welch's interval on the processes' logarithms: the campaigns share no process, and may differ in their noise.
    """
    a, b = _logs(before, "before"), _logs(now, "now")
    if min(a.size, b.size) < FEWEST_PROCESSES:
        raise ValueError(f"{a.size} and {b.size} processes, at least {FEWEST_PROCESSES} of each are needed")
    variances = tuple(float(side.var(ddof=1) / side.size) for side in (a, b))
    freedom = _satterthwaite(variances, (float(a.size - 1), float(b.size - 1)))
    return _ratio(float(a.mean() - b.mean()), float(np.sqrt(sum(variances))), freedom, level)


def quotient(ratio: Ratio, of: Ratio, level: float = LEVEL) -> Ratio:
    """Return `ratio / of`, two ratios that were measured independently, with the interval of the quotient."""
    variances = (ratio.error**2, of.error**2)
    freedom = _satterthwaite(variances, (ratio.freedom, of.freedom))
    return _ratio(float(np.log(ratio.value / of.value)), float(np.sqrt(sum(variances))), freedom, level)


def change_since(nights: Sequence[float], now: float, level: float = LEVEL) -> Ratio:
    """Time of a series of nights over tonight's, with an interval that a night of the same level falls into.

    Parameters
    ----------
    nights : (m,) float, seconds
        One time a night, of one level; positive, finite; at least five.
    now : float, seconds
        Tonight's.
    level : float
        Coverage of the interval.

    Returns
    -------
    Ratio
        Dimensionless; above 1 tonight is faster.

    Raises
    ------
    ValueError
        Fewer than five nights, or an entry that is not positive and finite.

    Notes
    -----
    Student's prediction interval: the replicate is the night, so what differs from one night to the next (placement,
    clocks, temperature) is in the interval, as it is not in an interval from the walks of two nights.
    """
    logs, tonight = _logs(nights, "nights"), _logs([now], "now")[0]
    if logs.size < FEWEST_PROCESSES:
        raise ValueError(f"{logs.size} nights, at least {FEWEST_PROCESSES} are needed")
    error = float(logs.std(ddof=1) * np.sqrt(1 + 1 / logs.size))
    return _ratio(float(logs.mean() - tonight), error, float(logs.size - 1), level)


def point_estimate(walk_ratios: Sequence[float]) -> float:
    """Return the speedup alone, of any number of processes: what quick mode shows, without interval or verdict."""
    return float(np.exp(np.mean(walk_ratios)))


def verdict(ratio: Ratio, margin: float = 0.05) -> Verdict:
    """Return what the interval allows to say of a ratio.

    Parameters
    ----------
    ratio : Ratio
    margin : float
        Relative difference that counts as none, fixed beforehand; the band is `(1 / (1 + margin), 1 + margin)`.

    Returns
    -------
    {"parity", "faster", "slower", "undecided"}
        `parity` only if the whole interval lies inside the band; never for want of evidence.
    """
    lower, upper = 1.0 / (1.0 + margin), 1.0 + margin
    if lower < ratio.low and ratio.high < upper:
        return "parity"
    if ratio.high < lower:
        return "slower"
    if ratio.low > upper:
        return "faster"
    return "undecided"


def geometric_mean(ratios: Sequence[Ratio], level: float = LEVEL) -> Ratio:
    """Geometric mean of the speedups of a fixed set of kernels.

    Parameters
    ----------
    ratios : sequence of Ratio
        At least one.
    level : float
        Coverage of the interval.

    Returns
    -------
    Ratio
        The interval tells the uncertainty of the measurement of these kernels, not the spread between kernels.

    Raises
    ------
    ValueError
        No ratio.
    """
    if not ratios:
        raise ValueError("the geometric mean of no ratio is not defined")
    logs = np.log([ratio.value for ratio in ratios])
    variances = tuple((ratio.error / len(ratios)) ** 2 for ratio in ratios)
    freedom = _satterthwaite(variances, tuple(ratio.freedom for ratio in ratios))
    return _ratio(float(logs.mean()), float(np.sqrt(sum(variances))), freedom, level)


def outside_p_value(ratio: Ratio, margin: float = 0.05) -> float:
    """Return the one-sided p-value of "the ratio lies beyond the margin", on the side where the estimate is.

    Near 1 for an estimate inside the margin. Feed the p-values of all kernels to `holm`.
    """
    beyond = abs(np.log(ratio.value)) - np.log1p(margin)
    if ratio.error == 0.0:
        return 0.0 if beyond > 0 else 1.0
    return float(special.stdtr(ratio.freedom, -beyond / ratio.error))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for testing many kernels at once (Holm's step-down method).

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1].

    Returns
    -------
    list of float
        Adjusted p-values in the order given; comparing each with alpha bounds the chance of any false claim by alpha.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * (p.size - np.arange(p.size)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def _logs(seconds: Sequence[float], name: str) -> Samples:
    values = np.asarray(seconds, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name}: at least one sample is needed, in one dimension")
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError(f"{name}: times must be positive and finite")
    return np.log(values)


def _satterthwaite(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    """Degrees of freedom of a sum of independent variance estimates (Welch and Satterthwaite)."""
    spread = sum(v * v / f for v, f in zip(variances, freedoms, strict=True))
    return float(sum(variances) ** 2 / spread) if spread > 0.0 else float(min(freedoms))


def _ratio(log_value: float, error: float, freedom: float, level: float) -> Ratio:
    reach = float(special.stdtrit(freedom, 0.5 + level / 2.0)) * error
    low, value, high = np.exp([log_value - reach, log_value, log_value + reach])
    return Ratio(float(value), float(low), float(high), error, freedom)
