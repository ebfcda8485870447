"""The cheap proof that comes before the whole one: what stands near a condition often excludes it already.

A path says much that has nothing to do with the index in question, and every fact makes sets larger. Leaving conditions
out only makes more possible: what is impossible without them is impossible with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import islpy as isl

from .sets import Key, Solver, facts_of
from .terms import Condition, Every

_STEPS = 2  # from the condition to those that bound its values, and to those that bound theirs


def excludes(solver: Solver, path: Iterable[Condition], condition: Condition, launches: isl.Set | None = None) -> bool:
    """Whether conditions within two steps of a condition contradict it; False says nothing.

    Parameters
    ----------
    path : iterable of Condition
        What holds.
    condition : Condition
        What is to be impossible.
    launches : isl.Set, optional
        Those that count; all, unless given.
    """
    launches = solver.context if launches is None else launches
    whole = tuple(dict.fromkeys(part for c in path for part in _parts(c)))
    near = solver.direct(condition)
    for _ in range(_STEPS):
        known = _with_facts(whole, near)
        for touching in [d for d in map(solver.direct, known) if d.keys() & near.keys()]:
            near = {**near, **touching}
        known = _with_facts(whole, near)
        chosen = [c for c in known if solver.direct(c).keys() <= near.keys()]
        if len(chosen) == len(known):
            return False  # no less than the whole proof
        frame = solver.bare_frame(near)
        if frame.all_of([*chosen, condition]).intersect_params(launches).is_empty():
            return True
    return False


def _with_facts(path: Iterable[Condition], keys: Iterable[Key]) -> list[Condition]:
    return list(dict.fromkeys((*path, *(part for k in keys for f in facts_of(k) for part in _parts(f)))))


def _parts(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, Every):
        for inner in condition.conditions:
            yield from _parts(inner)
    else:
        yield condition
