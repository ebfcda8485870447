"""How two types meet: literals adapt, implicit conversions lose nothing, the rest is a written cast."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from ..ir.nodes import Cast, Const, Expr, Select
from ..ir.source import Span
from ..ir.types import BOOL, F32, F64, I64, Scalar
from .faults import Faults


@dataclass(frozen=True, slots=True)
class Value:
    """An expression, and whether its type is still open: a literal, or a choice between literals."""

    expr: Expr
    literal: bool = False

    @property
    def type(self) -> Scalar:
        """Type, if nothing else decides."""
        return self.expr.type


def widens(source: Scalar, target: Scalar) -> bool:
    """Whether a conversion is implicit: exact, or integer to f64."""
    if source is target:
        return True
    if BOOL in (source, target):
        return False
    if source.is_integer and target.is_integer:
        return source.bits < target.bits and (target.is_signed or not source.is_signed)
    return target is F64  # from f32 (exact) and from integers


def convert(value: Value, target: Scalar, faults: Faults, why: str, help_: str = "") -> Expr:
    """Return the value as `target`, or raise the fault that says why not."""
    expr = value.expr
    if value.literal:
        return _adapted(expr, target, faults)
    if expr.type is target:
        return expr
    if widens(expr.type, target):
        return Cast(expr, target, expr.span)
    if BOOL in (expr.type, target):
        raise faults.types_differ(
            why, expr.span, target, expr.type,
            "compare explicitly, as in `x != 0`" if target is BOOL else "write `1 if condition else 0`",
        )  # fmt: skip
    raise faults.narrowing(expr.type, target, why, expr.span, help_)


def _adapted(expr: Expr, target: Scalar, faults: Faults) -> Expr:
    """Return a literal, or a choice between literals, in the type that its use needs."""
    if isinstance(expr, Select):
        if expr.type.is_float and not target.is_float:
            raise faults.wrong_type(
                f"a float, but `{target}` is needed", expr.span, "one of the values is a float literal",
                "write integers, or convert the other side: `f64(...)`",
            )  # fmt: skip
        then, otherwise = _adapted(expr.then, target, faults), _adapted(expr.otherwise, target, faults)
        return replace(expr, then=then, otherwise=otherwise, type=target)
    assert isinstance(expr, Const)
    return _literal_as(expr, target, faults)


def _literal_as(literal: Const, target: Scalar, faults: Faults) -> Const:
    if target is BOOL or literal.type is BOOL:
        if target is literal.type:
            return literal
        raise faults.types_differ(
            "a literal cannot change its kind",
            literal.span,
            target,
            literal.type,
            "write the literal in the kind that is needed",
        )
    if target.is_float:
        return _float_literal(literal, target, faults)
    if isinstance(literal.value, float):
        raise faults.wrong_type(
            f"`{literal.value}` is not an integer, but `{target}` is needed", literal.span, "a float literal",
            "write an integer, or convert the other side: `f64(...)`",
        )  # fmt: skip
    if not target.lowest <= literal.value <= target.highest:
        raise faults.wrong_type(
            f"`{literal.value}` does not fit into `{target}`", literal.span,
            f"outside of {target.lowest} .. {target.highest}",
            "use a wider type, as in `i64(...)`",
        )  # fmt: skip
    return replace(literal, type=target)


def _float_literal(literal: Const, target: Scalar, faults: Faults) -> Const:
    """Return the literal rounded to the type."""
    form = "<f" if target is F32 else "<d"
    try:
        (rounded,) = struct.unpack(form, struct.pack(form, float(literal.value)))
    except OverflowError as error:
        raise faults.wrong_type(
            f"this literal does not fit into `{target}`", literal.span, "beyond the largest finite value",
            "use `f64`" if target is F32 else "write `math.inf` for an infinity",
        ) from error  # fmt: skip
    return replace(literal, value=rounded, type=target)


def unify(left: Value, right: Value, faults: Faults, what: str) -> tuple[Expr, Expr]:
    """Bring two operands to one type: a literal takes the other's, implicit conversions widen."""
    target = _common(left, right)
    if target is None:
        raise faults.types_differ(
            f"operands of {what} have different types", right.expr.span, left.type, right.type,
            f"convert one side: `{left.type}(...)` or `{right.type}(...)`",
        )  # fmt: skip
    return convert(left, target, faults, what), convert(right, target, faults, what)


def _common(left: Value, right: Value) -> Scalar | None:
    if left.literal and right.literal:
        return F64 if F64 in (left.type, right.type) else left.type if left.type is right.type else None
    for literal, other in ((left, right), (right, left)):
        if literal.literal:
            if literal.type is F64 and other.type.is_integer:
                return F64
            return other.type
    if widens(left.type, right.type):
        return right.type
    return left.type if widens(right.type, left.type) else None


def constant(value: int | float | bool, span: Span) -> Value:
    """Return a literal or compile-time constant, its type open."""
    type_ = BOOL if isinstance(value, bool) else I64 if isinstance(value, int) else F64
    plain = value if isinstance(value, bool) else int(value) if isinstance(value, int) else float(value)
    return Value(Const(plain, type_, span), literal=True)
