"""Statements of a kernel's body."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NoReturn, TypeVar

from ..ir import operations as ops
from ..ir.nodes import (
    Access,
    Array,
    Assign,
    Break,
    Buffer,
    Const,
    Continue,
    Drop,
    Expr,
    For,
    If,
    Load,
    Read,
    Reducer,
    Statement,
    Storage,
    Store,
    Variable,
    VariableKind,
    While,
)
from ..ir.operations import Operation
from ..ir.source import Span
from ..ir.types import I64
from .buffers import declarations, read_buffer
from .contributions import added, reducer_of, updated
from .elements import base_of, kind_of, usage
from .expressions import _BINARY, Expressions
from .faults import Fault, Poisoned
from .idioms import BARRIERS, STATEMENTS, instead_of
from .ordered import list_of, pushed, summed
from .scope import Scope
from .syntax import span_of
from .values import Value, convert
from .waivers import read_with

_Node = TypeVar("_Node", bound=ast.AST)
_Result = TypeVar("_Result")

_NOT_A_RANGE = {
    "parallel": "threads do not nest: write `for i, j in parallel(n, m):`, or `teams(...)` with phases inside",
    "teams": "`teams(...)` is the one loop at the top level of a kernel, instead of a `parallel`",
    "threads": "phases are for teams: write `for b in teams(...):` as the outer loop",
}


class Statements:
    """Turns a list of statements into IR, and goes on after a fault."""

    def __init__(self, scope: Scope, found: list[Fault]) -> None:
        self.scope = scope
        self.faults = scope.faults
        self.found = scope.found = found
        self.expressions = Expressions(scope)

    def block(self, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        """Return the statements of a block."""
        with self.scope.block():
            return self.sequence(nodes)

    def sequence(self, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        """Return the statements that could be read; faults are collected."""
        result: list[Statement] = []
        for node in nodes:
            try:
                result.extend(self._statement(node))
            except Fault as fault:
                self.found.append(fault)
                self._poison(node)
            except Poisoned:
                self._poison(node)
        return tuple(result)

    def _poison(self, node: ast.stmt) -> None:
        """Silence uses of the names that a faulty statement would have defined."""
        self.scope.poison([*assigned_in([node]), *declared_in(node)])

    def _statement(self, node: ast.stmt) -> Sequence[Statement]:
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                return ()
            case ast.Assign() if any(word == "local" for _, word, _ in declarations(node, self.scope)):
                return [read_buffer(*d, self.scope) for d in declarations(node, self.scope)]
            case ast.Assign(targets=[ast.Tuple() as target], value=ast.Tuple() as value):
                return self._assign_tuple(node, target, value)
            case ast.Assign(targets=[ast.Subscript() as target], value=ast.Call() as call) if self._sums(call):
                return (summed(node, call, *self._exclusive(target), self.expressions),)
            case ast.Assign(targets=[target]):
                return (self._assign(target, self.expressions.value(node.value), span_of(node)),)
            case ast.AnnAssign():
                return (self._declare(node),)
            case ast.AugAssign():
                return (self._update(node),)
            case ast.If():
                return (self._if(node),)
            case ast.For():
                return (self._for(node),)
            case ast.With():
                return (read_with(node, self.scope, self.block),)
            case ast.While():
                return (self._while(node),)
            case ast.Break() | ast.Continue() if self.scope.loops:
                return (self._jump(node),)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target)) as call) if reducer := reducer_of(
                target, self.scope
            ):
                return (updated(call, target, reducer, self.expressions),)
            case ast.Expr(value=ast.Call() as call) if array := list_of(call, self.scope):
                return (pushed(call, array, self.expressions),)
            case ast.Break() | ast.Continue() if self.scope.is_in_loop_of_team:
                raise self.faults.leaves_loop_of_team(ast.unparse(node), span_of(node))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript())) as call):
                return (Drop(self.expressions.atomic(call), span_of(node)),)
            case ast.Expr(value=ast.Call() as call):
                return self.expressions.done(call) or self._call(call)
            case ast.Assign():
                raise self.faults.unsupported_statement(
                    "a chained assignment", span_of(node), "write one assignment a line"
                )
        if isinstance(node, ast.Return) and self.scope.calls:
            raise self.faults.unsupported_statement("`return` before the end", span_of(node), "assign, and return last")
        what = STATEMENTS.get(type(node).__name__, f"`{ast.unparse(node).splitlines()[0][:40]}`")
        raise self.faults.unsupported_statement(what, span_of(node), instead_of(node, self.scope))

    def _assign(self, target: ast.expr, value: Value, span: Span) -> Statement:
        match target:
            case ast.Name(id=name):
                return self._assign_local(name, value, span_of(target), span)
            case ast.Subscript():
                array, index = self._exclusive(target)
                stored = convert(value, array.element, self.faults, f"`{array.name}` holds `{array.element}`")
                return Store(array, index, stored, span_of(target), span)
        raise self.faults.unsupported_statement(f"assigning to `{ast.unparse(target)}`", span_of(target))

    def _sums(self, call: ast.Call) -> bool:
        return getattr(self.scope.syntax.resolve(call.func), "name", "") in ("sum_before", "sum_upto")

    def _exclusive(self, target: ast.Subscript) -> tuple[Storage, tuple[Expr, ...]]:
        array, index = self.expressions.element(target)
        base = base_of(target)
        name = base.id if isinstance(base, ast.Name) else array.name
        if array.access is Access.REF or name in self.scope.read_only:
            borrowed = self.scope.read_only.get(name, array.span)
            raise self.faults.write_through_ref(name, span_of(target), borrowed, array.element)
        if array.access is Access.ATOMIC:
            raise self.faults.plain_access_to_atomic(
                array, "written", span_of(target),
                f"write `{ast.unparse(target)}.exchange(...)` or `{ast.unparse(target)}.add(...)`",
            )  # fmt: skip
        for part in index:
            self.expressions.once(part)
        return array, index

    def _assign_local(self, name: str, value: Value, where: Span, span: Span) -> Assign:
        scope = self.scope
        known = scope.storage(name) or scope.indices.get(name)
        if isinstance(known, Reducer):
            raise self.faults.reducer_used(known, where)
        if known is not None or name in scope.expressions:
            kind = "extent" if known is None else known.kind.value if isinstance(known, Variable) else kind_of(known)
            help_ = "use another name for a local variable"
            if isinstance(known, (Array, Buffer)):
                help_ = f"an element is assigned as `{usage(known)} = ...`, a local variable under another name"
            if isinstance(known, Variable) and known.kind is VariableKind.SCALAR:
                help_ += f"; what all threads combine is a reducer, `{name}: Sum[{known.type}]`"
            raise self.faults.unsupported_statement(f"assigning to the {kind} `{name}`", where, help_)
        if scope.team is not None and scope.team.phase is not None and name in scope.team.own:
            raise self.faults.team_local_assigned(name, where, scope.team.own[name])
        variable = scope.local_variables.get(name)
        if variable is None:
            if name in scope.local_variables:
                raise Poisoned
            variable = Variable(name, value.type, VariableKind.LOCAL, where)
            scope.local_variables[name] = variable
            scope.first_assigned[name] = where
            stored = convert(value, value.type, self.faults, "a local variable")
        else:
            why = f"`{name}` was first assigned a `{variable.type}` and keeps that type"
            help_ = f"let it begin as `{name}: {value.type} = ...`, or "
            stored = convert(value, variable.type, self.faults, why, help_)
        scope.assigned.add(name)
        return Assign(variable, stored, span)

    def _assign_tuple(self, node: ast.Assign, target: ast.Tuple, value: ast.Tuple) -> Sequence[Statement]:
        """Read `a, b = x, y`: all values first, then all targets."""
        if len(target.elts) != len(value.elts):
            raise self.faults.wrong_arguments(
                "=", f"has {len(target.elts)} targets and {len(value.elts)} values", span_of(node), ""
            )
        span = span_of(node)
        values = [self.expressions.value(v) for v in value.elts]
        held, temporaries = [], []
        for v in values:
            if v.literal:
                held.append(v)
                continue
            temporary = Variable("_", v.type, VariableKind.LOCAL, span)
            temporaries.append(Assign(temporary, v.expr, span))
            held.append(Value(Read(temporary, v.expr.span)))
        return [*temporaries, *(self._assign(t, v, span) for t, v in zip(target.elts, held, strict=True))]

    def _declare(self, node: ast.AnnAssign) -> Statement:
        """`x: f32 = 0`: the type is written, the value is converted to it."""
        from .language import ScalarName

        meaning = self.scope.syntax.resolve(node.annotation)
        if not isinstance(meaning, ScalarName) or node.value is None or not isinstance(node.target, ast.Name):
            raise self.faults.unsupported_statement("this declaration", span_of(node), "write `x: f64 = value`")
        value = self.expressions.value(node.value)
        typed = convert(value, meaning.scalar, self.faults, "the declared type")
        return self._assign(node.target, Value(typed), span_of(node))

    def _update(self, node: ast.AugAssign) -> Statement:
        operation = _BINARY.get(type(node.op))
        span = span_of(node)
        if operation is None:
            raise self.faults.unsupported_statement(f"`{ast.unparse(node)[:40]}`", span, instead_of(node, self.scope))
        reducer = reducer_of(node.target, self.scope)
        if reducer is not None:
            return added(node, reducer, operation, self.expressions)
        if isinstance(node.target, ast.Name):
            old = self.expressions.value(node.target)
        elif isinstance(node.target, ast.Subscript):
            atomic = self._add_atomically(operation, node, node.target)
            if atomic is not None:
                return atomic
            array, index = self._exclusive(node.target)
            old = Value(Load(array, index, span_of(node.target)))
        else:
            raise self.faults.unsupported_statement(f"assigning to `{ast.unparse(node.target)}`", span_of(node.target))
        new = self.expressions.arithmetic(operation, old, self.expressions.value(node.value), span)
        return self._assign(node.target, new, span)

    def _add_atomically(self, operation: Operation, node: ast.AugAssign, target: ast.Subscript) -> Statement | None:
        """Read `x[i] += value` of an `Atomic` array; None for any other array or operation."""
        base = base_of(target)
        named = self.scope.storage(base.id) if isinstance(base, ast.Name) else None
        if operation is not ops.ADD or not isinstance(named, Storage) or named.access is not Access.ATOMIC:
            return None
        array, index = self.expressions.element(target)
        add = ops.ATOMICS["add"]
        return Drop(self.expressions.updated(add, target, array, index, [node.value], span_of(node)), span_of(node))

    def _call(self, call: ast.Call) -> NoReturn:
        """Refuse a call that is no statement."""
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            self.scope.refuse_poisoned(call.func.value.id)
        text = ast.unparse(call.func)
        if text.rpartition(".")[2] in BARRIERS:
            raise self.faults.barrier(text, span_of(call))
        name = self._atomic_array(call.func)
        help_ = f"an operation is on one element: index it, as in `{name}[i].add(...)`" if name else ""
        help_ = help_ or instead_of(call, self.scope)
        raise self.faults.unsupported_statement(f"calling `{text}` as a statement", span_of(call), help_)

    def _atomic_array(self, callee: ast.expr) -> str:
        """Return the name of the whole `Atomic` array that a method is called of; empty if it is something else."""
        name = callee.value.id if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) else ""
        array = self.scope.storage(name)
        return name if isinstance(array, Storage) and array.access is Access.ATOMIC else ""

    def _if(self, node: ast.If) -> Statement:
        condition = self._or_none(self.expressions.condition, node.test)
        before = set(self.scope.assigned)
        then = self.block(node.body)
        after_then, self.scope.assigned = self.scope.assigned, set(before)
        otherwise = self.block(node.orelse)
        self.scope.assigned &= after_then
        if condition is None:
            raise Poisoned
        return If(condition, then, otherwise, span_of(node))

    def _or_none(self, read: Callable[[_Node], _Result], node: _Node) -> _Result | None:
        """Read the head of a statement; None after a fault, so that its body is examined all the same."""
        try:
            return read(node)
        except Fault as fault:
            self.found.append(fault)
        except Poisoned:
            pass  # its cause is reported
        return None

    def _for(self, node: ast.For) -> Statement:
        span = self._or_none(lambda head: range_of(head, self.expressions), node)
        self._refuse_else(node.orelse)
        if not isinstance(node.target, ast.Name):
            self.scope.poison(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
            if span is None:
                self.block(node.body)
                raise Poisoned
            raise self.faults.bad_loop(
                "a loop has one index", span_of(node.target), "not a name", "write `for j in range(n):`"
            )
        name = node.target.id
        if name in self.scope.parameters or name in self.scope.indices or name in self.scope.local_variables:
            raise self.faults.bad_loop(
                f"the loop index `{name}` already means something else", span_of(node.target), "already defined",
                "use another name",
            )  # fmt: skip
        index = Variable(name, I64, VariableKind.LOOP, span_of(node.target))
        before = set(self.scope.assigned)
        with self.scope.indexed([index]), self.scope.looping():
            body = self.block(node.body)
        self.scope.assigned = before  # the loop may run zero times
        if span is None:
            raise Poisoned
        lower, upper, step = span
        return For(index, lower, upper, step, body, span_of(node))

    def _refuse_else(self, nodes: Sequence[ast.stmt]) -> None:
        if nodes:
            help_ = "keep in a variable whether the loop was left early: `found = True` before its `break`"
            raise self.faults.unsupported_statement("`else` of a loop", span_of(nodes[0]), help_)

    def _while(self, node: ast.While) -> Statement:
        condition = self._or_none(self.expressions.condition, node.test)
        self._refuse_else(node.orelse)
        before = set(self.scope.assigned)
        with self.scope.looping() as breaks:
            body = self.block(node.body)
        self.scope.leave()
        is_endless = isinstance(condition, Const) and condition.value is True
        for ways_out in breaks if is_endless else [before]:  # a `break` has assigned no less
            self.scope.assigned &= ways_out
        if condition is None:
            raise Poisoned
        return While(condition, body, span_of(node))

    def _jump(self, node: ast.Break | ast.Continue) -> Statement:
        if isinstance(node, ast.Break):
            self.scope.loops[-1].append(set(self.scope.assigned))
        self.scope.leave()
        return (Break if isinstance(node, ast.Break) else Continue)(span_of(node))


def range_of(node: ast.For, expressions: Expressions) -> tuple[Expr, Expr, int | Expr]:
    """Return the bounds and the step of `for ... in range(...)`; a constant step as a number."""
    scope, faults, call = expressions.scope, expressions.faults, node.iter
    meaning = scope.syntax.resolve(call.func) if isinstance(call, ast.Call) else None
    if (
        not isinstance(call, ast.Call)
        or getattr(meaning, "name", "") != "range"
        or call.keywords
        or not 1 <= len(call.args) <= 3
    ):
        word = getattr(meaning, "name", "")
        if word == "threads" and scope.calls:
            help_ = "write the phase in the kernel, and call the function inside"
            raise faults.bad_loop("a device function has no phases", span_of(call), "not here", help_)
        if word == "threads" and scope.team is not None:
            raise faults.nested_phase(span_of(call))
        help_ = _NOT_A_RANGE.get(word) or instead_of(call, scope)
        help_ = help_ or "write `range(n)`, `range(lo, hi)` or `range(lo, hi, step)`"
        raise faults.bad_loop("an inner loop runs over `range(...)`", span_of(call), "not a range", help_)
    bounds = [expressions.index(a) for a in call.args[:2]]
    lower, upper = bounds if len(bounds) == 2 else (Const(0, I64, span_of(call)), bounds[0])
    if len(call.args) < 3:
        return lower, upper, 1
    step = expressions.index(call.args[2])
    number = int(step.value) if isinstance(step, Const) else step
    if number == 0:
        raise faults.bad_loop("the step of a range is 0", span_of(call.args[2]), "never ends", "write a positive step")
    return lower, upper, number


def declared_in(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement declares without assigning them."""
    match statement:
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=imported) | ast.ImportFrom(names=imported):
            yield from (a.asname or a.name for a in imported)


def assigned_in(body: Sequence[ast.stmt], apart: Collection[int] = ()) -> dict[str, Span]:
    """Return the names that statements assign, loop indices apart, and where each is assigned first.

    `apart` has the `id`s of nodes that do not count.
    """
    nodes = [n for s in body for n in ast.walk(s) if id(n) not in apart]
    names = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    indices = {id(n) for s in body for f in ast.walk(s) if isinstance(f, ast.For) for n in ast.walk(f.target)}
    spans: dict[str, Span] = {}
    for name in sorted((n for n in names if id(n) not in indices), key=span_of):
        spans.setdefault(name.id, span_of(name))
    return spans
