"""Questions with products of unknowns, for z3: whether conditions on mathematical integers can hold together.

It answers what no integer set can express. A query ends after a number of operations, the same on every machine; what
is not answered by then is unknown, and so refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from .terms import Apply, Atom, Choice, Compare, Condition, Every, Flag, Kind, Not, Some, Symbol, Term, Truth, atoms

if TYPE_CHECKING:
    from .sets import Solver

OPERATIONS = 1_000_000  # of a question about accesses
OVERFLOW_OPERATIONS = 10_000_000  # values at the ends of 64 bits take longer
_SMALL = (4, 16, 64, 1024, 2**20)


class Outcome(Enum):
    """What is known of conditions."""

    IMPOSSIBLE = "never hold together"
    POSSIBLE = "hold together for some values"
    UNKNOWN = "not decided within the budget"


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome, with an example where the conditions hold: one value a symbol and copy."""

    outcome: Outcome
    example: dict[tuple[Symbol, int], int]

    @property
    def is_impossible(self) -> bool:
        """Whether it is proved that the conditions exclude each other."""
        return self.outcome is Outcome.IMPOSSIBLE

    def values(self, copy: int = 0) -> dict[Symbol, int]:
        """Return the example's values in one copy."""
        return {symbol: value for (symbol, at), value in self.example.items() if at == copy}


def is_nonlinear(items: Iterable[Term | Condition]) -> bool:
    """Whether a product, or a division by what is no constant, occurs."""
    return any(isinstance(a, Apply) and a.is_opaque for item in items for a in atoms(item))


def has_strides(items: Iterable[Term | Condition]) -> bool:
    """Whether the index of a loop of any step occurs: it is the start, and a product."""
    return any(isinstance(a, Symbol) and a.stride is not None for item in items for a in atoms(item))


class Question:
    """Conditions that are asked for together, over one copy of a thread or two.

    Parameters and what holds of them are the same in all copies; every other symbol has a value of its own in each.
    """

    def __init__(self, solver: Solver) -> None:
        import z3  # not before a kernel needs it

        self._z3 = z3
        # A context of its own: z3's search depends on what its context was asked before.
        self._context = z3.Context()
        self._solver = z3.Solver(ctx=self._context)
        self._names: dict[tuple[Symbol, int], Any] = {}
        self._quotients: dict[tuple[Term, Term, int], Any] = {}
        self._bound: list[Symbol] = []
        self.given(solver.facts.context)

    def given(self, conditions: Iterable[Condition], copy: int = 0) -> None:
        """Let conditions hold in one copy."""
        for condition in conditions:
            self._solver.add(self._condition(condition, copy))

    def meet(self, first: Sequence[Term], second: Sequence[Term]) -> None:
        """Let an index tuple of copy 0 equal one of copy 1."""
        for a, b in zip(first, second, strict=True):
            self._solver.add(self._term(a, 0) == self._term(b, 1))

    def agree(self, symbols: Iterable[Symbol]) -> None:
        """Let symbols have the same values in copies 0 and 1."""
        for symbol in symbols:
            self._solver.add(self._symbol(symbol, 0) == self._symbol(symbol, 1))

    def differ(self, first: Sequence[Symbol], second: Sequence[Symbol]) -> None:
        """Let symbols of copy 0 not all equal those of copy 1; of none at all this holds."""
        pairs = zip(first, second, strict=True)
        if first:
            self._solver.add(self._z3.Or([self._symbol(a, 0) != self._symbol(b, 1) for a, b in pairs]))

    def answer(self, operations: int | None = None, *, example: bool = True) -> Answer:
        """Decide; an example, if wanted, is small where a small one is soon found."""
        z3, solver = self._z3, self._solver
        solver.set("rlimit", OPERATIONS if operations is None else operations)
        found = solver.check()
        if found == z3.unsat:
            return Answer(Outcome.IMPOSSIBLE, {})
        model = solver.model() if found == z3.sat else None
        for bound in _SMALL if example or model is None else ():  # small values may be found where others are not
            near = [z3.And(v >= -bound, v <= bound) for v in self._names.values()]
            if solver.check(*near) == z3.sat:
                model = solver.model()
                break
        if model is None:
            return Answer(Outcome.UNKNOWN, {})
        return Answer(
            Outcome.POSSIBLE,
            {key: model.eval(name, model_completion=True).as_long() for key, name in self._names.items()},
        )

    def _symbol(self, symbol: Symbol, copy: int) -> Any:
        key = (symbol, 0 if symbol.kind is Kind.PARAMETER else copy)
        if key not in self._names:
            # z3's search depends on names: they must not depend on what was compiled before.
            self._names[key] = self._z3.Int(f"{symbol.name}!{len(self._names)}", self._context)
            self.given(symbol.facts, copy)
            if symbol.stride is not None:
                self._step_evenly(symbol, copy)
        return self._names[key]

    def _step_evenly(self, symbol: Symbol, copy: int) -> None:
        """Let the index of a loop of any step be its start and some whole steps."""
        assert symbol.stride is not None
        start, step = (self._term(term, copy) for term in symbol.stride)
        steps = self._z3.Int(f"steps!{len(self._names)}", self._context)
        self._solver.add(steps >= 0, self._symbol(symbol, copy) == start + step * steps)

    def _term(self, term: Term, copy: int) -> Any:
        parts = [self._atom(atom, copy) * coefficient for atom, coefficient in term.parts]
        result = self._z3.IntVal(term.constant, self._context)
        for part in parts:
            result = result + part
        return result

    def _atom(self, atom: Atom, copy: int) -> Any:
        z3 = self._z3
        if isinstance(atom, Symbol):
            return self._symbol(atom, copy)
        if isinstance(atom, Choice):
            test = self._condition(atom.condition, copy)
            return z3.If(test, self._term(atom.then, copy), self._term(atom.otherwise, copy))
        left, right = self._term(atom.left, copy), self._term(atom.right, copy)
        match atom.function:
            case "mul":
                return left * right
            case "min":
                return z3.If(left <= right, left, right)
            case "max":
                return z3.If(left >= right, left, right)
            case "floordiv":
                return self._quotient(atom, left, right, copy)
            case "mod":
                return left - right * self._quotient(atom, left, right, copy)

    def _quotient(self, atom: Apply, left: Any, right: Any, copy: int) -> Any:
        """Return a number between which and the next the quotient lies; nothing is known of a division by zero."""
        key = (atom.left, atom.right, copy)
        if key not in self._quotients:
            z3 = self._z3
            name = z3.Int(f"quotient!{len(self._quotients)}", self._context)
            self._quotients[key] = name
            rest = left - right * name
            self._solver.add(z3.Implies(right > 0, z3.And(rest >= 0, rest < right)))
            self._solver.add(z3.Implies(right < 0, z3.And(rest <= 0, rest > right)))
        return self._quotients[key]

    def _condition(self, condition: Condition, copy: int) -> Any:
        z3 = self._z3
        match condition:
            case Truth(value=value):
                return z3.BoolVal(value, self._context)
            case Compare(relation=relation, term=term):
                value_ = self._term(term, copy)
                return value_ >= 0 if relation == ">=" else value_ == 0 if relation == "==" else value_ != 0
            case Flag(symbol=symbol):
                return self._symbol(symbol, copy) == 1
            case Not(condition=inner):
                return z3.Not(self._condition(inner, copy))
            case Every(conditions=conditions):
                return z3.And([self._condition(c, copy) for c in conditions])
            case Some(conditions=conditions):
                return z3.Or([self._condition(c, copy) for c in conditions])
