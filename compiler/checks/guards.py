"""Launch guards: a violation that only some sizes reach is excluded before launch, if large launches stay possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import islpy as isl

from ..ir.source import Span
from .facts import Facts
from .nonlinear import Answer, Outcome, Question
from .products import is_uniform
from .proved import Affine, Evidence, Guard, Tier
from .sets import OutOfBudget, Solver
from .terms import Apply, Compare, Condition, Term, atoms, compare, every, number, of, some, symbols
from .wording import alternatives

_LARGE, _SMALL = 2**20, 2  # of each symbolic extent alone, while the others have at least the small size
_MOST_ALTERNATIVES = 64
_MOST_PIECES = 32


@dataclass(frozen=True, slots=True)
class Static:
    """Nothing violates the obligation, whatever the parameters."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A condition that is checked at each launch excludes every violation: a new guard, or all those before it."""

    text: str


@dataclass(frozen=True, slots=True)
class Refuted:
    """Large launches violate it."""

    bad: isl.Set  # parameters


@dataclass(frozen=True, slots=True)
class Contradicted:
    """The guard alone would do, but together with the guards before it no large launch is left."""

    guard: Guard


@dataclass(frozen=True, slots=True)
class Undecided:
    """No affine condition on the parameters excludes the violations, or the budget is used up."""

    reason: str


@dataclass(frozen=True, slots=True)
class Waived:
    """Not proved; the author says why it holds."""

    reason: str


GuardText: TypeAlias = Callable[[isl.Set], str]  # from the parameters that violate
OVER_BUDGET = "the proof needs more steps than the checker allows"

Verdict: TypeAlias = Static | Guarded | Refuted | Contradicted | Undecided | Waived


def evidence_of(verdict: Verdict, obligation: str, access: str, detail: str, span: Span) -> Evidence | None:
    """Return what an obligation that holds is shown by; None if it does not."""
    match verdict:
        case Static():
            return Evidence(obligation, access, Tier.STATIC, detail, span)
        case Guarded(text=guard):
            return Evidence(obligation, access, Tier.GUARD, guard, span)
    return None


class Ledger:
    """The guards of one kernel, in the order accepted; refuses the one that would leave no large launch.

    Attributes
    ----------
    guards : list of Guard
        What the launcher must evaluate.
    allowed : isl.Set
        The launches that pass them, or a superset where that would have too many pieces.
    """

    def __init__(self, solver: Solver, facts: Facts) -> None:
        self.solver = solver
        self.guards: list[Guard] = []
        self.allowed = solver.context.intersect(solver.ranges)
        self._conditions = _large_launches(solver, facts)
        usual = [solver.frame(c).domain(c).params() for c in self._conditions]
        self._large = [launches.intersect(solver.ranges) for launches in usual]
        self._room = list(self._large)
        self.waived: set[str] = set()  # arrays without races on the author's word only
        self._opaque = False  # whether a guard has a product or a division in it

    def judge(
        self, violation: isl.Set, access: str, span: Span, text: GuardText, reached: isl.Set | None = None
    ) -> Verdict:
        """Decide an obligation by the set of its violations.

        Parameters
        ----------
        violation : isl.Set
            Over parameters, threads and loops.
        access : str
            Source text that the guard is named after.
        text : callable
            Returns the guard's text, given the parameters that violate.
        reached : isl.Set, optional
            Where what the obligation is about happens at all: a guard that keeps it from ever happening is no guard.
        """
        try:
            with self.solver.budget():
                return self._judge(violation, access, span, text, reached)
        except OutOfBudget:
            return Undecided(OVER_BUDGET)

    def _judge(self, violation: isl.Set, access: str, span: Span, text: GuardText, reached: isl.Set | None) -> Verdict:
        if violation.is_empty():
            return Static()
        bad = violation.params().remove_divs().coalesce()
        if not self.solver.can_launch(bad):
            return Undecided("the condition that a launch must satisfy is not affine in its scalars and extents")
        if self.guards and bad.intersect(self.allowed).is_empty():
            return Guarded("follows from the guards of other accesses")
        if any(large.is_subset(bad) for large in self._launches_reaching(reached)):
            return Refuted(bad)
        plain = bad.gist(self.solver.context.intersect(self.solver.ranges))
        allowed = plain.complement().coalesce()
        forms = alternatives(allowed)
        if len(forms) > _MOST_ALTERNATIVES:
            return Undecided("the condition that a launch must satisfy has too many cases")
        guard = Guard(forms, text(plain), access, span)
        room = [r.intersect(allowed).coalesce() for r in self._room]
        self._opaque |= self.solver.involves_opaque(bad)
        if any(r.is_empty() for r in room):
            return Contradicted(guard)
        outcome = self._leaves_launches(guard) if self._opaque else Outcome.POSSIBLE
        if outcome is not Outcome.POSSIBLE:
            return Contradicted(guard) if outcome is Outcome.IMPOSSIBLE else Undecided(OVER_BUDGET)
        self._room = room
        self.guards.append(guard)
        narrowed = self.allowed.intersect(allowed).coalesce()
        if narrowed.n_basic_set() <= _MOST_PIECES:
            self.allowed = narrowed
        return Guarded(guard.text)

    def _leaves_launches(self, guard: Guard) -> Outcome:
        """Whether large launches pass all guards with the products in them multiplied out."""
        for conditions in self._conditions:
            outcome = self._passing(conditions, (*self.guards, guard))
            if outcome is not Outcome.POSSIBLE:
                return outcome
        return Outcome.POSSIBLE

    def _passing(self, conditions: tuple[Condition, ...], guards: tuple[Guard, ...]) -> Outcome:
        passed = [self._passes(guard) for guard in guards]
        factors = symbols(of(a) for c in passed for a in atoms(c) if isinstance(a, Apply))
        smallest = [Compare("==", c.term) for c in conditions if isinstance(c, Compare)]
        largest = [compare("==", of(factor), number(2 * _LARGE)) for factor in factors]
        for likely in (smallest, largest, ()):  # with numbers for the factors no product is left to multiply out
            question = Question(self.solver)
            question.given([*conditions, *passed, *likely])
            outcome = question.answer(example=False).outcome
            if outcome is Outcome.POSSIBLE:
                break
        return outcome

    def snapshot(self) -> tuple[object, ...]:
        """Return the state before a proof that may be dropped."""
        return list(self.guards), self.allowed, self._room, self._opaque

    def restore(self, state: Any) -> None:
        """Forget the guards accepted since."""
        self.guards, self.allowed, self._room, self._opaque = state

    @property
    def conditions(self) -> list[Condition]:
        """What holds in launches that pass the guards."""
        return [self._passes(guard) for guard in self.guards]

    def _passes(self, guard: Guard) -> Condition:
        return some(*(every(*map(self._condition, forms)) for forms in guard.alternatives))

    def _condition(self, form: Affine) -> Condition:
        return compare(">=", self.solver.affine(form.constant, form.terms), number(0))

    def decide(self, question: Question, operations: int | None = None) -> Static | Guarded | Answer:
        """Ask z3: in every launch, or else in every launch that passes the guards so far."""
        answer = question.answer(operations, example=not self.guards)
        if answer.is_impossible:
            return Static()
        if not self.guards:
            return answer
        question.given(self.conditions)
        answer = question.answer(operations)
        return Guarded("follows from the guards of other accesses") if answer.is_impossible else answer

    def _launches_reaching(self, reached: isl.Set | None) -> list[isl.Set]:
        if reached is None:
            return self._large
        parameters = reached.params()
        launches = [large.intersect(parameters) for large in self._large]
        return [parameters if launch.is_empty() else launch for launch in launches]


def _large_launches(solver: Solver, facts: Facts) -> list[tuple[Condition, ...]]:
    """Return the launches that guards must leave possible, one for each symbolic extent of the `parallel`.

    A `require` may itself exclude them (`require(n <= 1024)`); then the author has said what launches there are, and
    two threads are enough.
    """
    symbolic = [size for size in facts.sizes if not size.is_constant]
    shapes = dict.fromkeys(upper - lower for region in facts.regions for lower, upper in region.shape)
    # Of threads in a team there are never many: at least two must stay possible.
    few = [s for s in shapes if s not in symbolic and not s.is_constant and is_uniform(s)]
    chosen: list[Term | None] = [*symbolic] or [None]
    return [_launches(solver, [*symbolic, *few], size) for size in chosen]


def _launches(solver: Solver, symbolic: list[Term], chosen: Term | None) -> tuple[Condition, ...]:
    for large in (_LARGE, _SMALL, 1):
        sizes = tuple(compare(">=", s, number(large if s is chosen else min(_SMALL, large))) for s in symbolic)
        if not solver.frame(sizes).domain(sizes).params().intersect(solver.ranges).is_empty():
            return sizes
    return ()
