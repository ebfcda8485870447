"""The whole typed IR on one page.

    kernel     = Kernel(name, parameters, extents, requires, body: Parallel | Teams)
    parameter  = Array | Reducer | Struct | Variable(kind=SCALAR)
    storage    = Array | Buffer(space=SHARED | PRIVATE | LOCAL) | Constants | Lengths
    statement  = Assign | Store | Contribute | Drop | If | For | While | Break | Continue | Allocate | Phase
               | Checked | Unsafe
    expression = Const | Read | Load | AtomicUpdate | Unary | Binary | Logical | Select | Call | Cast | Inlined

A `Parallel` runs its body once a thread. A `Teams` runs its body once a team: what stands outside phases is the same
for every thread of the team, and stores nothing but locals; a `Phase` runs once a thread, and ends with a barrier.

Every node is frozen and carries its span. Types are explicit: a `Cast` stands wherever a value changes type, so both
operands of a `Binary` have one type. Index expressions are `i64`. Operands are evaluated left to right; the right side
of a `Logical` and the arms of a `Select` only if needed, so what they guard is guarded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from .operations import AtomicOperation, Intrinsic, Operation
from .source import Source, Span
from .storage import Access as Access
from .storage import Array as Array
from .storage import Buffer as Buffer
from .storage import Combination as Combination
from .storage import Constants as Constants
from .storage import Dimension as Dimension
from .storage import Indexed as Indexed
from .storage import Lengths as Lengths
from .storage import Parameter as Parameter
from .storage import Reducer as Reducer
from .storage import Space as Space
from .storage import Storage as Storage
from .storage import Struct as Struct
from .storage import StructType as StructType
from .storage import Variable as Variable
from .storage import VariableKind as VariableKind
from .types import BOOL, Scalar


@dataclass(frozen=True, slots=True)
class Const:
    """A literal or a compile-time constant."""

    value: int | float | bool
    type: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class Read:
    """The value of a variable."""

    variable: Variable
    span: Span

    @property
    def type(self) -> Scalar:
        """Type of the variable."""
        return self.variable.type


@dataclass(frozen=True, slots=True)
class Load:
    """One element of `array`."""

    array: Storage
    index: tuple[Expr, ...]  # i64, one a dimension
    span: Span

    @property
    def type(self) -> Scalar:
        """Element type."""
        return self.array.element


@dataclass(frozen=True, slots=True)
class AtomicUpdate:
    """An atomic operation on an element of atomic storage, relaxed; its value is what the element held before."""

    operation: AtomicOperation
    array: Storage
    index: tuple[Expr, ...]  # evaluated first
    arguments: tuple[Expr, ...]  # of the element's type
    target_span: Span  # of `a[i]`
    span: Span

    @property
    def type(self) -> Scalar:
        """Element type."""
        return self.array.element


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `not x`."""

    operation: Operation
    operand: Expr
    type: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic or comparison of two values of one type; a comparison has type bool."""

    operation: Operation
    left: Expr
    right: Expr
    type: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class Logical:
    """Lazy `and` / `or` on bools."""

    is_and: bool
    left: Expr
    right: Expr
    span: Span

    @property
    def type(self) -> Scalar:
        """Always bool."""
        return BOOL


@dataclass(frozen=True, slots=True)
class Select:
    """`then if condition else otherwise`, lazy."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A mathematical function."""

    function: Intrinsic
    arguments: tuple[Expr, ...]
    type: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class Cast:
    """A value converted to another type; implicit ones are those that lose nothing, and integer to f64."""

    operand: Expr
    type: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class Inlined:
    """A call of a device function: its statements, then its value. Its locals are variables of their own."""

    function: str
    statements: tuple[Statement, ...]
    value: Expr
    span: Span  # of the call

    @property
    def type(self) -> Scalar:
        """Type of the value."""
        return self.value.type


Expr: TypeAlias = Const | Read | Load | AtomicUpdate | Unary | Binary | Logical | Select | Call | Cast | Inlined


@dataclass(frozen=True, slots=True)
class Assign:
    """A local variable gets a new value."""

    variable: Variable
    value: Expr
    span: Span


class Order(Enum):
    """What a store owes to the order of the threads; `ir/ordered.py` says where one may stand."""

    PUSH = "push"  # the value goes behind those of earlier threads; the index is the furthest place that it may get
    BEFORE = "sum_before"  # what is stored is the sum of the values of earlier threads
    UPTO = "sum_upto"  # ... and of the thread's own


@dataclass(frozen=True, slots=True)
class Store:
    """An element of exclusive storage gets a new value. `target_span` covers `a[i]`, `span` the statement."""

    array: Storage
    index: tuple[Expr, ...]
    value: Expr
    target_span: Span
    span: Span
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class Contribute:
    """A contribution: `location` for MinLoc and MaxLoc, `bin` the i64 index of bins, `rest` a struct's next fields."""

    reducer: Reducer
    value: Expr
    location: Expr | None
    target_span: Span
    span: Span
    bin: tuple[Expr, ...] = ()
    rest: tuple[Expr, ...] = ()

    @property
    def parts(self) -> tuple[Expr, ...]:
        """What the element's fields receive, in order."""
        return (self.value, *self.rest) if self.location is None else (self.value, self.location)


@dataclass(frozen=True, slots=True)
class Drop:
    """An expression that is evaluated for what it does; its value is dropped."""

    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """Two-sided condition."""

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """`for index in range(lower, upper, step)` within one thread.

    Attributes
    ----------
    step : int or Expr
        A constant, not 0, or an i64, which is proved to be positive.
    """

    index: Variable
    lower: Expr
    upper: Expr
    step: int | Expr
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """`while condition`; outside phases the condition is the same for every thread of the team."""

    condition: Expr
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    """Leave the innermost loop of this thread, or, outside phases, of this team."""

    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on with the next iteration of the innermost loop."""

    span: Span


@dataclass(frozen=True, slots=True)
class Allocate:
    """A buffer begins to exist; without a fill it holds garbage. A view (with a base) is a name for what exists.

    `shared` and `private` ones stand in the body of the `teams` itself, `local` ones where a thread runs.
    """

    buffer: Buffer
    span: Span


@dataclass(frozen=True, slots=True)
class Checked:
    """`with checked():` accesses whose bounds are not proved are tested on the device, and never leave the array."""

    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Unsafe:
    """`with unsafe("reason"):` what is not proved in here is taken on the author's word."""

    reason: str  # not empty
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Range:
    """Values `lower <= i < upper` of one index."""

    lower: Expr
    upper: Expr


@dataclass(frozen=True, slots=True)
class Phase:
    """`for ... in threads(...)`: one thread for each tuple of indices, the last the fastest; then a barrier.

    Attributes
    ----------
    number : int
        Position in the text of the kernel, from 0.
    ranges : tuple of Range
        The same for every thread of the team; phases whose ranges are equal expressions have the same threads.
    """

    number: int
    indices: tuple[Variable, ...]
    ranges: tuple[Range, ...]
    body: tuple[Statement, ...]
    span: Span  # of the `for` header


Statement: TypeAlias = (
    Assign | Store | Contribute | Drop | If | For | While | Break | Continue | Allocate | Checked | Unsafe | Phase
)


@dataclass(frozen=True, slots=True)
class Parallel:
    """One thread for each tuple of indices; the last index is the fastest."""

    indices: tuple[Variable, ...]
    ranges: tuple[Range, ...]
    body: tuple[Statement, ...]
    span: Span  # of the `for` header


@dataclass(frozen=True, slots=True)
class Teams:
    """One team for each tuple of indices; its body holds phases."""

    indices: tuple[Variable, ...]
    ranges: tuple[Range, ...]
    body: tuple[Statement, ...]
    span: Span  # of the `for` header


@dataclass(frozen=True, slots=True)
class Require:
    """A launch precondition: assumed by the proofs, evaluated by the launcher."""

    condition: Expr
    span: Span


def scalars_of(parameters: Iterable[Parameter]) -> tuple[Variable, ...]:
    """Return the scalar parameters and the fields of structs, in order."""
    parts = (p.fields if isinstance(p, Struct) else (p,) for p in parameters)
    return tuple(v for part in parts for v in part if isinstance(v, Variable))


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A typed kernel, not yet proved."""

    name: str
    parameters: tuple[Parameter, ...]
    extents: tuple[Variable, ...]  # names in dims that are not scalar parameters, in order of first appearance
    requires: tuple[Require, ...]
    body: Parallel | Teams
    source: Source
    span: Span
    library: str = ""  # whose function of these arrays does what the body says; then no code is made of it

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Array parameters, in order."""
        return tuple(p for p in self.parameters if isinstance(p, Array))

    @property
    def reducers(self) -> tuple[Reducer, ...]:
        """Reducer parameters, in order."""
        return tuple(p for p in self.parameters if isinstance(p, Reducer))

    @property
    def totals(self) -> tuple[Reducer, ...]:
        """Reducers of one value, in order."""
        return tuple(r for r in self.reducers if not r.dims)

    @property
    def binned(self) -> tuple[Reducer, ...]:
        """Reducers with bins, in order."""
        return tuple(r for r in self.reducers if r.dims)

    @property
    def scalars(self) -> tuple[Variable, ...]:
        """Scalar parameters and fields of structs, in order."""
        return scalars_of(self.parameters)
