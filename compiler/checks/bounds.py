"""Every access lies inside its array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import islpy as isl

from ..diagnostics.diagnostic import Diagnostic
from . import messages
from .facts import Access, Facts
from .guards import OVER_BUDGET, Contradicted, Guarded, Ledger, Refuted, Static, Undecided, Verdict, evidence_of
from .inspection import Inspector
from .nearby import excludes
from .nonlinear import Outcome, Question, is_nonlinear
from .products import multiply
from .proved import Evidence, Tier
from .sets import DIMENSION, Frame, OutOfBudget, Solver
from .terms import Apply, Condition, Kind, Symbol, Term, Truth, compare, number, some, symbols
from .waivers import tested
from .witness import find_witness
from .wording import extreme, extreme_text, image, set_text, when_text


@dataclass(frozen=True, slots=True)
class Side:
    """One end of one dimension of an access."""

    dimension: int
    end: Literal["smallest", "largest"]
    violated: Condition


def check_bounds(facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector) -> Iterator[Evidence | Diagnostic]:
    """No access leaves its array: proved, guarded by a condition on the launch, or inspected; unknown is refused.

    Yields one piece of evidence an access, and one diagnostic for each array and index tuple that fails.
    """
    decided: dict[tuple[object, ...], Evidence | Diagnostic] = {}
    for access in facts.accesses:
        place = access.place
        key = (access.array, access.index, place.path, place.is_checked, place.unsafe)
        if key not in decided:
            known = None if place.is_checked or place.unsafe else inspector
            decided[key] = tested(access, ledger, partial(_decide, access, facts, solver, ledger, known))
        elif isinstance(decided[key], Diagnostic):
            continue
        result = decided[key]
        if isinstance(result, Evidence):
            yield Evidence("bounds", access.text, result.tier, result.detail, access.span)
        else:
            yield result


def check_buffers(facts: Facts, solver: Solver, ledger: Ledger) -> Iterator[Evidence | Diagnostic]:
    """No size of a buffer is negative, and none that shows the memory of another one is larger than that."""
    for buffer, home in facts.homes.items():
        shape = facts.shapes[buffer]
        wrong = [compare("<", high - low, number(0)) for low, high in shape]
        size, room = (_elements(facts.shapes[b]) for b in (buffer, buffer.memory))
        wrong += [compare(">", size, room)] if buffer.base else []
        if all(c == Truth(False) for c in wrong):
            continue
        try:
            with solver.budget():
                frame = solver.frame([*home.path, *wrong])
                reached = frame.domain(home.path)
                violation = reached.intersect(frame.holds(some(*wrong)))
        except OutOfBudget:
            yield messages.over_budget(messages.buffer_does_not_fit(facts, buffer, size, room))
            continue
        verdict = ledger.judge(violation, buffer.name, buffer.span, partial(_size_text, buffer.name), reached)
        if isinstance(verdict, Contradicted):
            yield messages.no_large_launch(facts, verdict.guard)
            continue
        found = evidence_of(verdict, "bounds", buffer.name, f"{size} elements in {room}", buffer.span)
        yield found or messages.buffer_does_not_fit(facts, buffer, size, room)


def _size_text(name: str, bad: isl.Set) -> str:
    return f"{name}: there is no such memory if {set_text(bad)}"


def _elements(shape: tuple[tuple[Term, Term], ...]) -> Term:
    size = number(1)
    for low, high in shape:
        size = multiply(size, high - low)
    return size


def sides(access: Access, facts: Facts) -> list[Side]:
    """Return the ways in which an access may leave its array."""
    result, shape = [], facts.shape_of(access.array, access.index)
    for dimension, (index, (low, high)) in enumerate(zip(access.index, shape, strict=True)):
        result.append(Side(dimension, "smallest", compare("<", index, low)))
        result.append(Side(dimension, "largest", compare(">=", index, high)))
    return result


def _decide(
    access: Access, facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector | None
) -> Evidence | Diagnostic:
    try:
        with solver.budget():
            ends = sides(access, facts)
            outside = some(*(s.violated for s in ends))
            if excludes(solver, access.place.path, outside):
                return Evidence("bounds", access.text, Tier.STATIC, "inside for every launch", access.span)
            frame = solver.frame([*access.place.path, *access.index])
            domain = frame.domain(access.place.path)
            if domain.intersect(frame.holds(outside)).is_empty():
                return Evidence("bounds", access.text, Tier.STATIC, "inside for every launch", access.span)
            violations = [(side, _violation(side, access, facts, frame, domain)) for side in ends]
    except OutOfBudget:
        return messages.over_budget(messages.bounds_not_provable(facts, access, OVER_BUDGET))
    question = _question(access, facts, solver)
    if question is not None and question.answer(example=False).is_impossible:
        return Evidence("bounds", access.text, Tier.STATIC, "inside for every launch", access.span)
    texts, inspected = [], []
    for side, violation in violations:
        # A guard for whatever the arrays may hold would allow next to no launch: what they do hold is looked at.
        unknown = inspector is not None and not violation.is_empty() and unknowns_in(frame, violation)
        if inspector is not None and unknown and inspector.sees(access, (side.dimension,)):
            inspected.append(side.dimension)
            continue
        text = _GuardText(access, facts, side, frame, domain)
        verdict = ledger.judge(violation, access.text, access.span, text, domain)
        match verdict:
            case Static():
                continue
            case Guarded(text=found):
                texts.append(found)
            case _:
                if question is not None and not isinstance(verdict, Contradicted):
                    return _not_affine(access, facts, question)
                return _fault(verdict, access, side, violation, facts, solver, frame)
    if inspector is not None and inspected:
        return inspector.bounds(access, sorted({*inspected}))
    return Evidence("bounds", access.text, Tier.GUARD, "; ".join(texts), access.span)


def _violation(side: Side, access: Access, facts: Facts, frame: Frame, domain: isl.Set) -> isl.Set:
    """Return where an access leaves its array at one end.

    That the last row is a whole one, `last < extent // row`, reads better as `(last + 1)*row <= extent`; that row is
    not empty, for the digits below it are in range.
    """
    rows = whole_rows(side, access, facts, frame, domain)
    if rows is None:
        return domain.intersect(frame.holds(side.violated))
    needed, extent = rows
    beyond = compare(">", needed, extent)
    return domain.intersect_params(frame.solver.frame([beyond]).holds(beyond).params())


def whole_rows(side: Side, access: Access, facts: Facts, frame: Frame, domain: isl.Set) -> tuple[Term, Term] | None:
    """Return the elements that the rows of a flattened array need, and those that there are."""
    high = facts.shape_of(access.array, access.index)[side.dimension][1]
    atom = high.parts[0][0] if access.flat and len(high.parts) == 1 else None
    if side.end == "smallest" or not isinstance(atom, Apply) or atom.function != "floordiv" or not atom.is_opaque:
        return None
    last = extreme(image(domain, frame.term(access.index[side.dimension])), largest=True)
    return None if last is None else (multiply(frame.solver.affine(*last) + 1, atom.right), atom.left)


def _question(access: Access, facts: Facts, solver: Solver) -> Question | None:
    """Return for z3 whether an access leaves its array in some launch; None if nothing in it is a product."""
    dimensions = access.flat or tuple(zip(access.index, facts.shape_of(access.array, access.index), strict=True))
    if not is_nonlinear([*access.place.path, *(t for index, bounds in dimensions for t in (index, *bounds))]):
        return None
    question = Question(solver)
    outside = [c for index, (low, high) in dimensions for c in (compare("<", index, low), compare(">=", index, high))]
    question.given([*access.place.path, some(*outside)])
    return question


def _not_affine(access: Access, facts: Facts, question: Question) -> Diagnostic:
    unknown = [key for key in symbols([*access.place.path, *access.index]) if is_unknown(key)]
    if unknown:
        return messages.bounds_depend_on_data(facts, access, unknown)
    answer = question.answer()
    fault = messages.bounds_need_a_condition(facts, access, answer)
    return messages.over_budget(fault) if answer.outcome is Outcome.UNKNOWN else fault


@dataclass(frozen=True, slots=True)
class _GuardText:
    """The guard in the user's words, worked out only if it is one."""

    access: Access
    facts: Facts
    side: Side
    frame: Frame
    domain: isl.Set

    def __call__(self, bad: isl.Set) -> str:
        index = self.access.index[self.side.dimension]
        low, high = self.facts.shape_of(self.access.array, self.access.index)[self.side.dimension]
        largest = self.side.end == "largest"
        rows = whole_rows(self.side, self.access, self.facts, self.frame, self.domain)
        if rows is not None:
            return f"{self.access.text}: {rows[0]} must be <= {rows[1]}{when_text(self.frame, self.domain)}"
        reached = extreme_text(image(self.domain, self.frame.term(index)), largest=largest)
        if reached is None:
            return f"{self.access.text}: must not hold: {set_text(bad)}"
        which = f" in dimension {self.side.dimension + 1}" if len(self.access.index) > 1 else ""
        bound = f"< {high}" if largest else f">= {low}"
        when = when_text(self.frame, self.domain)
        return f"{self.access.text}: {self.side.end} index{which} {reached} must be {bound}{when}"


def _fault(
    verdict: Verdict, access: Access, side: Side, violation: isl.Set, facts: Facts, solver: Solver, frame: Frame
) -> Diagnostic:
    if isinstance(verdict, Contradicted):
        return messages.no_large_launch(facts, verdict.guard)
    unknown = unknowns_in(frame, violation)
    if unknown:
        return messages.bounds_depend_on_data(facts, access, unknown)
    if isinstance(verdict, Undecided):
        fault = messages.bounds_not_provable(facts, access, verdict.reason)
        return messages.over_budget(fault) if verdict.reason == OVER_BUDGET else fault
    assert isinstance(verdict, Refuted)
    keys = list(frame.positions)
    witness = find_witness(solver, violation)
    values = {k: v for k, v in zip(keys, witness.point, strict=True) if isinstance(k, Symbol)} if witness else {}
    return messages.out_of_bounds(facts, access, side.dimension, side.end, witness, values)


def unknowns_in(frame: Frame, violation: isl.Set) -> list[object]:
    """Return what a violation depends on that is not a thread, a loop or a parameter: data, carried, non-linear values.

    A condition on data is none of them: it may hold, and then the violation happens.
    """
    return [
        key for key, position in frame.positions.items()
        if violation.involves_dims(DIMENSION, position, 1) and is_unknown(key)
    ]  # fmt: skip


def is_unknown(key: object) -> bool:
    """Whether a dimension stands for an integer that the checks know only bounds of."""
    if not isinstance(key, Symbol):
        return True
    return key.kind in (Kind.UNKNOWN, Kind.COUNT, Kind.CARRIED) and key.type.name != "bool"
