"""Loop-carried integers: what is known of a local variable that a loop updates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
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
from ..ir.walk import statements, walk


@dataclass(frozen=True, slots=True)
class Advances:
    """Each iteration adds between `low` and `high`; exactly that if they are equal and no update is conditional."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Strides:
    """Each iteration adds `step`, in which nothing changes in the loop."""

    step: Expr


@dataclass(frozen=True, slots=True)
class Divides:
    """The only updates are `v = (v + a) // c`, constants 0 <= a < c: the value moves towards 0, -1 or `least`.

    Attributes
    ----------
    least : int
        1 if each is `ceildiv(v, c)`, which leaves what is positive positive; else 0.
    """

    least: int


@dataclass(frozen=True, slots=True)
class Multiplies:
    """The only updates are `v *= c`, constants c >= 1 whose product is `most`; exactly that if none is conditional."""

    most: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Alternates:
    """The only update is `v = sum - v`, in each iteration: which of two buffers is in turn, say."""

    sum: int


Update: TypeAlias = Advances | Strides | Divides | Multiplies | Alternates


def assigned(body: tuple[Statement, ...]) -> dict[Variable, None]:
    """Return the locals that a body assigns, in order of first assignment."""
    return {assign.variable: None for assign, _, _ in _assignments(body, False, 1, ends=False)}


def update_of(variable: Variable, body: tuple[Statement, ...]) -> Update | None:
    """Return how one iteration of a loop over `body` changes a variable; None if in no form that is understood."""
    every_update = list(_assignments(body, False, 1, ends=True))
    updates = [u for u in every_update if u[0].variable is variable]
    if len(updates) == 1:
        updates = [(_resolved(updates[0][0], every_update), *updates[0][1:])]
    divided = [_least(a) for a, _, _ in updates]
    if updates and None not in divided:
        return Divides(min(least for least in divided if least is not None))
    factors = [_factor(a) for a, _, _ in updates]
    if updates and None not in factors and all(times == 1 for _, _, times in updates):
        return Multiplies(prod(f for f in factors if f is not None), not any(maybe for _, maybe, _ in updates))
    if [u[1:] for u in updates] == [(False, 1)] and (total := _sum(updates[0][0])) is not None:
        return Alternates(total)
    if [u[1:] for u in updates] == [(False, 1)] and (stride := _stride(updates[0][0])) is not None:
        changing = {a.variable for a, _, _ in _assignments(body, False, 1, ends=False)}
        changing |= {s.index for s in statements(body) if isinstance(s, For)}
        if not any(isinstance(e, Read) and e.variable in changing for e in walk(stride)):
            return Strides(stride)
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


def _beside(assign: Assign, operation: ops.Operation) -> Expr | None:
    """Return `e` of `v = v op e`, or of `v = e op v`."""
    if not isinstance(assign.value, Binary) or assign.value.operation is not operation:
        return None
    sides = (assign.value.left, assign.value.right)
    others = [e for e in sides if not (isinstance(e, Read) and e.variable is assign.variable)]
    return others[0] if len(others) == 1 else None


def _step(assign: Assign) -> int | None:
    match _beside(assign, ops.ADD), assign.value:
        case Const(value=int() as c), _:
            return c
        case _, Binary(operation=ops.SUB, left=Read(variable=v), right=Const(value=int() as c)) if v is assign.variable:
            return -c
    return None


def _sum(assign: Assign) -> int | None:
    match assign.value:
        case Binary(operation=ops.SUB, left=Const(value=int() as c), right=Read(variable=v)) if v is assign.variable:
            return c
    return None


def _resolved(update: Assign, all_: list[tuple[Assign, bool, int | None]]) -> Assign:
    """Return `v = e` for `h = e; ...; v = h`, where nothing else assigns either."""
    order = [a for a, _, _ in all_]
    if isinstance(update.value, Read):
        made = [m for m in all_ if m[0].variable is update.value.variable]
        if len(made) == 1 and made[0][1:] == (False, 1) and order.index(made[0][0]) < order.index(update):
            return replace(update, value=made[0][0].value)
    return update


def _stride(assign: Assign) -> Expr | None:
    """Return `e` of `v += e`, if it is made of numbers and variables by `+ - *`."""
    added = _beside(assign, ops.ADD)
    if added is None or isinstance(added, Const):
        return None
    plain = all(
        isinstance(e, Const | Read) or (isinstance(e, Binary) and e.operation in (ops.ADD, ops.SUB, ops.MUL))
        for e in walk(added)
    )
    return added if plain else None


def _least(assign: Assign) -> int | None:
    """Return what positive values are not divided below, or None if the assignment is no division by a constant."""
    match assign.value:
        case Binary(operation=ops.SHR, left=Read(variable=v), right=Const(value=int() as c)) if v is assign.variable:
            return 0 if 0 <= c < assign.variable.type.bits else None
        case Binary(operation=ops.FLOORDIV, left=divided, right=Const(value=int() as c)) if c >= 1:
            variable, added = _sum_of(divided)
            if variable is assign.variable and 0 <= added < c:
                return 1 if added == c - 1 else 0
    return None


def _sum_of(value: Expr) -> tuple[Variable | None, int]:
    """Return `v` and `a` of `v + a`, the constants in any order; no variable if it is anything else."""
    match value:
        case Read(variable=v):
            return v, 0
        case Binary(operation=ops.ADD | ops.SUB as operation, left=left, right=Const(value=int() as c)):
            variable, added = _sum_of(left)
            return variable, added + (c if operation is ops.ADD else -c)
    return None, 0


def _factor(assign: Assign) -> int | None:
    """Return the constant c >= 1 of `v *= c`, `v <<= k` or `v += v`."""
    mine = assign.variable
    match _beside(assign, ops.MUL), assign.value:
        case Const(value=int() as c), _ if c >= 1:
            return c
        case _, Binary(operation=ops.SHL, left=Read(variable=v), right=Const(value=int() as k)) if v is mine:
            return 1 << k if 0 <= k < mine.type.bits else None
        case _, Binary(operation=ops.ADD, left=Read(variable=v), right=Read(variable=w)) if v is mine and w is mine:
            return 2
    return None
