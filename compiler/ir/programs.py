"""Programs: one repetition of a benchmark, as a sequence of kernel calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from .nodes import Array, Const, Expr, Kernel, Parameter, Read, Reducer, Struct, Variable
from .source import Source, Span

MOST_RETURNED = 6
"""Scalars that one repetition brings back: the slots of the block that carries them."""


Argument: TypeAlias = Array | Reducer | Struct | Expr


@dataclass(frozen=True, slots=True)
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


def scalar_arguments(kernel: Kernel, arguments: Iterable[Argument]) -> Iterator[tuple[Variable, Expr]]:
    """Yield each scalar parameter, and each field of a struct, with the expression that gives its value."""
    for parameter, argument in zip(kernel.parameters, arguments, strict=True):
        if isinstance(parameter, Struct) and isinstance(argument, Struct):
            for field, own in zip(parameter.fields, argument.fields, strict=True):
                yield field, Read(own, own.span)
        elif isinstance(parameter, Variable) and not isinstance(argument, (Array, Reducer, Struct)):
            yield parameter, argument


@dataclass(frozen=True, slots=True)
class Fill:
    """`r.fill(value)`: the reducer holds `value` before the next call that contributes to it."""

    reducer: Reducer
    value: Const
    span: Span


@dataclass(frozen=True, slots=True)
class Get:
    """`r.get()`: the host receives the reducer's value in this repetition."""

    reducer: Reducer
    span: Span


ProgramStatement: TypeAlias = KernelCall | Fill | Get


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A typed program."""

    name: str
    parameters: tuple[Parameter, ...]
    extents: tuple[Variable, ...]
    statements: tuple[ProgramStatement, ...]
    source: Source
    span: Span

    @property
    def calls(self) -> tuple[KernelCall, ...]:
        """Kernel calls, in stream order."""
        return tuple(s for s in self.statements if isinstance(s, KernelCall))

    @property
    def returned(self) -> tuple[Reducer, ...]:
        """Reducers that the host receives, in order."""
        return tuple(s.reducer for s in self.statements if isinstance(s, Get))
