"""Flattened indices as tuples: `x[i*m + j]`, with `0 <= j < m` proved, is `x[i, j]` of an array with rows of `m`.

An index is a number whose digits have the extents as their bases. In range, digits are unique: so bounds, races and
initialisation are questions about tuples, which have no products.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import gcd

from ..ir.nodes import Access as Borrow
from ..ir.nodes import Indexed
from .facts import Access, Facts
from .nonlinear import is_nonlinear
from .products import factors, is_uniform, product, quotient
from .sets import OutOfBudget, Solver
from .terms import Condition, Kind, Term, compare, floordiv, number, some, symbols

_MOST_CHAINS = 6

Stride = tuple[Term, ...]  # factors; () is the stride 1
Shape = tuple[tuple[Term, Term], ...]  # bounds of each dimension


@dataclass(frozen=True, slots=True)
class Radix:
    """The strides of one dimension, from the second smallest on; each divides the next."""

    strides: tuple[Term, ...]

    def digits(self, index: Term) -> tuple[Term, ...]:
        """Return the digits of an index, the most significant one first."""
        rest = dict.fromkeys((number(1), *self.strides), number(0))
        for part in (*(Term(0, (p,)) for p in index.parts), number(index.constant)):
            for stride in reversed(self.strides):
                whole = quotient(part, stride)
                if whole is not None:
                    rest[stride] += whole
                    break
            else:
                rest[number(1)] += part
        return tuple(reversed(rest.values()))

    def bases(self) -> tuple[Term, ...]:
        """Return the extents of all digits but the first, in their order."""
        steps = (number(1), *self.strides)
        found = [quotient(upper, lower) for lower, upper in pairwise(steps)]
        return tuple(base for base in reversed(found) if base is not None)


def delinearised(facts: Facts) -> tuple[Facts, Solver]:
    """Return the facts with every flattened dimension taken apart, where all digits are proved in range, and a solver.

    An array may be larger than its whole rows, so the last of them is an obligation like any other bound.
    """
    solver = Solver(facts)
    written = facts.shapes
    for array, shape in written.items():
        if array in facts.lengths:
            continue
        accesses = [a for a in facts.accesses if a.array is array]
        if any(s.kind is Kind.UNKNOWN for a in accesses for s in symbols(a.index)):
            continue  # what index arrays hold is looked at as it is written
        flat = [d for d in range(len(shape)) if any(is_nonlinear([a.index[d]]) for a in accesses)]
        for dimension in reversed(flat):
            extent = shape[dimension]
            radix = _radix([a for a in facts.accesses if a.array is array], dimension, extent, array, solver)
            if radix is None:
                continue
            facts = replace(
                facts,
                shapes={**facts.shapes, array: _taken_apart(facts.shapes[array], dimension, radix)},
                accesses=tuple(_access(a, dimension, shape, radix) if a.array is array else a for a in facts.accesses),
            )
    return facts, solver if facts.shapes is written else Solver(facts)


def _radix(
    accesses: list[Access], dimension: int, extent: tuple[Term, Term], array: Indexed, solver: Solver
) -> Radix | None:
    """Return strides under which every digit of every access but the first is proved to lie below its base."""
    low, high = extent
    indices = dict.fromkeys((a.index[dimension] - low, a.place.path) for a in accesses)
    for radix in _candidates([index for index, _ in indices]):
        if array.access is Borrow.OUT and quotient(high - low, radix.strides[-1]) is None:
            continue  # whether all of it is written is a question about whole rows
        bases = radix.bases()
        try:
            with solver.budget():
                if all(_in_range(radix.digits(index)[1:], bases, path, solver) for index, path in indices):
                    return radix
        except OutOfBudget:
            continue
    return None


def rows(value: Term, path: tuple[Condition, ...], solver: Solver) -> tuple[Term, Term] | None:
    """Return `top` and `row` of a value that is proved to lie in `[top*row, (top + 1)*row)`, row > 0."""
    for radix in _candidates([value]):
        top, *digits = radix.digits(value)
        if _in_range(tuple(digits), radix.bases(), path, solver):
            return top, radix.strides[-1]
    return None


def _candidates(indices: list[Term]) -> Iterator[Radix]:
    """Yield the chains of strides among the uniform factors of the indices' monomials, the longest first."""
    contents: dict[Stride, int] = {}
    for index in indices:
        for part in index.parts:
            scale, found = factors(Term(0, (part,)))
            uniform = tuple(f for f in found if is_uniform(f))
            if uniform and len(uniform) < len(found):
                stride = tuple(sorted(uniform, key=str))
                contents[stride] = gcd(contents.get(stride, 0), scale)
    chains = [
        chain
        for length in range(len(contents), 0, -1)
        for chain in combinations(sorted(contents, key=len), length)
        if all(not Counter(a) - Counter(b) and a != b for a, b in pairwise(chain))
    ]
    for chain in chains[:_MOST_CHAINS]:
        common = [gcd(*(contents[s] for s in chain[position:])) for position in range(len(chain))]
        yield Radix(tuple(product(s).scaled(c) for s, c in zip(chain, common, strict=True)))
        if any(c > 1 for c in common):
            yield Radix(tuple(product(s) for s in chain))


def _in_range(digits: tuple[Term, ...], bases: tuple[Term, ...], path: tuple[Condition, ...], solver: Solver) -> bool:
    outside = some(*(some(compare("<", d, number(0)), compare(">=", d, b)) for d, b in zip(digits, bases, strict=True)))
    frame = solver.frame([*path, outside])
    return bool(frame.domain(path).intersect(frame.holds(outside)).is_empty())


def _taken_apart(shape: Shape, dimension: int, radix: Radix) -> Shape:
    low, high = shape[dimension]
    rows = quotient(high - low, radix.strides[-1])
    rows = rows if rows is not None else floordiv(high - low, radix.strides[-1])
    digits = tuple((number(0), base) for base in (rows, *radix.bases()))
    return (*shape[:dimension], *digits, *shape[dimension + 1 :])


def _access(access: Access, dimension: int, shape: Shape, radix: Radix) -> Access:
    digits = radix.digits(access.index[dimension] - shape[dimension][0])
    index = (*access.index[:dimension], *digits, *access.index[dimension + 1 :])
    flat = access.flat or tuple(zip(access.index, shape, strict=True))
    return replace(access, index=index, flat=flat)
