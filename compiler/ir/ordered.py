"""Stores in the order of the threads: which there are, and what keeps one a matter of sums over threads.

Each thread contributes once at most, a value or an item, and what it stores, or where, follows from what earlier
threads contributed. Every target may run the body twice, or hold these stores back to its end: so there is no other
effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .nodes import (
    Array,
    AtomicUpdate,
    Checked,
    Contribute,
    Expr,
    For,
    If,
    Load,
    Order,
    Parallel,
    Read,
    Statement,
    Store,
    Teams,
    Unsafe,
    VariableKind,
    While,
)
from .source import Span
from .walk import expressions_of, inlined, statements, walk

_FIXED = (VariableKind.THREAD, VariableKind.SCALAR, VariableKind.EXTENT)


def ordered_store(body: Parallel | Teams) -> Store | None:
    """Return a store in the order of the threads; all that a valid kernel has are of its array and kind."""
    return next((s for s in inlined(body.body) if isinstance(s, Store) and s.order is not None), None)


def misplaced(body: Parallel | Teams) -> Iterator[tuple[Span, str]]:
    """Yield each statement or expression that such a store excludes, with the reason."""
    first = ordered_store(body)
    if first is None:
        return
    if not isinstance(body, Parallel) or len(body.indices) != 1:
        yield first.span, "threads have an order in a `parallel` of one range"
        return
    own = {id(s) for s in statements(body.body)}
    for s in inlined(body.body):
        if isinstance(s, Store) and s.order is not None and id(s) not in own:
            yield s.span, "device functions have no place in the order"
        elif isinstance(s, Store) and isinstance(s.array, Array) and (s.array, s.order) != (first.array, first.order):
            yield s.span, "nothing else is stored in such a kernel"
        elif isinstance(s, Contribute) and s.bin:
            yield s.span, "bins take no contributions in such a kernel"
        for e in (part for whole in expressions_of(s) for part in walk(whole)):
            if isinstance(e, AtomicUpdate):
                yield e.span, "atomic operations do not go with it"
    yield from _repeated(body.body) if first.order is Order.PUSH else _not_last(body.body)


def _repeated(body: Sequence[Statement]) -> Iterator[tuple[Span, str]]:
    """Yield pushes that a thread might reach after another one, or more than once."""
    for s in statements(body):
        if isinstance(s, (For, While, Checked, Unsafe)):
            what = "loop" if isinstance(s, (For, While)) else "`checked` or `unsafe` block"
            yield from ((p.span, f"inside of a {what}") for p in _pushes(s))
    yield from ((p.span, "a thread pushes once at most") for p in _second(body))


def _second(body: Sequence[Statement]) -> Iterator[Store]:
    reached = False
    for s in body:
        pushes = list(_pushes(s))
        if reached:
            yield from pushes
        elif isinstance(s, If):
            yield from _second(s.then)
            yield from _second(s.otherwise)
        reached = reached or bool(pushes)


def _pushes(s: Statement) -> Iterator[Store]:
    return (p for p in statements((s,)) if isinstance(p, Store) and p.order is not None)


def _not_last(body: Sequence[Statement]) -> Iterator[tuple[Span, str]]:
    for s in statements(body):
        if isinstance(s, Store) and s.order is not None and s is not body[-1]:
            yield s.span, "it is the last statement of the thread, under no condition"
        elif isinstance(s, Store) and s.order is not None and not all(map(_is_fixed, s.index)):
            yield s.target_span, "its place depends on the thread's index, scalars and extents only"


def _is_fixed(index: Expr) -> bool:
    parts = list(walk(index))
    return not any(isinstance(p, Load) or (isinstance(p, Read) and p.variable.kind not in _FIXED) for p in parts)
