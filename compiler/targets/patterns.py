"""What the lowering recognises in an expression without emitting it."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import operations as ops
from ..ir.nodes import (
    Assign,
    Binary,
    Buffer,
    Cast,
    Const,
    Constants,
    Expr,
    For,
    Load,
    Read,
    Space,
    Store,
    Unary,
    Variable,
    VariableKind,
)
from ..ir.walk import expressions_of, inlined, walk

Bounds = tuple[int, int]
UNROLLED = 16  # steps of a loop that LLVM certainly takes apart


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


def bounds_of(e: Expr, indices: Mapping[Variable, Bounds]) -> Bounds | None:
    """Return the least and the greatest value of a sum of constants and of loop indices whose bounds are known."""
    match e:
        case Const(value=value):
            return int(value), int(value)
        case Read(variable=variable):
            return indices.get(variable)
        case Binary(operation=ops.ADD | ops.SUB as operation, left=left, right=right):
            a, b = bounds_of(left, indices), bounds_of(right, indices)
            if a is None or b is None:
                return None
            return (a[0] + b[0], a[1] + b[1]) if operation is ops.ADD else (a[0] - b[1], a[1] - b[0])
    return None


def selects_own(loop: For) -> bool:
    """Return whether a loop's index, or what is computed from it, selects an element of memory of a thread's own."""
    known = {loop.index}

    def mentions(parts: list[Expr]) -> bool:
        return any(isinstance(part, Read) and part.variable in known for part in parts)

    for s in inlined(loop.body):
        parts = [part for e in expressions_of(s) for part in walk(e)]
        loads = any(isinstance(part, Load) and not isinstance(part.array, Constants) for part in parts)
        if isinstance(s, Assign) and mentions(parts) and not loads:
            known.add(s.variable)
        for access in (s, *parts):
            if isinstance(access, (Load, Store)) and isinstance(access.array, Buffer):
                index = [part for i in access.index for part in walk(i)]
                if access.array.space is Space.LOCAL and mentions(index):
                    return True
    return False


def unrolls(s: For) -> bool:
    """Whether nothing remains of a loop: its steps are then work among other work, and no chain that time goes by."""
    bounds = (s.lower, s.upper)
    if not isinstance(s.step, int) or not all(isinstance(b, Const) for b in bounds):
        return False
    lower, upper = (int(b.value) for b in bounds if isinstance(b, Const))
    return len(range(lower, upper, s.step)) <= UNROLLED
