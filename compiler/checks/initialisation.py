"""No element of memory that holds nothing at the start is read before it is written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import islpy as isl

from ..diagnostics.diagnostic import Diagnostic
from ..ir.nodes import Access as Borrow
from ..ir.nodes import Buffer, Indexed
from ..ir.source import Span
from . import messages
from .bounds import is_unknown, sides
from .facts import Access, Facts
from .guards import Contradicted, Ledger, evidence_of
from .meetings import address, memory_of
from .proved import Evidence, Tier
from .sets import DIMENSION, Frame, Key, OutOfBudget, Solver, is_determined
from .terms import Kind, Symbol, negate, of
from .waivers import settled
from .witness import find_witness
from .wording import set_text

_BEFORE = "written before in every case"


def check_initialised(
    facts: Facts, solver: Solver, ledger: Ledger, reported: set[Span]
) -> Iterator[Evidence | Diagnostic]:
    """Every read of an `Out` array, or of memory of the kernel's own, follows a certain write of that element.

    The write is by the same thread, or in an earlier phase by any thread of the team. Nothing orders any other.

    Parameters
    ----------
    reported : set of Span
        Accesses that are part of another fault already; they are not reported a second time.
    """
    writes: dict[Indexed, list[Access]] = {}
    for access in facts.accesses:
        if access.is_write and not access.is_atomic and not access.is_tested:
            writes.setdefault(memory_of(access.array), []).append(access)
    failed: set[tuple[object, ...]] = set()
    for read in facts.accesses:
        memory = memory_of(read.array)
        if (read.is_write and not read.is_atomic) or _is_filled(memory):
            continue
        if read.span in reported or (memory, read.span.line) in failed:
            continue
        decide = partial(_check_read, read, writes.get(memory, []), facts, solver, ledger)
        result = settled("initialised", read.text, read.span, read.place, ledger, decide)
        if isinstance(result, Diagnostic):
            failed.add((memory, read.span.line))
        yield result


def _is_filled(memory: Indexed) -> bool:
    """Whether memory holds something from the start."""
    return memory.fill is not None if isinstance(memory, Buffer) else memory.access is not Borrow.OUT


def _check_read(
    read: Access, writes: list[Access], facts: Facts, solver: Solver, ledger: Ledger
) -> Evidence | Diagnostic:
    if any(_surely_before(write, read) for write in writes):
        return Evidence("initialised", read.text, Tier.STATIC, _BEFORE, read.span)
    home = len(facts.homes[memory].iterators if isinstance(memory := memory_of(read.array), Buffer) else facts.grid)
    try:
        with solver.budget():
            iterators = read.place.iterators
            path = (*read.place.path, *(negate(side.violated) for side in sides(read, facts)))  # beyond: out of bounds
            frame = solver.frame([*path, *read.index], (*iterators, *_conditions(writes, read, solver)))
            missing = reached = frame.domain(path)
            nearest = sorted(writes, key=lambda w: (w.place.order > read.place.order, -w.place.order))
            for write, depth in ((w, d) for w in nearest for d in _depths(w, read, home)):
                if missing.is_empty():
                    break
                missing = missing.subtract(_covered(write, read, depth, frame, facts, solver))
    except OutOfBudget:
        return messages.over_budget(messages.read_before_written(facts, read, writes, None, {}))

    def text(bad: isl.Set) -> str:
        return f"{read.text}: would be read before it is written if {set_text(bad)}"

    verdict = ledger.judge(missing, read.text, read.span, text, reached)
    if found := evidence_of(verdict, "initialised", read.text, _BEFORE, read.span):
        return found
    if isinstance(verdict, Contradicted):
        return messages.no_large_launch(facts, verdict.guard)
    # Else the example might not exist.
    counted = any(i.kind is Kind.ITERATION for w in writes for i in w.place.iterators)
    known = not counted and not any(is_unknown(key) for key in frame.positions)
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
        and (write.array, write.index) == (read.array, read.index)
        and place.iterators == other.iterators[: len(place.iterators)]
        and place.path == other.path[: len(place.path)]
    )


def _depths(write: Access, read: Access, home: int) -> Iterator[int]:
    """Yield how many iterators may be equal: the next one is earlier in the write, or the write comes first in text.

    Threads of different phases have no index in common: there, any thread counts.
    """
    common = 0
    for a, b in zip(write.place.iterators, read.place.iterators, strict=False):
        if a is not b:
            break
        common += 1
    assert common >= home, "what holds nothing at the start is used where it exists"
    if write.place.order < read.place.order:
        yield common
    yield from (depth for depth in range(home, common) if read.place.iterators[depth].step)


def _covered(write: Access, read: Access, depth: int, frame: Frame, facts: Facts, solver: Solver) -> isl.Set:
    """Return the read's instances that a write reaches first, sharing exactly the first `depth` iterators.

    Iterators of the write beyond them are free: the loop runs through all of its values. What depends on data must have
    the value that the read saw, else the write might not happen, and does not count.
    """
    shared = set(read.place.iterators[:depth])
    positions: dict[Key, int] = {}
    fresh: list[Key] = []
    ours, theirs = write.index, read.index
    if write.array is not read.array:
        ours, theirs = (address(write, facts),), (address(read, facts),)
    iterators = (write.place.iterators, read.place.iterators)
    repeats = depth < min(map(len, iterators)) and iterators[0][depth] is iterators[1][depth]
    for key in solver.support([*write.place.path, *ours], write.place.iterators):
        if key in shared or (is_determined(key, shared) and key in frame.positions):
            positions[key] = frame.positions[key]
        elif isinstance(key, Symbol) and key in iterators[0] and _is_run(key, iterators[0][depth] if repeats else None):
            positions[key] = frame.dims + len(fresh)
            fresh.append(key)
        else:
            return isl.Set.empty(frame.space)
    if not all(key in frame.positions for key in solver.support(theirs)):
        return isl.Set.empty(frame.space)
    joint = Frame(solver, frame.dims + len(fresh), positions, frame.uniform)
    result = joint.domain(write.place.path)
    reads = Frame(solver, joint.dims, dict(frame.positions), frame.uniform)
    for our, their in zip(ours, theirs, strict=True):
        result = result.intersect(joint.term(our).eq_set(reads.term(their)))
    if repeats:
        result = result.intersect(_earlier(joint, reads, iterators[0][depth]))
    return result.project_out(DIMENSION, frame.dims, len(fresh)).intersect(frame.domain(read.place.path))


def _conditions(writes: list[Access], read: Access, solver: Solver) -> list[Key]:
    """Return the data that writes depend on and that have one value for each instance of the read.

    With them as dimensions, `if c: x[i] = 1` and its `else` together cover both values of `c`.
    """
    iterators = set(read.place.iterators)
    keys = [k for w in writes for k in solver.support([*w.place.path, *w.index])]
    return [k for k in dict.fromkeys(keys) if is_determined(k, iterators)]


def _is_run(iterator: Symbol, repeated: Symbol | None) -> bool:
    """Whether all values of an iterator come before the read: a loop that may end early has run so far at least."""
    return iterator.kind is not Kind.STRIDE and (iterator.kind is not Kind.ITERATION or iterator is repeated)


def _earlier(write: Frame, read: Frame, iterator: Symbol) -> isl.Set:
    ours, theirs = write.term(of(iterator)), read.term(of(iterator))
    return ours.lt_set(theirs) if iterator.step > 0 else ours.gt_set(theirs)
