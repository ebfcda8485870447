"""Reducers in LLVM IR: identity, combination, and the state that a thread carries."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..ir.nodes import Reducer
from ..ir.types import I64, Scalar
from .text import Function, Module, literal

STATE_BYTES = 16  # a value and a location


@dataclass(frozen=True, slots=True)
class State:
    """Where a thread accumulates: addresses of the value and, for locations, of the location."""

    value: str
    location: str | None


def identity(reducer: Reducer) -> tuple[str, str]:
    """Return the value (and location) that changes nothing, as operands."""
    type_, name = reducer.element, reducer.reduction.name
    lowest: float = -math.inf if type_.is_float else type_.lowest
    highest: float = math.inf if type_.is_float else type_.highest
    value = {
        "Sum": 0, "Prod": 1, "Min": highest, "MinLoc": highest, "Max": lowest, "MaxLoc": lowest, "And": -1, "Or": 0,
    }[name]  # fmt: skip
    return literal(value, type_), literal(I64.highest, I64)


def new_state(reducer: Reducer, f: Function) -> State:
    """Return a fresh accumulator that holds the identity."""
    value, location = identity(reducer)
    state = State(
        f.alloca(reducer.element.llvm, reducer.name),
        f.alloca("i64", reducer.name + ".at") if reducer.reduction.has_location else None,
    )
    f.emit(f"store {reducer.element.llvm} {value}, ptr {state.value}")
    if state.location:
        f.emit(f"store i64 {location}, ptr {state.location}")
    return state


def accumulate(reducer: Reducer, state: State, value: str, location: str | None, f: Function, module: Module) -> None:
    """Combine a contribution into an accumulator."""
    type_ = reducer.element.llvm
    old = f.value(f"load {type_}, ptr {state.value}")
    old_location = f.value(f"load i64, ptr {state.location}") if state.location else None
    new, new_location = combine(reducer, (old, old_location), (value, location), f, module)
    f.emit(f"store {type_} {new}, ptr {state.value}")
    if state.location:
        f.emit(f"store i64 {new_location}, ptr {state.location}")


def combine(
    reducer: Reducer, a: tuple[str, str | None], b: tuple[str, str | None], f: Function, module: Module
) -> tuple[str, str | None]:
    """Return the combination of two (value, location) pairs; `a` comes first where order matters."""
    name, type_ = reducer.reduction.name, reducer.element
    if reducer.reduction.has_location:
        return _combine_located(reducer, a, b, f)
    if name in ("Sum", "Prod"):
        operation = {"Sum": "add", "Prod": "mul"}[name]
        # A reducer has no order, so reassociation is its own, and only its own.
        opcode = f"f{operation} reassoc contract" if type_.is_float else operation
        return f.value(f"{opcode} {type_.llvm} {a[0]}, {b[0]}"), None
    if name in ("And", "Or"):
        return f.value(f"{name.lower()} {type_.llvm} {a[0]}, {b[0]}"), None
    suffix = _suffix(type_)
    intrinsic = f"llvm.{_extremum(name, type_)}.{suffix}"
    module.declare(intrinsic, f"declare {type_.llvm} @{intrinsic}({type_.llvm}, {type_.llvm})")
    return f.value(f"call {type_.llvm} @{intrinsic}({type_.llvm} {a[0]}, {type_.llvm} {b[0]})"), None


def combined(reducer: Reducer, a: str, b: str, f: Function, module: Module) -> str:
    """Return the combination of two values without locations."""
    return combine(reducer, (a, None), (b, None), f, module)[0]


def _suffix(type_: Scalar) -> str:
    return f"f{type_.bits}" if type_.is_float else f"i{type_.bits}"


def _extremum(name: str, type_: Scalar) -> str:
    low = name.startswith("Min")
    if type_.is_float:
        return "minimum" if low else "maximum"  # NaN propagates
    return ("s" if type_.is_signed else "u") + ("min" if low else "max")


def _combine_located(
    reducer: Reducer, a: tuple[str, str | None], b: tuple[str, str | None], f: Function
) -> tuple[str, str | None]:
    """Take the better value, NaN over any number; ties go to the lower location."""
    type_, low = reducer.element, reducer.reduction.name == "MinLoc"
    if type_.is_float:
        better = f.value(f"fcmp {'olt' if low else 'ogt'} {type_.llvm} {b[0]}, {a[0]}")
        a_nan = f.value(f"fcmp uno {type_.llvm} {a[0]}, {a[0]}")
        b_nan = f.value(f"fcmp uno {type_.llvm} {b[0]}, {b[0]}")
        only_b = f.value(f"xor i1 {a_nan}, true")
        wins = f.value(f"or i1 {better}, {f.value(f'and i1 {b_nan}, {only_b}')}")
        equal = f.value(
            f"or i1 {f.value(f'fcmp oeq {type_.llvm} {a[0]}, {b[0]}')}, {f.value(f'and i1 {a_nan}, {b_nan}')}"
        )
    else:
        sign = "s" if type_.is_signed else "u"
        wins = f.value(f"icmp {sign}{'lt' if low else 'gt'} {type_.llvm} {b[0]}, {a[0]}")
        equal = f.value(f"icmp eq {type_.llvm} {a[0]}, {b[0]}")
    lower = f.value(f"icmp slt i64 {b[1]}, {a[1]}")
    take = f.value(f"or i1 {wins}, {f.value(f'and i1 {equal}, {lower}')}")
    value = f.value(f"select i1 {take}, {type_.llvm} {b[0]}, {type_.llvm} {a[0]}")
    return value, f.value(f"select i1 {take}, i64 {b[1]}, i64 {a[1]}")
