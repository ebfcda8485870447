"""Which array, buffer, pack or table `a[i, j]` is an element of, and whether it may be accessed where it stands."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir.nodes import Access, Array, Buffer, Const, Read, Reducer, Storage, Struct
from ..ir.source import Span
from ..ir.walk import alike
from .idioms import instead_of, unknown
from .scope import PhaseHeader, Scope
from .syntax import span_of
from .tables import is_table, table_of
from .values import Value


def kind_of(array: Storage | Struct) -> str:
    """Return what an array is to its user."""
    if isinstance(array, Struct):
        return "struct parameter"
    return f"{array.space.value} buffer" if isinstance(array, Buffer) else "array parameter"


def base_of(node: ast.Subscript) -> ast.expr:
    """Return the array of `a[i]` and of `pack[m][i]`."""
    return node.value.value if isinstance(node.value, ast.Subscript) else node.value


def usage(array: Storage) -> str:
    """Return how an array is indexed, for messages."""
    is_pack = isinstance(array, Array) and array.members > 0
    return f"{array.name}{'[m]' * is_pack}[{', '.join('ijkl'[: len(array.dims) - is_pack])}]"


def element_of(node: ast.Subscript, scope: Scope) -> tuple[Storage, Sequence[ast.expr]]:
    """Return the array or buffer, and its index as written; of `pack[m][i, j]` the member's number comes first."""
    faults = scope.faults
    array = _storage(node, base_of(node), scope)
    member = node.value if isinstance(node.value, ast.Subscript) else None
    is_pack = isinstance(array, Array) and array.members > 0
    if is_pack != (member is not None):
        what = f"`{ast.unparse(node)[:40]}`" if is_pack else f"indexing `{ast.unparse(node.value)[:40]}`"
        inner = None if is_pack or member is None else [*_parts(member), *_parts(node)]
        text = usage(array)
        if inner is not None and len(inner) == len(array.dims):
            text = f"{array.name}[{', '.join(map(ast.unparse, inner))}]"
        raise faults.unsupported_expression(what, span_of(node), f"index it: `{text}`")
    refuse_slices(node, array, scope)
    parts = _parts(node)
    rank = len(array.dims) - is_pack
    if len(parts) != rank:
        raise faults.wrong_rank(array.name, rank, len(parts), span_of(node), array.span)
    if array.access is Access.PUSH:
        raise faults.pushed_only(array.name, span_of(node), array.span)
    if array.access is not Access.REF:
        verb = "write" if isinstance(node.ctx, ast.Store) else "read"
        refuse_at_team_scope(verb, array.name, span_of(node), scope)
    phase = scope.team.phase if scope.team is not None else None
    if isinstance(array, Buffer) and array.threads and phase is not None:
        _refuse_foreign(array, parts, phase, span_of(node), scope)
    return array, [member.slice, *parts] if member else parts


def _parts(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def refuse_slices(node: ast.Subscript, array: Storage | Reducer, scope: Scope) -> None:
    """Refuse what selects several elements, and say which loop does."""
    parts = _parts(node)
    several = [p for p in parts if isinstance(p, (ast.Slice, ast.Starred)) or _is_special(p)]
    if not several:
        return
    help_ = "an index is one number a dimension: write a loop over the elements"
    dims = array.dims[-len(parts) :]
    if len(several) == 1 and isinstance(several[0], ast.Slice) and len(dims) == len(parts) and several[0].step is None:
        place = parts.index(several[0])
        lower, upper = several[0].lower, several[0].upper
        bounds = ([ast.unparse(lower)] if lower else []) + [ast.unparse(upper) if upper else dims[place].text]
        one = ", ".join("j" if p is several[0] else ast.unparse(p) for p in parts)
        help_ = f"write a loop, `for j in range({', '.join(bounds)}):`, over `{ast.unparse(node.value)}[{one}]`"
    raise scope.faults.slice_used(array, span_of(node), help_)


def _is_special(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is ...)


def _storage(node: ast.Subscript, named: ast.expr, scope: Scope) -> Storage:
    """Return an array, a buffer, lengths of a pack's members, or a table of the enclosing module."""
    name = named.id if isinstance(named, ast.Name) else ""
    array = scope.storage(name)
    if isinstance(array, Reducer):
        raise scope.faults.reducer_used(array, span_of(node))
    if isinstance(array, Storage):
        return array
    scope.refuse_poisoned(name)
    scope.refuse_ended(name, span_of(node))
    meaning = None if scope.is_taken(name) else scope.syntax.resolve(named)
    if is_table(meaning):
        text = ast.unparse(named)
        if text not in scope.tables:
            scope.tables[text] = table_of(text, meaning, span_of(named), scope.faults)
        return scope.tables[text]
    if name and not scope.is_taken(name) and meaning is None:
        raise unknown(named, scope)
    advice = instead_of(node, scope) or instead_of(named, scope)
    raise scope.faults.unsupported_expression(
        f"indexing `{ast.unparse(named)}`", span_of(node),
        advice or "only arrays, and tables of the enclosing module, can be indexed",
    )  # fmt: skip


def field_of(node: ast.Attribute, scope: Scope) -> Value | None:
    """Return a field of a struct parameter; None for anything else."""
    text, span = ast.unparse(node), span_of(node)
    struct = scope.parameters.get(text.partition(".")[0])
    if not isinstance(struct, Struct):
        return None
    paths = zip(struct.type.fields, struct.fields, strict=True)
    field = next((v for (path, _, _), v in paths if path == text.partition(".")[2]), None)
    if field is None:
        raise scope.faults.unknown_name(text, span, [v.name for v in struct.fields])
    return Value(Read(field, span))


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
