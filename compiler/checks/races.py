"""No two threads reach one element, one of them writing, unless something orders them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from ..diagnostics.diagnostic import Diagnostic
from ..ir.nodes import Access as Borrow
from ..ir.nodes import Array
from . import messages
from .bounds import is_unknown
from .facts import Access, Facts
from .guards import Contradicted, Guarded, Ledger, Refuted, Static, Undecided, Verdict, Waived
from .inspection import Inspector
from .nonlinear import Answer, Outcome, Question, is_nonlinear
from .proved import Evidence, Tier
from .sets import Frame, Key, OutOfBudget, Solver
from .terms import Apply, Symbol
from .witness import Witness, find_witness
from .wording import set_text


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two accesses by different threads that may meet in one element; the first one writes."""

    first: Access
    second: Access
    meeting: isl.Set | None  # dimensions: both threads, then the element; None: out of budget
    verdict: Verdict
    answer: Answer | None = None  # of z3, where a product is involved


def check_races(
    facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector, blamed: set[Access]
) -> Iterator[Evidence | Diagnostic]:
    """No two threads of the `parallel` conflict on an array; nothing orders them, so the whole kernel counts.

    Parameters
    ----------
    blamed : set of Access
        Accesses whose index is refused already; what is unknown of them is not reported a second time.
    """
    for array in facts.kernel.arrays:
        if array.access is Borrow.REF:
            assert not any(a.is_write for a in facts.accesses if a.array is array), "the front end refuses it"
            continue
        if array.access is Borrow.ATOMIC:  # nothing but atomic operations, which do not race with each other
            continue
        yield from _check_array(array, facts, solver, ledger, inspector, blamed)


def _check_array(
    array: Array, facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector, blamed: set[Access]
) -> Iterator[Evidence | Diagnostic]:
    accesses = _distinct([a for a in facts.accesses if a.array is array])
    writes = [a for a in accesses if a.is_write]
    if not writes:
        return
    if own_elements(facts.threads, accesses):
        detail = "each thread has elements of its own"
        yield Evidence("race", _pair_text(writes[0], accesses[0]), Tier.STATIC, detail, writes[0].span)
        return
    pairs = [(w, a) for w in writes for a in accesses if not a.is_write or a.place.order <= w.place.order]
    if _group_is_free(facts, solver, writes, accesses):
        for write, other in pairs:
            detail = "different threads reach different elements"
            yield Evidence("race", _pair_text(write, other), Tier.STATIC, detail, write.span)
        return
    conflicts = [_settled(w, a, facts, solver, ledger, inspector) for w, a in pairs]
    for conflict in conflicts:
        match conflict.verdict:
            case Waived(reason=reason):
                yield Evidence("race", _conflict_text(conflict), Tier.UNSAFE, reason, conflict.first.span)
            case Static():
                detail = "different threads reach different elements"
                yield Evidence("race", _conflict_text(conflict), Tier.STATIC, detail, conflict.first.span)
            case Guarded(text=guard):
                yield Evidence("race", _conflict_text(conflict), Tier.GUARD, guard, conflict.first.span)
    open_ = [c for c in conflicts if not isinstance(c.verdict, Static | Guarded | Waived)]
    inspected = inspector.race(array, [(c.first, c.second) for c in open_ if _unknowns(c.first, c.second, solver)])
    yield from inspected.values()
    bad = [c for c in open_ if (c.first, c.second) not in inspected]
    for component in _components(bad):
        if not any(a in blamed for c in component for a in (c.first, c.second)):
            yield _fault(component, facts, solver)


def _distinct(accesses: list[Access]) -> list[Access]:
    """Return the first of the accesses that read, or write, the same elements under the same conditions."""
    first: dict[tuple[object, ...], Access] = {}
    for access in accesses:
        first.setdefault((access.is_write, access.index, access.place.path, access.place.unsafe), access)
    return list(first.values())


def own_elements(threads: tuple[Symbol, ...], accesses: list[Access]) -> bool:
    """Whether every access carries each thread index alone, and in the same way, in one and the same dimension.

    The cheap test, without a solver: it decides most kernels.
    """
    for thread in threads:
        for dimension in range(len(accesses[0].index)):
            index = accesses[0].index[dimension]
            alone = len(index.parts) == 1 and index.parts[0][0] is thread
            if alone and all(a.index[dimension] == index for a in accesses):
                break
        else:
            return False
    return True


def _group_is_free(facts: Facts, solver: Solver, writes: list[Access], accesses: list[Access]) -> bool:
    """Whether no conflict exists among all accesses at once: one query instead of one for each pair."""
    try:
        with solver.budget():
            write = _union([_elements(w, facts, solver) for w in writes])
            any_ = _union([_elements(a, facts, solver) for a in accesses])
            pairs = write.apply_range(any_.reverse())
            return bool(pairs.subtract(isl.Map.identity(pairs.get_space())).is_empty())
    except OutOfBudget:
        return False


def _union(maps: list[isl.Map]) -> isl.Map:
    result = maps[0]
    for other in maps[1:]:
        result = result.union(other)
    return result


def _elements(access: Access, facts: Facts, solver: Solver) -> isl.Map:
    """Return the map from a thread to the elements that an access reaches in any iteration."""
    frame = solver.frame([*access.place.path, *access.index], facts.threads)
    result: isl.Map | None = None
    for index in access.index:
        component = frame.term(index).as_map()
        result = component if result is None else result.flat_range_product(component)
    assert result is not None, "arrays have dimensions"
    result = result.intersect_domain(frame.domain(access.place.path))
    own = len(facts.threads)
    return result.project_out(isl.dim_type.in_, own, frame.dims - own)


def _settled(
    write: Access, other: Access, facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector
) -> Conflict:
    """Return the conflict of two accesses; where one of them is unsafe, its author answers for it."""
    before = ledger.snapshot()
    conflict = _conflict(write, other, facts, solver, ledger, inspector)
    reason = write.place.unsafe or other.place.unsafe
    if not reason or isinstance(conflict.verdict, Static):
        return conflict
    ledger.restore(before)
    ledger.waived.add(write.array.name)
    return Conflict(write, other, None, Waived(reason))


def _conflict(
    write: Access, other: Access, facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector
) -> Conflict:
    try:
        with solver.budget():
            ours, theirs = _elements(write, facts, solver), _elements(other, facts, solver)
            reached = ours.params().intersect(theirs.params())
            meeting = ours.domain_product(theirs).wrap().flatten()
            meeting = meeting.intersect(_different_threads(facts, solver, len(write.index))).coalesce()
    except OutOfBudget:
        return Conflict(write, other, None, Undecided("the proof needs more steps than the checker allows"))
    answer = None
    if not meeting.is_empty() and is_nonlinear([t for a in (write, other) for t in (*a.place.path, *a.index)]):
        found = ledger.decide(_question(write, other, facts, solver))
        if not isinstance(found, Answer):
            return Conflict(write, other, meeting, found)
        answer = found
    text = _pair_text(write, other)
    if not meeting.is_empty() and _unknowns(write, other, solver) and inspector.tells_apart(write, other):
        return Conflict(write, other, meeting, Undecided("the contents of index arrays decide"))

    def guard_text(bad: isl.Set) -> str:
        return f"{text}: two threads would meet in one element if {set_text(bad)}"

    return Conflict(write, other, meeting, ledger.judge(meeting, text, write.span, guard_text, reached), answer)


def _question(write: Access, other: Access, facts: Facts, solver: Solver) -> Question:
    """Return for z3 whether two threads meet, where an index or a condition has a product in it."""
    question = Question(solver)
    question.given(write.place.path, 0)
    question.given(other.place.path, 1)
    question.meet(write.index, other.index)
    question.differ(facts.threads)
    return question


def _different_threads(facts: Facts, solver: Solver, rank: int) -> isl.Set:
    count = len(facts.threads)
    frame = Frame(solver, 2 * count + rank, {})
    different = isl.Set.empty(frame.space)
    for t in range(count):
        different = different.union(frame.dimension(t).ne_set(frame.dimension(count + t)))
    return different


def _components(conflicts: list[Conflict]) -> list[list[Conflict]]:
    """Group conflicts that share a line: one fault, one report."""
    groups: list[list[Conflict]] = []
    for conflict in conflicts:
        touching = [g for g in groups if any(_share(conflict, c) for c in g)]
        merged = [c for g in touching for c in g] + [conflict]
        groups = [g for g in groups if g not in touching] + [merged]
    return groups


def _share(a: Conflict, b: Conflict) -> bool:
    return any(x.span.line == y.span.line for x in (a.first, a.second) for y in (b.first, b.second))


def _fault(component: list[Conflict], facts: Facts, solver: Solver) -> Diagnostic:
    conflict = min(component, key=_interest)
    if isinstance(conflict.verdict, Contradicted):
        return messages.no_large_launch(facts, conflict.verdict.guard)
    unknown = _unknowns(conflict.first, conflict.second, solver)
    computed = all(isinstance(k, Apply) for k in unknown)  # nothing in them is free
    if computed and conflict.answer is not None and conflict.answer.outcome is Outcome.POSSIBLE:
        witness: Witness | None = messages.race_example(facts, conflict.first, conflict.answer)
    elif unknown or conflict.meeting is None or not isinstance(conflict.verdict, Refuted):
        return messages.race_not_excluded(facts, conflict.first, conflict.second, unknown, conflict.verdict)
    else:
        witness = find_witness(solver, conflict.meeting)
    others = [c.second for c in component if c is not conflict] + [c.first for c in component if c is not conflict]
    return messages.data_race(facts, conflict.first, conflict.second, others, witness)


def _unknowns(first: Access, second: Access, solver: Solver) -> list[Key]:
    """Return the integers that decide where two accesses go, and that the checks know only bounds of."""
    keys = [k for a in (first, second) for k in solver.support([*a.place.path, *a.index])]
    return [k for k in keys if is_unknown(k)]


def _interest(conflict: Conflict) -> tuple[bool, int, int, int]:
    """Order conflicts by how much they explain: refuted ones, two places rather than one, then as written."""
    alone = conflict.first.span == conflict.second.span
    first, second = conflict.first, conflict.second
    dull = alone + (alone and not second.is_write)
    return (not isinstance(conflict.verdict, Refuted), dull, first.place.order, second.place.order)


def _pair_text(first: Access, second: Access) -> str:
    return f"{first.text} / {second.text}"


def _conflict_text(conflict: Conflict) -> str:
    return _pair_text(conflict.first, conflict.second)
