"""A kernel function, read whole: parameters, launch preconditions, one `parallel` or `teams`."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..diagnostics.diagnostic import CompileError
from ..ir import operations as ops
from ..ir.nodes import Binary, Inlined, Kernel, Parallel, Read, Require, Teams, VariableKind
from ..ir.walk import walk
from .expressions import Expressions
from .faults import Fault, Faults, Poisoned
from .idioms import thread_idiom
from .ordered import check_order
from .parameters import read_signature
from .ranges import called, elements_in, launch_bound, read_header
from .scope import Scope
from .statements import Statements, assigned_in
from .syntax import Syntax, span_of
from .teams import read_team


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
    scope.found = found
    requires, body = _read_body(syntax, scope, found)
    if found or body is None:
        raise CompileError(tuple(f.diagnostic for f in found))
    name = syntax.tree.name
    source = replace(syntax.source, called=tuple(dict.fromkeys(scope.calls_of_file)))
    return Kernel(name, signature.parameters, signature.extents, tuple(requires), body, source, syntax.header)


def _read_body(syntax: Syntax, scope: Scope, found: list[Fault]) -> tuple[list[Require], Parallel | Teams | None]:
    statements = [s for s in syntax.tree.body if not _is_docstring(s)]
    requires: list[Require] = []
    body: Parallel | Teams | None = None
    loop: ast.For | None = None
    for statement in statements:
        try:
            if loop is None and _is_require(statement, syntax):
                requires.append(_read_require(statement, scope))
            elif loop is None and isinstance(statement, ast.For):
                loop = statement
                body = _read_grid(statement, scope, found)
            elif loop is None and not any(isinstance(s, ast.For) for s in statements):
                found.append(_without_loop(statement, scope))
                break
            else:
                scope.poison(assigned_in([statement]))
                raise _stray(statement, loop, scope)
        except Fault as fault:
            found.append(fault)
        except Poisoned:
            continue
    if loop is None and not found:
        found.append(scope.faults.not_one_grid(syntax.header, "no `parallel`, no `teams`", "the kernel does nothing"))
    return requires, body


def _stray(statement: ast.stmt, loop: ast.For | None, scope: Scope) -> Fault:
    note = "statements after it would need a barrier between all threads, which only the end of a kernel is"
    help_ = ""
    if loop is None:
        note = "only `require(...)` may stand before it: what is computed there would belong to no thread"
        help_ = "move it into the loop, or compute it on the host and pass it as a scalar"
    elif isinstance(statement, ast.Return):
        note, help_ = "a kernel hands back nothing", "results are in its `Out` and `Mut` arrays, and in reducers"
    return scope.faults.not_one_grid(span_of(statement), "outside of the one `parallel` or `teams`", note, help_)


def _without_loop(statement: ast.stmt, scope: Scope) -> Fault:
    """Return the one fault of a kernel that has no loop at all."""
    parts = [n for n in ast.walk(statement) if isinstance(n, (ast.Attribute, ast.Call))]
    advice = next(filter(None, (thread_idiom(n) for n in parts)), "")
    return scope.faults.not_one_grid(
        span_of(statement), "no `parallel` around it", "a kernel says what one thread does, and how many there are",
        advice or "write `for i in parallel(n):`, and below it what the thread with the index `i` does",
    )  # fmt: skip


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


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
    for loaded in elements_in(call.args[0], scope):
        raise scope.faults.wrong_arguments(
            "require", "is checked before the launch, when no array can be read", span_of(loaded),
            "state it about scalars and extents",
        )  # fmt: skip
    condition = Expressions(scope).condition(call.args[0])
    for part in walk(condition):
        if isinstance(part, Inlined):
            raise scope.faults.wrong_arguments(
                "require", "is evaluated by the launcher, which calls no device function", part.span, "write it out"
            )
    return Require(condition, span_of(call))


def _read_grid(node: ast.For, scope: Scope, found: list[Fault]) -> Parallel | Teams | None:
    word = called(node.iter, scope)
    if word not in ("parallel", "teams"):
        raise scope.faults.not_one_grid(
            span_of(node.iter), "neither `parallel` nor `teams`",
            "a sequential loop at the top level belongs to no thread",
            "write `for i in parallel(n):`, which makes each index a thread",
        )  # fmt: skip
    kind = VariableKind.THREAD if word == "parallel" else VariableKind.TEAM
    bound = launch_bound(scope, f"the bounds of a `{word}`")
    indices, ranges, header = read_header(node, kind, scope, found, bound)
    with scope.indexed(indices):
        if word == "teams":
            body = read_team(node.body, scope, found)
            return None if ranges is None else Teams(indices, ranges, body, header)
        scope.assigned_below = assigned_in(node.body)
        if len(indices) == 1:
            first = Read(indices[0], header)
            scope.number = first if ranges is None else Binary(ops.SUB, first, ranges[0].lower, first.type, header)
        body = Statements(scope, found).block(node.body)
    if ranges is None:
        return None
    grid = Parallel(indices, ranges, body, header)
    found += check_order(grid, scope)
    return grid
