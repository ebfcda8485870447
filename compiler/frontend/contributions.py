"""Contributions to reducers: `r += e`, `r.update(e)`, `r.update(e, i)`, and the same to a bin, `r[b] += e`."""

from __future__ import annotations

import ast

from ..ir import operations as ops
from ..ir.nodes import Contribute, Expr, Reducer
from .elements import refuse_at_team_scope, refuse_slices
from .expressions import Expressions
from .scope import Scope
from .syntax import span_of
from .values import convert


def reducer_of(target: ast.expr, scope: Scope) -> Reducer | None:
    """Return the reducer that `r` or `r[b]` names; None if it is something else."""
    name = target.value if isinstance(target, ast.Subscript) else target
    reducer = scope.parameters.get(name.id) if isinstance(name, ast.Name) else None
    return reducer if isinstance(reducer, Reducer) else None


def added(node: ast.AugAssign, reducer: Reducer, operation: ops.Operation, expressions: Expressions) -> Contribute:
    """Read `r += e` or `r[b] += e`, which only a `Sum` has."""
    if operation is not ops.ADD or reducer.reduction.name != "Sum":
        raise expressions.faults.reducer_used(reducer, span_of(node))
    why = f"`{reducer.name}` sums `{reducer.element}`"
    return _contribution(node, node.target, [node.value], reducer, why, expressions)


def updated(call: ast.Call, target: ast.expr, reducer: Reducer, expressions: Expressions) -> Contribute:
    """Read `r.update(...)` or `r[b].update(...)`."""
    faults, span = expressions.faults, span_of(call)
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "update" or call.keywords:
        raise faults.reducer_used(reducer, span)
    wanted = 2 if reducer.reduction.has_location else 1
    if len(call.args) != wanted:
        contributes = "a value and its location" if wanted > 1 else "a value"
        raise faults.wrong_arguments(
            f"{ast.unparse(target)}.update",
            f"takes {wanted} argument{'s' if wanted > 1 else ''}, not {len(call.args)}",
            span,
            f"`{reducer.reduction.name}` contributes {contributes}",
        )
    if reducer.combination is not None:
        from .combinations import struct_values  # which reads expressions

        refuse_at_team_scope("contribute to", reducer.name, span, expressions.scope)
        first, *rest = struct_values(call.args[0], reducer.combination.type, expressions)
        return Contribute(reducer, first, None, span_of(target), span, (), tuple(rest))
    why = f"`{reducer.name}` combines `{reducer.element}`"
    return _contribution(call, target, call.args, reducer, why, expressions)


def _contribution(
    node: ast.AST, target: ast.expr, arguments: list[ast.expr], reducer: Reducer, why: str, expressions: Expressions
) -> Contribute:
    refuse_at_team_scope("contribute to", reducer.name, span_of(node), expressions.scope)
    place = _bin(target, reducer, expressions)
    value = convert(expressions.value(arguments[0]), reducer.element, expressions.faults, why)
    location = expressions.index(arguments[1]) if len(arguments) > 1 else None
    return Contribute(reducer, value, location, span_of(target), span_of(node), place)


def _bin(target: ast.expr, reducer: Reducer, expressions: Expressions) -> tuple[Expr, ...]:
    """Return the i64 numbers of the bin; none for a scalar."""
    parts: list[ast.expr] = []
    if isinstance(target, ast.Subscript):
        parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        if not reducer.dims:
            raise expressions.faults.reducer_used(reducer, span_of(target))
        refuse_slices(target, reducer, expressions.scope)
    if len(parts) != len(reducer.dims):
        raise expressions.faults.wrong_rank(reducer.name, len(reducer.dims), len(parts), span_of(target), reducer.span)
    return tuple(expressions.index(p) for p in parts)
