"""A program's statements as plain data, and the launches that a repetition comes to once its arguments are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ..ir import operations as ops
from ..ir.nodes import Binary, Cast, Const, Expr, Read, Reducer, Unary, Variable
from ..ir.programs import (
    Exchange,
    Fill,
    HostFor,
    HostIf,
    KernelCall,
    Member,
    Program,
    ProgramStatement,
    Swap,
    every,
    inner,
    scalar_arguments,
)
from ..ir.walk import operands, walk
from . import refusals
from .expression_text import evaluate, expression_text

MOST_LAUNCHES = 1 << 20  # of a repetition, iterations of its loops included
LONGEST_PERIOD = 1 << 12

EXCHANGE = -1  # number of what is no call, but the exchange of messages

Step: TypeAlias = list[Any]
"""`["call", number]`, `["for", index, lower, upper, step, steps]`, `["if", condition, steps, steps]`,
`["swap", names, names]`, `["exchange"]`; bounds and conditions are launch expressions."""

Launch: TypeAlias = tuple[int, dict[str, Any], dict[str, str]]
"""Number of the call, values of every name, the array that each swapped name stands for; valid until the next one."""


def steps_of(statements: Iterable[ProgramStatement], number: Callable[[KernelCall], int]) -> list[Step]:
    """Return the steps of a block."""
    found: list[Step] = []
    for s in statements:
        match s:
            case KernelCall():
                found.append(["call", number(s)])
            case HostFor(index=index, lower=lower, upper=upper, step=step, body=body):
                bounds = expression_text(lower, {}), expression_text(upper, {})
                found.append(["for", index.name, *bounds, step, steps_of(body, number)])
            case HostIf(condition=condition, then=then, otherwise=otherwise):
                text = expression_text(condition, {})
                found.append(["if", text, steps_of(then, number), steps_of(otherwise, number)])
            case Exchange():
                found.append(["exchange"])
            case Swap(names=names, become=become):
                found.append(["swap", [a.name for a in names], [a.name for a in become]])
    return found


def folded_fills(statements: Iterable[ProgramStatement]) -> dict[KernelCall, dict[Reducer, Fill]]:
    """Return for each call the fills that it applies on the way: those of the statements before it in its block."""
    found: dict[KernelCall, dict[Reducer, Fill]] = {}
    pending: dict[Reducer, Fill] = {}
    for s in statements:
        for block in inner(s):
            found |= folded_fills(block)
        if isinstance(s, Fill):
            pending[s.reducer] = s
        elif isinstance(s, KernelCall):
            found[s] = {a: pending.pop(a) for a in s.arguments if isinstance(a, Reducer) and a in pending}
    return found


def launches(program: str, steps: list[Step], values: Mapping[str, Any]) -> Iterator[Launch]:
    """Yield the launches of one repetition, in order; raises LaunchError for what cannot be computed.

    A repetition is like a call of the program's function: its swaps end with it.
    """
    return _Walk(program).block(steps, dict(values), {})


class _Walk:
    """Counts what it does, so that a loop that would never end is refused."""

    def __init__(self, program: str) -> None:
        self._program, self._left = program, MOST_LAUNCHES

    def block(self, steps: list[Step], values: dict[str, Any], roles: dict[str, str]) -> Iterator[Launch]:
        for kind, *parts in steps:
            match kind:
                case "call":
                    self._count()
                    yield parts[0], values, roles
                case "exchange":
                    yield EXCHANGE, values, roles
                case "for":
                    index, lower, upper, step, body = parts
                    for k in range(self._computed(lower, values), self._computed(upper, values), step):
                        self._count()
                        yield from self.block(body, {**values, index: k}, roles)
                case "if":
                    condition, then, otherwise = parts
                    yield from self.block(then if self._computed(condition, values) else otherwise, values, roles)
                case "swap":
                    names, become = parts
                    held = [roles.get(name, name) for name in become]
                    roles.update(zip(names, held, strict=True))

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise refusals.too_many_launches(self._program, MOST_LAUNCHES)

    def _computed(self, text: str, values: Mapping[str, Any]) -> Any:
        try:
            return evaluate(text, values)
        except (ArithmeticError, ValueError) as error:
            raise refusals.no_value(self._program, text, error) from error


def period_of(program: Program) -> int:
    """Return after how many repetitions the launches are the same again; 0 if that is not known."""
    period = 1
    for e in _host_expressions(program):
        own = _period(e, program.repetition)
        period = math.lcm(period, own)
    return period if period <= LONGEST_PERIOD else 0


def _host_expressions(program: Program) -> Iterator[Expr]:
    for s in every(program.statements):
        match s:
            case KernelCall(kernel=kernel, arguments=arguments, extents=extents):
                yield from (e for _, e in scalar_arguments(kernel, arguments))
                yield from extents
                yield from (a.number for a in arguments if isinstance(a, Member))
            case HostFor(lower=lower, upper=upper):
                yield from (lower, upper)
            case HostIf(condition=condition):
                yield condition


def _period(e: Expr, repetition: Variable | None) -> int:
    """Return the period of one expression: what stands in `... % c` is all that may depend on the repetition."""
    match e:
        case Read(variable=variable):
            return 0 if variable is repetition else 1
        case Binary(operation=ops.MOD, left=left, right=Const(value=int() as divisor)) if divisor > 0 and _is_ring(
            left
        ):
            return divisor if any(isinstance(p, Read) and p.variable is repetition for p in walk(left)) else 1
        case _:
            return math.lcm(*(_period(part, repetition) for part in operands(e)))


def _is_ring(e: Expr) -> bool:
    """Whether a value modulo a constant depends on its variables modulo that constant only: sums and products."""
    match e:
        case Const() | Read():
            return e.type.is_integer
        case Unary(operation=ops.NEG, operand=operand) | Cast(operand=operand):
            return e.type.is_integer and e.type.bits == 64 and _is_ring(operand)
        case Binary(operation=ops.ADD | ops.SUB | ops.MUL, left=left, right=right):
            return _is_ring(left) and _is_ring(right)
    return False
