"""Which array or buffer `a[i, j]` is an element of, and whether it may be accessed where it stands."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir.nodes import Access, Buffer, Const, Reducer, Storage
from ..ir.source import Span
from ..ir.walk import alike
from .scope import PhaseHeader, Scope
from .syntax import span_of


def kind_of(array: Storage) -> str:
    """Return what an array is to its user."""
    return f"{array.space.value} buffer" if isinstance(array, Buffer) else "array parameter"


def element_of(node: ast.Subscript, scope: Scope) -> tuple[Storage, Sequence[ast.expr]]:
    """Return the array or buffer, and its index as written."""
    faults = scope.faults
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    array = scope.storage(name)
    if isinstance(array, Reducer):
        raise faults.reducer_used(array.name, span_of(node), array.span)
    if not isinstance(array, Storage):
        scope.refuse_poisoned(name)
        scope.refuse_ended(name, span_of(node))
        if name and not scope.is_taken(name) and scope.syntax.resolve(node.value) is None:
            raise faults.unknown_name(name, span_of(node.value), scope.known())
        raise faults.unsupported_expression(
            f"indexing `{ast.unparse(node.value)}`", span_of(node), "only arrays can be indexed"
        )
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(parts) != len(array.dims) or any(isinstance(p, (ast.Slice, ast.Starred)) for p in parts):
        raise faults.wrong_rank(array.name, len(array.dims), len(parts), span_of(node), array.span)
    if array.access is not Access.REF:
        refuse_at_team_scope("write" if isinstance(node.ctx, ast.Store) else "read", name, span_of(node), scope)
    phase = scope.team.phase if scope.team is not None else None
    if isinstance(array, Buffer) and array.threads and phase is not None:
        _refuse_foreign(array, parts, phase, span_of(node), scope)
    return array, parts


def refuse_at_team_scope(verb: str, name: str, span: Span, scope: Scope) -> None:
    """Refuse what the threads of a team cannot do alike without a barrier."""
    if scope.is_team_scope:
        raise scope.faults.needs_phase(f"{verb} `{name}`", span, reads=verb == "read")


def _refuse_foreign(
    buffer: Buffer, parts: Sequence[ast.expr], phase: PhaseHeader, span: Span, scope: Scope
) -> None:  # fmt: skip
    """Refuse private memory in a phase of another shape, and under another index than the thread's own."""
    if phase.ranges is None:
        return  # at fault, and reported
    shape = [d.upper for d in buffer.dims[: buffer.threads]]
    uppers = [r.upper for r in phase.ranges if isinstance(r.lower, Const) and r.lower.value == 0]
    if len(phase.ranges) != len(shape) or len(uppers) != len(shape) or not all(map(alike, uppers, shape)):
        raise scope.faults.private_elsewhere(buffer.name, span, buffer.span, phase.indices[0].span)
    for part, index in zip(parts, phase.indices, strict=False):
        if not isinstance(part, ast.Name) or scope.indices.get(part.id) is not index:
            own = ", ".join(v.name for v in phase.indices)
            raise scope.faults.private_of_another(buffer, own, span_of(part))
