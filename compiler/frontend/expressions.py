"""Expressions: names resolved, types inferred, conversions written out."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral

from ..ir import operations as ops
from ..ir.nodes import (
    Access,
    Array,
    AtomicUpdate,
    Binary,
    Buffer,
    Call,
    Cast,
    Const,
    Constants,
    Expr,
    Lengths,
    Load,
    Logical,
    Read,
    Reducer,
    Select,
    Statement,
    Storage,
    Struct,
    Unary,
    Variable,
)
from ..ir.operations import Operation
from ..ir.source import Span
from ..ir.types import BOOL, F64, I64, SCALARS
from .atomics import is_repeatable, operation_of
from .elements import element_of, field_of, usage
from .faults import Poisoned
from .folding import POWER, as_operation, both_constant
from .functions import Device
from .idioms import head_of, in_order, instead_of, uncallable, unknown, unsupported
from .language import Function, Marker, ScalarName
from .scope import Scope
from .syntax import span_of
from .tables import known_element
from .values import Value, constant, convert, unify

_BINARY: dict[type[ast.operator], Operation] = {
    ast.Add: ops.ADD, ast.Sub: ops.SUB, ast.Mult: ops.MUL, ast.Div: ops.DIV, ast.FloorDiv: ops.FLOORDIV,
    ast.Mod: ops.MOD, ast.BitAnd: ops.AND, ast.BitOr: ops.OR, ast.BitXor: ops.XOR, ast.LShift: ops.SHL,
    ast.RShift: ops.SHR,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Operation] = {
    ast.Eq: ops.EQ, ast.NotEq: ops.NE, ast.Lt: ops.LT, ast.LtE: ops.LE, ast.Gt: ops.GT, ast.GtE: ops.GE,
}  # fmt: skip


class Expressions:
    """Turns syntax into typed expressions in one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.faults = scope.faults

    def done(self, call: ast.Call) -> tuple[Statement, ...]:
        """Return what a call of a device function does; nothing if it calls something else."""
        from .inlining import inlined_statements  # which reads statements

        callee = self.scope.syntax.resolve(call.func)
        return inlined_statements(call, callee, self) if isinstance(callee, Device) else ()

    def index(self, node: ast.expr) -> Expr:
        """Return an integer expression as i64."""
        value = self.value(node)
        if not value.type.is_integer:
            raise self.faults.wrong_type(
                f"an integer is needed here, not `{value.type}`", span_of(node), f"this is `{value.type}`",
                "convert it with `i64(...)`" if value.type.is_float else "write `1 if condition else 0`",
            )  # fmt: skip
        return convert(value, I64, self.faults, "indices and bounds are `i64`")

    def condition(self, node: ast.expr) -> Expr:
        """Return a bool expression."""
        value = self.value(node)
        if value.type is not BOOL:
            raise self.faults.wrong_type(
                f"a condition is a `bool`, not `{value.type}`", span_of(node), f"this is `{value.type}`",
                "compare explicitly, as in `x != 0`",
            )  # fmt: skip
        return value.expr

    def value(self, node: ast.expr) -> Value:
        """Return any expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() as number):
                return constant(number, span_of(node))
            case ast.Name() | ast.Attribute():
                return self._name(node)
            case ast.Subscript():
                return self._load(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.BoolOp():
                return self._logical(node)
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                return self._select(node)
            case ast.Call(func=ast.Attribute(value=ast.Subscript())):
                return Value(self.atomic(node))
            case ast.Call():
                return self._call(node)
        raise unsupported(node, self.scope)

    def _load(self, node: ast.Subscript) -> Value:
        array, index = self.element(node)
        known = known_element(array, index, span_of(node)) if isinstance(array, (Constants, Lengths)) else None
        if known is not None:
            return Value(known)
        if array.access is Access.ATOMIC:
            raise self.faults.plain_access_to_atomic(
                array, "read", span_of(node),
                f"use the value that an operation returns, as in `old = {ast.unparse(node)}.add(0)`, or read the array"
                " in a later kernel as `Ref`",
            )  # fmt: skip
        return Value(Load(array, index, span_of(node)))

    def atomic(self, node: ast.Call) -> AtomicUpdate:
        """Return the atomic operation `a[i].method(...)`."""
        assert isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Subscript)
        array, index = self.element(node.func.value)
        operation = operation_of(array, node.func.attr, node, self.faults)
        return self.updated(operation, node.func.value, array, index, node.args, span_of(node))

    def updated(
        self, operation: ops.AtomicOperation, target: ast.Subscript, array: Storage, index: tuple[Expr, ...],
        arguments: Sequence[ast.expr], span: Span,
    ) -> AtomicUpdate:  # fmt: skip
        """Return an atomic operation on an element whose index is read already."""
        holds = f"`{array.name}` holds `{array.element}`"
        values = tuple(convert(self.value(a), array.element, self.faults, holds) for a in arguments)
        return AtomicUpdate(operation, array, index, values, span_of(target), span)

    def once(self, expr: Expr) -> None:
        """Refuse what changes something where the language evaluates an operand more than once."""
        if not is_repeatable(expr):
            what = "an atomic operation" if isinstance(expr, AtomicUpdate) else "a call that changes an array, and"
            raise self.faults.unsupported_expression(
                f"{what} whose value is used twice or in an assigned element's index", expr.span,
                "assign its value to a local variable first, and use that",
            )  # fmt: skip

    def element(self, node: ast.Subscript) -> tuple[Storage, tuple[Expr, ...]]:
        """Return the array or buffer and the i64 indices of `a[i, j]`; of a pack the member's number comes first."""
        array, parts = element_of(node, self.scope)
        return array, tuple(self.index(p) for p in parts)

    def _meaning(self, node: ast.expr) -> object:
        """Return what a (dotted) name means around the kernel; its own names hide those and have no attributes."""
        head = head_of(node)
        if isinstance(head, ast.Name) and self.scope.is_taken(head.id):
            self.scope.refuse_poisoned(head.id)
            if isinstance(reducer := self.scope.storage(head.id), Reducer):
                raise self.faults.reducer_used(reducer, span_of(node))
            text = ast.unparse(node)[:40]
            what = f"calling `{text}`" if node is head else f"`{text}`, an attribute of `{head.id}`,"
            raise self.faults.unsupported_expression(what, span_of(node), instead_of(node, self.scope))
        return self.scope.syntax.resolve(node)

    def _name(self, node: ast.Name | ast.Attribute) -> Value:
        span = span_of(node)
        meaning = self._own_name(node.id, span) if isinstance(node, ast.Name) else field_of(node, self.scope)
        if meaning is not None:
            return meaning
        found = self._meaning(node)
        if isinstance(found, (bool, float)):
            return constant(found, span)
        if isinstance(found, Integral):
            return constant(int(found), span)
        text = ast.unparse(node)
        if found is None and not isinstance(head_of(node), ast.Name):
            raise unsupported(node, self.scope)
        if found is None:
            raise unknown(node, self.scope)
        if isinstance(found, Marker):
            raise self.faults.unsupported_expression(f"`{text}` without a call", span)
        raise self.faults.unsupported_expression(
            f"`{text}`, a Python `{type(found).__name__}`,", span,
            "numbers of the enclosing module are compile-time constants, and tables of numbers can be indexed; pass the"
            " rest as parameters",
        )  # fmt: skip

    def _own_name(self, name: str, span: Span) -> Value | None:
        scope = self.scope
        if name in scope.indices:
            return Value(Read(scope.indices[name], span))
        if name in scope.expressions:
            return Value(replace(scope.expressions[name], span=span))
        if name in scope.local_variables:
            variable = scope.local_variables[name]
            if variable is None:
                raise Poisoned
            if name not in scope.assigned:
                raise self.faults.maybe_unassigned(name, span, scope.first_assigned[name])
            return Value(Read(variable, span))
        match scope.storage(name):
            case Variable() as variable:
                return Value(Read(variable, span))
            case Reducer() as reducer:
                raise self.faults.reducer_used(reducer, span)
            case Struct() as struct:
                raise self.faults.unsupported_expression(
                    f"the whole struct `{name}` as a value", span, f"read a field: `{struct.fields[0].name}`"
                )
            case (Array() | Buffer() | Lengths()) as array:
                raise self.faults.unsupported_expression(
                    f"the whole array `{name}` as a value", span, f"index it: `{usage(array)}`"
                )
        if scope.team is not None and name in scope.team.of_phases and name not in scope.assigned_below:
            raise self.faults.crosses_phase(name, span, scope.team.of_phases[name])
        scope.refuse_ended(name, span)
        if name in scope.assigned_below:  # a name that the body assigns is its own everywhere in it, as in Python
            raise self.faults.maybe_unassigned(name, span, scope.assigned_below[name])
        return None

    def _unary(self, node: ast.UnaryOp) -> Value:
        span = span_of(node)
        if isinstance(node.op, ast.Not):
            return Value(Unary(ops.NOT, self.condition(node.operand), BOOL, span))
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Invert) or operand.type is BOOL:
            raise unsupported(node, self.scope)
        if isinstance(node.op, ast.UAdd):
            return operand
        if operand.literal and isinstance(operand.expr, Const):
            return constant(-operand.expr.value, span)
        return Value(Unary(ops.NEG, operand.expr, operand.type, span))

    def _binary(self, node: ast.BinOp) -> Value:
        span = span_of(node)
        if isinstance(node.op, ast.Pow):
            return self._power(node)
        operation = _BINARY.get(type(node.op))
        if operation is None:
            raise unsupported(node, self.scope)
        return self.arithmetic(operation, self.value(node.left), self.value(node.right), span)

    def arithmetic(self, operation: Operation, left: Value, right: Value, span: Span) -> Value:
        """Return `left operation right`, folded if both are literals."""
        a, b = unify(left, right, self.faults, f"`{operation.symbol}`")
        is_constant = both_constant(left, right)
        accepted = operation.floating if a.type.is_float else operation.signed
        if a.type is BOOL or (accepted is None and not (is_constant and operation is ops.DIV)):
            raise self._not_accepted(operation, a, span)
        if is_constant:
            return self._folded(operation, left, right, span)
        return Value(Binary(operation, a, b, a.type, span))

    def _not_accepted(self, operation: Operation, operand: Expr, span: Span) -> Exception:
        if operation is ops.DIV:
            help_ = "write `//` for the quotient that floors, or convert: `f64(a) / f64(b)`"
        elif operand.type is BOOL:
            help_ = "use `and`, `or`, `not`"
        else:
            help_ = "use integers"
        return self.faults.wrong_type(
            f"`{operation.symbol}` does not take `{operand.type}`", span, f"operands are `{operand.type}`", help_
        )

    def _folded(self, operation: Operation, left: Value, right: Value, span: Span) -> Value:
        assert isinstance(left.expr, Const) and isinstance(right.expr, Const)
        try:
            return constant(operation.meaning(left.expr.value, right.expr.value), span)
        except (ZeroDivisionError, OverflowError, ValueError, TypeError) as error:
            raise self.faults.wrong_type(
                f"this constant has no value: {error}", span, "evaluated at compile time", "correct the constant"
            ) from error

    def _power(self, node: ast.BinOp) -> Value:
        base, exponent = self.value(node.left), self.value(node.right)
        if both_constant(base, exponent):
            return self._folded(POWER, base, exponent, span_of(node))
        power = exponent.expr.value if exponent.literal and isinstance(exponent.expr, Const) else None
        if power not in (2, 3, 4) or isinstance(power, float):
            raise self.faults.unsupported_expression(
                f"`{ast.unparse(node)[:40]}`", span_of(node),
                "only the powers 2, 3 and 4 are written `**`; use `pow(x, y)`, `sqrt(x)` or `cbrt(x)`",
            )  # fmt: skip
        self.once(base.expr)
        result = base
        for _ in range(int(power) - 1):
            result = self.arithmetic(ops.MUL, result, base, span_of(node))
        return result

    def _logical(self, node: ast.BoolOp) -> Value:
        terms = [self.condition(v) for v in node.values]
        result = terms[-1]
        for term in reversed(terms[:-1]):
            result = Logical(isinstance(node.op, ast.And), term, result, span_of(node))
        return Value(result)

    def _compare(self, node: ast.Compare) -> Value:
        if any(type(operator) not in _COMPARE for operator in node.ops):
            raise unsupported(node, self.scope)
        values = [self.value(n) for n in (node.left, *node.comparators)]
        for value in values[1:-1]:
            self.once(value.expr)
        terms: list[Expr] = []
        for operator, left, right in zip(node.ops, values, values[1:], strict=False):
            operation = _COMPARE[type(operator)]
            a, b = unify(left, right, self.faults, f"`{operation.symbol}`")
            if both_constant(left, right):
                terms.append(self._folded(operation, left, right, span_of(node)).expr)
            else:
                terms.append(Binary(operation, a, b, BOOL, span_of(node)))
        result = terms[-1]
        for term in reversed(terms[:-1]):
            result = Logical(True, term, result, span_of(node))
        return Value(result)

    def _select(self, node: ast.IfExp) -> Value:
        condition = self.condition(node.test)
        then, otherwise = self.value(node.body), self.value(node.orelse)
        a, b = unify(then, otherwise, self.faults, "the two values of `... if ... else ...`")
        return Value(Select(condition, a, b, a.type, span_of(node)), then.literal and otherwise.literal)

    def _call(self, node: ast.Call) -> Value:
        callee, text = self._meaning(node.func), ast.unparse(node.func)
        if isinstance(callee, Marker) and callee.name in ("shared", "private", "local", "reshape"):
            raise self.faults.misplaced_buffer(callee.name, span_of(node))
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.faults.wrong_arguments(text, "takes plain arguments only", span_of(node), in_order(node, callee))
        match callee:
            case ScalarName(scalar=scalar):
                return self._cast(node, text, scalar.name)
            case Function(intrinsic=intrinsic):
                return self._intrinsic(node, intrinsic)
            case Marker(name="ceildiv"):
                return self._ceildiv(node)
            case Marker(name="repetition"):
                return Value(self.scope.number_of_repetition(node))
            case Device():
                from .inlining import inlined_value  # which reads statements

                return inlined_value(node, callee, self)
            case None:
                raise unknown(node, self.scope, ops.INTRINSICS)
        raise uncallable(node, callee, self.scope)

    def _cast(self, node: ast.Call, text: str, name: str) -> Value:
        target = SCALARS[name]
        if len(node.args) != 1:
            raise self.faults.wrong_arguments(text, f"takes one argument, not {len(node.args)}", span_of(node), "")
        value = self.value(node.args[0])
        if target is BOOL or value.type is BOOL:
            raise self.faults.unsupported_expression(
                f"the cast `{ast.unparse(node)[:40]}`", span_of(node),
                "compare explicitly, as in `x != 0`, or write `1 if condition else 0`",
            )  # fmt: skip
        if value.literal and (target.is_float or value.type.is_integer):
            return Value(convert(value, target, self.faults, "a written cast"))
        if value.type is target:
            return Value(value.expr)
        return Value(Cast(value.expr, target, span_of(node)))

    def _intrinsic(self, node: ast.Call, intrinsic: ops.Intrinsic) -> Value:
        variadic = intrinsic.name in ("min", "max")
        if len(node.args) != intrinsic.arity and not (variadic and len(node.args) > 2):
            wanted = f"{intrinsic.arity} argument{'s' if intrinsic.arity > 1 else ''}"
            help_ = f"write `m = {intrinsic.name}(m, x[j])` in a loop" if variadic else ""
            message = f"takes {wanted}, not {len(node.args)}"
            raise self.faults.wrong_arguments(intrinsic.name, message, span_of(node), help_)
        values = [self.value(a) for a in node.args]
        if variadic:
            return self._folded_pairwise(intrinsic, values, span_of(node))
        common = values[0]
        for other in values[1:]:
            common = Value(
                unify(common, other, self.faults, f"`{intrinsic.name}`")[0], common.literal and other.literal
            )
        target = common.type
        if target is BOOL:
            raise self.faults.wrong_arguments(intrinsic.name, "does not take `bool`", span_of(node), "")
        if target.is_integer and not intrinsic.integer:
            target = F64
        arguments = tuple(convert(v, target, self.faults, f"`{intrinsic.name}`") for v in values)
        return Value(Call(intrinsic, arguments, target, span_of(node)))

    def _folded_pairwise(self, intrinsic: ops.Intrinsic, values: list[Value], span: Span) -> Value:
        result = values[0]
        for other in values[1:]:
            if both_constant(result, other):
                result = self._folded(as_operation(intrinsic), result, other, span)
                continue
            a, b = unify(result, other, self.faults, f"`{intrinsic.name}`")
            if a.type is BOOL:
                raise self.faults.wrong_arguments(intrinsic.name, "does not take `bool`", span, "use `and` / `or`")
            result = Value(Call(intrinsic, (a, b), a.type, span))
        return result

    def _ceildiv(self, node: ast.Call) -> Value:
        """Read `ceildiv(a, b)` as `(a + b - 1) // b`, for a positive divisor."""
        if len(node.args) != 2:
            raise self.faults.wrong_arguments("ceildiv", f"takes 2 arguments, not {len(node.args)}", span_of(node), "")
        span = span_of(node)
        above, below = self.value(node.args[0]), self.value(node.args[1])
        self.once(below.expr)
        if above.type.is_float or below.type.is_float:
            raise self.faults.wrong_arguments("ceildiv", "takes integers", span, "")
        padded = self.arithmetic(ops.SUB, self.arithmetic(ops.ADD, above, below, span), constant(1, span), span)
        return self.arithmetic(ops.FLOORDIV, padded, below, span)
