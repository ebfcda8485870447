"""Comparison of a side's arrays with the reference's, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_CHUNK = 1 << 20  # elements; keeps temporaries in the cache
WORST = 1e300  # an error without a finite measure; plain JSON has no infinity


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest error of an array.

    Attributes
    ----------
    error : float
        In units of the tolerance; above 1 the array is wrong.
    message : str
        Which element, what it is and should be; empty if the array is right.
    """

    error: float = 0.0
    message: str = ""


def compare_arrays(name: str, got: Any, want: Any, before: Any, rtol: float) -> Difference:
    """Compare one array with the reference's.

    Parameters
    ----------
    name : str
        For the message.
    got, want : arrays of one shape and dtype
        The side's and the reference's.
    before : array
        Initial content; with `want` it sets the magnitude that the tolerance is relative to.
    rtol : float
        Relative tolerance of floats, relative to the largest magnitude in `want` and `before`. Integers must be equal.

    Returns
    -------
    Difference
        NaN and infinities are errors, wherever they stand.
    """
    if got.shape != want.shape or got.dtype != want.dtype:
        return Difference(WORST, f"`{name}` has shape {got.shape}, {got.dtype}; expected {want.shape}, {want.dtype}")
    if want.dtype.kind != "f":
        return _compare_exactly(name, got, want)
    allowed = rtol * max(_magnitude(want), _magnitude(before))
    flat_got, flat_want = np.ravel(got), np.ravel(want)
    worst, where = 0.0, -1
    for start in range(0, flat_got.size, _CHUNK):
        a, b = flat_got[start : start + _CHUNK], flat_want[start : start + _CHUNK]
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.abs(a - b)
        error[~(np.isfinite(a) & np.isfinite(b))] = np.inf
        index = int(error.argmax())
        if error[index] > worst:
            worst, where = float(error[index]), start + index
    if worst <= allowed:
        return Difference(worst / allowed if allowed else 0.0)
    return Difference(min(worst / allowed if allowed else WORST, WORST), _message(name, got, want, where))


def compare_inputs(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return which input was changed, and where; empty if none was. Bit for bit, so that NaN compares too."""
    for name, original in before.items():
        same = bits(after[name]) == bits(original)
        if not same.all():
            return f"the input `{name}` was changed at {_place(original.shape, int(same.argmin()))}"
    return ""


def bits(array: Any) -> Any:
    """Return the elements of an array as unsigned integers of their size, flat: equal only if bit by bit the same."""
    return np.ravel(array).view(np.uint8 if array.dtype.fields else f"u{array.dtype.itemsize}")


def _compare_exactly(name: str, got: Any, want: Any) -> Difference:
    differs = np.ravel(got) != np.ravel(want)
    if not differs.any():
        return Difference()
    return Difference(WORST, _message(name, got, want, int(differs.argmax())))


def _message(name: str, got: Any, want: Any, where: int) -> str:
    place = _place(got.shape, where)
    return f"`{name}` at {place} is {np.ravel(got)[where]!s}, the NumPy reference has {np.ravel(want)[where]!s}"


def _place(shape: tuple[int, ...], where: int) -> str:
    return "[" + ", ".join(str(int(i)) for i in np.unravel_index(where, shape)) + "]"


def _magnitude(array: Any) -> float:
    """Largest finite magnitude; 0 without one."""
    flat, largest = np.ravel(array), 0.0
    for start in range(0, flat.size, _CHUNK):
        values = np.abs(flat[start : start + _CHUNK])
        largest = max(largest, float(values[np.isfinite(values)].max(initial=0.0)))
    return largest
