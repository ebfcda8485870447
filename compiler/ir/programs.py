"""Programs: one repetition of a benchmark, as kernel calls under host loops and conditions.

    statement  = KernelCall | Fill | Get | HostFor | HostIf | Swap

What the launcher computes is uniform: expressions of scalars, extents, loop indices and the repetition's number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from .nodes import Array, Const, Expr, Kernel, Parameter, Read, Reducer, Struct, Variable
from .source import Source, Span

MOST_RETURNED = 6
"""8-byte slots of the block that carries scalars to the host; a value with its location takes two."""


Argument: TypeAlias = Array | Reducer | Struct | Expr


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Member(Array):
    """A member of a pack as the argument of a call: the array that `pack[number]` is.

    Its name is that expression, and its dims are a member's.
    """

    pack: Array
    number: Expr


def memory_of(argument: Array | Reducer) -> Array | Reducer:
    """Return the parameter of the program that an argument belongs to."""
    return argument.pack if isinstance(argument, Member) else argument


@dataclass(frozen=True, slots=True, eq=False)
class KernelCall:
    """A kernel with the program's arrays, reducers and scalar expressions as arguments.

    Attributes
    ----------
    arguments : tuple
        One a kernel parameter, in order: a program's `Array`, `Reducer` or `Struct`, or an expression of its scalars
        and extents.
    extents : tuple of Expr
        Values of the kernel's extents, in order, as expressions of the program's.
    """

    kernel: Kernel
    arguments: tuple[Argument, ...]
    extents: tuple[Expr, ...]
    span: Span


def scalar_arguments(kernel: Kernel | Program, arguments: Iterable[Argument]) -> Iterator[tuple[Variable, Expr]]:
    """Yield each scalar parameter, and each field of a struct, with the expression that gives its value."""
    for parameter, argument in zip(kernel.parameters, arguments, strict=True):
        if isinstance(parameter, Struct) and isinstance(argument, Struct):
            for field, own in zip(parameter.fields, argument.fields, strict=True):
                yield field, Read(own, own.span)
        elif isinstance(parameter, Variable) and not isinstance(argument, (Array, Reducer, Struct)):
            yield parameter, argument


@dataclass(frozen=True, slots=True)
class Fill:
    """`r.fill(value)`: the reducer holds `value` before the call that follows in the same block contributes to it."""

    reducer: Reducer
    value: Const
    span: Span


@dataclass(frozen=True, slots=True)
class Get:
    """`r.get()`: the host receives the value of a reducer, or of an array of one element, in this repetition."""

    target: Array | Reducer
    span: Span


@dataclass(frozen=True, slots=True)
class HostFor:
    """`for index in range(lower, upper, step)` around calls."""

    index: Variable
    lower: Expr
    upper: Expr
    step: int
    body: tuple[ProgramStatement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class HostIf:
    """A condition around calls."""

    condition: Expr
    then: tuple[ProgramStatement, ...]
    otherwise: tuple[ProgramStatement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Swap:
    """`a, b = b, a`: to the end of the repetition each name of `names` stands for what its counterpart stood for."""

    names: tuple[Array, ...]
    become: tuple[Array, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Exchange:
    """`exchange(send, recv, ranks, tags)`: messages between the processes that run the program.

    Attributes
    ----------
    send, recv : Array
        Packs: `send[m]` goes to process `ranks[m]`, and `recv[m]` comes from there.
    ranks, tags : Array
        Tables: `recv[m]` is what that process sends as its message `tags[m]`.
    """

    send: Array
    recv: Array
    ranks: Array
    tags: Array
    span: Span


ProgramStatement: TypeAlias = KernelCall | Fill | Get | HostFor | HostIf | Swap | Exchange


def inner(statement: ProgramStatement) -> tuple[tuple[ProgramStatement, ...], ...]:
    """Return the blocks inside a statement."""
    match statement:
        case HostFor(body=body):
            return (body,)
        case HostIf(then=then, otherwise=otherwise):
            return then, otherwise
        case _:
            return ()


def every(statements: Iterable[ProgramStatement]) -> Iterator[ProgramStatement]:
    """Yield statements and everything inside them, in the order of the text."""
    for statement in statements:
        yield statement
        for block in inner(statement):
            yield from every(block)


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A typed program.

    Attributes
    ----------
    repetition : Variable or None
        Stands for the number of the repetition, where the program asks for it.
    scratch : tuple of Array
        Memory of the program's own: every launch that reads it follows one of the same repetition that writes it whole.
    """

    name: str
    parameters: tuple[Parameter, ...]
    extents: tuple[Variable, ...]
    statements: tuple[ProgramStatement, ...]
    source: Source
    span: Span
    repetition: Variable | None = None
    scratch: tuple[Array, ...] = ()

    @property
    def calls(self) -> tuple[KernelCall, ...]:
        """Kernel calls, in the order of the text."""
        return tuple(s for s in every(self.statements) if isinstance(s, KernelCall))

    @property
    def exchange(self) -> Exchange | None:
        """Its messages, if it has any."""
        return next((s for s in self.statements if isinstance(s, Exchange)), None)

    @property
    def returned(self) -> tuple[Array | Reducer, ...]:
        """What the host receives, in order."""
        return tuple(s.target for s in self.statements if isinstance(s, Get))

    @property
    def swapped(self) -> tuple[frozenset[Array], ...]:
        """Arrays that may stand for each other, in disjoint sets."""
        classes: list[frozenset[Array]] = []
        for swap in (s for s in every(self.statements) if isinstance(s, Swap)):
            joined = frozenset(swap.names).union(*(c for c in classes if c & set(swap.names)))
            classes = [c for c in classes if not c & joined] + [joined]
        return tuple(classes)
