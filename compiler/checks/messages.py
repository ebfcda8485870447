"""What the checks say: one function for each fault."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics.diagnostic import Diagnostic, Label
from ..ir.nodes import Array, Buffer, Indexed
from .facts import Access, Division, Facts, Observation
from .guards import Undecided, Verdict
from .proved import Guard
from .sets import Key
from .terms import Apply, Kind, Symbol, Term, symbols
from .witness import Witness

Values = dict[Symbol, int]


def out_of_bounds(
    facts: Facts, access: Access, dimension: int, end: str, witness: Witness | None, values: Values
) -> Diagnostic:
    """KP0301: some thread of every large launch leaves the array."""
    array = access.array
    low, high = facts.shapes[array][dimension]
    where = "past the end" if end == "largest" else "before the start"
    which = f", in dimension {dimension + 1}" if len(access.index) > 1 else ""
    conditions = _data_conditions(access)
    notes = [f"{_listed(conditions)} depends on data and may hold, whatever the index is"] if conditions else []
    shown = ""
    if witness is not None:
        index = tuple(_value(t, values, witness) for t in access.index)
        element = _element(array, index)
        limits = f"{_value(low, values, witness)} <= index < {_value(high, values, witness)}"
        shown = _sentence(witness, f"{_thread(facts, values)} {access.verb} {element}, but {limits}{which}")
    return Diagnostic(
        "KP0301",
        f"index out of bounds: `{access.text}` is {access.participle} {where} of `{array.name}`{which}",
        facts.kernel.source,
        (
            Label(access.span, f"needs {low} <= {access.index[dimension]} < {high}", primary=True),
            Label(array.span, f"`{array.name}` is declared here"),
            _header(facts),
        ),
        shown,
        tuple(notes),
        (_bounds_help(access, dimension, end, low, high),),
    )


def bounds_depend_on_data(facts: Facts, access: Access, unknown: Sequence[object]) -> Diagnostic:
    """KP0302: an index depends on array contents, a loop-carried value or a product."""
    cause, help_ = _unknown_cause(unknown, access)
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
        helps=(_HELP_AFFINE,),
    )


def no_large_launch(facts: Facts, guard: Guard) -> Diagnostic:
    """KP0303: guards exclude each other for all large launches."""
    return Diagnostic(
        "KP0303",
        f"no large launch satisfies the conditions of this kernel: `{guard.access}` leaves none",
        facts.kernel.source,
        (Label(guard.span, "its condition contradicts those of other accesses", primary=True), _header(facts)),
        notes=(f"the condition: {guard.text}",),
        helps=("correct the index, or shorten the range of the `parallel`, so that threads of a large launch pass",),
    )


def data_race(
    facts: Facts, first: Access, second: Access, others: Sequence[Access], witness: Witness | None
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
    labels.append(_header(facts))
    return Diagnostic(
        "KP0401", message, facts.kernel.source, tuple(labels),
        _race_witness(facts, first, second, witness) if witness else "",
        ("threads of one `parallel` run in any order; nothing orders these two accesses",),
        (_race_help(facts, first, second),),
    )  # fmt: skip


def race_not_excluded(
    facts: Facts, first: Access, second: Access, unknown: Sequence[Key], verdict: Verdict
) -> Diagnostic:
    """KP0402: whether two threads can meet is not known."""
    if unknown:
        cause, help_ = _unknown_cause(unknown, first)
    else:
        cause = verdict.reason if isinstance(verdict, Undecided) else "the indices are not affine"
        help_ = _HELP_AFFINE
    labels = [Label(first.span, "written here", primary=True)]
    if second.span != first.span:
        labels.append(Label(second.span, f"{second.participle} here"))
    return Diagnostic(
        "KP0402",
        f"cannot exclude a data race on `{first.array.name}`: {cause}",
        facts.kernel.source,
        (*labels, _header(facts)),
        notes=("two accesses that are not proved apart count as a race",),
        helps=(help_,),
    )


def read_before_written(
    facts: Facts, read: Access, writes: Sequence[Access], witness: Witness | None, values: Values
) -> Diagnostic:
    """KP0502: an element of an `Out` or a local array is read that the same thread need not have written."""
    name = read.array.name
    if isinstance(read.array, Buffer):
        kind, note = "a local array", "a local array without a fill holds garbage, each time that it is declared"
        help_ = f"fill it, as in `{name} = local({read.array.element}, ..., fill=0)`, or write the element first"
    else:
        kind = "`Out`"
        note = "an `Out` array is not copied in; a write by another thread does not count, for nothing orders it"
        help_ = f"declare it `{name}: Mut[...]` if its old contents matter, or write the element first"
    start = Label(read.array.span, f"`{name}` holds nothing at the start")
    labels = [Label(read.span, "read here", primary=True), start]
    labels += [Label(w.span, "written here") for w in writes[:2] if w.span != read.span]
    shown = ""
    if witness is not None:
        element = _element(read.array, tuple(_value(t, values, witness) for t in read.index))
        shown = _sentence(witness, f"{_thread(facts, values)} reads {element}, which it has not written")
    return Diagnostic(
        "KP0502", f"`{name}` is {kind}, and `{read.text}` may be read before it is written", facts.kernel.source,
        tuple(labels), shown,
        (note,),
        (help_,),
    )  # fmt: skip


def not_covered(
    facts: Facts, array: Array, writes: Sequence[Access], gap: str = "", witness: Witness | None = None
) -> Diagnostic:
    """KP0503: not every element of an `Out` array is written."""
    shown = _sentence(witness, f"no thread is sure to write {_element(array, witness.point)}") if witness else ""
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
        value = _value(observation.term, values, witness)
        shown = _sentence(witness, f"{_thread(facts, values)} computes {value}, beyond `{type_}`")
    help_ = "bound its operands, as in `require(n <= 1000000)`"
    if type_.bits < 64:
        help_ = f"compute it in `i64`, converting the operands with `i64(...)`; or {help_}"
    range_ = f"may leave {type_.lowest} .. {type_.highest}"
    return Diagnostic(
        "KP0601", f"`{observation.text}` may overflow `{type_}`, and is {observation.why}", facts.kernel.source,
        (Label(observation.span, reason or range_, primary=True), _header(facts)),
        shown,
        ("accesses depend on this value: wrapped, it would not be the integer that the proofs reason about",),
        (help_,),
    )  # fmt: skip


def divisor_may_be_zero(facts: Facts, division: Division, witness: Witness | None, values: Values) -> Diagnostic:
    """KP0602: a divisor is not proved positive."""
    shown = ""
    if witness is not None:
        value = _value(division.divisor, values, witness)
        shown = _sentence(witness, f"{_thread(facts, values)} divides by {value}")
    return Diagnostic(
        "KP0602", f"the divisor `{division.divisor_text}` of `{division.text}` may be zero or negative",
        facts.kernel.source,
        (Label(division.divisor_span, "not proved to be positive", primary=True),), shown,
        ("division by zero has no value, on a GPU not even an error",),
        ("state it, as in `require(m > 0)`, or clamp the divisor: `max(m, 1)`",),
    )  # fmt: skip


_HELP_AFFINE = (
    'use one index a dimension (`a[i, j]` with `a: Mut[f64, "n", "m"]`) instead of products, '
    "or state what holds with `require(...)`"
)


def _header(facts: Facts) -> Label:
    threads = facts.threads
    if len(threads) == 1:
        return Label(facts.kernel.body.span, f"each value of `{threads[0]}` is a thread of its own")
    names = ", ".join(str(t) for t in threads)
    return Label(facts.kernel.body.span, f"each `({names})` is a thread of its own")


def _unknown_cause(unknown: Sequence[object], access: Access) -> tuple[str, str]:
    """Return why a value is not known, and what to write instead."""
    for key in unknown:
        if isinstance(key, Symbol) and key.element is not None:
            help_ = (
                "let index arrays (`Ref`, of integers), scalars and loops alone decide the index, so that it can be "
                f"inspected before the launch; or clamp a read, as in `min(max({key.name}, 0), n - 1)`"
            )
            return f"index depends on the contents of `{key.element[0].name}` and on what no inspection knows", help_
    for key in unknown:
        if isinstance(key, Symbol) and key.kind is Kind.COUNT:
            return (
                "it depends on how many iterations a loop makes, and only bounds of that are known",
                "clamp it with `min` and `max`, or test it before: `if 0 <= k and k < n`",
            )
    for key in unknown:
        if isinstance(key, Symbol) and key.kind is Kind.CARRIED:
            return (
                f"`{key.name}` changes from iteration to iteration, and only bounds of it are known",
                "compute it from the loop index in closed form, or clamp it with `min` and `max`",
            )
    for key in unknown:
        if isinstance(key, Apply):
            return f"`{key}` is not affine", _HELP_AFFINE
    names = _listed([str(k) for k in unknown])
    return (
        f"the value of {names} is known to the data only",
        "clamp it with `min` and `max`, or test it before: `if 0 <= k and k < n`; an index array is written by one "
        "kernel, and passed as `Ref` to the next",
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"`{n}`" for n in dict.fromkeys(names))


def _data_conditions(access: Access) -> list[str]:
    found = [s for s in symbols(list(access.place.path)) if s.kind is Kind.UNKNOWN and s.type.name == "bool"]
    return [s.name for s in found]


def _bounds_help(access: Access, dimension: int, end: str, low: Term, high: Term) -> str:
    index = access.index[dimension]
    test = f"{index} < {high}" if end == "largest" else f"{index} >= {low}"
    side = "end" if end == "largest" else "start"
    return f"let the range {side} {'earlier' if end == 'largest' else 'later'}, or test the index first: `if {test}:`"


def _race_help(facts: Facts, first: Access, second: Access) -> str:
    name = first.array.name
    used = set(symbols(first.index))
    unused = [t.name for t in facts.threads if t not in used]
    if not unused and not second.is_write:
        dims = ", ".join(f'"{d.text}"' for d in first.array.dims)
        indices = ", ".join(str(t) for t in facts.threads)
        return (
            f"write to a second array: add `{name}_new: Mut[{first.array.element}, {dims}]` "
            f"and assign `{name}_new[{indices}] = ...`"
        )
    if unused:
        names = _listed(unused)
        return (
            f"the index does not use {names}: accumulate with a reducer (`total: Sum[{first.array.element}]`), "
            f"or make {names} a `for ... in range(...)` inside one thread"
        )
    return (
        "give each thread elements of its own: an index that is different for every thread; or declare "
        f"`{name}: Atomic[{first.array.element}, ...]` and update it atomically"
    )


def _race_witness(facts: Facts, first: Access, second: Access, witness: Witness) -> str:
    count = len(facts.threads)
    one, two, element = witness.point[:count], witness.point[count : 2 * count], witness.point[2 * count :]
    shown = _element(first.array, element)
    left = f"{_thread_of(facts, one)} writes {shown}"
    right = f"{_thread_of(facts, two)} {second.verb} {shown}"
    return _sentence(witness, f"{left}, {right}")


def _thread_of(facts: Facts, values: Sequence[int]) -> str:
    pairs = ", ".join(f"{t} = {v}" for t, v in zip(facts.threads, values, strict=True))
    return f"thread {pairs}" if len(values) == 1 else f"thread ({pairs})"


def _thread(facts: Facts, values: Values) -> str:
    known = [values.get(t, 0) for t in facts.threads]
    loops = [f"{s} = {v}" for s, v in values.items() if s.kind in (Kind.LOOP, Kind.ITERATION)]
    return _thread_of(facts, known) + (f", at {', '.join(loops)}," if loops else "")


def _sentence(witness: Witness, text: str) -> str:
    return f"{witness.launch}: {text}" if witness.launch else text


def _element(array: Indexed, index: Sequence[int | str]) -> str:
    return f"{array.name}[{', '.join(str(i) for i in index)}]"


def _value(term: Term, values: Values, witness: Witness) -> int | str:
    """Return a term's value under a witness; the term itself if something in it is not part of the witness."""
    sizes = dict(witness.sizes)
    total = term.constant
    for atom, coefficient in term.parts:
        value = _atom_value(atom, values, sizes, witness)
        if value is None:
            return str(term)
        total += coefficient * value
    return total


def _atom_value(atom: object, values: Values, sizes: dict[str, int], witness: Witness) -> int | None:
    if isinstance(atom, Symbol):
        return sizes.get(atom.name) if atom.kind is Kind.PARAMETER else values.get(atom)
    if isinstance(atom, Apply):
        left, right = _value(atom.left, values, witness), _value(atom.right, values, witness)
        if isinstance(left, int) and isinstance(right, int):
            if atom.function in ("min", "max"):
                return min(left, right) if atom.function == "min" else max(left, right)
            if atom.function == "mul":
                return left * right
            return (left // right if atom.function == "floordiv" else left % right) if right else None
    return None
