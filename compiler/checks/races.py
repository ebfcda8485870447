"""No two threads reach one element, one of them writing, unless something orders them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from ..diagnostics.diagnostic import Diagnostic
from ..ir.nodes import Access as Borrow
from ..ir.nodes import Array, Indexed, Teams
from . import messages
from .bounds import is_unknown
from .facts import Access, Facts, Region
from .guards import OVER_BUDGET, Contradicted, Guarded, Ledger, Refuted, Static, Undecided, Verdict, Waived
from .inspection import Inspector
from .meetings import Meetings, Threads, is_shared, memory_of
from .nonlinear import Answer, Outcome, Question, has_strides, is_nonlinear
from .phrases import value_text
from .proved import Evidence, Tier
from .race_messages import Encounter, data_race, race_not_excluded
from .sets import Key, OutOfBudget, Solver
from .terms import Apply, Kind, Symbol, compare, number, of, symbols
from .witness import find_witness, witness_of
from .wording import set_text

_MANY = (32, 8)  # threads in a dimension of a phase, elements in one of an array


@dataclass(frozen=True, slots=True)
class Scope:
    """Threads that nothing orders: those of one region, or, where `region` is None, those of different teams."""

    region: Region | None
    threads: Threads

    @property
    def detail(self) -> str:
        """What its evidence says."""
        who = "teams" if self.region is None else "threads"
        return f"different {who} reach different elements"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two accesses by different threads that may meet in one element; the first one writes."""

    first: Access
    second: Access
    threads: Threads
    meeting: isl.Set | None  # as `Meetings.pairs` returns it; None: out of budget
    verdict: Verdict
    answer: Answer | None = None  # of z3, where a product is involved

    @property
    def text(self) -> str:
        """Both accesses."""
        return f"{self.first.text} / {self.second.text}"


def check_races(
    facts: Facts, solver: Solver, ledger: Ledger, inspector: Inspector, blamed: set[Access]
) -> Iterator[Evidence | Diagnostic]:
    """No two threads that nothing orders conflict on an element.

    Nothing orders threads of one phase, or of the `parallel`; and nothing in the whole kernel orders different teams.

    Parameters
    ----------
    blamed : set of Access
        Accesses whose index is refused already; what is unknown of them is not reported a second time.
    """
    for memory, accesses in exclusive_accesses(facts).items():
        yield from _check_memory(memory, accesses, facts, solver, ledger, inspector, blamed)


def exclusive_accesses(facts: Facts) -> dict[Indexed, list[Access]]:
    """Return the accesses to each memory that several threads share, if there are plain writes among them.

    An `Atomic` array has nothing but atomic operations, which do not race with each other.
    """
    found: dict[Indexed, list[Access]] = {}
    for access in facts.accesses:
        memory = memory_of(access.array)
        assert not access.is_write or memory.access is not Borrow.REF, "the front end refuses it"
        if memory.access is not Borrow.ATOMIC and is_shared(memory):
            found.setdefault(memory, []).append(access)
    return {memory: accesses for memory, accesses in found.items() if any(a.is_write for a in accesses)}


def _check_memory(
    memory: Indexed,
    accesses: list[Access],
    facts: Facts,
    solver: Solver,
    ledger: Ledger,
    inspector: Inspector,
    blamed: set[Access],
) -> Iterator[Evidence | Diagnostic]:
    meetings = Meetings(facts, solver, accesses)
    open_: list[Conflict] = []
    for scope in _scopes(memory, accesses, facts):
        inside = _distinct([a for a in accesses if scope.region in (None, a.place.region)])
        for result in _check_scope(scope, inside, meetings, ledger, inspector):
            if isinstance(result, Conflict):
                open_.append(result)
            else:
                yield result
    left: list[Conflict] = []
    for of_teams in (False, True):
        conflicts = [c for c in open_ if _of_teams(c, facts) == of_teams]
        inspected: dict[tuple[Access, Access], Evidence] = {}
        if isinstance(memory, Array):
            asked = [(c.first, c.second) for c in conflicts if _unknown_in(c, meetings)]
            inspected = inspector.race(memory, asked, of_teams)
        yield from inspected.values()
        left += [c for c in conflicts if (c.first, c.second) not in inspected]
    for component in _components(left):
        if not any(a in blamed for c in component for a in (c.first, c.second)):
            yield _fault(component, facts, meetings)


def _scopes(memory: Indexed, accesses: list[Access], facts: Facts) -> Iterator[Scope]:
    regions = dict.fromkeys(a.place.region for a in accesses)
    if isinstance(memory, Array) and facts.grid not in [r.threads for r in regions]:
        yield Scope(None, Threads((), facts.grid, facts.grid, len(facts.grid)))
    for region in regions:
        yield Scope(region, Threads(region.common, region.threads, region.threads, len(region.threads)))


def _check_scope(
    scope: Scope, accesses: list[Access], meetings: Meetings, ledger: Ledger, inspector: Inspector
) -> Iterator[Evidence | Conflict]:
    writes = [a for a in accesses if a.is_write]
    if not writes:
        return
    if not meetings.is_viewed and own_elements(scope.threads, accesses):
        detail = "each team has elements of its own" if scope.region is None else "each thread has elements of its own"
        yield Evidence("race", f"{writes[0].text} / {accesses[0].text}", Tier.STATIC, detail, writes[0].span)
        return
    pairs = [(w, a) for w in writes for a in accesses if not a.is_write or a.place.order <= w.place.order]
    try:
        with meetings.solver.budget():  # all in one question, before each pair is one
            free = len(pairs) > 1 and meetings.none(writes, accesses, scope.threads, meetings.solver.context)
    except OutOfBudget:
        free = False
    for write, other in pairs:
        conflict = None if free else _settled(write, other, scope, meetings, ledger, inspector)
        match conflict.verdict if conflict else Static():
            case Static():
                yield Evidence("race", f"{write.text} / {other.text}", Tier.STATIC, scope.detail, write.span)
            case Waived(reason=reason):
                yield Evidence("race", f"{write.text} / {other.text}", Tier.UNSAFE, reason, write.span)
            case Guarded(text=guard):
                yield Evidence("race", f"{write.text} / {other.text}", Tier.GUARD, guard, write.span)
            case _:
                assert conflict is not None
                yield conflict


def _distinct(accesses: list[Access]) -> list[Access]:
    """Return the first of the accesses that read, or write, the same elements under the same conditions."""
    first: dict[tuple[object, ...], Access] = {}
    for access in accesses:
        place = access.place
        first.setdefault((access.is_write, access.array, access.index, place.path, place.unsafe), access)
    return list(first.values())


def own_elements(threads: Threads, accesses: Sequence[Access]) -> bool:
    """Whether every access carries each thread index alone, and in the same way, in one and the same dimension.

    The cheap test, without a solver: it decides most kernels.
    """

    def is_alone(thread: Symbol, access: Access, dimension: int) -> bool:
        rest = [atom for atom, _ in access.index[dimension].parts if atom not in threads.equal]
        return rest == [thread]

    return all(
        any(
            is_alone(thread, accesses[0], d) and all(a.index[d] == accesses[0].index[d] for a in accesses)
            for d in range(len(accesses[0].index))
        )
        for thread in threads.first
    )


def _settled(
    write: Access, other: Access, scope: Scope, meetings: Meetings, ledger: Ledger, inspector: Inspector
) -> Conflict:
    """Return the conflict of two accesses; where one of them is unsafe, its author answers for it."""
    before = ledger.snapshot()
    conflict = _conflict(write, other, scope, meetings, ledger, inspector)
    reason = write.place.unsafe or other.place.unsafe
    if not reason or isinstance(conflict.verdict, Static):
        return conflict
    ledger.restore(before)
    ledger.waived.add(memory_of(write.array).name)
    return replace(conflict, verdict=Waived(reason))


def _conflict(
    write: Access, other: Access, scope: Scope, meetings: Meetings, ledger: Ledger, inspector: Inspector
) -> Conflict:
    threads = scope.threads
    if scope.region is None:  # for the witness, threads are named too
        first, second = (threads.first + a.place.region.threads for a in (write, other))
        threads = replace(threads, first=first, second=second)
    text = f"{write.text} / {other.text}"
    try:
        with meetings.solver.budget():
            meeting = meetings.pairs(write, other, threads)
            reached = meetings.happen(write).intersect(meetings.happen(other))
            reached = _crowded(scope, reached.intersect(ledger.allowed), meetings.facts, meetings.solver)
    except OutOfBudget:
        return Conflict(write, other, threads, None, Undecided(OVER_BUDGET))

    found = Conflict(write, other, threads, meeting, Undecided("the contents of index arrays decide"))
    if inspector.tells_apart(write, other) and not meeting.is_empty() and _unknown_in(found, meetings):
        return found

    items = [t for a in (write, other) for t in (*a.place.path, *a.index)]
    if not meeting.is_empty() and (is_nonlinear(items) or has_strides(items)):
        answer = ledger.decide(_question(found, meetings))
        if not isinstance(answer, Answer):
            return replace(found, verdict=answer)
        found = replace(found, answer=answer)

    def guard_text(bad: isl.Set) -> str:
        return f"{text}: two threads would meet in one element if {set_text(bad)}"

    return replace(found, verdict=ledger.judge(meeting, text, write.span, guard_text, reached))


def _question(conflict: Conflict, meetings: Meetings) -> Question:
    """Return for z3 whether two threads meet, where an index or a condition has a product in it."""
    first, second, threads = conflict.first, conflict.second, conflict.threads
    question = Question(meetings.solver)
    question.given(first.place.path, 0)
    question.given(second.place.path, 1)
    question.meet(meetings.element(first), meetings.element(second))
    equal = meetings.equal_keys((first, second), threads.equal)
    question.agree([key for key in equal if isinstance(key, Symbol)])
    question.differ(threads.first[: threads.distinct], threads.second[: threads.distinct])
    return question


def _crowded(scope: Scope, launches: isl.Set, facts: Facts, solver: Solver) -> isl.Set:
    """Return the launches with many threads and elements, if there are any: a guard that leaves a few of them is none.

    Of a `parallel` the ledger knows how many threads there are to be.
    """
    shape = scope.region.shape if scope.region and scope.region.common else ()
    extents = {v.name for v in facts.kernel.extents}
    sizes = [high - low for low, high in shape] + [of(s) for s in facts.parameters if s.name in extents]
    symbolic = [s for s in sizes if not s.is_constant and all(k.kind is Kind.PARAMETER for k in symbols([s]))]
    for least in _MANY:
        many = [compare(">=", size, number(least)) for size in symbolic]
        found = launches.intersect(solver.frame(many).domain(many).params())
        if not found.is_empty():
            return found
    return launches


def _of_teams(conflict: Conflict, facts: Facts) -> bool:
    """Whether the threads are of different teams."""
    return isinstance(facts.kernel.body, Teams) and not conflict.threads.equal


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


def _fault(component: list[Conflict], facts: Facts, meetings: Meetings) -> Diagnostic:
    causes = {id(c): _doubts(c, meetings) for c in component}
    conflict = min(component, key=lambda c: (bool(causes[id(c)]), *_interest(c)))
    first, second, unknown = conflict.first, conflict.second, causes[id(conflict)]
    if isinstance(conflict.verdict, Contradicted):
        return messages.no_large_launch(facts, conflict.verdict.guard)
    others = [c.second for c in component if c is not conflict] + [c.first for c in component if c is not conflict]
    computed = all(isinstance(key, Apply) or key.stride for key in unknown)  # nothing in them is free
    if computed and conflict.answer is not None and conflict.answer.outcome is Outcome.POSSIBLE:
        return data_race(facts, first, second, others, _encounter(conflict, conflict.answer))
    if computed and conflict.answer is not None:
        conflict = replace(conflict, verdict=Undecided(OVER_BUDGET))
    if unknown or conflict.meeting is None or not isinstance(conflict.verdict, Refuted):
        fault = race_not_excluded(facts, first, second, unknown, conflict.verdict)
        return messages.over_budget(fault) if conflict.verdict == Undecided(OVER_BUDGET) else fault
    return data_race(facts, first, second, others, _example(conflict, conflict.meeting, meetings))


def _unknown_in(conflict: Conflict, meetings: Meetings) -> list[Key]:
    """Return the integers that decide whether threads meet, and that the checks know only bounds of.

    A value that both threads share is none of them, if they meet for each one.
    """
    first, second = conflict.first, conflict.second
    keys = [k for a in (first, second) for k in meetings.solver.support([*a.place.path, *meetings.element(a)])]
    unknown = [k for k in dict.fromkeys(keys) if is_unknown(k) or (isinstance(k, Symbol) and k.stride)]
    shared = meetings.equal_keys((first, second), conflict.threads.equal)
    if not unknown or conflict.meeting is None or not set(unknown) <= set(shared):
        return unknown
    try:
        with meetings.solver.budget():
            return [] if meetings.always(first, second, conflict.threads, conflict.meeting) else unknown
    except OutOfBudget:
        return unknown


def _doubts(conflict: Conflict, meetings: Meetings) -> list[Key]:
    """Return what makes a conflict no more than possible. Conditions on data are none of it: they may hold."""
    indices = [k for a in (conflict.first, conflict.second) for k in meetings.solver.support(meetings.element(a))]
    return [k for k in _unknown_in(conflict, meetings) if k in indices or not _is_data(k)]


def _is_data(key: Key) -> bool:
    return isinstance(key, Symbol) and key.kind is Kind.UNKNOWN


def _example(conflict: Conflict, meeting: isl.Set, meetings: Meetings) -> Encounter | None:
    witness = find_witness(meetings.solver, meeting)
    if witness is None:
        return None
    point, threads = witness.point, conflict.threads
    shared = meetings.equal_keys((conflict.first, conflict.second), threads.equal)
    ours, theirs = len(threads.first), len(threads.first) + len(threads.second)
    common = {k: v for k, v in zip(shared, point[len(point) - len(shared) :], strict=True) if isinstance(k, Symbol)}
    return Encounter(
        witness,
        {**common, **dict(zip(threads.first, point[:ours], strict=True))},
        {**common, **dict(zip(threads.second, point[ours:theirs], strict=True))},
        *(meetings.index_at(a, point[theirs : len(point) - len(shared)]) for a in (conflict.first, conflict.second)),
    )


def _encounter(conflict: Conflict, answer: Answer) -> Encounter:
    one, two, witness = answer.values(0), answer.values(1), witness_of(answer)
    index = tuple(value_text(t, one, witness) for t in conflict.first.index)
    return Encounter(witness, one, two, index, tuple(value_text(t, two, witness) for t in conflict.second.index))


def _interest(conflict: Conflict) -> tuple[int, int, int, int]:
    """Order conflicts by how much they explain: refuted ones, two places rather than one, then as written."""
    alone = conflict.first.span == conflict.second.span
    first, second = conflict.first, conflict.second
    dull = alone + (alone and not second.is_write)
    unknown = (not isinstance(conflict.verdict, Refuted)) + (conflict.answer == Answer(Outcome.UNKNOWN, {}))
    return (unknown, dull, first.place.order, second.place.order)
