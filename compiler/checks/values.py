"""Values of the kernel's expressions during symbolic execution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from ..ir.source import Span
from ..ir.types import BOOL, Scalar
from .intervals import fits, is_data
from .terms import (
    ITERATORS,
    Condition,
    Flag,
    Kind,
    Symbol,
    Term,
    choose,
    compare,
    every,
    negate,
    number,
    of,
    some,
    symbols,
)


@dataclass(frozen=True, slots=True)
class Observed:
    """A value that must be in the range of `type` wherever `under` holds, should the whole be used."""

    term: Term
    type: Scalar
    under: tuple[Condition, ...]
    span: Span
    why: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer, with what was observed to compute it."""

    term: Term
    seen: tuple[Observed, ...] = ()


@dataclass(frozen=True, slots=True)
class Boolean:
    """A bool, with what was observed to compute it."""

    condition: Condition
    seen: tuple[Observed, ...] = ()


@dataclass(frozen=True, slots=True)
class Data:
    """A floating-point number: nothing is known of it."""


Value: TypeAlias = Integer | Boolean | Data


def under(condition: Condition, seen: tuple[Observed, ...]) -> tuple[Observed, ...]:
    """Observations made only where a condition holds."""
    return tuple(replace(o, under=(condition, *o.under)) for o in seen)


def join(condition: Boolean, then: Value, otherwise: Value) -> Value:
    """Return `then if condition else otherwise`."""
    test = condition.condition
    if isinstance(then, Integer) and isinstance(otherwise, Integer):
        seen = condition.seen + under(test, then.seen) + under(negate(test), otherwise.seen)
        return Integer(choose(test, then.term, otherwise.term), seen)
    if isinstance(then, Boolean) and isinstance(otherwise, Boolean):
        seen = condition.seen + under(test, then.seen) + under(negate(test), otherwise.seen)
        return Boolean(some(every(test, then.condition), every(negate(test), otherwise.condition)), seen)
    return Data()


def in_type(symbol: Symbol) -> tuple[Condition, ...]:
    """Return that a symbol's value is one of its type."""
    low, high = number(symbol.type.lowest), number(symbol.type.highest)
    return compare(">=", of(symbol), low), compare("<=", of(symbol), high)


class Unknowns:
    """Makes unknown values: the same for the same element of an unchangeable array, and for the same wrapped term."""

    def __init__(self) -> None:
        self._known: dict[object, Symbol] = {}

    def fresh(self, name: str, type_: Scalar, within: tuple[Symbol, ...]) -> Symbol:
        """Return a new unknown of a type."""
        symbol = Symbol(name, Kind.UNKNOWN, type_, within=within)
        if type_.bits <= 32:
            symbol.facts = in_type(symbol)
        elif not type_.is_signed:
            symbol.facts = (compare(">=", of(symbol), number(0)),)
        return symbol

    def same(self, key: object, name: str, type_: Scalar, within: tuple[Symbol, ...]) -> Symbol:
        """Return the unknown of a key, new at the first call."""
        if key not in self._known:
            self._known[key] = self.fresh(name, type_, within)
        return self._known[key]

    def wrapped(self, term: Term, type_: Scalar) -> Term:
        """Return the unknown that an observation has made of a term; the term itself if there is none."""
        symbol = self._known.get((term, type_))
        return term if symbol is None else of(symbol)

    def value(self, symbol: Symbol) -> Value:
        """Return an unknown as a value."""
        return Boolean(Flag(symbol)) if symbol.type is BOOL else Integer(of(symbol))

    def observe(self, value: Integer, type_: Scalar, span: Span, why: str, *, strict: bool = False) -> Integer:
        """Return what an operation sees that depends on the value itself, not on its residue modulo 2^bits.

        The result carries the obligation that the value did not wrap. Arithmetic on data may wrap, as data do: if
        nothing bounds it, the operation sees an unknown instead; a strict one, which turns it into an index, may not.
        """
        term = value.term
        if fits(term, type_):
            return value
        if not strict and is_data(term) and not fits(term, type_, usual=True):
            symbol = self.same((term, type_), f"({term})", type_, iterators_of(term))
            outside = (compare("<", term, number(type_.lowest)), compare(">", term, number(type_.highest)))
            symbol.facts = (*in_type(symbol), some(*outside, compare("==", of(symbol), term)))
            return Integer(of(symbol), value.seen)
        return Integer(term, (*value.seen, Observed(term, type_, (), span, why)))


def iterators_of(term: Term) -> tuple[Symbol, ...]:
    """Return the iterators that determine a term's value."""
    found: dict[Symbol, None] = {}
    for symbol in symbols([term]):
        if symbol.kind in ITERATORS:
            found[symbol] = None
        else:
            found.update(dict.fromkeys(symbol.within))
    return tuple(found)
