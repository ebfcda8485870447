"""The parts of expressions and statements, in the order of evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from .nodes import (
    Assign,
    AtomicUpdate,
    Binary,
    Call,
    Cast,
    Const,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Load,
    Logical,
    Read,
    Select,
    Statement,
    Store,
    Unary,
)


def operands(e: Expr) -> tuple[Expr, ...]:
    """Return the expressions that an expression is made of."""
    match e:
        case Const() | Read():
            return ()
        case Load(index=index):
            return index
        case AtomicUpdate(index=index, arguments=arguments):
            return *index, *arguments
        case Unary(operand=operand) | Cast(operand=operand):
            return (operand,)
        case Binary(left=left, right=right) | Logical(left=left, right=right):
            return left, right
        case Select(condition=condition, then=then, otherwise=otherwise):
            return condition, then, otherwise
        case Call(arguments=arguments):
            return arguments
        case _:
            assert_never(e)


def expressions_of(s: Statement) -> tuple[Expr, ...]:
    """Return the expressions that a statement evaluates itself, not those of the statements inside."""
    match s:
        case Assign(value=value) | Drop(value=value):
            return (value,)
        case Store(index=index, value=value):
            return (*index, value)
        case Contribute(value=value, location=location):
            return (value,) if location is None else (value, location)
        case If(condition=condition):
            return (condition,)
        case For(lower=lower, upper=upper):
            return lower, upper
        case _:
            assert_never(s)


def walk(e: Expr) -> Iterator[Expr]:
    """Yield an expression and everything below it."""
    yield e
    for operand in operands(e):
        yield from walk(operand)


def statements(body: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the statements of a body and everything below them, in the order of the text."""
    for s in body:
        yield s
        match s:
            case If(then=then, otherwise=otherwise):
                yield from statements((*then, *otherwise))
            case For(body=inner):
                yield from statements(inner)
