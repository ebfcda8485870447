"""What must hold of reducers and contributions, for the rules that take more than a line."""

from __future__ import annotations

from .nodes import Assign, AtomicUpdate, Contribute, If, Load, Reducer
from .types import I64
from .walk import expressions_of, inlined, walk


def is_located(c: Contribute) -> bool:
    """Whether a contribution has an i64 location exactly where its reduction has."""
    if c.location is None:
        return not c.reducer.reduction.has_location
    return c.reducer.reduction.has_location and c.location.type is I64


def combines(r: Reducer) -> bool:
    """Whether a struct's operation has a value for each field, from its parameters and pure statements alone."""
    c = r.combination
    assert c is not None
    types = [t for t, _ in r.fields]
    rows = (c.identity, c.first, c.second, c.values)
    own = all(isinstance(s, (Assign, If)) for s in inlined(c.statements))
    parts = [e for s in inlined(c.statements) for e in expressions_of(s)] + list(c.values)
    pure = not any(isinstance(p, (Load, AtomicUpdate)) for e in parts for p in walk(e))
    return not r.dims and own and pure and all([v.type for v in row] == types for row in rows)
