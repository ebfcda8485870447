"""What a program's arrays move to a GPU and back, and why: the plan that its owned arrays follow, without a GPU.

It goes through the launches as a schedule does, and through the states of the arrays as `OwnedArray` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import KparityError
from .binding import member_of
from .expression_text import HELPERS, evaluate
from .plan import ArrayPlan, Plan
from .residence import HOST, Residence, follow
from .schedule import borrows_of, messages_of
from .steps import EXCHANGE, launches

_GPU = "gpu"
_VERBS = {"Ref": "reads", "Out": "overwrites", "Atomic": "updates"}


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes, as a formula of the extents; a number where all of them are known.

    Attributes
    ----------
    terms : dict
        Formula of an array's size -> how many of them.
    """

    terms: Mapping[str, int]
    bytes: int | None

    @property
    def text(self) -> str:
        """The formula."""
        shown = (text if count == 1 else f"{count} * {text}" for text, count in self.terms.items() if count)
        return " + ".join(shown) or "0"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One array that is copied, or is not.

    Attributes
    ----------
    when : {"before", "after", "never"}
        To the GPU before the first launch; to the host after the last one, if the host asks; not at all.
    reason : str
        The first call that needs it so, and what it does with it.
    line : int
        Of that call; 0 if there is none.
    """

    array: str
    when: Literal["before", "after", "never"]
    size: Size
    reason: str
    line: int


@dataclass(frozen=True, slots=True)
class Transfers:
    """All transfers of a run, and what copying around each launch would come to."""

    program: str
    transfers: tuple[Transfer, ...]
    launches: int
    total: Size
    naive: Size
    naive_copies: int


@dataclass(frozen=True, slots=True)
class _Use:
    """What some launches come to for an array: the first that takes it, and the first that changes it."""

    access: str
    first: tuple[str, int]
    writer: tuple[str, int] | None


def transfers_of(plan: Plan, lines: Sequence[int], given: Mapping[str, Any], repetitions: int = 1) -> Transfers:
    """Return what a run moves, all arrays being newest on the host before it.

    Parameters
    ----------
    lines : sequence of int
        Line of each call.
    given : mapping
        Values of scalars and extents: those that loops and conditions depend on; the others make sizes into numbers.

    Raises
    ------
    KparityError
        Loops or conditions depend on a value that is not given.
    """
    try:
        uses, naive, copies, count = _walk(plan, lines, given, repetitions)
    except NameError as error:
        program = plan.manifest.program
        raise KparityError(
            f"the launches of `{program}` depend on `{error.name}`: give it a value (`--set {error.name}=...`)"
        ) from error
    transfers = [t for array in plan.arrays for t in _of_array(array, uses.get(array.name), given)]
    total = total_size(t.size for t in transfers if t.when != "never")
    return Transfers(plan.manifest.program, tuple(transfers), count, total, _size(naive, given), copies)


def _walk(
    plan: Plan, lines: Sequence[int], given: Mapping[str, Any], repetitions: int
) -> tuple[dict[str, _Use], Counter[str], int, int]:
    uses: dict[str, _Use] = {}
    naive: Counter[str] = Counter()
    copies = count = 0
    sizes = {array.name: _size_text(array) for array in (*plan.arrays, *plan.scratch)}
    for repetition in range(repetitions):
        for number, known, roles in launches(plan.manifest.program, plan.steps, {**given, "repetition": repetition}):
            if number == EXCHANGE:
                who, line, borrows, taken = "exchange", 0, messages_of(plan), roles
            else:
                call = plan.calls[number]
                who, line, borrows = call.kernel, lines[number], borrows_of(call)
                taken = {**roles, **{m.name: member_of(call, m, known) for m in call.members}}
                count += 1
            for named, access in borrows:
                array = taken.get(named, named)
                copied = (access != "Out") + (access != "Ref")
                naive[sizes[array]] += copied
                copies += copied
                before, this = uses.get(array), (f"`{who}` {_VERBS.get(access, 'changes')} it", line)
                writer = before.writer if before and before.writer else this if access != "Ref" else None
                uses[array] = _Use(
                    follow(before.access if before else None, access), before.first if before else this, writer
                )  # fmt: skip
    return uses, naive, copies, count


def _of_array(array: ArrayPlan, use: _Use | None, given: Mapping[str, Any]) -> list[Transfer]:
    size = _size({_size_text(array): 1}, given)
    if use is None:
        return [Transfer(array.name, "never", size, "no call takes it", 0)]
    state, found = Residence(1), []
    if array.access != "Out":
        state.borrow(HOST, state.rows, "Out")
    comes = any(True for _ in state.needed(_GPU, state.rows, use.access))
    found.append(Transfer(array.name, "before" if comes else "never", size, *use.first))
    state.borrow(_GPU, state.rows, use.access)
    if use.writer and any(True for _ in state.needed(HOST, state.rows, "Ref")):
        found.append(Transfer(array.name, "after", size, *use.writer))
    return found


def _size_text(array: ArrayPlan) -> str:
    element = array.element_bytes
    factors = [upper if lower == "0" else f"({upper} - {lower})" for lower, upper, _ in array.dims]
    return "*".join([str(element), *(f for f in factors if f != "1")])


def _size(terms: Mapping[str, int], given: Mapping[str, Any]) -> Size:
    shown = {text.replace(f"{HELPERS}.", ""): count for text, count in terms.items()}
    try:
        return Size(shown, sum(count * int(evaluate(text, given)) for text, count in terms.items()))
    except (NameError, TypeError, ArithmeticError):  # not all are given
        return Size(shown, None)


def total_size(sizes: Iterable[Size]) -> Size:
    """Return the sum."""
    terms: Counter[str] = Counter()
    known: int | None = 0
    for size in sizes:
        terms.update(size.terms)
        known = None if known is None or size.bytes is None else known + size.bytes
    return Size(terms, known)
