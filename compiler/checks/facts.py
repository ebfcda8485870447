"""What a kernel does, as data: every access, observed value and division, with the conditions on the way to it."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.nodes import Access as Borrow
from ..ir.nodes import Array, Buffer, Const, Indexed, Kernel
from ..ir.source import Span
from ..ir.types import Scalar
from .terms import Condition, Symbol, Term, choose, compare, number


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Threads between which nothing orders what they do: those of the `parallel`, or of one phase of a team.

    Attributes
    ----------
    phase : int, optional
        Number of the phase, 0 in a `parallel`; None outside phases, where a team acts as one.
    common : tuple of Symbol
        Indices of the team, then iterators of the loops around the phase: it runs once for each of their values.
    threads : tuple of Symbol
        Indices of the threads.
    shape : tuple of (Term, Term)
        `(lower, upper)` of each of them, upper exclusive. Threads of two phases are the same only if the shapes are.
    span : Span
        Of its header.
    """

    phase: int | None
    span: Span
    common: tuple[Symbol, ...] = ()
    threads: tuple[Symbol, ...] = ()
    shape: tuple[tuple[Term, Term], ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the kernel something happens.

    Attributes
    ----------
    path : tuple of Condition
        All that holds there: ranges of teams, threads and loops, and conditions, outermost first.
    iterators : tuple of Symbol
        Those of the region, common ones first, then the indices of the loops inside, outermost first. One instance for
        each of their values.
    order : int
        Position in the order of evaluation of one thread.
    region : Region
        Who does it, and what may happen at the same time.
    is_checked : bool
        Whether it stands in `with checked():`.
    unsafe : str
        The reason of the `with unsafe(...)` around it; empty if there is none.
    """

    path: tuple[Condition, ...]
    iterators: tuple[Symbol, ...]
    order: int
    region: Region
    is_checked: bool = False
    unsafe: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """A read, a write or an atomic update of one array element.

    Attributes
    ----------
    is_write : bool
        Whether it may change the element; an atomic update does.
    text : str
        As written.
    flat : tuple of (Term, (Term, Term))
        Index and bounds of each dimension as written, where `index` is a flattened one taken apart (see `digits`).
    is_tested : bool
        Whether it happens only if its indices pass a test on the device.
    """

    is_write: bool
    array: Indexed
    index: tuple[Term, ...]
    place: Place
    span: Span
    text: str
    flat: tuple[tuple[Term, tuple[Term, Term]], ...] = ()
    is_tested: bool = False

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
    """A `//` or `%`; or a loop, which counts up by its step.

    Attributes
    ----------
    role : str
        What the divisor is: `divisor` or `step`.
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
    role: str = "divisor"


@dataclass(frozen=True, slots=True)
class Facts:
    """A kernel, gathered.

    Attributes
    ----------
    parameters : tuple of Symbol
        Scalars and extents of integer type.
    context : tuple of Condition
        What holds of them at every launch: no negative extent, every `require`.
    grid : tuple of Symbol
        Indices of the `parallel` or the `teams`: nothing orders what happens at two different tuples of them.
    sizes : tuple of Term
        Trip count of each of its ranges, if not negative.
    extents : tuple of Term
        Size of each dimension of each array, as the arguments have it.
    lengths : dict
        Of each pack whose members differ in a dim: its upper end, member by member.
    shapes : dict
        Of each array and buffer: `(lower, upper)` of each dimension, upper exclusive, of the tuples that index it, but
        for what is in `lengths`.
    homes : dict
        Of each buffer: where it is declared; it begins to exist once for each value of the iterators there.
    regions : tuple of Region
        The `parallel`, or the phases, in the order of the text.
    """

    kernel: Kernel
    parameters: tuple[Symbol, ...]
    context: tuple[Condition, ...]
    grid: tuple[Symbol, ...]
    sizes: tuple[Term, ...]
    extents: tuple[Term, ...]
    shapes: dict[Indexed, tuple[tuple[Term, Term], ...]]
    lengths: dict[Indexed, tuple[Term, ...]]
    homes: dict[Buffer, Place]
    regions: tuple[Region, ...]
    accesses: tuple[Access, ...]
    observations: tuple[Observation, ...]
    divisions: tuple[Division, ...]

    def shape_of(self, array: Indexed, index: tuple[Term, ...]) -> tuple[tuple[Term, Term], ...]:
        """Return `(lower, upper)` of each dimension, where an element has that index."""
        if array not in self.shapes:  # a table
            return tuple((number(0), number(int(d.upper.value))) for d in array.dims if isinstance(d.upper, Const))
        shape = self.shapes[array]
        own = array.own_dim if isinstance(array, Array) else None
        if own is None:
            return shape
        return *shape[:own], (number(0), selected(self.lengths[array], index[0])), *shape[own:]


def selected(terms: tuple[Term, ...], position: Term) -> Term:
    """Return the term at a position that lies within; elsewhere the last one."""
    result = terms[-1]
    for place, term in reversed(list(enumerate(terms[:-1]))):
        result = choose(compare("==", position, number(place)), term, result)
    return result
