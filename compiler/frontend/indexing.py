"""What a subscript or an attribute of a kernel's own names means: elements of arrays, members of packs, fields."""

from __future__ import annotations

import ast

from ..ir.nodes import Array, Expr, Lengths, Read, Reducer, Storage, Struct
from .scope import Scope
from .syntax import span_of
from .tables import is_table, table_of
from .values import Value


def indexed(node: ast.Subscript, scope: Scope) -> tuple[Storage, list[ast.expr]]:
    """Return what `a[i, j]` indexes, and its indices; of `pack[m][i, j]` the member's number comes first."""
    member = node.value if isinstance(node.value, ast.Subscript) else None
    array = _storage(node, base_of(node), scope)
    is_pack = isinstance(array, Array) and array.members > 0
    if is_pack != (member is not None):
        help_ = f"index it: `{usage(array)}`" if is_pack else "only a pack is indexed twice"
        raise scope.faults.unsupported_expression(f"`{ast.unparse(node)[:40]}`", span_of(node), help_)
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    rank = len(array.dims) - is_pack
    if len(parts) != rank or any(isinstance(p, (ast.Slice, ast.Starred)) for p in parts):
        raise scope.faults.wrong_rank(array.name, rank, len(parts), span_of(node), array.span)
    return array, [member.slice, *parts] if member else parts


def base_of(node: ast.Subscript) -> ast.expr:
    """Return the array of `a[i]` and of `pack[m][i]`."""
    return node.value.value if isinstance(node.value, ast.Subscript) else node.value


def usage(array: Array | Lengths | Storage) -> str:
    """Return how an array is indexed, for messages."""
    is_pack = isinstance(array, Array) and array.members > 0
    return f"{array.name}{'[m]' * is_pack}[{', '.join('ijkl'[: len(array.dims) - is_pack])}]"


def _storage(node: ast.Subscript, named: ast.expr, scope: Scope) -> Storage:
    """Return an array, lengths of a pack's members, or a table of the enclosing module."""
    name = named.id if isinstance(named, ast.Name) else ""
    array = scope.parameters.get(name)
    if isinstance(array, Reducer):
        raise scope.faults.reducer_used(array.name, span_of(node), array.span)
    if isinstance(array, (Array, Lengths)):
        return array
    scope.refuse_poisoned(name)
    meaning = None if scope.defines(name) else scope.syntax.resolve(named)
    if is_table(meaning):
        text = ast.unparse(named)
        if text not in scope.tables:
            scope.tables[text] = table_of(text, meaning, span_of(named), scope.faults)
        return scope.tables[text]
    if name and not scope.defines(name) and meaning is None:
        raise scope.faults.unknown_name(name, span_of(named), scope.known())
    raise scope.faults.unsupported_expression(
        f"indexing `{ast.unparse(named)}`", span_of(node),
        "only array parameters, and tables of the enclosing module, can be indexed",
    )  # fmt: skip


def field_of(node: ast.Attribute, scope: Scope) -> Value | None:
    """Return a field of a struct parameter; None for anything else."""
    text, span = ast.unparse(node), span_of(node)
    struct = scope.parameters.get(text.partition(".")[0])
    if not isinstance(struct, Struct):
        return None
    field = next((v for v in struct.fields if v.name == text), None)
    if field is None:
        raise scope.faults.unknown_name(text, span, [v.name for v in struct.fields])
    read: Expr = Read(field, span)
    return Value(read)
