"""What the checks hand to the lowering: a kernel that may be lowered, with its evidence and launch guards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ..ir.nodes import Indexed, Kernel, Phase
from ..ir.source import Span
from ..ir.walk import phases

LARGEST_EXTENT = 2**61
"""No dimension of an array is longer: a longer one would not fit in memory. The launcher refuses what claims to be."""


class Tier(IntEnum):
    """How an obligation was discharged (design section 4)."""

    STATIC = 1
    GUARD = 2
    INSPECTED = 3
    CHECKED = 4
    UNSAFE = 5


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant + sum(coefficient * name)`, over scalar parameters and extents, in unbounded integers.

    A name may be a product or a division of them, `n*m` or `(n // m)`; a division by zero may have any value.
    """

    constant: int
    terms: tuple[tuple[str, int], ...]  # sorted by name; no zero coefficient


@dataclass(frozen=True, slots=True)
class Guard:
    """A launch condition: holds if in one of `alternatives` every affine form is >= 0. Evaluated in 128 bits.

    Attributes
    ----------
    alternatives : tuple of tuple of Affine
        Disjunction of conjunctions.
    text : str
        The condition in the user's words: `x[i + jp + kp]: largest index lpz + jp + kp must be < nn`.
    access : str
        Source text of the access that needs it.
    span : Span
        Where the access stands.
    """

    alternatives: tuple[tuple[Affine, ...], ...]
    text: str
    access: str
    span: Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """One discharged obligation.

    Attributes
    ----------
    obligation : str
        `bounds`, `race`, `initialised`, `covered`, `overflow`, `divisor`.
    access : str
        Source text of the access (a race: both, joined by ` / `).
    tier : Tier
        How it was discharged.
    detail : str
        What was shown, or the guard's text.
    span : Span
        Of the (first) access.
    """

    obligation: str
    access: str
    tier: Tier
    detail: str
    span: Span


@dataclass(frozen=True, slots=True)
class Check:
    """One obligation that an inspection decides; its number is its row in the table of faults.

    Attributes
    ----------
    obligation : str
        `bounds`, `race`, `teams` (a race between teams) or `overflow`.
    access, verb : str
        Source text of the access, and what it does to its element (`reads`).
    array : Indexed
        What is accessed.
    dimensions : tuple of int
        Those of the array whose indices are tested.
    index : tuple of str
        The access's indices, as text.
    lists : tuple of (str, tuple of Affine)
        Index arrays that the access's own indices load from, and where.
    """

    obligation: str
    access: str
    array: Indexed
    verb: str
    span: Span
    dimensions: tuple[int, ...]
    index: tuple[str, ...]
    lists: tuple[tuple[str, tuple[Affine, ...]], ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """A kernel that must run on the same arguments, and find no fault, before the kernel that it was made from.

    Attributes
    ----------
    proved : Proved
        Its parameters are the index arrays, every scalar, then `kp.faults` and one shadow an array that is raced for,
        all zeros at first.
    lists : tuple of str
        The index arrays.
    second_pass : str
        The scalar that is 1 in a second run, where there is one; else empty.
    """

    proved: Proved
    lists: tuple[str, ...]
    checks: tuple[Check, ...]
    second_pass: str


@dataclass(frozen=True, slots=True)
class Proved:
    """A kernel whose every obligation has evidence. Only `prove` makes one, so an unchecked kernel cannot be lowered.

    Attributes
    ----------
    unaliased : frozenset of str
        Array parameters on which no two threads conflict in the whole kernel, barriers ignored: they earn `noalias`.
        Of shared buffers nothing is said: two never overlap, but for the views of one `Buffer.memory`.
    non_negative : frozenset of Span
        Spans of `//` and `%` whose operands were proved non-negative: they compile to the plain division.
    barriers : frozenset of int
        Numbers of the phases that end with a barrier: no conflict lies across the ends of the others.
    tested : frozenset of Span
        Accesses inside `with checked():` whose bounds are tested on the device.
    inspections : tuple of Inspection
        What the launcher has to run first, for each version of the index arrays.
    """

    kernel: Kernel
    evidence: tuple[Evidence, ...]
    guards: tuple[Guard, ...]
    unaliased: frozenset[str]
    non_negative: frozenset[Span]
    barriers: frozenset[int] = frozenset()
    tested: frozenset[Span] = frozenset()
    inspections: tuple[Inspection, ...] = ()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Phases of a team kernel, in the order of the text."""
        return tuple(phases(self.kernel.body.body))
