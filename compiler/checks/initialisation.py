"""No element of an `Out` or local array is read before its thread wrote it."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from ..diagnostics.diagnostic import Diagnostic
from ..ir.nodes import Access as Borrow
from ..ir.nodes import Buffer, Indexed
from . import messages
from .bounds import is_unknown
from .facts import Access, Facts
from .guards import Contradicted, Guarded, Ledger, Static
from .proved import Evidence, Tier
from .sets import DIMENSION, Frame, Key, OutOfBudget, Solver
from .terms import Kind, Symbol, of, symbols
from .witness import find_witness
from .wording import set_text


def check_initialised(facts: Facts, solver: Solver, ledger: Ledger) -> Iterator[Evidence | Diagnostic]:
    """Every read of an `Out` array, or a local one without a fill, follows a sure write of the element by its thread.

    Another thread's write never counts: nothing orders it before the read.
    """
    failed: set[tuple[object, ...]] = set()
    for read in facts.accesses:
        if read.is_write or not _starts_empty(read.array) or (read.array, read.span.line) in failed:
            continue
        writes = [a for a in facts.accesses if a.array is read.array and a.is_write]
        result = _check_read(read, writes, facts, solver, ledger)
        if isinstance(result, Diagnostic):
            failed.add((read.array, read.span.line))
        yield result


def _starts_empty(array: Indexed) -> bool:
    return array.fill is None if isinstance(array, Buffer) else array.access is Borrow.OUT


def _check_read(
    read: Access, writes: list[Access], facts: Facts, solver: Solver, ledger: Ledger
) -> Evidence | Diagnostic:
    if any(_surely_before(write, read) for write in writes):
        return Evidence("initialised", read.text, Tier.STATIC, "written just before by the same thread", read.span)
    try:
        with solver.budget():
            frame = solver.frame([*read.place.path, *read.index], (*facts.threads, *_conditions(writes, read, solver)))
            missing = reached = frame.domain(read.place.path)
            for write in writes:
                for depth in _depths(write, read, facts):
                    missing = missing.subtract(_covered(write, read, depth, frame, facts, solver))
    except OutOfBudget:
        return messages.read_before_written(facts, read, writes, None, {})

    def text(bad: isl.Set) -> str:
        return f"{read.text}: would be read before it is written if {set_text(bad)}"

    match ledger.judge(missing, read.text, read.span, text, reached):
        case Static():
            return Evidence("initialised", read.text, Tier.STATIC, "written before by the same thread", read.span)
        case Guarded(text=guard):
            return Evidence("initialised", read.text, Tier.GUARD, guard, read.span)
        case Contradicted(guard=guard):
            return messages.no_large_launch(facts, guard)
    known = not any(is_unknown(key) for key in frame.positions)  # else the example might not exist
    witness = find_witness(solver, missing) if known else None
    point = witness.point if witness else ()
    values = {k: v for k, v in zip(frame.positions, point, strict=False) if isinstance(k, Symbol)}
    return messages.read_before_written(facts, read, writes, witness, values)


def _surely_before(write: Access, read: Access) -> bool:
    """Whether the write precedes in every iteration of the read, at the same index, under no further condition.

    Then it also follows the declaration of a local array: the read is in the block of that, and so is the write.
    """
    place, other = write.place, read.place
    return (
        place.order < other.order
        and write.index == read.index
        and place.iterators == other.iterators[: len(place.iterators)]
        and place.path == other.path[: len(place.path)]
    )


def _depths(write: Access, read: Access, facts: Facts) -> Iterator[int]:
    """Yield how many iterators may be equal: the next one is earlier in the write, or the write comes first in text.

    Of a loop that may end early, iterations are known to happen up to the one that the read is in. A local array is a
    new one for other iterators around its declaration.
    """
    common, threads = 0, len(facts.threads)
    for a, b in zip(write.place.iterators, read.place.iterators, strict=False):
        if a is not b:
            break
        common += 1
    assert common >= threads, "one parallel: its indices are in every place"
    if write.early > common:
        return
    born = facts.born[read.array] if isinstance(read.array, Buffer) else 0
    if write.place.order < read.place.order:
        yield common
    yield from range(max(threads, write.early - 1, born), common)


def _covered(write: Access, read: Access, depth: int, frame: Frame, facts: Facts, solver: Solver) -> isl.Set:
    """Return the read's instances that a write reaches first, sharing exactly the first `depth` iterators.

    Iterators of the write beyond them are free: the loop runs through all of its values. What depends on data must have
    the value that the read saw, else the write might not happen, and does not count.
    """
    shared = set(read.place.iterators[:depth])
    positions: dict[Key, int] = {}
    fresh: list[Key] = []
    for key in solver.support([*write.place.path, *write.index], facts.threads):
        if key in shared or (is_determined(key, shared) and key in frame.positions):
            positions[key] = frame.positions[key]
        elif isinstance(key, Symbol) and key in write.place.iterators:
            positions[key] = frame.dims + len(fresh)
            fresh.append(key)
        else:
            return isl.Set.empty(frame.space)
    joint = Frame(solver, frame.dims + len(fresh), positions)
    result = joint.domain(write.place.path)
    reads = Frame(solver, joint.dims, dict(frame.positions))
    for ours, theirs in zip(write.index, read.index, strict=True):
        result = result.intersect(joint.term(ours).eq_set(reads.term(theirs)))
    if depth < len(read.place.iterators) and depth < len(write.place.iterators):
        iterator = write.place.iterators[depth]
        if iterator is read.place.iterators[depth]:
            result = result.intersect(_earlier(joint, reads, iterator, write.steps[depth - len(facts.threads)]))
    return result.project_out(DIMENSION, frame.dims, len(fresh)).intersect(frame.domain(read.place.path))


def _conditions(writes: list[Access], read: Access, solver: Solver) -> list[Key]:
    """Return the data that writes depend on and that have one value for each instance of the read.

    With them as dimensions, `if c: x[i] = 1` and its `else` together cover both values of `c`.
    """
    iterators = set(read.place.iterators)
    keys = [k for w in writes for k in solver.support([*w.place.path, *w.index])]
    return [k for k in dict.fromkeys(keys) if is_determined(k, iterators)]


def is_determined(key: Key, shared: set[Symbol]) -> bool:
    """Whether a value that is no iterator is the same wherever the shared iterators are."""
    if isinstance(key, Symbol):
        return key.kind in (Kind.UNKNOWN, Kind.COUNT, Kind.CARRIED) and all(i in shared for i in key.within)
    return all(s.kind is Kind.PARAMETER or s in shared or is_determined(s, shared) for s in symbols([of(key)]))


def _earlier(write: Frame, read: Frame, iterator: Symbol, step: int) -> isl.Set:
    ours, theirs = write.term(of(iterator)), read.term(of(iterator))
    return ours.lt_set(theirs) if step > 0 else ours.gt_set(theirs)
