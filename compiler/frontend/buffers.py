"""Memory of a kernel's own: `s = local(f64, 8, fill=0.0)`."""

from __future__ import annotations

import ast
import math

from ..ir.nodes import Allocate, Buffer, Const, Dimension, Space
from ..ir.source import Span
from ..ir.types import BOOL, I64
from .expressions import Expressions
from .language import ScalarName
from .scope import Scope
from .syntax import span_of
from .values import convert

_WRITE = "write `local(f64, 8)` or `local(f64, 4, 4, fill=0.0)`"
MOST_BYTES = 1 << 16  # of one local array: every thread has it, and a stack is short


def allocation(call: ast.Call, scope: Scope) -> bool:
    """Whether a call declares a buffer."""
    return getattr(scope.syntax.resolve(call.func), "name", "") == "local"


def read_allocation(target: ast.expr, call: ast.Call, expressions: Expressions, span: Span) -> Allocate:
    """Read a declaration, and make its name known to the end of the block."""
    scope, faults = expressions.scope, expressions.faults
    if not isinstance(target, ast.Name):
        raise faults.unsupported_statement(f"assigning an array to `{ast.unparse(target)}`", span_of(target))
    name = target.id
    known = scope.parameters.get(name) or scope.indices.get(name) or scope.local_variables.get(name)
    if known is not None or name in scope.local_variables:
        scope.refuse_poisoned(name)
        raise faults.unsupported_statement(
            f"declaring `{name}`, which already means something else,",
            span_of(target),
            "use another name",
        )
    element = scope.syntax.resolve(call.args[0]) if call.args else None
    if not isinstance(element, ScalarName) or element.scalar is BOOL:
        where = span_of(call.args[0] if call.args else call)
        raise faults.wrong_arguments("local", "takes a number type first, then the dims", where, _WRITE)
    if not 2 <= len(call.args) <= 5 or any(k.arg != "fill" for k in call.keywords):
        raise faults.wrong_arguments("local", "takes a type, one to four dims, and `fill=`", span_of(call), _WRITE)
    dims = tuple(_dimension(d, expressions) for d in call.args[1:])
    scalar = element.scalar
    if scalar.bytes * math.prod(int(d.upper.value) for d in dims if isinstance(d.upper, Const)) > MOST_BYTES:
        raise faults.wrong_arguments(
            "local", f"takes at most {MOST_BYTES} bytes: each thread has the array", span_of(call),
            "pass a larger array as a parameter, with an index for the thread",
        )  # fmt: skip
    fill = None
    for keyword in call.keywords:
        value = convert(expressions.value(keyword.value), scalar, faults, f"`{name}` holds `{scalar}`")
        if not isinstance(value, Const):
            raise faults.wrong_arguments("local", "is filled with a constant", span_of(keyword.value), _WRITE)
        fill = value
    buffer = Buffer(name, Space.LOCAL, scalar, dims, 0, fill, False, None, span_of(target))
    scope.parameters[name] = buffer
    return Allocate(buffer, span)


def _dimension(node: ast.expr, expressions: Expressions) -> Dimension:
    size = expressions.index(node)
    if not isinstance(size, Const) or size.value < 1:
        raise expressions.faults.wrong_arguments(
            "local", "has dims that are positive constants", span_of(node),
            "write a literal or a number of the enclosing module",
        )  # fmt: skip
    return Dimension(Const(0, I64, span_of(node)), size, ast.unparse(node))
