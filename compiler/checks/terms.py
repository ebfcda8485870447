"""Symbolic integers and conditions: what the checks know of a value, independent of any solver.

A `Term` is a mathematical integer in normal form, `constant + sum(coefficient * atom)`. The machine's value is that
integer modulo 2^bits; `+ - *` commute with the reduction, so only *observed* values carry an obligation
(see `facts.Observation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import Literal, TypeAlias

from ..ir.nodes import Storage
from ..ir.types import Scalar

_serials = count()


class Kind(Enum):
    """What a symbol stands for."""

    PARAMETER = "scalar parameter or extent"  # equal for all threads
    TEAM = "team index"
    THREAD = "thread index"
    LOOP = "loop index"
    STRIDE = "index of a loop of any step"  # between the bounds, but not each value there
    ITERATION = "number of an iteration"  # of a loop that may end early; from 0, and nothing else bounds it
    COUNT = "number of iterations"  # of a loop that may end early, after it; bounded by its facts
    CARRIED = "loop-carried integer"  # bounded by its facts
    UNKNOWN = "unknown value"  # data, or arithmetic that may have wrapped; only its type is known


ITERATORS = (Kind.TEAM, Kind.THREAD, Kind.LOOP, Kind.STRIDE, Kind.ITERATION)


@dataclass(slots=True, eq=False)
class Symbol:
    """A name for an integer (or a bool, as 0 and 1). Identity tells two apart.

    Attributes
    ----------
    facts : tuple of Condition
        What always holds of it; set once, by whoever makes the symbol.
    within : tuple of Symbol
        Iterators that determine its value: equal iterators, equal value.
    element : (Storage, tuple of Term), optional
        It is the value of this element of an array that the kernel cannot change.
    step : int
        Of an index of a loop: its sign says which values are earlier. 0 for everything else.
    stride : (Term, Term), optional
        Of an index of a loop of any step: where it starts, and the step.
    is_updated : bool
        It is a local that a loop updates in no form that is understood; any value of its type.
    """

    name: str
    kind: Kind
    type: Scalar
    facts: tuple[Condition, ...] = ()
    within: tuple[Symbol, ...] = ()
    element: tuple[Storage, tuple[Term, ...]] | None = None
    step: int = 0
    stride: tuple[Term, Term] | None = None
    is_updated: bool = False
    serial: int = field(default_factory=lambda: next(_serials))

    def __repr__(self) -> str:
        return self.name


Function: TypeAlias = Literal["mul", "floordiv", "mod", "min", "max"]


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of two terms that is not linear; `floordiv` and `mod` floor."""

    function: Function
    left: Term
    right: Term

    @property
    def is_opaque(self) -> bool:
        """Whether it has no affine form: a product, or a division by what is no positive constant."""
        divides = self.function in ("floordiv", "mod")
        return self.function == "mul" or (divides and not (self.right.is_constant and self.right.constant > 0))

    def __repr__(self) -> str:
        if self.function in ("min", "max"):
            return f"{self.function}({self.left}, {self.right})"
        sign = {"mul": "*", "floordiv": "//", "mod": "%"}[self.function]
        left = str(self.left) if self.function == "mul" and _is_product(self.left) else _bracketed(self.left)
        return f"{left} {sign} {_bracketed(self.right)}"


@dataclass(frozen=True, slots=True)
class Choice:
    """`then` if `condition` holds, else `otherwise`."""

    condition: Condition
    then: Term
    otherwise: Term

    def __repr__(self) -> str:
        return f"({self.then} if {self.condition} else {self.otherwise})"


Atom: TypeAlias = Symbol | Apply | Choice


@dataclass(frozen=True, slots=True)
class Term:
    """`constant + sum(coefficient * atom)`; `parts` are sorted and hold no zero coefficient."""

    constant: int
    parts: tuple[tuple[Atom, int], ...] = ()

    def __add__(self, other: Term | int) -> Term:
        other = other if isinstance(other, Term) else Term(other)
        if not self.parts or not other.parts:
            return Term(self.constant + other.constant, self.parts or other.parts)
        parts = dict(self.parts)
        for atom, coefficient in other.parts:
            parts[atom] = parts.get(atom, 0) + coefficient
        return Term(self.constant + other.constant, _sorted(parts))

    def __neg__(self) -> Term:
        return self.scaled(-1)

    def __sub__(self, other: Term | int) -> Term:
        return self + (-other)

    def scaled(self, factor: int) -> Term:
        """Return the term times a constant."""
        if factor == 0:
            return Term(0)
        return Term(self.constant * factor, tuple((a, c * factor) for a, c in self.parts))

    @property
    def is_constant(self) -> bool:
        """Whether it is a number."""
        return not self.parts

    @property
    def symbol(self) -> Symbol | None:
        """The symbol that the term is, if it is nothing else."""
        if self.constant or len(self.parts) != 1:
            return None
        atom, coefficient = self.parts[0]
        return atom if coefficient == 1 and isinstance(atom, Symbol) else None

    def __repr__(self) -> str:
        text = ""
        for atom, coefficient in self.parts:
            size = abs(coefficient)
            word = str(atom) if size == 1 else f"{size}*{atom if isinstance(atom, Symbol) else f'({atom})'}"
            sign = (" + " if text else "") if coefficient > 0 else (" - " if text else "-")
            text += sign + word
        if not text:
            return str(self.constant)
        return text + (f" + {self.constant}" if self.constant > 0 else f" - {-self.constant}" if self.constant else "")


def _is_product(term: Term) -> bool:
    atom = term.parts[0][0] if len(term.parts) == 1 and term.parts[0][1] == 1 and not term.constant else None
    return isinstance(atom, Apply) and atom.function == "mul"


def _bracketed(term: Term) -> str:
    return str(term) if term.is_constant or term.symbol else f"({term})"  # `2*m` too: `n // 2*m` is another quotient


def _key(atom: Atom) -> tuple[int, int, str]:
    return (0, atom.serial, "") if isinstance(atom, Symbol) else (1, 0, str(atom))


def _sorted(parts: dict[Atom, int]) -> tuple[tuple[Atom, int], ...]:
    kept = [(a, c) for a, c in parts.items() if c]
    return tuple(sorted(kept, key=lambda p: _key(p[0])))


def number(value: int) -> Term:
    """Return a constant."""
    return Term(value)


def of(atom: Atom) -> Term:
    """Return the term that is one atom."""
    return Term(0, ((atom, 1),))


def floordiv(left: Term, right: Term) -> Term:
    """Return the quotient that floors."""
    if right.is_constant and right.constant == 1:
        return left
    if right.is_constant and left.is_constant and right.constant:
        return number(left.constant // right.constant)
    return of(Apply("floordiv", left, right))


def mod(left: Term, right: Term) -> Term:
    """Return the remainder with the divisor's sign."""
    if right.is_constant and left.is_constant and right.constant:
        return number(left.constant % right.constant)
    return of(Apply("mod", left, right))


def smaller(left: Term, right: Term) -> Term:
    """Return the minimum."""
    difference = left - right
    if difference.is_constant:
        return left if difference.constant <= 0 else right
    return of(Apply("min", left, right))


def larger(left: Term, right: Term) -> Term:
    """Return the maximum."""
    return -smaller(-left, -right) if (left - right).is_constant else of(Apply("max", left, right))


def choose(condition: Condition, then: Term, otherwise: Term) -> Term:
    """Return `then if condition else otherwise`."""
    if then == otherwise:
        return then
    if isinstance(condition, Truth):
        return then if condition.value else otherwise
    return of(Choice(condition, then, otherwise))


# Conditions


@dataclass(frozen=True, slots=True)
class Truth:
    """A constant."""

    value: bool

    def __repr__(self) -> str:
        return str(self.value)


Relation: TypeAlias = Literal[">=", "==", "!="]


@dataclass(frozen=True, slots=True)
class Compare:
    """`term >= 0`, `term == 0` or `term != 0`."""

    relation: Relation
    term: Term

    def __repr__(self) -> str:
        left = Term(max(self.term.constant, 0), tuple((a, c) for a, c in self.term.parts if c > 0))
        right = left - self.term
        return f"{left} {self.relation} {right}"


@dataclass(frozen=True, slots=True)
class Flag:
    """A bool whose value only the data know: the symbol is 1."""

    symbol: Symbol

    def __repr__(self) -> str:
        return self.symbol.name


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    condition: Condition

    def __repr__(self) -> str:
        return f"not ({self.condition})"


@dataclass(frozen=True, slots=True)
class Every:
    """Conjunction."""

    conditions: tuple[Condition, ...]

    def __repr__(self) -> str:
        return " and ".join(f"({c})" for c in self.conditions)


@dataclass(frozen=True, slots=True)
class Some:
    """Disjunction."""

    conditions: tuple[Condition, ...]

    def __repr__(self) -> str:
        return " or ".join(f"({c})" for c in self.conditions)


Condition: TypeAlias = Truth | Compare | Flag | Not | Every | Some


def compare(relation: str, left: Term, right: Term) -> Condition:
    """Return `left relation right` for any of Python's six comparisons."""
    match relation:
        case ">=":
            return _decided(Compare(">=", left - right))
        case "<=":
            return _decided(Compare(">=", right - left))
        case ">":
            return _decided(Compare(">=", left - right - 1))
        case "<":
            return _decided(Compare(">=", right - left - 1))
        case "==":
            return _decided(Compare("==", left - right))
        case "!=":
            return _decided(Compare("!=", left - right))
    raise ValueError(f"{relation!r} is not a comparison")


def _decided(condition: Compare) -> Condition:
    if not condition.term.is_constant:
        return condition
    value = condition.term.constant
    return Truth({">=": value >= 0, "==": value == 0, "!=": value != 0}[condition.relation])


def negate(condition: Condition) -> Condition:
    """Return the negation, pushed one level inwards where that is simple."""
    match condition:
        case Truth(value=value):
            return Truth(not value)
        case Compare(relation=">=", term=term):
            return Compare(">=", -term - 1)
        case Compare(relation="==", term=term):
            return Compare("!=", term)
        case Compare(relation="!=", term=term):
            return Compare("==", term)
        case Not(condition=inner):
            return inner
        case _:
            return Not(condition)


def every(*conditions: Condition) -> Condition:
    """Return the conjunction."""
    if any(isinstance(c, Truth) and not c.value for c in conditions):
        return Truth(False)
    kept = tuple(c for c in conditions if not isinstance(c, Truth))
    return kept[0] if len(kept) == 1 else Every(kept) if kept else Truth(True)


def some(*conditions: Condition) -> Condition:
    """Return the disjunction."""
    return negate(every(*(negate(c) for c in conditions)))


# Walks


def atoms(item: Term | Condition) -> Iterator[Atom]:
    """Every atom inside, outer ones first; facts of symbols are not entered."""
    match item:
        case Term(parts=parts):
            for atom, _ in parts:
                yield atom
                match atom:
                    case Apply(left=left, right=right):
                        yield from atoms(left)
                        yield from atoms(right)
                    case Choice(condition=condition, then=then, otherwise=otherwise):
                        yield from atoms(condition)
                        yield from atoms(then)
                        yield from atoms(otherwise)
        case Compare(term=term):
            yield from atoms(term)
        case Flag(symbol=symbol):
            yield symbol
        case Not(condition=condition):
            yield from atoms(condition)
        case Every(conditions=conditions) | Some(conditions=conditions):
            for inner in conditions:
                yield from atoms(inner)


def symbols(items: Iterable[Term | Condition]) -> list[Symbol]:
    """Every symbol inside, each once, in order of first appearance."""
    return list(dict.fromkeys(a for item in items for a in atoms(item) if isinstance(a, Symbol)))
