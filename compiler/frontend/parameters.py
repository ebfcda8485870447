"""Parameter lists: borrows, reducers, scalars, and the names in their dims."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
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
    Parameter,
    Read,
    Reducer,
    Unary,
    Variable,
    VariableKind,
)
from ..ir.operations import Reduction
from ..ir.source import Span
from ..ir.types import BOOL, I64
from .faults import Fault, Faults, Poisoned
from .language import Borrow, ReducerName, ScalarName
from .scope import Scope
from .syntax import Syntax, span_of

_ANNOTATIONS = (
    'write `Mut[f64, "n"]`, `Ref[f64, "n", "m"]`, `Out[...]`, `Atomic[...]`, `Sum[f64]` or a scalar type such as `f64`'
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


RESERVED = {
    "results": "the argument block has a member of that name",
    "_kp": "launch expressions use it",
    "repetition": "it is the number of the repetition",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """A parameter list, read."""

    parameters: tuple[Parameter, ...]
    extents: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class _RawArray:
    """An array, or a reducer with bins, whose dims are not read yet."""

    name: str
    borrow: Access | Reduction
    element: ScalarName
    dims: tuple[ast.expr, ...]
    span: Span

    def with_dims(self, dims: tuple[Dimension, ...]) -> Array | Reducer:
        if isinstance(self.borrow, Reduction):
            return Reducer(self.name, self.borrow, self.element.scalar, self.span, dims)
        return Array(self.name, self.borrow, self.element.scalar, dims, self.span)


def read_signature(syntax: Syntax, faults: Faults, scope: Scope) -> tuple[Signature, list[Fault]]:
    """Read the parameters of a kernel or program into `scope`; returns every fault found."""
    found: list[Fault] = []
    raw: list[_RawArray | Reducer | Variable] = []
    arguments = syntax.tree.args
    starred = [a for a in (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg) if a is not None]
    for extra in (*arguments.defaults, *starred):
        found.append(
            faults.bad_parameter(
                "parameters are plain: no defaults, no `*`", span_of(extra), "not supported here", _ANNOTATIONS
            )
        )
    faulty = list(starred)
    for argument in (*arguments.posonlyargs, *arguments.args):
        try:
            raw.append(_read_parameter(argument, syntax, faults))
        except Fault as fault:
            found.append(fault)
            faulty.append(argument)
    # Arrays without their dims for now: their names are taken, and are no extents.
    scope.parameters.update({p.name: p if not isinstance(p, _RawArray) else p.with_dims(()) for p in raw})
    extents = _bare_extents(raw, scope)
    scope.parameters.update(extents)
    scope.poison(name for argument in faulty for name in _names_of(argument))
    parameters: list[Parameter] = []
    for p in raw:
        if not isinstance(p, _RawArray):
            parameters.append(p)
            continue
        try:
            dims = tuple(_read_dimension(d, scope, faults) for d in p.dims)
        except Fault as fault:
            found.append(fault)
            dims = _unknown_dims(p)
        except Poisoned:
            dims = _unknown_dims(p)
        parameters.append(p.with_dims(dims))
    scope.parameters.update({p.name: p for p in parameters})
    return Signature(tuple(parameters), tuple(extents.values())), found


def _unknown_dims(p: _RawArray) -> tuple[Dimension, ...]:
    """Keep the rank, so that uses of the array are still examined."""
    return tuple(Dimension(Const(0, I64, p.span), Const(0, I64, p.span), "?") for _ in p.dims)


def _names_of(argument: ast.arg) -> Iterator[str]:
    """Yield a faulty parameter's name and the names in its dims: none of them is known now, for that one reason."""
    yield argument.arg
    for node in ast.walk(argument.annotation or ast.Pass()):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _IDENTIFIER.findall(node.value)


def _read_parameter(argument: ast.arg, syntax: Syntax, faults: Faults) -> _RawArray | Reducer | Variable:
    span, name = span_of(argument), argument.arg
    if name in RESERVED:
        raise faults.bad_parameter(
            f"the name `{name}` is taken: {RESERVED[name]}", span, "not to be used", "use another name"
        )
    annotation = argument.annotation
    if annotation is None:
        raise faults.bad_parameter(f"parameter `{name}` has no type", span, "no annotation", _ANNOTATIONS)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = _unquoted(annotation, annotation.value, faults)
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    meaning = syntax.resolve(head)
    items = _items(annotation)
    match meaning:
        case ScalarName(scalar=scalar) if not items:
            if scalar is BOOL:
                raise faults.bad_parameter(
                    f"parameter `{name}` is a `bool`", span, "not supported", "pass an `i32` and compare it with 0"
                )
            return Variable(name, scalar, VariableKind.SCALAR, span)
        case ReducerName(reduction=reduction):
            element = syntax.resolve(items[0]) if items else None
            most = 0 if reduction.has_location else 4
            wrong = (
                f"reducer `{name}` needs one element type" if not isinstance(element, ScalarName) else
                f"`{reduction.name}` does not combine `{element.scalar}`" if not reduction.accepts(element.scalar) else
                f"reducer `{name}` has {len(items) - 1} dims, at most {most} are possible" if len(items) - 1 > most else
                ""
            )  # fmt: skip
            if wrong or not isinstance(element, ScalarName):
                help_ = f"write `{name}: {reduction.name}[i32]`"
                raise faults.bad_parameter(
                    wrong,
                    span,
                    "not supported",
                    help_ if reduction.has_location else f'{help_}, with bins `[i32, "n"]`',
                )
            if len(items) == 1:
                return Reducer(name, reduction, element.scalar, span)
            return _RawArray(name, reduction, element, tuple(items[1:]), span)
        case Borrow(name=borrow):
            element = syntax.resolve(items[0]) if items else None
            if not isinstance(element, ScalarName) or element.scalar is BOOL:
                raise faults.bad_parameter(
                    f"array `{name}` needs an element type first",
                    span,
                    "malformed",
                    f'write `{name}: {borrow}[f64, "n"]`',
                )
            if not 1 <= len(items) - 1 <= 4:
                raise faults.bad_parameter(
                    f"array `{name}` needs 1 to 4 dims",
                    span,
                    f"{len(items) - 1} dims",
                    f'write `{name}: {borrow}[f64, "n"]`',
                )
            return _RawArray(name, Access[borrow.upper()], element, tuple(items[1:]), span)
    raise faults.bad_parameter(f"`{ast.unparse(annotation)}` is not a parameter type", span, "not known", _ANNOTATIONS)


def _unquoted(quoted: ast.Constant, text: str, faults: Faults) -> ast.expr:
    """Return an annotation that was written as a string, its parts standing where the string stands."""
    try:
        annotation = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise faults.bad_parameter(
            f"`{text}` is not a parameter type", span_of(quoted), "not an expression", _ANNOTATIONS
        ) from error
    for node in ast.walk(annotation):
        ast.copy_location(node, quoted)
    return annotation


def _items(annotation: ast.expr) -> list[ast.expr]:
    if not isinstance(annotation, ast.Subscript):
        return []
    inner = annotation.slice
    return list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]


def _bare_extents(raw: list[_RawArray | Reducer | Variable], scope: Scope) -> dict[str, Variable]:
    """Names that stand alone as a dim: they bind an extent, unless they are scalar parameters."""
    extents: dict[str, Variable] = {}
    for array in (p for p in raw if isinstance(p, _RawArray)):
        for dim in array.dims:
            if isinstance(dim, ast.Constant) and isinstance(dim.value, str):
                name = dim.value.strip()
                if (
                    name.isidentifier()
                    and name not in RESERVED
                    and name not in scope.parameters
                    and name not in extents
                ):
                    extents[name] = Variable(name, I64, VariableKind.EXTENT, array.span)
    return extents


def _read_dimension(dim: ast.expr, scope: Scope, faults: Faults) -> Dimension:
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
