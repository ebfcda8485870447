"""The whole typed IR on one page.

    kernel     = Kernel(name, parameters, extents, requires, body: Parallel)
    parameter  = Array | Reducer | Variable(kind=SCALAR)
    statement  = Assign | Store | Contribute | Drop | If | For
    expression = Const | Read | Load | AtomicUpdate | Unary | Binary | Logical | Select | Call | Cast

Every node is frozen and carries its span. Types are explicit: a `Cast` stands wherever a value changes type, so both
operands of a `Binary` have one type. Index expressions are `i64`. Operands are evaluated left to right; the right side
of a `Logical` and the arms of a `Select` only if needed, so what they guard is guarded.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from .operations import AtomicOperation, Intrinsic, Operation, Reduction
from .source import Source, Span
from .types import BOOL, Scalar


class VariableKind(Enum):
    """What gives a variable its value."""

    SCALAR = "scalar parameter"  # by value, the same for every thread
    EXTENT = "extent"  # a name in an array's dims, the same for every thread, never negative
    THREAD = "thread index"  # of the `parallel`
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
    """How an array parameter is borrowed."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Reducer:
    """A scalar reducer parameter: a buffer of one element (two for locations) that takes contributions only."""

    name: str
    reduction: Reduction
    element: Scalar
    span: Span


Parameter: TypeAlias = Array | Reducer | Variable


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

    array: Array
    index: tuple[Expr, ...]  # i64, one a dimension
    span: Span

    @property
    def type(self) -> Scalar:
        """Element type."""
        return self.array.element


@dataclass(frozen=True, slots=True)
class AtomicUpdate:
    """An atomic operation on one element of an `Atomic` array, relaxed; its value is what the element held before."""

    operation: AtomicOperation
    array: Array
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


Expr: TypeAlias = Const | Read | Load | AtomicUpdate | Unary | Binary | Logical | Select | Call | Cast


@dataclass(frozen=True, slots=True)
class Assign:
    """A local variable gets a new value."""

    variable: Variable
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Store:
    """An element of an exclusive array gets a new value. `target_span` covers `a[i]`, `span` the statement."""

    array: Array
    index: tuple[Expr, ...]
    value: Expr
    target_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Contribute:
    """One contribution to a reducer; `location` for MinLoc and MaxLoc."""

    reducer: Reducer
    value: Expr
    location: Expr | None
    span: Span


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
    """`for index in range(lower, upper, step)` within one thread; `step` is a non-zero constant."""

    index: Variable
    lower: Expr
    upper: Expr
    step: int
    body: tuple[Statement, ...]
    span: Span


Statement: TypeAlias = Assign | Store | Contribute | Drop | If | For


@dataclass(frozen=True, slots=True)
class Range:
    """Values `lower <= i < upper` of one thread index."""

    lower: Expr
    upper: Expr


@dataclass(frozen=True, slots=True)
class Parallel:
    """One thread for each tuple of indices; the last index is the fastest."""

    indices: tuple[Variable, ...]
    ranges: tuple[Range, ...]
    body: tuple[Statement, ...]
    span: Span  # of the `for` header


@dataclass(frozen=True, slots=True)
class Require:
    """A launch precondition: assumed by the proofs, evaluated by the launcher."""

    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A typed kernel, not yet proved."""

    name: str
    parameters: tuple[Parameter, ...]
    extents: tuple[Variable, ...]  # names in dims that are not scalar parameters, in order of first appearance
    requires: tuple[Require, ...]
    body: Parallel
    source: Source
    span: Span

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Array parameters, in order."""
        return tuple(p for p in self.parameters if isinstance(p, Array))

    @property
    def reducers(self) -> tuple[Reducer, ...]:
        """Reducer parameters, in order."""
        return tuple(p for p in self.parameters if isinstance(p, Reducer))

    @property
    def scalars(self) -> tuple[Variable, ...]:
        """Scalar parameters, in order."""
        return tuple(p for p in self.parameters if isinstance(p, Variable))
