"""Dims of array parameters: what is written in them, and the extents that they bind."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..ir import operations as ops
from ..ir.nodes import (
    Access,
    Array,
    Binary,
    Cast,
    Const,
    Dimension,
    Expr,
    Lengths,
    Load,
    Read,
    Reducer,
    Unary,
    Variable,
    VariableKind,
)
from ..ir.operations import Reduction
from ..ir.source import Span
from ..ir.types import I64, Scalar
from .faults import Fault, Faults
from .scope import Scope
from .syntax import span_of

_EACH = re.compile(r"\s*([^\W\d]\w*)\[\]\s*")
RESERVED = {
    "exchange": "the argument block has a member of that name",
    "results": "the argument block has a member of that name",
    "_kp": "launch expressions use it",
    "_kp_member": "launch expressions use it",
    "repetition": "it is the number of the repetition",
}


@dataclass(frozen=True, slots=True)
class RawArray:
    """An array, or a reducer with bins, whose dims are not read yet; of a pack, `members` is not 0."""

    name: str
    access: Access
    element: Scalar
    dims: tuple[ast.expr, ...]
    order: tuple[int, ...]
    is_table: bool
    span: Span
    members: int = 0
    reduction: Reduction | None = None

    def with_dims(self, dims: tuple[Dimension, ...], lengths: Lengths | None = None) -> Array | Reducer:
        """Return the array, or the reducer with bins; of a pack, the member's number is its first dim."""
        if self.reduction is not None:
            return Reducer(self.name, self.reduction, self.element, self.span, dims)
        if self.members:
            dims = (constant_dim(self.members, self.span), *dims)
        return Array(
            self.name, self.access, self.element, dims, self.span, self.order, self.is_table, self.members, lengths
        )


def bare_extents(raw: Sequence[object], scope: Scope) -> dict[str, Variable]:
    """Names that stand alone as a dim: they bind an extent, unless they are scalar parameters."""
    extents: dict[str, Variable] = {}
    for array in (p for p in raw if isinstance(p, RawArray)):
        for dim in array.dims:
            if isinstance(dim, ast.Constant) and isinstance(dim.value, str):
                name, taken = dim.value.strip(), {*RESERVED, *scope.syntax.statics, *scope.parameters, *extents}
                if name.isidentifier() and name not in taken:
                    extents[name] = Variable(name, I64, VariableKind.EXTENT, array.span)
    return extents


def own_length(p: RawArray) -> tuple[int, str]:
    """Return place and name of the first dim `"n[]"`, an extent that each member of a pack has of its own; else -1."""
    for position, dim in enumerate(p.dims if p.members else ()):
        text = dim.value if isinstance(dim, ast.Constant) and isinstance(dim.value, str) else ""
        if found := _EACH.fullmatch(text):
            return position, found[1]
    return -1, ""


def own_lengths(raw: Sequence[object], scope: Scope, faults: Faults, found: list[Fault]) -> dict[str, Lengths]:
    """Return what packs bind by dims such as `"n[]"`."""
    lengths: dict[str, Lengths] = {}
    for p in (p for p in raw if isinstance(p, RawArray)):
        _, name = own_length(p)
        if not name:
            continue
        known = lengths.get(name)
        if name in scope.parameters or name in RESERVED or (known and len(known.extents) != p.members):
            why = "packs of another size have it" if known else "the name has another meaning"
            found.append(faults.bad_parameter(
                f"`{name}[]` cannot be the lengths of `{p.name}`: {why}", p.span, "taken", "use another name"
            ))  # fmt: skip
        elif known is None:
            extents = (Variable(f"{name}[{k}]", I64, VariableKind.EXTENT, p.span) for k in range(p.members))
            lengths[name] = Lengths(name, tuple(extents), (constant_dim(p.members, p.span),), p.span)
    return lengths


def length_dim(own: Lengths) -> Dimension:
    """Return a dim of a member; its upper end depends on the member, so whoever needs it asks `lengths`."""
    zero = Const(0, I64, own.span)
    return Dimension(zero, Load(own, (zero,), own.span), own.dim_text)


def constant_dim(size: int, span: Span) -> Dimension:
    """Return the dim of a fixed number of elements."""
    return Dimension(Const(0, I64, span), Const(size, I64, span), str(size))


def read_dimension(dim: ast.expr, scope: Scope, faults: Faults) -> Dimension:
    """Return a dim as its bounds, or raise the fault in it."""
    span = span_of(dim)
    zero = Const(0, I64, span)
    match dim:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() as size) if size > 0:
            return Dimension(zero, Const(size, I64, span), str(size))
        case ast.Constant(value=str() as text):
            low, dots, high = text.partition("..")
            if not dots:
                return Dimension(zero, _affine(text, span, scope, faults), text.strip())
            return Dimension(_affine(low, span, scope, faults), _affine(high, span, scope, faults), text.strip())
        case ast.Name(id=name):
            value = scope.syntax.environment.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return Dimension(zero, Const(value, I64, span), str(value))
    raise faults.bad_parameter(
        f"`{ast.unparse(dim)}` is not a dim", span, "malformed",
        'a dim is a positive integer, a name `"n"`, an affine expression `"n + 1"`, or `"lo..hi"`',
    )  # fmt: skip


def _affine(text: str, span: Span, scope: Scope, faults: Faults) -> Expr:
    if _EACH.fullmatch(text):
        raise faults.bad_parameter(
            f"the dim `{text}` has its place elsewhere", span, "an extent of each member of a pack",
            'it is one of the dims of a pack\'s members, as in `Pack[Ref[f64, "n[]", "m"], 8]`',
        )  # fmt: skip
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise faults.bad_parameter(
            f"the dim `{text}` is not an expression", span, "malformed", 'write `"n"`, `"n + 1"`'
        ) from error
    return _affine_expr(tree, text, span, scope, faults)


def _affine_expr(tree: ast.expr, text: str, span: Span, scope: Scope, faults: Faults) -> Expr:
    def recurse(node: ast.expr) -> Expr:
        return _affine_expr(node, text, span, scope, faults)

    match tree:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return Const(number, I64, span)
        case ast.Name(id=name):
            variable = scope.parameters.get(name)
            constant = scope.syntax.environment.get(name)
            if isinstance(variable, Variable) and variable.type.is_integer:
                read = Read(variable, span)
                return read if variable.type is I64 else Cast(read, I64, span)
            if variable is None and isinstance(constant, int) and not isinstance(constant, bool):
                return Const(constant, I64, span)
            scope.refuse_poisoned(name)
            what = "which nothing binds" if variable is None else "which is no integer scalar"
            raise faults.bad_parameter(
                f"the dim `{text}` uses `{name}`, {what}", span, "unbound",
                f'a name in a dim expression is also a bare dim (`"{name}"`) of some array, or an integer scalar'
                " parameter",
            )  # fmt: skip
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Unary(ops.NEG, recurse(operand), I64, span)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            return Binary(ops.ADD if isinstance(op, ast.Add) else ops.SUB, recurse(left), recurse(right), I64, span)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            a, b = recurse(left), recurse(right)
            if any(isinstance(side, Const) for side in (a, b)):
                return Binary(ops.MUL, a, b, I64, span)
    raise faults.bad_parameter(
        f"the dim `{text}` is not affine", span, "malformed", "use sums of names and integer multiples of names"
    )
