"""What the checks say of two threads that may meet in one element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..diagnostics.diagnostic import Diagnostic, Label
from ..ir.nodes import Buffer, Teams
from .facts import Access, Facts
from .guards import OVER_BUDGET, Undecided, Verdict
from .phrases import (
    HELP_AFFINE,
    Values,
    data_conditions,
    element_text,
    headers,
    listed,
    sentence_text,
    thread_text,
    unknown_cause,
)
from .sets import Key
from .terms import Symbol, symbols
from .witness import Witness


@dataclass(frozen=True, slots=True)
class Encounter:
    """Two threads in one element: the values of the indices and loops of each, and its name for the element."""

    witness: Witness
    first: Values
    second: Values
    first_index: tuple[int | str, ...]
    second_index: tuple[int | str, ...]


def data_race(
    facts: Facts, first: Access, second: Access, others: Sequence[Access], encounter: Encounter | None
) -> Diagnostic:
    """KP0401: two threads meet in one element, one of them writing."""
    name = first.array.name
    if second.is_write:
        message = f"data race on `{name}`: two threads write one element"
    else:
        message = f"data race on `{name}`: one thread writes an element that another reads"
    labels = [Label(first.span, "written here", primary=True)]
    if second.span != first.span:
        labels.append(Label(second.span, f"{second.participle} here by another thread"))
    met = {first.span, second.span}
    for other in others:
        if other.span not in met:
            met.add(other.span)
            labels.append(Label(other.span, "in conflict as well"))
    conditions = [c for a in (first, second) for c in data_conditions(a)]
    notes = [_why_unordered(facts, first, encounter)]
    if conditions:
        notes.append(f"{listed(conditions)} depends on data and may hold for both")
    return Diagnostic(
        "KP0401", message, facts.kernel.source, (*labels, *headers(facts, first.place, second.place)),
        _race_witness(facts, first, second, encounter) if encounter else "",
        tuple(notes), (_race_help(facts, first, second),),
    )  # fmt: skip


def race_not_excluded(
    facts: Facts, first: Access, second: Access, unknown: Sequence[Key], verdict: Verdict
) -> Diagnostic:
    """KP0402: whether two threads can meet is not known."""
    is_over_budget = verdict == Undecided(OVER_BUDGET)
    lists = [k.element[0].name for k in unknown if isinstance(k, Symbol) and k.element is not None]
    name = first.array.name
    if lists and isinstance(first.array, Buffer) and not is_over_budget:
        cause = f"the contents of `{lists[0]}` decide, and inspections do not compare threads in shared memory"
        help_ = f"write `{name}` at the thread's own indices, and read it by the list in a later phase"
    elif unknown and not is_over_budget:
        cause, help_ = unknown_cause(unknown)
    else:
        cause = verdict.reason if isinstance(verdict, Undecided) else "the indices are not affine"
        help_ = HELP_AFFINE
    labels = [Label(first.span, "written here", primary=True)]
    if second.span != first.span:
        labels.append(Label(second.span, f"{second.participle} here"))
    return Diagnostic(
        "KP0402",
        f"cannot exclude a data race on `{name}`: {cause}",
        facts.kernel.source,
        (*labels, *headers(facts, first.place, second.place)),
        notes=("two accesses that are not proved apart count as a race",),
        helps=(help_,),
    )


def _race_help(facts: Facts, first: Access, second: Access) -> str:
    name = first.array.name
    used = set(symbols(first.index))
    used |= {s for index in used if index.stride for s in symbols(index.stride)}
    if isinstance(first.array, Buffer):
        return (
            f"end the phase before another thread's element of `{name}` is needed, "
            "or give each thread elements of its own"
        )
    threads = tuple(dict.fromkeys((*facts.grid, *first.place.region.threads)))
    unused = [t.name for t in threads if t not in used]
    if not unused and not second.is_write:
        dims = ", ".join(f'"{d.text}"' for d in first.array.dims)
        indices = ", ".join(str(t) for t in threads)
        return (
            f"write to a second array: add `{name}_new: Mut[{first.array.element}, {dims}]` "
            f"and assign `{name}_new[{indices}] = ...`"
        )
    if unused:
        names = listed(unused)
        return (
            f"the index does not use {names}: accumulate with a reducer (`total: Sum[{first.array.element}]`), "
            f"or make {names} a `for ... in range(...)` inside one thread"
        )
    return (
        "give each thread elements of its own: an index that is different for every thread; or declare "
        f"`{name}: Atomic[{first.array.element}, ...]` and update it atomically"
    )


def _why_unordered(facts: Facts, first: Access, encounter: Encounter | None) -> str:
    if not isinstance(facts.kernel.body, Teams):
        return "threads of one `parallel` run in any order; nothing orders these two accesses"
    if encounter and any(encounter.first.get(t) != encounter.second.get(t) for t in facts.grid):
        return "teams run in any order, and the end of a phase orders the threads of one team only"
    return "threads of one phase run in any order; only the end of the phase orders what they do"


def _race_witness(facts: Facts, first: Access, second: Access, encounter: Encounter) -> str:
    one, two = (thread_text(facts, a.place, v) for a, v in ((first, encounter.first), (second, encounter.second)))
    shown, other = (
        element_text(a.array, i) for a, i in ((first, encounter.first_index), (second, encounter.second_index))
    )
    return sentence_text(encounter.witness, f"{one} writes {shown}, {two} {second.verb} {other}")
