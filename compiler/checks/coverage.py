"""Every element of an `Out` array is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from ..diagnostics.diagnostic import Diagnostic
from ..ir.nodes import Access as Borrow
from ..ir.nodes import Array, Indexed
from . import messages
from .facts import Access, Facts
from .guards import Ledger, Undecided, evidence_of
from .proved import Evidence
from .sets import DIMENSION, Frame, OutOfBudget, Solver, is_determined
from .terms import Kind, Symbol, Term, number
from .witness import find_witness
from .wording import set_text


def check_covered(
    facts: Facts, solver: Solver, ledger: Ledger, reported: set[Indexed]
) -> Iterator[Evidence | Diagnostic]:
    """Each `Out` array is written everywhere: nothing is copied in, so any other element would be garbage.

    Parameters
    ----------
    reported : set of Indexed
        Arrays with a write that is part of another fault already; they are not reported a second time.
    """
    for array in facts.kernel.arrays:
        if array.access is Borrow.OUT and array not in reported:
            yield _check_array(array, facts, solver, ledger)


def _check_array(array: Array, facts: Facts, solver: Solver, ledger: Ledger) -> Evidence | Diagnostic:
    names = ["index"] if len(array.dims) == 1 else [f"index{d + 1}" for d in range(len(array.dims))]
    writes = [a for a in facts.accesses if a.array is array and a.is_write]
    if not writes:
        return messages.never_written(facts, array)
    try:
        with solver.budget():
            missing = _extent(array, facts, solver)
            certain = [w for w in writes if not w.is_tested]
            for iterators in dict.fromkeys(w.place.iterators for w in certain):
                if any(i.kind in (Kind.ITERATION, Kind.STRIDE) for i in iterators):
                    continue
                group = [w for w in certain if w.place.iterators == iterators]
                missing = missing.subtract(_certainly_written(group, iterators, solver)).coalesce()
            gap = set_text(missing.gist(_extent(array, facts, solver)).gist_params(solver.context), names)
    except OutOfBudget:
        return messages.over_budget(messages.not_covered(facts, array, writes))

    def text(bad: isl.Set) -> str:
        return f"{array.name}: not written everywhere if {set_text(bad)}"

    verdict = ledger.judge(missing, writes[0].text, writes[0].span, text, _extent(array, facts, solver))
    if found := evidence_of(verdict, "covered", array.name, "every element is written", array.span):
        return found
    if isinstance(verdict, Undecided):
        return messages.not_covered(facts, array, writes)
    return messages.not_covered(facts, array, writes, gap, find_witness(solver, missing))


def _extent(array: Array, facts: Facts, solver: Solver) -> isl.Set:
    """Return the array's elements."""
    members = [number(m) for m in range(array.members)] if array.lengths else [number(0)]
    result: isl.Set | None = None
    for member in members:  # one by one where each has its own length
        shape = facts.shape_of(array, (member,))
        part = _box([(member, member + 1), *shape[1:]] if array.lengths else shape, solver)
        result = part if result is None else result.union(part)
    assert result is not None
    return result


def _box(shape: Sequence[tuple[Term, Term]], solver: Solver) -> isl.Set:
    frame = Frame(solver, len(shape), {})
    result = frame.universe.intersect_params(solver.context)
    for dimension, (low, high) in enumerate(shape):
        value = frame.dimension(dimension)
        result = result.intersect(value.ge_set(frame.term(low))).intersect(value.lt_set(frame.term(high)))
    return result


def _certainly_written(writes: list[Access], iterators: tuple[Symbol, ...], solver: Solver) -> isl.Set:
    """Return the elements that writes in one nest of loops reach whatever the data are.

    Conditions on data are dimensions of their own; an element counts if it is written for every value of them, as
    `if c: x[i] = 1` and its `else` do together.
    """
    rank = len(writes[0].index)
    frame = solver.frame([t for w in writes for t in (*w.place.path, *w.index)], iterators)
    own = set(iterators)
    count = len(iterators)
    happening = isl.Set.empty(Frame(solver, frame.dims + rank, {}).space)
    for write in writes:
        keys = solver.support([*write.place.path, *write.index], iterators)
        if all(k in own or is_determined(k, own) for k in keys):
            happening = happening.union(_elements(write, frame, solver))
    facts = Frame(solver, frame.dims + rank, frame.positions, frame.uniform).domain(())
    possible = facts.project_out(DIMENSION, count, frame.dims - count)
    avoidable = facts.subtract(happening).project_out(DIMENSION, count, frame.dims - count)
    return possible.subtract(avoidable).project_out(DIMENSION, 0, count)


def _elements(write: Access, frame: Frame, solver: Solver) -> isl.Set:
    """Return the instances of a write together with the element, as the last dimensions."""
    joint = Frame(solver, frame.dims + len(write.index), frame.positions, frame.uniform)
    result = joint.domain(write.place.path)
    for dimension, index in enumerate(write.index):
        result = result.intersect(joint.term(index).eq_set(joint.dimension(frame.dims + dimension)))
    return result
