"""`for i, j in parallel(n, (lo, hi)):` the header that `parallel`, `teams` and `threads` have in common."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..ir.nodes import Const, Expr, Lengths, Range, Read, Variable, VariableKind
from ..ir.source import Span
from ..ir.types import I64
from ..ir.walk import walk
from .elements import base_of
from .expressions import Expressions
from .faults import Fault, Poisoned
from .scope import Scope
from .syntax import span_of
from .tables import is_table

Bound = Callable[[ast.expr], Expr]


def is_over(node: ast.AST, word: str, scope: Scope) -> bool:
    """Whether a statement is a loop over `word(...)`, whatever name the kernel's file gives to that."""
    return isinstance(node, ast.For) and called(node.iter, scope) == word


def called(node: ast.expr, scope: Scope) -> str:
    """Return which word of the language an expression calls; empty if none."""
    return getattr(scope.syntax.resolve(node.func), "name", "") if isinstance(node, ast.Call) else ""


def read_header(
    node: ast.For, kind: VariableKind, scope: Scope, found: list[Fault], bound: Bound
) -> tuple[tuple[Variable, ...], tuple[Range, ...] | None, Span]:
    """Return indices, ranges and span of a header; no ranges if one is at fault: the body is examined all the same.

    Parameters
    ----------
    kind : VariableKind
        Of the indices.
    bound : callable
        Reads one bound of a range.
    """
    call = node.iter
    assert isinstance(call, ast.Call)
    word = called(call, scope)
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
    ranges = [_range_or_none(a, scope, found, bound) for a in call.args]
    if not 1 <= len(ranges) <= 3 or call.keywords:
        raise scope.faults.bad_loop(
            f"`{word}` takes 1 to 3 ranges, not {len(ranges)}", span_of(call), "here",
            f"write `{word}(n)`, `{word}(n, m)` or `{word}((lo, hi), m)`",
        )  # fmt: skip
    if len(targets) != len(ranges) or not all(isinstance(t, ast.Name) for t in targets):
        raise scope.faults.bad_loop(
            f"{len(targets)} ind{'ices' if len(targets) != 1 else 'ex'} for {len(ranges)}"
            f" range{'s' * (len(ranges) != 1)}",
            span_of(node.target),
            "does not match the ranges",
            "give one index name for each range",
        )
    if node.orelse:
        raise scope.faults.unsupported_statement("`else` of a loop", span_of(node.orelse[0]), "put it behind the loop")
    indices: list[Variable] = []
    for target in targets:
        assert isinstance(target, ast.Name)
        if scope.is_taken(target.id) or target.id in [v.name for v in indices]:
            raise scope.faults.bad_loop(
                f"the {kind.value} `{target.id}` already means something else", span_of(target), "already defined",
                "use another name",
            )  # fmt: skip
        indices.append(Variable(target.id, I64, kind, span_of(target)))
    header = Span(node.lineno, node.col_offset, span_of(call).end_line, span_of(call).end_column)
    read = tuple(r for r in ranges if r is not None)
    return tuple(indices), read if len(read) == len(ranges) else None, header


def _range_or_none(node: ast.expr, scope: Scope, found: list[Fault], bound: Bound) -> Range | None:
    try:
        if not isinstance(node, ast.Tuple):
            return Range(Const(0, I64, span_of(node)), bound(node))
        if len(node.elts) == 2:
            return Range(bound(node.elts[0]), bound(node.elts[1]))
        raise scope.faults.bad_loop(
            "a range is `n` or `(lo, hi)`", span_of(node), f"{len(node.elts)} bounds", "write `(lo, hi)`, hi exclusive"
        )
    except Fault as fault:
        found.append(fault)
    except Poisoned:
        pass  # its cause is reported
    return None


def launch_bound(scope: Scope, what: str) -> Bound:
    """Return the reader of what the launcher computes: an integer from constants, scalars and extents."""

    def read(node: ast.expr) -> Expr:
        for loaded in elements_in(node, scope):
            raise scope.faults.bad_loop(
                f"{what} are known before the launch", span_of(loaded), "loaded from an array",
                "pass the number as a scalar parameter",
            )  # fmt: skip
        expression = Expressions(scope).index(node)
        for part in walk(expression):
            if isinstance(part, Read) and part.variable.kind not in (VariableKind.SCALAR, VariableKind.EXTENT):
                raise scope.faults.bad_loop(
                    f"{what} are known before the launch", part.span, f"a {part.variable.kind.value}",
                    "use constants, scalar parameters and extents",
                )  # fmt: skip
        return expression

    return read


def elements_in(node: ast.expr, scope: Scope) -> list[ast.Subscript]:
    """Return the array elements that an expression reads, as written; not what is known when the kernel is compiled."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Subscript) and not isinstance(n.value, ast.Attribute)]
    return [inner for inner in found if not _is_known(inner, scope)]


def _is_known(node: ast.Subscript, scope: Scope) -> bool:
    """Whether an element of a table, or a length of a pack's member, has a constant index."""
    base = base_of(node)
    name = base.id if isinstance(base, ast.Name) else ""
    is_own = scope.is_taken(name)
    table = isinstance(scope.parameters.get(name), Lengths) if is_own else is_table(scope.syntax.resolve(base))
    return table and isinstance(Expressions(scope).value(node).expr, (Const, Read))
