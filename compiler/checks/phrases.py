"""Parts of what the checks say: who, where, which element, why not known."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics.diagnostic import Label
from ..ir.nodes import Indexed, Teams
from .facts import Access, Facts, Place
from .terms import Apply, Kind, Symbol, Term, symbols
from .witness import Witness

Values = dict[Symbol, int]


HELP_AFFINE = (
    'use one index a dimension (`a[i, j]` with `a: Mut[f64, "n", "m"]`) instead of products, '
    "or state what holds with `require(...)`"
)


def headers(facts: Facts, *places: Place) -> list[Label]:
    """Return what the indices in the headers around some places stand for."""
    what = "team" if isinstance(facts.kernel.body, Teams) else "thread"
    headers = {facts.kernel.body.span: (facts.grid, what)}
    headers |= {p.region.span: (p.region.threads, "thread") for p in places if p.region.threads}
    return [Label(span, f"each {_tuple(indices)} is a {kind} of its own") for span, (indices, kind) in headers.items()]


def _tuple(indices: Sequence[Symbol]) -> str:
    return f"value of `{indices[0]}`" if len(indices) == 1 else f"`({', '.join(map(str, indices))})`"


def unknown_cause(unknown: Sequence[object]) -> tuple[str, str]:
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
        if isinstance(key, Symbol) and key.is_updated:
            return (
                f"`{key.name}` changes from iteration to iteration in no form that is understood",
                "step it by a constant (`w += 2`, `w //= 2`), compute it from the loop index in closed form, or clamp "
                "it with `min` and `max`",
            )
    for key in unknown:
        if isinstance(key, Symbol) and key.stride:
            return (
                f"which values `{key.name}` takes depends on the step of its loop",
                "let the loop start at the thread's own number, and step by the number of all threads: "
                "`for i in range(t, n, threads)`",
            )
    for key in unknown:
        if isinstance(key, Apply):
            return f"`{key}` is not affine", HELP_AFFINE
    names = listed([str(k) for k in unknown])
    return (
        f"the value of {names} is known to the data only",
        "clamp it with `min` and `max`, or test it before: `if 0 <= k and k < n`; an index array is written by one "
        "kernel, and passed as `Ref` to the next",
    )


def listed(names: Sequence[str]) -> str:
    """Return each name once, quoted, joined by `and`."""
    return " and ".join(f"`{n}`" for n in dict.fromkeys(names))


def data_conditions(access: Access) -> list[str]:
    """Return the conditions on data on the way to an access, as written."""
    found = [s for s in symbols(list(access.place.path)) if s.kind is Kind.UNKNOWN and s.type.name == "bool"]
    return [s.name for s in found]


def _named(kind: str, indices: Sequence[Symbol], values: Values) -> str:
    pairs = ", ".join(f"{t} = {values.get(t, 0)}" for t in indices)
    return f"{kind} {pairs}" if len(indices) == 1 else f"{kind} ({pairs})"


def thread_text(facts: Facts, place: Place, values: Values) -> str:
    """Return who does something: team, thread and phase, and the iterations of loops."""
    region = place.region
    who = [_named("thread", region.threads, values)] if region.threads else []
    if isinstance(facts.kernel.body, Teams):
        who.insert(0, _named("team", facts.grid, values))
        if region.threads:
            who[-1] += f" of the phase in line {region.span.line}"
    loops = [f"{s} = {v}" for s, v in values.items() if s.step and s.name]
    return ", ".join(who) + (f", at {', '.join(loops)}," if loops else "")


def sentence_text(witness: Witness, text: str) -> str:
    """Return what happens in the launch of a witness."""
    return f"{witness.launch}: {text}" if witness.launch else text


def element_text(array: Indexed, index: Sequence[int | str]) -> str:
    """Return an element as it would be written."""
    return f"{array.name}[{', '.join(str(i) for i in index)}]"


def value_text(term: Term, values: Values, witness: Witness) -> int | str:
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
        left, right = value_text(atom.left, values, witness), value_text(atom.right, values, witness)
        if isinstance(left, int) and isinstance(right, int):
            if atom.function in ("min", "max"):
                return min(left, right) if atom.function == "min" else max(left, right)
            if atom.function == "mul":
                return left * right
            return (left // right if atom.function == "floordiv" else left % right) if right else None
    return None
