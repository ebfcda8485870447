"""What a kernel's names stand for: scalars, arrays, memory of its own, reducers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from .operations import Reduction
from .source import Span
from .types import I64, Scalar

if TYPE_CHECKING:
    from .nodes import Const, Expr, Statement


MOST_DIMS = 8  # of an array, beside those that count a pack's members or private memory's threads
MOST_INDICES = 3 + MOST_DIMS  # of an access: private memory has up to three thread indices first


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
    PUSH = "Push"  # exclusive, filled from the front: one item a thread at most, in the order of the threads


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of an array: indices `lower <= i < upper`, affine in extents and scalar parameters."""

    lower: Expr
    upper: Expr
    text: str  # as written


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array parameter.

    Attributes
    ----------
    order : tuple of int
        The dims as they lie in memory, the slowest first; empty for row-major.
    is_table : bool
        Whether the elements themselves are in the argument block; a `Ref` with constant dims.
    members : int
        Of a pack: how many arrays it has. The first dim is then the member's number, and the rest a member's dims.
    lengths : Lengths or None
        Of a pack whose members differ: what is the upper end of one dim of each member.
    """

    name: str
    access: Access
    element: Scalar
    dims: tuple[Dimension, ...]
    span: Span
    order: tuple[int, ...] = ()
    is_table: bool = False
    members: int = 0
    lengths: Lengths | None = None

    @property
    def own_dim(self) -> int | None:
        """Position of the dim that each member of a pack has of its own; None if all are the same."""
        if self.lengths is None:
            return None
        return next((n for n, d in enumerate(self.dims) if d.text == self.lengths.dim_text), None)


@dataclass(frozen=True, slots=True, eq=False)
class Constants:
    """A table of numbers of the enclosing module, read-only and part of the code."""

    name: str
    element: Scalar
    dims: tuple[Dimension, ...]
    values: tuple[float, ...]  # row-major
    span: Span

    @property
    def access(self) -> Access:
        """As what the body may use it."""
        return Access.REF


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """The extents that members of packs have each of their own, `n[0]`, `n[1]`, ...; read like a table."""

    name: str
    extents: tuple[Variable, ...]
    dims: tuple[Dimension, ...]
    span: Span
    element: Scalar = I64

    @property
    def access(self) -> Access:
        """As what the body may use it."""
        return Access.REF

    @property
    def dim_text(self) -> str:
        """The dim that has these upper ends, as it is written."""
        return f"{self.name}[]"


@dataclass(frozen=True, slots=True)
class StructType:
    """A C struct of scalars.

    Attributes
    ----------
    fields : tuple of (str, Scalar, int)
        Path (`rho`, `gas.gamma`), type and offset in bytes, with the padding of C.
    members : tuple of (str, Scalar or StructType, int)
        The same as declared: a nested struct is one member.
    """

    name: str
    fields: tuple[tuple[str, Scalar, int], ...]
    members: tuple[tuple[str, Scalar | StructType, int], ...]
    size: int
    alignment: int


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A struct parameter, by value: its fields are scalar parameters."""

    name: str
    type: StructType
    fields: tuple[Variable, ...]
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


Storage: TypeAlias = Array | Buffer | Constants | Lengths


@dataclass(frozen=True, slots=True, eq=False)
class Combination:
    """How a reducer over a user's struct combines two values: what a device function does, which is pure.

    Attributes
    ----------
    function : str
        Its name.
    identity : tuple of Const
        What changes nothing, one a field.
    first, second : tuple of Variable
        The fields of its two parameters, of kind SCALAR.
    statements : tuple of Statement
        Assignments and conditions; no memory is read or written.
    values : tuple of Expr
        What each field becomes.
    """

    function: str
    type: StructType
    identity: tuple[Const, ...]
    first: tuple[Variable, ...]
    second: tuple[Variable, ...]
    statements: tuple[Statement, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reducer:
    """A reducer parameter: a buffer that takes contributions only; one element (two for locations), or bins.

    Attributes
    ----------
    element : Scalar
        Of a struct, the type of its first field.
    dims : tuple of Dimension
        Of an array of bins; empty for a scalar.
    combination : Combination or None
        Of a reducer over a struct.
    """

    name: str
    reduction: Reduction
    element: Scalar
    span: Span
    dims: tuple[Dimension, ...] = ()
    combination: Combination | None = None

    @property
    def fields(self) -> tuple[tuple[Scalar, int], ...]:
        """Type and offset of what an element holds: a value, a value and its location, or a struct's fields."""
        if self.combination is not None:
            return tuple((type_, at) for _, type_, at in self.combination.type.fields)
        return ((self.element, 0), (I64, 8)) if self.reduction.has_location else ((self.element, 0),)

    @property
    def access(self) -> Access:
        """As what the body may use a bin: contributions of different threads do not conflict."""
        return Access.ATOMIC


Indexed: TypeAlias = Array | Buffer | Constants | Lengths | Reducer
"""What has elements: storage, and the bins of a reducer."""

Parameter: TypeAlias = Array | Reducer | Variable | Struct
