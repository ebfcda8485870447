"""Conditions and numbers that the checks write into kernels of their own."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import operations as ops
from ..ir.nodes import Array, Binary, Call, Cast, Const, Expr, Indexed, Lengths, Load, Logical, Unary
from ..ir.source import Span
from ..ir.types import BOOL, I64, Scalar


def joined(left: Expr | None, right: Expr | None, is_and: bool, needs_both: bool, span: Span) -> Expr | None:
    """Return `left and right` or `left or right`; a side that may be anything leaves the other one, or nothing."""
    if left is not None and right is not None:
        return Logical(is_and, left, right, span)
    return None if needs_both else left if right is None else right


def exact(e: Expr) -> tuple[Expr, int]:
    """Return what a 32-bit expression would be without wrapping, as i64, and how many bits that may take."""
    match e:
        case Binary(operation=ops.ADD | ops.SUB | ops.MUL as operation, left=left, right=right):
            (a, bits_a), (b, bits_b) = exact(left), exact(right)
            bits = bits_a + bits_b if operation is ops.MUL else max(bits_a, bits_b) + 1
            return Binary(operation, a, b, I64, e.span), bits
        case Unary(operation=ops.NEG, operand=operand):
            inner, bits = exact(operand)
            return Unary(ops.NEG, inner, I64, e.span), bits + 1
    return Cast(e, I64, e.span), 33


def zero(type_: Scalar, span: Span) -> Const:
    """Return the number that stands for a value which does not exist."""
    return Const(0, type_, span)


def within(array: Indexed, dimension: int, index: Sequence[Expr | None]) -> tuple[Expr, ...]:
    """Return the two conditions that an index, if it is known, lies in a dimension of an array."""
    here, dim, upper = index[dimension], array.dims[dimension], array.dims[dimension].upper
    if here is None:
        return ()
    if isinstance(array, Array) and array.lengths is not None and dimension == array.own_dim:
        if index[0] is None:
            return ()
        upper = length_of(array.lengths, index[0])
    return Binary(ops.LE, dim.lower, here, BOOL, here.span), Binary(ops.LT, here, upper, BOOL, here.span)


def length_of(lengths: Lengths, member: Expr) -> Load:
    """Return the length of a member of a pack; where there is no such member, of the nearest."""
    span, type_ = member.span, member.type
    last = Const(len(lengths.extents) - 1, type_, span)
    least = Call(ops.INTRINSICS["max"], (member, zero(type_, span)), type_, span)
    return Load(lengths, (Call(ops.INTRINSICS["min"], (least, last), type_, span),), span)


def every(conditions: Sequence[Expr], span: Span) -> Expr:
    """Return the conjunction of conditions."""
    first, *rest = conditions
    for condition in rest:
        first = Logical(True, first, condition, span)
    return first
