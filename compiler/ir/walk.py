"""The parts of expressions and statements, in the order of evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import assert_never

from .nodes import (
    Allocate,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Buffer,
    Call,
    Cast,
    Checked,
    Const,
    Continue,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Inlined,
    Load,
    Logical,
    Phase,
    Read,
    Select,
    Statement,
    Store,
    Unary,
    Unsafe,
    While,
)


def operands(e: Expr) -> tuple[Expr, ...]:
    """Return the expressions that an expression is made of; of an inlined call, those of its statements too."""
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
        case Inlined(statements=inside, value=value):
            return (*(e for s in statements(inside) for e in expressions_of(s)), value)
        case _:
            assert_never(e)


def expressions_of(s: Statement) -> tuple[Expr, ...]:
    """Return the expressions that a statement evaluates itself, not those of the statements inside."""
    match s:
        case Assign(value=value) | Drop(value=value):
            return (value,)
        case Store(index=index, value=value):
            return (*index, value)
        case Contribute(bin=bin_):
            return (*bin_, *s.parts)
        case If(condition=condition) | While(condition=condition):
            return (condition,)
        case For(lower=lower, upper=upper, step=step):
            return (lower, upper) if isinstance(step, int) else (lower, upper, step)
        case Phase(ranges=ranges):
            return tuple(bound for r in ranges for bound in (r.lower, r.upper))
        case Allocate(buffer=buffer):
            return tuple(d.upper for d in buffer.dims)
        case Break() | Continue() | Checked() | Unsafe():
            return ()
        case _:
            assert_never(s)


def walk(e: Expr) -> Iterator[Expr]:
    """Yield an expression and everything below it."""
    yield e
    for operand in operands(e):
        yield from walk(operand)


def blocks_of(s: Statement) -> tuple[tuple[Statement, ...], ...]:
    """Return the statements inside a statement, one tuple a block."""
    match s:
        case If(then=then, otherwise=otherwise):
            return then, otherwise
        case For(body=inner) | While(body=inner) | Checked(body=inner) | Unsafe(body=inner) | Phase(body=inner):
            return (inner,)
        case _:
            return ()


def statements(body: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the statements of a body and everything below them, in the order of the text.

    Statements of inlined calls are part of expressions: `assigned` and the like look into those by `inlined`.
    """
    for s in body:
        yield s
        for block in blocks_of(s):
            yield from statements(block)


def inlined(body: Iterable[Statement]) -> Iterator[Statement]:
    """Yield what `statements` does, and the statements of every inlined call, before the statement that makes it."""
    for s in body:
        for e in expressions_of(s):
            for part in walk(e):
                if isinstance(part, Inlined):
                    yield from statements(part.statements)
        yield s
        for block in blocks_of(s):
            yield from inlined(block)


def phases(body: Iterable[Statement]) -> Iterator[Phase]:
    """Yield the phases of a team's body, in the order of the text."""
    return (s for s in statements(body) if isinstance(s, Phase))


def buffers(body: Iterable[Statement]) -> Iterator[Buffer]:
    """Yield the buffers that a body allocates, in the order of the text."""
    return (s.buffer for s in inlined(body) if isinstance(s, Allocate))


def alike(a: object, b: object) -> bool:
    """Whether two expressions are the same but for where they stand; of equal variables they have equal values."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, Expr) and type(a) is type(b):
        return all(alike(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if not f.name.endswith("span"))
    return a == b
