"""Ordered compaction: the indices of the items that are marked, in ascending order, at the front of a list.

Each thread finds the items of its own places of the list, by bisection of the running count: no two threads write one
element, whatever the marks are, and nothing has to be inspected.
"""

from typing import Any

from ..decorators import Program, kernel, program
from ..frontend.language import Mut, Overloads, Ref, Sum, ceildiv, i32, i64, parallel, scratch
from .scan import inclusive_scan

RUN = 16  # places of a thread: it looks for the first one's item, and goes on from there


def _compaction(T: Any) -> Program:
    """Return `compact(list, length, marks)`."""

    @kernel
    def collect(list: Mut[T, "n"], length: Sum[T], upto: Ref[T, "n"]):
        for c in parallel(ceildiv(n, RUN)):
            low, high = 0, n - 1
            while low < high:
                first = min(max(low, 0), n - 1)
                middle = (first + min(max(high, 0), n - 1)) // 2
                if upto[min(max(middle, 0), n - 1)] > c * RUN:
                    high = middle
                else:
                    low = middle + 1
            at, place, end = low, c * RUN, min(n, c * RUN + RUN, max(upto[n - 1], 0))
            length += T(max(end - place, 0))
            while place < end and at < n:  # stores each item, and goes on behind those that are marked: no branch
                item = min(max(at, 0), n - 1)
                list[max(place, c * RUN)] = T(item)
                place = max(place, c * RUN) + (1 if upto[item] > place else 0)
                at = item + 1

    @program
    def compact(list: Mut[T, "n"], length: Sum[T], marks: Ref[T, "n"]):
        upto = scratch(T, n)
        inclusive_scan(upto, marks)
        collect(list, length, upto)

    return compact


compact: Any = Overloads("compact", {T.name: _compaction(T) for T in (i32, i64)})
"""`compact(list, length, marks)`: the i with marks[i] = 1 (else 0) to the front of `list`; `length` counts them."""
