"""Reducers in LLVM IR: identity, combination, and the state that a thread carries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate as running_sums

from ..ir.nodes import Reducer
from ..ir.types import I64, Scalar
from .text import Function, Module, literal


def state_bytes(reducer: Reducer) -> int:
    """Return the bytes of memory for one accumulator."""
    return -(-max(at + type_.bytes for type_, at in reducer.fields) // 16) * 16


def state_offsets(reducers: Iterable[Reducer]) -> list[int]:
    """Return where the accumulators of a thread lie, one behind the other, and the bytes of all."""
    return [0, *running_sums(state_bytes(r) for r in reducers)]


@dataclass(frozen=True, slots=True)
class State:
    """Where a thread accumulates: addresses of the value and, behind it, of the location or of a struct's other fields.

    Attributes
    ----------
    fields : tuple of str
        In a loop that is `apart`, and has met NaN, the value is not to be used: `settled` gives what it stands for.
    nan, signs : str
        Of a least or greatest float without location in a loop that is `apart`, else empty: whether NaN was among the
        contributions, and their bits, or-ed or and-ed.
    apart : bool
        Whether what is rare is kept out of the chain of dependences from one contribution to the next.
    """

    fields: tuple[str, ...]
    nan: str = ""
    signs: str = ""
    apart: bool = False

    @property
    def value(self) -> str:
        """Address of the first field, which is the value of a reducer without a struct."""
        return self.fields[0]


def identity(reducer: Reducer) -> tuple[str, ...]:
    """Return the fields of what changes nothing, as operands."""
    if reducer.combination is not None:
        return tuple(literal(c.value, c.type) for c in reducer.combination.identity)
    type_, name = reducer.element, reducer.reduction.name
    lowest: float = -math.inf if type_.is_float else type_.lowest
    highest: float = math.inf if type_.is_float else type_.highest
    value = {
        "Sum": 0, "Prod": 1, "Min": highest, "MinLoc": highest, "Max": lowest, "MaxLoc": lowest, "And": -1, "Or": 0,
    }[name]  # fmt: skip
    return (literal(value, type_), literal(I64.highest, I64))[: len(reducer.fields)]


def new_state(reducer: Reducer, f: Function, *, apart: bool = False) -> State:
    """Return a fresh accumulator that holds the identity."""
    type_ = reducer.element
    marked = apart and type_.is_float and reducer.reduction.name in ("Min", "Max")
    state = State(
        tuple(f.alloca(field.llvm, reducer.name) for field, _ in reducer.fields),
        f.alloca("i1", reducer.name + ".nan") if marked else "",
        f.alloca(f"i{type_.bits}", reducer.name + ".signs") if marked else "", apart,
    )  # fmt: skip
    put(reducer, state, identity(reducer), f)
    if marked:
        f.emit(f"store i1 false, ptr {state.nan}")
        f.emit(f"store i{type_.bits} {0 if reducer.reduction.name == 'Min' else -1}, ptr {state.signs}")
    return state


def put(reducer: Reducer, state: State, values: Sequence[str], f: Function) -> None:
    """Store the fields of an accumulator."""
    for (type_, _), value, address in zip(reducer.fields, values, state.fields, strict=True):
        f.emit(f"store {type_.llvm} {value}, ptr {address}")


def taken(reducer: Reducer, state: State, f: Function) -> tuple[str, ...]:
    """Load the fields of an accumulator."""
    pairs = zip(reducer.fields, state.fields, strict=True)
    return tuple(f.value(f"load {type_.llvm}, ptr {address}") for (type_, _), address in pairs)


def put_at(
    reducer: Reducer, address: str, values: Sequence[str], f: Function, *, space: str = "", how: str = "", step: int = 0
) -> None:
    """Store an element into memory, its fields as they lie in its buffer, or `step` bytes apart."""
    for number, ((type_, offset), value) in enumerate(zip(reducer.fields, values, strict=True)):
        at = _field(address, number * step if step else offset, f, space)
        f.emit(f"store {how}{type_.llvm} {value}, ptr {space}{at}")


def taken_from(reducer: Reducer, address: str, f: Function, *, space: str = "", how: str = "") -> tuple[str, ...]:
    """Load an element from memory."""
    return tuple(
        f.value(f"load {how}{type_.llvm}, ptr {space}{_field(address, offset, f, space)}")
        for type_, offset in reducer.fields
    )


def held(reducer: Reducer, f: Function) -> tuple[str, ...]:
    """Return what the buffer of a reducer held, or in a launch that starts afresh what it is filled with."""
    fresh = f.value(f"icmp ne i32 %fresh.{reducer.name}, 0")
    filling = identity(reducer)
    if reducer.combination is None:
        filling = (f"%initial.{reducer.name}", *filling[1:])
    before = taken_from(reducer, f"%reducer.{reducer.name}", f)
    rows = zip(reducer.fields, filling, before, strict=True)
    return tuple(f.value(f"select i1 {fresh}, {t.llvm} {new}, {t.llvm} {old}") for (t, _), new, old in rows)


def _field(address: str, offset: int, f: Function, space: str) -> str:
    return f.value(f"getelementptr i8, ptr {space}{address}, i64 {offset}") if offset else address


def accumulate(reducer: Reducer, state: State, values: Sequence[str], f: Function, module: Module) -> None:
    """Combine a contribution into an accumulator."""
    if state.nan:
        _accumulate_marked(reducer, state, values[0], f)
        return
    located = state.apart and reducer.reduction.has_location
    first = f.value(f"load {reducer.element.llvm}, ptr {state.value}") if located else ""
    end = _skip_worse(reducer, state, first, values, f) if located else ""
    old = taken(reducer, state, f)
    put(reducer, state, combine(reducer, old, values, f, module), f)
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


def _skip_worse(reducer: Reducer, state: State, old: str, own: Sequence[str], f: Function) -> str:
    """Branch over the combination where it certainly changes nothing, as it does nearly always; returns the end."""
    type_, (value, location) = reducer.element, own
    low, sign = reducer.reduction.name == "MinLoc", "s" if type_.is_signed else "u"
    test = f"fcmp o{'ge' if low else 'le'}" if type_.is_float else f"icmp {sign}{'ge' if low else 'le'}"
    no_better = f.value(f"{test} {type_.llvm} {value}, {old}")
    later = f.value(f"icmp sge i64 {location}, {f.value(f'load i64, ptr {state.fields[1]}')}")
    perhaps, end = f.name("perhaps"), f.name("combined")
    f.branch(f.value(f"and i1 {no_better}, {later}"), end, perhaps)
    f.block(perhaps)
    return end


def settled(reducer: Reducer, state: State, f: Function) -> tuple[str, ...]:
    """Return what an accumulator stands for: NaN if one came, and of the zeros the one that is better."""
    type_, bits = reducer.element, f"i{reducer.element.bits}"
    if not state.nan:
        return taken(reducer, state, f)
    value = f.value(f"load {type_.llvm}, ptr {state.value}")
    sign = f.value(f"and {bits} {f.value(f'load {bits}, ptr {state.signs}')}, {-(1 << (type_.bits - 1))}")
    zero = f.value(f"bitcast {bits} {sign} to {type_.llvm}")
    is_zero = f.value(f"fcmp oeq {type_.llvm} {value}, {literal(0.0, type_)}")
    value = f.value(f"select i1 {is_zero}, {type_.llvm} {zero}, {type_.llvm} {value}")
    seen = f.value(f"load i1, ptr {state.nan}")
    return (f.value(f"select i1 {seen}, {type_.llvm} {literal(math.nan, type_)}, {type_.llvm} {value}"),)


def combine(reducer: Reducer, a: Sequence[str], b: Sequence[str], f: Function, module: Module) -> tuple[str, ...]:
    """Return the fields of the combination of two elements; `a` comes first where order matters."""
    name, type_ = reducer.reduction.name, reducer.element
    if reducer.combination is not None:
        return _called(reducer, [*a, *b], f, module)
    if reducer.reduction.has_location:
        return _combine_located(reducer, a, b, f)
    if name in ("Sum", "Prod"):
        operation = {"Sum": "add", "Prod": "mul"}[name]
        # A reducer has no order, so reassociation is its own, and only its own.
        opcode = f"f{operation} reassoc contract" if type_.is_float else operation
        return (f.value(f"{opcode} {type_.llvm} {a[0]}, {b[0]}"),)
    if name in ("And", "Or"):
        return (f.value(f"{name.lower()} {type_.llvm} {a[0]}, {b[0]}"),)
    suffix = _suffix(type_)
    intrinsic = f"llvm.{_extremum(name, type_)}.{suffix}"
    module.declare(intrinsic, f"declare {type_.llvm} @{intrinsic}({type_.llvm}, {type_.llvm})")
    return (f.value(f"call {type_.llvm} @{intrinsic}({type_.llvm} {a[0]}, {type_.llvm} {b[0]})"),)


def struct_llvm(reducer: Reducer) -> str:
    """Return the type of an element whose fields are a struct's, as a value."""
    return f"{{ {', '.join(type_.llvm for type_, _ in reducer.fields)} }}"


def _called(reducer: Reducer, values: Sequence[str], f: Function, module: Module) -> tuple[str, ...]:
    """Call the user's operation, which `define_combinations` has put into the module."""
    types = [type_.llvm for type_, _ in reducer.fields]
    listed = ", ".join(f"{type_} {value}" for type_, value in zip(types * 2, values, strict=True))
    result = f.value(f"call {struct_llvm(reducer)} @{module.combinations[reducer]}({listed})")
    return tuple(f.value(f"extractvalue {struct_llvm(reducer)} {result}, {n}") for n in range(len(types)))


def combined(reducer: Reducer, a: str, b: str, f: Function, module: Module) -> str:
    """Return the combination of two values without locations."""
    return combine(reducer, (a,), (b,), f, module)[0]


def _suffix(type_: Scalar) -> str:
    return f"f{type_.bits}" if type_.is_float else f"i{type_.bits}"


def _extremum(name: str, type_: Scalar) -> str:
    low = name.startswith("Min")
    if type_.is_float:
        return "minimum" if low else "maximum"  # NaN propagates
    return ("s" if type_.is_signed else "u") + ("min" if low else "max")


def _combine_located(reducer: Reducer, a: Sequence[str], b: Sequence[str], f: Function) -> tuple[str, ...]:
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
