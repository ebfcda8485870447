"""Observed integers are what the proofs take them for: in the range of their type, divisors positive."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import islpy as isl

from ..diagnostics.diagnostic import Diagnostic
from ..ir.source import Span
from ..ir.types import Scalar
from . import messages
from .bounds import is_unknown
from .digits import rows
from .facts import Division, Facts, Observation, Place
from .guards import Contradicted, Guarded, GuardText, Ledger, Refuted, Static, Verdict
from .inspection import Inspector
from .intervals import fits, interval, range_of
from .nearby import excludes
from .nonlinear import OVERFLOW_OPERATIONS, Answer, Outcome, Question, is_nonlinear
from .products import multiply
from .proved import LARGEST_EXTENT, Evidence, Tier
from .sets import Frame, OutOfBudget, Solver, in_range
from .terms import Apply, Condition, Kind, Symbol, Term, atoms, compare, every, number, of, some, symbols
from .waivers import settled
from .witness import Witness, find_witness, witness_of
from .wording import extreme, extreme_text, image, set_text, when_text

_TYPED = (Kind.PARAMETER, Kind.UNKNOWN)  # they hold a value of their type, whatever it is


def check_overflow(
    facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector
) -> Iterator[Evidence | Diagnostic]:
    """No observed value wraps: proved over all parameters of their types, guarded, or inspected."""
    failed: set[tuple[Span, Scalar]] = set()
    for observation in facts.observations:
        where = (observation.span, observation.type)
        if where in failed:
            continue
        known = None if observation.place.unsafe else inspector
        decide = partial(_check_observation, observation, facts, solver, ledger, known)
        result = settled("overflow", observation.text, observation.span, observation.place, ledger, decide)
        if isinstance(result, Diagnostic):
            failed.add(where)
        yield result


def check_divisors(facts: Facts, solver: Solver, ledger: Ledger) -> Iterator[Evidence | Diagnostic]:
    """Every divisor of `//` and `%` is positive: proved, or guarded."""
    failed: set[Span] = set()
    for division in facts.divisions:
        if division.span in failed or (division.divisor.is_constant and division.divisor.constant > 0):
            continue
        decide = partial(_check_divisor, division, facts, solver, ledger)
        result = settled("divisor", division.text, division.span, division.place, ledger, decide)
        if isinstance(result, Diagnostic):
            failed.add(division.span)
        yield result


def non_negative(facts: Facts, solver: Solver, ledger: Ledger) -> frozenset[Span]:
    """Return the divisions whose operands are never negative in a launch that passes the guards.

    They floor and truncate alike.
    """
    verdicts: dict[Span, bool] = {}
    for division in facts.divisions:
        if division.role != "divisor":
            continue
        known = verdicts.get(division.span, True)
        verdicts[division.span] = known and _is_non_negative(division, solver, ledger.allowed)
    return frozenset(span for span, holds in verdicts.items() if holds)


def _check_observation(
    observation: Observation, facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector | None
) -> Evidence | Diagnostic:
    detail = f"in the range of {observation.type}"
    if _is_near_enough(observation, solver):
        return Evidence("overflow", observation.text, Tier.STATIC, detail, observation.span)
    texts = []
    for largest in (False, True):
        try:
            with solver.budget():
                frame, domain = _domain(observation.place, observation.term, solver)
                violation, text = _beyond(observation, frame, domain, largest=largest)
                answer = None
                if not violation.is_empty() and is_nonlinear([*observation.place.path, observation.term]):
                    answer = ledger.decide(_question(observation, solver, largest=largest), OVERFLOW_OPERATIONS)
        except OutOfBudget:
            return messages.over_budget(messages.overflow(facts, observation, None, {}, ""))
        if isinstance(answer, Static):
            continue
        match ledger.judge(violation, observation.text, observation.span, text, domain):
            case Static():
                continue
            case Guarded(text=found):
                texts.append(found)
            case Contradicted(guard=guard):
                return messages.no_large_launch(facts, guard)
            case verdict:
                fault = _fault(observation, facts, solver, frame, violation, verdict, answer)
                return (inspector.value(observation) if inspector is not None and not fault.witness else None) or fault
    tier, detail = (Tier.GUARD, "; ".join(texts)) if texts else (Tier.STATIC, detail)
    return Evidence("overflow", observation.text, tier, detail, observation.span)


def _is_near_enough(observation: Observation, solver: Solver) -> bool:
    """Whether conditions near a value already keep it in the range of its type."""
    low, high = range_of(observation.type)
    path, term = observation.place.path, observation.term
    known = [c for s in symbols([*path, term]) if s.kind is Kind.UNKNOWN for c in in_range(s)]
    outside = some(compare("<", term, number(low)), compare(">", term, number(high)))
    try:
        with solver.budget():
            return excludes(solver, [*path, *known], outside, solver.context.intersect(solver.ranges))
    except OutOfBudget:
        return False


def _beyond(observation: Observation, frame: Frame, domain: isl.Set, *, largest: bool) -> tuple[isl.Set, GuardText]:
    """Return where a value leaves its type at one end, and the text of the guard against it."""
    term, (low, high) = observation.term, range_of(observation.type)
    found = rows(term, observation.place.path, frame.solver) if is_nonlinear([term]) else None
    if found is None:
        violated = compare(">", term, number(high)) if largest else compare("<", term, number(low))
        template = f"largest value {{}} must be <= {high}" if largest else f"smallest value {{}} must be >= {low}"
        text = _ValueText(observation.text, term, template, largest, frame, domain)
        return domain.intersect(frame.holds(violated)), text
    # A flattened index, `top*row + column`: it is negative if its row is, and as large as all rows together.
    top, row = found
    if not largest:
        template = "smallest row {} must be >= 0"
        text = _ValueText(observation.text, top, template, largest, frame, domain)
        return domain.intersect(frame.holds(compare("<", top, number(0)))), text
    last = extreme(image(domain, frame.term(top)), largest=True)
    if last is None:
        return domain, lambda bad: f"{observation.text}: must not hold: {set_text(bad)}"
    count = multiply(frame.solver.affine(*last) + 1, row)
    beyond = compare(">", count, number(high + 1))
    when = when_text(frame, domain)
    violation = domain.intersect_params(frame.solver.frame([beyond]).holds(beyond).params())
    return violation, lambda bad: f"{observation.text}: {count} must be <= {high + 1}{when}"


def _question(observation: Observation, solver: Solver, *, largest: bool) -> Question:
    """Return for z3 whether a value leaves its type at one end."""
    low, high = range_of(observation.type)
    path, term = observation.place.path, observation.term
    question = Question(solver)
    question.given(c for s in symbols([*path, term, *solver.facts.context]) if s.kind in _TYPED for c in in_range(s))
    question.given(compare("<=", length, number(LARGEST_EXTENT)) for length in solver.facts.extents)
    question.given([*path, compare(">", term, number(high)) if largest else compare("<", term, number(low))])
    return question


def _fault(
    observation: Observation, facts: Facts, solver: Solver, frame: Frame, violation: isl.Set,
    verdict: Verdict, answer: Guarded | Answer | None,
) -> Diagnostic:  # fmt: skip
    free = [k for k in frame.positions if is_unknown(k) and isinstance(k, Symbol)]
    if isinstance(answer, Answer) and answer.outcome is Outcome.POSSIBLE and not free:
        return messages.overflow(facts, observation, witness_of(answer), answer.values(), "")
    if isinstance(verdict, Refuted) and not any(is_unknown(k) for k in frame.positions):
        witness = find_witness(solver, violation)
        return messages.overflow(facts, observation, witness, _values(frame, witness), "")
    if isinstance(answer, Answer) and answer.outcome is Outcome.UNKNOWN and not free:
        return messages.over_budget(messages.overflow(facts, observation, None, {}, ""))
    return messages.overflow(facts, observation, None, {}, "nothing bounds its value")


class _ValueText:
    """The guard of a value in the user's words."""

    def __init__(self, text: str, term: Term, template: str, largest: bool, frame: Frame, domain: isl.Set) -> None:
        self.text, self.term, self.template, self.largest = text, term, template, largest
        self.frame, self.domain = frame, domain

    def __call__(self, bad: isl.Set) -> str:
        reached = extreme_text(image(self.domain, self.frame.term(self.term)), largest=self.largest)
        if reached is None:
            return f"{self.text}: must not hold: {set_text(bad)}"
        when = when_text(self.frame, self.domain)
        return f"{self.text}: {self.template.format(reached)}{when}"


def _domain(place: Place, term: Term, solver: Solver) -> tuple[Frame, isl.Set]:
    """Return the frame and points of a place, every parameter and unknown in the range of its type."""
    frame = solver.frame([*place.path, term])
    domain = frame.domain(place.path).intersect_params(solver.ranges)
    for key in frame.positions:
        if isinstance(key, Symbol) and key.kind is Kind.UNKNOWN:
            domain = domain.intersect(frame.domain(in_range(key), in_context=False))
    for product in dict.fromkeys(a for item in (*place.path, term) for a in atoms(item)):
        if isinstance(product, Apply) and product.function == "mul":
            domain = domain.intersect(_product_range(product, frame, domain))
    return frame, domain


def _product_range(product: Apply, frame: Frame, domain: isl.Set) -> isl.Set:
    """Bound a product by the constant ranges of its factors; isl itself knows nothing of it."""
    ends = []
    for factor in (product.left, product.right):
        values = image(domain, frame.term(factor))
        low, high = values.dim_min_val(0), values.dim_max_val(0)
        if not (low.is_int() and high.is_int()):
            return frame.universe
        ends.append((int(low.to_python()), int(high.to_python())))
    corners = [a * b for a in ends[0] for b in ends[1]]
    value = of(product)
    bounded = every(compare(">=", value, number(min(corners))), compare("<=", value, number(max(corners))))
    return frame.holds(bounded)


def _values(frame: Frame, witness: Witness | None) -> dict[Symbol, int]:
    if witness is None:
        return {}
    return {k: v for k, v in zip(frame.positions, witness.point, strict=True) if isinstance(k, Symbol)}


def _check_divisor(division: Division, facts: Facts, solver: Solver, ledger: Ledger) -> Evidence | Diagnostic:
    try:
        with solver.budget():
            frame, domain = _domain(division.place, division.divisor, solver)
            violation = domain.intersect(frame.holds(compare("<=", division.divisor, number(0))))
    except OutOfBudget:
        return messages.over_budget(messages.divisor_may_be_zero(facts, division, None, {}))
    name = f"divisor of {division.text}"
    text = _ValueText(name, division.divisor, "smallest value {} must be >= 1", False, frame, domain)
    match ledger.judge(violation, division.text, division.span, text, domain):
        case Static():
            return Evidence("divisor", division.text, Tier.STATIC, "positive for every launch", division.span)
        case Guarded(text=guard):
            return Evidence("divisor", division.text, Tier.GUARD, guard, division.span)
        case Contradicted(guard=guard):
            return messages.no_large_launch(facts, guard)
        case Refuted() if not any(is_unknown(k) for k in frame.positions):
            witness = find_witness(solver, violation)
            return messages.divisor_may_be_zero(facts, division, witness, _values(frame, witness))
    return messages.divisor_may_be_zero(facts, division, None, {})


def _is_non_negative(division: Division, solver: Solver, launches: isl.Set) -> bool:
    if not division.type.is_signed:
        return True
    found = interval(division.dividend)
    constant = division.divisor.is_constant and division.divisor.constant > 0
    if found and found[0] >= 0 and constant and fits(division.dividend, division.type) and not division.observations:
        return True
    try:
        with solver.budget():
            return all(_holds(o.place, o.term, o.type, solver, launches) for o in division.observations) and all(
                _holds(division.place, term, division.type, solver, launches, lowest=0)
                for term in (division.dividend, division.divisor)
            )
    except OutOfBudget:
        return False


def _holds(
    place: Place, term: Term, type_: Scalar, solver: Solver, launches: isl.Set, lowest: int | None = None
) -> bool:
    """Whether a value is in the range of its type, and at least `lowest`, in each of `launches`."""
    low, high = range_of(type_)
    frame, domain = _domain(place, term, solver)
    outside: Condition = some(
        compare("<", term, number(low if lowest is None else lowest)), compare(">", term, number(high))
    )
    return bool(domain.intersect_params(launches).intersect(frame.holds(outside)).is_empty())
