"""What is not proved, but need not be: tested on the device (tier 4), or taken on the author's word (tier 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..diagnostics.diagnostic import Diagnostic
from ..ir.nodes import Access as Borrow
from ..ir.nodes import Array, Reducer
from ..ir.source import Span
from ..ir.types import I64
from .facts import Access, Facts, Observation, Place
from .guards import Ledger
from .proved import Evidence, Tier
from .terms import Kind, symbols

Result = Evidence | Diagnostic


def settled(
    obligation: str, text: str, span: Span, place: Place, ledger: Ledger, decide: Callable[[], Result]
) -> Result:
    """Return what was decided; inside of `unsafe`, what is no proof for all launches becomes the author's word."""
    if not place.unsafe:
        return decide()
    before = ledger.snapshot()
    result = decide()
    if isinstance(result, Evidence) and result.tier is Tier.STATIC:
        return result
    ledger.restore(before)
    return Evidence(obligation, text, Tier.UNSAFE, place.unsafe, span)


def tested(access: Access, ledger: Ledger, decide: Callable[[], Result]) -> Result:
    """Return what was decided; inside of `checked`, what is neither proved nor exactly guarded is tested.

    A guard on what only the data know would refuse launches in which nothing leaves its array.
    """
    of_lengths = isinstance(access.array, Array) and access.array.lengths is not None  # no dim says how long each is
    untested = of_lengths or isinstance(access.array, Reducer)
    if not access.place.is_checked or access.place.unsafe or untested:
        return settled("bounds", access.text, access.span, access.place, ledger, decide)
    before = ledger.snapshot()
    result = decide()
    if isinstance(result, Evidence):
        data = any(s.kind in (Kind.UNKNOWN, Kind.CARRIED) for s in symbols([*access.place.path, *access.index]))
        if result.tier is Tier.STATIC or not data:
            return result
    ledger.restore(before)
    return Evidence("bounds", access.text, Tier.CHECKED, "tested at each access, which costs time", access.span)


def with_tests(facts: Facts, spans: frozenset[Span]) -> Facts:
    """Return the facts of a kernel whose accesses at `spans` are tested.

    A tested write may not happen. A race is excluded for mathematical indices, so that of an access that others may
    meet must not wrap into the array.
    """
    accesses = tuple(replace(a, is_tested=True) if a.span in spans else a for a in facts.accesses)
    shared = [a for a in accesses if a.span in spans and a.array.access is not Borrow.REF]
    indices = (o for a in shared for o in _observed(a))
    return replace(facts, accesses=accesses, observations=(*facts.observations, *dict.fromkeys(indices)))


def _observed(access: Access) -> Iterator[Observation]:
    written = [index for index, _ in access.flat] or access.index
    for index in written:
        yield Observation(index, I64, access.place, access.span, access.text, "an index that is tested")
