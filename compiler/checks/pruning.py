"""What of a kernel's statements something depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..ir.nodes import Assign, Break, Continue, Expr, For, If, Read, Statement, Variable
from ..ir.walk import blocks_of, expressions_of, statements, walk


def expressions(body: Sequence[Statement]) -> list[Expr]:
    """Return all expressions of statements."""
    return [e for s in statements(body) for e in expressions_of(s)]


def read_in(trees: Iterable[Expr]) -> set[Variable]:
    """Return the variables that expressions read."""
    return {e.variable for x in trees for e in walk(x) if isinstance(e, Read)}


def pruned(body: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return statements without the assignments that nothing depends on, and without what is then empty."""
    assigns = [s for s in statements(body) if isinstance(s, Assign)]
    work = [e for s in statements(body) if not isinstance(s, Assign) for e in expressions_of(s)]
    used: set[Variable] = set()
    while work:
        found = read_in(work) - used
        used |= found
        work = [s.value for s in assigns if s.variable in found]
    kept = tuple(k for s in body for k in _without(s, used))
    return kept if kept == tuple(body) else pruned(kept)


def _only_leaves(s: Statement) -> bool:
    """Whether a statement does nothing but leave its loop, or go on with the next iteration."""
    return isinstance(s, Break | Continue) or (isinstance(s, If) and all(map(_only_leaves, (*s.then, *s.otherwise))))


def _without(s: Statement, used: set[Variable]) -> tuple[Statement, ...]:
    blocks = [tuple(k for inner in block for k in _without(inner, used)) for block in blocks_of(s)]
    match s:
        case Assign(variable=variable):
            return (s,) if variable in used else ()
        case If():
            return (replace(s, then=blocks[0], otherwise=blocks[1]),) if any(blocks) else ()
        case For():
            return (replace(s, body=blocks[0]),) if any(not _only_leaves(k) for k in blocks[0]) else ()
    return (s,)
