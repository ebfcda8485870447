"""Operations on literals and compile-time constants, which the front end computes."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import operations as ops
from ..ir.nodes import Const
from ..ir.operations import Operation
from .values import Value


def both_constant(left: Value, right: Value) -> bool:
    """Whether an operation on two values is computed at compile time."""
    return left.literal and right.literal and isinstance(left.expr, Const) and isinstance(right.expr, Const)


def _power_of_constants(base: float, exponent: float) -> float:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise OverflowError("the exponent is too large")
    value = base**exponent
    if isinstance(value, complex):
        raise ValueError("a negative number has no such power")
    return float(value) if isinstance(value, float) else int(value)


_LARGEST_EXPONENT = 1100  # f64 ends at 2 ** 1024
POWER = Operation("pow", "**", _power_of_constants, None, None, None)


def as_operation(intrinsic: ops.Intrinsic) -> Operation:
    """Return a function of two numbers as an operation."""
    meaning: Callable[..., object] = intrinsic.meaning
    return Operation(intrinsic.name, intrinsic.name, meaning, None, None, None)
