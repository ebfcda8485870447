"""Reducers over a user's struct: `Reduce[Moments, merge, Moments(0, 0.0, 0.0)]`, and the structs that they take."""

from __future__ import annotations

import ast
import functools

from ..diagnostics.diagnostic import CompileError
from ..ir import nodes as ir
from ..ir import operations as ops
from ..ir.source import Span
from ..ir.types import BOOL, Scalar
from ..ir.walk import expressions_of, inlined, walk
from .expressions import Expressions
from .faults import Fault, Faults, Poisoned
from .functions import Device
from .parameters import read_signature
from .scope import Scope
from .statements import Statements, assigned_in
from .syntax import Syntax, span_of
from .values import convert

MOST_FIELDS = 16
_PURE = "what it gives depends on its two arguments alone: assignments, conditions and arithmetic"


def read_combined(name: str, items: list[ast.expr], span: Span, syntax: Syntax, faults: Faults) -> ir.Reducer:
    """Return the reducer of `Reduce[struct, function, identity]`; raises CompileError for faults of the function."""
    usage = (
        f"write `{name}: Reduce[Moments, merge, Moments(0, 0.0, 0.0)]`: a class under `@struct`, a function under"
        " `@device` of two of them, and the value that changes nothing"
    )
    layout = struct_of(items[0], syntax) if items else None
    operation = syntax.resolve(items[1]) if len(items) == 3 else None
    if layout is None or not isinstance(operation, Device):
        raise faults.bad_parameter(
            f"reducer `{name}` needs a struct, its operation and identity", span, "malformed", usage
        )
    types = [t for _, t, _ in layout.members]
    if not all(isinstance(t, Scalar) and t is not BOOL for t in types) or len(types) > MOST_FIELDS:
        raise faults.bad_parameter(
            f"`{layout.name}` cannot be combined by a reducer", span, "not supported",
            f"its fields are numbers, at most {MOST_FIELDS}, and no structs",
        )  # fmt: skip
    scope = Scope(syntax, faults)
    identity = struct_values(items[2], layout, Expressions(scope))
    constants = tuple(c for c in identity if isinstance(c, ir.Const))
    if len(constants) != len(identity):
        raise faults.bad_parameter(
            f"the identity of `{name}` is not constant", span_of(items[2]), "not known here", usage
        )
    combination = _combination(operation, layout, tuple((repr(c.value), c.type) for c in constants))
    return ir.Reducer(name, ops.REDUCTIONS["Reduce"], constants[0].type, span, combination=combination)


def struct_of(node: ast.expr, syntax: Syntax) -> ir.StructType | None:
    """Return the struct that a name means; None for anything else."""
    layout = getattr(syntax.resolve(node), "__kparity_struct__", None)
    return layout if isinstance(layout, ir.StructType) else None


def struct_values(node: ast.expr, layout: ir.StructType, expressions: Expressions) -> tuple[ir.Expr, ...]:
    """Return the fields of `Moments(a, b, c)`, of a struct parameter, or of a choice between two of these."""
    scope, faults, span = expressions.scope, expressions.faults, span_of(node)
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition = expressions.condition(test)
            expressions.once(condition)
            rows = zip(*(struct_values(n, layout, expressions) for n in (body, orelse)), strict=True)
            return tuple(ir.Select(condition, a, b, a.type, span) for a, b in rows)
        case ast.Name(id=name) if isinstance(own := scope.parameters.get(name), ir.Struct) and own.type == layout:
            return tuple(ir.Read(v, span) for v in own.fields)
        case ast.Name(id=name):
            scope.refuse_poisoned(name)
        case ast.Call(func=callee, args=args, keywords=keywords) if struct_of(callee, scope.syntax) == layout:
            names = [n for n, _, _ in layout.fields]
            if [*names[: len(args)], *(k.arg for k in keywords)] != names:
                raise faults.wrong_arguments(
                    layout.name, "takes its fields, in order", span,
                    f"write `{layout.name}({', '.join(f'{n}=...' for n in names)})`",
                )  # fmt: skip
            given = [*args, *(k.value for k in keywords)]
            return tuple(
                convert(expressions.value(g), type_, faults, f"`{n}` of `{layout.name}` is `{type_}`")
                for g, (n, type_, _) in zip(given, layout.fields, strict=True)
            )
    raise faults.wrong_type(
        f"a `{layout.name}` is needed here", span, "not such a struct",
        f"write `{layout.name}({', '.join(n for n, _, _ in layout.fields)})` with a value of each field",
    )  # fmt: skip


@functools.cache
def _combination(operation: Device, layout: ir.StructType, identity: tuple[tuple[str, Scalar], ...]) -> ir.Combination:
    """Return what a device function does with two structs: the same object each time, which tells equal reducers."""
    syntax = operation.syntax
    scope = Scope(syntax, Faults(syntax.source), calls=(operation,))
    signature, found = read_signature(syntax, scope.faults, scope)
    reader = Statements(scope, found)
    body = list(syntax.tree.body)
    try:
        parameters = [p for p in signature.parameters if isinstance(p, ir.Struct) and p.type == layout]
        last = body.pop()
        if not found and (len(signature.parameters) != 2 or len(parameters) != 2):
            raise scope.faults.bad_parameter(
                f"`{operation.name}` does not combine two `{layout.name}`", syntax.header, "other parameters",
                f"write `def {operation.name}(a: {layout.name}, b: {layout.name}):`",
            )  # fmt: skip
        if not isinstance(last, ast.Return) or last.value is None:
            raise scope.faults.unsupported_statement(
                f"the operation of a reducer without a value at its end, `{operation.name}`,", span_of(last),
                f"end it with `return {layout.name}(...)`",
            )  # fmt: skip
        scope.assigned_below.update(assigned_in(body))
        statements = reader.sequence(body)
        values = struct_values(last.value, layout, reader.expressions)
        found += _impure(statements, values, scope.faults)
    except Fault as fault:
        found.append(fault)
    except Poisoned:
        pass  # its cause is reported
    if found:
        raise CompileError(tuple(f.diagnostic for f in found))
    first, second = (p.fields for p in parameters)
    constants = tuple(ir.Const(float(v) if t.is_float else int(v), t, syntax.header) for v, t in identity)
    return ir.Combination(operation.name, layout, constants, first, second, statements, values)


def _impure(statements: tuple[ir.Statement, ...], values: tuple[ir.Expr, ...], faults: Faults) -> list[Fault]:
    """Return a fault for whatever reads or changes memory, repeats, or could fail."""
    found = [
        faults.unsupported_statement("this statement in the operation of a reducer", s.span, _PURE)
        for s in inlined(statements) if not isinstance(s, (ir.Assign, ir.If))
    ]  # fmt: skip
    evaluated = [*(e for s in inlined(statements) for e in expressions_of(s)), *values]
    for part in (p for e in evaluated for p in walk(e)):
        if isinstance(part, (ir.Load, ir.AtomicUpdate)):
            found.append(faults.unsupported_expression("memory in the operation of a reducer", part.span, _PURE))
        if isinstance(part, ir.Binary) and part.operation in (ops.FLOORDIV, ops.MOD):
            found.append(faults.unsupported_expression(
                f"`{part.operation.symbol}` in the operation of a reducer", part.span,
                "its divisor would have to be proved positive: keep the sums, and divide on the host",
            ))  # fmt: skip
    return found
