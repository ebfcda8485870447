"""What a kernel does, as data: every access, observed value and division, with the conditions on the way to it."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.nodes import Access as Borrow
from ..ir.nodes import Buffer, Indexed, Kernel
from ..ir.source import Span
from ..ir.types import Scalar
from .terms import Condition, Symbol, Term


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the kernel something happens.

    Attributes
    ----------
    path : tuple of Condition
        All that holds there: thread ranges first, then loop ranges and conditions, outermost first.
    iterators : tuple of Symbol
        Thread indices, then the enclosing loops' indices, outermost first. One instance for each of their values.
    order : int
        Position in the order of evaluation of one thread.
    phase : int
        Number of the phase; a `parallel` is one phase.
    """

    path: tuple[Condition, ...]
    iterators: tuple[Symbol, ...]
    order: int
    phase: int = 0


@dataclass(frozen=True, slots=True)
class Access:
    """A read, a write or an atomic update of one array element.

    Attributes
    ----------
    is_write : bool
        Whether it may change the element; an atomic update does.
    early : int
        How many iterators there are up to and including the innermost loop that may end early; 0 if none may. Of such a
        loop only the iterations up to one that is reached are known to happen.
    steps : tuple of int
        Step of each enclosing loop (the iterators after the thread indices): its sign says which iteration is earlier.
    text : str
        As written.
    """

    is_write: bool
    array: Indexed
    index: tuple[Term, ...]
    place: Place
    early: int
    steps: tuple[int, ...]
    span: Span
    text: str

    @property
    def must(self) -> bool:
        """Whether it happens for each value of the iterators for which the path holds."""
        return self.early == 0

    @property
    def is_atomic(self) -> bool:
        """Whether it is an atomic update: an `Atomic` array has no other access, and no other array has one."""
        return self.array.access is Borrow.ATOMIC

    @property
    def participle(self) -> str:
        """What happens to the element, for messages."""
        return "updated" if self.is_atomic else "written" if self.is_write else "read"

    @property
    def verb(self) -> str:
        """What the thread does to the element, for messages."""
        return "updates" if self.is_atomic else "writes" if self.is_write else "reads"


@dataclass(frozen=True, slots=True)
class Observation:
    """A value that must be in the range of its type: wrapped, it would differ from the integer that the proofs mean.

    Attributes
    ----------
    why : str
        What observes it: `compared`, `divided`, `converted to i64`, `a bound of range`, ...
    """

    term: Term
    type: Scalar
    place: Place
    span: Span
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Division:
    """A `//` or `%`.

    Attributes
    ----------
    observations : tuple of Observation
        What must be in range for the place's path and the operands to be what they say.
    """

    dividend: Term
    divisor: Term
    type: Scalar
    place: Place
    observations: tuple[Observation, ...]
    span: Span
    divisor_span: Span
    text: str
    divisor_text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """A kernel, gathered.

    Attributes
    ----------
    parameters : tuple of Symbol
        Scalars and extents of integer type.
    context : tuple of Condition
        What holds of them at every launch: no negative extent, every `require`.
    threads : tuple of Symbol
        Indices of the `parallel`.
    sizes : tuple of Term
        Trip count of each of its ranges, if not negative.
    shapes : dict
        Of each array: `(lower, upper)` of each dimension, upper exclusive.
    born : dict
        Of each buffer: how many iterators surround its declaration. Each of their values has a buffer of its own.
    """

    kernel: Kernel
    parameters: tuple[Symbol, ...]
    context: tuple[Condition, ...]
    threads: tuple[Symbol, ...]
    sizes: tuple[Term, ...]
    shapes: dict[Indexed, tuple[tuple[Term, Term], ...]]
    born: dict[Buffer, int]
    accesses: tuple[Access, ...]
    observations: tuple[Observation, ...]
    divisions: tuple[Division, ...]
