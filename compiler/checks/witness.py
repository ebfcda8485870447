"""The smallest concrete example inside a set of violations."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from .nonlinear import Answer
from .sets import DIMENSION, PARAMETER, OutOfBudget, Solver
from .terms import Kind

_BOUNDS = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1024, 2**16, 2**20, 2**31, 2**33, 2**64)


@dataclass(frozen=True, slots=True)
class Witness:
    """Concrete values that violate an obligation.

    Attributes
    ----------
    sizes : tuple of (str, int)
        Scalars and extents that matter.
    point : tuple of int
        One value for each dimension of the set.
    """

    sizes: tuple[tuple[str, int], ...]
    point: tuple[int, ...]

    @property
    def launch(self) -> str:
        """The sizes as text: `n = 3, off = 1`; empty if there are none."""
        return ", ".join(f"{name} = {value}" for name, value in self.sizes)


def witness_of(answer: Answer, point: tuple[int, ...] = ()) -> Witness:
    """Return z3's example as a witness."""
    values = sorted(answer.values().items(), key=lambda item: item[0].serial)
    return Witness(tuple((s.name, v) for s, v in values if s.kind is Kind.PARAMETER), point)


def find_witness(solver: Solver, violation: isl.Set) -> Witness | None:
    """Return a small example; None if it takes more than the budget to find one."""
    try:
        with solver.budget():
            return _find(solver, violation.intersect_params(solver.ranges))
    except OutOfBudget:
        return None


def _find(solver: Solver, violation: isl.Set) -> Witness | None:
    matters = violation.gist_params(solver.context)
    used = [matters.involves_dims(PARAMETER, p, 1) for p in range(violation.dim(PARAMETER))]
    names = [str(violation.get_dim_name(PARAMETER, p)) for p in range(violation.dim(PARAMETER))]
    points = violation.move_dims(DIMENSION, 0, PARAMETER, 0, len(names))
    for bound in _BOUNDS:
        near = _within(solver, points, len(names), -bound, bound)
        if near.is_empty():
            continue
        plain = _within(solver, near, len(names), 0, bound)
        point = _smallest(near if plain.is_empty() else plain)
        values = [int(point.get_coordinate_val(DIMENSION, p).to_python()) for p in range(points.dim(DIMENSION))]
        own = set(solver.names[: len(solver.facts.parameters)])
        sizes = tuple((n, v) for n, v, u in zip(names, values, used, strict=False) if u and n in own)
        return Witness(sizes, tuple(values[len(names) :]))
    return None


def _smallest(points: isl.Set) -> isl.Point:
    """Return the first point in lexicographic order; any point where what is unknown has no lower end.

    Any point, too, where isl finds no first one: of some sets that hold points its minimum is the empty set.
    """
    try:
        first = points.lexmin()
    except isl.Error as error:
        if "unbounded" not in str(error):
            raise
        first = points
    return (points if first.is_empty() else first).sample_point()


def _within(solver: Solver, points: isl.Set, count: int, low: int, high: int) -> isl.Set:
    for position in range(count):
        points = points.lower_bound_val(DIMENSION, position, solver.number(low))
        points = points.upper_bound_val(DIMENSION, position, solver.number(high))
    return points
