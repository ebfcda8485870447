"""Affine normal form of integer expressions: to compare extents and to hand guards to the launcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ..ir import operations as ops
from ..ir.nodes import Binary, Call, Cast, Const, Expr, Lengths, Load, Logical, Read, Select, Unary
from ..ir.walk import alike

Linear = dict[object, int]  # variable, or length of a member -> coefficient; the key None holds the constant


def linear(expr: Expr) -> Linear | None:
    """Return the affine form of an expression, or None if it has none.

    Casts between integers are looked through: extents and sizes are compared as mathematical integers.
    """
    match expr:
        case Const(value=int() as value):
            return {None: value} if value else {}
        case Read(variable=variable):
            return {variable: 1}
        case Load(array=Lengths() as lengths, index=(member,)) if (number := linear(member)) is not None:
            return {(lengths, frozenset(number.items())): 1}
        case Cast(operand=operand) if operand.type.is_integer and expr.type.is_integer:
            return linear(operand)
        case Unary(operation=ops.NEG, operand=operand):
            return _scaled(linear(operand), -1)
        case Binary(operation=operation, left=left, right=right):
            a, b = linear(left), linear(right)
            if a is None or b is None:
                return None
            if operation is ops.ADD:
                return _sum(a, b)
            if operation is ops.SUB:
                return _sum(a, _scaled(b, -1) or {})
            if operation is ops.MUL and set(a) <= {None}:
                return _scaled(b, a.get(None, 0))
            if operation is ops.MUL and set(b) <= {None}:
                return _scaled(a, b.get(None, 0))
    return None


def _scaled(form: Linear | None, factor: int) -> Linear | None:
    if form is None:
        return None
    return {k: v * factor for k, v in form.items() if v * factor}


def _sum(a: Linear, b: Linear) -> Linear:
    keys = {**a, **b}
    return {k: a.get(k, 0) + b.get(k, 0) for k in keys if a.get(k, 0) + b.get(k, 0)}


def same_value(a: Expr, b: Expr) -> bool:
    """Whether two expressions are provably equal: as affine forms, or written alike."""
    left, right = linear(a), linear(b)
    return alike(a, b) if left is None else left == right


def substitute(expr: Expr, values: Mapping[Any, Any]) -> Expr:
    """Replace variables of an expression of the launch by expressions."""
    if isinstance(expr, Read):
        replaced: Expr = values.get(expr.variable, expr)
        return replaced
    if not isinstance(expr, (Unary, Binary, Cast, Logical, Select, Call)):
        return expr
    parts = {f.name: getattr(expr, f.name) for f in fields(expr)}
    new = {n: substitute(p, values) for n, p in parts.items() if isinstance(p, Expr)}
    if isinstance(expr, Cast) and new["operand"].type is expr.type:
        return new["operand"]
    if isinstance(expr, Call):
        return replace(expr, arguments=tuple(substitute(a, values) for a in expr.arguments))
    return replace(expr, **new)  # type: ignore[arg-type]
