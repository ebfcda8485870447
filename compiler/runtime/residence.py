"""Where the newest version of an array is, row by row: the one state machine behind launches, host borrows and plans.

It knows nothing of memory or streams, so a plan for a machine that is not there goes through the same states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

Place: TypeAlias = str
"""A memory: the host's, or that of a GPU (`gpu:0`)."""

HOST: Final = "host"

Rows: TypeAlias = tuple[int, int]
"""Positions along the first dimension, the end excluded."""


class Copying(NamedTuple):
    """Rows that must be copied before a borrow."""

    source: Place
    target: Place
    rows: Rows


class Residence:
    """Which rows are newest in which memory.

    A shared borrow needs newest rows where it is. An exclusive one makes its place the only one that has them; where it
    overwrites all of them (`Out`), it needs none before.

    Parameters
    ----------
    rows : int
        Length of the first dimension; 1 for a scalar.

    Attributes
    ----------
    places : set of str
        Where the whole array is newest; nowhere before it is written.
    """

    def __init__(self, rows: int) -> None:
        self.rows: Rows = 0, rows
        self._newest: dict[Place, list[Rows]] = {}
        self.places: frozenset[Place] = frozenset()

    def holds(self, rows: Rows) -> bool:
        """Whether each of the rows was written."""
        return bool(self.places) or not _without([rows], [r for newest in self._newest.values() for r in newest])

    def needed(self, place: Place, rows: Rows, access: str) -> Iterator[Copying]:
        """Yield what must be copied before a borrow; from the host where it has the rows."""
        if access == "Out" or place in self.places:
            return
        missing = _without([rows], self._newest.get(place, []))
        for source in sorted(self._newest, key=lambda p: (p != HOST, p)):
            found = [part for lack in missing for part in _within(self._newest[source], lack)]
            yield from (Copying(source, place, part) for part in found)
            missing = _without(missing, found)

    def borrow(self, place: Place, rows: Rows, access: str) -> None:
        """Note a borrow whose copies were made."""
        if access == "Ref" and place in self.places:
            return
        self._newest[place] = _joined([*self._newest.get(place, []), rows])
        if access != "Ref":
            for other in self._newest.keys() - {place}:
                self._newest[other] = _without(self._newest[other], [rows])
        whole = (p for p, newest in self._newest.items() if not _without([self.rows], newest))
        self.places = frozenset(whole)


def follow(before: str | None, access: str) -> str:
    """Return the one borrow that two in a row come to: what is overwritten first needs nothing, whatever follows."""
    if before in (None, "Out") or before == access == "Ref":
        return before or access
    return "Mut"


def _without(ranges: Iterable[Rows], cuts: Iterable[Rows]) -> list[Rows]:
    left = [r for r in ranges if r[0] < r[1]]
    for low, high in cuts:
        left = [part for a, b in left for part in ((a, min(b, low)), (max(a, high), b)) if part[0] < part[1]]
    return left


def _within(ranges: Iterable[Rows], limits: Rows) -> list[Rows]:
    low, high = limits
    return [(max(a, low), min(b, high)) for a, b in ranges if max(a, low) < min(b, high)]


def _joined(ranges: Iterable[Rows]) -> list[Rows]:
    joined: list[Rows] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        elif low < high:
            joined.append((low, high))
    return joined
