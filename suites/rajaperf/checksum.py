"""RAJAPerf's checksum of a kernel's results, and how one is judged.

RAJAPerf sums in long double, whose width is the machine's business. Here the sum is carried in pairs of doubles, about
106 bits, which is faster than NumPy's long double, more precise than RAJAPerf's compensated sum, and the same on every
machine. Results are rounded to the 20 digits that RAJAPerf prints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from ..spec import Spec

# RAJAPerf's relative tolerances
ZERO = 0.0
TIGHT = 1e-14
NORMAL = 1e-10
LOOSE = 5e-6

DIGITS = 20
PRINTED_PRECISION = 1e-18
"""Relative: a long double holds 19.2 digits, so the last two of those printed are rounding."""

INVERSE_PI = 0.31830988618379067
BLOCK = 1 << 13  # elements at a time: the dozen temporaries of a block stay in the cache
UPPER_HALF = np.int64(-1 << 27)  # mask: sign, exponent and the upper 26 significant bits of a double
EXACT = Context(prec=60)

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A checksum beside the one that was expected.

    Attributes
    ----------
    checksum, expected : Decimal
        20 significant digits; a `checksum` of NaN stands for results that are not finite.
    tolerance : float
        Relative.
    """

    checksum: Decimal
    expected: Decimal
    tolerance: float

    @property
    def relative_difference(self) -> float:
        """Of the two, relative to `expected`; absolute where `expected` is 0; inf if either is not finite."""
        if not (self.checksum.is_finite() and self.expected.is_finite()):
            return math.inf
        difference = abs(EXACT.subtract(self.checksum, self.expected))
        return float(difference if self.expected == 0 else EXACT.divide(difference, abs(self.expected)))

    @property
    def passed(self) -> bool:
        """Whether the difference is within the tolerance, or below the precision of a printed checksum."""
        return self.relative_difference <= max(self.tolerance, PRINTED_PRECISION)


def judge(checksum: Decimal, expected: Decimal, tolerance: float) -> Judgement:
    """Compare a checksum with a published one, or with that of the reference."""
    return Judgement(checksum, expected, tolerance)


def checksum(spec: Spec, arguments: Mapping[str, Any], repetitions: int = 1) -> Decimal:
    """Checksum of a kernel's results as RAJAPerf computes it.

    Parameters
    ----------
    spec : Spec
        Whose `checksum` names what enters, `part` how much of it, and `scalars` which of it by magnitude only.
    arguments : mapping
        Host arrays (and numbers) after the last repetition, by parameter name. Integers enter as doubles.
    repetitions : int
        How many there were.

    Returns
    -------
    Decimal
        20 significant digits, which `format(checksum, "f")` shows as RAJAPerf prints them; NaN if any value, or the
        checksum in double, is not finite.
    """
    total = Decimal(0)
    for name in spec.checksum:
        value = arguments[name][:repetitions] if name in spec.repeated else arguments[name]
        for member in value if isinstance(value, list) else [value]:
            part = spec.part[name](np.asarray(member)) if name in spec.part else np.asarray(member)
            total = EXACT.add(total, _magnitude(part) if name in spec.scalars else _weighted_sum(part))
    return _printed(total)


def _printed(value: Decimal) -> Decimal:
    """Round to the digits that RAJAPerf prints."""
    if not value.is_finite():
        return Decimal("NaN")
    return EXACT.quantize(value, Decimal(1).scaleb(value.adjusted() + 1 - DIGITS))


def _magnitude(scalar: npt.NDArray[Any]) -> Decimal:
    if scalar.size != 1:
        raise ValueError(f"a reduced scalar has one element, not {scalar.size}")
    return abs(Decimal(scalar.item()))


def _weighted_sum(array: npt.NDArray[Any]) -> Decimal:
    """Sum of w[j] |x[j]|, w[j] = v - floor(v) + 0.5, v = (j + 1) / pi, or (j + 0.5) / pi where x[j] < 0."""
    flat = np.ravel(array)
    high, low = np.zeros(min(BLOCK, flat.size)), np.zeros(min(BLOCK, flat.size))
    with np.errstate(all="ignore"):  # what is not finite is found in the sums
        for first in range(0, flat.size, BLOCK):
            part = flat[first : first + BLOCK].astype(np.float64)
            _accumulate(high[: part.size], low[: part.size], _weights(part, first), np.abs(part, out=part))
    if not (np.isfinite(high).all() and np.isfinite(low).all()):
        return Decimal("NaN")
    leading = math.fsum(high)
    rest = math.fsum([*high, *low, -leading])
    return EXACT.add(Decimal(leading), Decimal(rest))


def _weights(values: Doubles, first: int) -> Doubles:
    v = np.arange(first + 1, first + 1 + values.size, dtype=np.float64)
    np.subtract(v, 0.5, out=v, where=values < 0.0)
    v *= INVERSE_PI
    v -= np.floor(v)
    v += 0.5
    return v


def _accumulate(high: Doubles, low: Doubles, weights: Doubles, values: Doubles) -> None:
    """Add weights * values, to about 80 bits each, to the pairs (high, low), in place.

    The factors are cut in halves of 26 and 27 bits, so that the product of the upper halves is exact; it enters `high`
    by an exact addition whose error goes to `low` (Knuth, TAOCP 2, 4.2.2), and so do the three smaller products.
    """
    upper_weights, upper_values = _upper_half(weights), _upper_half(values)
    product = upper_weights * upper_values
    smaller = upper_weights * np.subtract(values, upper_values, out=upper_values)
    smaller += np.multiply(np.subtract(weights, upper_weights, out=upper_weights), values, out=weights)
    low += smaller
    total = high + product
    added = np.subtract(total, high, out=smaller)
    product -= added
    product += np.subtract(high, np.subtract(total, added, out=added), out=added)
    low += product
    high[:] = total


def _upper_half(values: Doubles) -> Doubles:
    return (values.view(np.int64) & UPPER_HALF).view(np.float64)
