"""Small typed expressions that slices and inspections are made of."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import operations as ops
from ..ir.nodes import Binary, Const, Expr, Indexed, Logical
from ..ir.source import Span
from ..ir.types import BOOL, Scalar


def zero(type_: Scalar, span: Span) -> Const:
    """Return the number that stands for a value which does not exist."""
    return Const(0, type_, span)


def within(array: Indexed, dimension: int, index: Expr) -> tuple[Expr, Expr]:
    """Return the two conditions that an index lies in a dimension of an array."""
    dim, span = array.dims[dimension], index.span
    return Binary(ops.LE, dim.lower, index, BOOL, span), Binary(ops.LT, index, dim.upper, BOOL, span)


def every(conditions: Sequence[Expr], span: Span) -> Expr:
    """Return the conjunction of conditions."""
    first, *rest = conditions
    for condition in rest:
        first = Logical(True, first, condition, span)
    return first
