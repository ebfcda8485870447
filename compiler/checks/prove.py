"""The proofs of one kernel, in order: facts, then one check after the other, then the verdict."""

from __future__ import annotations

from collections.abc import Iterable

from ..diagnostics.diagnostic import CompileError, Diagnostic
from ..diagnostics.nesting import refusing_depth
from ..ir.nodes import Kernel, Teams
from .barriers import Handovers, needed_barriers
from .bounds import check_bounds, check_buffers
from .coverage import check_covered
from .digits import delinearised
from .facts import Access, Facts
from .gather import gather
from .guards import Ledger
from .initialisation import check_initialised
from .inspection import Inspector
from .overflow import check_divisors, check_overflow, non_negative
from .proved import Evidence, Proved, Tier
from .races import check_races
from .waivers import with_tests

_BOUNDS = ("KP0301", "KP0302")
_INDEX_FAULTS = ("KP0302",)  # an index that is not understood is reported once, by the bounds check
_RACES = ("KP0401", "KP0402")  # what another thread writes at the same time is not initialised either


def prove(kernel: Kernel) -> Proved:
    """Discharge every obligation of a kernel.

    Parameters
    ----------
    kernel : Kernel
        Typed.

    Returns
    -------
    Proved
        With evidence for each obligation and the guards that the launcher must evaluate.

    Raises
    ------
    CompileError
        With every fault, in source order. What is not proved counts as a fault.
    """
    with refusing_depth(kernel.name, kernel.source, kernel.span):
        return _prove(kernel)


def _prove(kernel: Kernel) -> Proved:
    facts, solver = delinearised(gather(kernel))
    ledger = Ledger(solver, facts)
    inspector = Inspector(facts)
    evidence: list[Evidence] = []
    faults: list[Diagnostic] = []

    def collect(results: Iterable[Evidence | Diagnostic]) -> None:
        for result in results:
            if isinstance(result, Diagnostic):
                faults.append(result)
            else:
                evidence.append(result)

    # Bounds first: their guards are the ones that users expect, so a later guard that contradicts them gets the blame.
    collect(check_bounds(facts, solver, ledger, inspector))
    collect(check_buffers(facts, solver, ledger))
    tests = frozenset(e.span for e in evidence if e.tier is Tier.CHECKED)
    facts = with_tests(facts, tests)
    collect(check_divisors(facts, solver, ledger))
    collect(check_overflow(facts, solver, ledger, inspector))
    collect(check_races(facts, solver, ledger, inspector, _blamed(facts, faults)))
    reported = {fault.span for fault in faults if fault.code in _INDEX_FAULTS}
    if isinstance(kernel.body, Teams):
        reported |= {label.span for fault in faults if fault.code in _RACES for label in fault.labels}
    collect(check_initialised(facts, solver, ledger, reported))
    misplaced = {fault.span for fault in faults if fault.code in _BOUNDS}
    outside = {a.array for a in facts.accesses if a.is_write and a.span in misplaced}  # so what it misses says no more
    collect(check_covered(facts, solver, ledger, outside))
    if faults:
        raise CompileError(tuple(faults))
    handovers = Handovers(facts, solver, ledger)
    return Proved(
        kernel, tuple(evidence), tuple(ledger.guards), handovers.unaliased() - ledger.waived,
        non_negative(facts, solver, ledger),
        needed_barriers(facts, handovers) if isinstance(kernel.body, Teams) else frozenset(),
        inspections=inspector.inspections(), tested=tests,
    )  # fmt: skip


def _blamed(facts: Facts, faults: list[Diagnostic]) -> set[Access]:
    spans = {fault.span for fault in faults if fault.code in _INDEX_FAULTS}
    return {access for access in facts.accesses if access.span in spans}
