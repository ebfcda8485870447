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
    """Where a thread accumulates: addresses of the value and, for locations, of the location.

    Attributes
    ----------
    value : str
        In a loop that is `apart`, and has met NaN, not to be used: `settled` gives what it stands for.
    location : str or None
    nan, signs : str
        Of a least or greatest float without location in a loop that is `apart`, else empty: whether NaN was among the
        contributions, and their bits, or-ed or and-ed.
    apart : bool
        Whether what is rare is kept out of the chain of dependences from one contribution to the next.
    """

    value: str
    location: str | None
    nan: str = ""
    signs: str = ""
    apart: bool = False


def identity(reducer: Reducer) -> tuple[str, str]:
    """Return the value (and location) that changes nothing, as operands."""
    type_, name = reducer.element, reducer.reduction.name
    lowest: float = -math.inf if type_.is_float else type_.lowest
    highest: float = math.inf if type_.is_float else type_.highest
    value = {
        "Sum": 0, "Prod": 1, "Min": highest, "MinLoc": highest, "Max": lowest, "MaxLoc": lowest, "And": -1, "Or": 0,
    }[name]  # fmt: skip
    return literal(value, type_), literal(I64.highest, I64)


def new_state(reducer: Reducer, f: Function, *, apart: bool = False) -> State:
    """Return a fresh accumulator that holds the identity."""
    type_, located = reducer.element, reducer.reduction.has_location
    marked = apart and type_.is_float and reducer.reduction.name in ("Min", "Max")
    value, location = identity(reducer)
    state = State(
        f.alloca(type_.llvm, reducer.name), f.alloca("i64", reducer.name + ".at") if located else None,
        f.alloca("i1", reducer.name + ".nan") if marked else "",
        f.alloca(f"i{type_.bits}", reducer.name + ".signs") if marked else "", apart,
    )  # fmt: skip
    f.emit(f"store {type_.llvm} {value}, ptr {state.value}")
    if state.location:
        f.emit(f"store i64 {location}, ptr {state.location}")
    if marked:
        f.emit(f"store i1 false, ptr {state.nan}")
        f.emit(f"store i{type_.bits} {0 if reducer.reduction.name == 'Min' else -1}, ptr {state.signs}")
    return state


def accumulate(reducer: Reducer, state: State, value: str, location: str | None, f: Function, module: Module) -> None:
    """Combine a contribution into an accumulator."""
    type_ = reducer.element.llvm
    if state.nan:
        _accumulate_marked(reducer, state, value, f)
        return
    old = f.value(f"load {type_}, ptr {state.value}")
    end = _skip_worse(reducer, state, old, (value, location), f) if state.apart and state.location else ""
    old_location = f.value(f"load i64, ptr {state.location}") if state.location else None
    new, new_location = combine(reducer, (old, old_location), (value, location), f, module)
    f.emit(f"store {type_} {new}, ptr {state.value}")
    if state.location:
        f.emit(f"store i64 {new_location}, ptr {state.location}")
    if end:
        f.block(end)


def _accumulate_marked(reducer: Reducer, state: State, value: str, f: Function) -> None:
    """Compare as if there were no NaN and one zero, which takes one vector instruction, and keep marks of both."""
    type_, bits, low = reducer.element.llvm, f"i{reducer.element.bits}", reducer.reduction.name == "Min"
    old = f.value(f"load {type_}, ptr {state.value}")
    # With NaN the result is poison, and `settled` never looks at it.
    better = f.value(f"fcmp nnan nsz {'olt' if low else 'ogt'} {type_} {value}, {old}")
    best = f.value(f"select nnan nsz i1 {better}, {type_} {value}, {type_} {old}")
    f.emit(f"store {type_} {best}, ptr {state.value}")
    seen, signs = f.value(f"load i1, ptr {state.nan}"), f.value(f"load {bits}, ptr {state.signs}")
    seen = f.value(f"or i1 {seen}, {f.value(f'fcmp uno {type_} {value}, {value}')}")
    f.emit(f"store i1 {seen}, ptr {state.nan}")
    own = f.value(f"bitcast {type_} {value} to {bits}")
    signs = f.value(f"{'or' if low else 'and'} {bits} {signs}, {own}")
    f.emit(f"store {bits} {signs}, ptr {state.signs}")


def _skip_worse(reducer: Reducer, state: State, old: str, own: tuple[str, str | None], f: Function) -> str:
    """Branch over the combination where it certainly changes nothing, as it does nearly always; returns the end."""
    type_, (value, location) = reducer.element, own
    low, sign = reducer.reduction.name == "MinLoc", "s" if type_.is_signed else "u"
    test = f"fcmp o{'ge' if low else 'le'}" if type_.is_float else f"icmp {sign}{'ge' if low else 'le'}"
    no_better = f.value(f"{test} {type_.llvm} {value}, {old}")
    later = f.value(f"icmp sge i64 {location}, {f.value(f'load i64, ptr {state.location}')}")
    perhaps, end = f.name("perhaps"), f.name("combined")
    f.branch(f.value(f"and i1 {no_better}, {later}"), end, perhaps)
    f.block(perhaps)
    return end


def settled(reducer: Reducer, state: State, f: Function) -> str:
    """Return the value that an accumulator stands for: NaN if one came, and of the zeros the one that is better."""
    type_, bits = reducer.element, f"i{reducer.element.bits}"
    value = f.value(f"load {type_.llvm}, ptr {state.value}")
    if not state.nan:
        return value
    sign = f.value(f"and {bits} {f.value(f'load {bits}, ptr {state.signs}')}, {-(1 << (type_.bits - 1))}")
    zero = f.value(f"bitcast {bits} {sign} to {type_.llvm}")
    is_zero = f.value(f"fcmp oeq {type_.llvm} {value}, {literal(0.0, type_)}")
    value = f.value(f"select i1 {is_zero}, {type_.llvm} {zero}, {type_.llvm} {value}")
    seen = f.value(f"load i1, ptr {state.nan}")
    return f.value(f"select i1 {seen}, {type_.llvm} {literal(math.nan, type_)}, {type_.llvm} {value}")


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
