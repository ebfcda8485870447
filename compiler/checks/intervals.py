"""Interval arithmetic on terms: the cheap test that comes before any solver."""

from __future__ import annotations

from ..ir.types import BOOL, Scalar
from .terms import Apply, Atom, Choice, Kind, Symbol, Term, symbols

# Sizes and indices of real launches lie far inside of this; used only to tell arithmetic that a launch guard can
# keep in range from arithmetic on arbitrary data, never to prove anything.
_USUAL = 2**62


def range_of(type_: Scalar) -> tuple[int, int]:
    """Return the smallest and the largest value of an integer type or bool."""
    return (0, 1) if type_ is BOOL else (type_.lowest, type_.highest)


def interval(term: Term, *, usual: bool = False) -> tuple[int, int] | None:
    """Return bounds of a term's mathematical value, or None where none are known.

    Parameters
    ----------
    usual : bool
        Assume indices, parameters and loop-carried values of 64 bits within +-2^62.
    """
    low = high = term.constant
    for atom, coefficient in term.parts:
        inner = _interval(atom, usual)
        if inner is None:
            return None
        ends = (coefficient * inner[0], coefficient * inner[1])
        low, high = low + min(ends), high + max(ends)
    return low, high


def _interval(atom: Atom, usual: bool) -> tuple[int, int] | None:
    match atom:
        case Symbol(kind=kind, type=type_):
            low, high = range_of(type_)
            if usual and kind is not Kind.UNKNOWN:
                low, high = max(low, -_USUAL), min(high, _USUAL)
            elif kind in (Kind.ITERATION, Kind.COUNT, Kind.CARRIED):
                return None
            return low, high
        case Choice(then=then, otherwise=otherwise):
            a, b = interval(then, usual=usual), interval(otherwise, usual=usual)
            return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))
        case Apply(function="min" | "max" as function, left=left, right=right):
            a, b = interval(left, usual=usual), interval(right, usual=usual)
            pick = min if function == "min" else max
            return None if a is None or b is None else (pick(a[0], b[0]), pick(a[1], b[1]))
        case Apply(function="mod", right=right) if right.is_constant and right.constant > 0:
            return 0, right.constant - 1
        case Apply(function="floordiv", left=left, right=right) if right.is_constant and right.constant > 0:
            a = interval(left, usual=usual)
            return None if a is None else (a[0] // right.constant, a[1] // right.constant)
        case Apply(function="mul", left=left, right=right):
            a, b = interval(left, usual=usual), interval(right, usual=usual)
            if a is None or b is None:
                return None
            products = [x * y for x in a for y in b]
            return min(products), max(products)
    return None


def fits(term: Term, type_: Scalar, *, usual: bool = False) -> bool:
    """Whether a term's mathematical value surely lies in the range of a type."""
    found, (low, high) = interval(term, usual=usual), range_of(type_)
    return found is not None and low <= found[0] and found[1] <= high


def is_data(term: Term) -> bool:
    """Whether the term depends on an integer whose value only the data know."""
    return any(s.kind is Kind.UNKNOWN and s.type is not BOOL for s in symbols([term]))
