"""What a kernel's names stand for: scalars, arrays, memory of its own, reducers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from .operations import Reduction
from .source import Span
from .types import Scalar

if TYPE_CHECKING:
    from .nodes import Const, Expr


class VariableKind(Enum):
    """What gives a variable its value."""

    SCALAR = "scalar parameter"  # by value, the same for every thread
    EXTENT = "extent"  # a name in an array's dims, the same for every thread, never negative
    TEAM = "team index"  # of the `teams`
    THREAD = "thread index"  # of the `parallel`, or of a phase
    LOOP = "loop index"  # of a `range`
    LOCAL = "local variable"  # assigned in the body


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A scalar name. Identity, not the name, tells two apart: an inner loop may reuse a name."""

    name: str
    type: Scalar
    kind: VariableKind
    span: Span

    def __repr__(self) -> str:
        return self.name


class Access(Enum):
    """How an array is borrowed."""

    REF = "Ref"  # shared, read only
    MUT = "Mut"  # exclusive
    OUT = "Out"  # exclusive, written everywhere, never read before
    ATOMIC = "Atomic"  # shared, atomic operations only


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of an array: indices `lower <= i < upper`, affine in extents and scalar parameters."""

    lower: Expr
    upper: Expr
    text: str  # as written


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array parameter, row-major (last index fastest)."""

    name: str
    access: Access
    element: Scalar
    dims: tuple[Dimension, ...]
    span: Span


class Space(Enum):
    """Who has a buffer of its own, and for how long."""

    SHARED = "shared"  # each team, for the whole team
    PRIVATE = "private"  # each thread, kept between the phases of one shape
    LOCAL = "local"  # each thread, from its declaration to the end of the block


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Memory that the kernel itself allocates, row-major, indices from 0.

    Attributes
    ----------
    dims : tuple of Dimension
        Uniform for `shared`, constants for `local`. Of `private` the first `threads` ones are the shape of its phases,
        uniform; the rest, constants, is the small array of one thread.
    threads : int
        How many leading indices are the thread's own; 0 but for `private`.
    fill : Const or None
        What it holds at its declaration; None where every read must follow a write.
    is_atomic : bool
        Whether it takes atomic operations only, of team scope.
    base : Buffer or None
        The shared buffer whose memory this one shows under another shape (`reshape`).
    """

    name: str
    space: Space
    element: Scalar
    dims: tuple[Dimension, ...]
    threads: int
    fill: Const | None
    is_atomic: bool
    base: Buffer | None
    span: Span

    @property
    def access(self) -> Access:
        """As what the body may use it."""
        return Access.ATOMIC if self.is_atomic else Access.MUT

    @property
    def memory(self) -> Buffer:
        """The buffer that has the memory: itself, or what it reshapes."""
        return self if self.base is None else self.base.memory


Storage: TypeAlias = Array | Buffer


@dataclass(frozen=True, slots=True, eq=False)
class Reducer:
    """A reducer parameter: a buffer that takes contributions only; one element (two for locations), or bins.

    Attributes
    ----------
    dims : tuple of Dimension
        Of an array of bins; empty for a scalar.
    """

    name: str
    reduction: Reduction
    element: Scalar
    span: Span
    dims: tuple[Dimension, ...] = ()

    @property
    def access(self) -> Access:
        """As what the body may use a bin: contributions of different threads do not conflict."""
        return Access.ATOMIC


Indexed: TypeAlias = Array | Buffer | Reducer
"""What has elements: storage, and the bins of a reducer."""

Parameter: TypeAlias = Array | Reducer | Variable
