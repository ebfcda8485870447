"""What the lowering recognises in an expression without emitting it."""

from __future__ import annotations

from ..ir import operations as ops
from ..ir.nodes import Binary, Cast, Const, Expr, Read, Unary, VariableKind


def apart(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    """Return whether two indices never name one element: some dimension has two different constants."""
    pairs = zip(a, b, strict=True)
    return any(isinstance(x, Const) and isinstance(y, Const) and x.value != y.value for x, y in pairs)


def is_near_thread(e: Expr) -> bool:
    """Return whether a value lies within +-2^51: a thread index, within +-2^50, plus or minus a constant below that."""
    match e:
        case Read(variable=variable):
            return variable.kind is VariableKind.THREAD
        case Binary(operation=ops.ADD, left=Const(value=value), right=inner) if abs(value) < 2**50:
            return isinstance(inner, Read) and is_near_thread(inner)
        case Binary(operation=ops.ADD | ops.SUB, left=inner, right=Const(value=value)) if abs(value) < 2**50:
            return isinstance(inner, Read) and is_near_thread(inner)
    return False


def is_zero(e: Expr) -> bool:
    """Return whether an expression is the constant 0."""
    return isinstance(e, Const) and e.value == 0


def is_cheap(e: Expr) -> bool:
    """Return whether both arms of a choice may be computed: nothing in it loads, divides or calls."""
    match e:
        case Const() | Read():
            return True
        case Unary(operand=operand) | Cast(operand=operand):
            return is_cheap(operand) and not (operand.type.is_float and e.type.is_integer)
        case Binary(operation=operation, left=left, right=right):
            return operation not in (ops.FLOORDIV, ops.MOD) and is_cheap(left) and is_cheap(right)
    return False
