"""Loop-carried integers: what is known of a local variable that a loop updates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ..ir import operations as ops
from ..ir.nodes import (
    Assign,
    Binary,
    Break,
    Checked,
    Const,
    Continue,
    Expr,
    For,
    If,
    Read,
    Statement,
    Unsafe,
    Variable,
    While,
)


@dataclass(frozen=True, slots=True)
class Advances:
    """Each iteration adds between `low` and `high`; exactly that if they are equal and no update is conditional."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Divides:
    """The only updates are `v //= c`, constant c >= 1: the value moves towards 0 or -1."""


@dataclass(frozen=True, slots=True)
class Alternates:
    """The only update is `v = sum - v`, in each iteration: which of two buffers is in turn, say."""

    sum: int


Update: TypeAlias = Advances | Divides | Alternates


def assigned(body: tuple[Statement, ...]) -> dict[Variable, None]:
    """Return the locals that a body assigns, in order of first assignment."""
    return {assign.variable: None for assign, _, _ in _assignments(body, False, 1, ends=False)}


def update_of(variable: Variable, body: tuple[Statement, ...]) -> Update | None:
    """Return how one iteration of a loop over `body` changes a variable; None if in no form that is understood."""
    updates = [u for u in _assignments(body, False, 1, ends=True) if u[0].variable is variable]
    if updates and all(_divides(a) for a, _, _ in updates):
        return Divides()
    if [u[1:] for u in updates] == [(False, 1)] and (total := _sum(updates[0][0])) is not None:
        return Alternates(total)
    low = high = 0
    for assign, maybe, times in updates:
        step = _step(assign)
        if step is None or times is None:
            return None
        total = step * times
        low += min(total, 0) if maybe else total
        high += max(total, 0) if maybe else total
    return Advances(low, high)


def _assignments(
    body: tuple[Statement, ...], maybe: bool, times: int | None, *, ends: bool
) -> Iterator[tuple[Assign, bool, int | None]]:
    """Every assignment, whether it is conditional, how often one iteration executes it (None: not a constant).

    An iteration that is complete has passed every `break` of its own loop, but not every `continue`. If the body's
    `break` `ends` the loop, a branch with a `break` at its end is therefore left out.
    """
    for statement in body:
        match statement:
            case Assign():
                yield statement, maybe, times
            case Checked(body=inner) | Unsafe(body=inner):
                yield from _assignments(inner, maybe, times, ends=False)
            case If(then=then, otherwise=otherwise):
                for branch in (then, otherwise):
                    if not (ends and branch and isinstance(branch[-1], Break)):
                        yield from _assignments(branch, True, times, ends=ends)
            case For(body=inner):
                trips = _trips(statement)
                often = None if trips is None or times is None else trips * times
                yield from _assignments(inner, maybe or jumps(inner, Break), often, ends=False)
            case While(body=inner):
                yield from _assignments(inner, maybe, None, ends=False)
        maybe = maybe or jumps((statement,), Continue)


def jumps(body: tuple[Statement, ...], kind: type[Break | Continue]) -> bool:
    """Whether a body has a jump of a kind that belongs to the loop around it."""
    return any(
        isinstance(s, kind)
        or (isinstance(s, If) and (jumps(s.then, kind) or jumps(s.otherwise, kind)))
        or (isinstance(s, Checked | Unsafe) and jumps(s.body, kind))
        for s in body
    )


def _trips(loop: For) -> int | None:
    if isinstance(loop.lower, Const) and isinstance(loop.upper, Const) and isinstance(loop.step, int):
        return len(range(int(loop.lower.value), int(loop.upper.value), loop.step))
    return None


def _step(assign: Assign) -> int | None:
    match assign.value:
        case Binary(operation=ops.ADD, left=Read(variable=v), right=Const(value=int() as c)) if v is assign.variable:
            return c
        case Binary(operation=ops.ADD, left=Const(value=int() as c), right=Read(variable=v)) if v is assign.variable:
            return c
        case Binary(operation=ops.SUB, left=Read(variable=v), right=Const(value=int() as c)) if v is assign.variable:
            return -c
    return None


def _sum(assign: Assign) -> int | None:
    match assign.value:
        case Binary(operation=ops.SUB, left=Const(value=int() as c), right=Read(variable=v)) if v is assign.variable:
            return c
    return None


def _divides(assign: Assign) -> bool:
    value: Expr = assign.value
    match value:
        case Binary(operation=ops.FLOORDIV, left=Read(variable=v), right=Const(value=int() as c)):
            return v is assign.variable and c >= 1
    return False
