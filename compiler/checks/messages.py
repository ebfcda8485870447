"""What the checks say: one function for each fault."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..diagnostics.diagnostic import Diagnostic, Label
from ..ir.nodes import Array, Buffer, Space
from .facts import Access, Division, Facts, Observation
from .nonlinear import Answer, Outcome
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
    value_text,
)
from .proved import Guard
from .terms import Term
from .witness import Witness, witness_of


def out_of_bounds(
    facts: Facts, access: Access, dimension: int, end: str, witness: Witness | None, values: Values
) -> Diagnostic:
    """KP0301: some thread of every large launch leaves the array."""
    array = access.array
    low, high = facts.shape_of(array, access.index)[dimension]
    where = "past the end" if end == "largest" else "before the start"
    which = f", in dimension {dimension + 1}" if len(access.index) > 1 else ""
    conditions = data_conditions(access)
    notes = [f"{listed(conditions)} depends on data and may hold, whatever the index is"] if conditions else []
    shown = ""
    if witness is not None:
        index = tuple(value_text(t, values, witness) for t in access.index)
        element = element_text(array, index)
        limits = f"{value_text(low, values, witness)} <= index < {value_text(high, values, witness)}"
        shown = sentence_text(
            witness, f"{thread_text(facts, access.place, values)} {access.verb} {element}, but {limits}{which}"
        )
    return Diagnostic(
        "KP0301",
        f"index out of bounds: `{access.text}` is {access.participle} {where} of `{array.name}`{which}",
        facts.kernel.source,
        (
            Label(access.span, f"needs {low} <= {access.index[dimension]} < {high}", primary=True),
            Label(array.span, f"`{array.name}` is declared here"),
            *headers(facts, access.place),
        ),
        shown,
        tuple(notes),
        (_bounds_help(access, dimension, end, low, high),),
    )


def bounds_depend_on_data(facts: Facts, access: Access, unknown: Sequence[object]) -> Diagnostic:
    """KP0302: an index depends on array contents, a loop-carried value or a product."""
    cause, help_ = unknown_cause(unknown)
    return Diagnostic(
        "KP0302",
        f"cannot prove that `{access.text}` is inside `{access.array.name}`: {cause}",
        facts.kernel.source,
        (Label(access.span, cause, primary=True), Label(access.array.span, f"`{access.array.name}` is declared here")),
        notes=("an access that is not proved is refused: what is unknown could be anything",),
        helps=(help_,),
    )


def bounds_not_provable(facts: Facts, access: Access, reason: str) -> Diagnostic:
    """KP0302: no affine condition decides, or the budget is used up."""
    return Diagnostic(
        "KP0302",
        f"cannot prove that `{access.text}` is inside `{access.array.name}`",
        facts.kernel.source,
        (Label(access.span, reason, primary=True), Label(access.array.span, f"`{access.array.name}` is declared here")),
        notes=("an access that is not proved is refused",),
        helps=(HELP_AFFINE,),
    )


def over_budget(fault: Diagnostic) -> Diagnostic:
    """Return a fault of a proof that was not finished, with what shortens it."""
    note = "the proof was not finished: it needs more steps than the checker allows"
    help_ = (
        "leave less to prove here: fewer conditions, `min`, `max`, `//` and products around it, a kernel of its own, "
        "or what its values keep to, stated with `require(...)`"
    )
    return replace(fault, notes=(note, *fault.notes), helps=(help_,))


def bounds_need_a_condition(facts: Facts, access: Access, answer: Answer) -> Diagnostic:
    """KP0302: an index with products leaves the array in some launch, or might."""
    array = access.array
    shown = ""
    if answer.outcome is Outcome.POSSIBLE:
        values, witness = answer.values(), witness_of(answer)
        dimensions = access.flat or tuple(zip(access.index, facts.shape_of(array, access.index), strict=True))
        index = tuple(value_text(t, values, witness) for t, _ in dimensions)
        limits = [tuple(value_text(end, values, witness) for end in bounds) for _, bounds in dimensions]
        inside = " and ".join(f"{low} <= {i} < {high}" for i, (low, high) in zip(index, limits, strict=True))
        who = thread_text(facts, access.place, values)
        shown = sentence_text(witness, f"{who} {access.verb} {element_text(array, index)}, but not {inside}")
    return Diagnostic(
        "KP0302",
        f"cannot prove that `{access.text}` is inside `{array.name}` for every launch",
        facts.kernel.source,
        (
            Label(access.span, "no condition on the launch was found that keeps it inside", primary=True),
            Label(array.span, f"`{array.name}` is declared here"),
            *headers(facts, access.place),
        ),
        shown,
        ("an access that is not proved is refused",),
        (
            "state what must hold before the launch, as in `require(n * m <= size)`, or declare the array with a "
            f'dimension for each index, as in `{array.name}: {array.access.value}[{array.element}, "n", "m"]`',
        ),
    )


def buffer_does_not_fit(facts: Facts, buffer: Buffer, size: Term, room: Term) -> Diagnostic:
    """KP0302: a buffer of negative size, or a `reshape` of more elements than there are; or it is not known."""
    is_known = size.is_constant and room.is_constant
    if buffer.base is None:
        what = f"cannot prove that `{buffer.name}` has no negative size: {size} elements"
    elif is_known:
        what = f"`{buffer.name}` does not fit into `{buffer.memory.name}`: {size} elements in {room}"
    else:
        what = f"cannot prove that `{buffer.name}` fits into `{buffer.memory.name}`: {size} elements in {room}"
    labels = [Label(buffer.span, "declared here", primary=True)]
    labels += [Label(buffer.memory.span, "the memory is declared here")] if buffer.base else []
    return Diagnostic(
        "KP0302", what, facts.kernel.source, tuple(labels),
        notes=("team memory is allocated before a team starts, and what lies behind it belongs to others",),
        helps=("declare as much memory as is shown" if is_known else "state it, as in `require(n >= 0)`",),
    )  # fmt: skip


def no_large_launch(facts: Facts, guard: Guard) -> Diagnostic:
    """KP0303: guards exclude each other for all large launches."""
    return Diagnostic(
        "KP0303",
        f"no large launch satisfies the conditions of this kernel: `{guard.access}` leaves none",
        facts.kernel.source,
        (Label(guard.span, "its condition contradicts those of other accesses", primary=True), *headers(facts)),
        notes=(f"the condition: {guard.text}",),
        helps=("correct the index, or shorten the range of the `parallel`, so that threads of a large launch pass",),
    )


def read_before_written(
    facts: Facts, read: Access, writes: Sequence[Access], witness: Witness | None, values: Values
) -> Diagnostic:
    """KP0502: an element that holds nothing at the start is read, and need not have been written before."""
    name = read.array.name
    labels = [
        Label(read.span, "read here", primary=True),
        Label(read.array.span, f"`{name}` holds nothing at the start"),
    ]
    labels += [Label(w.span, "written here") for w in writes[:2] if w.span != read.span]
    shown = ""
    if witness is not None:
        element = element_text(read.array, tuple(value_text(t, values, witness) for t in read.index))
        unwritten = "which it has not written" if _is_of_one_thread(read) else "which nothing has written before"
        shown = sentence_text(witness, f"{thread_text(facts, read.place, values)} reads {element}, {unwritten}")
    note = "a write by another thread does not count, for nothing orders it"
    if not _is_of_one_thread(read):
        note = "a write counts if the same thread makes it, or, in an earlier phase, any thread of the team"
    if not isinstance(read.array, Buffer):
        kind, note = "`Out`", f"an `Out` array is not copied in; {note}"
        help_ = f"declare it `{name}: Mut[...]` if its old contents matter, or write the element first"
    elif read.array.space is Space.LOCAL:
        kind, note = "a local array", "a local array without a fill holds garbage, each time that it is declared"
        help_ = f"fill it, as in `{name} = local({read.array.element}, ..., fill=0)`, or write the element first"
    else:
        kind, help_ = f"`{read.array.space.value}`", f"write the element before, or give `{name}` a `fill=`"
    return Diagnostic(
        "KP0502", f"`{name}` is {kind}, and `{read.text}` may be read before it is written", facts.kernel.source,
        tuple(labels), shown, (note,), (help_,),
    )  # fmt: skip


def _is_of_one_thread(read: Access) -> bool:
    """Whether only the thread that reads could have written before."""
    private = isinstance(read.array, Buffer) and read.array.memory.space is not Space.SHARED
    return private or not read.place.region.common


def not_covered(
    facts: Facts, array: Array, writes: Sequence[Access], gap: str = "", witness: Witness | None = None
) -> Diagnostic:
    """KP0503: not every element of an `Out` array is written."""
    shown = (
        sentence_text(witness, f"no thread is sure to write {element_text(array, witness.point)}") if witness else ""
    )
    missing = (f"not written: elements with {gap}",) if gap not in ("", "always") else ()  # gaps may lie in between
    labels = [Label(array.span, "`Out`: every element must be written", primary=True)]
    labels += [Label(w.span, "written here") for w in writes[:3]]
    note = "an `Out` array is not copied in, so elements that the kernel does not write become garbage"
    return Diagnostic(
        "KP0503", f"`{array.name}` is `Out`, but not proved to be written everywhere", facts.kernel.source,
        tuple(labels), shown, (*missing, note), (f"declare it `{array.name}: Mut[...]`, or write every element",),
    )  # fmt: skip


def never_written(facts: Facts, array: Array) -> Diagnostic:
    """KP0503: an `Out` array without a write."""
    return Diagnostic(
        "KP0503", f"`{array.name}` is `Out`, but is never written", facts.kernel.source,
        (Label(array.span, "`Out`: every element must be written", primary=True),),
        notes=("an `Out` array is not copied in, so elements that the kernel does not write become garbage",),
        helps=(f"declare it `{array.name}: Ref[...]` if it is only read, or remove it",),
    )  # fmt: skip


def overflow(
    facts: Facts, observation: Observation, witness: Witness | None, values: Values, reason: str
) -> Diagnostic:
    """KP0601: a value that decides something may wrap."""
    type_ = observation.type
    shown = ""
    if witness is not None:
        value = value_text(observation.term, values, witness)
        shown = sentence_text(
            witness, f"{thread_text(facts, observation.place, values)} computes {value}, beyond `{type_}`"
        )
    help_ = "bound its operands, as in `require(n <= 1000000)`"
    if type_.bits < 64:
        help_ = f"compute it in `i64`, converting the operands with `i64(...)`; or {help_}"
    range_ = f"may leave {type_.lowest} .. {type_.highest}"
    return Diagnostic(
        "KP0601", f"`{observation.text}` may overflow `{type_}`, and is {observation.why}", facts.kernel.source,
        (Label(observation.span, reason or range_, primary=True), *headers(facts, observation.place)),
        shown,
        ("accesses depend on this value: wrapped, it would not be the integer that the proofs reason about",),
        (help_,),
    )  # fmt: skip


def divisor_may_be_zero(facts: Facts, division: Division, witness: Witness | None, values: Values) -> Diagnostic:
    """KP0602: a divisor, or the step of a loop, is not proved positive."""
    shown, does, note = "", "divides", "division by zero has no value, on a GPU not even an error"
    if division.role == "step":
        does, note = "steps", "a step that is no constant counts upwards; one of zero never ends"
    if witness is not None:
        value = value_text(division.divisor, values, witness)
        shown = sentence_text(witness, f"{thread_text(facts, division.place, values)} {does} by {value}")
    return Diagnostic(
        "KP0602", f"the {division.role} `{division.divisor_text}` of `{division.text}` may be zero or negative",
        facts.kernel.source,
        (Label(division.divisor_span, "not proved to be positive", primary=True),), shown,
        (note,),
        (f"state it, as in `require(m > 0)`, or clamp the {division.role}: `max(m, 1)`",),
    )  # fmt: skip


def _bounds_help(access: Access, dimension: int, end: str, low: Term, high: Term) -> str:
    index = access.index[dimension]
    if end == "smallest" and (count := re.fullmatch(r"-(\d+)", str(index))):
        return f"an index counts from the start: from the end this one is `{high} - {count[1]}`"
    test = f"{index} < {high}" if end == "largest" else f"{index} >= {low}"
    side = "end" if end == "largest" else "start"
    return f"let the range {side} {'earlier' if end == 'largest' else 'later'}, or test the index first: `if {test}:`"
