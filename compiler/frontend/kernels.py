"""A kernel function, read whole: parameters, launch preconditions, one `parallel`."""

from __future__ import annotations

import ast

from ..diagnostics.diagnostic import CompileError
from ..ir.nodes import Const, Expr, Kernel, Parallel, Range, Require, Variable, VariableKind
from ..ir.source import Span
from ..ir.types import I64
from .expressions import Expressions
from .faults import Fault, Faults, Poisoned
from .parameters import read_signature
from .scope import Scope
from .statements import Statements, assigned_in
from .syntax import Syntax, span_of


def read_kernel(syntax: Syntax) -> Kernel:
    """Return the typed kernel.

    Raises
    ------
    CompileError
        With every fault of the kernel.
    """
    faults = Faults(syntax.source)
    scope = Scope(syntax, faults)
    signature, found = read_signature(syntax, faults, scope)
    requires, body = _read_body(syntax, scope, found)
    if found or body is None:
        raise CompileError(tuple(f.diagnostic for f in found))
    name = syntax.tree.name
    return Kernel(name, signature.parameters, signature.extents, tuple(requires), body, syntax.source, syntax.header)


def _read_body(syntax: Syntax, scope: Scope, found: list[Fault]) -> tuple[list[Require], Parallel | None]:
    statements = [s for s in syntax.tree.body if not _is_docstring(s)]
    requires: list[Require] = []
    body: Parallel | None = None
    loop: ast.For | None = None
    for statement in statements:
        try:
            if loop is None and _is_require(statement, syntax):
                requires.append(_read_require(statement, scope))
            elif loop is None and isinstance(statement, ast.For):
                loop = statement
                body = _read_parallel(statement, scope, found)
            else:
                raise _stray(statement, loop, scope)
        except Fault as fault:
            found.append(fault)
        except Poisoned:
            continue
    if loop is None and not found:
        found.append(scope.faults.not_one_parallel(syntax.header, "no `parallel` in here", "the kernel does nothing"))
    return requires, body


def _stray(statement: ast.stmt, loop: ast.For | None, scope: Scope) -> Fault:
    if loop is None:
        note = "only `require(...)` may stand before it: what is computed there would belong to no thread"
    else:
        note = "statements after it would need a barrier between all threads, which only the end of a kernel is"
    return scope.faults.not_one_parallel(span_of(statement), "outside of the `parallel`", note)


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_require(statement: ast.stmt, syntax: Syntax) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and getattr(syntax.resolve(statement.value.func), "name", "") == "require"
    )


def _read_require(statement: ast.stmt, scope: Scope) -> Require:
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    call = statement.value
    if len(call.args) != 1 or call.keywords:
        raise scope.faults.wrong_arguments(
            "require", f"takes one condition, not {len(call.args)}", span_of(call), "write one `require` a condition"
        )
    for loaded in _elements_in(call.args[0]):
        raise scope.faults.wrong_arguments(
            "require",
            "is checked before the launch, when no array can be read",
            span_of(loaded),
            "state it about scalars and extents",
        )
    return Require(Expressions(scope).condition(call.args[0]), span_of(call))


def _read_parallel(node: ast.For, scope: Scope, found: list[Fault]) -> Parallel | None:
    call = node.iter
    meaning = scope.syntax.resolve(call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or getattr(meaning, "name", "") != "parallel":
        raise scope.faults.not_one_parallel(
            span_of(node.iter), "not a `parallel`", "a sequential loop at the top level belongs to no thread"
        )
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
    ranges = [_range_or_none(a, scope, found) for a in call.args]
    if not 1 <= len(ranges) <= 3 or call.keywords:
        raise scope.faults.bad_loop(
            f"`parallel` takes 1 to 3 ranges, not {len(ranges)}",
            span_of(call),
            "here",
            "write `parallel(n)`, `parallel(n, m)` or `parallel((lo, hi), m)`",
        )
    if len(targets) != len(ranges) or not all(isinstance(t, ast.Name) for t in targets):
        raise scope.faults.bad_loop(
            f"{len(targets)} ind{'ices' if len(targets) != 1 else 'ex'} for {len(ranges)}"
            f" range{'s' * (len(ranges) != 1)}",
            span_of(node.target),
            "does not match the ranges",
            "give one index name for each range",
        )
    indices: list[Variable] = []
    for target in targets:
        assert isinstance(target, ast.Name)
        if target.id in scope.parameters or target.id in [v.name for v in indices]:
            raise scope.faults.bad_loop(
                f"the thread index `{target.id}` already means something else",
                span_of(target),
                "already defined",
                "use another name",
            )
        indices.append(Variable(target.id, I64, VariableKind.THREAD, span_of(target)))
    if node.orelse:
        raise scope.faults.unsupported_statement("`else` of a loop", span_of(node.orelse[0]))
    scope.assigned_below = assigned_in(node.body)
    with scope.indexed(indices):
        body = Statements(scope, found).block(node.body)
    if None in ranges:
        return None
    header = Span(node.lineno, node.col_offset, span_of(node.iter).end_line, span_of(node.iter).end_column)
    return Parallel(tuple(indices), tuple(r for r in ranges if r is not None), body, header)


def _range_or_none(node: ast.expr, scope: Scope, found: list[Fault]) -> Range | None:
    """Return None for a faulty range: the body is examined all the same."""
    try:
        return _read_range(node, scope)
    except Fault as fault:
        found.append(fault)
    except Poisoned:
        pass  # its cause is reported
    return None


def _read_range(node: ast.expr, scope: Scope) -> Range:
    expressions = Expressions(scope)
    if isinstance(node, ast.Tuple):
        if len(node.elts) != 2:
            raise scope.faults.bad_loop(
                "a range is `n` or `(lo, hi)`",
                span_of(node),
                f"{len(node.elts)} bounds",
                "write `(lo, hi)`, hi exclusive",
            )
        return Range(_uniform(expressions, node.elts[0]), _uniform(expressions, node.elts[1]))
    zero: Expr = Const(0, I64, span_of(node))
    return Range(zero, _uniform(expressions, node))


def _uniform(expressions: Expressions, node: ast.expr) -> Expr:
    """Bounds of a `parallel` depend on scalars and extents only: the launcher computes them."""
    for loaded in _elements_in(node):
        raise expressions.faults.bad_loop(
            "the bounds of a `parallel` are known before the launch",
            span_of(loaded),
            "loaded from an array",
            "pass the bound as a scalar parameter",
        )
    return expressions.index(node)


def _elements_in(node: ast.expr) -> list[ast.Subscript]:
    return [inner for inner in ast.walk(node) if isinstance(inner, ast.Subscript)]
