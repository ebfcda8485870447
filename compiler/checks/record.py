"""The growing list of facts during symbolic execution, with the path to the current point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ..ir.nodes import Buffer, Indexed
from ..ir.source import Source, Span
from ..ir.types import Scalar
from .facts import Access, Division, Observation, Place, Region
from .terms import Condition, Symbol, Term, Truth, every
from .values import Boolean, Observed


@dataclass(slots=True)
class _Step:
    """One condition of the path; what it observed becomes an obligation once something depends on the path."""

    condition: Condition
    seen: tuple[Observed, ...]


class Record:
    """Collects facts; the path is a stack.

    Attributes
    ----------
    region : Region, optional
        The threads that run; None outside phases, where `outside` is the header of what runs.
    """

    def __init__(self, source: Source, outside: Span) -> None:
        self.source = source
        self.outside = outside
        self.accesses: list[Access] = []
        self.observations: dict[tuple[object, ...], Observation] = {}
        self.divisions: list[Division] = []
        self.regions: list[Region] = []
        self.homes: dict[Buffer, Place] = {}
        self.iterators: tuple[Symbol, ...] = ()
        self.region: Region | None = None
        self.is_checked, self.unsafe = False, ""
        self._path: list[_Step] = []
        self._order = 0

    def text(self, span: Span) -> str:
        """Return the source text of a span, on one line."""
        if span.line == span.end_line:
            return self.source.line(span.line)[span.column : span.end_column]
        lines = [self.source.line(n) for n in range(span.line, span.end_line + 1)]
        lines[0], lines[-1] = lines[0][span.column :], lines[-1][: span.end_column]
        return " ".join(line.strip() for line in lines)

    @contextmanager
    def given(self, condition: Condition, seen: tuple[Observed, ...] = ()) -> Iterator[None]:
        """Everything inside happens only if a condition holds."""
        self._path.append(_Step(condition, seen))
        try:
            yield
        finally:
            self._path.pop()

    @contextmanager
    def waiving(self, *, is_checked: bool, unsafe: str) -> Iterator[None]:
        """Everything inside stands in a block that waives proofs."""
        before = (self.is_checked, self.unsafe)
        self.is_checked, self.unsafe = self.is_checked or is_checked, unsafe or self.unsafe
        try:
            yield
        finally:
            self.is_checked, self.unsafe = before

    @contextmanager
    def iterating(self, *iterators: Symbol) -> Iterator[None]:
        """Everything inside happens once for each value of the iterators."""
        before = self.iterators
        self.iterators += iterators
        try:
            yield
        finally:
            self.iterators = before

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Record nothing inside: it is recorded elsewhere, for every iteration at once."""
        before = (self.accesses, self.observations, self.divisions, self.regions, self.homes)
        self.accesses, self.observations, self.divisions, self.regions, self.homes = [], {}, [], [], {}
        try:
            yield
        finally:
            self.accesses, self.observations, self.divisions, self.regions, self.homes = before

    @property
    def depth(self) -> int:
        """How many conditions are on the path."""
        return len(self._path)

    def since(self, depth: int) -> Boolean:
        """Return the conditions that the path has beyond a depth."""
        steps = self._path[depth:]
        return Boolean(every(*(s.condition for s in steps)), tuple(o for s in steps for o in s.seen))

    @contextmanager
    def running(self, region: Region) -> Iterator[None]:
        """Everything inside is done by each thread of a region."""
        before, self.region = self.region, region
        self.regions.append(region)
        try:
            with self.iterating(*region.threads):
                yield
        finally:
            self.region = before

    def allocate(self, buffer: Buffer) -> None:
        """Record where a buffer is declared."""
        self.rely_on_path()
        self.homes[buffer] = self._place(len(self._path))

    def access(
        self, array: Indexed, index: tuple[Term, ...], seen: tuple[Observed, ...], *, is_write: bool, span: Span
    ) -> None:
        """Record an access; its path and index must be what they say."""
        self.rely_on_path()
        self.rely_on(seen)
        self.accesses.append(Access(is_write, array, index, self._place(len(self._path)), span, self.text(span)))

    def division(
        self, dividend: Term, divisor: Term, type_: Scalar, seen: tuple[Observed, ...],
        *, span: Span, divisor_span: Span, role: str = "divisor",
    ) -> None:  # fmt: skip
        """Record a `//` or `%`, or a step; a divisor that is not a constant is an obligation."""
        if not divisor.is_constant:
            self.rely_on_path()
            self.rely_on(seen)
        pending = [o for depth, step in enumerate(self._path) for o in self._placed(step.seen, depth)]
        observations = (*pending, *self._placed(seen, len(self._path)))
        place, below = self._place(len(self._path)), self.text(divisor_span)
        self.divisions.append(
            Division(dividend, divisor, type_, place, observations, span, divisor_span, self.text(span), below, role)
        )

    def rely_on_path(self) -> None:
        """Make what the path's conditions observed an obligation, each where it was evaluated."""
        for depth, step in enumerate(self._path):
            for observation in self._placed(step.seen, depth):
                self._require(observation)

    def rely_on(self, seen: tuple[Observed, ...]) -> None:
        """Make observations at the current point obligations."""
        for observation in self._placed(seen, len(self._path)):
            self._require(observation)

    def _require(self, observation: Observation) -> None:
        key = (observation.term, observation.type, observation.place.path, observation.place.unsafe)
        self.observations.setdefault(key, observation)

    def _placed(self, seen: tuple[Observed, ...], depth: int) -> Iterator[Observation]:
        for o in seen:
            place = self._place(depth)
            place = replace(place, path=(*place.path, *o.under))
            yield Observation(o.term, o.type, place, o.span, self.text(o.span), o.why)

    def _place(self, depth: int) -> Place:
        self._order += 1
        path = tuple(s.condition for s in self._path[:depth] if s.condition != Truth(True))
        region = self.region or Region(None, self.outside, self.iterators)
        return Place(path, self.iterators, self._order, region, self.is_checked, self.unsafe)
